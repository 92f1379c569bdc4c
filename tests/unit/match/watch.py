"""A second pair of eyes: follows a game's log beside the core and asserts what must hold of every entry and every state.

It keeps its own count of turns, rolls, boxes and points, its own chain of heads, and its own state from entries that were
written and read again.
"""

import json
from collections import Counter

import msgspec

from server.fairness.draw import faces, keep
from server.fairness.seal import KeyChain
from server.fairness.transcript import first_head, next_head
from server.match.events import (
    CommitmentTaken,
    ContributionTaken,
    Entry,
    Event,
    Finished,
    Left,
    Opened,
    Rolled,
    Scored,
    SealAborted,
    Sealed,
    canonical,
)
from server.match.evolve import MATCH_EVENTS, evolve
from server.match.state import Match, Table
from server.match.view import table_view, wire_head
from server.rules import ceiling, is_full, total
from tests.outside.verifier import verify
from tests.unit.match.kit import NEXT_CODE, Game

FACTORS = {"x2": 2, "x3": 3}


class Watch:
    """What has been seen of a game so far. ``look`` sees the rest."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.seen = 0
        self.table: Table | None = None
        self.last_at = 0
        self.head: bytes
        self.chain: KeyChain
        self.look()

    def look(self) -> None:
        """See the new entries, then the state that they led to."""
        for entry in self.game.entries[self.seen :]:
            self._see(entry)
        self.seen = len(self.game.entries)
        assert self.table == self.game.table, "the fold of the written log is the live state"
        assert self.table.length == self.seen
        if self.table.match is not None:
            self._check_match(self.table, self.table.match)
        self._check_secrets()

    # --- entries ---

    def _see(self, entry: Entry) -> None:
        read = msgspec.msgpack.decode(msgspec.msgpack.encode(entry), type=Entry)
        assert read == entry
        event = read.event
        assert event.at >= self.last_at, "times never decrease"
        self.last_at = event.at
        if isinstance(event, Sealed):
            self._begin(event)
        elif type(event) in MATCH_EVENTS:
            self.n += 1
            self.head = next_head(self.head, canonical(event))  # type: ignore[arg-type]
            self.events.append(event)
            self._see_play(event)
        elif isinstance(event, CommitmentTaken | ContributionTaken):
            self.hidden.append(event.commitment if isinstance(event, CommitmentTaken) else event.contribution)
        elif isinstance(event, SealAborted):
            assert event.root == self.chain.root.hex()
        self.table = evolve(self.table, event, read.cause)

    def _begin(self, event: Sealed) -> None:
        self.events: list[Event] = [event]
        self.n, self.head = 0, first_head(bytes.fromhex(event.match), canonical(event))
        self.chain = self.game.chain
        assert event.anchor == self.chain.anchor.hex()
        self.hidden: list[str] = []
        self.rolls: dict[int, list[Rolled]] = {}
        self.written: dict[int, set[str]] = {seat.seat: set() for seat in event.seats}
        self.sums: Counter[int] = Counter()
        self.ended: set[int] = set()
        self.resigned: list[int] = []

    def _see_play(self, event: Event) -> None:
        match event:
            case Opened():
                self.hidden.clear()
            case Rolled():
                self._check_turn(event)
                self._see_roll(event)
            case Scored():
                self._check_turn(event)
                self._see_write(event)
            case Left():
                assert event.seat not in self.resigned
                self.resigned.append(event.seat)
            case Finished():
                self._see_end(event)
        if len(self.events) == 2:
            self.hidden.clear()

    def _check_turn(self, event: Rolled | Scored) -> None:
        """It is that seat's turn, and the move is on the right side of the deadline."""
        match = self._match()
        turn = match.turn
        assert turn is not None
        assert (event.turn, event.seat) == (turn.number, turn.seat)
        assert event.turn not in self.ended, "never two writes for a turn"
        if not match.seats[event.seat].is_human:
            assert not event.auto
        elif turn.deadline is not None:
            assert event.at >= turn.deadline if event.auto else event.at <= turn.deadline
        if event.seat in match.resigned or match.is_away(event.seat):
            assert event.auto, "a return comes first"

    def _see_roll(self, event: Rolled) -> None:
        match = self._match()
        rolls = self.rolls.setdefault(event.turn, [])
        assert event.roll == len(rolls) + 1 <= 3, "never a fourth roll"
        assert event.held == tuple(sorted(set(event.held)))
        assert len(event.held) < 5
        assert not event.held or rolls
        drawn = faces(self.chain.key(event.turn), match.id_bytes, match.entropy, event.turn, event.roll)
        assert event.dice == keep(event.held, rolls[-1].dice if rolls else drawn, drawn)
        if event.auto:
            assert (event.roll, event.held) == (1, ())
        rolls.append(event)

    def _see_write(self, event: Scored) -> None:
        assert self.rolls[event.turn], "no write without a roll"
        assert event.key == self.chain.key(event.turn).hex()
        self.ended.add(event.turn)
        if event.box == "roll_off":
            assert (event.points, event.bonus) == (sum(self.rolls[event.turn][-1].dice), 0)
            return
        assert event.box not in self.written[event.seat]
        self.written[event.seat].add(event.box)
        self.sums[event.seat] += (event.points + event.bonus) * FACTORS.get(event.box.partition(":")[0], 1)

    def _see_end(self, event: Finished) -> None:
        match = self._match()
        assert event.totals == {str(seat): self.sums[seat] for seat in match.seats}
        assert event.root == self.chain.root.hex()
        behind = sorted(self.resigned, key=lambda seat: event.places[str(seat)])
        assert behind == self.resigned[::-1], "of those who resigned the later is ahead"
        assert all(event.places[str(seat)] > len(match.staying) for seat in behind)
        assert min(event.places.values()) == 1
        if event.reason == "full":
            assert self._table().rules.has_roll_off or len(self.ended) == len(match.seats) * self._table().rules.rounds

    # --- states ---

    def _check_match(self, table: Table, match: Match) -> None:
        assert (match.n, match.head) == (self.n, self.head)
        assert wire_head(table) == (self.n, self.head.hex()[:16])
        assert match.n + 1 == len(self.events)
        for seat, sheet in match.sheets.items():
            assert set(sheet.boxes) == self.written[seat], "as many boxes are filled as turns were written"
            assert total(table.rules, sheet) == self.sums[seat] <= ceiling(table.rules)
        if match.turn is not None:
            assert match.turn.number <= match.sealed.turns
            assert match.turn.roll == len(self.rolls.get(match.turn.number, []))
        if match.finished is not None and match.finished.reason == "full":
            assert all(is_full(table.rules, sheet) for sheet in match.sheets.values())

    def _check_secrets(self) -> None:
        """Nothing that is still secret is in what people are shown, nor kept in the state."""
        game = self.game
        view = json.dumps(msgspec.to_builtins(table_view(game.table, NEXT_CODE, game.world.presence, {})))
        match = game.table.match
        if match is None or match.finished is not None:
            return
        assert not any(value in view for value in self.hidden)
        assert self.chain.root.hex() not in view
        if match.turn is not None:
            secret = self.chain.key(match.turn.number)
            assert secret.hex() not in view
            assert secret.hex() not in repr(match)
            assert repr(secret) not in repr(match)

    def verify(self) -> None:
        """The finished match passes a check that knows nothing of this program."""
        match = self._match()
        events = [json.loads(canonical(event)) for event in self.events]  # type: ignore[arg-type]
        export = {
            "format": "cubilete-match/1", "match": match.sealed.match, "events": events, "head": match.head.hex()
        }  # fmt: skip
        assert verify(json.dumps(export).encode()) == []

    def _table(self) -> Table:
        assert self.table is not None
        return self.table

    def _match(self) -> Match:
        match = self._table().match
        assert match is not None
        return match
