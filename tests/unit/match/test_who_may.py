"""Who may do what, and when: every command in every phase by everyone (protocol.md, Client → server; H099, H103, H068)."""

import copy
import functools
from collections.abc import Sequence

import pytest

from server.match.commands import (
    AddBot,
    ChangeSettings,
    Close,
    ComeBack,
    Commit,
    Leave,
    Nudge,
    Rematch,
    Reveal,
    Roll,
    Score,
    Seen,
    Sit,
    Stand,
    Start,
    Unseat,
)
from tests.unit.match.kit import ANA, BEN, CARLA, DANI, ZED, Game

PERSONS = {"nobody": None, "watcher": ZED, "creator": DANI, "off turn": BEN, "on turn": ANA, "resigned": CARLA}
"""``nobody`` has no session; the creator watches; the last three sit."""
OK = None


def table(phase):
    """A table of its own for every test, in this phase."""
    game = copy.copy(prepared(phase))
    game.entries = list(game.entries)
    return game


@functools.cache
def prepared(phase):
    """Ana, Ben and Carla sit, Dani made the table; Ana is on turn and has rolled, Carla has resigned."""
    game = Game(DANI, seats=4)
    for player in (ANA, BEN, CARLA):
        game.connect(player)
        game.do(player, Sit())
    if phase == "waiting":
        return game
    if phase == "sealing":
        game.do(DANI, Start())
        return game
    game.seal()
    game.leave(CARLA)
    game.force_roll("22255")
    if phase == "finished":
        game.leave(BEN)
    assert game.table.phase == phase
    return game


def command(name, game):
    expect = game.match.n if game.table.phase == "playing" else 0
    match name:
        case "commit":
            return game.commitment(1) if game.table.match else Commit(commitment="00" * 32)
        case "reveal":
            return Reveal(entropy="00" * 32)
        case "roll":
            return Roll(held=(0,), expect=expect)
        case "score":
            return Score(box="full", expect=expect)
        case "seen":
            return Seen(turn=9, key="00" * 32)
        case "add_bot":
            return AddBot(level="easy")
        case "unseat":
            return Unseat(seat=0)
        case "settings":
            return ChangeSettings(clock=30)
    plain = {"sit": Sit, "stand": Stand, "close": Close, "start": Start, "back": ComeBack, "leave": Leave}
    return (plain | {"nudge": Nudge, "rematch": Rematch})[name]()


CREATORS = ("add_bot", "unseat", "settings", "close", "start")
SEATED = ("commit", "reveal", "roll", "score", "back", "nudge", "seen")
NO_CREATOR, NO_SEAT, NO_PHASE, NO_TURN = "not_creator", "not_seated", "wrong_phase", "not_your_turn"

EXPECTED: dict[str, dict[str, Sequence[str | None]]] = {
    "waiting": {
        "sit": (NO_SEAT, OK, OK, OK, OK, OK),
        **dict.fromkeys(("stand", "leave"), (NO_SEAT, NO_SEAT, NO_SEAT, OK, OK, OK)),
        **dict.fromkeys(CREATORS, (NO_CREATOR, NO_CREATOR, OK, NO_CREATOR, NO_CREATOR, NO_CREATOR)),
        **dict.fromkeys(SEATED, (NO_SEAT, NO_SEAT, NO_SEAT, NO_PHASE, NO_PHASE, NO_PHASE)),
        "rematch": (NO_SEAT, NO_PHASE, NO_PHASE, NO_PHASE, NO_PHASE, NO_PHASE),
    },
    "sealing": {
        "sit": (NO_SEAT, NO_PHASE, NO_PHASE, NO_PHASE, NO_PHASE, NO_PHASE),
        **dict.fromkeys(("stand", "leave"), (NO_SEAT, NO_SEAT, NO_SEAT, OK, OK, OK)),
        **dict.fromkeys(CREATORS, (NO_CREATOR, NO_CREATOR, NO_PHASE, NO_CREATOR, NO_CREATOR, NO_CREATOR)),
        **dict.fromkeys(SEATED, (NO_SEAT, NO_SEAT, NO_SEAT, NO_PHASE, NO_PHASE, NO_PHASE)),
        "commit": (NO_SEAT, NO_SEAT, NO_SEAT, OK, OK, OK),
        "rematch": (NO_SEAT, NO_PHASE, NO_PHASE, NO_PHASE, NO_PHASE, NO_PHASE),
    },
    "playing": {
        **dict.fromkeys(("sit", "stand"), (NO_SEAT, NO_PHASE, NO_PHASE, NO_PHASE, NO_PHASE, NO_PHASE)),
        **dict.fromkeys(CREATORS, (NO_CREATOR, NO_CREATOR, NO_PHASE, NO_CREATOR, NO_CREATOR, NO_CREATOR)),
        **dict.fromkeys(("commit", "reveal"), (NO_SEAT, NO_SEAT, NO_SEAT, NO_PHASE, NO_PHASE, NO_PHASE)),
        **dict.fromkeys(("roll", "score"), (NO_SEAT, NO_SEAT, NO_SEAT, NO_TURN, OK, NO_TURN)),
        **dict.fromkeys(("back", "nudge"), (NO_SEAT, NO_SEAT, NO_SEAT, NO_PHASE, NO_PHASE, NO_TURN)),
        "seen": (NO_SEAT, NO_SEAT, NO_SEAT, "bad_reveal", "bad_reveal", NO_TURN),
        "leave": (NO_SEAT, NO_SEAT, NO_SEAT, OK, OK, NO_TURN),
        "rematch": (NO_SEAT, NO_PHASE, NO_PHASE, NO_PHASE, NO_PHASE, NO_PHASE),
    },
    "finished": {
        **dict.fromkeys(("sit", "stand"), (NO_SEAT, NO_PHASE, NO_PHASE, NO_PHASE, NO_PHASE, NO_PHASE)),
        **dict.fromkeys(CREATORS, (NO_CREATOR, NO_CREATOR, NO_PHASE, NO_CREATOR, NO_CREATOR, NO_CREATOR)),
        **dict.fromkeys(SEATED, (NO_SEAT, NO_SEAT, NO_SEAT, NO_PHASE, NO_PHASE, NO_PHASE)),
        **dict.fromkeys(("leave", "rematch"), (NO_SEAT, NO_SEAT, NO_SEAT, OK, OK, OK)),
    },
}
CASES = [
    pytest.param(phase, name, dict(zip(PERSONS, codes, strict=True)), id=f"{phase}, {name}")
    for phase, rows in EXPECTED.items()
    for name, codes in rows.items()
]


@pytest.mark.parametrize(("phase", "name", "codes"), CASES)
def test_a_command_is_taken_or_refused_with_the_code_that_fits(phase, name, codes):
    def code(player):
        game = table(phase)
        return game.code(player, command(name, game))

    assert {person: code(player) for person, player in PERSONS.items()} == codes


def test_every_command_is_in_the_table():
    assert all(len(rows) == 16 for rows in EXPECTED.values())


def test_seat_and_phase_are_checked_before_what_was_seen_and_that_before_the_turn():
    """Protocol.md, order of checks."""
    game = table("playing")
    assert game.code(ZED, Roll(held=(), expect=-1)) == NO_SEAT
    assert game.code(CARLA, Roll(held=(), expect=-1)) == NO_TURN
    assert game.code(BEN, Roll(held=(9,), expect=-1)) == "stale"
    assert game.code(BEN, Roll(held=(9,), expect=game.match.n)) == NO_TURN
    assert game.code(ANA, Roll(held=(9,), expect=-1)) == "stale"
    assert game.code(ANA, Roll(held=(9,), expect=game.match.n)) == "bad_held"
    ended = table("finished")
    assert ended.code(ANA, Roll(held=(9,), expect=-1)) == NO_PHASE


def test_a_seat_of_a_bot_is_nobodys_to_play():
    """H103."""
    game = Game(DANI, seats=2, bots=["easy"])
    game.do(ANA, Sit())
    game.seal(order=(1, 0))
    assert game.code(ANA, Roll(held=(), expect=game.match.n)) == NO_TURN
