"""What can be written at all: the values a box can take, its greatest, and the greatest total of a sheet."""

from functools import lru_cache

from server.rules.model import EMPTY_SHEET, Box, Hand, KeyedColumn, Rules
from server.rules.paper import total, write
from server.rules.scorers import HANDS, amount, box_points
from server.rules.scoring import legal

_FIVE_ALIKE = [hand for hand in HANDS if hand[0] == hand[-1]]


def possible_values(rules: Rules, box: str) -> tuple[int, ...]:
    """Every number of points that the box with this key can take, ascending, 0 among them; factors and bonuses not in it."""
    has_jokers = rules.layout.repeat is not None and rules.layout.repeat.joker != "off"
    return _values(rules.boxes[box], has_jokers)


def greatest(rules: Rules, box: str) -> int:
    """The most points that the box with this key can take under these house rules."""
    return possible_values(rules, box)[-1]


@lru_cache(maxsize=256)
def ceiling(rules: Rules) -> int:
    """The greatest total: each box with the best hand for it, those first that others depend on."""
    state = EMPTY_SHEET
    for key in (key for column in rules.columns for key in _best_order(column)):
        throws = ((hand, rolls_used) for hand in _best_hands(rules.boxes[key]) for rolls_used in (1, 2))
        offers = (legal(rules, state, hand, rolls_used) for hand, rolls_used in throws)
        state = write(state, rules, key, max((writes[key] for writes in offers if key in writes), key=sum))
    return total(rules, state)


@lru_cache(maxsize=1024)
def _values(box: Box, has_jokers: bool) -> tuple[int, ...]:
    values = {box_points(box, hand, is_served) for hand in HANDS for is_served in (False, True)}
    if has_jokers and box.group == "lower":
        values |= {amount(box.scorer, hand) for hand in _FIVE_ALIKE}
    return tuple(sorted(values | {0}))


@lru_cache(maxsize=1024)
def _best_hands(box: Box) -> list[Hand]:
    """The hands one of which pays most, bonus included: each five alike, and of the others the one with most points."""
    others = [hand for hand in HANDS if hand not in _FIVE_ALIKE]
    return [*_FIVE_ALIKE, max(others, key=lambda hand: max(box_points(box, hand, True), box_points(box, hand, False)))]


def _best_order(column: KeyedColumn) -> list[str]:
    """The keys of a column in the order that earns most: its own; where any is allowed, boxes that others depend on first."""
    if column.order == "any":
        first = {column.repeat, *(needed for _, needed in column.needs)}
        return sorted(column.keys, key=lambda key: key not in first)
    return list(column.keys if column.order == "down" else reversed(column.keys))
