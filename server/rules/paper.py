"""What a seat has written: writing on, and adding up."""

from server.rules.model import Rules, SheetState, Write


def write(state: SheetState, rules: Rules, box: str, paid: Write) -> SheetState:
    """The paper with one box more. Whether the box is open and the write legal is the caller's to know."""
    boxes = {**state.boxes, box: paid.points}
    if not paid.bonus:
        return SheetState(boxes, state.bonus)
    column = rules.column_of[box].id
    return SheetState(boxes, {**state.bonus, column: state.bonus.get(column, 0) + paid.bonus})


def total(rules: Rules, state: SheetState) -> int:
    """The total: the points of all boxes and all bonuses, each column times its factor."""
    if not rules.has_factors:
        return sum(state.boxes.values()) + sum(state.bonus.values())
    points = sum(rules.column_of[key].factor * points for key, points in state.boxes.items())
    return points + bonus_total(rules, state)


def bonus_total(rules: Rules, state: SheetState) -> int:
    """What the total has beside the boxes: the bonuses, each times its column's factor."""
    return sum(column.factor * state.bonus.get(column.id, 0) for column in rules.columns)


def is_full(rules: Rules, state: SheetState) -> bool:
    """Whether every box is filled."""
    return len(state.boxes) == rules.rounds
