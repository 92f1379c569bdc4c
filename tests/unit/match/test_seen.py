"""A client that knows a key which this log has not shown: the log lost events, the match is void (protocol.md, ``seen``)."""

import pytest

from server.match.commands import Seen
from server.match.events import Finished, Scored
from tests.unit.match.kit import ANA, BEN, CARLA, ZED, playing, seated


def seen(game, turn, of=None):
    return Seen(turn=turn, key=game.chain.key(of or turn).hex())


@pytest.mark.parametrize("turn", [1, 4, 33])
def test_a_key_of_a_turn_that_has_not_ended_here_voids_the_match(turn):
    game = playing(3)
    (finished,) = game.do(BEN, seen(game, turn))
    assert isinstance(finished, Finished)
    assert finished.reason == "void"
    assert finished.places == {"0": 1, "1": 1, "2": 1}
    assert game.table.phase == "finished"


def test_a_key_of_a_turn_that_ended_here_too_is_stale():
    game = playing(2)
    game.roll()
    game.score("ones")
    assert game.code(ANA, Seen(turn=1, key=game.all(Scored)[0].key)) == "stale"
    assert game.code(ANA, Seen(turn=0, key="00" * 32)) == "stale"


@pytest.mark.parametrize("key", ["", "00" * 32, "zz" * 32, "0", "00" * 31, "00" * 400])
def test_a_key_that_leads_nowhere_is_refused(key):
    assert playing(2).code(ANA, Seen(turn=2, key=key)) == "bad_reveal"


def test_a_key_of_another_turn_is_refused():
    game = playing(2)
    assert game.code(ANA, seen(game, 3, of=2)) == "bad_reveal"
    assert game.code(ANA, Seen(turn=10**9, key=game.chain.key(3).hex())) == "bad_reveal"


def test_only_those_who_still_play_can_say_so_and_only_while_it_is_played():
    game = playing(3)
    command = seen(game, 5)
    assert [game.code(ZED, command), game.code(None, command)] == ["not_seated", "not_seated"]
    game.leave(CARLA)
    assert game.code(CARLA, command) == "not_your_turn"
    assert seated(2).code(ANA, command) == "wrong_phase"
    game.leave(BEN)
    assert game.code(ANA, command) == "wrong_phase"
