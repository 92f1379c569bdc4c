"""The HTTP application: every route, one shape of errors, headers that browsers need, and a description that is true."""

from typing import Any

from fastapi import FastAPI
from starlette.types import ASGIApp

from server import __version__
from server.gateway import errors, pages
from server.gateway.headers import BodyLimit, SecurityHeaders
from server.gateway.means import Gate
from server.gateway.routes import health, matches, sessions, tables
from server.gateway.schema import schemas
from server.gateway.texts import SheetsDocument
from server.protocol.outgoing import Welcome
from server.tables.history import MatchRecord, Transcript


def build_application(gate: Gate) -> ASGIApp:
    """The whole application behind ``gate``, as the server runs it."""
    return SecurityHeaders(BodyLimit(build_api(gate)))


def build_api(gate: Gate) -> FastAPI:
    """Every route. The framework's own documentation page is off, as that loads from elsewhere."""
    app = FastAPI(title="Cubilete", version=__version__, docs_url=None, redoc_url=None, openapi_url=None)
    app.state.gate = gate
    for module in (sessions, tables, matches, health, pages):
        app.include_router(module.router)
    errors.install(app)
    description = _described(app)

    @app.get("/openapi.json", include_in_schema=False)
    async def openapi() -> dict[str, Any]:
        return description

    return app


def _described(app: FastAPI) -> dict[str, Any]:
    description = app.openapi()
    components = description.setdefault("components", {}).setdefault("schemas", {})
    components |= schemas(Welcome, tables.TableList, MatchRecord, Transcript, SheetsDocument)
    return description
