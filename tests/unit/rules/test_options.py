"""House rules: defaults, overrides, presets, and every way to name them wrongly."""

import pytest

from server.errors import Refused
from server.rules import resolve
from tests.unit.rules.kit import pays

GENERALA_DEFAULTS = {
    "ace_high_straight": False,
    "doble": "on",
    "doble_needs_generala": True,
    "points": {
        "doble": 100,
        "escalera": 20,
        "full": 30,
        "generala": 50,
        "poker": 40,
        "served_escalera": 25,
        "served_full": 35,
        "served_poker": 45,
    },
    "served_generala": "plain",
    "tie": "share",
}


def test_generala_options_have_all_their_keys_in_the_transcripts_order():
    options = resolve("generala").options
    assert options == GENERALA_DEFAULTS
    assert list(options) == sorted(options)
    assert list(options["points"]) == sorted(options["points"])


@pytest.mark.parametrize("sheet", ["yahtzee", "yahtzee3", "triple"])
def test_the_yahtzee_family_has_three_house_rules(sheet):
    assert resolve(sheet).options == {"extra_yahtzee": 100, "joker": "forced", "tie": "share"}


@pytest.mark.parametrize("sheet", ["yatzy", "yacht"])
def test_yatzy_and_yacht_have_only_the_house_rule_for_ties(sheet):
    assert resolve(sheet).options == {"tie": "share"}


@pytest.mark.parametrize(
    ("sheet", "preset", "changed"),
    [
        ("generala", "standard", {}),
        ("generala", "rio", {"served_generala": "wins"}),
        ("generala", "diez", {"doble": "off", "served_generala": "wins"}),
        ("yahtzee", "standard", {}),
        ("yahtzee", "kniffel", {}),
        ("yahtzee", "europe", {"extra_yahtzee": 0, "joker": "off"}),
    ],
)
def test_a_preset_is_the_defaults_but_for_what_it_names(sheet, preset, changed):
    rules = resolve(sheet, preset)
    assert rules.preset == preset
    assert rules.options == {**resolve(sheet).options, **changed}


@pytest.mark.parametrize(
    ("sheet", "preset", "options", "name"),
    [
        ("generala", None, None, "standard"),
        ("generala", None, {"served_generala": "wins"}, "rio"),
        ("generala", "rio", {"doble": "off"}, "diez"),
        ("generala", "rio", {"served_generala": "plain"}, "standard"),
        ("generala", None, {"points": {"full": 30}}, "standard"),
        ("generala", None, {"points": {"full": 31}}, "custom"),
        ("generala", "custom", {}, "standard"),
        ("generala", "custom", {"tie": "roll_off"}, "custom"),
        ("generala", "standard", {"doble": "off"}, "custom"),
        ("yahtzee", "kniffel", {"joker": "forced"}, "kniffel"),
        ("yahtzee", "kniffel", {"joker": "free"}, "custom"),
        ("yahtzee", "custom", {"extra_yahtzee": 0, "joker": "off"}, "europe"),
    ],
)
def test_the_preset_is_the_one_that_has_these_options(sheet, preset, options, name):
    assert resolve(sheet, preset, options).preset == name


def test_options_go_before_the_presets():
    options = resolve("generala", "diez", {"doble": "on", "points": {"poker": 41}}).options
    assert (options["doble"], options["served_generala"], options["points"]["poker"]) == ("on", "wins", 41)


@pytest.mark.parametrize("preset", [None, "standard", "rio", "diez", "custom"])
def test_resolved_options_resolve_to_the_same_rules(preset):
    rules = resolve("generala", preset, {"points": {"poker": 500}, "tie": "roll_off"})
    assert resolve("generala", rules.preset, rules.options) is rules


def test_the_same_input_gives_the_same_object():
    assert resolve("yatzy") is resolve("yatzy", "standard", {"tie": "share"})


def test_a_served_value_that_is_not_given_follows_its_box():
    points = resolve("generala", None, {"points": {"full": 33, "escalera": 500, "served_poker": 0}}).options["points"]
    assert (points["served_full"], points["served_escalera"], points["served_poker"]) == (38, 505, 0)
    assert pays("generala", "full", "22555", roll=1, options={"points": {"full": 33}}) == 38
    assert pays("generala", "escalera", "12345", roll=1, options={"points": {"served_escalera": 30}}) == 30


@pytest.mark.parametrize(
    ("served", "points", "paid"),
    [("plain", 60, 60), ("plus5", 60, 65), ("points60", 70, 60), ("points100", 70, 100), ("wins", 60, 60), ("plus5", 50, 55)],
)
def test_a_served_generala_follows_its_box_or_replaces_it(served, points, paid):
    options = {"served_generala": served, "points": {"generala": points}}
    assert pays("generala", "generala", "33333", roll=1, options=options) == paid
    assert pays("generala", "generala", "33333", roll=2, options=options) == points


def test_without_doble_there_are_ten_boxes():
    rules = resolve("generala", None, {"doble": "off", "points": {"doble": 90}})
    assert rules.rounds == 10
    assert "doble" not in rules.box_keys


def test_a_roll_off_is_agreed_as_a_house_rule():
    assert not resolve("yacht").has_roll_off
    assert resolve("yacht", None, {"tie": "roll_off"}).has_roll_off


@pytest.mark.parametrize(
    ("sheet", "preset", "options", "field"),
    [
        ("poker", None, {}, "sheet"),
        ("", None, {}, "sheet"),
        ("Generala", None, {}, "sheet"),
        ("generala", "kniffel", {}, "preset"),
        ("generala", "", {}, "preset"),
        ("generala", None, {"colour": 1}, "options.colour"),
        ("generala", None, {"joker": "free"}, "options.joker"),
        ("yahtzee", None, {"joker": "sometimes"}, "options.joker"),
        ("yahtzee", None, {"joker": None}, "options.joker"),
        ("yahtzee", None, {"joker": ["free"]}, "options.joker"),
        ("yahtzee", None, {"extra_yahtzee": 50}, "options.extra_yahtzee"),
        ("yahtzee", None, {"extra_yahtzee": False}, "options.extra_yahtzee"),
        ("yahtzee", None, {"extra_yahtzee": 100.0}, "options.extra_yahtzee"),
        ("yahtzee", None, {"extra_yahtzee": "100"}, "options.extra_yahtzee"),
        ("yahtzee", None, {"points": {"yahtzee": 60}}, "options.points"),
        ("generala", None, {"ace_high_straight": 1}, "options.ace_high_straight"),
        ("generala", None, {"doble": True}, "options.doble"),
        ("generala", None, {"tie": "wins"}, "options.tie"),
        ("generala", None, {"points": 30}, "options.points"),
        ("generala", None, {"points": None}, "options.points"),
        ("generala", None, {"points": {"served_generala": 60}}, "options.points.served_generala"),
        ("generala", None, {"points": {"full": -1}}, "options.points.full"),
        ("generala", None, {"points": {"full": 501}}, "options.points.full"),
        ("generala", None, {"points": {"full": True}}, "options.points.full"),
        ("generala", None, {"points": {"full": 30.0}}, "options.points.full"),
        ("generala", None, {"points": {"full": "30"}}, "options.points.full"),
        ("generala", None, {"points": {"full": None}}, "options.points.full"),
        ("generala", None, {"points": {"served_full": 505}}, "options.points.served_full"),
        ("generala", None, {"points": {"full.full": 30}}, "options.points.full.full"),
        ("generala", None, {"points.full": 30}, "options.points.full"),
    ],
)
def test_what_cannot_be_played_is_refused_with_its_field(sheet, preset, options, field):
    with pytest.raises(Refused) as refused:
        resolve(sheet, preset, options)
    assert (refused.value.code, refused.value.field) == ("invalid", field)
    assert refused.value.message.endswith(".")


def test_a_refusal_names_what_can_be_chosen():
    with pytest.raises(Refused, match="false, true"):
        resolve("generala", None, {"ace_high_straight": "yes"})
    with pytest.raises(Refused, match="from 0 to 500"):
        resolve("generala", None, {"points": {"full": 1000}})


@pytest.mark.parametrize("points", [0, 500])
def test_points_reach_from_0_to_500(points):
    assert resolve("generala", None, {"points": {"full": points}}).options["points"]["full"] == points
