"""The vectors of sealed dice (dice.json) played through the whole core: anchor, seal, order, keys, faces."""

import json
from collections import Counter
from pathlib import Path

import pytest

from server.match.commands import AddBot, BotMove, Roll, Score, Sit, Start
from server.match.events import Committed, MatchId, Opened, PlayerId, Rolled, Scored, Sealed
from server.match.moment import Fresh
from server.match.play import bot_move
from server.rules import best_write
from tests.unit.match.kit import NEXT_CODE, Game

VECTORS = json.loads((Path(__file__).parent / "dice.json").read_text())
SHEETS = {
    10: {"sheet": "generala", "preset": "diez"},
    11: {"sheet": "generala"},
    12: {"sheet": "yacht"},
    13: {"sheet": "yahtzee"},
    15: {"sheet": "yatzy"},
}
"""A sheet for a number of boxes. Which one it is has no part in the dice."""


def sealed(vector):
    """A table with the vector's seats, match and root; people sit where it has contributions."""
    seats = vector["seats"]
    game = Game(seats=len(seats), **SHEETS[vector["turns"] // len(seats)])
    game.fresh = Fresh(MatchId(vector["match"]), bytes.fromhex(vector["root"]), NEXT_CODE)
    for seat in seats:
        if str(seat) in vector["contributions"]:
            game.do(PlayerId(f"p{seat}"), Sit(seat=seat))
        else:
            game.do(game.table.creator, AddBot(level="medium"))
    game.do(game.table.creator, Start())
    game.shares = {int(seat): bytes.fromhex(value) for seat, value in vector["contributions"].items()}
    for step in (game.commitment, game.contribution):
        for seat in game.match.humans:
            game.do(PlayerId(f"p{seat}"), step(seat))
    return game


def play(game, rolls):
    """One turn of whoever is on turn: so many rolls, nothing held, and a write."""
    for _ in range(rolls):
        move(game)
    turn = game.turn
    box = best_write(game.table.rules, game.match.sheets[turn.seat], turn.dice, turn.roll)
    move(game, box)


def move(game, box=None):
    match, player = game.match, game.on_turn
    if player is None:
        wish = BotMove(seat=game.turn.seat, expect=match.last_play_n, box=box)
        game.append(bot_move(game.table, wish, game.chain, game.now))
    else:
        game.do(player, Roll(held=(), expect=match.n) if box is None else Score(box=box, expect=match.n))


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector["match"][:8])
def test_a_match_with_a_vectors_secrets_has_its_anchor_order_keys_and_faces(vector):
    """H055."""
    game = sealed(vector)
    assert (game.all(Sealed)[0].anchor, game.all(Sealed)[0].turns) == (vector["anchor"], vector["turns"])
    assert game.all(Committed)[0].commitments == vector["commitments"]
    opened = game.all(Opened)[0]
    assert (opened.contributions, opened.entropy) == (vector["contributions"], vector["entropy"])
    assert list(opened.order) == vector["order"]
    rolls_of = Counter(turn for turn, _, _ in vector["rolls"])
    while game.table.phase == "playing":
        play(game, max(1, rolls_of[game.turn.number]))
    thrown = {(event.turn, event.roll): "".join(map(str, event.dice)) for event in game.all(Rolled)}
    for turn, roll, faces in vector["rolls"]:
        assert thrown[turn, roll] == faces
    keys = {str(event.turn): event.key for event in game.all(Scored)}
    assert {turn: keys[turn] for turn in vector["keys"]} == vector["keys"]
    assert len(keys) == vector["turns"]
