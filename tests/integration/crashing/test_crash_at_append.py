"""The process dies when an event is on disk and nobody has heard of it: it is shown once then, and its sender is answered."""

from collections.abc import Sequence

import pytest

from tests.integration.crashing.comeback import check_nothing_was_taken_back, come_back, owed, shown_events
from tests.integration.crashing.victim import Victim
from tests.integration.wire_kit import ROLL, RawSocket, up_to_date
from tests.outside.player import Gone, Message, Player
from tests.outside.scripts import best_box, drop_all, seat_players


def moves(player: Player) -> list[Message]:
    """The events that a player was shown, but for time given back."""
    return [shown["event"] for shown in shown_events(player) if shown["event"]["type"] != "clock"]


class Story:
    """Two people at one table through one crash after another: each server dies at the event that is to come next."""

    def __init__(self, victim: Victim, people: Sequence[Player]) -> None:
        self.victim, self.people = victim, people
        self.told: list[str] = []

    @property
    def on_turn(self) -> Player:
        return next(player for player in self.people if player.is_on_turn)

    async def die(self, player: Player, message: Message, *, at: str, then: str) -> None:
        """``message`` kills the server. Both come back and are told of the event once; the sender is answered after all."""
        await up_to_date(self.people)
        command = {**message, "id": f"dies at {at}"}
        if message["type"] in ("roll", "score"):
            command["expect"] = player.view["n"]
        before = [len(moves(each)) for each in self.people]
        with pytest.raises(Gone):
            await player.do(command)
        self.victim.wait_killed()
        assert [len(moves(each)) for each in self.people] == before, "shown before it was safe"
        await come_back(self.people, self.victim.start(dies_at=then))
        await up_to_date(self.people)
        new = [moves(each)[mark:] for each, mark in zip(self.people, before, strict=True)]
        assert new[0] == new[1]
        self.told += [event["type"] for event in new[0]]
        await self.send_again(player, command)

    async def send_again(self, player: Player, command: Message) -> None:
        """The same id gets what it caused, altered or not, and nothing more happens."""
        known = moves(player)
        socket = await RawSocket.open(player)
        answer = await socket.ask(command)
        assert answer["type"] == "event"
        assert answer["n"] == 0 or answer["event"] in known
        altered = {**command, "held": [0, 1]} if "held" in command else command
        assert await socket.ask(altered) == answer
        socket.writer.close()
        await up_to_date(self.people)
        assert moves(player) == known


async def test_what_is_on_disk_is_shown_once_and_its_sender_is_answered(victim: Victim) -> None:
    ana, ben = people = await seat_players(victim.start(dies_at="sealed"), 2, clock=45)
    for player in people:
        player.seals = False
    story = Story(victim, people)
    await story.die(ana, {"type": "start"}, at="sealed", then="committed")
    assert [player.view["n"] for player in people] == [0, 0]
    await ana.do(owed(ana))
    await story.die(ben, owed(ben), at="committed", then="opened")
    await ana.do(owed(ana))
    await story.die(ben, owed(ben), at="opened", then="rolled")
    await story.die(story.on_turn, ROLL, at="rolled", then="scored")
    await story.die(story.on_turn, best_box(story.on_turn.turn), at="scored", then="finished")
    await story.die(ana, {"type": "leave"}, at="finished", then="rematch_agreed")
    assert story.told == ["committed", "opened", "rolled", "scored", "left", "finished"]
    await check_nothing_was_taken_back(people)
    await check_the_rematch(victim, people)
    await drop_all(people)


async def check_the_rematch(victim: Victim, people: Sequence[Player]) -> None:
    """It is agreed on disk and dies with the server; opened by the next, which dies before anybody is moved."""
    await people[1].send({"type": "rematch"})
    victim.wait_killed()
    victim.start(dies_at="moved")
    victim.wait_killed()
    await come_back(people, victim.start())
    codes = {(await player.hear("moved"))["code"] for player in people}
    [code] = codes
    async with Player(victim.base, code, people[1].guest) as moved:
        assert moved.seat == 1
        assert moved.view["table"]["creator"] == people[1].guest.id  # type: ignore[union-attr]
