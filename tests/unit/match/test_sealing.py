"""The seal from start to opening, and every way it fails (dice.md 1 to 3 and Abort)."""

import pytest

from server.fairness.seal import KeyChain, commitment, entropy, turn_order
from server.match.commands import Commit, Leave, Reveal, Sit, Stand, Start
from server.match.events import (
    CommitmentTaken,
    Committed,
    ContributionTaken,
    Opened,
    SealAborted,
    Sealed,
    SealedSeat,
    canonical,
)
from server.match.view import table_view
from tests.unit.match.kit import ANA, BEN, CARLA, DANI, MATCH, NEXT_CODE, PEOPLE, ROOT, T0, ZED, playing, sealing, seated

STEP_MS = 10_000
LATENESS_MS = 200
REJOIN_MS = 60_000


def test_start_publishes_the_anchor_of_a_chain_with_a_key_for_every_turn():
    game = seated(2, 1)
    (sealed,) = game.do(ANA, Start())
    assert isinstance(sealed, Sealed)
    assert sealed.turns == 3 * 11
    assert sealed.anchor == KeyChain(bytes.fromhex(MATCH), ROOT, 33).anchor.hex()
    assert (sealed.match, sealed.attempt, sealed.at, sealed.clock) == (MATCH, 1, T0, 45)
    assert sealed.seats == (
        SealedSeat(seat=0, kind="human", player=ANA),
        SealedSeat(seat=1, kind="human", player=BEN),
        SealedSeat(seat=2, kind="bot", level="medium"),
    )
    assert game.table.phase == "sealing"
    assert (game.match.n, game.match.committed_at) == (0, None)


def test_a_table_with_roll_offs_has_keys_for_ten_more_turns_a_seat():
    assert sealing(2, sheet="yahtzee", options={"tie": "roll_off"}).match.sealed.turns == 2 * 13 + 2 * 10


def test_absent_fields_of_a_sealed_seat_are_absent_never_null():
    written = canonical(sealing(1, 1).match.sealed)
    assert b'{"kind":"human","player":"ana","seat":0},{"kind":"bot","level":"medium","seat":1}' in written
    assert b"null" not in written


def test_the_seal_goes_anchor_commitments_list_contributions_opening():
    """H051, order."""
    game = sealing(4)
    for seat, player in enumerate(PEOPLE):
        game.do(player, game.commitment(seat))
    for seat, player in reversed(list(enumerate(PEOPLE))):
        game.do(player, game.contribution(seat))
    kinds = [type(event) for event in game.events if event.at == T0][5:]
    assert kinds == [Sealed, *[CommitmentTaken] * 4, Committed, *[ContributionTaken] * 4, Opened]
    assert game.table.phase == "playing"


def test_no_commitment_and_no_contribution_is_shown_before_all_are_in():
    game = sealing(2)
    game.shares = {0: b"\xa5" * 32, 1: b"\x5a" * 32}
    for seat, player in ((0, ANA), (1, BEN)):
        assert not shows(game, game.commitment(0).commitment)
        game.do(player, game.commitment(seat))
    assert shows(game, game.commitment(0).commitment)
    game.do(ANA, game.contribution(0))
    assert not shows(game, game.shares[0].hex())
    game.do(BEN, game.contribution(1))
    opened = game.all(Opened)[0]
    assert opened.contributions == {"0": "a5" * 32, "1": "5a" * 32}


def shows(game, text):
    view = str(table_view(game.table, NEXT_CODE, game.world.presence, {}))
    told = [str(event) for event in game.events if not isinstance(event, CommitmentTaken | ContributionTaken)]
    return text in view or any(text in event for event in told)


def test_the_opening_follows_from_the_contributions_of_the_people_alone():
    game = playing(2, 1)
    opened = game.all(Opened)[0]
    values = {int(seat): bytes.fromhex(value) for seat, value in opened.contributions.items()}
    assert list(values) == [0, 1]
    assert opened.entropy == entropy(game.match.id_bytes, values).hex()
    assert opened.order == turn_order(game.match.id_bytes, bytes.fromhex(opened.entropy), (0, 1, 2))


def test_one_person_among_bots_seals_alone():
    game = sealing(1, 3)
    assert [type(event) for event in game.do(ANA, game.commitment(0))] == [CommitmentTaken, Committed]
    assert [type(event) for event in game.do(ANA, game.contribution(0))] == [ContributionTaken, Opened]


def test_the_first_turn_starts_when_the_seal_opens():
    game = sealing(2)
    game.now += 4_000
    for seat, player in ((0, ANA), (1, BEN)):
        game.do(player, game.commitment(seat))
    game.now += 9_000
    for seat, player in ((0, ANA), (1, BEN)):
        game.do(player, game.contribution(seat))
    assert (game.turn.number, game.turn.start, game.turn.deadline) == (1, T0 + 13_000, T0 + 58_000)


# --- what does not fit (H051) ---


def committed(people=2):
    game = sealing(people)
    for seat, player in enumerate(PEOPLE[:people]):
        game.do(player, game.commitment(seat))
    return game


def test_a_second_different_commitment_is_refused_and_the_same_again_changes_nothing():
    game = sealing(2)
    game.do(ANA, game.commitment(0))
    assert game.do(ANA, game.commitment(0)) == ()
    assert game.code(ANA, Commit(commitment="ab" * 32)) == "bad_commitment"
    game.do(BEN, game.commitment(1))
    assert game.do(ANA, game.commitment(0)) == ()
    assert game.code(ANA, Commit(commitment="ab" * 32)) == "bad_commitment"


@pytest.mark.parametrize("value", ["", "ab" * 31, "ab" * 33, "AB" * 32, "xy" * 32, "ab" * 32 + "\n", " " + "ab" * 31 + "a"])
def test_values_that_are_not_64_lower_case_hex_digits_are_refused(value):
    assert sealing(2).code(BEN, Commit(commitment=value)) == "bad_commitment"
    assert committed().code(BEN, Reveal(entropy=value)) == "bad_reveal"


def test_a_copied_commitment_is_taken_but_cannot_be_revealed():
    game = sealing(2)
    game.do(ANA, game.commitment(0))
    game.do(BEN, Commit(commitment=game.commitment(0).commitment))
    game.do(ANA, game.contribution(0))
    assert game.code(BEN, game.contribution(0)) == "bad_reveal"


def test_a_value_that_was_not_committed_is_refused():
    assert committed().code(BEN, Reveal(entropy="01" * 32)) == "bad_reveal"


def test_nothing_is_revealed_before_the_list_is_out():
    game = sealing(2)
    game.do(BEN, game.commitment(1))
    assert game.code(BEN, game.contribution(1)) == "wrong_phase"


def test_the_same_contribution_again_changes_nothing_and_another_is_refused():
    game = committed()
    game.do(ANA, game.contribution(0))
    assert game.do(ANA, game.contribution(0)) == ()
    assert game.code(ANA, Reveal(entropy="01" * 32)) == "bad_reveal"


def test_an_all_zero_contribution_is_a_value_like_any_other():
    game = playing(1, 1)
    assert commitment(game.match.id_bytes, 0, bytes(32)).hex() == committed(2).commitment(0).commitment
    assert committed(2).do(ANA, Reveal(entropy="00" * 32))


# --- aborts ---


@pytest.mark.parametrize("command", [Stand(), Leave()])
def test_a_seat_that_stands_or_leaves_in_the_seal_aborts_it(command):
    game = sealing(3)
    version = game.table.version
    assert game.do(BEN, command) == (SealAborted(at=T0, match=MATCH, seats=(1,), root=ROOT.hex()),)
    assert (game.table.phase, game.table.match, game.table.version) == ("waiting", None, version + 1)
    assert [seat and seat.player for seat in game.table.seats] == [ANA, None, CARLA]


@pytest.mark.parametrize(("late_ms", "aborts"), [(STEP_MS, False), (STEP_MS + LATENESS_MS - 1, False), (10_200, True)])
def test_who_has_not_committed_ten_seconds_after_the_seal_is_unseated(late_ms, aborts):
    game = sealing(3)
    game.do(ANA, game.commitment(0))
    game.do(CARLA, game.commitment(2))
    happened = game.wait(late_ms)
    aborted = [SealAborted(at=T0 + 10_200, match=MATCH, seats=(1,), root=ROOT.hex())] if aborts else []
    assert happened == aborted


def test_who_has_not_revealed_ten_seconds_after_the_list_is_unseated():
    game = sealing(3)
    game.now += 9_000
    for seat, player in ((0, ANA), (1, BEN), (2, CARLA)):
        game.do(player, game.commitment(seat))
    game.now += 3_000
    game.do(BEN, game.contribution(1))
    assert game.wait(7_199) == []
    (aborted,) = game.wait(1)
    assert aborted.seats == (0, 2)
    assert [seat and seat.player for seat in game.table.seats] == [None, BEN, None]


@pytest.mark.parametrize(("late_ms", "code"), [(9_995, None), (10_000, None), (10_005, "not_seated")])
def test_a_commitment_counts_if_it_arrives_by_the_end_of_its_step(late_ms, code):
    game = sealing(2)
    game.do(ANA, game.commitment(0))
    command = game.commitment(1)
    game.now += late_ms
    assert game.code(BEN, command) == code
    assert game.table.phase == ("sealing" if code is None else "waiting")


def test_after_an_abort_the_next_seal_is_new_and_counts_as_one_more_attempt():
    game = sealing(3)
    game.do(BEN, Stand())
    (sealed,) = game.do(ANA, Start())
    assert sealed.attempt == 2
    assert sealed.match != MATCH
    assert sealed.anchor != game.all(Sealed)[0].anchor
    assert (game.match.n, game.match.commitments) == (0, {})


@pytest.mark.parametrize(("late_ms", "code"), [(0, "too_fast"), (REJOIN_MS - 1, "too_fast"), (REJOIN_MS, None)])
def test_a_seat_that_broke_a_seal_cannot_sit_there_for_a_minute(late_ms, code):
    game = sealing(3)
    game.do(BEN, Leave())
    game.now += late_ms
    assert game.code(BEN, Sit()) == code
    assert game.code(ZED, Sit()) == (None if code else "seat_taken")


def test_the_bar_is_forgotten_when_it_is_over():
    game = sealing(3)
    game.do(BEN, Stand())
    game.now += REJOIN_MS
    game.do(ANA, Start())
    game.do(CARLA, Stand())
    assert set(game.table.barred) == {CARLA}


def test_an_outage_starts_the_running_step_again():
    game = sealing(2)
    game.do(ANA, game.commitment(0))
    game.outage(T0 + 2_000, T0 + 40_000)
    assert game.until(T0 + 50_199) == []
    assert [type(event) for event in game.until(T0 + 50_200)] == [SealAborted]


def test_an_outage_before_the_seal_gives_nothing():
    game = seated(2)
    game.outage(T0 + 1_000, T0 + 5_000)
    game.now = T0 + 6_000
    game.do(ANA, Start())
    assert [event.at for event in game.wait(STEP_MS + LATENESS_MS)] == [T0 + 16_200]


def test_bots_keep_their_seats_through_an_abort():
    game = sealing(1, 2)
    game.wait(STEP_MS + LATENESS_MS)
    assert [seat and seat.level for seat in game.table.seats] == [None, "medium", "medium"]


def test_only_the_seated_seal_and_only_while_the_dice_are_sealed():
    game = sealing(2)
    assert game.code(DANI, game.commitment(0)) == "not_seated"
    assert game.code(DANI, Leave()) == "not_seated"
    assert seated(2).code(ANA, Commit(commitment="ab" * 32)) == "wrong_phase"
    assert playing(2).code(ANA, Reveal(entropy="ab" * 32)) == "wrong_phase"
