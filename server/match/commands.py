"""What a player can ask of a table. Each may carry ``id``, by which it is applied once; the wire names are the protocol's."""

from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

CommandId = Annotated[str, Meta(max_length=40)]


class _Command(Struct, frozen=True, forbid_unknown_fields=True, tag_field="type", kw_only=True):
    id: CommandId | None = None


class Sit(_Command, frozen=True, tag="sit"):
    """Take a seat: the one named, else the first free one."""

    seat: int | None = None


class Stand(_Command, frozen=True, tag="stand"):
    """Give the seat back; during a seal this aborts it."""


class AddBot(_Command, frozen=True, tag="add_bot"):
    """Let a bot of a level take the first free seat."""

    level: str


class Unseat(_Command, frozen=True, tag="unseat"):
    """Clear a seat."""

    seat: int


class SettingsForm(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The creator's wishes as they come in; what is absent is left to the defaults, or as it was."""

    sheet: str | UnsetType = UNSET
    preset: str | UnsetType = UNSET
    options: dict[str, Any] | UnsetType = UNSET
    clock: int | UnsetType = UNSET
    seats: int | UnsetType = UNSET
    bots: list[str] | UnsetType = UNSET
    visibility: Literal["public", "private"] | UnsetType = UNSET
    rated: bool | UnsetType = UNSET


class ChangeSettings(SettingsForm, frozen=True, forbid_unknown_fields=True, tag_field="type", kw_only=True, tag="settings"):
    """Change the settings that are named."""

    id: CommandId | None = None


class Close(_Command, frozen=True, tag="close"):
    """Close the table."""


class Start(_Command, frozen=True, tag="start"):
    """Begin the seal, at this ``version`` of the table if one is given."""

    version: int | None = None


class Commit(_Command, frozen=True, tag="commit"):
    """A seat's commitment: 64 hex digits."""

    commitment: str


class Reveal(_Command, frozen=True, tag="reveal"):
    """A seat's contribution: 64 hex digits."""

    entropy: str


class Roll(_Command, frozen=True, tag="roll"):
    """Roll, keeping the positions in ``held``."""

    held: tuple[int, ...]
    expect: int


class Score(_Command, frozen=True, tag="score"):
    """Write a box."""

    box: str
    expect: int


class ComeBack(_Command, frozen=True, tag="back"):
    """Play an away seat again."""


class Leave(_Command, frozen=True, tag="leave"):
    """Resign during a match; leave the table outside one."""


class Nudge(_Command, frozen=True, tag="nudge"):
    """Let the seat on turn be played as at a deadline, at a table without a clock."""


class Rematch(_Command, frozen=True, tag="rematch"):
    """Ask for another match."""


class Seen(_Command, frozen=True, tag="seen"):
    """Prove with a turn's key that this log has lost events."""

    turn: int
    key: str


Command = (
    Sit
    | Stand
    | AddBot
    | Unseat
    | ChangeSettings
    | Close
    | Start
    | Commit
    | Reveal
    | Roll
    | Score
    | ComeBack
    | Leave
    | Nudge
    | Rematch
    | Seen
)


class BotMove(Struct, frozen=True, kw_only=True):
    """What a bot does, bound to the last event it had seen: another roll with ``held``, or a write of ``box``."""

    seat: int
    expect: int
    held: tuple[int, ...] = ()
    box: str | None = None
