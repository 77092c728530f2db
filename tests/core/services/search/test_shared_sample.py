"""The shipped sample with its model: a shared copy gives the hits, evidence and matrix of the folder."""

from __future__ import annotations

from datetime import date

import numpy as np
import pytest

from claimlight.services import sample
from claimlight.services.search import queries
from claimlight.services.search.matrix import coverage_matrix
from claimlight.services.search.requests import claim_search
from claimlight.services.search.search import SearchEngine
from claimlight.services.sets.sets import SetSearch
from claimlight.settings import Settings
from claimlight.tasks import TaskContext
from claimlight.types import SEARCH_RANKERS, PatentId, SetRequest
from tests.shared_copy import share

CTX = TaskContext()


@pytest.fixture(scope="module")
def both(sample_engine):
    library, local = sample_engine
    copy = share(library, Settings(), most=50)
    return (library, local), (copy, SearchEngine.open(copy, Settings()))


@pytest.fixture(scope="module")
def query():
    return queries.query_from_claims(sample.read_application(CTX).claims, 1)


@pytest.mark.parametrize("legs", [*[(leg,) for leg in SEARCH_RANKERS], SEARCH_RANKERS])
@pytest.mark.parametrize("before", [None, date(2016, 1, 1)])
def test_the_top_100_are_the_same(both, query, legs, before):
    request = claim_search(query, legs=legs, before=before, top=100)
    theirs, mine = (engine.run(request, CTX) for _, engine in both)
    assert [hit.patent.publication for hit in mine.hits] == [hit.patent.publication for hit in theirs.hits]
    scores = [[hit.score for hit in each.hits] for each in (mine, theirs)]
    np.testing.assert_allclose(*scores, rtol=1e-4, atol=1e-5)
    assert [hit.passages for hit in mine.hits] == [hit.passages for hit in theirs.hits]
    assert [hit.coverage for hit in mine.hits] == [hit.coverage for hit in theirs.hits]
    assert len(mine.hits) > 15


def test_matrix_and_lines_are_the_same(both, query):
    rows, patents = [], []
    for library, engine in both:
        asked = [PatentId(number) for number in range(1, 16)]
        rows.append(coverage_matrix(engine, library, Settings(), query, asked, CTX, judge="none").rows)
        lines = SetSearch(library, Settings(), engine)
        patents.append(
            [
                lines.run(SetRequest(line, query=query), {}, CTX).patents
                for line in ('~"a brake"', "COVERS(F2)")
            ]
        )
    assert rows[1] == rows[0]
    assert rows[0]
    assert patents[1] == patents[0]
    assert patents[0][0]
