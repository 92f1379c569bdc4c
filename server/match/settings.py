"""What a creator may choose: wishes in, settings out, or the field that is wrong (protocol.md, ``POST /api/tables``)."""

from typing import Any, Literal

from msgspec import UNSET
from msgspec.structs import replace

from server.errors import Refused
from server.match.commands import SettingsForm
from server.match.events import PlayerId, Settings, SettingsChanged, TableOpened
from server.match.moment import Policy
from server.match.state import Seat, Table
from server.rules import resolve

LEAST_SEATS, MOST_SEATS = 2, 6
DEFAULT_CLOCK = 45
NO_CLOCK = 0


def open_table(creator: PlayerId, form: SettingsForm, policy: Policy, at: int) -> TableOpened:
    """The first entry of a new table. Raises ``Refused`` with the field that is wrong."""
    if form.sheet is UNSET or not form.sheet:
        raise _invalid("sheet", "Name the sheet to play.")
    bots = _bots(form, policy) or ()
    blank = Settings(
        sheet="",  # none yet: whichever is named starts from its own defaults
        preset="standard",
        options={},
        clock=DEFAULT_CLOCK if DEFAULT_CLOCK in policy.clocks else policy.clocks[0],
        seats=min(MOST_SEATS, max(LEAST_SEATS, len(bots) + 1)),
        visibility="private" if form.clock == NO_CLOCK else "public",
        rated=form.clock != NO_CLOCK,
    )
    settings = _applied(blank, form, policy)
    if len(bots) >= settings.seats:
        raise _invalid("bots", "Leave at least one seat for a person.")
    return TableOpened(at=at, creator=creator, settings=settings, bots=bots)


def change_settings(table: Table, form: SettingsForm, policy: Policy, at: int) -> SettingsChanged:
    """The entry that changes what ``form`` names. Raises ``Refused`` with the field that is wrong."""
    bots = _bots(form, policy)
    settings = _applied(table.settings, form, policy)
    if any(seat is not None and (bots is None or seat.is_human) for seat in table.seats[settings.seats :]):
        raise _invalid("seats", "Someone sits on a seat that would go; clear it first.")
    if bots is not None:
        people = sum(seat is not None and seat.is_human for seat in table.seats)
        if len(bots) + max(people, 1) > settings.seats:
            raise _invalid("bots", "There are not so many free seats.")
    return SettingsChanged(at=at, settings=settings, bots=UNSET if bots is None else bots)


def is_rated(settings: Settings, seats: tuple[Seat | None, ...]) -> bool:
    """Whether a match would be rated as things stand: the creator wants it, a named preset, a clock, no bot."""
    has_bot = any(seat is not None and not seat.is_human for seat in seats)
    return settings.rated and settings.preset != "custom" and settings.clock != NO_CLOCK and not has_bot


def _applied(base: Settings, form: SettingsForm, policy: Policy) -> Settings:
    settings = _with_rules(base, form)
    if form.clock is not UNSET:
        if form.clock not in (NO_CLOCK, *policy.clocks):
            raise _invalid("clock", f"Choose a clock of {', '.join(map(str, policy.clocks))} seconds, or 0 for none.")
        settings = replace(settings, clock=form.clock)
    if form.seats is not UNSET:
        if not LEAST_SEATS <= form.seats <= MOST_SEATS:
            raise _invalid("seats", f"A table has {LEAST_SEATS} to {MOST_SEATS} seats.")
        settings = replace(settings, seats=form.seats)
    if form.visibility is not UNSET:
        settings = replace(settings, visibility=form.visibility)
    if form.rated is not UNSET:
        settings = replace(settings, rated=form.rated)
    _check_clockless(settings, form)
    return settings


def _check_clockless(settings: Settings, form: SettingsForm) -> None:
    """A table without a clock is private and unrated; the field to blame is the one just chosen."""
    if settings.clock != NO_CLOCK:
        return
    wrong: tuple[tuple[Literal["visibility", "rated"], bool], ...] = (
        ("visibility", settings.visibility != "private"),
        ("rated", settings.rated),
    )
    for field, is_wrong in wrong:
        if is_wrong:
            chosen = field if getattr(form, field) is not UNSET else "clock"
            raise _invalid(chosen, "Without a clock a table is private and unrated.")


def _with_rules(base: Settings, form: SettingsForm) -> Settings:
    """The base with sheet, preset and options as named; a new sheet starts from its own defaults, a preset from its own."""
    sheet = base.sheet if form.sheet is UNSET else form.sheet
    preset = None if form.preset is UNSET else form.preset
    options = {} if form.options is UNSET else form.options
    if sheet == base.sheet and preset is None:
        if not options:
            return base
        options = _merged(sheet, base.options, options)
    rules = resolve(sheet, preset, options)
    return replace(base, sheet=sheet, preset=rules.preset, options=rules.options)


def _merged(sheet: str, base: dict[str, Any], wishes: dict[str, Any]) -> dict[str, Any]:
    """The options as they are, with those that are named; ``points`` one by one, and what follows others follows on."""
    merged = base | wishes
    inner, wished = base.get("points"), wishes.get("points")
    if isinstance(inner, dict) and isinstance(wished, dict):
        merged["points"] = {name: value for name, value in inner.items() if not _follows(sheet, base, name)} | wished
    return merged


def _follows(sheet: str, options: dict[str, Any], amount: str) -> bool:
    """Whether one of the ``points`` is what it would be anyway, by the sheet or by what the others make of it."""
    rest = {name: value for name, value in options["points"].items() if name != amount}
    try:
        return resolve(sheet, None, options | {"points": rest}).options == options
    except Refused:  # another amount is allowed only beside this one
        return False


def _bots(form: SettingsForm, policy: Policy) -> tuple[str, ...] | None:
    if form.bots is UNSET:
        return None
    for level in form.bots:
        if level not in policy.levels:
            raise _invalid("bots", f"Levels of bots here: {', '.join(policy.levels)}.")
    return tuple(form.bots)


def _invalid(field: str, sentence: str) -> Refused:
    return Refused("invalid", sentence, field)
