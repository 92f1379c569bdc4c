"""Random play of whole matches over every sheet, preset and house rule, through ``decide`` and ``evolve`` alone.

Every match is legal throughout, ends in the right number of turns, keeps its totals within what the sheet can give, folds to
the same state from its written log, and passes the outside verifier.
"""

import random

import pytest

from server.errors import Refused
from server.match.commands import Leave
from server.match.decide import decide
from server.match.ending import scheduled_turns
from server.match.play import choices
from server.rules import resolve
from server.rules.model import Pick
from server.rules.sheets import SHEETS
from tests.unit.match.kit import PEOPLE, playing
from tests.unit.match.watch import Watch

MATCHES = 33
MANY_MATCHES = 60
PRESETS = [(sheet.id, preset.id) for sheet in SHEETS for preset in sheet.presets]


def house_rules(sheet, chance):
    """Any choice of each house rule; an amount is left alone half of the time."""
    options = {}
    for rule in sheet.house_rules:
        group, _, name = rule.key.rpartition(".")
        if isinstance(rule, Pick):
            options[name] = chance.choice(rule.choices).value
        elif chance.random() < 0.5:
            options.setdefault(group, {})[name] = chance.randint(rule.low, rule.high)
    return options


def play(chance, **form):
    """A whole match of people, bots, or both; two seats where a sheet is long."""
    is_long = resolve(form["sheet"]).rounds > 15
    seats = 2 if is_long else chance.choice([2, 2, 2, 3, 4])
    people = chance.randint(1, seats)
    game = playing(people, seats - people, clock=chance.choice([0, 15, 45]), **form)
    watch = Watch(game)
    while game.table.phase == "playing":
        take_turn(game, chance)
        if game.match.n % 5 == 0:
            watch.look()
    watch.look()
    assert_ended_in_time(game, watch)
    watch.verify()
    return game


def take_turn(game, chance):
    """A turn of whoever is on turn: mostly by hand, sometimes left to the clock."""
    if game.on_turn is None:
        game.wait(0)
    elif game.turn.deadline is not None and chance.random() < 0.05:
        game.until(game.turn.deadline + 200)
    else:
        by_hand(game, chance)


def by_hand(game, chance):
    for _ in range(chance.choice([1, 1, 2, 3])):
        held = [position for position in range(5) if game.turn.roll and chance.random() < 0.5]
        game.roll(tuple(held[:4]))
        if game.table.phase != "playing":
            return
    boxes = list(choices(game.table, game.match))
    assert_only_legal(game, chance, boxes)
    game.score(chance.choice(boxes))


def assert_only_legal(game, chance, boxes):
    """What is offered would be taken, and what is not is refused."""
    for box in chance.sample(game.table.rules.box_keys, 2):
        if box in boxes:
            assert decide(game.table, game.on_turn, game.writing(box), game.moment())
        else:
            with pytest.raises(Refused):
                decide(game.table, game.on_turn, game.writing(box), game.moment())


def assert_ended_in_time(game, watch):
    finished = game.match.finished
    turns = scheduled_turns(game.table, game.match)
    last = max(watch.rolls)
    if finished.reason == "served_generala":
        assert last <= turns
        assert last not in watch.ended
    else:
        assert finished.reason in ("full", "void")
        assert turns <= last <= (game.match.sealed.turns if game.table.rules.has_roll_off else turns)
        assert watch.ended == set(range(1, last + 1))


@pytest.mark.parametrize(("sheet", "preset"), PRESETS)
def test_matches_under_every_preset_are_legal_and_end(sheet, preset):
    chance = random.Random(random.random())
    for _ in range(MATCHES // 3):
        play(chance, sheet=sheet, preset=preset)


@pytest.mark.parametrize("sheet", SHEETS, ids=lambda sheet: sheet.id)
def test_matches_under_any_house_rules_are_legal_and_end(sheet):
    chance = random.Random(random.random())
    for _ in range(MATCHES):
        play(chance, sheet=sheet.id, options=house_rules(sheet, chance))


def cross_off(game):
    """A turn that ends with nothing written, if three rolls allow."""
    for _ in range(3):
        game.roll()
        boxes = choices(game.table, game.match)
        worst = min(boxes, key=lambda box: boxes[box].points)
        if not boxes[worst].points:
            break
    game.score(worst)


@pytest.mark.parametrize("people", [2, 3, 4])
def test_matches_that_end_level_are_rolled_off_until_they_are_not(people):
    chance = random.Random(random.random())
    rounds = 0
    for _ in range(4):
        game = playing(people, options={"tie": "roll_off"})
        watch = Watch(game)
        while game.table.phase == "playing" and game.turn.number <= scheduled_turns(game.table, game.match):
            cross_off(game)
        while game.table.phase == "playing":
            if chance.random() < 0.1:
                game.code(chance.choice(PEOPLE[:people]), Leave())
            else:
                take_turn(game, chance)
            watch.look()
        rounds += max(map(len, game.match.roll_offs.values()), default=0)
        watch.look()
        watch.verify()
    assert rounds > 0


@pytest.mark.long
@pytest.mark.parametrize("part", range(4))
@pytest.mark.parametrize("sheet", SHEETS, ids=lambda sheet: sheet.id)
def test_many_matches_under_any_house_rules_are_legal_and_end(sheet, part):  # noqa: ARG001
    chance = random.Random(random.random())
    for _ in range(MANY_MATCHES):
        play(chance, sheet=sheet.id, options=house_rules(sheet, chance))
