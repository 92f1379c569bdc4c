"""The catalogue for other programs, and the texts that name everything in it."""

import json
from pathlib import Path

import pytest

from server.rules import catalogue, greatest, possible_values, resolve

WEB = Path(__file__).parents[3] / "web"
LANGUAGES = ("es", "en", "de")
SHEETS = {sheet["id"]: sheet for sheet in catalogue()["sheets"]}


def texts(language):
    return json.loads((WEB / "texts" / language / "sheets.json").read_text(encoding="utf-8"))


def keys_in(node):
    """Every key of a text that the catalogue refers to."""
    for name, value in node.items():
        if name == "text":
            yield from (f"{value}.name", f"{value}.about")
        elif name == "box_names":
            yield from value.values()
        elif isinstance(value, list):
            for item in (item for item in value if isinstance(item, dict)):
                yield from keys_in(item)


def test_the_catalogue_is_plain_json():
    assert json.loads(json.dumps(catalogue())) == catalogue()


def test_every_sheet_is_listed_with_its_turns():
    assert {name: sheet["rounds"] for name, sheet in SHEETS.items()} == {
        "generala": 11,
        "yahtzee": 13,
        "yatzy": 15,
        "yacht": 12,
        "yahtzee3": 39,
        "triple": 39,
    }


@pytest.mark.parametrize("sheet", SHEETS.values(), ids=SHEETS)
def test_every_box_is_listed_with_its_scorer_and_values(sheet):
    rules = resolve(sheet["id"])
    columns = [column["id"] for column in sheet["columns"]]
    prefix = f"{columns[0]}:" if columns[0] else ""
    assert len(columns) * len(sheet["boxes"]) == rules.rounds
    for box in sheet["boxes"]:
        assert box["scorer"]["kind"]
        assert box["greatest"] == greatest(rules, prefix + box["id"])
        assert box["values"] == list(possible_values(rules, prefix + box["id"]))


@pytest.mark.parametrize("sheet", SHEETS.values(), ids=SHEETS)
def test_every_preset_is_listed_with_the_options_it_means(sheet):
    for preset in sheet["presets"]:
        rules = resolve(sheet["id"], None, preset["options"])
        assert rules.options == preset["options"]
        assert resolve(sheet["id"], preset["id"]).options == preset["options"]


@pytest.mark.parametrize("sheet", SHEETS.values(), ids=SHEETS)
def test_every_house_rule_is_listed_with_its_default(sheet):
    for rule in sheet["house_rules"]:
        group, _, name = rule["key"].rpartition(".")
        options = resolve(sheet["id"]).options
        assert rule["default"] == (options[group] if group else options)[name]
        if rule["kind"] == "choice":
            assert rule["choices"][0]["value"] == rule["default"]
        else:
            assert (rule["low"], rule["high"]) == (0, 500)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_texts_name_exactly_what_the_catalogue_has(language):
    assert set(texts(language)) == {key for sheet in SHEETS.values() for key in keys_in(sheet)}


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_text_is_empty_or_longer_than_a_line(language):
    for key, text in texts(language).items():
        assert text == text.strip(), key
        assert 1 <= len(text) <= (36 if key.endswith(".name") else 150), key


@pytest.mark.parametrize("prefix", ["box.generala.", "box.kniffel.", "preset.generala."])
def test_these_names_are_the_same_in_all_languages(prefix):
    named = [
        {key: text for key, text in texts(language).items() if key.startswith(prefix) and key.endswith(".name")}
        for language in LANGUAGES
    ]
    assert named[0]
    assert named[0] == named[1] == named[2]


def test_kniffel_shows_german_names_and_yahtzee_those_of_the_language():
    kniffel = next(preset for preset in SHEETS["yahtzee"]["presets"] if preset["id"] == "kniffel")
    english = texts("en")
    assert english[kniffel["box_names"]["four_kind"]] == "Viererpasch"
    assert english["box.yahtzee.four_kind.name"] == "Four of a kind"
    assert texts("es")["box.yahtzee.four_kind.name"] == "Cuatro iguales"
