"""The highlight is the score: contributions, coverage and ranges."""

from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from claimlight.highlight.evidence import (
    Meetings,
    Scoring,
    find_shares,
    list_evidence,
    mark_informative,
    measure_strengths,
    meet,
    meet_each,
    sum_scores,
    sum_strengths,
)
from claimlight.highlight.terms import AskedTerms, QuerySpans, find_feature
from claimlight.index.center_vocabulary import Activations
from claimlight.index.segments import WEIGHT_UNIT
from claimlight.settings import CenterSettings
from claimlight.types import Feature, Query, Span

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
        shown, other = list_evidence(
            met,
            passage=place,
            asked=AskedTerms.of(terms, QUERY),
            forward=forward,
            text="wheel",
            anchors=tuple(map(str, range(CENTERS))),
        )
        assert np.isclose(sum(e.contribution for e in shown) + other, expected, rtol=1e-5, atol=1e-9)
        assert np.isclose(sum_scores(met, len(passages))[place], expected, rtol=1e-5, atol=1e-9)
        assert [e.contribution for e in shown] == sorted((e.contribution for e in shown), reverse=True)
        assert len({e.center for e in shown}) == len(shown)
    covered = sum_strengths(find_shares(terms, forward, scoring), len(passages))
    assert ((covered >= 0) & (covered <= 1)).all()


@given(
    st.lists(_passage, min_size=1, max_size=5),
    st.lists(_asked, max_size=4),
    st.lists(st.just(0.0) | st.floats(0.001, 50), min_size=CENTERS, max_size=CENTERS),
)
def test_several_parts_meet_as_each_alone(passages, parts, factors):
    """To the last bit: what the whole claim and its features meet is found in one pass."""
    forward = lists(passages, [max(1, 3 * n) for n in range(len(passages))])
    scoring = scoring_of(factors, 0.5, 4)
    every = [query_spans(SPANS, asked).terms() for asked in parts]
    for terms, found in zip(every, meet_each(every, forward, scoring), strict=True):
        for expected, there in (
            (meet(terms, forward, scoring), found.met),
            (find_shares(terms, forward, scoring), found.carried),
        ):
            assert all(
                np.array_equal(getattr(expected, name), getattr(there, name))
                for name in ("passage", "term", "entry", "contribution", "first")
            )
        assert np.array_equal(found.scores, sum_scores(found.met, len(passages)))
        assert np.array_equal(found.strength, sum_strengths(found.carried, len(passages)))


@given(st.lists(st.integers(0, 1100), min_size=1, max_size=4), st.integers(0, 2**32 - 1))
def test_strengths_are_added_up_in_the_order_of_numpy(sizes, seed):
    random = np.random.default_rng(seed)
    first = np.cumsum([0, *sizes])
    added = random.random(first[-1]) * 10.0 ** random.integers(-9, 1, first[-1])
    entries = random.permutation(first[-1])
    kept = random.random(first[-1]) < random.choice([0.0, 0.5, 1.0])
    rows = np.arange(len(sizes))[::-1].copy()
    met = Meetings(np.repeat(np.arange(len(sizes)), sizes), entries, entries, added, first)
    expected = [min(1.0, float(added[a:b][kept[entries[a:b]]].sum())) for a, b in pairwise(first)]
    assert measure_strengths(met, rows, kept).tolist() == expected[::-1]


def test_a_passage_that_repeats_the_query_covers_it():
    terms = query_spans(SPANS, [(0, 1, 0.7), (2, 5, 0.8)]).terms()
    forward = lists([{1: (0.7, 0, 5), 5: (0.9, 6, 9)}, {1: (0.35, 0, 5)}, {}], [2, 1, 1])
    covered = sum_strengths(find_shares(terms, forward, scoring_of(np.ones(CENTERS))), 3)
    assert np.isclose(covered[0], 1.0)
    assert np.isclose(covered[1], 0.35 / 1.5)
    assert covered[2] == 0


def test_stop_centers_neither_score_nor_count_as_missing():
    factors = np.ones(CENTERS)
    factors[5] = 0
    terms = query_spans(SPANS, [(0, 1, 0.7), (2, 5, 0.8)]).terms()
    forward = lists([{1: (0.7, 0, 5), 5: (0.9, 6, 9)}], [1])
    assert list(meet(terms, forward, scoring_of(factors)).term) == [0]
    assert np.isclose(sum_strengths(find_shares(terms, forward, scoring_of(factors)), 1)[0], 1.0)


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
    forward = lists([{3: (0.6, 0, 4), 4: (0.9, 5, 11), 7: (0.2, 0, 4)}], [1])
    met = meet(terms, forward, scoring_of(np.ones(CENTERS), 0.0))
    found, other = list_evidence(
        met,
        passage=0,
        asked=AskedTerms.of(terms, replace(QUERY, text="wheel rim dampers tyre")),
        forward=forward,
        text="disc Damper",
        anchors=tuple(f"anchor {n}" for n in range(CENTERS)),
    )
    assert [(e.feature, e.shared, e.anchor) for e in found] == [
        ("F2", ("dampers",), "anchor 4"),
        ("F1", (), "anchor 3"),
        ("", (), "anchor 7"),
    ]
    assert other == 0.0
    assert find_feature(QUERY.features, 17) == ""


@pytest.mark.parametrize(
    ("asked", "met"), [("and", "disc"), ("wheel", "mm"), ("claim", "claim"), ("two", "of")]
)
def test_words_that_say_nothing_are_one_sum_and_no_evidence(asked, met):
    """On either side: whatever a function word, a numeral or a unit meets explains nothing."""
    text = f"damper {asked}"
    terms = query_spans([(0, 6), (7, 7 + len(asked))], [(0, 4, 0.9), (1, 3, 0.6)]).terms()
    forward = lists([{3: (0.6, 0, len(met)), 4: (0.9, len(met) + 1, len(met) + 7)}], [1])
    meetings = meet(terms, forward, scoring_of(np.ones(CENTERS), 0.0))
    found, other = list_evidence(
        meetings,
        passage=0,
        asked=AskedTerms.of(terms, Query(text, (Feature("F1", Span(0, len(text)), text),))),
        forward=forward,
        text=f"{met} damper",
        anchors=tuple(f"anchor {n}" for n in range(CENTERS)),
    )
    assert [e.center for e in found] == [4]
    assert other == pytest.approx(0.36, rel=0.01)
    assert found[0].contribution + other == pytest.approx(sum_scores(meetings, 1)[0])
    carried = find_shares(terms, forward, scoring_of(np.ones(CENTERS)))
    marks = np.zeros(len(forward.centers), dtype=np.bool_)
    mark_informative(forward, 0, f"{met} damper", marks)
    assert measure_strengths(carried, np.array([0]), marks)[0] <= sum_strengths(carried, 1)[0]
    assert terms.saying(text).center.tolist() == ([4] if asked != "wheel" else [3, 4])
