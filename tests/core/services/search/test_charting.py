"""The rulings of a chart: candidates, the passage that counts, verdicts, terms, cache and faults."""

import io
import math
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from rich.console import Console

from claimlight.cli.matrix_command import cell_lines, print_matrix
from claimlight.encoders import EncoderInput
from claimlight.errors import ResourceError
from claimlight.highlight.matrix import stem_words
from claimlight.judging.base import Ruling
from claimlight.judging.calibration import Bounds, CalibratedJudge, Calibration
from claimlight.judging.nearness import Nearness
from claimlight.judging.restating import CONFIRMED, UNCONFIRMED
from claimlight.judging.terms import words
from claimlight.services.search import combining, matrix, queries
from claimlight.services.search.cell_words import matrix_cell_text, matrix_cell_words, ruling_words
from claimlight.services.search.charting import SHOWN, passage_digest, state_terms
from claimlight.services.search.search import SearchEngine
from claimlight.settings import change
from claimlight.store import repository
from claimlight.tasks import TaskContext
from claimlight.types import (
    ByHand,
    ChartVerdict,
    Feature,
    PatentId,
    Section,
    Span,
    TermState,
    strength_figure,
)
from tests.core.services.search.search_fakes import CLAIM, PATENTS, SETTINGS, index
from tests.fakes import DIM, library, patent

CTX = TaskContext()
READ = Calibration(cosine=2.0, slope=1.5, offset=-1.0, bounds=Bounds(disclosed=0.8, candidate=0.3))
READ_ON = replace(READ, candidates=9, first=replace(READ, slope=1.25, candidates=1))
LONG = patent(
    "1000009",
    "Brakes",
    paragraphs=[
        "A brake of a bicycle acts on the wheel.",
        "A damper with oil is mounted on the frame.",
        "The paint of the frame is blue.",
        "An attenuator takes up the shocks of the frame.",
        "A cart has two wheels and no brake.",
    ],
)
GERMAN = patent("1000010", "Bremsen", paragraphs=["Eine Bremse wirkt auf das Rad."], language="de")


class WordJudge:
    """Scores by the share of the feature's words that stand in the passage; counts what it is asked."""

    name = "words 1"
    fingerprint = "words-1"
    reads_parts = True

    def __init__(self, languages=(), fails_at=None):
        self.languages = frozenset(languages)
        self.asked = []
        self._fails_at = fails_at

    def rule(self, pairs, context):
        context.check()
        if self._fails_at is not None and len(self.asked) >= self._fails_at:
            raise ResourceError("The judge words 1 failed: no memory.")
        self.asked.extend(pairs)
        return [Ruling(score(pair.feature, pair.passage), met(pair)) for pair in pairs]


def score(feature, passage):
    asked = stem_words(feature)
    return 4.0 * len(asked & stem_words(passage)) / max(1, len(asked)) - 1.0


def met(pair):
    """Words that are met by meaning: here those of more than six letters."""
    return tuple(1.0 if end - start > 6 else 0.0 for start, end in words(pair.feature))


@pytest.fixture
def made(tmp_path, model):
    with library(tmp_path / "L", [*PATENTS, LONG, GERMAN]) as opened:
        index(opened, model)
        yield opened


def engine_with(made, model, judge, read=READ, second=None):
    found = CalibratedJudge(judge, read, second)
    return SearchEngine.open(made, SETTINGS, stack=lambda _: model, judge=lambda _: found)


def passages_of(made, document):
    return repository.read_passages_of(made.store, [document])[document]


def ids_of(made):
    names = repository.read_publications(made.store, [PatentId(item) for item in range(1, 30)])
    return {name.number: patent for patent, name in names.items()}


def shared(near):
    """What is taken off every feature's nearness [F, P] to a passage: [P]."""
    mean = near.sum(axis=0) / len(near)
    rivals = np.log(np.exp(20.0 * (near - mean / 2)).sum(axis=0)) / 20.0
    return mean / 2 + rivals / 2


def test_nearness_chooses_what_is_read_and_cosines_stay_in_the_calibration(made, model):
    """Nearness that turns every cosine round: the passages that were last are read."""
    turned = Nearness(model.encoder.fingerprint, -2.0 * np.eye(DIM, dtype=np.float32), np.eye(DIM))
    query = queries.query_from_text(CLAIM)
    document = ids_of(made)["1000009"]
    judge = WordJudge()
    other = replace(model, nearness=turned)
    ((_, rulings),) = engine_with(made, other, judge).rule(query, [document], CTX)
    stored = [item for item in passages_of(made, document) if item.section is not Section.TITLE]
    asked = [EncoderInput(feature.text, query.section, is_query=True) for feature in query.features]
    passages = [EncoderInput(item.text, item.section) for item in stored]
    vectors = np.array([item.pooled for item in model.encoder.encode(passages, CTX)])
    every = np.array([vectors @ item.pooled for item in model.encoder.encode(asked, CTX)])
    near = -every
    for feature, ruling, cosines, own in zip(query.features, rulings, every, near, strict=True):
        chosen = np.argsort(-(own - shared(near)), kind="stable")[:3]
        assert set(ruling.candidates) == {stored[place].id for place in chosen}
        worth = max(score(feature.text, stored[place].text) + 2.0 * cosines[place] for place in chosen)
        assert ruling.probability == pytest.approx(1 / (1 + math.exp(-(1.5 * worth - 1.0))), abs=0.02)


def test_the_cell_is_the_best_ruling_on_the_candidates(made, model):
    """Against brute force: of all passages the three of highest contrast are scored."""
    judge = WordJudge()
    query = queries.query_from_text(CLAIM)
    document = ids_of(made)["1000009"]
    ((patent_id, rulings),) = engine_with(made, model, judge).rule(query, [document], CTX)
    assert patent_id == document
    stored = [item for item in passages_of(made, document) if item.section is not Section.TITLE]
    sections = [EncoderInput(item.text, item.section) for item in stored]
    passages = np.array([item.pooled for item in model.encoder.encode(sections, CTX)])
    asked = [EncoderInput(feature.text, query.section, is_query=True) for feature in query.features]
    every = np.array([passages @ item.pooled for item in model.encoder.encode(asked, CTX)])
    for feature, ruling, cosines in zip(query.features, rulings, every, strict=True):
        near = np.argsort(-(cosines - shared(every)), kind="stable")[:3]
        worth = {place: score(feature.text, stored[place].text) + 2.0 * cosines[place] for place in near}
        best = max(worth, key=worth.get)
        assert ruling.passage == stored[best].id
        assert ruling.label == stored[best].label
        assert set(ruling.candidates) == {stored[place].id for place in near}
        # The index keeps vectors in steps of 1/127.
        assert ruling.probability == pytest.approx(1 / (1 + math.exp(-(1.5 * worth[best] - 1.0))), abs=0.02)
        bounds = READ.bounds
        assert ruling.verdict is (
            ChartVerdict.DISCLOSED
            if ruling.probability >= bounds.disclosed
            else ChartVerdict.CANDIDATE
            if ruling.probability >= bounds.candidate
            else ChartVerdict.NOTHING
        )
        assert ruling.judge == "words 1"


def test_lines_that_say_what_a_drawing_shows_are_not_read(tmp_path, model):
    line = "FIG. 1 shows a brake of a bicycle."
    description = f"{line} {'The brake acts on the wheel of the bicycle. ' * 6}"
    drawn = patent("1000011", "Frames", paragraphs=[line, description, "The paint is blue.", line])
    sections = (Section.DRAWINGS, Section.DRAWINGS, Section.DETAILED, Section.DETAILED)
    drawn = replace(
        drawn,
        description=tuple(
            replace(paragraph, section=section)
            for paragraph, section in zip(drawn.description, sections, strict=True)
        ),
    )
    with library(tmp_path / "L", [drawn]) as opened:
        index(opened, model)
        document = ids_of(opened)["1000011"]
        query = queries.query_from_text("A vehicle, wherein a brake of a bicycle acts on the wheel.")
        read = replace(READ, candidates=9)
        ((_, rulings),) = engine_with(opened, model, WordJudge(), read).rule(query, [document], CTX)
        labels = {item.id: item.label for item in passages_of(opened, document)}
    for ruling in rulings:
        # Longer below that heading, or elsewhere, it may be description.
        assert {labels[each] for each in ruling.candidates} == {"[0002]", "[0003]", "[0004]"}
        assert ruling.read == ruling.passages == 3


def test_words_of_a_feature_are_literal_by_meaning_or_missing(made, model):
    query = queries.query_from_text("A vehicle, comprising a brake acting on the spoked wheel hydraulically.")
    document = ids_of(made)["1000009"]
    ((_, rulings),) = engine_with(made, model, WordJudge()).rule(query, [document], CTX)
    (ruling,) = (item for item in rulings if "brake" in query.text and len(item.terms) > 2)
    said = {query.text[term.span.start : term.span.end]: term.state for term in ruling.terms}
    assert said["brake"] is TermState.LITERAL
    assert said["wheel"] is TermState.LITERAL
    assert said["hydraulically"] is TermState.MEANING
    assert said["spoked"] is TermState.MISSING
    assert "the" not in said
    assert [query.text[span.start : span.end] for span in ruling.missing] == ["spoked"]


def test_quantities_of_a_feature_are_literal_or_missing():
    text = "a brake disc (12) of 2,5 mm, heated to 300–350 °C, with 4 bolts of 1.2 kg and 90% steel"
    feature = Feature("F1", Span(10, 10 + len(text)), text)
    passage = "The disc 12 of steel is 0.25 cm thick; at 320 °C 90 % of it weigh 1,200 g."

    def said(states, met):
        terms = state_terms(feature, passage, met)
        assert [term.span.start for term in terms] == sorted(term.span.start for term in terms)
        return [text[term.span.start - 10 : term.span.end - 10] for term in terms if term.state in states]

    every = [1.0] * len(words(text))
    assert not said({TermState.MISSING}, every)
    literal = ["disc", "2,5 mm", "1.2 kg", "90%", "steel"]
    assert said({TermState.LITERAL}, every) == literal
    assert said({TermState.MEANING}, every) == ["brake", "heated", "300–350 °C", "bolts"]
    passage = "The disc 90 of steel is 25 mm thick; at 200 °C its 9 parts weigh 12 kg."
    missing = ["2,5 mm", "300–350 °C", "1.2 kg", "90%"]
    assert said({TermState.MISSING}, every) == missing
    assert said({TermState.MISSING}, ()) == missing, "also of a judge that does not say which words are"
    assert said({TermState.LITERAL}, ()) == ["disc", "steel"]


def test_a_rejected_passage_gives_way_to_the_next(made, model):
    query = queries.query_from_text(CLAIM)
    document = ids_of(made)["1000009"]
    engine = engine_with(made, model, WordJudge())
    ((_, before),) = engine.rule(query, [document], CTX)
    texts = {item.id: item.text for item in passages_of(made, document)}
    label = query.features[0].label
    out = {label: frozenset({passage_digest(texts[before[0].passage])})}
    ((_, after),) = engine.rule(query, [document], CTX, rejected=out)
    assert before[0].passage not in after[0].candidates
    assert after[1:] == before[1:]
    everything = {label: frozenset(map(passage_digest, texts.values()))}
    ((_, none),) = engine.rule(query, [document], CTX, rejected=everything)
    assert none[0] is None


def test_what_was_ruled_once_is_not_asked_again(made, model):
    judge = WordJudge()
    engine = engine_with(made, model, judge)
    query, patents = queries.query_from_text(CLAIM), list(ids_of(made).values())
    first = list(engine.rule(query, patents, CTX))
    count = len(judge.asked)
    assert count
    assert list(engine.rule(query, patents, CTX)) == first
    assert len(judge.asked) == count


def test_who_reads_on_reads_the_parts_of_claims_too(tmp_path, model):
    claims = (
        "A bicycle comprising:\na frame;\na damper with oil on the frame; and\na brake.",
        "The bicycle of claim 1, wherein the brake acts on the wheel.",
    )
    with library(
        tmp_path / "L", [patent("1000011", "Bicycle", claims=claims, paragraphs=["A wheel."])]
    ) as made:
        index(made, model)
        judge = WordJudge()
        engine = engine_with(made, model, judge, READ_ON)
        query = queries.query_from_text(CLAIM)
        document = ids_of(made)["1000011"]
        list(engine.rule(query, [document], CTX))
        assert judge.asked
        assert {pair.parts for pair in judge.asked} == {()}, "not where every document is read at first"
        judge.asked.clear()
        matrix.coverage_matrix(engine, made, SETTINGS, query, [document], CTX)
        own = {
            claims[0]: {"A bicycle", "a frame", "a damper with oil on the frame", "a brake"},
            claims[1]: {"the brake acts on the wheel"},
        }
        assert any(pair.parts for pair in judge.asked)
        assert all(set(pair.parts) <= own.get(pair.passage, set()) for pair in judge.asked)
        for feature in query.features:
            read = [part for pair in judge.asked if pair.feature == feature.text for part in pair.parts]
            assert 1 <= len(read) <= 2, "the best part of the document at least: its claim is second"
        count = len(judge.asked)
        matrix.coverage_matrix(engine, made, SETTINGS, query, [document], CTX)
        assert len(judge.asked) == count, "rulings with parts are known, too"
        other = WordJudge()
        other.reads_parts = False
        matrix.coverage_matrix(
            engine_with(made, model, other, READ_ON), made, SETTINGS, query, [document], CTX
        )
        assert other.asked
        assert {pair.parts for pair in other.asked} == {()}


def test_passages_in_a_language_that_the_judge_does_not_read_have_no_ruling(made, model):
    engine = engine_with(made, model, WordJudge(["en"]))
    query = queries.query_from_text(CLAIM)
    ((_, rulings),) = engine.rule(query, [ids_of(made)["1000010"]], CTX)
    assert set(rulings) == {None}


def test_the_matrix_has_the_rulings_and_tells_each_row_as_it_comes(made, model):
    engine = engine_with(made, model, WordJudge())
    query, patents = queries.query_from_text(CLAIM), list(ids_of(made).values())
    told = []
    found = matrix.coverage_matrix(engine, made, SETTINGS, query, patents, CTX, on_row=told.append)
    assert [row.patent.id for row in told] == [item for item in patents if item in _ids(found)]
    assert {row.patent.id: row for row in told} == {row.patent.id: row for row in found.every_row}
    ruled = dict(engine.rule(query, patents, CTX))
    for row in found.every_row:
        for cell, ruling in zip(row.cells, ruled[row.patent.id], strict=True):
            assert cell.ruling == ruling
            assert cell.passage == ruling.passage
            assert cell.counted == ruling.probability
            assert matrix_cell_text(cell).endswith(f" {strength_figure(ruling.probability)}")
            assert "(probability " in matrix_cell_words(cell, query)
    plain = matrix.coverage_matrix(engine, made, SETTINGS, query, patents, CTX, judge="none")
    assert all(cell.ruling is None for row in plain.every_row for cell in row.cells)


def test_match_strengths_come_first_and_the_order_of_the_rulings_can_be_chosen(made, model):
    engine = engine_with(made, model, WordJudge())
    query, patents = queries.query_from_text(CLAIM), list(ids_of(made).values())
    events, asked = [], []

    def choose_last(left):
        asked.append(left)
        return left[-1]

    found = matrix.coverage_matrix(
        engine,
        made,
        SETTINGS,
        query,
        patents,
        CTX,
        on_strengths=events.append,
        on_row=events.append,
        choose_next=choose_last,
    )
    first, *rows = events
    assert [row.patent.id for row in rows] == list(reversed(patents))
    assert [set(left) for left in asked] == [set(patents[: len(patents) - n]) for n in range(len(patents))]
    assert all(cell.ruling is None for row in first.every_row for cell in row.cells)
    plain = matrix.coverage_matrix(engine, made, SETTINGS, query, patents, CTX, judge="none")
    assert first.every_row == plain.every_row
    assert [row.patent.id for row in found.rows] == [row.patent.id for row in plain.rows]
    assert {row.patent.id: row for row in rows} == {row.patent.id: row for row in found.every_row}
    told = []
    matrix.coverage_matrix(
        engine, made, SETTINGS, query, patents, CTX, judge="none", on_strengths=told.append
    )
    assert not told, "without a judge nothing is waited for"


def test_a_judge_that_fails_leaves_match_strengths_and_a_note(made, model):
    engine = engine_with(made, model, WordJudge(fails_at=1))
    query, patents = queries.query_from_text(CLAIM), list(ids_of(made).values())
    found = matrix.coverage_matrix(engine, made, SETTINGS, query, patents, CTX)
    rows = found.every_row
    assert len(rows) == len(patents)
    assert any(cell.ruling is not None for row in rows for cell in row.cells)
    assert any(cell.ruling is None for row in rows for cell in row.cells)
    assert any("The judge words 1 failed: no memory." in note for note in found.notes)


def test_the_judge_reads_on_in_the_best_documents_only(made, model):
    judge, read = WordJudge(), READ_ON
    engine = engine_with(made, model, judge, read)
    query, patents = queries.query_from_text(CLAIM), list(ids_of(made).values())
    settings = change(SETTINGS, "judge.read_on", 2)
    told = []
    early, reading = [], []
    found = matrix.coverage_matrix(
        engine,
        made,
        settings,
        query,
        patents,
        CTX,
        on_row=told.append,
        on_strengths=early.append,
        on_reading_on=lambda count: reading.append((count, len(told))),
    )
    assert reading == [(2, len(patents))], "when it has ruled on all"
    assert early[0].reads_on
    assert not early[0].first_only
    assert found.reads_on
    asked = len(judge.asked)
    first, again = told[: len(patents)], told[len(patents) :]
    assert [row.patent.id for row in first] == patents
    assert [row.patent.id for row in again] == [
        row.patent.id for row in combining.choose_to_read_on(first, 2)
    ], "those that disclose most by their first passages"
    cells = {(row.patent.id, cell.feature): cell.ruling for row in first for cell in row.cells}
    whole = dict(engine.rule(query, patents, CTX))
    assert len(judge.asked) == asked, "rulings on the first passages are known"
    for row in again:
        length = len([item for item in passages_of(made, row.patent.id) if item.section is not Section.TITLE])
        for cell in row.cells:
            before, after = cells[row.patent.id, cell.feature], cell.ruling
            assert (before.read, before.passages) == (1, length)
            assert (after.read, after.passages) == (length, length)
            if after.passage == before.passage:
                worth = [
                    (logit(each.probability) + 1) / slope for each, slope in ((before, 1.25), (after, 1.5))
                ]
                assert worth[0] == pytest.approx(worth[1]), "each by the calibration for what was read"
            assert len(after.candidates) == min(length, SHOWN)
    rows = {row.patent.id: row for row in found.every_row}
    assert all(rows[row.patent.id] == row for row in again)
    untouched = [row for row in first if row.patent.id not in {each.patent.id for each in again}]
    assert untouched
    assert all(rows[row.patent.id] == row for row in untouched)
    assert all(
        cell.ruling == ruling
        for row in untouched
        for cell, ruling in zip(row.cells, whole[row.patent.id], strict=True)
    )
    none = change(SETTINGS, "judge.read_on", 0)
    told.clear()
    matrix.coverage_matrix(engine, made, none, query, patents, CTX, on_row=told.append)
    assert told == first
    assert not matrix.coverage_matrix(engine, made, none, query, patents, CTX).reads_on


def test_only_documents_in_which_the_judge_has_read_on_form_pairs(made, model):
    engine = engine_with(made, model, WordJudge(), READ_ON)
    query, patents = queries.query_from_text(CLAIM), list(ids_of(made).values())
    settings = change(SETTINGS, "judge.read_on", 2)
    found = matrix.coverage_matrix(engine, made, settings, query, patents, CTX)
    read = {row.patent.id for row in found.every_row if row.read_on}

    def say(row, number):
        """Each document discloses one feature, and none another's."""
        return replace(
            row,
            cells=tuple(
                replace(
                    cell,
                    ruling=cell.ruling
                    and replace(cell.ruling, probability=0.9 if place == number % len(row.cells) else 0.1),
                )
                for place, cell in enumerate(row.cells)
            ),
        )

    told = replace(found, rows=tuple(say(row, number) for number, row in enumerate(found.rows)))
    told = replace(
        told, abstracts_only=tuple(say(row, number) for number, row in enumerate(told.abstracts_only, 50))
    )
    ruled = {row.patent.id for row in told.every_row if any(cell.ruling for cell in row.cells)}
    assert told.first_only == ruled - read
    assert len(told.first_only) >= 2

    def paired(compared):
        return {each for pair in combining.pairs(compared).pairs for each in (pair.first, pair.second)}

    assert not paired(told) & told.first_only
    left_out = len(told.first_only)
    assert any(f"{left_out} partly read" in note for note in combining.pairs(told).notes)
    # Where nothing was read on in, or not yet, all form pairs.
    early = replace(
        told,
        rows=tuple(replace(row, read_on=False) for row in told.rows),
        abstracts_only=tuple(replace(row, read_on=False) for row in told.abstracts_only),
    )
    assert early.first_only == ruled
    assert paired(early) == paired(replace(early, reads_on=False))
    bare = replace(early, reads_on=False)
    assert bare.first_only == frozenset()
    assert paired(bare) & told.first_only
    assert not any("partly read" in note for note in combining.pairs(bare).notes)
    far = f"No pair has half of the features: the best has 2 of {len(told.features)}."
    assert any(note.startswith(far) for note in combining.pairs(bare).notes) is (len(told.features) > 4)
    # What the examiner has confirmed is sure, whoever has read it.
    chosen = min(paired(bare) & told.first_only)
    confirmed = replace(
        told,
        rows=tuple(
            replace(
                row,
                cells=tuple(replace(cell, by_hand=ByHand.CONFIRMED) for cell in row.cells[:1])
                + row.cells[1:],
            )
            if row.patent.id == chosen
            else row
            for row in told.rows
        ),
    )
    assert any(f"{left_out - 1} partly read" in note for note in combining.pairs(confirmed).notes)


def test_the_command_line_lists_cells_with_what_is_missing(made, model):
    engine = engine_with(made, model, WordJudge(), READ_ON)
    query, patents = queries.query_from_text(CLAIM), list(ids_of(made).values())
    found = matrix.coverage_matrix(engine, made, change(SETTINGS, "judge.read_on", 2), query, patents, CTX)
    told = [str(line) for line in cell_lines(found)]
    assert len(told) == len(found.every_row) * (len(found.features) + 1)
    assert any("missing: " in line and "judge words 1" in line for line in told)
    partly = sum(line.endswith(", partly read") for line in told)
    ruled = {row.patent.id: sum(cell.ruling is not None for cell in row.cells) for row in found.every_row}
    assert partly == sum(ruled[patent] for patent in found.first_only) > 0


def test_pairs_without_half_of_the_features_say_so(made, model):
    """Their documents may be of another subject, which a list of best pairs does not show."""
    text = "A bicycle, comprising: a brake; a damper; a frame; a motor; a battery; and a bell."
    query, patents = queries.query_from_text(text), list(ids_of(made).values())
    found = matrix.coverage_matrix(engine_with(made, model, WordJudge()), made, SETTINGS, query, patents, CTX)

    def having(each):
        """Every document has as many features as its place in the list says."""
        rows = tuple(
            replace(
                row,
                cells=tuple(
                    replace(cell, by_hand=ByHand.CONFIRMED if place in each(number) else ByHand.REJECTED)
                    for place, cell in enumerate(row.cells)
                ),
            )
            for number, row in enumerate(found.every_row)
        )
        return combining.pairs(replace(found, rows=rows, abstracts_only=()))

    features = len(found.features)
    assert features == 7
    few = having(lambda number: {number} if number < 3 else ())
    assert few.pairs
    assert few.notes[-1] == (
        "No pair has half of the features: the best has 2 of 7. These documents may be on another subject."
    )
    more = having(lambda number: {2 * number, 2 * number + 1} if number < 3 else ())
    assert more.pairs
    assert not any("half of the features" in note for note in more.notes)
    none = having(lambda _number: ())
    assert not none.pairs
    assert not any("half of the features" in note for note in none.notes)


def test_the_command_line_marks_documents_that_were_partly_read(made, model):
    engine = engine_with(made, model, WordJudge(), READ_ON)
    query, patents = queries.query_from_text(CLAIM), list(ids_of(made).values())
    settings = change(SETTINGS, "judge.read_on", 2)
    found = matrix.coverage_matrix(engine, made, settings, query, patents, CTX)
    out = io.StringIO()
    print_matrix(Console(file=out, width=400), found, None)
    marked = {
        row.patent.id
        for row in found.every_row
        for line in out.getvalue().splitlines()
        if line.startswith(str(row.patent.publication)) and line.rstrip().endswith("partly read")
    }
    assert marked == found.first_only
    assert "Pale: partly read." in out.getvalue()


def test_a_judge_that_fails_while_it_reads_on_leaves_the_first_rulings(made, model):
    query, patents = queries.query_from_text(CLAIM), list(ids_of(made).values())
    counting = WordJudge()
    none = change(SETTINGS, "judge.read_on", 0)
    first = matrix.coverage_matrix(
        engine_with(made, model, counting, READ_ON),
        made, none, query, patents, CTX,
    )  # fmt: skip
    failing = WordJudge(fails_at=len(counting.asked))
    engine = engine_with(made, model, failing, READ_ON)
    found = matrix.coverage_matrix(engine, made, SETTINGS, query, patents, CTX)
    assert found.every_row == first.every_row
    (note,) = (note for note in found.notes if "no memory" in note)
    assert note.endswith("Of the best documents words 1 has read the first passages only.")


def test_documents_that_complement_the_best_are_read_on_too():
    strengths = [[0.9, 0.1, 0.1], [0.8, 0.2, 0.1], [0.0, 0.0, 0.9], [0.3, 0.3, 0.2], [0.0, 0.7, 0.0]]
    rows = [
        SimpleNamespace(place=place, cells=[SimpleNamespace(counted=each, probable=True) for each in cells])
        for place, cells in enumerate(strengths)
    ]
    chosen = [row.place for row in combining.choose_to_read_on(rows, 4)]
    assert chosen == [0, 1, 2, 4]
    # The one that a search found nearest, whatever its first passages say.
    turned = [rows[3], *rows[:3], rows[4]]
    assert [row.place for row in combining.choose_to_read_on(turned, 2)] == [3, 0]
    # One that the judge can't read, such as in another language, takes nobody's place.
    unread = SimpleNamespace(place=9, cells=[SimpleNamespace(counted=0.1, probable=False)] * 3)
    assert [row.place for row in combining.choose_to_read_on([unread, *turned], 2)] == [3, 0]
    assert [row.place for row in combining.choose_to_read_on(rows, 1)] == [0]
    assert [row.place for row in combining.choose_to_read_on(rows, 9)] == [0, 1, 2, 3, 4]
    assert combining.choose_to_read_on([], 4) == []
    assert combining.choose_to_read_on(rows, 0) == []


def test_a_judge_that_cannot_be_opened_is_told(made, model):
    def broken(_):
        raise ResourceError("The judge package is damaged.")

    engine = SearchEngine.open(made, SETTINGS, stack=lambda _: model, judge=broken)
    query = queries.query_from_text(CLAIM)
    found = matrix.coverage_matrix(engine, made, SETTINGS, query, [PatentId(1)], CTX)
    assert "The judge package is damaged. The cells have match strengths only." in found.notes


def logit(probability):
    return math.log(probability / (1 - probability))


def _ids(found):
    return {row.patent.id for row in found.every_row}


class Denier(WordJudge):
    """Rules that nothing discloses anything."""

    fingerprint = "denier-1"

    def rule(self, pairs, context):
        return [Ruling(-9.0, met(pair)) for pair in pairs]


class Affirmer(WordJudge):
    """Rules that everything discloses everything, and counts what it is asked."""

    fingerprint = "affirmer-1"

    def rule(self, pairs, context):
        self.asked.extend(pairs)
        return [Ruling(9.0, met(pair)) for pair in pairs]


NEVER = replace(READ, bounds=Bounds(disclosed=2.0, candidate=0.3))
LITERAL = "A vehicle, wherein an attenuator takes up the shocks of the frame."


def test_a_passage_that_states_the_feature_word_by_word_counts_before_any_ruling(made, model):
    query = queries.query_from_text(
        "A vehicle, comprising an attenuator which takes up the shocks of the frame."
    )
    document = ids_of(made)["1000009"]
    judge = Denier()
    ((_, rulings),) = engine_with(made, model, judge, NEVER).rule(query, [document], CTX)
    assert not any(item.word_by_word for item in rulings), "one word differs"
    query = queries.query_from_text(LITERAL)
    ((_, rulings),) = engine_with(made, model, judge, NEVER).rule(query, [document], CTX)
    stored = {item.id: item for item in passages_of(made, document)}
    told = [item for item in rulings if item.word_by_word]
    assert [stored[item.passage].text for item in told] == ["An attenuator takes up the shocks of the frame."]
    assert told[0].verdict is ChartVerdict.DISCLOSED
    assert told[0].probability == UNCONFIRMED
    assert told[0].candidates[0] == told[0].passage
    assert all(item.verdict is ChartVerdict.NOTHING for item in rulings if not item.word_by_word)
    assert "word by word in" in ruling_words(told[0], query)
    # A rejected passage is not offered again, word by word or not.
    digest = passage_digest(stored[told[0].passage].text)
    rejected = {told[0].feature: frozenset({digest})}
    ((_, rulings),) = engine_with(made, model, judge, NEVER).rule(query, [document], CTX, rejected=rejected)
    assert not any(item.word_by_word for item in rulings)


def test_a_judge_that_may_say_disclosed_confirms_or_denies_what_is_stated_word_by_word(made, model):
    query, document = queries.query_from_text(LITERAL), ids_of(made)["1000009"]

    def literal(*judges):
        ((_, rulings),) = engine_with(made, model, *judges).rule(query, [document], CTX)
        return [item for item in rulings if item.word_by_word]

    assert not literal(Denier()), "a word that differs makes a near miss"
    yes = Affirmer()
    # The first judge never says disclosed: the second one is asked, on that passage alone.
    (found,) = literal(Denier(), NEVER, CalibratedJudge(yes, READ))
    assert (found.verdict, found.probability) == (ChartVerdict.DISCLOSED, CONFIRMED)
    assert {pair.passage for pair in yes.asked} == {"An attenuator takes up the shocks of the frame."}
    assert not literal(Affirmer(), NEVER, CalibratedJudge(Denier(), READ))


def test_words_count_alone_where_no_such_judge_can_be_asked(made, model):
    class Broken(WordJudge):
        fingerprint = "broken-1"

        def rule(self, pairs, context):
            raise ResourceError("The judge package is damaged.")

    query, document = queries.query_from_text(LITERAL), ids_of(made)["1000009"]
    for second in (Broken(), Denier(languages=["fr"])):
        engine = engine_with(made, model, Denier(), NEVER, CalibratedJudge(second, READ))
        ((_, rulings),) = engine.rule(query, [document], CTX)
        (found,) = [item for item in rulings if item.word_by_word]
        assert found.probability == UNCONFIRMED
