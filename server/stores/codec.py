"""How entries are written in a store: MessagePack, a list of entries for each append. Every store writes and reads them here.

An entry written by a newer program is refused, never guessed at, also where its event would still be readable.
"""

from collections.abc import Sequence

import msgspec
from msgspec import Struct

from server.match.events import ENTRY_VERSION, Entry
from server.tables.ports import StoreUnavailable


class _Version(Struct):
    version: int


_encoder = msgspec.msgpack.Encoder()
_entries = msgspec.msgpack.Decoder(list[Entry])
_versions = msgspec.msgpack.Decoder(list[_Version])


def encode(entries: Sequence[Entry]) -> bytes:
    """The entries of one append as bytes. Raises ``TypeError`` or ``OverflowError`` for a value no log can hold."""
    return _encoder.encode(entries)


def decode(blob: bytes) -> list[Entry]:
    """The entries of one append. Raises ``StoreUnavailable`` if a newer program wrote one of them, or the bytes are damaged."""
    try:
        entries = _entries.decode(blob)
    except msgspec.MsgspecError as error:
        raise _unreadable(blob) from error
    if any(entry.version > ENTRY_VERSION for entry in entries):
        raise _newer()
    return entries


def _unreadable(blob: bytes) -> StoreUnavailable:
    try:
        versions = _versions.decode(blob)
    except msgspec.MsgspecError:
        versions = []
    if any(entry.version > ENTRY_VERSION for entry in versions):
        return _newer()
    return StoreUnavailable("This log has an entry that cannot be read; the store is damaged.")


def _newer() -> StoreUnavailable:
    return StoreUnavailable("This log has an entry of a newer program; update this one.")
