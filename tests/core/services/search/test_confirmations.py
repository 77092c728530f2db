"""Cells decided by the examiner: what a decision applies to, what it counts, and what it survives."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from claimlight.errors import InputError
from claimlight.highlight.matrix import list_lacking, stem_words
from claimlight.judging.base import Ruling
from claimlight.judging.calibration import Bounds, CalibratedJudge, Calibration
from claimlight.services.cases.cases import CaseBook
from claimlight.services.library.documents import identify
from claimlight.services.search import combining, matrix, queries
from claimlight.services.search import confirmations as by_hand
from claimlight.services.search.cell_words import (
    by_hand_words,
    matrix_cell_text,
    matrix_cell_words,
    notes_of_decisions,
)
from claimlight.services.search.requests import claim_search
from claimlight.services.search.search import SearchEngine
from claimlight.store import repository
from claimlight.tasks import TaskContext
from claimlight.types import ByHand, CellVerdict, ChartVerdict, Decision, Lamp, PatentId, PublicationNumber
from tests.core.services.search.search_fakes import CLAIM, PATENTS, SETTINGS, index
from tests.fakes import add, library, patent

CTX = TaskContext()
NOW = datetime(2026, 3, 1, tzinfo=UTC)
ONE = PublicationNumber("EP", "1000001", "A1")
BRAKES = ("A brake of a wheel.", "A brake and a brake lamp.", "A kettle.", "A brake of a cart.")
FRAMES = patent("1000007", "Frames", paragraphs=BRAKES)


@pytest.fixture
def made(tmp_path, model):
    with library(tmp_path / "L", [*PATENTS, FRAMES]) as opened:
        index(opened, model)
        yield opened


@pytest.fixture
def engine(made, model):
    return SearchEngine.open(made, SETTINGS, stack=lambda _: model)


@pytest.fixture
def query():
    return queries.query_from_text(CLAIM)


def ask(engine, made, query, patents, decisions=(), claim=1):
    shown = matrix.coverage_matrix(
        engine,
        made,
        SETTINGS,
        query,
        [PatentId(item) for item in patents],
        CTX,
        claim=claim,
        rejected=by_hand.rejected_passages(query.features, decisions),
    )
    return by_hand.apply_confirmations(shown, by_hand.place_confirmations(made, decisions))


def decide(made, query, label, publication, cited, decision=Decision.CONFIRMED, **parts):
    passage = by_hand.find_passage(made, identify(made, publication), cited)
    parts = {"at": NOW, "claim": 1, **parts}
    return by_hand.make_confirmation(made, query, label, passage, decision, **parts)


def cell(shown, publication, label):
    row = next(row for row in shown.every_row if str(row.patent.publication) == publication)
    return next(item for item in row.cells if item.feature == label)


def labelled(query, word):
    return next(feature.label for feature in query.features if word in feature.text)


def test_a_decision_holds_the_words_that_were_decided_on(made, query):
    damper = labelled(query, "damper")
    found = decide(made, query, damper.lower(), "EP1000001A1", "1", comment=" the  oil ")
    assert (found.publication, found.feature, found.feature_label) == (ONE, "a viscous damper", damper)
    assert (found.passage, found.label) == ("The brake stops the wheel.", "[0001]")
    assert found.subject == " ".join(query.features[0].text.split())
    assert decide(made, query, "F1", "EP1000001A1", "1").subject == ""
    assert found.comment == "the oil"
    with pytest.raises(InputError, match="no feature F9; the claim has F1 to"):
        decide(made, query, "F9", "EP1000001A1", "1")
    with pytest.raises(InputError, match="EP1000001A1 has no passage '77'"):
        decide(made, query, damper, "EP1000001A1", "77")


def test_a_confirmed_cell_shows_its_passage_and_counts_as_certain(engine, made, query):
    damper = labelled(query, "damper")
    bare = ask(engine, made, query, [1, 4])
    before = cell(bare, "EP1000004A1", damper)
    assert (before.by_hand, before.counted, before.disclosed) == (ByHand.NONE, 0.0, False)
    said = decide(made, query, damper, "EP1000004A1", "[0001]")
    shown = ask(engine, made, query, [1, 4], [said])
    after = cell(shown, "EP1000004A1", damper)
    assert (after.by_hand, after.label, after.counted, after.disclosed) == (
        ByHand.CONFIRMED,
        "[0001]",
        1.0,
        True,
    )
    assert repository.read_passages(made.store, [after.passage])[after.passage].text == said.passage
    assert (after.strength, after.verdict) == (before.strength, before.verdict), "what was suggested is kept"
    assert by_hand_words(after) == "confirmed by you, [0001]"
    (row,) = [row for row in shown.rows if row.patent.publication == said.publication]
    (was,) = [row for row in bare.rows if row.patent.publication == said.publication]
    assert damper in list_lacking(was)
    assert damper not in list_lacking(row)
    lacking = combining.residual(shown, row.patent.id, claim_search(query))
    assert damper not in lacking.features
    assert row.strength == pytest.approx(was.strength + 1 / len(row.cells))
    other = [item for item in shown.every_row if item.patent.publication != said.publication]
    assert other == [item for item in bare.every_row if item.patent.publication != said.publication]


def test_a_confirmed_cell_makes_a_pair_and_a_rejected_one_takes_it_apart(engine, made, query):
    """The cart has a brake of its own; by hand it may have a damper too, or not even a brake."""
    damper, brake = labelled(query, "damper"), labelled(query, "brake")
    suggested = combining.pairs(ask(engine, made, query, [2, 4]))
    assert [pair for pair in suggested.pairs if brake in (*pair.only_first, *pair.only_second)]
    both = ask(engine, made, query, [2, 4], [decide(made, query, damper, "EP1000004A1", "1")])
    (pair,) = combining.pairs(both).pairs
    named = {pair.first: pair.only_first, pair.second: pair.only_second}
    assert {damper, brake} <= set(named[identify(made, "EP1000004A1")])
    rejected = [
        decide(made, query, brake, "EP1000004A1", "1", Decision.REJECTED),
    ]
    shown = ask(engine, made, query, [2, 4], rejected)
    assert not [pair for pair in combining.pairs(shown).pairs if brake not in pair.neither]


def test_a_rejected_passage_gives_its_place_to_the_next_until_none_is_left(engine, made, query):
    brake, name = labelled(query, "brake"), str(FRAMES.publication)
    patents = [identify(made, name)]
    seen, decisions = [], []
    for _ in range(3):
        shown = cell(ask(engine, made, query, patents, decisions), name, brake)
        assert shown.passage is not None
        assert (shown.by_hand, shown.rejected) == (ByHand.NONE, len(seen))
        assert shown.label not in seen, "a rejected passage is not offered again"
        seen.append(shown.label)
        decisions.append(decide(made, query, brake, name, shown.label, Decision.REJECTED))
    assert sorted(seen) == ["[0001]", "[0002]", "[0004]"]
    left = cell(ask(engine, made, query, patents, decisions), name, brake)
    assert (left.by_hand, left.passage, left.counted, left.disclosed) == (ByHand.REJECTED, None, 0.0, False)
    assert (left.verdict, left.lamp) == (CellVerdict.NONE, Lamp.NONE)
    assert by_hand_words(left) == "3 passages rejected by you, no other found"
    frame = labelled(query, "frame")
    assert cell(ask(engine, made, query, patents, decisions), name, frame).rejected == 0
    confirmed = decide(made, query, brake, name, "[0003]", at=NOW)
    assert cell(ask(engine, made, query, patents, [*decisions, confirmed]), name, brake).counted == 1.0


def test_without_a_new_choice_a_rejected_passage_is_shown_no_more(engine, made, query):
    brake = labelled(query, "brake")
    shown = ask(engine, made, query, [4])
    said = decide(made, query, brake, "EP1000004A1", "[0001]", Decision.REJECTED)
    applied = by_hand.apply_confirmations(shown, by_hand.place_confirmations(made, [said]))
    after = cell(applied, "EP1000004A1", brake)
    assert (after.by_hand, after.passage, after.rejected) == (ByHand.REJECTED, None, 1)
    assert by_hand.apply_confirmations(shown, ()) is shown


def test_the_passage_confirmed_last_is_shown(engine, made, query):
    frame = labelled(query, "frame")
    first = decide(made, query, frame, "EP1000001A1", "[0001]")
    second = decide(made, query, frame, "EP1000001A1", "[0002]", at=NOW + timedelta(minutes=1))
    for decisions in ([first, second], [second, first]):
        assert cell(ask(engine, made, query, [1], decisions), "EP1000001A1", frame).label == "[0002]"


def edited(query, *changes):
    """The same claim with other words, cut into features anew."""
    text = query.text
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    return queries.query_from_text(text)


def test_another_feature_may_be_edited_moved_or_added(engine, made, query):
    damper = labelled(query, "damper")
    said = decide(made, query, damper, "EP1000004A1", "[0001]")
    other = edited(query, ("a frame;", "a lamp; a frame of steel;"))
    moved = labelled(other, "damper")
    assert moved != damper
    shown = ask(engine, made, other, [4], [said])
    assert cell(shown, "EP1000004A1", moved).by_hand is ByHand.CONFIRMED
    assert [item.by_hand for item in shown.rows[0].cells].count(ByHand.NONE) == len(other.features) - 1


def test_an_edited_feature_keeps_its_confirmation_and_does_not_count_it(engine, made, query):
    damper, brake = labelled(query, "damper"), labelled(query, "brake")
    said = [
        decide(made, query, damper, "EP1000004A1", "[0001]"),
        decide(made, query, brake, "EP1000004A1", "[0001]", Decision.REJECTED),
    ]
    other = edited(query, ("a frame;", "a lamp; a frame;"), ("a viscous damper", "a damper with viscous oil"))
    shown = ask(engine, made, other, [4], said)
    after = cell(shown, "EP1000004A1", labelled(other, "damper"))
    assert (after.by_hand, after.counted) == (ByHand.EARLIER_WORDING, 0.0)
    assert not after.disclosed
    assert [item.by_hand for item in shown.rows[0].cells].count(ByHand.EARLIER_WORDING) == 1
    assert any("1 confirmation is for an earlier wording" in note for note in notes_of_decisions(shown))
    anew = edited(query, ("a viscous damper", "shock absorption"))
    assert cell(ask(engine, made, anew, [4], said), "EP1000004A1", damper).by_hand is ByHand.EARLIER_WORDING
    elsewhere = ask(engine, made, anew, [4], said, claim=7)
    assert not [item for item in elsewhere.rows[0].cells if item.by_hand is ByHand.EARLIER_WORDING]
    again = ask(engine, made, query, [4], said)
    assert cell(again, "EP1000004A1", damper).by_hand is ByHand.CONFIRMED, "the first wording is back"


def test_a_reimported_document_keeps_its_decisions_and_a_changed_text_is_named(
    tmp_path, model, engine, made, query
):
    frame, brake = labelled(query, "frame"), labelled(query, "brake")
    decisions = [
        decide(made, query, frame, "EP1000004A1", "[0001]"),
        decide(made, query, brake, str(FRAMES.publication), "[0001]", Decision.REJECTED),
        decide(made, query, frame, str(FRAMES.publication), "[0003]"),
    ]
    shifted = patent("1000007", "Frames", paragraphs=["A new one.", *BRAKES])
    with library(tmp_path / "M", [PATENTS[3], patent("1000009", "First", paragraphs=["A lamp."])]) as other:
        add(other, [shifted])
        placed = by_hand.place_confirmations(other, decisions)
        assert [item.label for item in placed] == ["[0001]", "[0002]", "[0004]"], "found by the text"
        assert not any(item.text_changed for item in placed)
        texts = repository.read_passages(other.store, [item.passage for item in placed])
        assert [texts[item.passage].text for item in placed] == [item.passage for item in decisions]
    cart = patent("1000004", "Cart", paragraphs=["A cart with a wheel and a disc brake."])
    with library(tmp_path / "N", [cart]) as other:
        index(other, model)
        changed, *gone = by_hand.place_confirmations(other, decisions)
        assert (changed.label, changed.text_changed) == ("[0001]", True)
        assert [(item.passage, item.label) for item in gone] == [(None, "[0001]"), (None, "[0003]")]
        fresh = SearchEngine.open(other, SETTINGS, stack=lambda _: model)
        refused = replace(decisions[0], feature=query.features[-1].text, decision=Decision.REJECTED)
        shown = ask(fresh, other, query, [1], [decisions[0], refused])
        after = cell(shown, "EP1000004A1", frame)
        assert (after.by_hand, after.text_changed, after.counted) == (ByHand.CONFIRMED, True, 1.0)
        assert by_hand_words(after) == "confirmed by you, [0001], text changed since"
        assert any("another text than when confirmed" in note for note in notes_of_decisions(shown))


def test_a_rejection_does_not_outlive_the_text_it_was_about(tmp_path, model, made, query):
    brake = labelled(query, "brake")
    said = decide(made, query, brake, "EP1000004A1", "[0001]", Decision.REJECTED)
    with library(
        tmp_path / "N", [patent("1000004", "Cart", paragraphs=["A cart with a disc brake."])]
    ) as other:
        index(other, model)
        fresh = SearchEngine.open(other, SETTINGS, stack=lambda _: model)
        after = cell(ask(fresh, other, query, [1], [said]), "EP1000004A1", brake)
        assert (after.by_hand, after.label) == (ByHand.NONE, "[0001]")


def test_the_decision_on_a_passage_is_found(made, query):
    damper = query.features[int(labelled(query, "damper")[1:]) - 1]
    said = decide(made, query, damper.label, "EP1000004A1", "[0001]")
    (placed,) = by_hand.place_confirmations(made, [said])
    assert by_hand.find_decision([placed], damper, placed.passage) == placed
    assert by_hand.find_decision([placed], query.features[0], placed.passage) is None
    assert by_hand.find_decision([placed], damper, type(placed.passage)(placed.passage + 1)) is None


def test_decisions_are_training_cells_even_without_the_library(tmp_path, made, query):
    damper = labelled(query, "damper")
    with CaseBook.open(tmp_path / "cases.db") as book:
        case = book.create_case("c").id
        book.decide(case, decide(made, query, damper, "EP1000004A1", "[0001]", Decision.REJECTED))
        book.decide(case, decide(made, query, damper, "EP1000001A1", "claim 1"))
        cells = list(by_hand.decided_cells(book.confirmations(case)))
    assert [(item.publication, item.label, item.disclosed) for item in cells] == [
        ("EP1000001A1", "claim 1", True),
        ("EP1000004A1", "[0001]", False),
    ]
    assert {item.feature for item in cells} == {"a viscous damper"}
    assert cells[1].passage == "A cart with a wheel and a brake."


class WordJudge:
    """Scores by the share of the feature's words that stand in the passage."""

    name = "words 1"
    fingerprint = "words-1"
    reads_parts = False
    languages = frozenset()

    def rule(self, pairs, context):
        context.check()
        return [Ruling(6.0 * self._shared(pair.feature, pair.passage) - 3.0) for pair in pairs]

    def _shared(self, feature, passage):
        asked = stem_words(feature)
        return len(asked & stem_words(passage)) / max(1, len(asked))


def test_a_decision_comes_before_the_ruling_of_a_judge(made, model, query):
    """The judge reads the next passage for a rejected one, and its ruling stays beside a confirmation."""
    judge = CalibratedJudge(WordJudge(), Calibration(0.0, 1.0, 0.0, Bounds(0.8, 0.3)))
    engine = SearchEngine.open(made, SETTINGS, stack=lambda _: model, judge=lambda _: judge)
    brake, name = labelled(query, "brake"), str(FRAMES.publication)
    patents = [identify(made, name)]
    before = cell(ask(engine, made, query, patents), name, brake)
    assert before.ruling.verdict is ChartVerdict.DISCLOSED
    assert (before.counted, before.label) == (before.ruling.probability, before.ruling.label)
    out = decide(made, query, brake, name, before.label, Decision.REJECTED)
    after = cell(ask(engine, made, query, patents, [out]), name, brake)
    assert after.label != before.label
    assert (after.label, after.rejected, after.by_hand) == (after.ruling.label, 1, ByHand.NONE)
    assert matrix_cell_words(after, query).startswith("1 passage rejected by you; disclosed (probability")
    applied = by_hand.apply_confirmations(
        ask(engine, made, query, patents), by_hand.place_confirmations(made, [out])
    )
    assert cell(applied, name, brake).ruling is None, "a ruling on a rejected passage says nothing"
    kettle = decide(made, query, brake, name, "[0003]")
    confirmed = cell(ask(engine, made, query, patents, [kettle]), name, brake)
    assert (confirmed.label, confirmed.counted) == ("[0003]", 1.0)
    assert confirmed.ruling == before.ruling
    assert (matrix_cell_text(confirmed), matrix_cell_words(confirmed, query)) == (
        "✓",
        "confirmed by you, [0003]",
    )
