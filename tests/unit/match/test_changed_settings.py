"""Settings that are changed in part: what is not named stays."""

from typing import Any

import pytest

from server.match.commands import ChangeSettings
from server.match.events import PlayerId
from server.match.evolve import evolve
from server.match.moment import Policy
from server.match.settings import change_settings, open_table
from server.match.state import Table

POLICY = Policy(clocks=(30, 45), levels=("medium",))


def table(**wishes: Any) -> Table:
    return evolve(None, open_table(PlayerId("ana"), ChangeSettings(**{"sheet": "generala", **wishes}), POLICY, 1_000))


def after(before: Table, **wishes: Any) -> Table:
    return evolve(before, change_settings(before, ChangeSettings(**wishes), POLICY, 2_000))


@pytest.mark.parametrize("wishes", [{"clock": 30}, {"sheet": "generala", "clock": 30}, {"options": {}}])
def test_the_house_rules_stay_when_something_else_is_changed(wishes: dict[str, Any]) -> None:
    changed = after(table(preset="rio"), **wishes)
    assert changed.settings.preset == "rio"
    assert changed.settings.options["served_generala"] == "wins"


def test_a_house_rule_that_is_named_is_changed_and_the_others_stay() -> None:
    changed = after(table(preset="rio", options={"points": {"full": 33}}), options={"tie": "roll_off", "points": {"poker": 44}})
    assert changed.settings.preset == "custom"
    assert changed.settings.options["served_generala"] == "wins"
    assert changed.settings.options["tie"] == "roll_off"
    assert changed.settings.options["points"]["full"] == 33
    assert changed.settings.options["points"]["poker"] == 44


def test_a_preset_starts_from_its_own_rules() -> None:
    changed = after(table(options={"tie": "roll_off"}), preset="diez")
    assert changed.settings.preset == "diez"
    assert changed.settings.options["tie"] == "share"


def test_another_sheet_starts_from_its_own_defaults() -> None:
    changed = after(table(preset="rio"), sheet="yahtzee")
    assert changed.settings.preset == "standard"
    assert changed.settings.options == {"extra_yahtzee": 100, "joker": "forced", "tie": "share"}
