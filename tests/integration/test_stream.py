"""The stream test: the view that a client reduces from what it is sent is what a newcomer is shown, whatever happens.

Everything runs on a clock that the test moves, so that nothing happens while two views are compared. Who looks: every seat, one
of them through two tabs, a player who does not sit, and somebody without a session.
"""

from collections.abc import Sequence
from typing import Any, get_args

import msgspec

from server.protocol.incoming import Incoming
from tests.integration.served import Timed
from tests.integration.wire_kit import RawSocket, by_turn, fresh, join, new_table, tab, up_to_date
from tests.outside.dice import chain
from tests.outside.player import Guest, Message, Player, create_table
from tests.outside.scripts import best_box, by_chance
from tests.outside.view import View, seat_of, settled

LOBBY = {"sit", "stand", "leave", "add_bot", "unseat", "settings", "say", "ping", "start"}
SEAL = {"start", "commit", "reveal", "stand", "sit"}
PLAY = {"roll", "hold", "score", "back", "leave", "hint", "say", "start"}
CLOCKLESS = {"start", "nudge", "seen", "rematch", "leave"}
BOTS = {"start", "roll", "score", "hint", "leave"}
CLOSING = {"close"}


class Audience:
    """Everybody who looks at one table. ``did`` are the types of the commands that were sent."""

    def __init__(self, timed: Timed, viewers: Sequence[Player]) -> None:
        self.timed = timed
        self.viewers = list(viewers)
        self.did: set[str] = set()

    async def do(self, player: Player, kind: str, *, refused: str | None = None, **fields: Any) -> Message:
        """Send a command, and see that all views are right afterwards; with ``refused`` it must not go through."""
        self.did.add(kind)
        answer = await player.ask({"type": kind, **fields})
        assert answer.get("code") == refused, answer
        await self.same(f"{kind} {fields}")
        return answer

    async def pass_ms(self, ms: int, what: str) -> None:
        """Let time pass, and see that all views are right afterwards."""
        await self.timed.pass_ms(ms)
        await self.same(what)

    async def same(self, what: str) -> None:
        """Every view is what a new connection of the same player is shown, and knows the seat that this has."""
        await self.viewers[0].until(lambda view: not is_a_bots_turn(view), wait_s=30)
        await up_to_date(self.viewers)
        for viewer in self.viewers:
            new = await fresh(viewer)
            assert shown(viewer.view) == shown(new), f"after {what}"
            assert_knows_itself(viewer, new)

    async def sealed(self, creator: Player) -> None:
        """Start, and let everybody seal by themselves."""
        for viewer in self.viewers:
            viewer.seals = True
        await creator.do({"type": "start"})
        self.did.add("start")
        for viewer in self.viewers:
            await viewer.until(lambda view: view["table"]["phase"] == "playing")
        await self.same("the seal")


def is_a_bots_turn(view: View) -> bool:
    """Whether something happens by itself, without the clock."""
    table = view["table"]
    return bool(table.get("turn")) and table["seats"][table["turn"]["seat"]]["kind"] == "bot"


def shown(view: View) -> View:
    """What there is to compare. A seat that has nothing yet may be listed with nothing or left out."""
    compared = settled(view)
    for name in ("scores", "bonus", "totals"):
        compared["table"][name] = {seat: points for seat, points in view["table"][name].items() if points}
    return compared


def assert_knows_itself(viewer: Player, new: View) -> None:
    player = viewer.guest.id if viewer.guest else None
    assert new["you"].get("player") == player
    assert new["you"].get("seat") == seat_of(viewer.view, player)


async def audience(timed: Timed, count: int, **settings: Any) -> tuple[Audience, list[Player]]:
    """People who sit at a new table, the creator first, and those who look on."""
    guests = [await Guest.arrive(timed.base, f"Guest {number}") for number in range(count)]
    bots = len(settings.get("bots", ()))
    code = await create_table(guests[0], **{"seats": max(2, count + bots), **settings})
    people = [await Player(timed.base, code, guest, seals=False).connect() for guest in guests]
    for player in people:
        await player.do({"type": "sit"})
    lookers = [await tab(people[0]), await join(people[0], seals=False), await Player(timed.base, code).connect()]
    lookers[0].seals = False
    return Audience(timed, [*people, *lookers]), people


async def test_views_are_right_through_everything_that_happens_before_a_match(timed: Timed) -> None:
    ana = await new_table(timed.base, seats=3)
    ben, carla, nobody = await join(ana), await join(ana), await Player(timed.base, ana.code).connect()
    house = Audience(timed, [ana, await tab(ana), ben, carla, nobody])
    await house.same("arriving")
    await house.do(ana, "sit")
    await house.do(ben, "sit", seat=2)
    await house.do(carla, "sit", seat=2, refused="seat_taken")
    await house.do(carla, "sit")
    await house.do(ben, "stand")
    await house.do(ana, "add_bot", level="medium")
    await house.do(ana, "unseat", seat=2)
    await house.do(ana, "settings", sheet="yahtzee", seats=5, bots=["medium", "medium"])
    await house.do(ana, "settings", clock=15, visibility="public")
    await house.do(ana, "settings", seats=1, refused="bad_message")
    await house.do(ana, "settings", bots=[], preset="kniffel")
    await house.do(ana, "start", refused="wrong_phase")
    await house.do(ben, "sit", seat=4)
    await house.do(ben, "sit", seat=3)
    await house.do(ana, "unseat", seat=1)
    await house.do(ben, "say", phrase="hello")
    await house.do(ben, "ping", t=1)
    await house.do(ben, "leave")
    await house.do(carla, "sit")
    await comings_and_goings(house, carla)
    assert house.did == LOBBY


async def comings_and_goings(house: Audience, carla: Player) -> None:
    """The creator's connections die, and the powers pass."""
    creators = house.viewers[:2]
    house.viewers = house.viewers[2:]
    for player in creators:
        await player.cut()
    await carla.until(lambda view: not view["table"]["seats"][0]["connected"])
    await house.same("the creator's cut")
    await house.pass_ms(60_000, "the powers passed")
    assert carla.guest
    assert carla.view["table"]["creator"] == carla.guest.id
    for player in creators:
        await player.connect()
    house.viewers += creators
    await house.same("the creator's return")


async def test_views_are_right_through_seals_that_fail_and_one_that_does_not(timed: Timed) -> None:
    house, (ana, ben) = await audience(timed, 2)
    await house.do(ana, "start")
    for player in (ana, ben):
        await house.do(player, "commit", commitment=commitment_of(player))
    await house.do(ben, "commit", commitment="00" * 32, refused="bad_commitment")
    await house.do(ana, "reveal", entropy=contribution_of(ana))
    await house.do(ben, "stand")
    await house.do(ben, "sit", refused="too_fast")
    await house.pass_ms(60_000, "the bar is over")
    await house.do(ben, "sit")
    await house.do(ana, "start")
    await house.pass_ms(10_200, "nobody committed")
    assert ana.view["aborted"]["seats"] == [0, 1]
    await house.pass_ms(60_000, "the bar is over")
    for player in (ana, ben):
        await house.do(player, "sit")
    await house.do(ana, "start")
    for player in (ana, ben):
        await house.do(player, "commit", commitment=commitment_of(player))
    for player in (ana, ben):
        await house.do(player, "reveal", entropy=contribution_of(player))
    assert ana.view["table"]["phase"] == "playing"
    assert house.did == SEAL


def commitment_of(player: Player) -> str:
    place = player.sealing.place
    assert place
    return player.sealing._commitment(place)


def contribution_of(player: Player) -> str:
    place = player.sealing.place
    assert place
    return player.sealing.secrets.contribution(place).hex()


async def test_views_are_right_through_a_match_with_all_that_the_clock_does(timed: Timed) -> None:
    house, people = await audience(timed, 3)
    await house.sealed(people[0])
    ana, ben, carla = by_turn(people)
    await a_turn_by_hand(house, ana, ben)
    await house.pass_ms(45_200, "Ben's turn ran out")
    await an_outage(house, carla)
    await a_turn(house, carla)
    await a_turn(house, ana)
    await house.pass_ms(45_200, "Ben is away")
    await a_turn(house, carla)
    await a_turn(house, ana)
    await house.pass_ms(1_000, "a second of Ben's three")
    await house.do(ben, "back")
    await house.do(ben, "back", refused="wrong_phase")
    await house.pass_ms(44_200, "Ben's turn ran out again")
    await house.do(carla, "leave")
    await house.pass_ms(1_000, "Carla's turn")
    await a_turn(house, ana)
    await house.pass_ms(45_200, "Ben is away again")
    await house.pass_ms(1_000, "Carla's turn")
    await a_turn(house, ana)
    await house.do(ben, "roll", held=[], expect=ben.view["n"])
    assert not ben.view["table"]["seats"][ben.seat or 0]["away"]
    await house.do(ben, "leave")
    assert ana.is_finished
    assert house.did == PLAY


async def a_turn_by_hand(house: Audience, ana: Player, ben: Player) -> None:
    """All that a seat can do in its turn, and what the other cannot."""
    await house.do(ana, "hold", held=[], refused="roll_first")
    await house.do(ana, "score", box="ones", expect=ana.view["n"], refused="roll_first")
    await house.do(ana, "roll", held=[], expect=ana.view["n"])
    await house.do(ana, "roll", held=[], expect=2, refused="stale")
    await house.do(ana, "hold", held=[0, 4])
    await house.do(ana, "hint", refused="no_hints")
    await house.do(ben, "roll", held=[], expect=ben.view["n"], refused="not_your_turn")
    await house.do(ben, "say", phrase="nice_roll")
    await house.do(ana, "roll", held=[0, 4], expect=ana.view["n"])
    await house.do(ana, "hold", held=[1])
    async with await RawSocket.open(ana) as third:
        rolled = await third.ask({"type": "roll", "held": [1], "expect": ana.view["n"], "id": "again"})
        await house.same("a roll from a third tab")
        assert await third.ask({"type": "roll", "held": [2], "expect": 0, "id": "again"}) == rolled
        await house.same("the same roll again")
    await house.do(ana, "score", **best_of(ana))


async def a_turn(house: Audience, player: Player) -> None:
    """One roll and a write."""
    await house.do(player, "roll", held=[], expect=player.view["n"])
    await house.do(player, "score", **best_of(player))


def best_of(player: Player) -> Message:
    return {"box": best_box(player.turn)["box"], "expect": player.view["n"]}


async def an_outage(house: Audience, on_turn: Player) -> None:
    """In the middle of a turn, with dice held, the whole service is away for eight seconds."""
    await house.do(on_turn, "roll", held=[], expect=on_turn.view["n"])
    await house.do(on_turn, "hold", held=[3])
    house.timed.clock.set(house.timed.now + 8_000)
    await house.pass_ms(1_000, "an outage")
    await on_turn.until(lambda view: view["table"]["turn"]["held"] == [3])
    await house.do(on_turn, "score", **best_of(on_turn))
    await house.pass_ms(45_200, "a whole turn")
    await house.pass_ms(45_200, "and another")


async def test_views_are_right_without_a_clock_and_to_the_end_of_a_rematch(timed: Timed) -> None:
    house, people = await audience(timed, 2, clock=0, rated=False)
    await house.sealed(people[0])
    ana, ben = by_turn(people)
    gone = [viewer for viewer in house.viewers if viewer.guest is ana.guest]
    house.viewers = [viewer for viewer in house.viewers if viewer not in gone]
    for tab_of_ana in gone:
        await tab_of_ana.cut()
    await ben.until(lambda view: not view["table"]["seats"][ana.seat or 0]["connected"])
    await house.do(ben, "nudge", refused="wrong_phase")
    await house.pass_ms(300_000, "five minutes")
    await house.do(ben, "nudge")
    await ana.connect(since="last")
    house.viewers.append(ana)
    await house.same("coming back")
    root = next(iter(timed.disk.tables[ana.code].secrets.values()))  # type: ignore[index]
    key = chain(bytes.fromhex(ana.view["table"]["match"]), root, 22)[5].hex()
    await house.do(ben, "seen", turn=5, key="00" * 32, refused="bad_reveal")
    await house.do(ben, "seen", turn=5, key=key)
    assert ben.is_finished
    await house.do(ben, "rematch")
    await house.do(ana, "leave")
    for viewer in house.viewers:
        assert (await viewer.hear("moved"))["code"] == viewer.view["moved"]
    await house.same("the move")
    assert house.did == CLOCKLESS
    await house.pass_ms(1_000, "a second")


async def test_views_are_right_whenever_a_bot_has_played(timed: Timed) -> None:
    house, (ana,) = await audience(timed, 1, bots=["medium"], sheet="yahtzee")
    await house.sealed(ana)
    decide = by_chance(11)
    for _ in range(12):
        await ana.until(lambda _: ana.is_on_turn)
        await house.same("the bot's turn")
        command = decide(ana.turn)
        kind = command.pop("type")
        await house.do(ana, kind, **command, expect=ana.view["n"])
        if ana.is_on_turn and ana.turn["roll"]:
            await house.do(ana, "hint")
    await ana.do({"type": "leave"})
    house.did.add("leave")
    for viewer in house.viewers:
        await viewer.until(lambda view: view["table"]["phase"] == "finished", wait_s=30)
    await house.same("the play-out")
    assert house.did == BOTS


async def test_a_closed_table_has_no_view_left(timed: Timed) -> None:
    house, (ana, _) = await audience(timed, 2)
    await ana.send({"type": "close"})
    house.did.add("close")
    assert {await viewer.wait_closed() for viewer in house.viewers} == {4004}
    assert house.did == CLOSING


def test_every_message_of_a_client_is_part_of_a_stream() -> None:
    known = {str(msgspec.inspect.type_info(kind).tag) for kind in get_args(Incoming)}  # type: ignore[attr-defined]
    assert known == LOBBY | SEAL | PLAY | CLOCKLESS | BOTS | CLOSING
