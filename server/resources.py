"""Where the files are that are not code: the web client and the migrations of the records.

In a checkout they are the folders ``web/`` and ``migrations/`` beside this package; an installed wheel carries them inside the
package, as ``_web`` and ``_migrations``. No other module knows that there are two places, or reads ``__file__`` to find one.
"""

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent
_CHECKOUT = _PACKAGE.parent


def web_folder() -> Path:
    """The folder with everything that browsers are given."""
    return _folder("web")


def migrations_folder() -> Path:
    """The folder that Alembic takes as its script location."""
    return _folder("migrations")


def _folder(name: str) -> Path:
    # An installed package may have strangers called `web` or `migrations` beside it, but no pyproject.toml.
    beside = _CHECKOUT / name
    return beside if (_CHECKOUT / "pyproject.toml").is_file() and beside.is_dir() else _PACKAGE / f"_{name}"
