"""Qdrant's engine in this process as the store of the adapter: a folder with one shard per collection."""

from __future__ import annotations

from pathlib import Path
from threading import Lock
from types import SimpleNamespace

import qdrant_edge as edge

from claimlight.engines.qdrant_store import FIELDS
from claimlight.index.backend import Leg

_KINDS = {
    "integer": edge.PayloadSchemaType.Integer,
    "keyword": edge.PayloadSchemaType.Keyword,
}


class EdgeStore:
    """See `claimlight.engines.qdrant_store.QdrantStore`; one for all that open the folder."""

    place = "qdrant-edge"
    words = SimpleNamespace(
        Filter=edge.Filter,
        FieldCondition=edge.FieldCondition,
        Range=edge.RangeFloat,
        MatchAny=edge.MatchAny,
        HasId=lambda parts: edge.HasIdCondition(set(parts)),
    )

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._shards: dict[str, edge.EdgeShard] = {}
        self._lock = Lock()

    def shard(self, collection: str) -> edge.EdgeShard:
        with self._lock:
            if collection not in self._shards:
                self._shards[collection] = edge.EdgeShard.load(str(self.folder / collection))
            return self._shards[collection]

    def schema(self, collection: str) -> str | None:
        kept = self.folder / f"{collection}.json"
        return kept.read_text() if kept.exists() else None

    def create(self, collection: str, schema: str, dim: int | None) -> None:
        if dim is None:
            sparse = edge.EdgeSparseVectorParams(datatype=edge.VectorStorageDatatype.Float32)
            config = edge.EdgeConfig(sparse_vectors={leg.value: sparse for leg in (Leg.CENTERS, Leg.WORDS)})
        else:
            graph = edge.HnswIndexConfig(m=16, ef_construct=200, full_scan_threshold=10_000)
            vector = edge.EdgeVectorParams(
                size=dim,
                distance=edge.Distance.Dot,
                datatype=edge.VectorStorageDatatype.Float32,
                hnsw_config=graph,
            )
            config = edge.EdgeConfig(vectors={Leg.DENSE.value: vector})
        (self.folder / collection).mkdir()
        with self._lock:
            self._shards[collection] = edge.EdgeShard.create(str(self.folder / collection), config)
        (self.folder / f"{collection}.json").write_text(schema)

    def index(self, collection: str) -> None:
        for field, kind in FIELDS.items():
            self.shard(collection).update(edge.UpdateOperation.create_field_index(field, _KINDS[kind]))

    def upsert(self, collection, points) -> None:
        rows = [
            edge.Point(
                point.part,
                {
                    leg: edge.SparseVector(*given) if isinstance(given, tuple) else given
                    for leg, given in point.vectors.items()
                },
                dict(point.payload),
            )
            for point in points
        ]
        self.shard(collection).update(edge.UpdateOperation.upsert_points(rows))

    def delete(self, collection, condition) -> None:
        self.shard(collection).update(edge.UpdateOperation.delete_points_by_filter(condition))

    def query(self, collection, leg, vector, condition, k, *, exact, ef):
        asked = edge.SparseVector(*vector) if isinstance(vector, tuple) else vector
        request = edge.QueryRequest(
            limit=k,
            query=edge.Query.Nearest(asked, leg.value),
            filter=condition,
            params=edge.SearchParams(exact=exact, hnsw_ef=None if exact else ef),
            with_payload=False,
        )
        return [(point.id, point.score) for point in self.shard(collection).query(request)]

    def count(self, collection, condition) -> int:
        return self.shard(collection).count(edge.CountRequest(exact=True, filter=condition))

    def version(self) -> str:
        from importlib.metadata import version

        return f"Qdrant Edge {version('qdrant-edge-py')}"

    def notes(self):
        return ()

    def optimize(self) -> None:
        """Build the graph, which a server does of its own accord."""
        for shard in list(self._shards.values()):
            shard.optimize()

    def close(self) -> None:
        with self._lock:
            for shard in self._shards.values():
                shard.close()
            self._shards.clear()
