"""Tables of ``cases.db``, the examiner's own work, which is never in the same file as a library.

``log`` is append-only and holds every change with the state before and after it; the other tables hold the
resulting state. Publications are stored by number, because row ids are valid only within one library. Each
row has the digest of its other columns (`claimlight.store.case_digests`), so that changes from outside the
program are found.
"""

from __future__ import annotations

from sqlalchemy import Index, LargeBinary
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

_CLUSTERED = {"sqlite_with_rowid": False}
_NEVER_AGAIN = {"sqlite_autoincrement": True}


class Cases(DeclarativeBase):
    """Base of the tables of ``cases.db``."""


class CaseRow(Cases):
    """A case; ``value`` is the JSON of `claimlight.types.Case` without what has a column."""

    __tablename__ = "case_file"
    __table_args__ = _NEVER_AGAIN

    id: Mapped[int] = mapped_column(primary_key=True)
    created: Mapped[str]
    changed: Mapped[str]
    value: Mapped[str]
    touched: Mapped[int]
    """Grows with each change to any case; orders cases even if the clock goes back."""
    digest: Mapped[bytes | None] = mapped_column(LargeBinary)


class SetRow(Cases):
    """A query set L1, L2, … of a case."""

    __tablename__ = "query_set"

    case_id: Mapped[int] = mapped_column(primary_key=True)
    number: Mapped[int] = mapped_column(primary_key=True)
    created: Mapped[str]
    request: Mapped[str]
    provenance: Mapped[str]
    notes: Mapped[str]
    parsed: Mapped[str]
    """How a query line was read; empty for a claim search."""
    documents: Mapped[int]
    hits: Mapped[bytes | None] = mapped_column(LargeBinary)
    """`claimlight.types.SetHits.packed`; NULL where the hits are rows of ``set_hit``, as they once were."""
    digest: Mapped[bytes | None] = mapped_column(LargeBinary)


class SetHitRow(Cases):
    """A document of a query set recorded before sets were packed; nothing is added any more."""

    __tablename__ = "set_hit"
    __table_args__ = _CLUSTERED

    case_id: Mapped[int] = mapped_column(primary_key=True)
    number: Mapped[int] = mapped_column(primary_key=True)
    rank: Mapped[int] = mapped_column(primary_key=True)
    country: Mapped[str]
    publication: Mapped[str]
    kind: Mapped[str]
    score: Mapped[float]


class StateRow(Cases):
    """A mark, a seen document, its tags, a confirmation, a sample or a passage note; ``value`` is JSON."""

    __tablename__ = "state"
    __table_args__ = _CLUSTERED

    case_id: Mapped[int] = mapped_column(primary_key=True)
    subject: Mapped[str] = mapped_column(primary_key=True)
    """``mark``, ``seen``, ``tag``, ``confirmation``, ``sample`` or ``passage note``."""
    key: Mapped[str] = mapped_column(primary_key=True)
    value: Mapped[str]
    digest: Mapped[bytes | None] = mapped_column(LargeBinary)


class LogRow(Cases):
    """A change."""

    __tablename__ = "log"
    __table_args__ = (Index("log_case", "case_id", "id"), _NEVER_AGAIN)

    id: Mapped[int] = mapped_column(primary_key=True)
    case_id: Mapped[int]
    at: Mapped[str]
    action: Mapped[str]
    text: Mapped[str]
    subject: Mapped[str]
    """``case``, a subject of `StateRow`, or empty if there is nothing to undo."""
    key: Mapped[str]
    before: Mapped[str | None]
    after: Mapped[str | None]
    refers: Mapped[int | None]
    """For an undo or redo: the change it undid or redid."""
    author: Mapped[str]
    """The opening of the case book that made it; undo applies only to changes of the same window."""
    digest: Mapped[bytes | None] = mapped_column(LargeBinary)
