"""The outsider's live checks, its part in a seal and its reducer, without a socket: fed with messages written by hand."""

import copy
from collections.abc import Callable
from typing import Any

import pytest

from tests.outside import dice
from tests.outside.forged import GENERALA, MATCH, ROOT, Forged, whole
from tests.outside.sealing import Sealing, Secrets
from tests.outside.view import reduce, reduce_all, seat_of
from tests.outside.witness import Lie, Witness

Message = dict[str, Any]


def table_of(forged: Forged, **more: object) -> Message:
    """A table as ``welcome`` tells it before or in the match of ``forged``."""
    seats = [{**seat, "name": "x", "connected": True, "away": False, "left": False} for seat in forged.events[0]["seats"]]
    rules = {"sheet": "generala", "options": GENERALA, "preset": "standard", "clock": 45, "rated": False}
    before = {"phase": "waiting", "scores": {}, "bonus": {}, "totals": {}}
    return {"code": "ABC234", "version": 3, "creator": "p0", "visibility": "private", **rules, "seats": seats, **before, **more}


def welcome(forged: Forged, n: int | None = None, **more: object) -> Message:
    """The first message of a connection that is made after event ``n``."""
    h = None if n is None else forged.messages()[n]["h"]
    known: Message = {} if n is None else {"match": MATCH.hex(), "anchor": forged.keys[0].hex(), "phase": "playing"}
    if n is not None and n >= 2:
        known |= {"entropy": forged.opening.hex(), "order": forged.order}
    return {"type": "welcome", "you": {}, "now": 0, "n": n, "h": h, "table": table_of(forged, **known, **more)}


def watch(messages: list[Message]) -> Witness:
    witness = Witness()
    for message in messages:
        witness.event(message)
    return witness


def test_an_honest_match_is_followed_to_its_head() -> None:
    forged = whole()
    witness = watch(forged.messages())
    assert (witness.n, witness.turns_checked) == (len(forged.events) - 1, 22)
    assert witness.head == dice.head_of(MATCH, forged.events)


LIES: dict[str, tuple[int, Callable[[Message], object]]] = {
    "a face": (4, lambda event: event.update(dice=[1, 1, 1, 1, 1])),
    "a key": (6, lambda event: event.update(key="0" * 64)),
    "a contribution": (2, lambda event: event["contributions"].update({"0": "0" * 64})),
    "an entropy": (2, lambda event: event.update(entropy="0" * 64)),
    "an order": (2, lambda event: event["order"].reverse()),
    "a root": (-1, lambda event: event.update(root="0" * 64)),
    "a roll left out": (4, lambda event: event.update(roll=3)),
}


@pytest.mark.parametrize(("place", "lie"), LIES.values(), ids=LIES.keys())
def test_a_lie_with_fitting_heads_is_noticed_while_the_match_runs(place: int, lie: Callable[[Message], object]) -> None:
    forged = whole()
    lie(forged.events[place])
    with pytest.raises(Lie):
        watch(forged.messages())


@pytest.mark.parametrize("wrong", [{"h": "0" * 16}, {"n": 10}, {"n": 8}])
def test_a_wrong_head_or_number_is_noticed_at_once(wrong: Message) -> None:
    messages = whole().messages()[:10]
    messages[-1].update(wrong)
    with pytest.raises(Lie):
        watch(messages)


def test_a_served_end_is_checked_from_the_root() -> None:
    forged = Forged()
    forged.play(1)
    forged.roll()
    forged.finish("served_generala")
    assert watch(forged.messages()).turns_checked == 2
    forged.events[-2]["dice"] = [6, 6, 6, 6, 6]
    with pytest.raises(Lie, match="turn 2"):
        watch(forged.messages())


def test_coming_back_goes_on_through_what_was_missed() -> None:
    forged = whole()
    messages = forged.messages()
    witness = watch(messages[:10])
    witness.welcome({**welcome(forged, 15), "events": messages[10:16]})
    for message in messages[16:]:
        witness.event(message)
    assert (witness.turns_checked, witness.head) == (22, dice.head_of(MATCH, forged.events))


def test_coming_back_to_another_history_is_noticed() -> None:
    forged = whole()
    witness = watch(forged.messages()[:10])
    with pytest.raises(Lie, match="coming back"):
        witness.welcome({**welcome(forged, 9), "h": "0" * 16})


def test_who_comes_late_checks_from_there_on() -> None:
    forged = whole()
    messages = forged.messages()
    shown = forged.events[8]
    witness = Witness()
    witness.welcome(welcome(forged, 8, turn={"turn": 2, "seat": shown["seat"], "roll": 2, "dice": shown["dice"]}))
    for message in messages[9:]:
        witness.event(message)
    assert (witness.turns_checked, witness.head) == (21, None)
    forged.events[9]["dice"] = [1, 2, 3, 4, 5]
    witness = Witness()
    witness.welcome(welcome(forged, 8, turn={"turn": 2, "seat": shown["seat"], "roll": 2, "dice": shown["dice"]}))
    witness.event(forged.messages()[9])
    with pytest.raises(Lie, match="turn 2, roll 3"):
        witness.event(forged.messages()[10])


def test_a_server_that_forgot_events_is_noticed_and_its_match_can_end() -> None:
    forged = whole()
    messages = forged.messages()
    witness = watch(messages[:11])
    witness.welcome(welcome(forged, 8))
    assert (witness.is_ahead, witness.checked[0]) == (True, 2)
    witness.event({"n": 9, "h": "0" * 16, "event": {"type": "finished", "root": ROOT.hex()}})


def sealed_for(player: str, contribution: bytes) -> tuple[Forged, Sealing, Message]:
    """A match whose seat of ``player`` drew ``contribution``, that player's part in it, and the table last shown."""
    forged = Forged()
    sealing = Sealing(player, Secrets())
    seat = int(player[1])
    sealing.secrets.drawn[MATCH.hex(), forged.keys[0].hex(), seat] = contribution
    return forged, sealing, table_of(forged)


def test_a_seat_commits_reveals_and_finds_itself_in_the_opening() -> None:
    forged, sealing, table = sealed_for("p1", b"\2" * 32)
    sealed, committed, opened = forged.events
    assert sealing.at_sealed(sealed, table) == {"type": "commit", "commitment": committed["commitments"]["1"]}
    assert sealing.at_committed(committed) == {"type": "reveal", "entropy": opened["contributions"]["1"]}
    sealing.at_opened(opened)
    opened["contributions"]["1"] = "0" * 64
    with pytest.raises(Lie, match="own contribution"):
        sealing.at_opened(opened)


def test_tabs_of_one_player_commit_to_one_contribution() -> None:
    forged, first, table = sealed_for("p0", b"\1" * 32)
    first.secrets.drawn.clear()
    second = Sealing("p0", first.secrets)
    assert first.at_sealed(forged.events[0], table) == second.at_sealed(forged.events[0], table)
    reloaded = Sealing("p0", first.secrets)
    under_way = table_of(forged, phase="sealing", match=MATCH.hex(), anchor=forged.keys[0].hex())
    assert reloaded.at_welcome(under_way) == first.at_sealed(forged.events[0], table)


def test_a_reload_in_the_middle_of_the_reveals_still_reveals() -> None:
    forged, sealing, _ = sealed_for("p0", b"\1" * 32)
    known = {"match": MATCH.hex(), "anchor": forged.keys[0].hex(), "commitments": forged.events[1]["commitments"]}
    assert sealing.at_welcome(table_of(forged, phase="sealing", **known)) == {"type": "reveal", "entropy": "01" * 32}


def test_a_table_that_changed_between_shown_and_sealed_gets_no_commitment() -> None:
    changes: list[Message] = [{"clock": 15}, {"options": {**GENERALA, "doble": "off"}}, {"seats": []}]
    for change in changes:
        forged, sealing, table = sealed_for("p0", b"\1" * 32)
        with pytest.raises(Lie, match="sealed"):
            sealing.at_sealed(forged.events[0], {**table, **change})


def test_a_match_id_that_comes_again_with_another_anchor_is_ignored() -> None:
    forged, sealing, table = sealed_for("p0", b"\1" * 32)
    assert sealing.at_sealed(forged.events[0], table)
    assert sealing.at_sealed({**forged.events[0], "anchor": "0" * 64}, table) is None
    assert sealing.at_committed(forged.events[1]) is None


def test_a_list_without_the_own_commitment_gets_no_reveal() -> None:
    for spoilt in ({"0": "0" * 64}, {"1": "A" * 64}, {"2": "0" * 64}):
        forged, sealing, table = sealed_for("p0", b"\1" * 32)
        sealing.at_sealed(forged.events[0], table)
        forged.events[1]["commitments"].update(spoilt)
        with pytest.raises(Lie):
            sealing.at_committed(forged.events[1])


def test_somebody_who_watches_takes_no_part_in_the_seal() -> None:
    forged = Forged()
    sealing = Sealing(None, Secrets())
    assert sealing.at_sealed(forged.events[0], table_of(forged)) is None
    assert sealing.at_committed(forged.events[1]) is None
    sealing.at_opened(forged.events[2])


def test_the_view_after_all_events_is_the_end_of_the_match() -> None:
    forged = whole()
    view = reduce_all({}, [welcome(forged), *forged.messages()])
    table, end = view["table"], forged.events[-1]
    assert (table["phase"], table["totals"], table["places"]) == ("finished", end["totals"], end["places"])
    assert table["scores"]["0"] == dict.fromkeys(forged.boxes, 1)
    assert (view["n"], view["h"]) == (len(forged.events) - 1, forged.messages()[-1]["h"])
    assert "turn" not in table


def test_the_view_follows_turns_holds_presence_and_lobby() -> None:
    forged = Forged()
    forged.roll()
    told = {"turn": 1, "seat": forged.seat, "roll": 1, "dice": forged.dice, "held": [], "deadline": 9, "boxes": {"ones": 1}}
    messages = [welcome(forged), *forged.messages()]
    view = reduce_all({}, [*messages[:-1], {**messages[-1], "turn": told}])
    assert view["table"]["turn"] == told
    view = reduce(view, {"type": "holding", "seat": forged.seat, "held": [2, 4]})
    assert view["table"]["turn"]["held"] == [2, 4]
    view = reduce(view, {"type": "presence", "seats": {"1": {"connected": False, "away": True}}, "watching": 4})
    assert (view["table"]["seats"][1]["connected"], view["table"]["seats"][0]["connected"], view["watching"]) == (
        False,
        True,
        4,
    )
    view = reduce(view, {"type": "lobby", "table": table_of(forged), "aborted": {"match": MATCH.hex(), "seats": [1]}})
    assert (view["n"], view["h"], view["aborted"]["seats"]) == (None, None, [1])
    assert seat_of(view, "p1") == 1
    assert seat_of(view, None) is None


def test_messages_that_are_not_known_change_nothing_and_no_view_is_changed_in_place() -> None:
    forged = Forged()
    view = reduce({}, welcome(forged))
    before = copy.deepcopy(view)
    for message in ({"type": "ok", "ref": "a"}, {"type": "said", "player": "p0", "phrase": "x"}, forged.messages()[0]):
        reduce(view, message)
    assert view == before
