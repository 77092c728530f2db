"""Kills the servers of a shared library while it is filled, and compares what it then has.

    python -m tests.faults.killing_servers [--rounds 5] [--server milvus|postgres]

A round pushes a library, kills a server (SIGKILL of all its processes) at a random moment, starts it again on
the same files, and looks at what was acknowledged before the push is resumed and after.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from threading import Timer
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "core"))

from claimlight.errors import ResourceError
from claimlight.services.search import queries
from claimlight.services.search.requests import claim_search
from claimlight.services.search.search import SearchEngine
from claimlight.services.sharing import push as pushing
from claimlight.services.sharing.addresses import SharedAddress
from claimlight.services.sharing.credentials import Secrets
from claimlight.services.sharing.filling import SharedTarget
from claimlight.services.sharing.index_source import read_schema
from claimlight.services.sharing.opening import open_shared
from claimlight.services.sharing.verifying import find_wrong, verify
from claimlight.store.postgres import indexed
from claimlight.tasks import TaskContext
from claimlight.types import SEARCH_RANKERS, Committed
from tests.core.services.indexing.small_library import make_stack
from tests.core.services.sharing.pushing_fakes import SETTINGS, fill, make, patents

DOCUMENTS = 40
BATCH = 4
QUERY = queries.query_from_text("A brake with a spring, comprising a wheel and a lamp.")


@dataclass
class Kills:
    killed: int = 0
    """Rounds in which the server was killed during the push."""
    late: int = 0
    """Rounds in which it was killed after the push."""
    acknowledged: int = 0
    """Documents that had been acknowledged when it was killed, added up."""
    faults: list[str] = field(default_factory=list)
    """What was lost, damaged or there twice."""


@dataclass
class _Progress:
    """Starts ``timer`` when ``awaited`` documents are acknowledged; 0: at the beginning."""

    timer: Timer | None = None
    awaited: int = 0
    documents: int = 0

    def begin(self) -> None:
        if not self.awaited:
            self._start()

    def __call__(self, event: object) -> None:
        if isinstance(event, Committed):
            self.documents = event.documents
            if self.awaited and self.documents >= self.awaited:
                self._start()

    def _start(self) -> None:
        if self.timer is not None and self.timer.ident is None:
            self.timer.start()


def kill_while_filling(
    server: Any, source: Any, addresses: Iterator[SharedAddress], rounds: int, seed: int = 0
) -> Kills:
    """``addresses`` names a new empty library for each round; ``server`` has `kill` and `start`."""
    rng, kills = random.Random(seed), Kills()
    seconds = 0.0
    expected: dict[str, frozenset[str]] = {}
    # The first round is not disturbed: it shows how long a push takes, and what is found afterwards.
    while kills.killed < rounds:
        address = next(addresses)
        # After a number of documents, and at any moment of the batch that follows: with an engine the first
        # batch may take most of the time, and a moment drawn from the whole would nearly always be in it.
        awaited = 0 if kills.killed % 4 == 3 else rng.randrange(BATCH, DOCUMENTS, BATCH)
        share = rng.uniform(0.1, 0.95) * (BATCH / DOCUMENTS if awaited else 1.0)
        timer = Timer(share * seconds, server.kill) if seconds else None
        progress = _Progress(timer, awaited)
        begun = time.monotonic()
        told = ""
        with open_shared(address, writable=True, secrets=Secrets()) as shared:
            progress.begin()
            try:
                fill(source, SharedTarget.of(shared), batch=BATCH, context=TaskContext(progress))
            except ResourceError as error:
                told = str(error)
        if not told:
            # The first push takes longer than the others.
            seconds = time.monotonic() - begun
        if timer is None:
            expected = _found(address)
            continue
        if timer.ident is None:
            kills.faults.append(f"failed before {awaited} documents, and nobody had killed: {told}")
            return kills
        timer.join()
        server.start()
        kills.killed += bool(told)
        kills.late += not told
        kills.acknowledged += progress.documents
        with open_shared(address, writable=True, secrets=Secrets()) as shared:
            target = SharedTarget.of(shared)
            kills.faults += _look(target, progress.documents)
            report = fill(source, target, batch=BATCH)
            if report.skipped < progress.documents:
                kills.faults.append(f"{progress.documents} acknowledged, {report.skipped} there")
            check = verify(source, target, TaskContext())
            if not check.sound or (check.expected_sections, check.expected_passages) != (
                check.found_sections,
                check.found_passages,
            ):
                kills.faults.append(f"not sound: {check}")
            status = pushing.read_status(target)
            if status.documents != DOCUMENTS or status.leftovers:
                kills.faults.append(f"{status.documents} documents, {status.leftovers} leftovers")
        found = _found(address)
        kills.faults += [f"{leg} finds others" for leg in expected if found[leg] != expected[leg]]
    return kills


def _look(target: SharedTarget, acknowledged: int) -> list[str]:
    """Before the push is resumed: every document that the database has is whole in the engine."""
    with target.store.read() as connection:
        ids, schema = indexed.read_ids(connection), read_schema(connection)
    faults = []
    if len(ids) < acknowledged:
        faults.append(f"of {acknowledged} acknowledged documents {len(ids)} are in the database")
    if schema is not None:
        target.backend.ensure(schema)
        if wrong := find_wrong(target, ids):
            faults.append(f"the engine lacks parts of {wrong}")
    return faults


def _found(address: SharedAddress) -> dict[str, frozenset[str]]:
    """What each ranker finds of all documents."""
    with open_shared(address, secrets=Secrets()) as shared:
        engine = SearchEngine.open(shared, SETTINGS, stack=lambda _: make_stack())
        return {
            leg.value: frozenset(
                str(hit.patent.publication)
                for hit in engine.run(claim_search(QUERY, legs=[leg], top=DOCUMENTS), TaskContext()).hits
            )
            for leg in SEARCH_RANKERS
        }


def main() -> int:
    from tests import postgres_server
    from tests.core.engines.milvus_server import MilvusServer

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--server", choices=["milvus", "postgres"], default="milvus")
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as name, postgres_server.running(durable=True) as postgres:
        folder = Path(name)
        source = make(folder / "L", patents(range(1, DOCUMENTS + 1)))
        milvus = MilvusServer(folder / "milvus") if asked.server == "milvus" else None
        try:
            server = milvus or postgres
            kills = kill_while_filling(
                server, source, empty_libraries(postgres, milvus, folder / "made"), asked.rounds, asked.seed
            )
        finally:
            if milvus is not None:
                milvus.kill()
    print(kills)
    return 1 if kills.faults else 0


def empty_libraries(postgres: Any, milvus: Any, folder: Path) -> Iterator[SharedAddress]:
    """Addresses of new libraries; their engine is Milvus if it is given, else their database."""
    engine = f"?engine=milvus://{milvus.uri.partition('://')[2]}" if milvus is not None else ""
    while True:
        yield SharedAddress.parse(postgres.empty_library(folder) + engine)


if __name__ == "__main__":
    sys.exit(main())
