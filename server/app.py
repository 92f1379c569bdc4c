"""The composition root: the one place that builds adapters and puts them behind the ports."""

from contextlib import AsyncExitStack
from types import TracebackType
from typing import Self

from starlette.types import ASGIApp

from server import resources
from server.accounts.guests import Guests
from server.accounts.sessions import Sessions
from server.accounts.tickets import Tickets
from server.gateway.address import Addresses
from server.gateway.api import build_application
from server.gateway.files import read_pages
from server.gateway.limits import LimitNumbers, Limits, Windows
from server.gateway.means import Gate
from server.gateway.origin import Origins
from server.gateway.tablesocket import TableEndpoint
from server.gateway.texts import sheets_document
from server.match.moment import Policy
from server.records.engine import open_engine
from server.records.migrate import migrate
from server.records.players import PlayerRepository
from server.settings import Settings, make_data_folder, secret_key
from server.stores.embedded import EmbeddedLog, open_embedded
from server.stores.entropy import SystemEntropy
from server.strategy.advisor import HeuristicAdvisor
from server.tables.means import Means
from server.tables.service import Tables

RECORDS_BUSY_S = 2.0


class Service:
    """Everything that runs in one worker. An async context: what was opened is closed in the opposite order."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.application: ASGIApp
        self.endpoint: TableEndpoint
        self.tables: Tables
        self._stack = AsyncExitStack()

    async def __aenter__(self) -> Self:
        async with AsyncExitStack() as stack:
            await self._open(stack)
            self._stack = stack.pop_all()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._stack.aclose()

    async def _open(self, stack: AsyncExitStack) -> None:
        settings = self.settings
        make_data_folder(settings)
        log = await open_embedded(settings.data, settings.durability)
        stack.push_async_callback(log.close)
        players = await self._open_records(stack)
        sessions = Sessions(secret_key(settings))
        guests = Guests(players, sessions, log.clock.now_ms)
        advisor = HeuristicAdvisor()
        stack.callback(advisor.close)
        self.tables = Tables(
            Means(
                log=log,
                clock=log.clock,
                entropy=SystemEntropy(),
                directory=guests,
                advisor=advisor,
                policy=Policy(settings.clocks, advisor.levels),
                pace=settings.pace,
            )
        )
        await self.tables.start()
        stack.push_async_callback(self.tables.stop)
        gate = self._gate(log, guests, sessions)
        self.endpoint = TableEndpoint(gate)
        self.application = build_application(gate)

    async def _open_records(self, stack: AsyncExitStack) -> PlayerRepository:
        await migrate(self.settings.database_url, resources.migrations_folder())
        engine = open_engine(self.settings.database_url, busy_seconds=RECORDS_BUSY_S)
        stack.push_async_callback(engine.dispose)
        players = PlayerRepository(engine)
        stack.push_async_callback(players.finish)
        return players

    def _gate(self, log: EmbeddedLog, guests: Guests, sessions: Sessions) -> Gate:
        settings = self.settings
        addresses = Addresses(settings.trusted_proxies)
        numbers = limit_numbers(settings)
        web = resources.web_folder()
        return Gate(
            tables=self.tables,
            log=log,
            clock=log.clock,
            guests=guests,
            directory=guests,
            sessions=sessions,
            tickets=Tickets(log.clock.now_ms),
            limits=Limits(log.clock.now_ms, numbers, is_on=settings.limits),
            phrases=Windows(numbers.phrases),
            hints=Windows(numbers.hints),
            addresses=addresses,
            origins=Origins(addresses, settings.allowed_origins, settings.public_url),
            sheets=sheets_document(web),
            pages=read_pages(web),
        )


def limit_numbers(settings: Settings) -> LimitNumbers:
    """The limits as they are set."""
    return LimitNumbers.of(
        messages_per_second=settings.messages_per_second,
        message_burst=settings.message_burst,
        tables_per_hour=settings.tables_per_hour,
        sessions_per_hour=settings.sessions_per_hour,
        unknown_codes_per_minute=settings.unknown_codes_per_minute,
    )
