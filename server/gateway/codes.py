"""Table codes as people type them."""

import re

from server.match.events import Code

_CODE = re.compile(r"[2-9A-HJKMNP-TV-Z]{6}")


def read_code(typed: str) -> Code | None:
    """The code meant by ``typed``: any case, blanks and hyphens ignored; None if no table can have it."""
    code = typed.upper().replace(" ", "").replace("-", "")
    return Code(code) if _CODE.fullmatch(code) else None
