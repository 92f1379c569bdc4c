"""The HTTP application: every route, one shape of errors, headers that browsers need, and a description that is true."""

from typing import Any

from fastapi import FastAPI
from starlette.types import ASGIApp

from server import __version__
from server.accounts.sessions import SESSION_COOKIE
from server.gateway import errors, pages
from server.gateway.headers import BodyLimit, SecurityHeaders
from server.gateway.means import Gate
from server.gateway.routes import health, matches, sessions, tables
from server.gateway.schema import schemas
from server.gateway.texts import SheetsDocument
from server.protocol.outgoing import Welcome
from server.tables.history import MatchRecord, Transcript

_NEVER_SENT = ("HTTPValidationError", "ValidationError")
_NEEDS_SESSION = (("/api/me", "get"), ("/api/ticket", "post"), ("/api/tables", "post"))


def build_application(gate: Gate) -> ASGIApp:
    """The whole application behind ``gate``, as the server runs it."""
    return SecurityHeaders(BodyLimit(build_api(gate)))


def build_api(gate: Gate) -> FastAPI:
    """Every route. The framework's own documentation page is off, as that loads from elsewhere."""
    app = FastAPI(
        title="Cubilete",
        version=__version__,
        docs_url=None,
        redoc_url=None,
        openapi_url=None,
        strict_content_type=False,  # a foreign page is told by its origin, not by a type that it may set
    )
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
    """The description of all routes, with the shapes that the framework cannot see and without those that never occur."""
    description = app.openapi()
    components = description["components"]
    components["schemas"] |= schemas(Welcome, tables.TableList, MatchRecord, Transcript, SheetsDocument)
    for name in _NEVER_SENT:
        components["schemas"].pop(name, None)
    components["securitySchemes"] = {
        "bearer": {"type": "http", "scheme": "bearer"},
        "cookie": {"type": "apiKey", "in": "cookie", "name": SESSION_COOKIE},
    }
    for path, method in _NEEDS_SESSION:
        description["paths"][path][method]["security"] = [{"bearer": []}, {"cookie": []}]
    for operations in description["paths"].values():
        for operation in operations.values():
            if _NEVER_SENT[0] in str(operation["responses"].get("422")):
                del operation["responses"]["422"]
    return description
