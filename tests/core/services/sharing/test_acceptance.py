"""The acceptance of an engine: what it passes, and the faults that it finds."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from claimlight.engines.exact import ExactBackend
from claimlight.engines.workload import FILTERS, Workload
from claimlight.errors import EngineError, ResourceError
from claimlight.index.backend import ALL, Found, Leg
from claimlight.services.sharing import acceptance
from claimlight.services.sharing.acceptance import AcceptanceOptions, accept_engine
from claimlight.tasks import TaskContext
from claimlight.types.acceptance import AcceptanceStep
from tests.core.services.sharing.exact_server import Server

SMALL = Workload(400, passages=3, dim=24, centers=500, stems=900)


@pytest.fixture
def few_checks(monkeypatch):
    """One check of the contract, where it is not what is tested."""
    monkeypatch.setattr(acceptance, "CHECKS", acceptance.CHECKS[2:3])


def run(server, **changed):
    given = {"workload": SMALL, "queries": 6, "clients": 3, "seconds": 1.0, **changed}
    report = accept_engine(server.open, AcceptanceOptions(**given), TaskContext())
    return report, {outcome.step: outcome for outcome in report.outcomes}


def test_an_exact_engine_passes_and_is_left_empty():
    server = Server()
    report, steps = run(server)
    assert report.passed
    assert list(steps) == [
        AcceptanceStep.CONTRACT,
        AcceptanceStep.LOAD,
        AcceptanceStep.RECALL,
        AcceptanceStep.LATENCY,
    ]
    figures = {each.name: each.value for each in steps[AcceptanceStep.LOAD].figures}
    assert (figures["sections"], figures["passage pieces"]) == (1200, 1200)
    assert all(each.value == 1.0 for each in steps[AcceptanceStep.RECALL].figures)
    assert len(steps[AcceptanceStep.RECALL].figures) == len(FILTERS) * len(Leg)
    for schema, blocks, _ in server.indexes.values():
        assert schema is not None
        assert not sum(int(block.alive.sum()) for each in blocks.values() for block in each)


@pytest.mark.usefixtures("few_checks")
def test_what_is_kept_stays():
    server = Server()
    run(server, keep=True)
    backend = server.open()
    (name,) = (each for each in server.indexes if "accept" in each)
    backend.ensure(SMALL.schema(name))
    assert backend.count(Leg.DENSE, ALL) == 1200


class Approximate(ExactBackend):
    """Misses every fifth section."""

    def search(self, leg, vector, allowed, k):
        found = super().search(leg, vector, allowed, k)
        if leg is not Leg.DENSE or len(found) < 50:
            return found
        kept = np.arange(len(found)) % 5 != 0
        return Found(found.parts[kept], found.scores[kept])


def test_low_recall_fails_and_names_the_leg():
    report, steps = run(Server(Approximate))
    assert not report.passed
    assert not steps[AcceptanceStep.RECALL].passed
    assert "dense, all: 0.800" in steps[AcceptanceStep.RECALL].says
    assert not steps[AcceptanceStep.CONTRACT].passed
    assert steps[AcceptanceStep.LATENCY].passed


class Losing(ExactBackend):
    """Acknowledges more than it keeps."""

    def upsert(self, batch):
        super().upsert(batch)
        if len(batch.facts) == 200:
            self.delete([next(iter(batch.facts))])


@pytest.mark.usefixtures("few_checks")
def test_a_lost_document_fails_the_load_and_stops():
    report, steps = run(Server(Losing))
    assert not report.passed
    assert "1194 of 1200" in steps[AcceptanceStep.LOAD].says
    assert AcceptanceStep.RECALL not in steps


@pytest.mark.usefixtures("few_checks")
def test_a_failover_that_ends_passes_and_one_that_does_not_fails():
    server = Server()

    def restart():
        server.running = False
        threading.Timer(0.4, lambda: setattr(server, "running", True)).start()

    _, steps = run(server, failover=restart, seconds=3.0)
    outcome = steps[AcceptanceStep.FAILOVER]
    assert outcome.passed
    figures = {each.name: each.value for each in outcome.figures}
    assert figures["failed searches"] > 0
    assert 0.35 < figures["longest time without an answer"] < 2.9

    def stop():
        server.running = False

    _, steps = run(server, failover=stop, seconds=2.0)
    assert not steps[AcceptanceStep.FAILOVER].passed
    assert "No search succeeded again" in steps[AcceptanceStep.FAILOVER].says


@pytest.mark.usefixtures("few_checks")
def test_a_failover_that_loses_parts_or_never_happens_fails():
    server = Server()

    def lose():
        for schema, blocks, _ in server.indexes.values():
            if "accept" in schema.name:
                blocks[True][0].alive[:3] = False

    _, steps = run(server, failover=lose)
    assert not steps[AcceptanceStep.FAILOVER].passed
    assert "dense: 1197 of 1200 parts are there." in steps[AcceptanceStep.FAILOVER].says

    def fail():
        raise ResourceError("The command failed.")

    _, steps = run(server, failover=fail)
    assert (steps[AcceptanceStep.FAILOVER].passed, steps[AcceptanceStep.FAILOVER].says) == (
        False,
        "The command failed.",
    )


class Refusing(ExactBackend):
    """Fails at filters by class."""

    def search(self, leg, vector, allowed, k):
        if allowed.classes and len(allowed.classes) == 1:
            raise EngineError("The engine refused a filter.")
        return super().search(leg, vector, allowed, k)

    def delete(self, documents):
        if len(documents) == 400:
            raise EngineError("The engine refused to remove.")
        super().delete(documents)


@pytest.mark.usefixtures("few_checks")
def test_an_engine_that_fails_in_a_step_fails_it_alone_and_what_is_left_is_told():
    report, steps = run(Server(Refusing), failover=lambda: None)
    assert len(steps) == 5
    assert steps[AcceptanceStep.LOAD].passed
    assert steps[AcceptanceStep.RECALL].says == "The engine refused a filter."
    assert not steps[AcceptanceStep.RECALL].passed
    assert not steps[AcceptanceStep.LATENCY].passed
    assert report.left == "What was loaded could not be removed: The engine refused to remove."


def test_a_workload_is_the_same_each_time_and_its_filters_let_some_pass():
    first, again = (next(iter(SMALL.batches())) for _ in range(2))
    assert first.facts == again.facts
    assert np.array_equal(first.passages.words.values, again.passages.words.values)
    backend = ExactBackend()
    backend.ensure(SMALL.schema("x"), create=True)
    for batch in SMALL.batches():
        backend.upsert(batch)
    queries = list(SMALL.queries(4))
    exact = SMALL.exact(queries, FILTERS, 20)
    for name, allowed in FILTERS.items():
        assert 0 < backend.count(Leg.DENSE, allowed) <= 1200
        for query, each in zip(queries, exact[name], strict=True):
            for leg, vector in query.items():
                assert backend.search(leg, vector, allowed, 20).parts.tolist() == each[leg].parts.tolist()


def test_an_engine_that_is_not_there_is_an_error():
    class Gone(ExactBackend):
        def health(self):
            raise EngineError("The engine at nowhere can't be reached.")

    with pytest.raises(EngineError, match="nowhere"):
        accept_engine(Gone, AcceptanceOptions(SMALL), TaskContext())
