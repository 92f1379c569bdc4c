"""The rules of every sheet, as data, and the one function that reads them.

A sheet is data (``sheets``, in the words of ``model``). ``resolve`` decides its house rules and gives the one immutable
``Rules`` that a match carries; ``legal`` says which boxes may be written with these dice, and for how much; everybody asks it.
Pure: no seats, no turns, no time, no chance.
"""

from server.rules.automatic import best_write
from server.rules.bounds import ceiling, greatest, possible_values
from server.rules.catalogue import catalogue
from server.rules.model import EMPTY_SHEET, Rules, SheetState, Write
from server.rules.paper import bonus_total, is_full, total, write
from server.rules.resolve import fingerprint, resolve
from server.rules.scoring import legal, wins_at_once

__all__ = [
    "EMPTY_SHEET",
    "Rules",
    "SheetState",
    "Write",
    "best_write",
    "bonus_total",
    "catalogue",
    "ceiling",
    "fingerprint",
    "greatest",
    "is_full",
    "legal",
    "possible_values",
    "resolve",
    "total",
    "wins_at_once",
    "write",
]
