"""Which boxes are legal and what each pays: the one interpreter of the sheets' data. Whatever scores dice asks ``legal``.

What a hand alone decides is worked out once for each of the 252 hands. Each call then looks at what the paper changes: filled
boxes, the order of a column, what a box needs, the upper bonus, and another five alike (extra points and jokers).
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache

from server.rules.model import Hand, KeyedColumn, Repeat, Rules, SheetState, UpperBonus, Write
from server.rules.scorers import amount, box_points, fits

Boxes = Mapping[str, int]
Writes = dict[str, Write]
"""By key: what writing that box pays."""

NOTHING = Write(0, 0)
_KEPT_HANDS = 1 << 13
"""Hands kept with what every box pays for them, 1.5 to 3.6 KB each: 16 rules with each of their hands, served and not."""


def legal(rules: Rules, state: SheetState, dice: Sequence[int], rolls_used: int) -> Writes:
    """Every box that may be written with these dice (five faces in any order), in sheet order, with what it pays now.

    ``rolls_used`` counts the rolls of the turn; after the first the hand is served. A full paper has no legal box. The dict is
    the caller's own.
    """
    hand = tuple(sorted(dice))
    boxes = state.boxes
    writes = _paid(rules, hand, rolls_used == 1).copy()
    for key in boxes:
        del writes[key]
    layout = rules.layout
    for column in rules.columns:
        if column.order != "any":
            _keep_next(column, writes)
        if column.needs:
            _check_needs(column, boxes, writes)
        if layout.upper_bonus:
            _add_upper_bonus(layout.upper_bonus, column, boxes, hand, writes)
        if layout.repeat and hand[0] == hand[-1] and column.repeat in boxes:
            own = column.faces.get(hand[0], "")
            _apply_repeat(layout.repeat, column, boxes, own=own, jokers=_jokers(rules, hand), writes=writes)
    return writes


def wins_at_once(rules: Rules, dice: Sequence[int], rolls_used: int) -> bool:
    """Whether these dice, on the first roll of a turn, win the match whatever is on the paper."""
    layout = rules.layout
    if rolls_used != 1 or layout.served_win is None:
        return False
    hand = tuple(sorted(dice))
    return any(box.id == layout.served_win and fits(box.scorer, hand) for box in layout.boxes)


@lru_cache(maxsize=_KEPT_HANDS)
def _paid(rules: Rules, hand: Hand, is_served: bool) -> Writes:
    """What every box pays for the hand, whatever is on the paper. Shared: not to be changed."""
    return {key: Write(box_points(box, hand, is_served), 0) for key, box in rules.boxes.items()}


@lru_cache(maxsize=_KEPT_HANDS)
def _jokers(rules: Rules, hand: Hand) -> Writes:
    """What every lower box pays for the hand as a joker. Shared: not to be changed."""
    return {key: Write(amount(box.scorer, hand), 0) for key, box in rules.boxes.items() if box.group == "lower"}


def _keep_next(column: KeyedColumn, writes: Writes) -> None:
    """Leave, of an ordered column's open boxes, the next one alone."""
    open_keys = _open(column, writes)
    for key in open_keys[1:] if column.order == "down" else open_keys[:-1]:
        del writes[key]


def _check_needs(column: KeyedColumn, boxes: Boxes, writes: Writes) -> None:
    """A box whose needed box is open or crossed off can only be crossed off."""
    for key, needed in column.needs:
        if key in writes and not boxes.get(needed):
            writes[key] = NOTHING


def _add_upper_bonus(bonus: UpperBonus, column: KeyedColumn, boxes: Boxes, hand: Hand, writes: Writes) -> None:
    """Add the bonus to each write that brings the column's upper boxes to it; once they are there, no write does."""
    missing = bonus.at
    for key in column.upper:
        if key in boxes:
            missing -= boxes[key]
    # No upper box pays more than all the dice, so most calls end here.
    if not 0 < missing <= sum(hand):
        return
    for key in column.upper:
        if key in writes and writes[key].points >= missing:
            writes[key] = Write(writes[key].points, bonus.points)


def _apply_repeat(repeat: Repeat, column: KeyedColumn, boxes: Boxes, *, own: str, jokers: Writes, writes: Writes) -> None:
    """Change a column's writes for another five alike; ``own`` is the upper box of its face, or empty."""
    if repeat.joker != "off" and own in boxes:
        writes.update((key, jokers[key]) for key in column.lower if key in writes)
    if repeat.joker == "forced":
        _force(column, own, writes)
    if repeat.extra and boxes[column.repeat]:
        for key in _open(column, writes):
            points, bonus = writes[key]
            writes[key] = Write(points, bonus + repeat.extra)


def _force(column: KeyedColumn, own: str, writes: Writes) -> None:
    """Leave the own upper box if it may be written, else the lower boxes that may, else all of them.

    Order beats joker: an ordered column has its next box alone by now, and that one stays.
    """
    open_keys = _open(column, writes)
    allowed = [own] if own in writes else [key for key in open_keys if key in column.lower] or open_keys
    for key in open_keys:
        if key not in allowed:
            del writes[key]


def _open(column: KeyedColumn, writes: Writes) -> list[str]:
    return [key for key in column.keys if key in writes]
