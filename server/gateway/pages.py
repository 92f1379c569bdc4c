"""Pages for people. Until there is a client in the browser, one page that says how to join with another one."""

from fastapi import APIRouter, Response

from server.gateway.who import TheGate

router = APIRouter(include_in_schema=False)
_READ = ["GET", "HEAD"]


@router.api_route("/", methods=_READ)
@router.api_route("/t/{code}", methods=_READ)
async def how_to_join(gate: TheGate) -> Response:
    """How to join a table; the same words wherever a link leads."""
    return _file(gate.pages.how_to_join, "text/html; charset=utf-8")


@router.api_route("/page.css", methods=_READ)
async def style(gate: TheGate) -> Response:
    """What the page looks like."""
    return _file(gate.pages.style, "text/css; charset=utf-8")


@router.api_route("/icon.svg", methods=_READ)
async def icon(gate: TheGate) -> Response:
    """A die that shows the ace."""
    return _file(gate.pages.icon, "image/svg+xml")


def _file(content: bytes, media_type: str) -> Response:
    return Response(content, media_type=media_type, headers={"Cache-Control": "no-cache"})
