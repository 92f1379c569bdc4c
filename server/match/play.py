"""Decisions of a match under way: rolls, writes, coming back, resigning, and what happens by itself.

The automatic play is one pure function, ``automatic``, whoever runs it and whyever: a deadline, a nudge, a play-out.
"""

from itertools import combinations

from server.errors import Refused
from server.fairness.draw import faces, keep
from server.fairness.seal import KeyChain, key_reaches_anchor
from server.match.commands import BotMove, Roll, Score, Seen
from server.match.ending import ROLL_OFF, places, reason_of_end, scheduled_turns, totals
from server.match.events import Back, Event, Finished, FinishReason, Left, PlayerId, Rolled, Scored
from server.match.evolve import evolve
from server.match.moment import Moment
from server.match.state import DICE, ROLLS, Match, Table, Turn
from server.rules import Write, best_write, legal, wins_at_once

_MASKS = frozenset(mask for size in range(DICE + 1) for mask in combinations(range(DICE), size))
PLAY_OUT_EVENTS = 40
"""A play-out is appended in pieces of at most so many events."""


def choices(table: Table, match: Match) -> dict[str, Write]:
    """What every legal box would pay the seat on turn now; empty before its first roll."""
    turn = match.turn
    if turn is None or not turn.roll:
        return {}
    if is_roll_off(table, match):
        return {ROLL_OFF: Write(sum(turn.dice), 0)}
    return legal(table.rules, match.sheets[turn.seat], turn.dice, turn.roll)


def is_roll_off(table: Table, match: Match) -> bool:
    """Whether the turn under way belongs to the roll-off."""
    return match.turn is not None and match.turn.number > scheduled_turns(table, match)


def roll(table: Table, player: PlayerId, command: Roll, moment: Moment, at: int) -> tuple[Event, ...]:
    """Roll again, all dice but the held ones."""
    match, turn = _own_turn(table, player, command.expect)
    check_roll(turn, command.held)
    return _rolled(*_come_back(table, match, turn, at), command.held, moment.secret, at)


def score(table: Table, player: PlayerId, command: Score, moment: Moment, at: int) -> tuple[Event, ...]:
    """Write a box; that ends the turn, and with the last one the match."""
    match, turn = _own_turn(table, player, command.expect)
    if not turn.roll:
        raise Refused("roll_first", "Roll before you write.")
    paid = _payment(table, match, turn, command.box)
    return _scored(*_come_back(table, match, turn, at), command.box, paid, moment.secret, at)


def check_held(turn: Turn, held: tuple[int, ...]) -> None:
    """Refuse a mask that is no set of positions: strictly ascending, 0 to 4."""
    if held not in _MASKS:
        raise Refused("bad_held", "Held positions are 0 to 4, ascending, each once.")
    if held and not turn.roll:
        raise Refused("bad_held", "The first roll throws all five dice.")


def check_roll(turn: Turn, held: tuple[int, ...]) -> None:
    """Refuse a fourth roll, a bad mask, and a roll that would throw nothing."""
    if turn.roll == ROLLS:
        raise Refused("no_rolls_left", "Three rolls are made; write a box.")
    check_held(turn, held)
    if len(held) == DICE:
        raise Refused("bad_held", "With all five held nothing would be rolled; write a box instead.")


def bot_move(table: Table, move: BotMove, keys: KeyChain, at: int) -> tuple[Event, ...]:
    """What a bot does; nothing if the table has moved on since it looked."""
    at = max(at, table.last_at)
    match = table.match
    if match is None or match.turn is None or match.turn.seat != move.seat or match.last_play_n != move.expect:
        return ()
    if move.box is None:
        check_roll(match.turn, move.held)
        return _rolled(table, (), move.held, keys, at)
    paid = _payment(table, match, match.turn, move.box)
    return _scored(table, (), move.box, paid, keys, at)


def come_back(table: Table, player: PlayerId, at: int) -> tuple[Event, ...]:
    """An away seat is played by its owner again."""
    match, seat = seat_in_play(table, player)
    if not match.is_away(seat):
        raise Refused("wrong_phase", "Your seat is not away.")
    return (Back(at=at, seat=seat),)


def resign(table: Table, player: PlayerId, moment: Moment, at: int) -> tuple[Event, ...]:
    """Resign; the match ends at once when at most one seat has not, or when a roll-off has only one left."""
    _, seat = seat_in_play(table, player)
    left = Left(at=at, seat=seat, reason="resigned")
    after = evolve(table, left)
    match = _running(after)
    if len(match.staying) <= 1:
        return (left, finished(after, "resigned", moment.secret, at))
    if match.turn is None:
        return (left, finished(after, reason_of_end(match), moment.secret, at))
    return (left,)


def seen(table: Table, player: PlayerId, command: Seen, moment: Moment, at: int) -> tuple[Event, ...]:
    """A key of a turn that has not ended here proves that the log lost events: the match is void."""
    match, _ = seat_in_play(table, player)
    turn = match.turn
    assert turn is not None
    if command.turn < turn.number:
        raise Refused("stale", "That turn has ended here too.")
    try:
        key = bytes.fromhex(command.key)
    except ValueError:
        key = b""
    if command.turn > match.sealed.turns or not key_reaches_anchor(
        match.id_bytes, command.turn, key, bytes.fromhex(match.sealed.anchor)
    ):
        raise Refused("bad_reveal", "That key does not lead to this match's anchor.")
    return (finished(table, "void", moment.secret, at),)


def automatic(table: Table, keys: KeyChain, at: int) -> tuple[Event, ...]:
    """Play the human turn under way to its end: one roll if there was none, then the best box (rules.md)."""
    match = _running(table)
    turn = match.turn
    assert turn is not None
    rolled: tuple[Event, ...] = ()
    if not turn.roll:
        rolled = _rolled(table, (), (), keys, at, auto=True)
        if isinstance(rolled[-1], Finished):
            return rolled
        table = evolve(table, rolled[0])
    box = _best_box(table)
    return _scored(table, rolled, box, choices(table, _running(table))[box], keys, at, auto=True)


def play_out(table: Table, keys: KeyChain, at: int) -> tuple[Event, ...]:
    """Play human turns automatically until a bot is on turn, the match ends, or one append is full."""
    events: tuple[Event, ...] = ()
    while len(events) <= PLAY_OUT_EVENTS - 3:  # a turn takes at most a roll, a write and the end
        turn = _running(table).turn
        if turn is None or not _running(table).seats[turn.seat].is_human:
            break
        played = automatic(table, keys, at)
        events += played
        for event in played:
            table = evolve(table, event)
    return events


def finished(table: Table, reason: FinishReason, keys: KeyChain, at: int, winner: int | None = None) -> Finished:
    """The end, with totals and places of this moment."""
    match = _running(table)
    return Finished(
        at=at,
        reason=reason,
        totals={str(seat): points for seat, points in totals(table, match).items()},
        places={str(seat): place for seat, place in places(table, match, winner).items()},
        root=keys.root.hex(),
    )


def seat_in_play(table: Table, player: PlayerId) -> tuple[Match, int]:
    """The running match and the player's seat in it. Refuses watchers, other phases, and those who resigned."""
    match = table.match
    seat = table.seat_of(player)
    if seat is None:
        raise Refused("not_seated", "You do not sit at this table.")
    if match is None or table.phase != "playing":
        raise Refused("wrong_phase", "No match is being played here now.")
    if seat in match.resigned:
        raise Refused("not_your_turn", "You resigned; your seat is played automatically.")
    return match, seat


def turn_of(table: Table, player: PlayerId) -> tuple[Match, Turn]:
    """The running match and the turn under way, if it is the player's."""
    match, seat = seat_in_play(table, player)
    return match, _turn_of(match, seat)


def _own_turn(table: Table, player: PlayerId, expect: int) -> tuple[Match, Turn]:
    match, seat = seat_in_play(table, player)
    if not match.last_play_n <= expect <= match.n:
        raise Refused("stale", "The match has moved on since you decided; look again.")
    return match, _turn_of(match, seat)


def _turn_of(match: Match, seat: int) -> Turn:
    turn = match.turn
    if turn is None or turn.seat != seat:
        raise Refused("not_your_turn", "It is another seat's turn.")
    return turn


def _payment(table: Table, match: Match, turn: Turn, box: str) -> Write:
    """What writing ``box`` pays. Refused if it is not legal now."""
    paid = choices(table, match).get(box)
    if paid is not None:
        return paid
    if box != ROLL_OFF and box not in table.rules.box_keys:
        raise Refused("unknown_box", "This sheet has no such box.")
    if box in match.sheets[turn.seat].boxes:
        raise Refused("box_filled", "That box is written already.")
    raise Refused("box_illegal", "The rules do not allow that box for these dice; the boxes listed are those you can write.")


def _come_back(table: Table, match: Match, turn: Turn, at: int) -> tuple[Table, tuple[Event, ...]]:
    """An away seat that plays is back first, in the same append."""
    if not match.is_away(turn.seat):
        return table, ()
    back = Back(at=at, seat=turn.seat)
    return evolve(table, back), (back,)


def _rolled(
    table: Table, before: tuple[Event, ...], held: tuple[int, ...], keys: KeyChain, at: int, *, auto: bool = False
) -> tuple[Event, ...]:
    match = _running(table)
    turn = match.turn
    assert turn is not None
    number = turn.roll + 1
    drawn = faces(keys.key(turn.number), match.id_bytes, match.entropy, turn.number, number)
    dice = keep(held, turn.dice, drawn)
    rolled = Rolled(at=at, turn=turn.number, seat=turn.seat, roll=number, held=held, dice=dice, auto=auto)
    if _wins(table, match, turn, dice, number):
        after = evolve(table, rolled)
        return (*before, rolled, finished(after, "served_generala", keys, at, winner=turn.seat))
    return (*before, rolled)


def _wins(table: Table, match: Match, turn: Turn, dice: tuple[int, ...], number: int) -> bool:
    if turn.seat in match.resigned or is_roll_off(table, match):
        return False
    return wins_at_once(table.rules, dice, number)


def _scored(  # noqa: PLR0917
    table: Table, before: tuple[Event, ...], box: str, paid: Write, keys: KeyChain, at: int, *, auto: bool = False
) -> tuple[Event, ...]:
    match = _running(table)
    turn = match.turn
    assert turn is not None
    key = keys.key(turn.number).hex()
    scored = Scored(at=at, turn=turn.number, seat=turn.seat, box=box, points=paid.points, bonus=paid.bonus, auto=auto, key=key)
    if turn.number < scheduled_turns(table, match):
        return (*before, scored)
    after = evolve(table, scored)
    if _running(after).turn is not None:
        return (*before, scored)
    return (*before, scored, finished(after, reason_of_end(_running(after)), keys, at))


def _best_box(table: Table) -> str:
    match = _running(table)
    turn = match.turn
    assert turn is not None
    if is_roll_off(table, match):
        return ROLL_OFF
    return best_write(table.rules, match.sheets[turn.seat], turn.dice, turn.roll)


def _running(table: Table) -> Match:
    assert table.match is not None
    return table.match
