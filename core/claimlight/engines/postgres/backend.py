"""`IndexBackend` on plain PostgreSQL."""

from __future__ import annotations

import re
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence
from hashlib import blake2b
from threading import Lock
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from claimlight import codec
from claimlight.engines.postgres.scoring import SectionVectors, sparse_scores
from claimlight.engines.postgres.sessions import TIDY_SECONDS, Session, Sessions
from claimlight.engines.postgres.tables import CREATE, LAYOUT
from claimlight.engines.postgres.views import View, Views
from claimlight.engines.postgres.writing import Postings, Writer
from claimlight.errors import BugError, EngineError
from claimlight.index.backend import (
    UNDATED,
    EngineHealth,
    Found,
    Ids,
    IndexSchema,
    Leg,
    PartBatch,
    PartFilter,
    SparseVector,
)

CACHE_BYTES = 1 << 30
"""Section vectors that a client keeps: those of some 230,000 documents with 384 dimensions."""
_RECENT = 8
"""Scores and filters kept: a ranking asks again with the same query and other documents left out."""
_T = TypeVar("_T")
_NAME = re.compile(r"[a-z][a-z0-9_]{0,62}")


class PostgresBackend:
    """An index in a database of PostgreSQL 12 or later, in the schema with the name of the index.

    Threads may share it. A client keeps the numbers of all parts (9 bytes each) and section vectors up to
    ``cache_bytes``; what was stored or removed by other clients is seen by the next search.
    """

    def __init__(self, address: str, *, password: str | None = None, cache_bytes: int = CACHE_BYTES) -> None:
        """``address`` is a connection string or URL of libpq; nothing is reached before `ensure`.

        `ResourceError` if the extra ``postgres`` is not installed.
        """
        self._sessions = Sessions(address, password)
        self._cache_bytes = cache_bytes
        self._schema: IndexSchema | None = None
        self._views = Views()
        self._vectors = SectionVectors(0, 0)
        self._scores: _Recent[NDArray[np.float64]] = _Recent()
        self._documents: _Recent[Ids] = _Recent()

    @property
    def most(self) -> int:
        """No limit of its own."""
        return 1 << 30

    def ensure(self, schema: IndexSchema, *, create: bool = False) -> None:
        """See `IndexBackend.ensure`."""
        name = schema.name
        if not _NAME.fullmatch(name):
            raise BugError(f"{name!r} can't be the name of a schema.")
        if create:
            self._create(schema)
        with self._sessions.reading(name) as session:
            if not _exists(session, name):
                raise EngineError(f"The PostgreSQL server at {self._sessions.place} has no index {name}.")
            layout, text = session.row("SELECT layout, schema FROM state")
        if layout != LAYOUT:
            raise EngineError(f"The index {name} was made by another version of Claimlight.")
        if codec.decode(IndexSchema, text) != schema:
            raise EngineError(f"The index {name} was made with another model or other settings.")
        self._schema = schema
        # What is kept of another index has the same numbers of blocks and versions.
        self._views, self._scores, self._documents = Views(), _Recent(), _Recent()
        self._vectors = SectionVectors(schema.dim, self._cache_bytes)

    def upsert(self, batch: PartBatch) -> None:
        """See `IndexBackend.upsert`; all of the batch is stored, or nothing."""
        schema, sections, passages = self._opened(), batch.sections, batch.passages
        postings = Postings.of(passages)
        with self._sessions.writing(schema.name) as session:
            writer = Writer(session)
            for kind, parts in ((True, sections.parts), (False, passages.parts)):
                view = self._views.at(session, writer.version, sections=kind)
                # Not so of new documents, whose ids are the highest: comparing would sort all parts.
                if len(parts) and len(view.parts) and parts.min() <= view.parts.max():
                    writer.remove(view, np.isin(view.parts, parts), sections=kind)
            writer.store_facts(batch.facts)
            writer.append_sections(sections)
            writer.append_passages(passages.parts, passages.claims, postings)
            writer.finish()
            untidy = writer.untidy()
        if untidy:
            self._tidy(schema)

    def delete(self, documents: Sequence[int]) -> None:
        """See `IndexBackend.delete`."""
        schema, gone = self._opened(), np.unique(np.array(documents, dtype=np.int64))
        if not len(gone):
            return
        with self._sessions.writing(schema.name) as session:
            writer = Writer(session)
            for kind in (True, False):
                view = self._views.at(session, writer.version, sections=kind)
                writer.remove(view, np.isin(view.documents, gone), sections=kind)
            writer.remove_facts(gone.tolist())
            writer.finish()
            untidy = writer.untidy()
        if untidy:
            self._tidy(schema)

    def search(
        self, leg: Leg, vector: NDArray[np.float32] | SparseVector, allowed: PartFilter, k: int
    ) -> Found:
        """See `IndexBackend.search`."""
        with self._sessions.reading(self._opened().name) as session:
            view = self._view(session, leg)
            passing = self._passing(session, view, allowed)
            if not passing.any():
                return _best(view.parts[:0], np.empty(0), k)
            scores = self._scored(session, view, leg, vector, passing)
            if isinstance(vector, SparseVector):
                passing &= scores > 0
        rows = np.flatnonzero(passing)
        return _best(view.parts[rows], scores[rows], k)

    def count(self, leg: Leg, allowed: PartFilter) -> int:
        """See `IndexBackend.count`."""
        with self._sessions.reading(self._opened().name) as session:
            view = self._view(session, leg)
            return int(np.count_nonzero(self._passing(session, view, allowed)))

    def health(self) -> EngineHealth:
        """See `IndexBackend.health`."""
        begun = time.perf_counter()
        name = "pg_catalog" if self._schema is None else self._schema.name
        with self._sessions.reading(name) as session:
            version, fsync = session.row("SELECT current_setting('server_version'), current_setting('fsync')")
            counts = {True: 0, False: 0}
            if self._schema is not None:
                held = "SELECT sections, sum(filled - removed)::bigint FROM block GROUP BY sections"
                counts.update(session.rows(held))
        notes = () if fsync == "on" else ("fsync is off: documents can be lost if the server fails.",)
        return EngineHealth(
            f"PostgreSQL {version}", time.perf_counter() - begun, counts[True], counts[False], notes
        )

    def close(self) -> None:
        """See `IndexBackend.close`."""
        self._sessions.close()

    def _create(self, schema: IndexSchema) -> None:
        """Create the tables if there are none; of two clients that do so at once, one waits."""
        name = schema.name
        with self._sessions.writing(name) as session:
            session.row("SELECT 1 FROM pg_advisory_xact_lock(hashtext(%s))", name)
            if not _exists(session, name):
                session.run(f'CREATE SCHEMA IF NOT EXISTS "{name}"')
                session.run(CREATE)
                session.run("INSERT INTO state VALUES (true, %s, %s, 0, 0, 0)", LAYOUT, codec.encode(schema))

    def _opened(self) -> IndexSchema:
        if self._schema is None:
            raise EngineError("The engine has no index yet.")
        return self._schema

    def _view(self, session: Session, leg: Leg) -> View:
        (version,) = session.row("SELECT version FROM state")
        return self._views.at(session, version, sections=leg.sections)

    def _scored(
        self,
        session: Session,
        view: View,
        leg: Leg,
        vector: NDArray[np.float32] | SparseVector,
        passing: NDArray[np.bool_],
    ) -> NDArray[np.float64]:
        """[rows of the view] scores, right for ``passing`` rows."""
        if isinstance(vector, SparseVector):
            key = (leg, view.version, _digest(vector.indices, vector.values))
            return self._scores.get(key, lambda: sparse_scores(session, view, leg, vector))
        key = (leg, view.version, _digest(vector))
        scores = self._scores.find(key)
        if scores is None:
            scores, whole = self._vectors.scores(session, view, vector, passing)
            if whole:
                self._scores.keep(key, scores)
        return scores

    def _passing(self, session: Session, view: View, allowed: PartFilter) -> NDArray[np.bool_]:
        """[rows of the view] whether a part is there and passes."""
        passing = view.live & view.claims if allowed.claims else view.live.copy()
        if allowed.before or allowed.classes:
            passing &= np.isin(view.documents, self._documents_by_facts(session, allowed))
        if allowed.without_families:
            passing &= ~np.isin(view.documents, self._documents_of_families(session, allowed))
        if allowed.documents is not None:
            passing &= np.isin(view.documents, allowed.documents)
        if allowed.without is not None:
            passing &= ~np.isin(view.documents, allowed.without)
        return passing

    def _documents_by_facts(self, session: Session, allowed: PartFilter) -> Ids:
        conditions: list[str] = []
        values: list[Any] = []
        if allowed.before:
            conditions.append("published <> %s AND published < %s")
            values += [UNDATED, allowed.before]
        if allowed.classes:
            conditions.append("classes && %s::text[]")
            values.append(list(allowed.classes))
        return self._documents_where(session, " AND ".join(conditions), values)

    def _documents_of_families(self, session: Session, allowed: PartFilter) -> Ids:
        return self._documents_where(session, "family = ANY(%s::bigint[])", [list(allowed.without_families)])

    def _documents_where(self, session: Session, condition: str, values: list[Any]) -> Ids:
        (version,) = session.row("SELECT facts_version FROM state")

        def read() -> Ids:
            query = "SELECT string_agg(int8send(document), '') FROM facts WHERE "
            (found,) = session.row(query + condition, *values)
            return np.frombuffer(found or b"", ">i8").astype(np.int64)

        return self._documents.get((version, condition, repr(values)), read)

    def _tidy(self, schema: IndexSchema) -> None:
        """In a transaction of its own, so that what was stored is stored whatever happens here."""
        with self._sessions.writing(schema.name, TIDY_SECONDS) as session:
            Writer(session).tidy(self._views, schema.dim)


class _Recent(Generic[_T]):
    """The values that were last asked for; threads may share it."""

    def __init__(self) -> None:
        self._kept: OrderedDict[Hashable, _T] = OrderedDict()
        self._lock = Lock()

    def get(self, key: Hashable, make: Callable[[], _T]) -> _T:
        """The value of a key, made if it is not kept."""
        found = self.find(key)
        if found is None:
            found = make()
            self.keep(key, found)
        return found

    def find(self, key: Hashable) -> _T | None:
        """The value of a key, if it is kept."""
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
            return self._kept.get(key)

    def keep(self, key: Hashable, value: _T) -> None:
        """Keep a value in place of the one that was asked for longest ago."""
        with self._lock:
            self._kept[key] = value
            while len(self._kept) > _RECENT:
                self._kept.popitem(last=False)


def _exists(session: Session, name: str) -> bool:
    (there,) = session.row("SELECT to_regclass(%s) IS NOT NULL", f"{name}.state")
    return bool(there)


def _best(parts: Ids, scores: NDArray[np.float64], k: int) -> Found:
    if k < len(parts):
        # All with the score of the last: the lowest ids among them are taken.
        worst = np.partition(scores, len(scores) - k)[len(scores) - k]
        some = scores >= worst
        parts, scores = parts[some], scores[some]
    order = np.lexsort((parts, -scores))[:k]
    return Found(parts[order], scores[order])


def _digest(*arrays: NDArray[Any]) -> bytes:
    digest = blake2b(digest_size=16)
    for array in arrays:
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.digest()
