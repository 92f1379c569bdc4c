"""A table driven through the pure core as a worker would drive it, on a time that a test moves.

What a test asks of the rules goes through ``decide`` and ``elapse``. To bring a table into a wanted state, events are made by
hand and folded, for the fold checks nothing; and openings are searched until the wanted order and first roll come up.
"""

from collections.abc import Iterable
from itertools import count

from msgspec.structs import replace

from server.errors import Refused
from server.fairness.draw import faces
from server.fairness.seal import KeyChain, commitment, entropy, turn_order
from server.match.commands import AddBot, BotMove, Command, Commit, Leave, Reveal, Roll, Score, SettingsForm, Sit, Start
from server.match.decide import decide
from server.match.ending import scheduled_turns
from server.match.events import (
    ENTRY_VERSION,
    Cause,
    Code,
    Entry,
    Event,
    MatchId,
    Moved,
    PlayerId,
    Rolled,
    Scored,
    SealAborted,
    Sealed,
)
from server.match.evolve import evolve
from server.match.moment import Fresh, Moment, Policy
from server.match.play import bot_move, choices
from server.match.settings import open_table
from server.match.state import Match, Table, Turn
from server.match.wake import Action, elapse, overdue, wake
from server.match.world import Outage, Pace, PlayerPresence, Presence, World
from server.rules import best_write

T0 = 1_785_000_000_000
ANA, BEN, CARLA, DANI = PEOPLE = tuple(map(PlayerId, ("ana", "ben", "carla", "dani")))
ZED = PlayerId("zed")
"""Never sits."""
POLICY = Policy((15, 30, 45, 60, 90, 120), ("easy", "medium"))
MATCH = MatchId("000102030405060708090a0b0c0d0e0f")
ROOT = bytes(range(32))
NEXT_CODE = Code("ABCDEF")
NO_KEY = "00" * 32
"""Stands for the key in writes made by hand."""


class Game:
    """One table: its state, its log, the time, who is connected, and the keys while a match runs."""

    def __init__(self, creator: PlayerId = ANA, **form) -> None:
        self.now = T0
        self.entries: list[Entry] = []
        self.present: dict[PlayerId, PlayerPresence] = {}
        self.empty_since: int | None = None
        self.outages: tuple[Outage, ...] = ()
        self.pace = Pace(0, 0)
        self.keys: KeyChain | None = None
        self.shares: dict[int, bytes] = {}
        self.fresh = Fresh(MATCH, ROOT, NEXT_CODE)
        self._numbers = count()
        self._table: Table | None = None
        self.append((open_table(creator, SettingsForm(**({"sheet": "generala"} | form)), POLICY, self.now),))
        self.connect(creator)

    # --- looking ---

    @property
    def table(self) -> Table:
        assert self._table is not None
        return self._table

    @property
    def match(self) -> Match:
        assert self.table.match is not None
        return self.table.match

    @property
    def turn(self) -> Turn:
        assert self.match.turn is not None
        return self.match.turn

    @property
    def on_turn(self) -> PlayerId | None:
        return self.match.seats[self.turn.seat].player

    @property
    def open_boxes(self) -> list[str]:
        """The boxes that the seat on turn has not written, in sheet order."""
        boxes = self.match.sheets[self.turn.seat].boxes
        return [box for box in self.table.rules.box_keys if box not in boxes]

    @property
    def deadline(self) -> int:
        assert self.turn.deadline is not None
        return self.turn.deadline

    @property
    def world(self) -> World:
        return World(Presence(dict(self.present), self.empty_since), self.outages, self.pace)

    @property
    def events(self) -> list[Event]:
        return [entry.event for entry in self.entries]

    def all(self, kind) -> list:
        """The events of one kind."""
        return [event for event in self.events if isinstance(event, kind)]

    def next_action(self) -> Action | None:
        coming = wake(self.table, self.world)
        return None if coming is None else coming.action

    def moment(self) -> Moment:
        return Moment(self.now, self.world, POLICY, self.keys, self.fresh)

    # --- acting ---

    def append(self, events: Iterable[Event], cause: Cause | None = None) -> None:
        for event in events:
            own = cause if event is _caused(events) else None
            self.entries.append(Entry(version=ENTRY_VERSION, event=event, nonce=f"{next(self._numbers):x}", cause=own))
            self._table = evolve(self._table, event, own)
            if isinstance(event, Sealed):
                self.keys = KeyChain(bytes.fromhex(event.match), self.fresh.root, event.turns)
                self.fresh = Fresh(MatchId(f"{next(self._numbers):032x}"), bytes([next(self._numbers) % 256]) * 32, NEXT_CODE)
            elif isinstance(event, SealAborted):
                self.keys = None

    def catch_up(self) -> None:
        """What is overdue happens before a command that arrives now."""
        while (action := overdue(self.table, self.world, self.now)) is not None:
            happened = elapse(self.table, action, self.moment())
            if not happened:
                break
            self.append(happened)

    def do(self, player: PlayerId | None, command: Command) -> tuple[Event, ...]:
        """What a command that arrives now leads to."""
        self.catch_up()
        events = decide(self.table, player, command, self.moment())
        cause = Cause(player, command.id) if player is not None and command.id is not None else None
        self.append(events, cause)
        return events

    def code(self, player: PlayerId | None, command: Command) -> str | None:
        """The code that a command is refused with, None if it is not. Nothing that is refused may change the table."""
        self.catch_up()
        before = self.table
        try:
            self.do(player, command)
        except Refused as error:
            refused = error
        else:
            return None
        assert refused.message
        assert self.table == before
        return refused.code

    def fire(self, action: Action) -> tuple[Event, ...]:
        """Let one thing happen that happens by itself."""
        events: tuple[Event, ...]
        if action == "bot":
            events = bot_move(self.table, self.bot_wish(), self.chain, self.now)
        elif action == "open_next":
            assert self.table.next_code is not None
            events = (Moved(at=self.now, code=self.table.next_code),)
        else:
            events = elapse(self.table, action, self.moment())
        self.append(events)
        return events

    def until(self, at: int) -> list[Event]:
        """Let the time go to ``at``; all that is due happens, each at its time."""
        happened: list[Event] = []
        while (coming := wake(self.table, self.world)) is not None and coming.at_ms <= at:
            self.now = max(self.now, coming.at_ms)
            events = self.fire(coming.action)
            assert events, coming
            happened += events
        self.now = max(self.now, at)
        return happened

    def wait(self, ms: int) -> list[Event]:
        return self.until(self.now + ms)

    def bot_wish(self) -> BotMove:
        """A plain bot: one roll, then the box that a time-out would write."""
        turn = self.turn
        if not turn.roll:
            return BotMove(seat=turn.seat, expect=self.match.last_play_n)
        box = next(iter(choices(self.table, self.match)))
        if box != "roll_off":
            box = best_write(self.table.rules, self.match.sheets[turn.seat], turn.dice, turn.roll)
        return BotMove(seat=turn.seat, expect=self.match.last_play_n, box=box)

    @property
    def chain(self) -> KeyChain:
        assert self.keys is not None
        return self.keys

    # --- who is there ---

    def connect(self, player: PlayerId) -> None:
        self.present[player] = PlayerPresence(True, self.now)
        self.empty_since = None

    def drop(self, player: PlayerId) -> None:
        self.present[player] = PlayerPresence(False, self.now)
        if not any(known.is_connected for known in self.present.values()):
            self.empty_since = self.now

    def outage(self, from_ms: int, to_ms: int) -> None:
        """The service was down; nothing happened meanwhile."""
        self.outages += (Outage(from_ms, to_ms),)
        self.now = max(self.now, to_ms)

    # --- the seal ---

    def seal(self, order: tuple[int, ...] | None = None, first: str = "", start: int = 0) -> None:
        """Start and open; turn order ascending or as wished; ``first`` are the faces of the first roll, in any order."""
        self.do(self.table.creator, Start())
        self.shares = opening(self, tuple(self.match.seats) if order is None else order, first, start)
        for seat in self.match.humans:
            self.do(self.match.seats[seat].player, self.commitment(seat))
        for seat in self.match.humans:
            self.do(self.match.seats[seat].player, self.contribution(seat))

    def commitment(self, seat: int) -> Commit:
        """What a seat that plays fair commits."""
        return Commit(commitment=commitment(self.match.id_bytes, seat, self.shares.get(seat, bytes(32))).hex())

    def contribution(self, seat: int) -> Reveal:
        """What it reveals then."""
        return Reveal(entropy=self.shares.get(seat, bytes(32)).hex())

    # --- the match ---

    def roll(self, held: tuple[int, ...] = ()) -> tuple[Event, ...]:
        """The human on turn rolls."""
        return self.do(self.on_turn, self.rolling(held))

    def score(self, box: str) -> tuple[Event, ...]:
        """The human on turn writes."""
        return self.do(self.on_turn, self.writing(box))

    def rolling(self, held: tuple[int, ...] = (), *, expect: int | None = None) -> Roll:
        """A roll bound to the last event, or to ``expect``."""
        return Roll(held=held, expect=self.match.n if expect is None else expect)

    def writing(self, box: str, *, expect: int | None = None) -> Score:
        return Score(box=box, expect=self.match.n if expect is None else expect)

    def leave(self, player: PlayerId) -> tuple[Event, ...]:
        return self.do(player, Leave())

    def force_roll(self, dice: str, *, roll: int | None = None, auto: bool = False) -> None:
        """A roll made by hand: the faces in ``dice``, as the next roll of the turn or the one given."""
        turn = self.turn
        number = turn.roll + 1 if roll is None else roll
        shown = tuple(map(int, dice))
        self.append((Rolled(at=self.now, turn=turn.number, seat=turn.seat, roll=number, held=(), dice=shown, auto=auto),))

    def force_score(self, box: str, points: int = 0, *, bonus: int = 0, auto: bool = False) -> None:
        """A write made by hand."""
        turn = self.turn
        self.append(
            (Scored(at=self.now, turn=turn.number, seat=turn.seat, box=box, points=points, bonus=bonus, auto=auto, key=NO_KEY),)
        )

    def fill(self, totals: Iterable[int], left: int = 0) -> None:
        """Write by hand until every seat has ``left`` open boxes (the last of the sheet) and, in seat order, these totals.

        The whole total goes into the first box, 0 into the others.
        """
        wanted = dict(zip(self.match.seats, totals, strict=True))
        boxes = self.table.rules.box_keys
        until = scheduled_turns(self.table, self.match) - left * len(wanted)
        while self.match.turn is not None and self.turn.number <= until:
            done = len(self.match.sheets[self.turn.seat].boxes)
            self.force_score(boxes[done], wanted[self.turn.seat] if done == 0 else 0)

    def paper(self, seat: int, boxes: dict[str, int]) -> None:
        """Put a whole sheet in a seat's hands, past the log."""
        sheet = replace(self.match.sheets[seat], boxes=boxes)
        self._table = replace(self.table, match=replace(self.match, sheets={**self.match.sheets, seat: sheet}))


def opening(game: Game, order: tuple[int, ...], first: str, start: int) -> dict[int, bytes]:
    """Contributions of the human seats that lead to a turn order and, if given, to a first roll.

    The last seat's is tried from ``start`` on: a test that wants a rare roll may know where to find it.
    """
    match, key = game.match, game.chain.key(1)
    values = {seat: bytes(32) for seat in match.humans}
    wanted = sorted(map(int, first))
    for number in count(start):
        values[match.humans[-1]] = number.to_bytes(32, "big")
        mixed = entropy(match.id_bytes, values)
        if turn_order(match.id_bytes, mixed, match.seats) != order:
            continue
        if not first or sorted(faces(key, match.id_bytes, mixed, 1, 1)) == wanted:
            return values
    raise AssertionError


def seated(people: int = 2, bots: int = 0, **form) -> Game:
    """A waiting table: Ana is its creator, people sit from seat 0 on, bots after them."""
    game = Game(**({"seats": max(2, people + bots)} | form))
    for seat, player in enumerate(PEOPLE[:people]):
        game.connect(player)
        game.do(player, Sit(seat=seat))
    for _ in range(bots):
        game.do(ANA, AddBot(level="medium"))
    return game


def sealing(people: int = 2, bots: int = 0, **form) -> Game:
    """The same, with the seal begun and nothing committed."""
    game = seated(people, bots, **form)
    game.do(ANA, Start())
    return game


def playing(people: int = 2, bots: int = 0, *, order: tuple[int, ...] | None = None, **form) -> Game:
    """The same, at the beginning of turn 1; turns go from seat to seat unless ``order`` says otherwise."""
    game = seated(people, bots, **form)
    game.seal(order)
    return game


def lucky(people: int, **form) -> Game:
    """The same, and the first roll of turn 1 will be 3-3-3-3-3. For two or three people and a sheet of eleven boxes."""
    game = seated(people, **form)
    game.seal(first="33333", start={2: 40246, 3: 28318}[people])
    return game


def _caused(events: Iterable[Event]) -> Event:
    """The event of an append that a command id belongs to: the last that is a move, else the first."""
    moves = [event for event in events if isinstance(event, Rolled | Scored)]
    return (*moves, *events)[0]
