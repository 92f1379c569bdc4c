"""Any sequence of commands, wakes, outages and absences at one table: what must always hold, holds, and every match ends.

What is checked after every step is in ``tests.unit.match.watch``. Most steps are sensible, so that matches get far; some are
anything at all, from anyone, at any time.
"""

import hypothesis.strategies as st
import pytest
from hypothesis import settings
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule, run_state_machine_as_test

from server.match.commands import (
    AddBot,
    BotMove,
    ChangeSettings,
    Close,
    ComeBack,
    Commit,
    Leave,
    Nudge,
    Rematch,
    Reveal,
    Roll,
    Score,
    Seen,
    Sit,
    Stand,
    Start,
    Unseat,
)
from server.match.ending import scheduled_turns
from server.match.events import Closed
from server.match.play import choices
from server.match.wake import wake
from tests.unit.match.kit import PEOPLE, ZED, Game
from tests.unit.match.watch import Watch

MOST_STEPS_TO_THE_END = 1_000
EVERYBODY = (*PEOPLE, ZED, None)
PAUSES_MS = (0, 1, 200, 999, 3_000, 10_200, 44_999, 45_200, 60_000, 300_000, 600_000, 86_400_000)

generala = st.fixed_dictionaries(
    {"tie": st.sampled_from(["share", "roll_off"])},
    optional={
        "served_generala": st.sampled_from(["plain", "plus5", "points60", "points100", "wins"]),
        "doble": st.sampled_from(["on", "off"]),
        "doble_needs_generala": st.booleans(),
        "ace_high_straight": st.booleans(),
    },
)
others = [{"sheet": "yahtzee"}, {"sheet": "yahtzee", "options": {"tie": "roll_off"}}, {"sheet": "yahtzee3"}]
generalas = st.builds(lambda options: {"sheet": "generala", "options": options}, generala)
sheets = st.one_of(generalas, generalas, st.sampled_from(others))
clocks = st.sampled_from([15, 45, 0])
forms = st.builds(lambda form, clock: form | {"clock": clock}, sheets, clocks)
begun = st.sampled_from(["not", "just", "nearly over", "nearly level"])
people = st.sampled_from(EVERYBODY)
masks = st.lists(st.integers(0, 4), unique=True, max_size=4).map(lambda held: tuple(sorted(held)))
bad_masks = st.sampled_from([(0, 1, 2, 3, 4), (1, 0), (2, 2), (7,)])
hexes = st.sampled_from(["00" * 32, "ab" * 32, "", "AB" * 32])
refs = st.sampled_from([None, None, "a", "b"])


class WilfulBots(Game):
    """Bots that roll again as the last head happens to say."""

    def bot_wish(self) -> BotMove:
        plain = super().bot_wish()
        bits = self.match.head[1]
        if self.turn.roll in (1, 2) and bits % 3:
            held = tuple(position for position in range(4) if bits >> position & 1)
            return BotMove(seat=plain.seat, expect=plain.expect, held=held)
        return plain


@st.composite
def commands(draw, n, boxes):
    """Any command at all; indices near the last one, boxes of the sheet and some others."""
    expect = n + draw(st.sampled_from([0, 0, 0, -1, 1, -3, 10**9]))
    return draw(
        st.one_of(
            st.builds(Sit, id=refs, seat=st.sampled_from([None, 0, 1, 5, -1])),
            st.sampled_from([Stand(), Start(), Start(version=3), Close(), Leave(), ComeBack(), Nudge(), Rematch()]),
            st.builds(AddBot, level=st.sampled_from(["easy", "medium", "none"])),
            st.builds(Unseat, seat=st.integers(-1, 6)),
            st.builds(ChangeSettings, clock=clocks, seats=st.integers(2, 6)),
            st.builds(Commit, id=refs, commitment=hexes),
            st.builds(Reveal, id=refs, entropy=hexes),
            st.builds(Roll, id=refs, held=st.one_of(masks, bad_masks), expect=st.just(expect)),
            st.builds(Score, id=refs, box=st.sampled_from([*boxes, "roll_off", "nothing"]), expect=st.just(expect)),
            st.builds(Seen, turn=st.integers(-1, 5), key=hexes),
        )
    )


class MatchMachine(RuleBasedStateMachine):
    @initialize(form=forms, persons=st.integers(1, 4), bots=st.sampled_from([0, 0, 1, 2]), begun=begun)
    def open(self, form, persons, bots, begun):
        """A table with people and bots, waiting, sealed, or nearly at the end of its match; level there: all with 0 points."""
        self.spoils = begun == "nearly level"
        self.game = WilfulBots(seats=max(2, persons + bots), **form)
        self.watch = Watch(self.game)
        for player in PEOPLE[:persons]:
            self.game.connect(player)
            self.game.do(player, Sit())
        for _ in range(bots):
            self.game.do(PEOPLE[0], AddBot(level="easy"))
        if begun != "not":
            self.seal()
        if begun.startswith("nearly") and self.is_playing():
            self.play(turns=scheduled_turns(self.game.table, self.game.match) - 2, seed=persons, idle=None)

    def is_open(self):
        return not self.game.table.is_closed

    def is_playing(self):
        return self.is_open() and self.game.table.phase == "playing"

    # --- sensible steps ---

    @precondition(lambda self: self.is_open() and self.game.table.phase == "waiting")
    @rule()
    def seal(self):
        """All do their part, if there are enough of them."""
        game = self.game
        game.wait(5_000)
        if game.table.is_closed or game.code(game.table.creator, Start()) is not None:
            return
        for step in (game.commitment, game.contribution):
            for seat in game.match.humans:
                game.do(game.match.seats[seat].player, step(seat))

    @precondition(lambda self: self.is_open() and self.game.table.phase == "waiting")
    @rule()
    def start(self):
        self.game.code(self.game.table.creator, Start())

    @precondition(lambda self: self.is_open() and self.game.table.phase == "sealing")
    @rule(pick=st.integers(0, 3))
    def seal_one(self, pick):
        game = self.game
        humans = game.match.humans
        seat = humans[pick % len(humans)]
        step = game.commitment if game.match.committed_at is None else game.contribution
        game.code(game.match.seats[seat].player, step(seat))

    @precondition(is_playing)
    @rule(turns=st.sampled_from([1, 4, 20, 100]), seed=st.integers(0, 10**6), idle=st.sampled_from([None, None, *PEOPLE]))
    def play(self, turns, seed, idle):
        """So many turns by hand; one player may let theirs run out."""
        game = self.game
        for turn in range(turns):
            game.wait((seed + turn) % 3 * 400)
            if game.table.phase != "playing" or game.turn.seat in game.match.resigned:
                return
            if game.on_turn is not None and game.on_turn != idle:
                self.take_turn(seed + turn)
            elif game.turn.deadline is not None:
                game.until(game.turn.deadline + 200)

    def take_turn(self, seed):
        game = self.game
        while game.turn.roll < 3:
            paid = [pays.points for pays in choices(game.table, game.match).values()]
            if 0 in paid if self.spoils else game.turn.roll > seed % 3:
                break
            game.code(game.on_turn, game.rolling((seed % 5,) if game.turn.roll else ()))
            if game.table.phase != "playing":
                return
        boxes = choices(game.table, game.match)
        box = min(boxes, key=lambda box: boxes[box].points) if self.spoils else list(boxes)[seed % len(boxes)]
        game.code(game.on_turn, game.writing(box))

    @precondition(is_playing)
    @rule(held=masks)
    def roll(self, held):
        self.game.code(self.game.on_turn, self.game.rolling(held if self.game.turn.roll else ()))

    @precondition(lambda self: self.is_playing() and self.game.turn.roll)
    @rule(pick=st.integers(0, 38))
    def score(self, pick):
        boxes = list(choices(self.game.table, self.game.match))
        self.game.code(self.game.on_turn, self.game.writing(boxes[pick % len(boxes)]))

    @precondition(is_playing)
    @rule(player=people, step=st.sampled_from([Leave(), Nudge()]))
    def step_out(self, player, step):
        self.game.code(player, step)

    @precondition(lambda self: self.is_playing() and any(map(self.game.match.is_away, self.game.match.humans)))
    @rule(player=people)
    def come_back(self, player):
        self.game.code(player, ComeBack())

    @precondition(lambda self: self.is_open() and self.game.table.phase == "finished")
    @rule(player=people, step=st.sampled_from([Rematch(), Leave()]))
    def after_the_end(self, player, step):
        self.game.code(player, step)

    # --- anything ---

    @precondition(is_open)
    @rule(data=st.data(), player=people, late_ms=st.sampled_from([0, 0, 0, 1, 3_000]))
    def command(self, data, player, late_ms):
        """Anyone says anything, perhaps through a worker whose clock is behind; the same id again is never applied twice."""
        game = self.game
        match = game.table.match
        command = data.draw(commands(0 if match is None else match.n, game.table.rules.box_keys))
        if match is not None and player is not None and command.id and match.event_caused_by(player, command.id) is not None:
            return
        now = game.now
        game.now -= late_ms
        game.code(player, command)
        game.now = now
        game.until(now)

    @rule(pause_ms=st.sampled_from(PAUSES_MS))
    def wait(self, pause_ms):
        """A while; the one step that is left when the table is closed. At most a turn while a match is played."""
        self.game.wait(min(pause_ms, 45_200) if self.is_playing() else pause_ms)

    @precondition(is_open)
    @rule(player=st.sampled_from(PEOPLE), is_there=st.booleans())
    def come_or_go(self, player, is_there):
        if is_there:
            self.game.connect(player)
        else:
            self.game.drop(player)
        self.game.until(self.game.now)

    @precondition(is_open)
    @rule(for_ms=st.sampled_from([3_500, 30_000, 3_600_000]))
    def outage(self, for_ms):
        self.game.outage(self.game.now, self.game.now + for_ms)
        self.game.until(self.game.now)

    # --- what holds ---

    @invariant()
    def all_is_well(self):
        self.watch.look()

    def teardown(self):
        """Everybody goes away: whatever was going on ends, and so does the table."""
        if not hasattr(self, "game"):
            return
        game = self.game
        for player in PEOPLE:
            game.drop(player)
        for _ in range(MOST_STEPS_TO_THE_END):
            coming = wake(game.table, game.world)
            if coming is None:
                break
            game.now = max(game.now, coming.at_ms)
            assert game.fire(coming.action)
        assert isinstance(game.events[-1], Closed)
        self.watch.look()
        if game.table.match is not None:
            assert game.match.finished is not None
            self.watch.verify()


def test_whatever_happens_at_a_table_its_rules_hold_and_it_ends():
    run_state_machine_as_test(MatchMachine, settings=settings(max_examples=60, stateful_step_count=40))


@pytest.mark.long
@pytest.mark.parametrize(("tables", "steps"), [(500, 15), (160, 50), (50, 200)])
def test_whatever_happens_at_many_tables_their_rules_hold_and_they_end(tables, steps):
    run_state_machine_as_test(MatchMachine, settings=settings(max_examples=tables, stateful_step_count=steps))
