"""Samples of unread documents: random, reproducible, kept with the case; and what they say of the rest."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from random import Random

import pytest

from claimlight.errors import InputError
from claimlight.services.cases.cases import CaseBook
from claimlight.services.search.confirmations import feature_digest
from claimlight.services.stopping.curves import draw_curve
from claimlight.services.stopping.estimates import estimate_unread
from claimlight.services.stopping.history import count_new
from claimlight.services.stopping.samples import allot, draw_sample
from claimlight.types import Action, Category, Confirmation, Decision, DocumentRead, Mark, PublicationNumber

AT = datetime(2026, 3, 1, 12, tzinfo=UTC)


def number(n):
    return PublicationNumber("US", str(9_000_000 + n), "B2")


LISTED = [number(n) for n in range(200)]
REST = [number(n) for n in range(1000, 1300)]


def read(items):
    return [DocumentRead(item, AT) for item in items]


def mark(item, category=Category.X):
    return Mark(item, category, claim=1)


def test_a_seed_gives_the_same_sample_and_another_seed_another():
    one, same, other = (draw_sample(LISTED, LISTED[:30], size=20, seed=s, set_number=3) for s in (7, 7, 8))
    assert one.order == same.order != other.order
    assert len(set(one.order)) == 20
    assert not set(one.order) & set(LISTED[:30])
    assert one.frame == 170


def test_the_sample_has_its_share_of_each_stratum_from_its_beginning():
    sample = draw_sample(LISTED, (), REST, size=50, seed=1, set_number=1)
    sizes = [stratum.size for stratum in sample.strata]
    assert sizes == [40, 160, 300]
    assert [len(stratum.drawn) for stratum in sample.strata] == [4, 16, 30]
    half = set(sample.order[:25])
    assert [len(half & set(stratum.drawn)) for stratum in sample.strata] == [2, 8, 15]


def test_small_lists_are_one_stratum_and_may_be_drawn_whole():
    sample = draw_sample(LISTED[:12], LISTED[:2], size=20, seed=1, set_number=1)
    assert len(sample.strata) == 1
    assert set(sample.order) == set(LISTED[2:12])


def test_each_stratum_gives_one_while_there_are_enough():
    assert allot([1, 5, 10_000], 10) == [1, 1, 8]
    assert allot([3, 3, 3], 2) == [1, 1, 0]
    assert allot([2, 2], 9) == [2, 2]


def test_nothing_unread_is_told():
    with pytest.raises(InputError, match="read"):
        draw_sample(LISTED[:3], LISTED[:3], size=5, seed=1, set_number=1)


def test_a_sample_survives_closing_the_book_and_can_be_undone(path, clock):
    sample = draw_sample(LISTED, (), size=20, seed=7, set_number=1)
    with CaseBook.open(path, clock=clock) as book:
        case = book.create_case("c").id
        kept = book.keep_sample(case, sample)
        assert book.keep_sample(case, sample).label == "S2"
    with CaseBook.open(path, clock=clock) as book:
        assert book.samples(case)[0] == kept == replace(sample, number=1, at=kept.at)
        assert book.history(case)[-1].action is Action.SAMPLED
        assert book.check().sound
        book.undo(case)
        assert [item.label for item in book.samples(case)] == ["S1"]


def test_documents_are_in_the_order_of_reading_and_a_family_is_one(book):
    case = book.create_case("c").id
    book.see(case, number(3), family=[number(4)])
    book.see(case, number(1))
    book.mark(case, mark(number(9)))
    book.see(case, number(3), seen=False)
    book.see(case, number(3), family=[number(4)])
    book.see(case, number(4))
    assert [item.publication for item in book.reading(case)] == [number(1), number(9), number(3)]
    assert book.reading(case)[-1].family == (number(4),)


def test_the_estimate_uses_what_was_read_in_turn_only():
    sample = draw_sample(LISTED, (), size=10, seed=3, set_number=1)
    skipped = sample.strata[1].drawn[2]
    done = [item for item in sample.order if item != skipped]
    found = estimate_unread(sample, LISTED, read(done), [])
    behind = set(sample.strata[1].drawn[2:])
    assert {item.publication for item in found.documents if item.counted} == set(done) - behind
    assert found.left is not None
    assert found.left.low == 0 < found.left.high


def test_what_is_found_later_is_no_longer_left():
    sample = draw_sample(LISTED, LISTED[:20], size=20, seed=3, set_number=1)
    marks = [mark(item) for item in (*LISTED[:5], *sample.order[:4])]
    now = estimate_unread(sample, LISTED, read([*LISTED[:20], *sample.order]), marks)
    assert now.found == 9
    assert now.unread == 160
    more = [item for item in LISTED[20:] if item not in sample.order][:30]
    later = estimate_unread(
        sample, LISTED, read([*LISTED[:20], *sample.order, *more]), [*marks, *map(mark, more[:6])]
    )
    assert now.left is not None
    assert later.left is not None
    assert later.left.high == min(now.left.high - 6, 130)
    assert later.found == 15
    assert now.recall is not None
    assert later.recall is not None
    assert now.recall.low < later.recall.low


def test_only_the_categories_asked_for_are_relevant():
    sample = draw_sample(LISTED, (), size=10, seed=3, set_number=1)
    marks = [mark(sample.order[0], Category.A), mark(sample.order[1], Category.IRRELEVANT)]
    reading = read(sample.order)
    assert estimate_unread(sample, LISTED, reading, marks).positive == 1
    assert estimate_unread(sample, LISTED, reading, marks, relevant=(Category.X,)).positive == 0


def test_a_list_read_to_its_end_leaves_nothing():
    sample = draw_sample(LISTED, LISTED[:190], size=20, seed=3, set_number=1)
    found = estimate_unread(sample, LISTED, read(LISTED), [mark(LISTED[0])])
    assert found.left is not None
    assert found.recall is not None
    assert (found.left.high, found.recall.low) == (0, 1.0)


def confirmed(n, feature, passage):
    return Confirmation(
        number(n), Decision.CONFIRMED, feature, feature_digest(feature), passage, passage, "[0001]", AT
    )


def test_a_passage_is_new_once_and_in_the_document_read_first(book):
    case = replace(book.create_case("c"), features=("a wheel", "a damper"))
    reading = read(number(n) for n in range(45))
    found = count_new(
        case,
        reading,
        [mark(number(2)), mark(number(30), Category.A), mark(number(31), Category.IRRELEVANT)],
        [
            confirmed(25, "a wheel", "same"),
            confirmed(3, "a wheel", "same"),
            confirmed(44, "a wheel", "other"),
            confirmed(5, "a\n wheel", "third"),
            replace(confirmed(6, "a wheel", "no"), decision=Decision.REJECTED),
            confirmed(7, "an earlier wording", "text"),
        ],
    )
    assert [(b.first, b.last, b.relevant, b.passages) for b in found.blocks] == [
        (1, 20, 1, (2, 0)),
        (21, 40, 1, (0, 0)),
        (41, 45, 0, (1, 0)),
    ]
    assert [(f.label, f.passages, f.since) for f in found.features] == [("F1", 3, 0), ("F2", 0, None)]
    assert found.other == 1


def test_the_curve_counts_what_a_count_over_each_beginning_of_the_reading_gives(book):
    draw = Random(5)
    texts = ("a wheel", "a damper", "a frame", "a brake", "a wheel")
    case = replace(book.create_case("c"), features=texts)
    reading = [DocumentRead(number(3 * n), AT, (number(3 * n + 1),)) for n in range(40)]
    members = [member for item in reading for member in (item.publication, *item.family)]
    decisions = [
        replace(
            confirmed(0, draw.choice((*texts, "an earlier wording")), str(place)),
            publication=draw.choice(members),
            decision=draw.choice(list(Decision)),
        )
        for place in range(12)
    ]
    marks = [mark(item, draw.choice((Category.X, Category.A, Category.IRRELEVANT))) for item in members[::7]]
    covered = {
        item: frozenset(feature_digest(text) for text in texts[: draw.randrange(4)])
        for item in draw.sample(members, 9)
    }
    found = draw_curve(case, reading, marks, decisions, covered=covered)
    sums = []
    for end in range(1, len(reading) + 1):
        part = {member for item in reading[:end] for member in (item.publication, *item.family)}
        sure = {
            item.feature
            for item in decisions
            if item.publication in part and item.decision is Decision.CONFIRMED
        }
        near = {
            text for item in part for text in texts if feature_digest(text) in covered.get(item, ())
        } | sure
        good = {
            item.publication
            for item in reading[:end]
            for each in marks
            if each.publication in (item.publication, *item.family)
            and each.category in (Category.X, Category.A)
        }
        sums.append((sum(t in sure for t in texts), sum(t in near for t in texts), len(good)))
    assert [(each.confirmed, each.covered, each.relevant) for each in found.points] == sums
    assert sums[-1][0] > 1
    first = [label for each in found.points for label in each.first_confirmed]
    assert len(first) == len(set(first)) == sums[-1][0]
    assert found.compared == len({members.index(item) // 2 for item in covered})
