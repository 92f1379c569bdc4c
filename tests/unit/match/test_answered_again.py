"""The same id of the same player within a match is answered again and never applied twice (protocol.md, order of checks)."""

import msgspec
import pytest

from server.match.commands import Commit, Leave, Roll, Score, Start
from server.match.events import Back, Cause, Entry, Rolled, Scored
from server.match.evolve import fold
from server.match.state import CAUSE_BYTES, cause_mark
from tests.unit.match.kit import ANA, BEN, ZED, playing, seated


def roll(game, ref, held=()):
    return Roll(id=ref, held=held, expect=game.match.n)


def test_the_event_that_a_command_caused_is_found_by_player_and_id():
    """H046."""
    game = playing(2)
    game.do(ANA, roll(game, "X"))
    n = game.match.n
    game.do(ANA, roll(game, "Y", (0, 1)))
    game.do(ANA, Score(id="Z", box="ones", expect=game.match.n))
    assert game.match.event_caused_by(ANA, "X") == n
    assert game.match.event_caused_by(ANA, "Y") == n + 1
    assert game.match.event_caused_by(ANA, "Z") == n + 2
    assert game.match.event_caused_by(BEN, "X") is None
    assert game.match.event_caused_by(ANA, "W") is None


def test_another_worker_that_reads_the_log_finds_it_too():
    """H046: the same after a worker change."""
    game = playing(2)
    game.do(ANA, roll(game, "X"))
    blob = msgspec.msgpack.encode(game.entries)
    table = fold(msgspec.msgpack.decode(blob, type=list[Entry]))
    assert table is not None
    assert table.match is not None
    assert table.match.event_caused_by(ANA, "X") == 3


def test_an_id_that_comes_with_a_return_belongs_to_the_move_after_it():
    game = playing(2)
    for _ in range(2):
        game.force_score(game.open_boxes[0], auto=True)
        game.force_score(game.open_boxes[0])
    events = game.do(ANA, roll(game, "X"))
    assert [type(event) for event in events] == [Back, Rolled]
    assert game.match.event_caused_by(ANA, "X") == game.match.n


def test_the_seal_can_be_answered_again_and_is_forgotten_with_the_match():
    game = seated(2)
    game.do(ANA, Start(id="go"))
    assert game.match.event_caused_by(ANA, "go") == 0
    game.do(BEN, Leave())
    assert game.table.match is None


def test_ids_of_entries_beside_the_match_are_not_kept():
    game = seated(2)
    game.do(ANA, Start())
    game.do(ANA, Commit(id="c", commitment=game.commitment(0).commitment))
    assert game.match.event_caused_by(ANA, "c") is None
    assert game.do(ANA, Commit(id="c", commitment=game.commitment(0).commitment)) == (), "the same again does no harm anyway"


def test_a_mark_is_only_found_where_an_event_begins():
    game = playing(2)
    mark = cause_mark(ANA, "X")
    shifted = msgspec.structs.replace(game.match, causes=b"\1" + mark + bytes(CAUSE_BYTES - 1) + mark)
    assert shifted.event_caused_by(ANA, "X") == 2
    assert msgspec.structs.replace(game.match, causes=b"\1" + mark + bytes(7)).event_caused_by(ANA, "X") is None


@pytest.mark.parametrize("seats", [2, 6])
def test_every_event_of_a_match_has_its_place_whoever_caused_it(seats):
    game = playing(1, seats - 1)
    game.wait(600_000)
    assert len(game.match.causes) == CAUSE_BYTES * (game.match.n + 1)
    assert not any(game.match.causes)


def test_causes_say_whose_command_it_was_and_are_part_of_the_entry():
    game = playing(2)
    game.do(ANA, roll(game, "X"))
    assert [entry.cause for entry in game.entries if isinstance(entry.event, Rolled)] == [Cause(ANA, "X")]
    assert not game.all(Scored)
    assert game.match.seat_of(ZED) is None
    assert game.match.seat_of(None) is None
    assert game.table.seat_of(None) is None
