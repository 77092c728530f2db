"""The shipped sample, pushed to a server: its hits, evidence, matrix and lines are those of the folder."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import numpy as np
import pytest

pytest.importorskip("psycopg")

from claimlight.services import sample
from claimlight.services.search import queries
from claimlight.services.search.matrix import coverage_matrix
from claimlight.services.search.requests import claim_search
from claimlight.services.search.search import SearchEngine
from claimlight.services.sets.sets import SetSearch
from claimlight.services.sharing.addresses import SharedAddress
from claimlight.services.sharing.credentials import Secrets
from claimlight.services.sharing.filling import SharedTarget
from claimlight.services.sharing.opening import open_shared
from claimlight.services.sharing.push import push
from claimlight.settings import Settings
from claimlight.store import repository
from claimlight.tasks import TaskContext
from claimlight.types import SEARCH_RANKERS, SetRequest

pytestmark = pytest.mark.loopback

CTX = TaskContext()


@pytest.fixture(scope="module", params=["exact", "postgres"])
def both(request, sample_engine, postgres_server, tmp_path_factory):
    """The sample in its folder, and on a server by an engine in memory or by the database itself."""
    library, local = sample_engine
    made = postgres_server.empty_library(tmp_path_factory.mktemp("made"))
    engine = "?engine=memory:pushed-sample" if request.param == "exact" else ""
    address = SharedAddress.parse(made + engine)
    with open_shared(address, writable=True, secrets=Secrets()) as target:
        report = push(library, SharedTarget.of(target), CTX, Settings())
        assert report.new == library.info().documents
    with open_shared(address, secrets=Secrets()) as shared:
        yield (library, local), (shared, SearchEngine.open(shared, Settings()))


@pytest.fixture(scope="module")
def query():
    return queries.query_from_claims(sample.read_application(CTX).claims, 1)


def plain(passage):
    """A passage as it is shown: ids are others on the server."""
    return replace(passage, passage=0)


@pytest.mark.parametrize("legs", [*[(leg,) for leg in SEARCH_RANKERS], SEARCH_RANKERS])
@pytest.mark.parametrize("before", [None, date(2016, 1, 1)])
def test_hits_and_evidence_are_the_same(both, query, legs, before):
    request = claim_search(query, legs=legs, before=before, top=100)
    theirs, mine = (engine.run(request, CTX) for _, engine in both)
    assert [hit.patent.publication for hit in mine.hits] == [hit.patent.publication for hit in theirs.hits]
    scores = [[hit.score for hit in each.hits] for each in (mine, theirs)]
    np.testing.assert_allclose(*scores, rtol=1e-4, atol=1e-5)
    for left, right in zip(mine.hits, theirs.hits, strict=True):
        assert list(map(plain, left.passages)) == list(map(plain, right.passages))
        assert [replace(cell, passage=None) for cell in left.coverage] == [
            replace(cell, passage=None) for cell in right.coverage
        ]
    assert mine.notes == theirs.notes
    assert len(mine.hits) > 15


def test_matrix_and_lines_are_the_same(both, query):
    rows, found = [], []
    for library, engine in both:
        numbers = [hit.patent.publication for hit in both[0][1].run(claim_search(query, top=15), CTX).hits]
        patents = [repository.find(library.store, number) for number in numbers]
        made = coverage_matrix(engine, library, Settings(), query, patents, CTX, judge="none").rows
        rows.append([[(cell.strength, cell.verdict, cell.label) for cell in row.cells] for row in made])
        lines = SetSearch(library, Settings(), engine)
        for line in ('~"a brake"', "COVERS(F2)", "brake$ AND wheel"):
            patents = lines.run(SetRequest(line, query=query), {}, CTX).patents
            found.append(
                {str(name) for name in repository.read_publications(library.store, patents).values()}
            )
    assert rows[1] == rows[0]
    assert rows[0]
    assert found[3:] == found[:3]
    assert found[0]
