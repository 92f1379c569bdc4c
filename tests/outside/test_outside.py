"""The outsider's own arithmetic and verifier: right by the vectors, silent on honest matches, loud on each kind of fault."""

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.outside import dice
from tests.outside.forged import MATCH, ROOT, Forged, whole
from tests.outside.verifier import verify

GOLDEN: list[dict[str, Any]] = json.loads((Path(__file__).parents[1] / "golden" / "dice.json").read_text("utf-8"))
Events = list[dict[str, Any]]


@pytest.mark.parametrize("vector", GOLDEN, ids=lambda vector: str(vector["match"])[:8])
def test_the_outsider_computes_what_the_vectors_say(vector: dict[str, Any]) -> None:
    match = bytes.fromhex(vector["match"])
    keys = dice.chain(match, bytes.fromhex(vector["root"]), vector["turns"])
    contributions = {int(seat): bytes.fromhex(value) for seat, value in vector["contributions"].items()}
    opening = dice.entropy(match, contributions)
    made = {str(seat): dice.commitment(match, seat, value).hex() for seat, value in contributions.items()}
    assert keys[0].hex() == vector["anchor"]
    assert {turn: keys[int(turn)].hex() for turn in vector["keys"]} == vector["keys"]
    assert (opening.hex(), made) == (vector["entropy"], vector["commitments"])
    assert dice.order(match, opening, vector["seats"]) == vector["order"]
    for turn, roll, faces in vector["rolls"]:
        assert dice.draw(keys[turn], match, opening, turn, roll) == list(map(int, faces))


def test_the_outsider_computes_the_small_known_match() -> None:
    opening = dice.entropy(MATCH, {0: b"\xaa" * 32, 1: bytes(32)})
    assert dice.chain(MATCH, ROOT, 1)[0].hex() == "11df37b99bded2436ee0d25a92dfeec2ad43d2cd0e9d52874367ff766f2179ea"
    assert opening.hex() == "cc291bdf5261bcf59cf259536f6f7686a0fe4d269f2b31a6f3dbad02495d3acd"
    assert [dice.draw(ROOT, MATCH, opening, 1, roll) for roll in (1, 2, 3)] == [
        [5, 6, 4, 3, 6],
        [3, 5, 5, 1, 1],
        [6, 5, 1, 1, 2],
    ]


def test_canonical_form_sorts_keys_as_utf_16_and_escapes_only_what_it_must() -> None:
    value = {"\ue000": 1, "\U0001f3b2": [True, -5, {}], "a": 'é"\\\u0007\n\x7f/'}
    assert dice.canonical(value) == '{"a":"é\\"\\\\\\u0007\\n\x7f/","🎲":[true,-5,{}],"\ue000":1}'.encode()


@pytest.mark.parametrize(
    "forged",
    [
        whole(),
        whole(3, 2),
        whole(6, clock=15),
        whole(1, 1, clock=0),
        whole(2, sheet="yahtzee"),
        whole(2, doble_needs_generala=False),
    ],
    ids=["two", "three and bots", "six", "no clock", "yahtzee", "house rule"],
)
def test_an_honest_match_passes(forged: Forged) -> None:
    assert verify(forged.data()) == []


def flip(text: str) -> str:
    return ("1" if text[0] == "0" else "0") + text[1:]


def other_face(face: int) -> int:
    return 1 + face % 6


def put(into: Any, place: str | int, value: object) -> None:
    into[place] = value


def delay(events: Events, later_ms: int) -> None:
    for event in events:
        event["at"] += later_ms


FAULTS: dict[str, tuple[str, int, Callable[[Events], object]]] = {
    "a root that is another": ("root", -1, lambda events: put(events[-1], "root", flip(events[-1]["root"]))),
    "an anchor that is another": ("root", -1, lambda events: put(events[0], "anchor", flip(events[0]["anchor"]))),
    "a key that is another": ("key", 10, lambda events: put(events[10], "key", flip(events[10]["key"]))),
    "a commitment that is another": ("contribution", 2, lambda events: put(events[1]["commitments"], "1", "0" * 64)),
    "a commitment that is missing": ("commitment", 1, lambda events: events[1]["commitments"].pop("1")),
    "a contribution that is another": ("contribution", 2, lambda events: put(events[2]["contributions"], "0", "0" * 64)),
    "a contribution that is missing": ("contribution", 2, lambda events: events[2]["contributions"].pop("0")),
    "an entropy that is another": ("entropy", 2, lambda events: put(events[2], "entropy", flip(events[2]["entropy"]))),
    "an order that is another": ("order", 2, lambda events: events[2]["order"].reverse()),
    "a first face that is another": ("faces", 3, lambda events: put(events[3]["dice"], 0, other_face(events[3]["dice"][0]))),
    "a rolled face that is another": ("faces", 8, lambda events: put(events[8]["dice"], 0, other_face(events[8]["dice"][0]))),
    "a kept face that is another": ("held", 8, lambda events: put(events[8]["dice"], 3, other_face(events[8]["dice"][3]))),
    "a first roll that holds": ("held", 3, lambda events: put(events[3], "held", [2])),
    "all five held": ("held", 4, lambda events: put(events[4], "held", [0, 1, 2, 3, 4])),
    "held positions out of order": ("held", 4, lambda events: put(events[4], "held", [3, 1])),
    "a position that does not exist": ("held", 4, lambda events: put(events[4], "held", [1, 3, 5])),
    "a fourth roll": ("shape", 6, lambda events: events.insert(6, {**events[5], "roll": 4})),
    "a roll that is missing": ("shape", 4, lambda events: events.pop(4)),
    "a write before a roll": ("shape", 3, lambda events: events.insert(3, events.pop(6))),
    "two writes of one turn": ("shape", 7, lambda events: events.insert(7, dict(events[6]))),
    "a turn of the wrong seat": ("shape", 3, lambda events: put(events[3], "seat", 1 - events[3]["seat"])),
    "a turn number left out": ("shape", 7, lambda events: put(events[7], "turn", 3)),
    "a box written twice": ("shape", 14, lambda events: put(events[14], "box", events[6]["box"])),
    "a match that ends early": ("shape", 87, lambda events: events.__delitem__(slice(87, 91))),
    "another number of turns": ("shape", 0, lambda events: put(events[0], "turns", 23)),
    "another reason to end": ("shape", -1, lambda events: put(events[-1], "reason", "resigned")),
    "a seat that is back without being away": (
        "shape",
        3,
        lambda events: events.insert(3, {"type": "back", "at": events[2]["at"], "seat": 0}),
    ),
    "a bonus that nobody earned": ("bonus", 6, lambda events: put(events[6], "bonus", 35)),
    "a total that does not add up": ("total", -1, lambda events: put(events[-1]["totals"], "0", 12)),
    "places that do not follow": ("places", -1, lambda events: put(events[-1]["places"], "0", 2)),
    "a time that runs backwards": ("clock", 9, lambda events: put(events[9], "at", events[8]["at"] - 1)),
    "a move long after its deadline": (
        "clock",
        6,
        lambda events: delay(events[6:], 60_000),
    ),
    "an automatic write long before its deadline": ("clock", 6, lambda events: put(events[6], "auto", True)),
    "an automatic second roll": ("shape", 4, lambda events: put(events[4], "auto", True)),
}


@pytest.mark.parametrize(("code", "place", "spoil"), FAULTS.values(), ids=FAULTS.keys())
def test_a_fault_is_found_where_it_is_even_with_its_heads_recomputed(
    code: str, place: int, spoil: Callable[[Events], object]
) -> None:
    forged = whole()
    spoil(forged.events)
    failures = {failure.code: failure.event for failure in verify(forged.data())}
    assert failures.get(code) == place % len(forged.events)
    assert "head" not in failures


def test_what_only_the_heads_show_fails_at_the_last_event() -> None:
    export = whole().export()
    export["events"][20]["at"] += 1
    failures = verify(json.dumps(export).encode())
    assert [(failure.code, failure.event) for failure in failures] == [("head", len(export["events"]) - 1)]


def test_points_that_were_changed_show_in_the_total_and_both_values_are_told() -> None:
    forged = whole()
    forged.events[6]["points"] = 2
    failure = next(failure for failure in verify(forged.data()) if failure.code == "total")
    seat = str(forged.events[6]["seat"])
    assert (failure.want, failure.got) == ({"0": 11, "1": 11} | {seat: 12}, {"0": 11, "1": 11})


EXPORT = whole().export()


def spoiled(spoil: Callable[[dict[str, Any]], object]) -> bytes:
    export = copy.deepcopy(EXPORT)
    spoil(export)
    return json.dumps(export).encode()


HOSTILE: dict[str, bytes] = {
    "nothing": b"",
    "no JSON": b"{",
    "no object": b"[]",
    "no Unicode": b'{"a":"\xff"}',
    "a byte order mark": b"\xef\xbb\xbf" + json.dumps(EXPORT).encode(),
    "a float": json.dumps(EXPORT).replace('"attempt": 1', '"attempt": 1.0').encode(),
    "an exponent": json.dumps(EXPORT).replace('"attempt": 1', '"attempt": 1e0').encode(),
    "minus zero": json.dumps(EXPORT).replace('"clock": 45', '"clock": -0').encode(),
    "a number too great": json.dumps(EXPORT).replace('"clock": 45', f'"clock": {2**53}').encode(),
    "a number without end": json.dumps(EXPORT).replace('"clock": 45', '"clock": 1' + "0" * 5000).encode(),
    "not a number": json.dumps(EXPORT).replace('"clock": 45', '"clock": NaN').encode(),
    "null": json.dumps(EXPORT).replace('"clock": 45', '"clock": null').encode(),
    "a lone surrogate": json.dumps(EXPORT).replace('"p0"', '"\\ud83c"').encode(),
    "a key twice": json.dumps(EXPORT).replace('"attempt": 1', '"attempt": 1, "attempt": 1').encode(),
    "depth": b"[" * 9 + b"]" * 9,
    "great depth": b"[" * 1_000_000,
    "too long": b" " * (8 * 1024 * 1024) + b"{}",
    "another format": spoiled(lambda export: export.update(format="cubilete-match/2")),
    "another match": spoiled(lambda export: export.update(match="0" * 32)),
    "no events": spoiled(lambda export: export.update(events=[])),
    "no end": spoiled(lambda export: export["events"].pop()),
    "two ends": spoiled(lambda export: export["events"].append(export["events"][-1])),
    "two seals": spoiled(lambda export: export["events"].insert(5, export["events"][0])),
    "a type that is none": spoiled(lambda export: export["events"][5].update(type="rolled twice")),
    "a type that is no text": spoiled(lambda export: export["events"][5].update(type=["rolled"])),
    "a field too many": spoiled(lambda export: export["events"][5].update(name="Ana")),
    "a field too few": spoiled(lambda export: export["events"][5].pop("auto")),
    "true for a number": spoiled(lambda export: export["events"][5].update(roll=True)),
    "six dice": spoiled(lambda export: export["events"][5]["dice"].append(1)),
    "upper case": spoiled(lambda export: export["events"][6].update(key="A" * 64)),
    "an option too few": spoiled(lambda export: export["events"][0]["options"].pop("tie")),
    "a sheet that is none": spoiled(lambda export: export["events"][0].update(sheet="poker")),
    "seats out of order": spoiled(lambda export: export["events"][0]["seats"].reverse()),
    "a seat with a leading zero": spoiled(lambda export: export["events"][-1]["totals"].update({"00": 1})),
    "turns without end": spoiled(lambda export: export["events"][0].update(turns=2**40)),
}


@pytest.mark.parametrize("data", HOSTILE.values(), ids=HOSTILE.keys())
def test_what_is_no_transcript_is_refused_and_nothing_breaks(data: bytes) -> None:
    assert [failure.code for failure in verify(data)] == ["format"]
