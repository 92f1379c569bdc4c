"""Decisions while the dice are sealed: commitments, contributions, and the seal that fails (dice.md, 2 and 3)."""

import re

from server.errors import Refused
from server.fairness.seal import KeyChain, commitment, entropy, turn_order
from server.match.clockwork import SEAL_STEP_MS, seal_deadline
from server.match.commands import Commit, Reveal
from server.match.events import CommitmentTaken, Committed, ContributionTaken, Event, Opened, PlayerId, SealAborted
from server.match.state import Match, Table
from server.match.world import World

_HEX_32 = re.compile(r"[0-9a-f]{64}")


def commit(table: Table, player: PlayerId, command: Commit, at: int) -> tuple[Event, ...]:
    """Take a seat's commitment; the list is shown when the last one is in. The same one again changes nothing."""
    match, seat = _sealing_seat(table, player)
    before = match.commitments.get(seat)
    if before == command.commitment:
        return ()
    if before is not None:
        raise Refused("bad_commitment", "This seat has committed to another value already.")
    if match.committed_at is not None or not _HEX_32.fullmatch(command.commitment):
        raise Refused("bad_commitment", "A commitment is 64 lower-case hex digits.")
    taken = CommitmentTaken(at=at, seat=seat, commitment=command.commitment)
    known = {**match.commitments, seat: command.commitment}
    if len(known) < len(match.humans):
        return (taken,)
    return (taken, Committed(at=at, commitments=_by_key(known)))


def reveal(table: Table, player: PlayerId, command: Reveal, at: int) -> tuple[Event, ...]:
    """Take a seat's contribution; all are shown when the last one is in. The same one again changes nothing."""
    match, seat = _sealing_seat(table, player)
    if match.committed_at is None:
        raise Refused("wrong_phase", "Reveal after the full list of commitments has been shown.")
    if match.contributions.get(seat) == command.entropy:
        return ()
    if not _HEX_32.fullmatch(command.entropy):
        raise Refused("bad_reveal", "A contribution is 64 lower-case hex digits.")
    contribution = bytes.fromhex(command.entropy)
    if commitment(match.id_bytes, seat, contribution).hex() != match.commitments[seat]:
        raise Refused("bad_reveal", "That is not the value this seat committed to.")
    taken = ContributionTaken(at=at, seat=seat, contribution=command.entropy)
    known = {**match.contributions, seat: command.entropy}
    if len(known) < len(match.humans):
        return (taken,)
    return (taken, _opened(match, known, at))


def _opened(match: Match, contributions: dict[int, str], at: int) -> Opened:
    by_seat = {seat: bytes.fromhex(contributions[seat]) for seat in match.humans}
    mixed = entropy(match.id_bytes, by_seat)
    order = turn_order(match.id_bytes, mixed, match.seats)
    return Opened(at=at, contributions=_by_key(contributions), entropy=mixed.hex(), order=order)


def stand(table: Table, player: PlayerId, keys: KeyChain, at: int) -> tuple[Event, ...]:
    """A seat that stands or leaves during the seal aborts it."""
    match, seat = _sealing_seat(table, player)
    return (_aborted(match, (seat,), keys, at),)


def time_out(table: Table, world: World, keys: KeyChain, at: int) -> tuple[Event, ...]:
    """The seal fails when its step has run out: the seats that are missing are cleared."""
    match = table.match
    if match is None or table.phase != "sealing" or at <= seal_deadline(match, world.outages):
        return ()
    done = match.commitments if match.committed_at is None else match.contributions
    return (_aborted(match, tuple(seat for seat in match.humans if seat not in done), keys, at),)


def _aborted(match: Match, seats: tuple[int, ...], keys: KeyChain, at: int) -> SealAborted:
    return SealAborted(at=at, match=match.sealed.match, seats=seats, root=keys.root.hex())


def _sealing_seat(table: Table, player: PlayerId) -> tuple[Match, int]:
    match = table.match
    seat = table.seat_of(player)
    if seat is None:
        raise Refused("not_seated", "You do not sit at this table.")
    if match is None or table.phase != "sealing":
        raise Refused("wrong_phase", f"Only while the dice are sealed, within {SEAL_STEP_MS // 1000} s a step.")
    return match, seat


def _by_key(values: dict[int, str]) -> dict[str, str]:
    return {str(seat): values[seat] for seat in sorted(values)}
