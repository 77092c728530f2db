"""The highlight is the score: contributions, coverage and ranges."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.highlight.evidence import Scoring, coverage, evidence, meet, scores
from core.highlight.ranges import by_feature, marked, merged
from core.highlight.terms import QuerySpans, feature_at
from core.index.centers import Activations
from core.index.segments import WEIGHT_UNIT
from core.settings import CenterSettings
from core.types import CenterId, Evidence, Feature, Query, Span

CENTERS = 12


@dataclass
class Lists:
    """Forward lists as the index hands them out."""

    offsets: np.ndarray
    centers: np.ndarray
    codes: np.ndarray
    start: np.ndarray
    end: np.ndarray
    span_counts: np.ndarray


def scoring_of(factors, gamma=0.5, floor=1):
    """A scoring whose factors are given."""
    settings = CenterSettings(idf_exponent=1.0, length_exponent=gamma, length_floor=floor)
    return Scoring(np.array(factors), settings)


def lists(passages, spans):
    """From [{center: (weight, start, end)}]."""
    entries = [(c, *entry) for passage in passages for c, entry in sorted(passage.items())]
    columns = list(zip(*entries, strict=True)) or [()] * 4
    return Lists(
        offsets=np.cumsum([0, *(len(p) for p in passages)]).astype(np.int64),
        centers=np.array(columns[0], np.int32),
        codes=np.array([round(weight * WEIGHT_UNIT) for weight in columns[1]], np.uint8),
        start=np.array(columns[2], np.int32),
        end=np.array(columns[3], np.int32),
        span_counts=np.array(spans, np.int32),
    )


def query_spans(spans, pairs):
    """From [(start, end)] and [(span, center, cosine)]."""
    pairs = sorted(pairs, key=lambda p: p[0])
    return QuerySpans(
        start=np.array([s for s, _ in spans], np.int32),
        end=np.array([e for _, e in spans], np.int32),
        activations=Activations(
            row=np.array([p[0] for p in pairs], np.int32),
            center=np.array([p[1] for p in pairs], np.int32),
            cosine=np.array([p[2] for p in pairs], np.float32),
        ),
    )


_weight = st.integers(1, WEIGHT_UNIT).map(lambda n: n / WEIGHT_UNIT)
_passage = st.dictionaries(
    st.integers(0, CENTERS - 1), st.tuples(_weight, st.just(0), st.just(3)), max_size=8
)
_asked = st.lists(st.tuples(st.integers(0, 3), st.integers(0, CENTERS - 1), _weight), max_size=20)
SPANS = [(0, 5), (6, 9), (10, 17), (18, 22)]
QUERY = Query(
    text="wheel and dampers here",
    features=(Feature("F1", Span(0, 9), "wheel and"), Feature("F2", Span(10, 17), "dampers")),
)


@given(
    st.lists(_passage, min_size=1, max_size=5),
    _asked,
    st.lists(st.floats(0, 50), min_size=CENTERS, max_size=CENTERS),
    st.floats(0, 2),
    st.sampled_from([1, 4, 16]),
)
def test_contributions_sum_to_the_score_of_the_formula(passages, asked, factors, gamma, floor):
    counts = [max(1, 3 * n) for n in range(len(passages))]
    forward = lists(passages, counts)
    scoring = scoring_of(factors, gamma, floor)
    terms = query_spans(SPANS, asked).terms()
    met = meet(terms, forward, scoring)
    best = {c: max(w for _, other, w in asked if other == c) for _, c, _ in asked}
    for place, passage in enumerate(passages):
        expected = sum(best[c] * w * factors[c] for c, (w, _, _) in passage.items() if c in best)
        expected /= max(counts[place], floor) ** gamma
        shown = evidence(
            met,
            passage=place,
            query=QUERY,
            terms=terms,
            forward=forward,
            text="wheel",
            anchors=tuple(map(str, range(CENTERS))),
        )
        assert np.isclose(sum(e.contribution for e in shown), expected, rtol=1e-5, atol=1e-9)
        assert np.isclose(scores(met, len(passages))[place], expected, rtol=1e-5, atol=1e-9)
        assert [e.contribution for e in shown] == sorted((e.contribution for e in shown), reverse=True)
        assert len({e.center for e in shown}) == len(shown)
    covered = coverage(terms, forward, scoring)
    assert ((covered >= 0) & (covered <= 1)).all()


def test_a_passage_that_repeats_the_query_covers_it():
    terms = query_spans(SPANS, [(0, 1, 0.7), (2, 5, 0.8)]).terms()
    forward = lists([{1: (0.7, 0, 5), 5: (0.9, 6, 9)}, {1: (0.35, 0, 5)}, {}], [2, 1, 1])
    covered = coverage(terms, forward, scoring_of(np.ones(CENTERS)))
    assert np.isclose(covered[0], 1.0)
    assert np.isclose(covered[1], 0.35 / 1.5)
    assert covered[2] == 0


def test_stop_centers_neither_score_nor_count_as_missing():
    factors = np.ones(CENTERS)
    factors[5] = 0
    terms = query_spans(SPANS, [(0, 1, 0.7), (2, 5, 0.8)]).terms()
    forward = lists([{1: (0.7, 0, 5), 5: (0.9, 6, 9)}], [1])
    assert list(meet(terms, forward, scoring_of(factors)).term) == [0]
    assert np.isclose(coverage(terms, forward, scoring_of(factors))[0], 1.0)


def test_terms_of_a_feature_and_the_winning_span():
    spans = query_spans(SPANS, [(0, 4, 0.5), (2, 4, 0.9), (1, 3, 0.6), (3, 3, 0.6)])
    everything = spans.terms()
    assert list(everything.center) == [3, 4]
    assert [(int(a), int(b)) for a, b in zip(everything.start, everything.end, strict=True)] == [
        (6, 9),
        (10, 17),
    ]
    first = spans.terms(QUERY.features[0].span)
    assert list(first.center) == [3, 4]
    assert np.isclose(first.weight[1], 0.5)
    assert len(spans.terms(Span(30, 40))) == 0


def test_evidence_names_feature_and_shared_words():
    terms = query_spans(SPANS, [(2, 4, 0.9), (1, 3, 0.6), (3, 7, 0.5)]).terms()
    forward = lists([{3: (0.6, 0, 3), 4: (0.9, 4, 10), 7: (0.2, 0, 3)}], [1])
    met = meet(terms, forward, scoring_of(np.ones(CENTERS), 0.0))
    found = evidence(
        met,
        passage=0,
        query=QUERY,
        terms=terms,
        forward=forward,
        text="and Damper",
        anchors=tuple(f"anchor {n}" for n in range(CENTERS)),
    )
    assert [(e.feature, e.shared, e.anchor) for e in found] == [
        ("F2", ("dampers",), "anchor 4"),
        ("F1", (), "anchor 3"),
        ("", (), "anchor 7"),
    ]
    assert feature_at(QUERY.features, 17) == ""


@given(st.lists(st.tuples(st.integers(0, 60), st.integers(0, 9)).map(lambda p: Span(p[0], p[0] + p[1]))))
def test_merged_ranges_mark_the_same_characters(spans):
    ranges = merged(spans)
    assert {i for s in spans for i in range(s.start, s.end)} == {
        i for s in ranges for i in range(s.start, s.end)
    }
    assert all(a.end < b.start for a, b in pairwise(ranges))


def test_merged_ranges_bridge_white_space():
    assert merged([Span(0, 3), Span(4, 7), Span(9, 10)], "the cat, a") == (Span(0, 7), Span(9, 10))


_met = st.lists(
    st.tuples(st.integers(0, 60), st.integers(1, 9), st.sampled_from(["F1", "F2", ""]), st.floats(0.01, 5))
)


@given(_met)
def test_marked_ranges_sum_to_the_score_by_range_and_by_feature(met):
    items = [
        Evidence(Span(0, 1), Span(a, a + n), CenterId(0), "", contribution, feature)
        for a, n, feature, contribution in met
    ]
    found = marked(items)
    assert [item.span for item in found] == list(merged(item.passage for item in items))
    for item in found:
        inside = [e for e in items if item.span.start <= e.passage.start < item.span.end]
        assert item.contribution == pytest.approx(sum(e.contribution for e in inside))
        parts = [share.contribution for share in item.shares]
        assert parts == sorted(parts, reverse=True)
    assert sum(item.contribution for item in found) == pytest.approx(sum(e.contribution for e in items))
    for share in by_feature(items):
        parts = [s.contribution for item in found for s in item.shares if s.feature == share.feature]
        assert sum(parts) == pytest.approx(share.contribution)
