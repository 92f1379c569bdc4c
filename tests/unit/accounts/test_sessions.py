import base64
import hashlib
import hmac

import pytest

from server.accounts.sessions import Session, SessionId, Sessions, presented_token, session_cookie
from server.match.events import PlayerId

KEY = bytes(range(32))
ANA = Session(PlayerId("00112233445566ff"), SessionId("a1b2c3d4e5f60718"), 1_700_000_000_123)
TOKEN = Sessions(KEY).token(ANA)


def signed(body: bytes) -> str:
    key = hmac.digest(KEY, b"cubilete session token", hashlib.sha256)
    return base64.urlsafe_b64encode(body + hmac.digest(key, body, hashlib.sha256)).decode()


def test_a_token_outlives_the_process_that_wrote_it():
    assert Sessions(KEY).read(TOKEN) == ANA


def test_the_layout_of_a_token_is_fixed():
    body = b"\x01" + bytes.fromhex("00112233445566ff" + "a1b2c3d4e5f60718") + (1_700_000_000_123).to_bytes(8, "big")
    assert signed(body) == TOKEN


def test_a_token_needs_no_escaping_anywhere():
    tokens = [Sessions(KEY).token(Session(ANA.player, ANA.id, at_ms)) for at_ms in range(50)]
    assert {"-", "_"} < set("".join(tokens))
    assert all(token.replace("-", "").replace("_", "").isalnum() for token in tokens)


def test_a_token_of_another_key_is_nobody():
    assert Sessions(b"k" * 32).read(TOKEN) is None


def test_no_character_of_a_token_can_be_changed():
    for position, character in enumerate(TOKEN):
        other = "B" if character == "A" else "A"
        assert Sessions(KEY).read(TOKEN[:position] + other + TOKEN[position + 1 :]) is None


def test_a_token_has_one_spelling():
    token = next(t for t in (Sessions(KEY).token(Session(ANA.player, ANA.id, n)) for n in range(50)) if "-" in t and "_" in t)
    for spelling in (token.replace("-", "+"), token.replace("_", "/"), token + "=", token + "\n", " " + token[:-1]):
        assert Sessions(KEY).read(spelling) is None


@pytest.mark.parametrize("token", ["", "x", "é" * 76, "\ud800" * 76, "!" * 76, "=" * 76, "A" * 76, "A" * 100_000])
def test_what_is_no_token_is_nobody(token):
    assert Sessions(KEY).read(token) is None


def test_a_token_of_another_version_is_nobody():
    assert Sessions(KEY).read(signed(b"\x02" + bytes(24))) is None
    assert Sessions(KEY).read(signed(b"\x01" + bytes(24))) is not None


@pytest.mark.parametrize(
    ("authorization", "cookie", "token"),
    [
        (None, None, None),
        ("Bearer abc", None, "abc"),
        ("bearer  abc ", "cubilete_session=other", "abc"),
        (None, "theme=dark; cubilete_session=abc; x", "abc"),
        ("Basic YTpi", "cubilete_session=abc", "abc"),
        ("Bearer", "cubilete_session=abc", ""),
        ("", "xcubilete_session=abc; cubilete_sessions=abc", None),
    ],
)
def test_a_token_comes_as_bearer_or_else_as_cookie(authorization, cookie, token):
    assert presented_token(authorization, cookie) == token


def test_the_cookie_is_out_of_reach_of_scripts_and_other_sites():
    cookie = session_cookie("abc", is_https=False)
    assert cookie == "cubilete_session=abc; Path=/; Max-Age=34560000; HttpOnly; SameSite=Lax"
    assert session_cookie("abc", is_https=True) == cookie + "; Secure"
