"""The connection to a Milvus server: one deadline for each call, and errors that a user can read.

By its source (2.6), pymilvus repeats a call that gRPC lost until its time is over, or 75 times without one,
and each repetition may take the whole time. So these repetitions are off, and `Connection.ask` repeats a call
once, over a new connection, within the same time. A call that the server holds back for its rate is still
repeated by pymilvus, as long as the time lasts. The channel goes to the given address alone: no proxy of the
environment, no configuration from the name server, and no address that a server gives.
"""

from __future__ import annotations

import logging
import os
import re
import time
from collections.abc import Callable
from pathlib import Path
from threading import RLock
from typing import Any, TypeVar

from claimlight.engines.reasons import tell_reason
from claimlight.errors import EngineError, InputError, MissingPackageError

_T = TypeVar("_T")

_PAUSE = 0.1
"""Seconds before a call is repeated."""
_CHANNEL = {
    # A dead server is noticed between calls too, so that the next call is on a new connection.
    "grpc.keepalive_time_ms": 10_000,
    "grpc.keepalive_timeout_ms": 3_000,
    "grpc.enable_http_proxy": 0,
    "grpc.service_config_disable_resolution": 1,
    # Else a new connection would share the waiting time of the one that failed.
    "grpc.use_local_subchannel_pool": 1,
    "grpc.enable_retries": 0,
}
_LOST = frozenset({"UNAVAILABLE", "CANCELLED"})
_REFUSED = frozenset({"UNAUTHENTICATED", "PERMISSION_DENIED"})
_UNVERIFIED = re.compile(
    r"CERTIFICATE_VERIFY_FAILED: ([^;:()]*\w)|Hostname Verification|is not in peer certificate"
)
"""What gRPC reports about a certificate, at the end of a long sentence."""
_AUTHENTICATION_CODE = 1400
"""Of Milvus; older servers have a text alone."""
_LONGEST_DETAIL = 200


class Connection:
    """A connection that is made at the first call, and again after it was lost; threads may share it."""

    def __init__(self, uri: str, *, token: str, seconds: float, authorities: Path | None = None) -> None:
        """``seconds``: of a call; the rest as `MilvusBackend` has it. `InputError` for a host of many."""
        if "global-cluster" in uri.lower():
            # pymilvus would ask this host for others, and connect to these.
            raise InputError("The engine is a global cluster, which names other hosts; give one cluster.")
        self.place = uri.partition("://")[2]
        self._uri = uri
        self._authorities = authorities
        self._token = token
        self._seconds = seconds
        self._client: Any = None
        self._lock = RLock()

    def ask(self, call: Callable[[Any, float], _T], seconds: float | None = None) -> _T:
        """The answer to a call that may be repeated; it gets the `MilvusClient` and the seconds it may take.

        `EngineError` if there is none within ``seconds`` (by default those of the connection).
        """
        pymilvus = load_pymilvus()
        import grpc

        allowed = seconds or self._seconds
        until = time.monotonic() + allowed
        again = True
        while True:
            client = None
            try:
                # A call that stores has more time, but not to find that nobody is there.
                client = self._connect(min(until - time.monotonic(), self._seconds))
                return call(client, max(until - time.monotonic(), 0.001))
            except (ValueError, grpc.RpcError, pymilvus.MilvusException) as error:
                code, detail = _read_fault(error)
                if code not in _LOST:
                    raise self._fault(code, detail, allowed) from error
                self._drop(client)
                if not again or until - time.monotonic() < 2 * _PAUSE:
                    raise self._fault(code, detail, allowed) from error
            again = False
            time.sleep(_PAUSE)

    def close(self) -> None:
        """Close it; the next call would open it again."""
        with self._lock:
            self._drop(self._client)

    def _connect(self, seconds: float) -> Any:
        with self._lock:
            if self._client is None:
                milvus = load_pymilvus()
                options: dict[str, Any] = {"grpc_options": dict(_CHANNEL), "dedicated": True}
                if self._authorities is not None:
                    options["server_pem_path"] = str(self._authorities)
                client = milvus.MilvusClient(
                    self._uri, token=self._token, timeout=max(seconds, 0.001), **options
                )
                # What pymilvus asks after a failed call, before it repeats it.
                client._handler._on_rpc_error = _give_up
                self._client = client
            return self._client

    def _drop(self, client: Any) -> None:
        """Forget a connection that was lost; other threads find it closed and repeat their calls."""
        with self._lock:
            if client is None or self._client is not client:
                return
            self._client = None
            client.close()

    def _fault(self, code: str, detail: str, seconds: float) -> EngineError:
        """The error for a call that failed."""
        if code == "DEADLINE_EXCEEDED":
            return EngineError(f"The engine at {self.place} did not answer within {seconds:g} seconds.")
        if code in _REFUSED:
            return EngineError(f"The engine at {self.place} refused the credentials.")
        if self._token:
            detail = detail.replace(self._token, "…")
        detail = " ".join(detail.split())
        if found := _UNVERIFIED.search(detail):
            told = found.group(1) or "it is for another name"
            return EngineError(
                f"The engine at {self.place} has a certificate that can't be verified: {told}."
            )
        detail = detail[:_LONGEST_DETAIL].rstrip(".")
        if code in _LOST:
            return EngineError(f"The engine at {self.place} can't be reached: {tell_reason(detail) or code}.")
        return EngineError(f"The engine at {self.place} refused a request: {detail or code}.")


def load_pymilvus() -> Any:
    """The package; `MissingPackageError` if it is not installed."""
    # It would read a file .env of the folders above it into the environment.
    before = os.environ.get("PYTHON_DOTENV_DISABLED")
    os.environ["PYTHON_DOTENV_DISABLED"] = "1"
    try:
        import pymilvus
    except ImportError as error:
        raise MissingPackageError("An engine of Milvus", "pymilvus", "milvus") from error
    finally:
        if before is None:
            del os.environ["PYTHON_DOTENV_DISABLED"]
        else:
            os.environ["PYTHON_DOTENV_DISABLED"] = before
    # It logs every failed call to standard error, with the stack; here these are errors or repeated.
    for name in ("pymilvus", "pymilvus.milvus_client", "pymilvus.bulk_writer"):
        logging.getLogger(name).handlers = [logging.NullHandler()]
    return pymilvus


def _give_up(error: Exception) -> bool:
    raise error


def _read_fault(error: BaseException) -> tuple[str, str]:
    """The code of gRPC, or ``ENGINE`` for what the server says itself, and the details."""
    import grpc

    looked: list[BaseException] = []
    cause: BaseException | None = error
    # pymilvus makes errors their own causes.
    while cause is not None and cause not in looked:
        if isinstance(cause, grpc.RpcError) and isinstance(cause, grpc.Call):
            return cause.code().name, str(cause.details() or "")
        looked.append(cause)
        cause = cause.__cause__
    if isinstance(error, ValueError) and "closed channel" in str(error):
        return "CANCELLED", "the connection was closed"
    message = str(getattr(error, "message", error))
    if "closed channel" in message:
        return "CANCELLED", "the connection was closed"
    if getattr(error, "code", 0) == _AUTHENTICATION_CODE or "auth check failure" in message:
        return "UNAUTHENTICATED", message
    return "ENGINE", message
