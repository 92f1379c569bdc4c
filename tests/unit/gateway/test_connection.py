"""The outbox and the headers of a request."""

from hypothesis import given
from hypothesis import strategies as st

from server.gateway.connection import Headers, Outbox


def test_an_outbox_gives_back_what_was_put_in_oldest_first() -> None:
    outbox = Outbox(most_frames=3, most_bytes=100)
    assert all(outbox.put(frame) for frame in (b"a", b"bb", b"ccc"))
    assert (len(outbox), outbox.size_bytes) == (3, 6)
    assert [outbox.take() for _ in range(3)] == [b"a", b"bb", b"ccc"]
    assert (len(outbox), outbox.size_bytes) == (0, 0)


def test_an_outbox_holds_exactly_as_many_frames_as_it_may() -> None:
    outbox = Outbox(most_frames=256, most_bytes=256 * 1024)
    assert all(outbox.put(b"x") for _ in range(256))
    assert not outbox.put(b"x")
    outbox.take()
    assert outbox.put(b"x")


def test_an_outbox_holds_exactly_as_many_bytes_as_it_may() -> None:
    outbox = Outbox(most_frames=256, most_bytes=10)
    assert outbox.put(b"x" * 10)
    assert not outbox.put(b"x")
    assert outbox.put(b"")
    assert not Outbox(most_frames=256, most_bytes=10).put(b"x" * 11)


@given(st.lists(st.none() | st.binary(max_size=8)), st.integers(0, 5), st.integers(0, 20))
def test_an_outbox_never_holds_more_than_it_may_and_loses_nothing_it_took(
    steps: list[bytes | None], most_frames: int, most_bytes: int
) -> None:
    outbox = Outbox(most_frames, most_bytes)
    held: list[bytes] = []
    for step in steps:
        if step is not None:
            fits = len(held) < most_frames and sum(map(len, held)) + len(step) <= most_bytes
            assert outbox.put(step) == fits
            held += [step] if fits else []
        elif held:
            assert outbox.take() == held.pop(0)
        assert (len(outbox), outbox.size_bytes) == (len(held), sum(map(len, held)))


def test_headers_are_found_in_any_case_and_may_come_more_than_once() -> None:
    headers = Headers([("X-Forwarded-For", "1.2.3.4"), ("host", "a"), ("x-forwarded-for", "5.6.7.8")])
    assert headers.get("HOST") == "a"
    assert headers.get("X-FORWARDED-for") == "1.2.3.4"
    assert list(headers.get_all("x-Forwarded-For")) == ["1.2.3.4", "5.6.7.8"]
    assert headers.get("origin") is None
    assert list(headers.get_all("origin")) == []
