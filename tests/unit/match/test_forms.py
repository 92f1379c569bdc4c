"""What a creator may choose, and which field is blamed for what may not be (protocol.md, ``POST /api/tables``)."""

import pytest

from server.errors import Refused
from server.match.commands import ChangeSettings, SettingsForm
from server.match.events import Settings
from server.match.moment import Policy
from server.match.settings import open_table
from tests.unit.match.kit import ANA, POLICY, T0, playing, seated


def settings(**form) -> Settings:
    return open_table(ANA, SettingsForm(**({"sheet": "generala"} | form)), POLICY, T0).settings


def blamed(form: SettingsForm) -> tuple[str, str | None]:
    with pytest.raises(Refused) as caught:
        open_table(ANA, form, POLICY, T0)
    return caught.value.code, caught.value.field


def test_a_form_with_a_sheet_alone_gets_the_defaults():
    plain = settings()
    assert (plain.preset, plain.clock, plain.seats, plain.visibility, plain.rated) == ("standard", 45, 2, "public", True)
    assert plain.options["served_generala"] == "plain"


def test_a_form_needs_a_sheet():
    assert blamed(SettingsForm()) == ("invalid", "sheet")


def test_a_service_without_the_usual_clock_starts_from_its_first():
    opened = open_table(ANA, SettingsForm(sheet="yacht"), Policy((2, 5), ("easy",)), T0)
    assert opened.settings.clock == 2


@pytest.mark.parametrize("clock", [15, 30, 45, 60, 90, 120])
def test_every_clock_of_the_house_may_be_public_and_rated(clock):
    """H075, first two."""
    chosen = settings(clock=clock, visibility="public", rated=True)
    assert (chosen.clock, chosen.rated) == (clock, True)


def test_a_table_without_a_clock_is_private_and_unrated_by_itself():
    chosen = settings(clock=0)
    assert (chosen.clock, chosen.visibility, chosen.rated) == (0, "private", False)


@pytest.mark.parametrize(("wish", "field"), [({"visibility": "public"}, "visibility"), ({"rated": True}, "rated")])
def test_a_table_without_a_clock_is_neither_public_nor_rated(wish, field):
    """H075, last two."""
    assert blamed(SettingsForm(sheet="generala", clock=0, **wish)) == ("invalid", field)


@pytest.mark.parametrize(
    ("form", "field"),
    [
        ({"sheet": "poker"}, "sheet"),
        ({"sheet": ""}, "sheet"),
        ({"preset": "rios"}, "preset"),
        ({"options": {"tie": "fight"}}, "options.tie"),
        ({"clock": 46}, "clock"),
        ({"clock": -45}, "clock"),
        ({"seats": 1}, "seats"),
        ({"seats": 7}, "seats"),
        ({"bots": ["godlike"]}, "bots"),
        ({"bots": ["easy"] * 6}, "bots"),
        ({"bots": ["easy", "easy"], "seats": 2}, "bots"),
    ],
)
def test_a_wrong_field_is_named(form, field):
    assert blamed(SettingsForm(**({"sheet": "generala"} | form))) == ("invalid", field)


@pytest.mark.parametrize(("bots", "seats"), [(1, 2), (2, 3), (5, 6)])
def test_bots_make_room_for_one_person(bots, seats):
    assert settings(bots=["easy"] * bots).seats == seats


def test_taking_the_clock_away_from_a_public_table_blames_the_clock():
    game = seated(1)
    with pytest.raises(Refused) as caught:
        game.do(ANA, ChangeSettings(clock=0))
    assert caught.value.field == "clock"
    game.do(ANA, ChangeSettings(clock=0, visibility="private", rated=False))
    assert game.table.settings.clock == 0


def test_a_new_sheet_starts_from_its_own_defaults():
    game = seated(1, options={"served_generala": "wins", "tie": "roll_off"})
    game.do(ANA, ChangeSettings(sheet="yahtzee"))
    assert game.table.settings.options == {"extra_yahtzee": 100, "joker": "forced", "tie": "share"}
    assert game.table.settings.preset == "standard"


def test_naming_some_options_leaves_the_others_as_they_were():
    game = seated(1, preset="rio", options={"points": {"full": 33}})
    game.do(ANA, ChangeSettings(options={"tie": "roll_off", "points": {"poker": 44}}))
    chosen = game.table.settings
    assert (chosen.options["served_generala"], chosen.options["tie"], chosen.preset) == ("wins", "roll_off", "custom")
    assert (chosen.options["points"]["full"], chosen.options["points"]["poker"]) == (33, 44)


@pytest.mark.parametrize(("wish", "served"), [({"full": 40}, 45), ({"poker": 41}, 505)])
def test_served_amounts_that_nobody_gave_follow_their_box_when_it_changes(wish, served):
    game = seated(1, options={"points": {"full": 500, "served_poker": 90}})
    assert game.table.settings.options["points"]["served_full"] == 505
    game.do(ANA, ChangeSettings(options={"points": wish}))
    points = game.table.settings.options["points"]
    assert (points["served_full"], points["served_poker"]) == (served, 90)
    assert points.items() >= wish.items()


def test_naming_options_of_a_sheet_without_amounts_leaves_the_others_as_they_were():
    game = seated(1, sheet="yahtzee", preset="europe")
    game.do(ANA, ChangeSettings(options={"tie": "roll_off"}))
    assert game.table.settings.options == {"extra_yahtzee": 0, "joker": "off", "tie": "roll_off"}


def test_options_that_make_a_preset_get_its_name_back():
    game = seated(1, preset="rio")
    game.do(ANA, ChangeSettings(options={"served_generala": "plain"}))
    assert game.table.settings.preset == "standard"


def test_naming_a_preset_starts_from_its_own_options():
    game = seated(1, options={"tie": "roll_off"})
    game.do(ANA, ChangeSettings(preset="diez"))
    assert (game.table.settings.preset, game.table.settings.options["tie"]) == ("diez", "share")


@pytest.mark.parametrize("form", [{"sheet": "generala"}, {"options": {}}, {"clock": 30}])
def test_naming_nothing_new_of_the_rules_leaves_them(form):
    game = seated(1, preset="rio")
    game.do(ANA, ChangeSettings(**form))
    assert game.table.settings.preset == "rio"


@pytest.mark.parametrize(
    ("people", "bots", "form", "is_rated"),
    [
        (2, 0, {}, True),
        (2, 0, {"preset": "rio"}, True),
        (2, 0, {"rated": False}, False),
        (2, 0, {"clock": 0}, False),
        (2, 0, {"options": {"ace_high_straight": True}}, False),
        (2, 1, {}, False),
    ],
)
def test_a_match_is_rated_with_a_clock_a_named_preset_and_people_alone(people, bots, form, is_rated):
    assert playing(people, bots, **form).match.sealed.rated is is_rated
