"""After the end: asking for another match, leaving, being moved, and the end of the code (protocol.md, ``rematch``)."""

import pytest

from server.match.commands import Leave, Rematch, Sit, Stand
from server.match.events import BotAdded, Closed, Moved, RematchAgreed, RematchAsked, Sat, TableOpened, WalkedOff
from server.match.evolve import evolve
from server.match.lobby import everybody_asked, next_table, wanted_for_rematch
from tests.unit.match.kit import ANA, BEN, CARLA, DANI, NEXT_CODE, PEOPLE, ZED, Game, playing

DAY_MS = 24 * 3_600_000


def ended(people=2, bots=0, **form):
    """A match that has just ended by its last box."""
    game = playing(people, bots, **form)
    game.fill(range(people + bots), left=1)
    while game.table.phase == "playing":
        if game.match.seats[game.turn.seat].is_human:
            game.roll()
            game.score("doble")
        else:
            game.wait(0)
    return game


def next_of(game):
    """The table that a rematch opens."""
    table = None
    for event in next_table(game.table, game.now):
        table = evolve(table, event)
    assert table is not None
    return table


def who(table):
    return [None if seat is None else seat.player or seat.level for seat in table.seats]


def test_a_rematch_opens_when_everybody_who_stayed_has_asked():
    game = ended(3)
    assert game.do(BEN, Rematch()) == (RematchAsked(at=game.now, player=BEN),)
    game.do(ANA, Rematch())
    assert game.next_action() == "expire"
    game.do(CARLA, Rematch())
    assert game.next_action() == "agree"
    happened = game.until(game.now)
    assert happened == [RematchAgreed(at=game.now, code=NEXT_CODE), Moved(at=game.now, code=NEXT_CODE)]
    assert game.table.is_moved


def test_both_press_rematch_at_once_and_one_table_opens():
    """H065, first."""
    game = ended(2)
    game.do(ANA, Rematch())
    game.do(BEN, Rematch())
    game.until(game.now + 1)
    assert len(game.all(RematchAgreed)) == len(game.all(Moved)) == 1


def test_the_next_table_has_the_same_settings_and_everyone_on_the_seat_they_had():
    game = ended(2, clock=30, preset="rio")
    for player in (ANA, BEN):
        game.do(player, Rematch())
    table = next_of(game)
    assert table.settings == game.table.settings
    assert (table.creator, who(table)) == (ANA, [ANA, BEN])


def test_bots_are_on_the_seats_they_had_whatever_those_were():
    game = Game(seats=4, bots=["medium"])
    game.do(ANA, Sit(seat=2))
    game.append((BotAdded(at=game.now, seat=0, level="easy"),))
    game.seal()
    game.leave(ANA)
    game.until(game.now)
    game.do(ANA, Rematch())
    assert who(next_of(game)) == ["easy", None, ANA, "medium"]


def test_a_rematch_waits_for_one_who_says_nothing():
    """H065, the fourth stays silent."""
    game = ended(4)
    for player in PEOPLE[:3]:
        game.do(player, Rematch())
    assert game.next_action() == "expire"
    assert wanted_for_rematch(game.match) - game.match.rematch == {DANI}


def test_a_rematch_does_not_wait_for_one_who_left():
    """H065, the fourth leaves."""
    game = ended(4)
    for player in PEOPLE[:3]:
        game.do(player, Rematch())
    assert game.do(DANI, Leave()) == (WalkedOff(at=game.now, player=DANI),)
    assert game.do(DANI, Leave()) == ()
    game.until(game.now)
    assert who(next_of(game)) == [ANA, BEN, CARLA, None]


def test_a_rematch_does_not_wait_for_one_who_resigned_but_takes_one_who_asks():
    game = playing(3)
    game.leave(CARLA)
    game.leave(BEN)
    game.do(BEN, Rematch())
    assert game.next_action() == "expire"
    game.do(ANA, Rematch())
    assert game.next_action() == "agree"
    assert who(next_of(game)) == [ANA, BEN, None]


def test_asking_twice_changes_nothing():
    game = ended(2)
    game.do(ANA, Rematch())
    assert game.do(ANA, Rematch()) == ()


def test_asking_and_leaving_undo_each_other():
    game = ended(2)
    game.do(ANA, Rematch())
    game.do(ANA, Leave())
    assert game.match.rematch == frozenset()
    game.do(BEN, Leave())
    assert not everybody_asked(game.match), "nobody is left to play another match"
    assert game.next_action() == "expire"
    game.do(BEN, Rematch())
    assert game.match.walked_off == {ANA}
    assert who(next_of(game)) == [None, BEN]
    assert next_of(game).creator == BEN


def test_one_who_left_and_asks_after_all_gets_a_rematch_with_the_bots():
    game = ended(1, 1)
    game.do(ANA, Leave())
    game.do(ANA, Rematch())
    game.fire("agree")
    assert who(next_of(game)) == [ANA, "medium"]


def test_after_it_is_agreed_nobody_drops_out_of_the_next_table():
    game = ended(1, 1)
    game.do(ANA, Rematch())
    game.fire("agree")
    assert game.do(ANA, Leave()) == ()
    assert who(next_of(game)) == [ANA, "medium"]


def test_the_next_table_passes_to_one_who_asked_when_the_creator_is_gone():
    game = ended(3)
    for player in (BEN, CARLA):
        game.do(player, Rematch())
    game.do(ANA, Leave())
    opened, *rest = next_table(game.table, game.now)
    assert isinstance(opened, TableOpened)
    assert (opened.creator, rest) == (BEN, [Sat(at=game.now, seat=1, player=BEN), Sat(at=game.now, seat=2, player=CARLA)])


def test_a_rematch_is_for_those_who_played_and_after_the_end():
    assert playing(2).code(ANA, Rematch()) == "wrong_phase"
    game = ended(2)
    assert [game.code(ZED, Rematch()), game.code(ZED, Leave()), game.code(None, Rematch())] == ["not_seated"] * 3
    assert [game.code(ANA, Stand()), game.code(ZED, Sit())] == ["wrong_phase", "wrong_phase"]


@pytest.mark.parametrize("is_moved", [False, True])
def test_a_finished_table_is_readable_for_a_day(is_moved):
    game = ended(2)
    end = game.now
    if is_moved:
        for player in (ANA, BEN):
            game.do(player, Rematch())
    assert [event for event in game.until(end + DAY_MS - 1) if isinstance(event, Closed)] == []
    assert game.until(end + DAY_MS) == [Closed(at=end + DAY_MS, reason="expired")]
    assert game.next_action() is None
