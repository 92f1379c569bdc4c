"""What nobody is shown before its time: the root, the keys, the contributions; nor ever: tokens in logs, anybody's secrets."""

import hashlib
import hmac
import json
import random
from collections.abc import Iterator

from tests.integration.served import Served
from tests.integration.wire_kit import by_turn, events, finished, get, roll, up_to_date, write_best
from tests.outside.dice import chain, commitment, draw, entropy
from tests.outside.player import Player
from tests.outside.scripts import seat_players, start

MATCHES = 2_000
TURNS = 22


async def test_root_and_keys_are_in_no_message_and_no_snapshot_before_their_time(served: Served) -> None:
    players = await seat_players(served.base, 2)
    watcher = await Player(served.base, players[0].code).connect()
    await start(players)
    told: list[str] = []
    for _ in range(TURNS):
        told.append(await all_told([*players, watcher]))
        player = by_turn(players)[0]
        await roll(player)
        told.append(await all_told([*players, watcher]))
        await write_best(player)
        await up_to_date(players)
    root = events(players[0], "finished")[0]["root"]
    keys = chain(bytes.fromhex(players[0].view["table"]["match"]), bytes.fromhex(root), TURNS)
    for turn, key in enumerate(keys[1:], 1):
        assert not [text for text in told[: 2 * turn] if key.hex() in text]
        if turn < TURNS:
            assert key.hex() in told[2 * turn]
    assert root not in "".join(told)


async def all_told(players: list[Player]) -> str:
    """All that anybody could know by now."""
    await up_to_date(players)
    table = (await get(players[0].base, f"/api/tables/{players[0].code}")).text
    match = (await get(players[0].base, f"/api/matches/{players[0].view['table']['match']}")).text
    return json.dumps([player.received for player in players]) + table + match


async def test_no_token_ticket_root_or_key_is_in_the_most_talkative_log(served: Served) -> None:
    players = await finished(served.base)
    ana = players[0]
    assert ana.guest
    ticket = (await ana.guest.call("POST", "/api/ticket")).json()["ticket"]
    async with Player(served.base, ana.code) as by_ticket:
        await by_ticket.drop()
        await by_ticket.connect(None, ticket=ticket)
        assert by_ticket.view["you"]["player"] == ana.guest.id
    log = served.log_text()
    assert '"level": "debug"' in log
    keys = [event["key"] for event in events(ana, "scored")]
    shown = [events(ana, "finished")[0]["root"], *keys, ticket, *(player.guest.token for player in players if player.guest)]
    assert [secret for secret in shown if secret in log] == []
    assert "127.0.0.1" not in log


def guesses(public: list[bytes], opening: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Obvious ways to take what is public before the first roll for key and opening of its dice."""
    for value in public:
        hashed = hashlib.sha256(value).digest()
        for key in (value, hashed, value[:16], hashlib.sha256(hashed).digest()):
            yield key, opening
    for value in public:
        yield opening, value
        yield hmac.digest(opening, value, "sha256"), opening


def test_nothing_that_is_known_before_a_roll_gives_its_dice() -> None:
    """Two thousand matches, and every obvious derivation against the dice that came: no better than chance, 1 in 7,776."""
    chance = random.Random(7)
    tried = hits = 0
    for _ in range(MATCHES):
        match, root = chance.randbytes(16), chance.randbytes(32)
        contributions = {0: chance.randbytes(32), 1: chance.randbytes(32)}
        keys = chain(match, root, 2)
        opened = entropy(match, contributions)
        commitments = [commitment(match, seat, value) for seat, value in contributions.items()]
        public = [keys[0], match, opened, *commitments, *contributions.values()]
        came = [draw(keys[turn], match, opened, turn, 1) for turn in (1, 2)]
        for key, opening in guesses(public, opened):
            tried += 1
            hits += draw(key, match, opening, 1, 1) == came[0]
        for key, opening in guesses([*public, keys[1]], opened):
            tried += 1
            hits += draw(key, match, opening, 2, 1) == came[1]
    expected = tried / 7_776
    assert abs(hits - expected) < 5 * expected**0.5
