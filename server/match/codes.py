"""The code of a table: what it is made of, and what people mean when they type one."""

from server.match.events import Code

CODE_LETTERS = "23456789ABCDEFGHJKMNPQRSTVWXYZ"
"""Without 0 and O, 1, I and L, which look alike, and without U, so that fewer words come out."""
CODE_LENGTH = 6


def read_code(typed: str) -> Code | None:
    """The code meant by ``typed``: any case, blanks and hyphens ignored; None if no table can have it."""
    code = typed.upper().replace(" ", "").replace("-", "")
    return Code(code) if len(code) == CODE_LENGTH and set(code) <= set(CODE_LETTERS) else None
