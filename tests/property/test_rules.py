"""What holds on every sheet, under every house rule, in every state that play can reach."""

from hypothesis import given
from hypothesis import strategies as st

from server.rules import EMPTY_SHEET, best_write, ceiling, greatest, is_full, legal, possible_values, resolve, total, write
from server.rules.model import Pick
from server.rules.scorers import HANDS
from server.rules.sheets import SHEETS

MOST_TURNS = 39


def move(throw, how, pick):
    """Three bytes as a turn: every other throw is a random hand, the rest are five alike, which most rules are about."""
    dice = HANDS[throw] if how % 2 and throw < len(HANDS) else (1 + throw % 6,) * 5
    return dice, 1 + how // 2 % 3, pick


def moves_of(data):
    return [move(*data[start : start + 3]) for start in range(0, len(data) - 2, 3)]


throws = st.sampled_from(HANDS)
games = st.binary(min_size=3, max_size=3 * MOST_TURNS).map(moves_of)
whole_games = st.binary(min_size=3 * MOST_TURNS, max_size=3 * MOST_TURNS).map(moves_of)


@st.composite
def any_rules(draw):
    sheet = draw(st.sampled_from(SHEETS))
    options = {}
    for rule in sheet.house_rules:
        group, _, name = rule.key.rpartition(".")
        if isinstance(rule, Pick):
            options[name] = draw(st.sampled_from(rule.choices)).value
        elif draw(st.booleans()):
            options.setdefault(group, {})[name] = draw(st.integers(rule.low, rule.high))
    return resolve(sheet.id, None, options)


def played(rules, moves):
    """Every turn of a seat that plays these moves: its paper before, the dice, the rolls, what was legal, what was written."""
    state = EMPTY_SHEET
    for dice, rolls_used, pick in moves[: rules.rounds]:
        writes = legal(rules, state, dice, rolls_used)
        key = list(writes)[pick % len(writes)]
        yield state, dice, rolls_used, writes, key
        state = write(state, rules, key, writes[key])


@given(any_rules(), games, st.permutations(range(5)))
def test_the_order_of_the_dice_never_matters(rules, moves, order):
    for state, dice, rolls_used, writes, _ in played(rules, moves):
        assert legal(rules, state, [dice[position] for position in order], rolls_used) == writes


@given(any_rules(), games)
def test_points_are_possible_values_of_their_box_and_no_bonus_is_negative(rules, moves):
    for _, _, _, writes, _ in played(rules, moves):
        for key, (points, bonus) in writes.items():
            assert points in possible_values(rules, key)
            assert 0 <= points <= greatest(rules, key)
            assert bonus >= 0


@given(any_rules(), games)
def test_legal_boxes_are_open_and_stand_in_sheet_order(rules, moves):
    for state, _, _, writes, _ in played(rules, moves):
        assert not state.boxes.keys() & writes.keys()
        assert list(writes) == [key for key in rules.box_keys if key in writes]


@given(any_rules(), games)
def test_an_ordered_column_offers_one_box_until_it_is_full(rules, moves):
    for state, _, _, writes, _ in played(rules, moves):
        for column in rules.columns:
            offered = [key for key in column.keys if key in writes]
            unfilled = [key for key in column.keys if key not in state.boxes]
            if column.order != "any":
                assert offered == (unfilled[:1] if column.order == "down" else unfilled[-1:])
            elif unfilled:
                assert offered


@given(any_rules(), whole_games, throws)
def test_a_full_paper_has_no_legal_box_and_its_total_is_within_the_ceiling(rules, moves, dice):
    expected = 0
    for state, _, _, writes, key in played(rules, moves):
        assert not is_full(rules, state)
        expected += rules.column_of[key].factor * sum(writes[key])
        last = write(state, rules, key, writes[key])
    assert is_full(rules, last)
    assert legal(rules, last, dice, 1) == legal(rules, last, dice, 3) == {}
    assert total(rules, last) == expected
    assert 0 <= expected <= ceiling(rules)


@given(any_rules(), games)
def test_no_legal_box_has_more_points_than_the_automatic_write(rules, moves):
    for state, dice, rolls_used, writes, _ in played(rules, moves):
        chosen = best_write(rules, state, dice, rolls_used)
        worth = {key: rules.column_of[key].factor * sum(paid) for key, paid in writes.items()}
        assert worth[chosen] == max(worth.values())


@given(any_rules(), games)
def test_only_the_first_roll_can_make_a_difference(rules, moves):
    for state, dice, _, _, _ in played(rules, moves):
        assert legal(rules, state, dice, 2) == legal(rules, state, dice, 3)


@given(any_rules())
def test_resolved_options_resolve_to_the_same_rules(rules):
    assert resolve(rules.sheet, rules.preset, rules.options) is rules
    assert resolve(rules.sheet, None, rules.options).layout == rules.layout
