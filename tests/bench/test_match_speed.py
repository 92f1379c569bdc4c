"""How many turns a second the pure core decides and folds, on one core.

A turn is three rolls with two dice held and a write; four people, Generala. What counts is CPU time of ``decide`` and of
``evolve`` on what it returned, as a worker calls them; commands and times are made outside. The median of several matches.
"""

import statistics
import time

import pytest
from msgspec.structs import replace

from server.match.commands import Roll, Score
from server.match.decide import decide
from server.match.evolve import evolve
from server.match.moment import Moment
from tests.unit.match.kit import POLICY, playing

MATCHES = 15
TARGET = 10_000
REF = "0123456789abcdef"
SLOW = 3_000
"""Less than this is no busy machine but a mistake."""


@pytest.mark.bench
def test_turns_a_second_of_decide_and_evolve():
    speeds = sorted(turns_a_second() for _ in range(MATCHES))
    median = statistics.median(speeds)
    print(f"\ndecide + evolve: {median:,.0f} turns a second ({speeds[0]:,.0f} to {speeds[-1]:,.0f}), target {TARGET:,}")
    assert median > SLOW


def turns_a_second():
    """One whole match."""
    game = playing(4)
    table = game.table
    players = {seat: held.player for seat, held in game.match.seats.items()}
    boxes = table.rules.box_keys
    rolls = [Roll(id=REF, held=held, expect=0) for held in ((), (0, 3), (1, 2))]
    turns = [(players[seat], [*rolls, Score(id=REF, box=box, expect=0)]) for box in boxes for seat in game.match.order]
    moves = [(player, move) for player, turn in turns for move in turn]
    n = game.match.n
    commands = [(player, replace(move, expect=n + i)) for i, (player, move) in enumerate(moves)]
    moment = Moment(game.now, game.world, POLICY, game.keys)
    begin = time.process_time()
    for player, command in commands:
        for event in decide(table, player, command, moment):
            table = evolve(table, event)
    spent = time.process_time() - begin
    assert table.phase == "finished"
    return len(turns) / spent
