"""The coverage matrix over a small library: cells, verdicts, lamps, pairs, and what a document lacks."""

from dataclasses import replace
from datetime import date

import numpy as np
import pytest

from core import paths
from core.errors import InputError, ResourceError
from core.highlight import abstain
from core.highlight.abstain import Basis, Calibration
from core.services import matrix, queries
from core.services.search import SearchEngine
from core.settings import Settings, changed
from core.tasks import TaskContext
from core.types import CellVerdict, Lamp, Leg, PatentId, PublicationNumber, SearchRequest
from tests.core.services.test_search import CLAIM, PATENTS, SETTINGS, WORDS, index
from tests.fakes import add, library, machinery, patent

CTX = TaskContext()
MORE = [
    patent("1000006", "Attenuator", paragraphs=["An attenuator."], published=date(2011, 1, 1)),
    patent("1000007", "Frames", paragraphs=["A frame of a bike, wheel or cart.", "A brake."]),
    patent("1000008", "Paper", abstract="A viscous damper and a brake of a bicycle."),
]


@pytest.fixture
def model():
    return machinery(WORDS)


@pytest.fixture
def made(tmp_path, model):
    with library(tmp_path / "L", [*PATENTS, *MORE]) as opened:
        index(opened, model)
        yield opened


@pytest.fixture
def engine(made, model):
    return SearchEngine.open(made, SETTINGS, machinery=lambda _: model)


def calibrate(model, settings=SETTINGS, least=0.8):
    """A calibration of the fake model: covered from a coverage of ``least`` on, nothing below .3."""
    found = Calibration(
        name="fake",
        basis=Basis.of(model.encoder.fingerprint, model.vocabulary.fingerprint, settings.centers),
        intercept=-4.0,
        knots=(0.0, 1.0),
        ramps=(8.0,),
        extent=0.0,
        covered=float(1 / (1 + np.exp(-(8 * least - 4)))),
        nothing=float(1 / (1 + np.exp(-(8 * min(0.3, least) - 4)))),
    )
    folder = paths.data_dir() / "Calibrations"
    folder.mkdir(parents=True, exist_ok=True)
    abstain.write(found, folder / "fake.json")
    return found


def ask(engine, made, patents, text=CLAIM, settings=SETTINGS, **parts):
    query = queries.query_from_text(text)
    return matrix.coverage_matrix(
        engine, made, settings, query, [PatentId(item) for item in patents], CTX, **parts
    )


def cell(row, label):
    return next(item for item in row.cells if item.feature == label)


def test_cells_are_the_best_passages_of_the_document_evidence(engine, made):
    found = ask(engine, made, [7, 1, 3, 4])
    assert [row.patent.id for row in found.rows] == [7, 1, 3, 4]
    for row in found.rows:
        whole = engine.document_evidence(found.query, row.patent.id, CTX)
        for item, feature in zip(row.cells, whole.features, strict=True):
            best = feature.passages[0] if feature.passages else None
            assert item.feature == feature.feature.label
            assert item.coverage == pytest.approx(feature.coverage)
            assert item.passage == (best.passage if best else None)
            assert item.label == (best.label if best else "")
            assert item.score == pytest.approx(best.score if best else 0.0)
            assert sum(e.contribution for p in feature.passages[:1] for e in p.evidence) == pytest.approx(
                item.score
            )


def test_blocks_make_no_difference(engine, made, monkeypatch):
    whole = ask(engine, made, range(1, 9))
    monkeypatch.setattr(matrix, "BLOCK", 2)
    assert ask(engine, made, range(1, 9)) == whole


def test_the_own_family_and_abstracts_have_their_own_place(engine, made):
    found = ask(engine, made, [1, 2, 5, 8, 4, 4], exclude_family_of=PublicationNumber("EP", "1000002", "A1"))
    assert [row.patent.id for row in found.rows] == [4]
    assert [row.patent.id for row in found.abstracts_only] == [5, 8]
    assert not any(row.full_text for row in found.abstracts_only)


def test_without_a_fitting_calibration_nothing_is_said(engine, made, model):
    calibrate(model, changed(SETTINGS, "centers.idf_exponent", 3.0))
    found = ask(engine, made, [1, 3])
    verdicts = {item.verdict for row in found.rows for item in row.cells}
    assert verdicts == {CellVerdict.UNCALIBRATED}
    assert found.calibration == ""
    assert "No calibration fits" in found.notes[0]
    assert all(item.probability == item.coverage for row in found.rows for item in row.cells)
    assert found.threshold == 0.5
    own = ask(engine, made, [1], settings=changed(SETTINGS, "search.covers_share", 0.3))
    assert own.threshold == 0.3


def test_verdicts_are_the_calibration_s(engine, made, model):
    made_with = calibrate(model)
    found = ask(engine, made, [1, 3, 4, 7])
    assert found.calibration.startswith("fake")
    assert found.notes == ()
    for row in found.rows:
        for item in row.cells:
            expected = made_with.probability(np.array([item.coverage]), 0.0)[0]
            assert item.probability == pytest.approx(expected)
            if item.coverage >= 0.81:
                assert item.verdict is CellVerdict.COVERED
            elif item.coverage < 0.29:
                assert item.verdict is CellVerdict.NOTHING
    seen = {item.verdict for row in found.rows for item in row.cells}
    assert {CellVerdict.COVERED, CellVerdict.NOTHING} <= seen


def test_lamps_of_a_synonym_and_of_words_that_meet_nothing(made, model, engine):
    calibrate(model)
    found = ask(engine, made, [6, 7], text="A thing with a damper; and a frame.")
    labels = {feature.text: feature.label for feature in found.features}
    damper = next(label for text, label in labels.items() if "damper" in text)
    by_id = {row.patent.id: row for row in found.rows}
    attenuator = cell(by_id[6], damper)
    assert attenuator.passage is not None
    assert attenuator.lamp is Lamp.NO_SHARED_WORD
    assert cell(by_id[7], damper).lamp is Lamp.NONE
    frame = next(label for text, label in labels.items() if "frame" in text)
    assert cell(by_id[7], frame).lamp is Lamp.NONE
    add(made, [patent("1000009", "Odd", paragraphs=["Tungsten and gadolinium."])])
    index(made, model)
    odd = ask(engine, made, [9], text="A gadolinium with tungsten; and a frame.")
    metal = next(f.label for f in odd.features if "gadolinium" in f.text)
    assert cell(odd.rows[0], metal).lamp is Lamp.WORDS_ONLY


def test_pairs_are_all_pairs_of_the_matrix(engine, made, model):
    calibrate(model)
    found = ask(engine, made, range(1, 9))
    rows = {row.patent.id: row for row in (*found.rows, *found.abstracts_only)}
    pairs = matrix.pairs(found, limit=100)
    expected = {}
    for a in rows:
        for b in rows:
            if a < b:
                one, two = ([c.probability for c in rows[x].cells] for x in (a, b))
                together = sum(map(max, one, two)) / len(one)
                gain = together - max(sum(one), sum(two)) / len(one)
                if gain > 1e-9:
                    expected[frozenset((a, b))] = together
    assert {frozenset((p.first, p.second)): p.covered for p in pairs} == pytest.approx(expected)
    assert [p.covered for p in pairs] == sorted((p.covered for p in pairs), reverse=True)
    labels = [feature.label for feature in found.features]
    for pair in pairs:
        first, second = rows[pair.first], rows[pair.second]
        assert first.covered >= second.covered - 1e-12
        assert pair.gain == pytest.approx(pair.covered - first.covered)
        said = sorted((*pair.first_adds, *pair.second_adds, *pair.both, *pair.missing))
        assert said == sorted(labels), "every feature stands once"
        for label in labels:
            one, two = (cell(row, label).verdict is CellVerdict.COVERED for row in (first, second))
            where = [pair.missing, pair.second_adds, pair.first_adds, pair.both][2 * one + two]
            assert label in where
    assert matrix.pairs(found, limit=2) == pairs[:2]


def test_a_residual_asks_with_what_is_lacking(engine, made, model):
    calibrate(model)
    found = ask(engine, made, [7, 1])
    request = SearchRequest(found.query, top=4, before=date(2030, 1, 1))
    lacking = matrix.residual(found, PatentId(7), request)
    row = found.rows[0]
    assert lacking.features == tuple(c.feature for c in row.cells if c.verdict is not CellVerdict.COVERED)
    assert lacking.request == replace(request, only=lacking.features)
    nothing = matrix.residual(found, PatentId(1), request)
    assert (nothing.features, nothing.request) == ((), None)


def test_a_search_with_some_features_asks_with_nothing_else(engine):
    query = queries.query_from_text("A bicycle comprising a frame; a kettle handle; and a lamp of glass.")
    lamp = next(f for f in query.features if "lamp" in f.text)
    results = engine.run(SearchRequest(query, only=(lamp.label,)), CTX)
    assert results.hits[0].patent.publication.number == "1000005"
    assert ("only", lamp.label) in results.provenance.parameters
    for hit in results.hits:
        ranked = {rank.leg: rank.score for rank in hit.ranks}
        for passage in hit.passages:
            assert {e.feature for e in passage.evidence} <= {lamp.label}
            assert sum(e.contribution for e in passage.evidence) == pytest.approx(passage.score)
        if Leg.CENTERS in ranked:
            assert hit.passages[0].score == pytest.approx(ranked[Leg.CENTERS], rel=1e-5)
        assert len(hit.coverage) == len(query.features), "coverage is shown of all features still"
    alone = engine.run(SearchRequest(queries.query_from_text("a lamp of glass"), legs=(Leg.BM25,)), CTX)
    part = engine.run(SearchRequest(query, only=(lamp.label,), legs=(Leg.BM25,)), CTX)
    assert [h.patent.id for h in part.hits] == [h.patent.id for h in alone.hits]
    every = engine.run(SearchRequest(query), CTX)
    assert {e.feature for h in every.hits for p in h.passages for e in p.evidence} > {lamp.label}


def test_a_feature_that_is_not_there_can_not_be_asked_with(engine):
    query = queries.query_from_text(CLAIM)
    with pytest.raises(InputError, match="no feature F9 to ask with; the query has F1, F2, F3, F4"):
        engine.run(SearchRequest(query, only=("F9",)), CTX)


def test_documents_without_an_index_are_told(made, model, engine):
    add(made, [patent("1000010", "New", claims=["A frame."])])
    found = ask(engine, made, [1, 9, 77])
    assert [row.patent.id for row in found.rows] == [1]
    assert "not indexed yet: 1 documents" in found.notes[0]


def test_a_library_without_an_index_has_no_matrix(tmp_path, model):
    with library(tmp_path / "N", PATENTS) as bare:
        engine = SearchEngine.open(bare, Settings(), machinery=lambda _: model)
        with pytest.raises(ResourceError, match="no matrix without an index"):
            ask(engine, bare, [1])


def test_covers_follows_the_calibration(made, model, engine):
    from core.services.sets import SetSearch
    from core.types import SetRequest

    query = queries.query_from_text(CLAIM)
    settings = changed(SETTINGS, "search.covers_share", 0.0)

    def covered():
        sets = SetSearch(made, settings, SearchEngine.open(made, settings, machinery=lambda _: model))
        found = sets.run(SetRequest("COVERS(F3)", query), {}, CTX)
        return set(map(int, found.patents)), dict(found.provenance.parameters)["covers_share"]

    asked, told = covered()
    assert told == "0.5 (uncalibrated)"
    found = {}
    for least in (0.8, 0.05):
        calibrate(model, least=least)
        found[least], told = covered()
        assert told.startswith("probability ")
        shown = ask(engine, made, range(1, 9))
        rows = (*shown.rows, *shown.abstracts_only)
        covers = {int(row.patent.id) for row in rows if cell(row, "F3").verdict is CellVerdict.COVERED}
        assert found[least] == covers
    assert found[0.8] <= asked < found[0.05]
