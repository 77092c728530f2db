"""The second judge: it reads on by its own bounds, and leaves to the judge what it can't rule on."""

from dataclasses import replace

import pytest

from claimlight.judging.base import Ruling
from claimlight.judging.calibration import Bounds, CalibratedJudge, Calibration
from claimlight.services.search import charting, combining, matrix, queries
from claimlight.services.search.charting import decide
from claimlight.services.search.search import SearchEngine
from claimlight.settings import change
from claimlight.store import repository
from claimlight.types import ChartVerdict, IndexDepth, PatentId, Section
from tests.core.services.search.search_fakes import CLAIM, PATENTS, SETTINGS, index
from tests.core.services.search.test_charting import (
    CTX,
    GERMAN,
    LONG,
    READ,
    READ_ON,
    WordJudge,
    ids_of,
    passages_of,
)
from tests.core.services.search.test_reading import index_claims
from tests.fakes import library

TWO = change(SETTINGS, "judge.read_on", 2)
DEEP = Calibration(0.0, 2.0, 0.0, Bounds(disclosed=0.6, candidate=0.55), candidates=4)


class Larger(WordJudge):
    """Scores as the other one, under a name of its own; ``says`` replaces the score."""

    name = "large 1"
    fingerprint = "large-1"
    reads_parts = False

    def __init__(self, languages=(), fails_at=None, says=None):
        super().__init__(languages, fails_at)
        self._says = says

    def rule(self, pairs, context):
        found = super().rule(pairs, context)
        return found if self._says is None else [Ruling(self._says) for _ in found]


@pytest.fixture
def made(tmp_path, model):
    with library(tmp_path / "L", [*PATENTS, LONG, GERMAN]) as opened:
        index(opened, model)
        yield opened


def engine_with(made, model, judge):
    return SearchEngine.open(made, SETTINGS, stack=lambda _: model, judge=lambda _: judge)


def two(first, second, read=READ):
    return CalibratedJudge(first, read, CalibratedJudge(second, DEEP))


def compare(made, engine, settings=TWO, patents=None, **more):
    query = queries.query_from_text(CLAIM)
    chosen = list(ids_of(made).values()) if patents is None else patents
    return matrix.coverage_matrix(engine, made, settings, query, chosen, CTX, **more)


def judges_of(rows):
    return [{cell.ruling.judge for cell in row.cells} for row in rows]


def test_the_second_judge_reads_on_by_its_own_bounds(made, model):
    first, second, told = WordJudge(), Larger(), []
    engine, patents = engine_with(made, model, two(first, second)), list(ids_of(made).values())
    found = compare(made, engine, on_row=told.append)
    before, again = told[: len(patents)], told[len(patents) :]
    assert [row.patent.id for row in again] == [
        row.patent.id for row in combining.choose_to_read_on(before, 2)
    ], "those that disclose most by the judge, though it has no more passages to read"
    assert judges_of(before) == [{"words 1"}] * len(patents)
    assert judges_of(again) == [{"large 1"}] * 2
    for row in again:
        length = len([item for item in passages_of(made, row.patent.id) if item.section is not Section.TITLE])
        for cell in row.cells:
            assert cell.ruling.read == min(DEEP.candidates, length)
            if not cell.ruling.word_by_word:
                assert cell.ruling.verdict is decide(cell.ruling.probability, DEEP)
    rows = {row.patent.id: row for row in found.every_row}
    assert all(rows[row.patent.id] == row for row in again)
    assert judges_of(rows.values()).count({"words 1"}) == len(patents) - 2
    alone = WordJudge()
    compare(made, engine_with(made, model, CalibratedJudge(alone, READ)))
    assert len(first.asked) == len(alone.asked), "the judge reads no more than without a second one"
    asked = len(second.asked)
    assert compare(made, engine).every_row == found.every_row
    assert (len(first.asked), len(second.asked)) == (len(alone.asked), asked), "all rulings are known"


def test_the_second_judge_is_not_asked_if_nothing_is_read_on(made, model):
    second = Larger()
    compare(made, engine_with(made, model, two(WordJudge(), second)), change(SETTINGS, "judge.read_on", 0))
    assert second.asked == []


def test_a_language_that_the_second_judge_does_not_read_is_left_to_the_judge(made, model):
    german, long = (ids_of(made)[number] for number in ("1000010", "1000009"))
    engine = engine_with(made, model, two(WordJudge(), Larger(["en"]), READ_ON))
    rows = {row.patent.id: row for row in compare(made, engine, patents=[german, long]).every_row}
    assert judges_of([rows[german], rows[long]]) == [{"words 1"}, {"large 1"}]
    length = len([item for item in passages_of(made, german) if item.section is not Section.TITLE])
    assert {cell.ruling.read for cell in rows[german].cells} == {length}, "it reads on itself"


@pytest.mark.parametrize(("says", "judge"), [(-9.0, "words 1"), (9.0, "large 1")])
def test_a_likelier_passage_that_the_second_judge_does_not_read_stays(made, model, monkeypatch, says, judge):
    real = repository.read_passages_of

    def in_two_languages(store, ids):
        return {
            patent: tuple(replace(item, language="de" if "brake" in item.text else "en") for item in passages)
            for patent, passages in real(store, ids).items()
        }

    monkeypatch.setattr(charting.repository, "read_passages_of", in_two_languages)
    engine = engine_with(made, model, two(WordJudge(), Larger(["en"], says=says), READ_ON))
    document = ids_of(made)["1000009"]
    query = queries.query_from_text("A bicycle, comprising a brake which acts on a wheel.")
    (row,) = matrix.coverage_matrix(engine, made, TWO, query, [document], CTX).every_row
    brake = row.cells[-1].ruling
    assert brake.judge == judge
    texts = {item.id: item.text for item in passages_of(made, document)}
    assert ("brake" in texts[brake.passage]) is (judge == "words 1")


@pytest.mark.parametrize("says", [-9.0, 9.0])
def test_in_a_document_indexed_in_part_nothing_near_of_the_second_judge_takes_rulings_away(
    tmp_path, model, says
):
    with library(tmp_path / "L", PATENTS) as made:
        index_claims(made, model)
        told, query = [], queries.query_from_text("A bicycle; and a wheel.")
        alone = WordJudge()
        one = engine_with(made, model, CalibratedJudge(alone, READ_ON))
        none = change(SETTINGS, "judge.read_on", 0)
        (before,) = matrix.coverage_matrix(one, made, none, query, [PatentId(1)], CTX).every_row
        plain = matrix.coverage_matrix(one, made, none, query, [PatentId(1)], CTX, judge="none")
        first = WordJudge()
        two_of_them = engine_with(made, model, two(first, Larger(says=says), READ_ON))
        found = matrix.coverage_matrix(two_of_them, made, TWO, query, [PatentId(1)], CTX, on_row=told.append)
    (row,) = found.every_row
    assert row.depth is IndexDepth.CLAIMS
    assert told[0] == before
    assert ChartVerdict.DISCLOSED in {cell.ruling.verdict for cell in before.cells if cell.ruling is not None}
    assert len(first.asked) == len(alone.asked), "the second one reads all that the first does"
    if says < 0:
        assert row.cells == plain.every_row[0].cells, "its nothing near is no ruling, and no other stands"
    else:
        assert judges_of([row]) == [{"large 1"}]


def test_rows_that_are_computed_again_are_read_on_in_as_before(made, model):
    engine, patents = engine_with(made, model, two(WordJudge(), Larger())), list(ids_of(made).values())
    rows = compare(made, engine).every_row
    on, off = ([row for row in rows if row.read_on is said] for said in (True, False))
    assert judges_of(on) == [{"large 1"}] * 2
    assert judges_of(off) == [{"words 1"}] * (len(patents) - 2)
    before = frozenset(row.patent.id for row in on)
    for some in ([off[0]], [on[0]], [*on, off[0]], rows):
        ids = [row.patent.id for row in some]
        found = compare(made, engine, change(TWO, "judge.read_on", 1), ids, read_on=before)
        assert {row.patent.id: row for row in found.every_row} == {row.patent.id: row for row in some}
    (opened,) = compare(made, engine, patents=[off[0].patent.id]).every_row
    assert judges_of([opened]) == [{"large 1"}], "one that is opened by itself is the best"
    assert opened.read_on


def test_after_a_fault_of_the_second_judge_the_judge_reads_on(made, model):
    alone = compare(made, engine_with(made, model, CalibratedJudge(WordJudge(), READ_ON)))
    broken = compare(made, engine_with(made, model, two(WordJudge(), Larger(fails_at=0), READ_ON)))
    assert broken.every_row == alone.every_row
    (note,) = set(broken.notes) - set(alone.notes)
    assert note.startswith("The second judge large 1 could not read on: ")
    assert note.endswith("no memory. The verdicts are those of words 1 alone.")
    told = []
    engine = engine_with(made, model, two(WordJudge(), Larger(fails_at=1), READ_ON))
    compare(made, engine, on_row=told.append)
    assert judges_of(told[-2:]) == [{"large 1"}, {"words 1"}], "what it has ruled stays"


def test_a_fault_of_both_leaves_the_first_rulings(made, model):
    counting, none = WordJudge(), change(SETTINGS, "judge.read_on", 0)
    first = compare(made, engine_with(made, model, CalibratedJudge(counting, READ_ON)), none)
    failing = WordJudge(fails_at=len(counting.asked))
    found = compare(made, engine_with(made, model, two(failing, Larger(fails_at=0), READ_ON)))
    assert found.every_row == first.every_row
    (second, both) = (note for note in found.notes if "no memory" in note)
    assert "large 1" in second
    assert both.endswith("Of the best documents words 1 has read the first passages only.")


def test_why_there_is_no_second_judge_is_told(made, model):
    judge = CalibratedJudge(WordJudge(), READ, fault="There is no package.")
    found = compare(made, engine_with(made, model, judge))
    assert (
        "The second judge can't be used: There is no package. The verdicts are those of words 1 alone."
        in found.notes
    )
