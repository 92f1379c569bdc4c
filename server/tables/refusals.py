"""Telling senders that nothing came of a command, or that nobody knows yet."""

from collections.abc import Sequence
from typing import NamedTuple

from msgspec import UNSET

from server.errors import Refused
from server.match.events import Entry
from server.protocol.outgoing import Error, encode, with_ref
from server.tables.jobs import PlayerJob
from server.tables.stage import Answer

UNAVAILABLE = Refused("unavailable", "The store did not answer in time; send the same again.")


class Unsure(NamedTuple):
    """A command whose append got no answer; its entries, if they went in, have the nonce."""

    nonce: str
    job: PlayerJob

    @property
    def answer(self) -> Answer:
        """Whom to answer, and by which id."""
        return Answer(self.job.viewer, self.job.command.id)

    def is_in(self, entries: Sequence[Entry]) -> bool:
        """Whether its entries are among these."""
        return any(entry.nonce == self.nonce for entry in entries)


def refusal(refused: Refused) -> Error:
    """The message that a refused sender gets."""
    return Error(code=refused.code, message=refused.message, field=refused.field or UNSET)


def refuse(job: PlayerJob, refused: Refused) -> None:
    """Tell the sender of a command why it changed nothing."""
    job.viewer.send(with_ref(encode(refusal(refused)), job.command.id))
