"""What an operator can set, from the environment (prefix ``CUBILETE_``) or from the command line, and what it is otherwise.

Owns names, units, defaults and the sentences about bad values, and the folder that everything is kept in, with the key of the
service in it. Does not act on any of it: the composition root hands the values to whoever needs them.
"""

import os
import secrets
from ipaddress import IPv4Network, IPv6Network
from pathlib import Path
from typing import Annotated, Any, Literal
from urllib.parse import quote, urlsplit

from pydantic import AfterValidator, BeforeValidator, Field, SecretStr, ValidationError
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from server.match.world import Pace

PREFIX = "CUBILETE_"
HUMAN_PACE = Pace(least_ms=600, most_ms=1500)
KEY_FILE = "secret.key"
KEY_BYTES = 32
_SQLITE = "sqlite+aiosqlite:///"
_USUAL_PORT = {"http": 80, "https": 443}
_NEVER_REPEATED = frozenset({"secret_key", "database_url"})
"""Settings whose value may hold a secret, so that no message shows it."""


class BadSettings(Exception):
    """The service cannot start like this; ``lines`` are the sentences that say why, one a setting."""

    def __init__(self, lines: list[str]) -> None:
        super().__init__("\n".join(lines))
        self.lines = lines


def _parts(value: object) -> object:
    """``a, b`` as its parts; what is not text is left as it is."""
    return [part.strip() for part in value.split(",")] if isinstance(value, str) else value


def _lower(value: object) -> object:
    return value.strip().lower() if isinstance(value, str) else value


def _ascending(clocks: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(sorted(set(clocks)))


def _origin(value: str) -> str:
    """``scheme://host[:port]`` as a browser sends it in ``Origin``: lower case, without the usual port and without a path."""
    url = urlsplit(value.strip().lower())
    extras = (url.path.strip("/"), url.query, url.fragment, url.username)
    if url.scheme not in _USUAL_PORT or not url.hostname or any(extras):
        raise ValueError("not an origin")
    host = f"[{url.hostname}]" if ":" in url.hostname else url.hostname
    port = "" if url.port in (None, _USUAL_PORT[url.scheme]) else f":{url.port}"
    return f"{url.scheme}://{host}{port}"


def _sqlite_url(value: str) -> str:
    if not value.startswith(_SQLITE) or value == _SQLITE:
        raise ValueError("not a database this program knows")
    return value


def _long_enough(value: SecretStr) -> SecretStr:
    if len(value.get_secret_value().encode()) < KEY_BYTES:
        raise ValueError("too short")
    return value


def _records_url(checked: dict[str, Any]) -> str:
    return _SQLITE + quote(str(checked["data"] / "records.db"))


Origin = Annotated[str, AfterValidator(_origin)]
Seconds = Annotated[int, Field(ge=1, le=86_400)]
Count = Annotated[int, Field(ge=1)]
Switch = Annotated[bool, BeforeValidator(_lower)]


class Settings(BaseSettings):
    """Every setting; the variable of ``port`` is ``CUBILETE_PORT``, and an empty variable counts as none.

    Each description says which values fit; it is shown to whoever set one that does not.
    """

    model_config = SettingsConfigDict(env_prefix=PREFIX, env_ignore_empty=True, frozen=True, extra="forbid")

    host: str = Field("127.0.0.1", description="the address to listen on, 0.0.0.0 for every one of this machine")
    port: int = Field(8000, ge=0, le=65_535, description="the TCP port to listen on, 0 to 65535, where 0 takes a free one")
    data: Annotated[Path, AfterValidator(lambda path: path.expanduser().absolute())] = Field(
        Path("data"), validate_default=True, description="the folder that everything is kept in; nothing is written outside it"
    )
    database_url: Annotated[str, AfterValidator(_sqlite_url)] = Field(
        default_factory=_records_url,
        description=f"the URL of the records, beginning with {_SQLITE}; by default the file records.db in the data folder",
    )
    clocks: Annotated[tuple[Seconds, ...], NoDecode, BeforeValidator(_parts), AfterValidator(_ascending)] = Field(
        (15, 30, 45, 60, 90, 120),
        description="the seconds a turn may last that a creator can choose from, whole numbers of 1 to 86400 between commas",
    )
    bot_pace_ms: int | None = Field(
        None,
        ge=0,
        le=60_000,
        description="the milliseconds a bot takes for a step, 0 to 60000; empty for a human pace of "
        f"{HUMAN_PACE.least_ms} to {HUMAN_PACE.most_ms}",
    )
    limits: Switch = Field(True, description="on, or off to lift the limits by address and the message rate")
    frame_bytes: Count = Field(4096, description="the bytes a WebSocket frame may have, 1 or more")
    messages_per_second: Count = Field(20, description="the messages a second that a connection may send for long, 1 or more")
    message_burst: Count = Field(40, description="the messages that a connection may send at once, 1 or more")
    tables_per_hour: Count = Field(20, description="the tables that may be created from one address in an hour, 1 or more")
    sessions_per_hour: Count = Field(60, description="the guests that may be made from one address in an hour, 1 or more")
    unknown_codes_per_minute: Count = Field(
        30, description="the table codes that lead nowhere that one address may try in a minute, 1 or more"
    )
    secret_key: Annotated[SecretStr, AfterValidator(_long_enough)] | None = Field(
        None,
        description=f"the secret that sessions are signed with, at least {KEY_BYTES} bytes; "
        f"by default made once and kept in the data folder as {KEY_FILE}",
    )
    durability: Annotated[Literal["full", "relaxed"], BeforeValidator(_lower)] = Field(
        "full", description="full (on disk before it is shown) or relaxed (for load tests: a power cut may take moves back)"
    )
    allowed_origins: Annotated[tuple[Origin, ...], NoDecode, BeforeValidator(_parts)] = Field(
        (), description="the further origins whose pages may open a connection, as https://example.org, between commas"
    )
    trusted_proxies: Annotated[tuple[IPv4Network | IPv6Network, ...], NoDecode, BeforeValidator(_parts)] = Field(
        (), description="the networks of the proxies whose word about addresses counts, as 10.0.0.0/8, between commas"
    )
    public_url: Origin | None = Field(None, description="the address that players see, as https://example.org, without a path")
    log_level: Annotated[Literal["debug", "info", "warning", "error"], BeforeValidator(_lower)] = Field(
        "info", description="the least of what is logged: debug, info, warning or error"
    )

    @property
    def pace(self) -> Pace:
        """How long bots take a step."""
        return HUMAN_PACE if self.bot_pace_ms is None else Pace(least_ms=self.bot_pace_ms, most_ms=self.bot_pace_ms)


def load_settings(**given: Any) -> Settings:
    """The settings of this process: what is ``given`` (None: not given), then the environment, then the defaults.

    Raises ``BadSettings``.
    """
    try:
        return Settings(**{name: value for name, value in given.items() if value is not None})
    except ValidationError as error:
        raise BadSettings(explain(error)) from None


def explain(error: ValidationError) -> list[str]:
    """One sentence for each setting that does not fit, beginning with its variable; never repeats a secret."""
    lines = {}
    for wrong in error.errors(include_url=False):
        if wrong["type"] == "default_factory_not_called":
            continue
        name = str(wrong["loc"][0])
        field = Settings.model_fields.get(name)
        shown = "the value" if name in _NEVER_REPEATED else repr(str(wrong["input"]))
        reason = f"{shown} does not fit; expected: {field.description}." if field else "there is no such setting."
        lines[name] = f"{PREFIX}{name.upper()}: {reason}"
    return list(lines.values())


def make_data_folder(settings: Settings) -> None:
    """See that the data folder is there, readable for nobody else if it is made here. Raises ``BadSettings``."""
    try:
        settings.data.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise BadSettings([f"{PREFIX}DATA: the folder {settings.data} cannot be made ({error.strerror})."]) from error


def secret_key(settings: Settings) -> bytes:
    """The key of this service, at least 32 bytes: the one that is set, else the one kept in the data folder, made if need be.

    Processes that start at the same moment get the same key. Raises ``BadSettings`` if the kept one cannot be read or made.
    """
    if settings.secret_key is not None:
        return settings.secret_key.get_secret_value().encode()
    path = settings.data / KEY_FILE
    try:
        if not path.exists():
            _make_key(path)
        key = bytes.fromhex(path.read_text("ascii"))
    except OSError as error:
        reason = f"{path} cannot be used ({error.strerror}); set a key or mend the file."
        raise BadSettings([f"{PREFIX}SECRET_KEY: {reason}"]) from error
    except ValueError:
        key = b""
    if len(key) != KEY_BYTES:
        raise BadSettings([f"{PREFIX}SECRET_KEY: {path} is damaged; delete it to start with a new key (all sessions end)."])
    return key


def _make_key(path: Path) -> None:
    """Write a new key under another name, then give it its own: nobody ever sees half a key, and the first one stays."""
    draft = path.with_name(f"{path.name}.{secrets.token_hex(8)}")
    try:
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w", encoding="ascii") as file:
            file.write(secrets.token_hex(KEY_BYTES))
            file.flush()
            os.fsync(file.fileno())
        os.link(draft, path)
    except FileExistsError:
        return
    finally:
        draft.unlink(missing_ok=True)
