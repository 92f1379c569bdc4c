"""Shapes that are msgspec structs, told to OpenAPI: the answers are encoded and described from the same definitions."""

from typing import Any

import msgspec
from fastapi import Response

from server.protocol.outgoing import encode_plain

_TEMPLATE = "#/components/schemas/{name}"


def shape(answer: type) -> dict[int | str, dict[str, Any]]:
    """What an operation's description says of a 200 answer of this struct."""
    content = {"application/json": {"schema": {"$ref": _TEMPLATE.format(name=answer.__name__)}}}
    return {200: {"description": "Successful Response", "content": content}}


def schemas(*answers: type) -> dict[str, Any]:
    """The components that describe these structs and all that is in them."""
    _, components = msgspec.json.schema_components(answers, ref_template=_TEMPLATE)
    return components


def json_of(answer: Any) -> Response:
    """The answer with this struct as its body."""
    return Response(encode_plain(answer), media_type="application/json")
