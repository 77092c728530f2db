"""The passage of a cell, its lamp, and contributions by feature."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from claimlight.highlight.evidence import list_evidence, meet, sum_scores
from claimlight.highlight.matrix import choose_passages, choose_waiting, content_words, decide_lamp
from claimlight.highlight.terms import AskedTerms
from claimlight.index.scoring import Scoring
from claimlight.settings import CenterSettings
from claimlight.types import CellVerdict, Feature, Lamp, Query, Span
from tests.core.highlight.test_evidence import SPANS, lists, query_spans

_shares = st.sampled_from([0.0, 0.25, 0.5, 0.5000001, 1.0])


@given(st.lists(st.lists(st.tuples(_shares, st.sampled_from([0.0, 1.0, 2.0])), max_size=5), max_size=5))
def test_a_cell_is_the_passage_that_carries_most(documents):
    first = np.cumsum([0, *map(len, documents)])
    flat = [pair for document in documents for pair in document]
    coverage, found = np.array([p[0] for p in flat]), np.array([p[1] for p in flat])
    best = choose_passages(found, coverage, first)
    for place, document in enumerate(documents):
        ranked = [
            (-round(share, 6), -score, row)
            for row, (share, score) in enumerate(document)
            if score > 0 and share > 0
        ]
        if not ranked:
            assert (best.row[place], best.strength[place], best.score[place]) == (-1, 0, 0)
            continue
        row = min(ranked)[2]
        assert best.row[place] == first[place] + row
        assert (best.strength[place], best.score[place]) == document[row]


@given(
    st.lists(st.lists(st.tuples(_shares, _shares, st.sampled_from([0.0, 1.0, 2.0])), max_size=5), max_size=5),
    st.integers(1, 4),
)
def test_settling_a_few_passages_finds_the_same_cells(documents, many):
    """Bounds are never below the strengths, so the best settled passage is the best of all."""
    first = np.cumsum([0, *map(len, documents)])
    flat = [each for document in documents for each in document]
    truth = np.array([min(one, other) for one, other, _ in flat])
    bound = np.array([max(one, other) for one, other, _ in flat])
    scores = np.array([score for *_, score in flat])
    settled = np.zeros(len(flat), dtype=np.bool_)
    offered = np.ones(len(flat), dtype=np.bool_)
    while True:
        best, waiting = choose_waiting(scores, bound, first, offered=offered, settled=settled, many=many)
        if not len(waiting):
            break
        assert not settled[waiting].any()
        bound[waiting], settled[waiting] = truth[waiting], True
    expected = choose_passages(scores, truth, first)
    assert best.row.tolist() == expected.row.tolist()
    assert best.strength.tolist() == expected.strength.tolist()


@pytest.mark.parametrize(
    ("verdict", "pairs", "there", "expected"),
    [
        (CellVerdict.STRONG, [("a damper", "the dampers")], False, Lamp.NONE),
        (CellVerdict.STRONG, [("a damper", "an attenuator"), ("wheel", "spoke")], True, Lamp.NO_SHARED_WORD),
        (CellVerdict.MEDIUM, [("a damper", "an attenuator")], False, Lamp.NO_SHARED_WORD),
        (CellVerdict.BELOW, [("a damper", "an attenuator")], False, Lamp.NONE),
        (CellVerdict.BELOW, [("a damper", "a damper")], True, Lamp.WORDS_ONLY),
        (CellVerdict.NONE, [], True, Lamp.WORDS_ONLY),
        (CellVerdict.UNREAD, [("a damper", "an attenuator")], True, Lamp.NONE),
    ],
)
def test_lamps(verdict, pairs, there, expected):
    assert decide_lamp(verdict, pairs, all_words_there=there) is expected


def test_telling_words_of_a_feature():
    assert content_words("said Damper of the second wheel, and the damper 12") == ("damper", "wheel")


_weight = st.integers(1, 255).map(lambda n: n / 255)
_passage = st.dictionaries(st.integers(0, 11), st.tuples(_weight, st.just(0), st.just(3)), max_size=8)
_asked = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 11), _weight), max_size=20)
QUERY = Query(
    text="wheel rim dampers tyre",
    features=(Feature("F1", Span(0, 9), "wheel rim"), Feature("F2", Span(10, 17), "dampers")),
)


@given(st.lists(_passage, min_size=1, max_size=4), _asked, st.floats(0, 1))
def test_contributions_by_feature_sum_to_the_score(passages, asked, gamma):
    """A score is the sum of what its features (and the text outside them) contribute, whatever the spans."""
    forward = lists(passages, [max(1, len(p)) for p in passages])
    settings = CenterSettings(length_exponent=gamma, length_floor=1, stop_share=0.0, idf_exponent=1.0)
    scoring = Scoring(np.linspace(0.5, 3.0, 12, dtype=np.float32), settings)
    terms = query_spans(SPANS, asked).terms()
    met = meet(terms, forward, scoring)
    norms = scoring.norm.of(forward.span_counts)
    for place, total in enumerate(sum_scores(met, len(passages))):
        shown, other = list_evidence(
            met,
            passage=place,
            asked=AskedTerms.of(terms, QUERY),
            forward=forward,
            text="wheel",
            anchors=("",) * 12,
        )
        by_feature = {"F1": 0.0, "F2": 0.0, "": 0.0}
        for item in shown:
            by_feature[item.feature] += item.contribution
        for label, (start, end) in {"F1": (0, 9), "F2": (10, 17), "": (17, 22)}.items():
            own = [
                terms.weight[n] * weight * float(scoring.idf[center])
                for n, center in enumerate(terms.center.tolist())
                if start <= terms.start[n] < end and center in passages[place]
                for weight in [round(passages[place][center][0] * 255) / 255]
            ]
            assert by_feature[label] == pytest.approx(sum(own) / norms[place], rel=1e-6, abs=1e-9)
        assert sum(by_feature.values()) + other == pytest.approx(total, rel=1e-9, abs=1e-12)
