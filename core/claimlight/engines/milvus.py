"""Milvus as the engine of a shared library, by its official client.

Two collections hold the parts of an index: ``NAME_sections`` with a dense vector, and ``NAME_passages`` with
the two sparse ones. Either of these may be empty, which Milvus stores, and never finds. The description of
both is the digest of the schema, as Milvus limits descriptions to 1,024 bytes; the schema itself is in the
library's database.

* Every read has the consistency level Strong: it waits until all acknowledged writes are seen, those of
  other clients as well. Session would see the writes of this process alone.
* An insertion returns when it is in the write-ahead log of the cluster, or in the file of Milvus Lite.
  Nothing is flushed: that would seal segments, and servers limit how often.
* An exact index (FLAT, the default) ranks as the workstation does. HNSW is for millions of sections, and
  approximate.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from claimlight import codec
from claimlight.digests import sha256
from claimlight.engines.milvus_connection import Connection
from claimlight.engines.milvus_parts import (
    express,
    in_blocks,
    is_impossible,
    is_in,
    make_fields,
    passage_rows,
    read_found,
    section_rows,
)
from claimlight.engines.reasons import tell_shortfall
from claimlight.errors import EngineError, ShortfallError
from claimlight.index.backend import (
    ENGINE_SECONDS,
    EngineHealth,
    Found,
    IndexSchema,
    Leg,
    PartBatch,
    PartFilter,
    SparseVector,
)

MOST = 16_384
"""The largest limit that Milvus accepts."""
WRITING_SECONDS = 30.0
"""Time for a write, for making a collection and for loading one: a busy cluster slows writers down."""
_DOCUMENTS = 1_000
"""Documents in one request to delete."""
_PROBES = 8
_TRIES = 3
_EXACT, _GRAPH, _SPARSE = "FLAT", "HNSW", "SPARSE_INVERTED_INDEX"
_GRAPH_PARAMETERS = {"M": 32, "efConstruction": 360}
_WIDTH, _GREATEST_WIDTH = 512, 32_768
"""``ef`` of a search by HNSW, and the greatest that Milvus accepts."""
_STRONG = "Strong"


@dataclass(frozen=True, slots=True)
class _Collection:
    suffix: str
    legs: tuple[Leg, ...]


_SECTIONS = _Collection("sections", (Leg.DENSE,))
_PASSAGES = _Collection("passages", (Leg.CENTERS, Leg.WORDS))


class MilvusBackend:
    """`IndexBackend` on a Milvus server."""

    def __init__(
        self,
        uri: str,
        *,
        token: str = "",
        seconds: float = ENGINE_SECONDS,
        by_graph: bool = False,
        authorities: Path | None = None,
    ) -> None:
        """A server at ``http[s]://host:port``; nothing is opened yet.

        ``token``: ``user:password`` or an API key; ``seconds``: of each read; ``by_graph``: whether section
        vectors of indexes that are made here get HNSW; ``authorities``: file (PEM) of the certificates that
        are trusted with https, in place of those that gRPC trusts.
        """
        self._connection = Connection(uri, token=token, seconds=seconds, authorities=authorities)
        self._place = self._connection.place
        self._made_by_graph = by_graph
        self._schema: IndexSchema | None = None
        self._by_graph = False

    @property
    def most(self) -> int:
        """See `IndexBackend.most`."""
        return MOST

    def ensure(self, schema: IndexSchema, *, create: bool = False) -> None:
        """See `IndexBackend.ensure`."""
        for collection in (_SECTIONS, _PASSAGES):
            name = _name(schema, collection)
            if create and not self._has(name):
                self._create(schema, collection)
            self._compare(schema, collection)
            for leg in collection.legs:
                kind = self._index_kind(name, leg)
                if create and not kind:
                    # Also where whoever made the collection was killed before it had an index.
                    kind = self._index(name, leg)
                if not kind:
                    raise EngineError(f"The index {schema.name} of the engine at {self._place} is half made.")
                if leg is Leg.DENSE:
                    self._by_graph = kind == _GRAPH
            self._load(name)
        self._schema = schema

    def upsert(self, batch: PartBatch) -> None:
        """See `IndexBackend.upsert`."""
        schema = self._opened()
        self._store(_name(schema, _SECTIONS), section_rows(batch))
        self._store(_name(schema, _PASSAGES), passage_rows(batch))

    def delete(self, documents: Sequence[int]) -> None:
        """See `IndexBackend.delete`."""
        schema = self._opened()
        for begin in range(0, len(documents), _DOCUMENTS):
            some = is_in("document", documents[begin : begin + _DOCUMENTS])
            self._remove(_name(schema, _SECTIONS), some)
            self._remove(_name(schema, _PASSAGES), some)

    def search(
        self, leg: Leg, vector: NDArray[np.float32] | SparseVector, allowed: PartFilter, k: int
    ) -> Found:
        """See `IndexBackend.search`.

        A dense search that gives fewer than ``k`` is compared with the number of parts that pass the filter.
        Milvus can't count the parts that share an index with a sparse query; there the parts with each of the
        query's heaviest indices are asked for, and have to be among those found.
        """
        self._opened()
        if is_impossible(allowed) or (isinstance(vector, SparseVector) and not len(vector.indices)):
            return _NOTHING
        if isinstance(vector, SparseVector):
            return self._search_sparse(leg, vector, express(allowed), k)
        return self._search_dense(vector, express(allowed), k)

    def count(self, leg: Leg, allowed: PartFilter) -> int:
        """See `IndexBackend.count`."""
        schema = self._opened()
        if is_impossible(allowed):
            return 0
        return self._count(_name(schema, _collection(leg)), express(allowed))

    def health(self) -> EngineHealth:
        """See `IndexBackend.health`."""
        begun = time.perf_counter()
        version = self._connection.ask(_read_version)
        seconds = time.perf_counter() - begun
        notes = []
        if not version:
            notes.append("Milvus Lite is one process without replicas or credentials: for trials alone.")
        if self._by_graph:
            notes.append("Semantic search in this index is approximate (HNSW).")
        sections = passages = 0
        if self._schema is not None:
            sections = self._count(_name(self._schema, _SECTIONS), "")
            passages = self._count(_name(self._schema, _PASSAGES), "")
        name = f"Milvus {version}" if version else "Milvus Lite"
        return EngineHealth(name, seconds, sections, passages, tuple(notes))

    def close(self) -> None:
        """See `IndexBackend.close`."""
        self._connection.close()

    def _opened(self) -> IndexSchema:
        if self._schema is None:
            raise EngineError(f"No index is open on the engine at {self._place}.")
        return self._schema

    def _has(self, name: str) -> bool:
        return bool(
            self._connection.ask(lambda client, seconds: client.has_collection(name, timeout=seconds))
        )

    def _create(self, schema: IndexSchema, collection: _Collection) -> None:
        """Make a collection; one that another client has made meanwhile is compared afterwards."""
        name = _name(schema, collection)

        def make(client: Any, seconds: float) -> None:
            fields = make_fields(client, _describe(schema), collection.legs, schema.dim)
            client.create_collection(name, schema=fields, consistency_level=_STRONG, timeout=seconds)

        try:
            self._connection.ask(make, WRITING_SECONDS)
        except EngineError:
            if not self._has(name):
                raise

    def _index_kind(self, name: str, leg: Leg) -> str:
        """How a vector is indexed; empty if it is not."""
        made = self._connection.ask(
            lambda client, seconds: client.describe_index(name, leg.value, timeout=seconds)
        )
        return str(made["index_type"]) if made else ""

    def _index(self, name: str, leg: Leg) -> str:
        """Index a vector; how."""
        kind = _SPARSE if leg is not Leg.DENSE else _GRAPH if self._made_by_graph else _EXACT

        def make(client: Any, seconds: float) -> None:
            made = client.prepare_index_params()
            params = _GRAPH_PARAMETERS if kind == _GRAPH else {}
            made.add_index(leg.value, index_name=leg.value, index_type=kind, metric_type="IP", params=params)
            client.create_index(name, made, timeout=seconds)

        self._connection.ask(make, WRITING_SECONDS)
        return kind

    def _compare(self, schema: IndexSchema, collection: _Collection) -> None:
        name = _name(schema, collection)
        if not self._has(name):
            raise EngineError(f"The engine at {self._place} has no index {schema.name}.")
        found = self._connection.ask(
            lambda client, seconds: client.describe_collection(name, timeout=seconds)
        )
        if found["description"] != _describe(schema):
            raise EngineError(f"The index {schema.name} was made with another model or other settings.")

    def _load(self, name: str) -> None:
        """Have a collection in the memory of the server, which it keeps; also after a start."""

        def load(client: Any, seconds: float) -> None:
            if client.get_load_state(name, timeout=seconds)["state"].name != "Loaded":
                client.load_collection(name, timeout=seconds)

        try:
            self._connection.ask(load, WRITING_SECONDS)
        except EngineError as error:
            raise EngineError(f"{error} An engine that has just started loads its indexes first.") from error

    def _store(self, name: str, rows: Iterator[dict[str, Any]]) -> None:
        for block in in_blocks(rows):
            self._store_block(name, block)

    def _store_block(self, name: str, rows: list[dict[str, Any]]) -> None:
        self._connection.ask(
            lambda client, seconds: client.upsert(name, rows, timeout=seconds), WRITING_SECONDS
        )

    def _remove(self, name: str, condition: str) -> None:
        self._connection.ask(
            lambda client, seconds: client.delete(
                name, filter=condition, consistency_level=_STRONG, timeout=seconds
            ),
            WRITING_SECONDS,
        )

    def _search_dense(self, vector: NDArray[np.float32], condition: str, k: int) -> Found:
        (found,) = self._find(Leg.DENSE, [vector], condition, k)
        if len(found) == k:
            return found
        name = _name(self._opened(), _SECTIONS)
        before = self._count(name, condition)
        for _ in range(_TRIES):
            # What is stored or removed meanwhile must not look like a shortfall.
            (found,) = self._find(Leg.DENSE, [vector], condition, k, width=_GREATEST_WIDTH)
            after = self._count(name, condition)
            there = min(k, before, after)
            if len(found) >= there:
                return found
            before = after
        raise ShortfallError(tell_shortfall(self._place, len(found), there))

    def _search_sparse(self, leg: Leg, vector: SparseVector, condition: str, k: int) -> Found:
        heaviest = vector.indices[np.argsort(-vector.values, kind="stable")[:_PROBES]].tolist()
        probes = [{index: 1.0} for index in heaviest]
        query = dict(zip(vector.indices.tolist(), vector.values.tolist(), strict=True))
        for _ in range(_TRIES):
            (found,) = self._find(leg, [query], condition, k)
            if len(found) == k:
                return found
            # Asked after the search, so what is stored meanwhile is excluded by asking anew.
            single = self._find(leg, probes, condition, min(MOST, k))
            known = np.unique(np.concatenate([each.parts for each in single]))
            missing = np.setdiff1d(known, found.parts)
            if not len(missing):
                return found
        raise ShortfallError(tell_shortfall(self._place, len(found), len(found) + len(missing)))

    def _find(
        self, leg: Leg, queries: list[Any], condition: str, k: int, *, width: int = _WIDTH
    ) -> list[Found]:
        """The answers to some queries."""
        of_graph = {"ef": max(k, width)} if leg is Leg.DENSE and self._by_graph else {}
        answers = self._connection.ask(
            lambda client, seconds: client.search(
                _name(self._opened(), _collection(leg)),
                data=queries,
                anns_field=leg.value,
                filter=condition,
                limit=k,
                search_params={"metric_type": "IP", "params": of_graph},
                consistency_level=_STRONG,
                timeout=seconds,
            )
        )
        return [read_found(answer.ids, answer.distances) for answer in answers]

    def _count(self, name: str, condition: str) -> int:
        (row,) = self._connection.ask(
            lambda client, seconds: client.query(
                name,
                filter=condition,
                output_fields=["count(*)"],
                consistency_level=_STRONG,
                timeout=seconds,
            )
        )
        return int(row["count(*)"])


_NOTHING = Found(np.empty(0, dtype=np.int64), np.empty(0))


def _name(schema: IndexSchema, collection: _Collection) -> str:
    return f"{schema.name}_{collection.suffix}"


def _collection(leg: Leg) -> _Collection:
    return _SECTIONS if leg.sections else _PASSAGES


def _describe(schema: IndexSchema) -> str:
    """The description of the collections of a schema."""
    return f"Claimlight index, format {schema.format}, schema {sha256(codec.encode(schema))}"


def _read_version(client: Any, seconds: float) -> str:
    """Its version; empty for Milvus Lite, which has no such call."""
    import grpc

    try:
        return str(client.get_server_version(timeout=seconds))
    except grpc.RpcError as error:
        if error.code() is not grpc.StatusCode.UNIMPLEMENTED:
            raise
        client.list_collections(timeout=seconds)
        return ""
