"""The catalogues of texts, as the server uses them: words for what the rules engine calls by key."""

import json
from pathlib import Path
from typing import Any

from msgspec import Struct

from server.protocol.outgoing import encode_plain
from server.rules import catalogue

LANGUAGES = ("es", "en", "de")


class SheetsDocument(Struct, frozen=True):
    """Every sheet as data, and the texts that its ``text`` keys begin, by language."""

    sheets: list[dict[str, Any]]
    texts: dict[str, dict[str, str]]


def sheets_document(web: Path) -> bytes:
    """The answer of ``GET /api/sheets``, with the catalogues below the folder ``web``."""
    texts = {language: json.loads((web / "texts" / language / "sheets.json").read_text("utf-8")) for language in LANGUAGES}
    return encode_plain(SheetsDocument(sheets=catalogue()["sheets"], texts=texts))
