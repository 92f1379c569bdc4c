"""What is written for a seat that does not write itself (rules.md, "What time-out writes")."""

from collections.abc import Sequence

from server.rules.bounds import greatest
from server.rules.model import Rules, SheetState
from server.rules.scoring import legal


def best_write(rules: Rules, state: SheetState, dice: Sequence[int], rolls_used: int) -> str:
    """The key of the legal box with the most points now, this write's bonus and the column's factor included.

    Level: the one whose greatest value, times its factor, is smaller; level still: the first in sheet order. A full paper has
    no such box: ``ValueError``.
    """
    writes = legal(rules, state, dice, rolls_used)

    def loss(key: str) -> tuple[int, int]:
        factor = rules.column_of[key].factor
        return -factor * sum(writes[key]), factor * greatest(rules, key)

    return min(writes, key=loss)
