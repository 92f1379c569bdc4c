"""Players who come back to a server that was killed, and the check that nothing they had seen was taken back."""

import json
from collections.abc import Iterable

from tests.outside.player import Message, Player
from tests.outside.scripts import export_of
from tests.outside.sealing import Sealing
from tests.outside.verifier import verify


async def come_back(players: Iterable[Player], base: str) -> None:
    """Connect again at the address the server has now, each asking for what it missed."""
    for player in players:
        await player.wait_closed()
        move(player, base)
        await player.connect(since="last")


def move(player: Player, base: str) -> None:
    """Look for the server at another address from now on."""
    player.base = base
    if player.guest:
        player.guest.base = base


def owed(player: Player) -> Message:
    """What a player who does not seal by themselves has to send next in the seal under way."""
    assert player.guest
    message = Sealing(player.guest.id, player.guest.secrets).at_welcome(player.view["table"])
    assert message
    return dict(message)


def shown_events(player: Player) -> list[Message]:
    """Every event a player was shown, in whatever message, in the order in which it was shown."""
    shown: list[Message] = []
    for message in player.received:
        if message["type"] == "event":
            shown.append(message)
        shown.extend(message.get("events") or [])
    return shown


async def given_back(player: Player) -> Message:
    """The newest event that gives time back, as it was shown, once there is one."""
    clocks: list[Message] = []

    def has_clock(_: object) -> bool:
        clocks[:] = [shown for shown in shown_events(player) if shown["event"]["type"] == "clock"]
        return bool(clocks)

    await player.until(has_clock, what="time given back")
    return clocks[-1]


async def check_nothing_was_taken_back(players: Iterable[Player], match: str | None = None) -> list[Message]:
    """The export is without fault, and has every event anybody was shown, once and in order; its events."""
    players = list(players)
    data = await export_of(players[0].base, match or players[0].view["table"]["match"])
    assert verify(data) == []
    events: list[Message] = json.loads(data)["events"]
    for player in players:
        shown = [message for message in shown_events(player) if message["n"] < len(events)]
        assert [events[message["n"]] for message in shown] == [message["event"] for message in shown]
        assert [message["n"] for message in shown] == sorted({message["n"] for message in shown})
        if player.witness.head is not None:  # unknown to who came back to a snapshot alone
            assert json.loads(data)["head"] == player.witness.head.hex()
    return events
