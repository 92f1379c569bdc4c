"""An ``Entropy`` that draws the same for the same seed, so that a match can be played again."""

import itertools
import random

from server.match.codes import CODE_LENGTH, CODE_LETTERS
from server.match.events import Code, MatchId


class SeededEntropy:
    """Values of the right form; nonces are counted."""

    def __init__(self, seed: int | str = 0) -> None:
        self._random = random.Random(seed)
        self._count = itertools.count()

    def match_id(self) -> MatchId:
        return MatchId(self._random.randbytes(16).hex())

    def root(self) -> bytes:
        return self._random.randbytes(32)

    def code(self) -> Code:
        return Code("".join(self._random.choices(CODE_LETTERS, k=CODE_LENGTH)))

    def nonce(self) -> str:
        return f"{next(self._count):016x}"
