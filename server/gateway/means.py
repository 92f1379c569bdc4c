"""What the routes and sockets share; built by the composition root."""

from dataclasses import dataclass

from server.accounts.guests import Guests
from server.accounts.sessions import Sessions
from server.accounts.tickets import Tickets
from server.gateway.address import Addresses
from server.gateway.files import Pages
from server.gateway.limits import Limits, Windows
from server.gateway.origin import Origins
from server.tables.ports import Clock, Directory, TableLog
from server.tables.service import Tables


@dataclass(frozen=True, slots=True)
class Gate:
    """The services behind the gateway, and the rules at its door."""

    tables: Tables
    log: TableLog
    clock: Clock
    guests: Guests
    directory: Directory
    sessions: Sessions
    tickets: Tickets
    limits: Limits
    addresses: Addresses
    origins: Origins
    phrases: Windows
    hints: Windows
    sheets: bytes
    pages: Pages
