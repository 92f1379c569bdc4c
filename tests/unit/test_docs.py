"""The pages under docs/ say what the program does: every name that a client meets is in them."""

import ast
import hashlib
import re
from pathlib import Path
from typing import get_args

import msgspec
import pytest

from server.match.events import MatchEvent
from server.protocol.closing import FLOODING, INTERNAL_ERROR, NO_SUCH_TABLE, REPLACED, RESTARTING, SESSION_INVALID, TOO_SLOW
from server.protocol.incoming import Incoming
from server.protocol.outgoing import Outgoing

ROOT = Path(__file__).parents[2]
PROTOCOL = (ROOT / "docs/protocol.md").read_text("utf-8")
SENT = PROTOCOL.split("### What you send")[1]
TRANSCRIPT = (ROOT / "docs/transcript.md").read_text("utf-8")


def tag(message: type) -> str:
    found = msgspec.inspect.type_info(message)
    assert isinstance(found, msgspec.inspect.StructType)
    return str(found.tag)


def refusal_codes() -> set[str]:
    """Every code that the program refuses a message with."""
    paths = [path for folder in ("match", "tables") for path in (ROOT / "server" / folder).rglob("*.py")]
    nodes = [node for path in paths for node in ast.walk(ast.parse(path.read_text("utf-8")))]
    calls = [node for node in nodes if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Refused"]
    parts = [part for call in calls for part in ast.walk(call.args[0]) if isinstance(part, ast.Constant)]
    return {part.value for part in parts if isinstance(part.value, str)} - {"invalid"}


@pytest.mark.parametrize("message", get_args(Incoming), ids=tag)
def test_every_message_of_a_client_is_on_the_page(message: type) -> None:
    fields = {field.encode_name for field in msgspec.structs.fields(message)} - {"id"}
    line = re.search(rf'\{{"type":"{tag(message)}"([^}}]*)\}}', SENT)
    assert line
    if tag(message) != "settings":
        assert set(re.findall(r'"(\w+)"', line[1])) == fields


@pytest.mark.parametrize("message", get_args(Outgoing), ids=tag)
def test_every_message_of_the_server_is_on_the_page_with_its_fields(message: type) -> None:
    line = re.search(rf"^\| `{tag(message)}` \| (.*)$", PROTOCOL, re.MULTILINE)
    assert line
    for field in msgspec.structs.fields(message):
        assert f"`{field.encode_name}`" in line[1]


def test_every_code_that_refuses_a_message_is_on_the_page_and_no_other() -> None:
    listed = re.search(r"\| error \| means \|\n\|---\|---\|\n((?:\|.*\n)+)", PROTOCOL)
    assert listed
    named = {code for line in listed[1].splitlines() for code in re.findall(r"`(\w+)`", line.split("|")[1])}
    assert named == refusal_codes() | {"bad_message", "unavailable"}


def test_every_close_code_is_on_the_page() -> None:
    for code in (FLOODING, INTERNAL_ERROR, NO_SUCH_TABLE, REPLACED, RESTARTING, SESSION_INVALID, TOO_SLOW, 1002, 1007, 1009):
        assert re.search(rf"^\| [\d, ]*\b{code}\b", PROTOCOL, re.MULTILINE)


@pytest.mark.parametrize("event", get_args(MatchEvent), ids=tag)
def test_every_event_is_on_the_page_with_exactly_its_fields(event: type) -> None:
    line = re.search(rf"^\| `{tag(event)}` \| (.*) \|$", TRANSCRIPT, re.MULTILINE)
    assert line
    fields = {field.encode_name for field in msgspec.structs.fields(event)} - {"at"}
    assert set(re.findall(r"`(\w+)`", line[1])) == fields


def test_the_worked_check_comes_out_as_the_page_says() -> None:
    match, root = bytes(range(16)), bytes(range(32))
    anchor = hashlib.sha256(b"cubilete/1/chain\0" + match + b"\0\0\0\1" + root).hexdigest()
    assert f"K_0 = {anchor}" in TRANSCRIPT
    assert root.hex() in TRANSCRIPT
    assert match.hex() in TRANSCRIPT
