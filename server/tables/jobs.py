"""What can be asked of a live table, in the order in which it came."""

from typing import NamedTuple

from server.match.commands import BotMove, Command
from server.match.events import Code, PlayerId
from server.tables.room import Viewer


class PlayerJob(NamedTuple):
    """A command of a player, stamped when it arrived; the answer goes to ``viewer``."""

    viewer: Viewer
    player: PlayerId | None
    command: Command
    stamp_ms: int


class BotJob(NamedTuple):
    """A bot's move, decided off the loop; ``otherwise`` is what it does if the rules refuse that."""

    move: BotMove
    otherwise: BotMove


class WakeJob(NamedTuple):
    """Something may be due."""


class MovedJob(NamedTuple):
    """The next table exists."""

    code: Code


Job = PlayerJob | BotJob | WakeJob | MovedJob
