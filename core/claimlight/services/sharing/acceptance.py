"""Whether an office's own engine is fit to hold a shared library: what `claimlight accept` runs.

It fills indexes of its own beside those of the library, and empties them at the end: the contract over a few
invented documents, then as many as the office will have, or a sample of them, to measure load, recall against
brute force, latency with several clients, and what a client sees while a server of the cluster is stopped.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, field

import numpy as np

from claimlight.digests import sha256
from claimlight.engines import checks
from claimlight.engines.checks import CHECKS, CheckError
from claimlight.engines.workload import FILTERS, Query, Workload
from claimlight.errors import EngineError, ResourceError
from claimlight.index.backend import ALL, Found, IndexBackend, Leg, PartBatch, PartFilter
from claimlight.tasks import TaskContext
from claimlight.types import Progress
from claimlight.types.acceptance import AcceptanceOutcome, AcceptanceReport, AcceptanceStep, Figure

Open = Callable[[], IndexBackend]
LEAST_RECALL = 0.99
"""Share of the exact first hundred that a leg must find, on average over the queries."""
_K = 100
_REMOVED = 1000
"""Documents removed in one call."""
_PAUSE = 0.2
"""Seconds before a client whose search failed searches again."""
_STAYED_AWAY = "No search succeeded again after the server was stopped."
_TIE = 2e-5
"""A score this much below the last exact one, relatively, is as good: engines compute with fp32."""


@dataclass(frozen=True, slots=True)
class AcceptanceOptions:
    """What to run against the engine."""

    workload: Workload = field(default_factory=lambda: Workload(2000))
    queries: int = 50
    loaders: int = 2
    """Threads that load at once."""
    clients: int = 20
    """Threads that search at once, each with a connection of its own."""
    seconds: float = 20.0
    """How long the clients search, and how long the failover lasts."""
    failover: Callable[[], None] | None = None
    """Stops a server of the engine, while searches go on; `ResourceError` if it can't. None leaves the step
    out."""
    keep: bool = False
    """Leave the loaded documents in the engine."""


def accept_engine(opened: Open, options: AcceptanceOptions, context: TaskContext) -> AcceptanceReport:
    """Run the steps; one that fails does not stop the others, unless not all could be loaded.

    `EngineError` if the engine can't be reached at all.
    """
    workload = options.workload
    with closing(opened()) as backend:
        engine = backend.health().engine
    name = f"claimlight_accept_{sha256(repr(workload))[:8]}"
    run = _Run(opened, options, name, context)
    left = ""
    try:
        outcomes = [
            _attempt(AcceptanceStep.CONTRACT, lambda: _check_contract(opened, context)),
            _attempt(AcceptanceStep.LOAD, run.load),
        ]
        if outcomes[-1].passed:
            outcomes.append(_attempt(AcceptanceStep.RECALL, run.recall))
            outcomes.append(_attempt(AcceptanceStep.LATENCY, run.latency))
            stop = options.failover
            if stop is not None:
                outcomes.append(_attempt(AcceptanceStep.FAILOVER, lambda: run.fail_over(stop)))
    finally:
        if not options.keep:
            left = _clear(run)
    return AcceptanceReport(engine, workload.documents, workload.passages, tuple(outcomes), left)


def _attempt(step: AcceptanceStep, run: Callable[[], AcceptanceOutcome]) -> AcceptanceOutcome:
    """The outcome of a step; an engine that fails meanwhile fails it, and the others go on."""
    try:
        return run()
    except EngineError as error:
        return AcceptanceOutcome(step, passed=False, says=str(error))


def _clear(run: _Run) -> str:
    """Remove what was loaded; why that failed, if it did."""
    try:
        run.clear()
    except EngineError as error:
        return f"What was loaded could not be removed: {error}"
    return ""


def _check_contract(opened: Open, context: TaskContext) -> AcceptanceOutcome:
    failed: list[str] = []
    checks.prepare(opened)
    for number, check in enumerate(CHECKS):
        context.check()
        context.report(Progress("contract", number, len(CHECKS), "checks", 0.0, None, check.says))
        try:
            check.run(opened)
        except (CheckError, EngineError) as error:
            failed.append(f"{check.says}: {error}")
    checks.clear(opened)
    says = " ".join(failed) if failed else f"All {len(CHECKS)} checks hold."
    return AcceptanceOutcome(
        AcceptanceStep.CONTRACT,
        not failed,
        says,
        (Figure("checks that hold", len(CHECKS) - len(failed), f"of {len(CHECKS)}"),),
    )


class _Run:
    """The steps on the loaded documents."""

    def __init__(self, opened: Open, options: AcceptanceOptions, name: str, context: TaskContext) -> None:
        self._open_any = opened
        self._options = options
        self._workload = options.workload
        self._schema = options.workload.schema(name)
        self._context = context
        self._queries = list(self._workload.queries(options.queries))
        self._stored: Mapping[Leg, int] = {}

    def _opened(self) -> IndexBackend:
        backend = self._open_any()
        backend.ensure(self._schema)
        return backend

    def load(self) -> AcceptanceOutcome:
        """Store all parts, several batches at once; passes if the engine then counts what was stored."""
        with closing(self._open_any()) as backend:
            backend.ensure(self._schema, create=True)
        stored = {Leg.DENSE: 0, Leg.CENTERS: 0}
        seconds: list[float] = []
        lock, done = threading.Lock(), 0
        begun = time.perf_counter()
        local = threading.local()
        opened: list[IndexBackend] = []

        def store(batch: PartBatch) -> None:
            nonlocal done
            if not hasattr(local, "backend"):
                local.backend = self._opened()
                with lock:
                    opened.append(local.backend)
            at = time.perf_counter()
            local.backend.upsert(batch)
            with lock:
                seconds.append(time.perf_counter() - at)
                stored[Leg.DENSE] += len(batch.sections.parts)
                stored[Leg.CENTERS] += len(batch.passages.parts)
                done += len(batch.facts)
                rate = done / (time.perf_counter() - begun)
                left = (self._workload.documents - done) / rate
                self._context.report(
                    Progress("load", done, self._workload.documents, "documents", rate, left)
                )

        with ThreadPoolExecutor(self._options.loaders) as threads:
            for _ in _bounded_map(threads, store, self._workload.batches(), 2 * self._options.loaders):
                self._context.check()
        taken = time.perf_counter() - begun
        for backend in opened:
            backend.close()
        self._stored = stored
        with closing(self._opened()) as backend:
            wrong = _missing(backend, stored)
        return AcceptanceOutcome(
            AcceptanceStep.LOAD,
            not wrong,
            " ".join(wrong) or "The engine counts every part that it acknowledged.",
            (
                Figure("documents", self._workload.documents, ""),
                Figure("sections", stored[Leg.DENSE], ""),
                Figure("passage pieces", stored[Leg.CENTERS], ""),
                Figure("load", self._workload.documents / taken, "documents/s"),
                Figure("batch, median", float(np.median(seconds)), "s"),
                Figure("batch, longest", max(seconds), "s"),
            ),
        )

    def recall(self) -> AcceptanceOutcome:
        """Compare the first hundred of each query with brute force."""
        figures: list[Figure] = []
        low: list[str] = []
        self._context.report(Progress("recall", 0, 0, "documents", 0.0, None, "brute force"))
        exact = self._workload.exact(self._queries, FILTERS, _K)
        with closing(self._opened()) as backend:
            for name, allowed in FILTERS.items():
                self._context.check()
                for leg in Leg:
                    shares = [
                        _share(backend.search(leg, query[leg], allowed, _K), each[leg])
                        for query, each in zip(self._queries, exact[name], strict=True)
                    ]
                    mean = float(np.mean(shares))
                    figures.append(Figure(f"{leg}, {name}", mean, "of the exact first 100"))
                    if mean < LEAST_RECALL:
                        low.append(f"{leg}, {name}: {mean:.3f}.")
        says = f"Below {LEAST_RECALL}: {' '.join(low)}" if low else f"At least {LEAST_RECALL} everywhere."
        return AcceptanceOutcome(AcceptanceStep.RECALL, not low, says, tuple(figures))

    def latency(self) -> AcceptanceOutcome:
        """Time each leg alone, with and without filter, then all legs by all clients at once."""
        figures: list[Figure] = []
        with closing(self._opened()) as backend:
            for name, allowed in FILTERS.items():
                for leg in Leg:
                    times = [_timed(backend, leg, query[leg], allowed) for query in self._queries]
                    figures += _quantiles(f"{leg}, {name}", times)
        searches, errors, _ = self._search_for(self._options.seconds)
        figures += _quantiles(f"{self._options.clients} clients, three legs", searches)
        figures.append(Figure("searches", len(searches) / self._options.seconds, "/s"))
        figures.append(Figure("failed searches", len(errors), ""))
        says = f"{len(errors)} searches failed: {errors[0]}" if errors else "No search failed."
        return AcceptanceOutcome(AcceptanceStep.LATENCY, not errors, says, tuple(figures))

    def fail_over(self, stop: Callable[[], None]) -> AcceptanceOutcome:
        """Search while a server is stopped.

        Passes if the server could be stopped, searches succeed again before the end, and no part is lost.
        """
        whole = self._options.seconds
        with ThreadPoolExecutor(1) as beside:
            stopping = beside.submit(_after, whole / 4, stop)
            searches, errors, moments = self._search_for(whole)
            fault = stopping.exception()
        if isinstance(fault, ResourceError):
            return AcceptanceOutcome(AcceptanceStep.FAILOVER, passed=False, says=str(fault))
        if fault is not None:
            raise fault
        gap = float(np.diff([0.0, *moments, whole]).max())
        wrong = [] if moments and whole - moments[-1] < whole / 4 else [_STAYED_AWAY]
        with closing(self._opened()) as backend:
            wrong += _missing(backend, self._stored)
        says = (
            f"{len(errors)} searches failed and {len(searches)} succeeded; the longest time without an "
            f"answer was {gap:.1f} s."
        )
        return AcceptanceOutcome(
            AcceptanceStep.FAILOVER,
            not wrong,
            " ".join([says, *wrong]),
            (
                Figure("searches", len(searches), ""),
                Figure("failed searches", len(errors), ""),
                Figure("longest time without an answer", gap, "s"),
            ),
        )

    def clear(self) -> None:
        """Remove what was loaded."""
        with closing(self._open_any()) as backend:
            backend.ensure(self._schema, create=True)
            first, end = self._workload.first, self._workload.first + self._workload.documents
            for begin in range(first, end, _REMOVED):
                backend.delete(list(range(begin, min(begin + _REMOVED, end))))

    def _search_for(self, seconds: float) -> tuple[list[float], list[str], list[float]]:
        """Times of the searches of all clients, errors, and when searches succeeded since the beginning."""
        times: list[float] = []
        errors: list[str] = []
        moments: list[float] = []
        lock = threading.Lock()
        begun = time.perf_counter()

        def work(client: int) -> None:
            with closing(self._opened()) as backend:
                number = client
                while time.perf_counter() - begun < seconds and not self._context.cancelled:
                    query = self._queries[number % len(self._queries)]
                    allowed = list(FILTERS.values())[number % len(FILTERS)]
                    number += 1
                    at = time.perf_counter()
                    try:
                        for leg, vector in query.items():
                            backend.search(leg, vector, allowed, _K)
                    except EngineError as error:
                        with lock:
                            errors.append(str(error))
                        time.sleep(_PAUSE)
                        continue
                    with lock:
                        times.append(time.perf_counter() - at)
                        moments.append(time.perf_counter() - begun)

        with ThreadPoolExecutor(self._options.clients) as threads:
            for _ in threads.map(work, range(self._options.clients)):
                pass
        self._context.check()
        return times, errors, sorted(moments)


def _after(seconds: float, call: Callable[[], None]) -> None:
    time.sleep(seconds)
    call()


def _missing(backend: IndexBackend, stored: Mapping[Leg, int]) -> list[str]:
    """Sentences on the legs of which the engine counts other parts than were stored."""
    counted = {leg: backend.count(leg, ALL) for leg in stored}
    return [
        f"{leg}: {counted[leg]} of {many} parts are there."
        for leg, many in stored.items()
        if counted[leg] != many
    ]


def _bounded_map(
    threads: ThreadPoolExecutor, call: Callable[[PartBatch], None], items: Iterator[PartBatch], most: int
) -> Iterator[None]:
    """As ``threads.map``, with at most ``most`` items in memory."""
    waiting = []
    for item in items:
        waiting.append(threads.submit(call, item))
        if len(waiting) >= most:
            yield waiting.pop(0).result()
    for each in waiting:
        yield each.result()


def _share(found: Found, exact: Found) -> float:
    """Share of the exact hits that were found; one with the score of the last exact one is as good."""
    if not len(exact):
        return 1.0
    last = float(exact.scores[-1])
    least = last - _TIE * max(abs(last), 1.0)
    good = np.isin(found.parts, exact.parts) | (found.scores >= least)
    return min(int(good.sum()), len(exact)) / len(exact)


def _timed(backend: IndexBackend, leg: Leg, query: Query, allowed: PartFilter) -> float:
    begun = time.perf_counter()
    backend.search(leg, query, allowed, _K)
    return time.perf_counter() - begun


def _quantiles(name: str, seconds: Sequence[float]) -> list[Figure]:
    if not seconds:
        return []
    half, most = np.quantile(np.array(seconds) * 1000, [0.5, 0.95])
    return [Figure(f"{name}, median", float(half), "ms"), Figure(f"{name}, 95 %", float(most), "ms")]
