import itertools

import msgspec
import pytest
from structlog.testing import capture_logs

from server.accounts import guests as guests_module
from server.accounts.guests import Guests
from server.accounts.sessions import Sessions
from server.errors import Refused
from server.match.events import PlayerId
from server.tables.ports import Directory, StoreUnavailable

NOW_MS = 1_700_000_000_000


class KeptPlayer(msgspec.Struct, frozen=True):
    id: PlayerId
    name: str
    is_guest: bool = True


class RecordsInMemory:
    def __init__(self):
        self.players = {}
        self.sessions = {}
        self.looked_up = []
        self.is_away = False

    async def add_guest(self, player, name, *, session, at_ms):
        self._answer()
        self.players[player] = KeptPlayer(player, name)
        self.sessions[session] = (player, at_ms)
        return self.players[player]

    async def find(self, players):
        self._answer()
        self.looked_up.append(set(players))
        return [self.players[player] for player in players if player in self.players]

    def _answer(self):
        if self.is_away:
            raise StoreUnavailable


@pytest.fixture
def records():
    return RecordsInMemory()


@pytest.fixture
def sessions():
    return Sessions(b"k" * 32)


@pytest.fixture
def guests(records, sessions):
    numbers = itertools.count()
    return Guests(records, sessions, lambda: NOW_MS, lambda size: next(numbers).to_bytes(size, "big"))


async def test_a_guest_is_kept_with_the_session_of_their_token(guests, records, sessions):
    player, token = await guests.create("  Ana ")
    assert (player.name, player.is_guest) == ("Ana", True)
    session = sessions.read(token)
    assert session.player == player.id
    assert records.players == {player.id: player}
    assert records.sessions == {session.id: (player.id, session.issued_ms)}
    assert session.issued_ms == NOW_MS


async def test_without_a_name_a_guest_gets_one(guests):
    player, _ = await guests.create(None)
    assert player.name == "Adhara Beluga"


async def test_ids_come_from_the_operating_system(records, sessions):
    guests = Guests(records, sessions, lambda: NOW_MS)
    ids = {(await guests.create(None))[0].id for _ in range(20)}
    assert len(ids) == 20
    assert {len(bytes.fromhex(player)) for player in ids} == {8}


async def test_a_bad_name_makes_no_guest(guests, records):
    with pytest.raises(Refused):
        await guests.create("\u200b")
    assert records.players == {}


async def test_a_guest_who_could_not_be_kept_does_not_exist(guests, records):
    records.is_away = True
    with pytest.raises(StoreUnavailable):
        await guests.create("Ana")
    records.is_away = False
    assert await guests.names(records.players) == {}


async def test_a_new_guest_is_known_without_asking_the_records(guests, records):
    player, _ = await guests.create("Ana")
    assert await guests.get(player.id) == player
    assert records.looked_up == []


async def test_a_player_from_before_a_restart_is_looked_up_once(guests, records):
    ana = PlayerId("a" * 16)
    records.players[ana] = KeptPlayer(ana, "Ana")
    assert [await guests.get(ana), await guests.get(ana)] == [records.players[ana]] * 2
    assert records.looked_up == [{ana}]


async def test_nobody_has_an_unknown_id(guests):
    assert await guests.get(PlayerId("f" * 16)) is None


async def test_names_are_those_of_the_players_that_exist(guests, records):
    ana, _ = await guests.create("Ana")
    ben = PlayerId("b" * 16)
    records.players[ben] = KeptPlayer(ben, "Ben")
    directory: Directory = guests
    assert await directory.names(iter([ana.id, ben, ben, PlayerId("f" * 16)])) == {ana.id: "Ana", ben: "Ben"}
    assert records.looked_up == [{ben, "f" * 16}]


async def test_with_the_records_away_the_remembered_keep_their_names(guests, records):
    ana, _ = await guests.create("Ana")
    records.is_away = True
    with capture_logs() as logs:
        assert await guests.names([ana.id, PlayerId("b" * 16)]) == {ana.id: "Ana"}
    assert [(entry["event"], entry["players"]) for entry in logs] == [("names_missing", 1)]
    with pytest.raises(StoreUnavailable):
        await guests.get(PlayerId("b" * 16))


async def test_the_least_lately_wanted_is_forgotten_first(guests, records, monkeypatch):
    monkeypatch.setattr(guests_module, "REMEMBERED", 2)
    ana, _ = await guests.create("Ana")
    ben, _ = await guests.create("Ben")
    await guests.get(ana.id)
    await guests.create("Carla")
    await guests.get(ana.id)
    assert records.looked_up == []
    await guests.get(ben.id)
    assert records.looked_up == [{ben.id}]
