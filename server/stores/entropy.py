"""Unguessable values, each drawn from the operating system: nothing is seeded, kept or shared, so a fork repeats nothing."""

import secrets

from server.match.codes import CODE_LENGTH, CODE_LETTERS
from server.match.events import Code, MatchId


class SystemEntropy:
    """``Entropy`` by ``secrets``, which reads the system's generator."""

    def match_id(self) -> MatchId:
        """16 bytes as 32 hex characters."""
        return MatchId(secrets.token_hex(16))

    def root(self) -> bytes:
        """32 bytes."""
        return secrets.token_bytes(32)

    def code(self) -> Code:
        """6 of 30 characters: 729 million codes."""
        return Code("".join(secrets.choice(CODE_LETTERS) for _ in range(CODE_LENGTH)))

    def nonce(self) -> str:
        """8 bytes as 16 hex characters."""
        return secrets.token_hex(8)
