"""A Qdrant server by its official client, over HTTP.

Nothing but the address is connected to: the client's question for the version of the server is off, as are
proxies of the environment and redirections. HTTP and not gRPC, which would need a second port. A server has
to be of version 1.16 or later, and take requests of some 10 MB (``max_request_size_mb``; 32 by default).
"""

from __future__ import annotations

import json
import math
import re
import ssl
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urlsplit

from claimlight.engines.qdrant_store import FIELDS, Point, Vector
from claimlight.engines.reasons import tell_reason
from claimlight.errors import EngineError
from claimlight.index.backend import Leg

if TYPE_CHECKING:
    from qdrant_client import QdrantClient

_T = TypeVar("_T")

CONNECT_SECONDS = 5.0
_KEY = "claimlight"
"""Key of the schema in the metadata of a collection."""
_GRAPH = {"m": 16, "ef_construct": 200}
_UNVERIFIED = re.compile(r"certificate verify failed: (.+?)(?: \(_ssl\.c:\d+\))?$")
"""What OpenSSL says, between words of its own."""
_UNAUTHORISED = (401, 403)
_LATE = (408, 504)
_THERE = 409


class QdrantServer:
    """See `claimlight.engines.qdrant_store.QdrantStore`; threads may share it."""

    def __init__(
        self,
        url: str,
        *,
        token: str = "",
        seconds: float,
        write_seconds: float,
        authorities: Path | None = None,
        client: QdrantClient | None = None,
    ) -> None:
        """``authorities`` as `QdrantBackend` has it.

        ``client`` is one that holds its collections in this process, for tests.
        """
        from qdrant_client import QdrantClient, models

        parts = urlsplit(url)
        scheme = "qdrants" if parts.scheme == "https" else "qdrant"
        self.place = f"{scheme}://{parts.netloc}"
        self._token = token
        self._open = bool(token) and parts.scheme != "https"
        self._seconds = seconds
        # The client takes whole seconds; `claimlight.engines.deadline` keeps the exact time.
        self._timeout = math.ceil(seconds)
        self._models = models
        self.words = SimpleNamespace(
            Filter=models.Filter,
            FieldCondition=models.FieldCondition,
            Range=models.Range,
            MatchAny=models.MatchAny,
            HasId=lambda parts: models.HasIdCondition(has_id=list(parts)),
        )
        if client is None:
            client = QdrantClient(
                url=url,
                port=parts.port,
                timeout=math.ceil(write_seconds),
                check_compatibility=False,
                # As a header: the client's own argument warns on a connection without TLS.
                headers={"api-key": token} if token else None,
                trust_env=False,
                follow_redirects=False,
                # The system's certificates, among them those of the office, and not a list of the client's.
                verify=ssl.create_default_context(cafile=authorities) if parts.scheme == "https" else False,
            )
            client.http.client.add_middleware(_limit_connecting)
        self._client = client

    def schema(self, collection: str) -> str | None:
        """See `QdrantStore.schema`."""
        if not self._ask(lambda: self._client.collection_exists(collection)):
            return None
        config = self._ask(lambda: self._client.get_collection(collection)).config
        return str((config.metadata or {}).get(_KEY, ""))

    def create(self, collection: str, schema: str, dim: int | None) -> None:
        """See `QdrantStore.create`."""
        models = self._models
        dense = {} if dim is None else {Leg.DENSE.value: self._dense(dim)}
        sparse = None
        if dim is None:
            kept = models.SparseIndexParams(datatype=models.Datatype.FLOAT32)
            sparse = {leg.value: models.SparseVectorParams(index=kept) for leg in (Leg.CENTERS, Leg.WORDS)}
        try:
            self._ask(
                lambda: self._client.create_collection(
                    collection,
                    vectors_config=dense,
                    sparse_vectors_config=sparse,
                    metadata={_KEY: schema},
                )
            )
        except _ThereError:
            return

    def _dense(self, dim: int) -> Any:
        models = self._models
        return models.VectorParams(
            size=dim,
            distance=models.Distance.DOT,
            datatype=models.Datatype.FLOAT32,
            hnsw_config=models.HnswConfigDiff(**_GRAPH),
        )

    def index(self, collection: str) -> None:
        """See `QdrantStore.index`."""
        for field, kind in FIELDS.items():
            schema = self._models.PayloadSchemaType(kind)
            call = partial(self._client.create_payload_index, collection, field, schema, wait=True)
            self._check(self._ask(call))

    def upsert(self, collection: str, points: Sequence[Point]) -> None:
        """See `QdrantStore.upsert`.

        For ``wait``, Qdrant flushes its log to the disk and applies it before it answers. In a collection
        with replicas, its ``write_consistency_factor`` is the least number of them that have done it.
        """
        models = self._models

        def vector(given: Vector) -> Any:
            if isinstance(given, tuple):
                # Checked already, number by number, where it was made.
                return models.SparseVector.model_construct(indices=given[0], values=given[1])
            return given

        rows = [
            models.PointStruct.model_construct(
                id=point.part,
                vector={leg: vector(each) for leg, each in point.vectors.items()},
                payload=dict(point.payload),
            )
            for point in points
        ]
        self._check(self._ask(lambda: self._client.upsert(collection, rows, wait=True)))

    def delete(self, collection: str, condition: Any) -> None:
        """See `QdrantStore.delete`."""
        chosen = self._models.FilterSelector(filter=condition)
        self._check(self._ask(lambda: self._client.delete(collection, chosen, wait=True)))

    def query(
        self, collection: str, leg: Leg, vector: Vector, condition: Any, k: int, *, exact: bool, ef: int
    ) -> list[tuple[int, float]]:
        """See `QdrantStore.query`."""
        models = self._models
        asked: Any = vector
        if isinstance(vector, tuple):
            asked = models.SparseVector(indices=vector[0], values=vector[1])
        params = models.SearchParams(exact=exact, hnsw_ef=None if exact else ef)
        answer = self._ask(
            lambda: self._client.query_points(
                collection,
                asked,
                using=leg.value,
                query_filter=condition,
                search_params=params,
                limit=k,
                with_payload=False,
                timeout=self._timeout,
            )
        )
        return [(int(point.id), point.score) for point in answer.points]

    def count(self, collection: str, condition: Any) -> int:
        """See `QdrantStore.count`."""
        counted = self._ask(
            lambda: self._client.count(collection, condition, exact=True, timeout=self._timeout)
        )
        return int(counted.count)

    def version(self) -> str:
        """See `QdrantStore.version`."""
        return f"Qdrant {self._ask(self._client.info).version}"

    def notes(self) -> tuple[str, ...]:
        """See `QdrantStore.notes`."""
        return ("The token is sent without encryption: use qdrants:// for TLS.",) if self._open else ()

    def close(self) -> None:
        """See `QdrantStore.close`."""
        self._client.close()

    def _check(self, done: Any) -> None:
        """Refuse an answer to a change that is not applied yet."""
        if done.status != self._models.UpdateStatus.COMPLETED:
            raise EngineError(
                f"The engine at {self.place} took a change but has not applied it ({done.status.value})."
            )

    def _ask(self, call: Callable[[], _T]) -> _T:
        """What a call of the client gives; its errors as ours."""
        import httpx
        from qdrant_client.common.client_exceptions import ResourceExhaustedResponse
        from qdrant_client.http.exceptions import ResponseHandlingException, UnexpectedResponse

        try:
            return call()
        except ResponseHandlingException as error:
            source = error.source
            if isinstance(source, httpx.TimeoutException) and not isinstance(source, httpx.ConnectTimeout):
                raise self._late() from error
            if isinstance(source, (httpx.ConnectError, httpx.ConnectTimeout)):
                reason = str(source) or "no connection in time"
                if "CERTIFICATE" in reason.upper():
                    found = _UNVERIFIED.search(reason)
                    told = found.group(1) if found else reason
                    raise self._error("has a certificate that can't be verified", told) from error
                raise self._error("can't be reached", tell_reason(reason)) from error
            if isinstance(source, httpx.TransportError):
                raise self._error("broke off", tell_reason(str(source))) from error
            raise self._error("gave an answer that is not Qdrant's", type(source).__name__) from error
        except UnexpectedResponse as error:
            raise self._refusal(error.status_code or 0, error.content) from error
        except ResourceExhaustedResponse as error:
            raise self._error("is too busy", f"it asks to wait {error.retry_after_s} s") from error
        except (ValueError, AssertionError, KeyError, TypeError) as error:
            raise self._error("gave an answer that is not Qdrant's", type(error).__name__) from error

    def _refusal(self, status: int, content: bytes) -> EngineError:
        if status in _UNAUTHORISED:
            return EngineError(f"The engine at {self.place} refused the credentials.")
        if status in _LATE:
            return self._late()
        try:
            reason = str(json.loads(content)["status"]["error"])
        except (ValueError, KeyError, TypeError):
            reason = f"HTTP status {status}"
        if status == _THERE or "already exists" in reason:
            return _ThereError(self._error("refused a request", reason))
        return self._error("refused a request", reason)

    def _late(self) -> EngineError:
        return EngineError(f"The engine at {self.place} did not answer within {self._seconds:g} seconds.")

    def _error(self, what: str, reason: str) -> EngineError:
        if self._token:
            reason = reason.replace(self._token, "…")
        return EngineError(f"The engine at {self.place} {what}: {reason[:300]}.".replace("..", "."))


class _ThereError(EngineError):
    """What was to be made is there already."""


def _limit_connecting(request: Any, send: Callable[[Any], Any]) -> Any:
    # A request that stores may take a minute, but not to find that nobody is there.
    timeouts = request.extensions["timeout"]
    timeouts["connect"] = min(timeouts["connect"] or CONNECT_SECONDS, CONNECT_SECONDS)
    return send(request)
