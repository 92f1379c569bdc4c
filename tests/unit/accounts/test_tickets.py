from server.accounts.sessions import Session, SessionId
from server.accounts.tickets import MAX_TICKETS, Tickets
from server.match.events import PlayerId

ANA = Session(PlayerId("0" * 16), SessionId("a" * 16), 0)
BEN = Session(PlayerId("1" * 16), SessionId("b" * 16), 0)


class HandClock:
    def __init__(self):
        self.time_ms = 1_000_000

    def __call__(self):
        return self.time_ms


async def test_a_ticket_is_its_session_once():
    tickets = Tickets(HandClock())
    of_ana, of_ben = await tickets.give(ANA), await tickets.give(BEN)
    assert of_ana != of_ben
    assert await tickets.take(of_ben) == BEN
    assert await tickets.take(of_ana) == ANA
    assert await tickets.take(of_ana) is None


async def test_a_ticket_is_good_for_thirty_seconds():
    clock = HandClock()
    tickets = Tickets(clock)
    in_time, late = await tickets.give(ANA), await tickets.give(ANA)
    clock.time_ms += 30_000
    assert await tickets.take(in_time) == ANA
    clock.time_ms += 1
    assert await tickets.take(late) is None


async def test_an_unknown_ticket_is_nobody():
    assert await Tickets(HandClock()).take("x") is None


async def test_too_many_tickets_push_out_the_oldest():
    tickets = Tickets(HandClock())
    given = [await tickets.give(ANA) for _ in range(MAX_TICKETS + 1)]
    assert await tickets.take(given[0]) is None
    assert await tickets.take(given[1]) == ANA
    assert await tickets.take(given[-1]) == ANA


async def test_a_ticket_fits_an_address():
    ticket = await Tickets(HandClock()).give(ANA)
    assert len(ticket) == 43
    assert ticket.replace("-", "").replace("_", "").isalnum()
