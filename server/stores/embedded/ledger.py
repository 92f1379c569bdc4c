"""Where the log of each live table ends, in memory: the writer's own copy, changed only by what has been committed."""

from msgspec import Struct

from server.match.events import Code


class Tip(Struct, frozen=True, gc=False):
    """The end of a live table's log: its last row, how many entries it has, and when the table wakes."""

    table_id: int
    last: int
    length: int
    wake_at_ms: int | None


class Ledger(Struct):
    """The tips of all live tables, and the ids that are next.

    ``unnoted`` are the tables whose tip has changed since tips were last noted in the database, ``unnoted_rows`` the rows that
    were written since.
    """

    tips: dict[Code, Tip]
    next_table: int
    next_row: int
    unnoted: set[Code]
    unnoted_rows: int = 0
