"""The tables of the records as this program expects them; ``migrations/`` makes a database so. Times are ms since the epoch."""

from sqlalchemy import BigInteger, ForeignKey, MetaData, Text
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

_NAMES = {
    "ix": "ix_%(column_0_label)s",
    "uq": "uq_%(table_name)s_%(column_0_name)s",
    "ck": "ck_%(table_name)s_%(constraint_name)s",
    "fk": "fk_%(table_name)s_%(column_0_name)s_%(referred_table_name)s",
    "pk": "pk_%(table_name)s",
}
"""So that a migration can name a constraint that it changes, on every database the same."""


class Base(DeclarativeBase):
    """Every table of the records."""

    metadata = MetaData(naming_convention=_NAMES)


class PlayerRow(Base):
    """A player. ``id`` is 16 hex characters, ``name`` as it was cleaned; ``language`` is None until one is chosen."""

    __tablename__ = "players"

    id: Mapped[str] = mapped_column(Text, primary_key=True)
    name: Mapped[str] = mapped_column(Text)
    is_guest: Mapped[bool]
    created_at: Mapped[int] = mapped_column(BigInteger)
    language: Mapped[str | None] = mapped_column(Text)


class SessionRow(Base):
    """A session that was given out; the token itself is not kept. ``id`` is 16 hex characters."""

    __tablename__ = "sessions"

    id: Mapped[str] = mapped_column(Text, primary_key=True)
    player_id: Mapped[str] = mapped_column(ForeignKey("players.id", ondelete="CASCADE"), index=True)
    created_at: Mapped[int] = mapped_column(BigInteger)
