"""All sheets, one module each, found by themselves: a new sheet is a new module here that defines ``SHEET``."""

from pkgutil import iter_modules, resolve_name

from server.rules.model import Sheet

_found: list[Sheet] = [resolve_name(f"{__name__}.{module.name}:SHEET") for module in iter_modules(__path__)]
SHEETS: tuple[Sheet, ...] = tuple(sorted(_found, key=lambda sheet: sheet.rank))
"""In the order of their ranks."""
