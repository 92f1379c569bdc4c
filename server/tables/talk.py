"""What is said at a table and not logged: dice held just now, phrases, hints, the time."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, assert_never

from server.errors import Refused
from server.match.events import PlayerId
from server.match.play import check_held, turn_of
from server.match.state import ROLLS
from server.protocol.incoming import Hint, Hold, Ping, Say
from server.protocol.outgoing import Holding, Outgoing, Pong, Said, encode, read_holding, with_ref
from server.protocol.phrases import PHRASES
from server.tables.live import LiveTable
from server.tables.refusals import refusal
from server.tables.room import Viewer
from server.tables.thinking import hints_for, may_have_hint

Remark = Hold | Say | Hint | Ping
Spawn = Callable[[Coroutine[Any, Any, None]], "asyncio.Task[None]"]


def remark(live: LiveTable, viewer: Viewer, message: Remark, spawn: Spawn) -> None:
    """Answer a remark. Raises ``Refused``."""
    match message:
        case Ping():
            viewer.send(with_ref(encode(Pong(t=message.t, now=live.means.clock.now_ms())), message.id))
        case Hold():
            _hold(live, viewer, message)
        case Say():
            _say(live, viewer, message)
        case Hint():
            may_have_hint(live.table, viewer.player)
            spawn(_hint(live, viewer, message))
        case _:
            assert_never(message)


def _hold(live: LiveTable, viewer: Viewer, message: Hold) -> None:
    _, turn = turn_of(live.table, _seated(live, viewer))
    if not turn.roll:
        raise Refused("roll_first", "Roll before you hold.")
    if turn.roll == ROLLS:
        raise Refused("no_rolls_left", "Three rolls are made; write a box.")
    check_held(turn, message.held)
    live.stage.holding = message.held
    _tell(live, Holding(seat=turn.seat, held=message.held), viewer, message.id)


def _say(live: LiveTable, viewer: Viewer, message: Say) -> None:
    player = _seated(live, viewer)
    if message.phrase not in PHRASES:
        raise Refused("bad_message", "That is not one of the phrases; GET /api/phrases lists them.", "phrase")
    _tell(live, Said(player=player, phrase=message.phrase), viewer, message.id)


def _seated(live: LiveTable, viewer: Viewer) -> PlayerId:
    if viewer.player is None or live.table.seat_of(viewer.player) is None:
        raise Refused("not_seated", "You do not sit at this table.")
    return viewer.player


def _tell(live: LiveTable, message: Outgoing, sender: Viewer, ref: str | None) -> None:
    encoded = encode(message)
    live.stage.room.broadcast(encoded, sender, with_ref(encoded, ref))
    live.means.log.note(live.code, live.means.mark + encoded)


def overheard(live: LiveTable, message: bytes) -> None:
    """Something said at this table on another worker."""
    holding = read_holding(message)
    if holding is not None:
        live.stage.holding = holding.held
    live.stage.room.broadcast(message)


async def _hint(live: LiveTable, viewer: Viewer, message: Hint) -> None:
    try:
        match, turn = may_have_hint(live.table, viewer.player)
        answer: Outgoing = await hints_for(live.table, match, turn, live.means.advisor)
    except Refused as refused:
        answer = refusal(refused)
    viewer.send(with_ref(encode(answer), message.id))
