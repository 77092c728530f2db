"""Parts of claims: what they are, which are read, and the place of their claim among the candidates."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from claimlight.judging.candidates import choose_candidates
from claimlight.judging.claim_parts import READ, ClaimParts
from claimlight.text.features import split_parts
from claimlight.types import Section

PASSAGES = [
    ("The pump of FIG. 1 has a housing; its rotor is driven by a motor.", Section.DETAILED),
    (
        "A pump (1) comprising:\na housing (2) with an inlet;\na rotor (3) in the housing; and\na motor.",
        Section.CLAIMS,
    ),
    ("The pump according to claim 1, wherein the rotor (3) has three blades.", Section.CLAIMS),
    ("Use of a pump.", Section.CLAIMS),
]
CONTRASTS = st.floats(-1.0, 1.0, allow_nan=False)


def test_claims_are_split_and_nothing_else_is():
    parts = ClaimParts.of(PASSAGES)
    assert parts.texts == (
        "A pump (1)",
        "a housing (2) with an inlet",
        "a rotor (3) in the housing",
        "a motor",
        "the rotor (3) has three blades",
    )
    assert parts.place.tolist() == [1, 1, 1, 1, 2]
    assert ClaimParts.of(PASSAGES[:1]).texts == ()


def test_all_parts_of_a_claim_are_found_however_many():
    text = "A kit comprising:\n" + ";\n".join(f"a tool of kind {n}" for n in range(40)) + "."
    assert len(split_parts(text)) == 41


def test_claims_without_blanks_have_parts_and_equal_parts_are_one():
    found = ClaimParts.of(
        [
            ("一种泵，其特征在于，包括：壳体；转子；以及电机。", Section.CLAIMS),
            ("A kit comprising:\na frame;\na frame; and\na lid.", Section.CLAIMS),
        ]
    )
    assert len(found.texts) > 4
    assert found.texts[-3:] == ("A kit", "a frame", "a lid")


@given(arrays(np.float64, 5, elements=CONTRASTS), st.integers(0, 3))
def test_the_nearest_parts_of_a_document_are_read_with_their_claims(contrasts, place):
    parts = ClaimParts.of(PASSAGES)
    best = sorted(range(5), key=lambda number: -contrasts[number])[:READ]
    own = tuple(parts.texts[number] for number in best if parts.place[number] == place)
    assert parts.nearest(contrasts, place) == own


@given(st.data())
def test_the_claim_of_the_nearest_part_is_second_at_least_and_the_others_keep_their_order(data):
    parts = ClaimParts.of(PASSAGES)
    near = data.draw(arrays(np.float64, (3, 4), elements=CONTRASTS))
    of_parts = data.draw(arrays(np.float64, (3, 5), elements=CONTRASTS))
    raised = parts.raise_nearest(near, of_parts)
    for before, after, own in zip(near, raised, of_parts, strict=True):
        claim = int(parts.place[own.argmax()])
        order, others = choose_candidates(after, 4), choose_candidates(before, 4)
        assert claim in order[:2]
        assert order[0] == others[0]
        assert [place for place in order if place != claim] == [place for place in others if place != claim]


def test_a_part_out_of_question_raises_nothing():
    parts, near = ClaimParts.of(PASSAGES), np.array([[0.5, 0.1, 0.2, 0.3]])
    of_parts = np.array([[0.1, 0.9, 0.1, 0.1, 0.3]])
    assert choose_candidates(parts.raise_nearest(near, of_parts)[0], 2) == [0, 1]
    of_parts[0, :4] = -np.inf
    assert choose_candidates(parts.raise_nearest(near, of_parts)[0], 2) == [0, 2]
    of_parts[0, 4] = -np.inf
    assert np.array_equal(parts.raise_nearest(near, of_parts), near)


def test_without_claims_the_order_stays():
    near = np.array([[0.2, 0.4]])
    parts = ClaimParts.of(PASSAGES[:1])
    assert np.array_equal(parts.raise_nearest(near, np.empty((1, 0))), near)
    assert parts.nearest(np.empty(0), 0) == ()
