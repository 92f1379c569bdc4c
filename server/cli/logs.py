"""How logs look: a line an event, JSON unless a person watches.

Nothing is filtered here: whoever logs gives codes of tables and faults, never a secret, a token or an address.
"""

import logging
import sys

import structlog


def set_up_logs(level: str) -> None:
    """Send our own logs and the libraries' through one form, at ``level`` and above, to standard error."""
    is_watched = sys.stderr.isatty()
    shared: list[structlog.typing.Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.format_exc_info,
    ]
    structlog.configure(
        processors=[*shared, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=True,
    )
    renderer = structlog.dev.ConsoleRenderer() if is_watched else structlog.processors.JSONRenderer()
    formatter = structlog.stdlib.ProcessorFormatter(foreign_pre_chain=shared, processor=renderer)
    handler = logging.StreamHandler()
    handler.setFormatter(formatter)
    root = logging.getLogger()
    root.handlers = [handler]
    root.setLevel(level.upper())
    for chatty in ("uvicorn", "alembic"):
        logging.getLogger(chatty).setLevel(max(logging.WARNING, root.level))
