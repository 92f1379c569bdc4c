"""``decide``: a state and a player's command to the events that follow, or the reason why none do.

The order of checks is the protocol's: seat and phase, then ``expect``, then the turn and the rules. Whether the same command
was applied before is asked first, by ``Match.event_caused_by``, where the answer can be given again.
"""

from typing import assert_never

from server.errors import Refused
from server.match import lobby, play, sealing
from server.match.commands import (
    AddBot,
    ChangeSettings,
    Close,
    ComeBack,
    Command,
    Commit,
    Leave,
    Nudge,
    Rematch,
    Reveal,
    Roll,
    Score,
    Seen,
    Sit,
    Stand,
    Start,
    Unseat,
)
from server.match.events import Event, PlayerId
from server.match.moment import Moment
from server.match.state import Table
from server.match.wake import NUDGE_AFTER_MS, gone_since

CreatorCommand = AddBot | Unseat | ChangeSettings | Close | Start


def decide(table: Table, player: PlayerId | None, command: Command, moment: Moment) -> tuple[Event, ...]:
    """The events of ``command``, in order, to be appended together; none if it changes nothing. Raises ``Refused``."""
    if player is None:
        code = "not_creator" if isinstance(command, CreatorCommand) else "not_seated"
        raise Refused(code, "You are watching without a session.")
    at = max(moment.at_ms, table.last_at)
    if isinstance(command, CreatorCommand):
        return _by_the_creator(table, player, command, moment, at)
    match command:
        case Roll():
            return play.roll(table, player, command, moment, at)
        case Score():
            return play.score(table, player, command, moment, at)
        case Commit():
            return sealing.commit(table, player, command, at)
        case Reveal():
            return sealing.reveal(table, player, command, at)
        case ComeBack():
            return play.come_back(table, player, at)
        case Seen():
            return play.seen(table, player, command, moment, at)
        case Nudge():
            return _nudge(table, player, moment, at)
        case Sit():
            return lobby.sit(table, player, command, at)
        case Stand():
            if table.phase == "sealing":
                return sealing.stand(table, player, moment.secret, at)
            return lobby.stand(table, player, at)
        case Leave():
            return _leave(table, player, moment, at)
        case Rematch():
            return lobby.rematch(table, player, at)
        case _:
            assert_never(command)


def _by_the_creator(table: Table, player: PlayerId, command: CreatorCommand, moment: Moment, at: int) -> tuple[Event, ...]:
    match command:
        case AddBot():
            return lobby.add_bot(table, player, command, moment, at)
        case Unseat():
            return lobby.unseat(table, player, command, at)
        case ChangeSettings():
            return lobby.settings(table, player, command, moment, at)
        case Close():
            return lobby.close(table, player, at)
        case Start():
            return lobby.start(table, player, command, moment, at)
        case _:
            assert_never(command)


def _leave(table: Table, player: PlayerId, moment: Moment, at: int) -> tuple[Event, ...]:
    match table.phase:
        case "waiting" | "finished":
            return lobby.leave(table, player, at)
        case "sealing":
            return sealing.stand(table, player, moment.secret, at)
        case "playing":
            return play.resign(table, player, moment, at)
        case _ as unreachable:
            assert_never(unreachable)


def _nudge(table: Table, player: PlayerId, moment: Moment, at: int) -> tuple[Event, ...]:
    """At a table without a clock, the seat on turn is played as at a deadline once it has been gone for five minutes."""
    match, _ = play.seat_in_play(table, player)
    turn = match.turn
    assert turn is not None
    owner = match.seats[turn.seat].player
    if match.sealed.clock or owner is None or turn.deadline is not None:
        raise Refused("wrong_phase", "Here the clock or the service itself ends this turn.")
    known = moment.world.presence.players.get(owner)
    is_gone = known is None or not known.is_connected
    if not is_gone or at - gone_since(moment.world.presence, owner, turn.start) < NUDGE_AFTER_MS:
        raise Refused("wrong_phase", "Only a seat that has been gone for five minutes can be nudged.")
    return play.automatic(table, moment.secret, at)
