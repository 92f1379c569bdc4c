"""Errors over HTTP: one shape, a fitting status, never a stack trace."""

from collections.abc import Sequence
from typing import Any

import structlog
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel, Field
from starlette.exceptions import HTTPException

from server.errors import Refused
from server.tables.ports import StoreUnavailable
from server.tables.service import UnknownTable

RETRY_S = 1
_CODES = {400: "unreadable", 401: "no_session", 403: "forbidden", 404: "unknown", 405: "bad_method", 413: "too_large"}
_STATUS = {"invalid": 422, "not_finished": 409, "no_session": 401, "forbidden": 403, "unknown": 404, "too_many": 429}

log = structlog.get_logger(__name__)


class ErrorBody(BaseModel):
    """What went wrong: ``code`` for programs, ``message`` for people, ``field`` where one is to blame."""

    code: str
    message: str
    field: str | None = Field(default=None, description="The field of the body that is wrong; absent otherwise.")


class ErrorAnswer(BaseModel):
    """The body of every answer that is no success."""

    error: ErrorBody


class TooMany(Exception):
    """A limit by address is reached; ``retry_after_s`` says when to come back."""

    def __init__(self, message: str, retry_after_s: int) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s


def error_answer(
    status: int, code: str, message: str, field: str | None = None, headers: dict[str, str] | None = None
) -> JSONResponse:
    """The answer for an error."""
    error = {"code": code, "message": _writable(message)} | ({} if field is None else {"field": _writable(field)})
    return JSONResponse({"error": error}, status, headers)


def _writable(text: str) -> str:
    """The text without the broken characters that a client may have sent and that cannot be sent back."""
    return text.encode("utf-8", "replace").decode("utf-8")


def describe(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """What an operation's description says of its errors."""
    return {status: {"model": ErrorAnswer} for status in statuses}


def install(app: FastAPI) -> None:
    """Let ``app`` answer every error in the one shape."""
    app.add_exception_handler(Refused, _refused)  # type: ignore[arg-type]
    app.add_exception_handler(TooMany, _too_many)  # type: ignore[arg-type]
    app.add_exception_handler(UnknownTable, _unknown_table)
    app.add_exception_handler(StoreUnavailable, _unavailable)
    app.add_exception_handler(RequestValidationError, _invalid)  # type: ignore[arg-type]
    app.add_exception_handler(HTTPException, _http)  # type: ignore[arg-type]
    app.add_exception_handler(Exception, _ours)


async def _refused(_request: Request, refused: Refused) -> JSONResponse:
    return error_answer(_STATUS.get(refused.code, 409), refused.code, refused.message, refused.field)


async def _too_many(_request: Request, error: TooMany) -> JSONResponse:
    return error_answer(429, "too_many", str(error), headers={"Retry-After": str(error.retry_after_s)})


async def _unknown_table(_request: Request, _error: Exception) -> JSONResponse:
    return error_answer(404, "unknown", "No table has this code; check it, or ask for a new link.")


async def _unavailable(_request: Request, _error: Exception) -> JSONResponse:
    return error_answer(503, "unavailable", "The store did not answer; try again.", headers={"Retry-After": str(RETRY_S)})


async def _invalid(_request: Request, error: RequestValidationError) -> JSONResponse:
    first = error.errors()[0]
    if first["type"] == "json_invalid":
        return error_answer(400, "unreadable", "The body is not JSON.")
    field = _field(first["loc"])
    return error_answer(422, "invalid", f"{field or 'The body'}: {first['msg']}.", field)


def _field(location: Sequence[int | str]) -> str | None:
    """The dotted path below the part of the request that the location begins with."""
    return ".".join(str(part) for part in location[1:]) or None


async def _http(_request: Request, error: HTTPException) -> JSONResponse:
    code = _CODES.get(error.status_code, "refused")
    return error_answer(error.status_code, code, str(error.detail), headers=dict(error.headers or {}))


async def _ours(request: Request, error: Exception) -> JSONResponse:
    log.error("request_failed", path=request.url.path, exc_info=error)
    return error_answer(500, "ours", "Something went wrong on our side; it has been noted.")
