"""The coverage matrix over a small library: cells, verdicts, lamps, pairs, and what a document lacks."""

from dataclasses import replace
from datetime import date

import pytest

from claimlight.errors import InputError, ResourceError
from claimlight.services.library.documents import identify
from claimlight.services.search import combining, matrix, queries, requests
from claimlight.services.search.cell_words import cell_words
from claimlight.services.search.pair_words import UNDATED_PAIRS, left_out_text, no_pair_text
from claimlight.services.search.search import SearchEngine
from claimlight.services.sets.sets import SetSearch
from claimlight.settings import Settings, change
from claimlight.tasks import TaskContext
from claimlight.types import (
    CellRuling,
    CellVerdict,
    ChartVerdict,
    Lamp,
    PassageId,
    PatentId,
    Priority,
    PublicationNumber,
    Ranker,
    ReferenceDates,
    RuleSet,
    SearchRequest,
    SetRequest,
    Standing,
    Thresholds,
    Unjudged,
    strength_figure,
)
from tests.core.services.search.search_fakes import CLAIM, PATENTS, SETTINGS, index
from tests.fakes import add, library, patent

CTX = TaskContext()
MORE = [
    patent("1000006", "Attenuator", paragraphs=["An attenuator."], published=date(2011, 1, 1)),
    patent("1000007", "Frames", paragraphs=["A frame of a bike, wheel or cart.", "A brake."]),
    patent("1000008", "Paper", abstract="A viscous damper and a brake of a bicycle."),
]


@pytest.fixture
def made(tmp_path, model):
    with library(tmp_path / "L", [*PATENTS, *MORE]) as opened:
        index(opened, model)
        yield opened


@pytest.fixture
def engine(made, model):
    return SearchEngine.open(made, SETTINGS, stack=lambda _: model)


def ask(engine, made, patents, text=CLAIM, settings=SETTINGS, **parts):
    query = queries.query_from_text(text)
    return matrix.coverage_matrix(
        engine, made, settings, query, [PatentId(item) for item in patents], CTX, **parts
    )


def test_a_claim_without_end_is_cut_as_it_is_for_a_search_and_says_so(engine, made, monkeypatch):
    whole = ask(engine, made, [1])
    end = whole.features[1].span.start + 1
    monkeypatch.setattr(requests, "MAX_QUERY", end)
    found = ask(engine, made, [1])
    assert [feature.label for feature in found.features] == ["F1"]
    assert all(len(row.cells) == 1 for row in found.rows)
    left = len(whole.features) - 1
    assert any(
        f"only the first {end} were searched" in note and f"{left} feature" in note for note in found.notes
    )
    evidence = engine.document_evidence(queries.query_from_text(CLAIM), PatentId(1), CTX)
    assert all(item.query.end <= end for passage in evidence.passages for item in passage.evidence)


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
            assert item.strength == pytest.approx(feature.strength)
            assert item.passage == (best.passage if best else None)
            assert item.label == (best.label if best else "")
            assert item.score == pytest.approx(best.score if best else 0.0)
            parts = [sum(e.contribution for e in p.evidence) + p.other_words for p in feature.passages[:1]]
            assert sum(parts) == pytest.approx(item.score)


def test_blocks_make_no_difference(engine, made, monkeypatch):
    whole = ask(engine, made, range(1, 9))
    monkeypatch.setattr(matrix, "BLOCK", 2)
    assert ask(engine, made, range(1, 9)) == whole


def test_the_own_family_and_abstracts_have_their_own_place(engine, made):
    found = ask(engine, made, [1, 2, 5, 8, 4, 4], exclude_family_of=PublicationNumber("EP", "1000002", "A1"))
    assert [row.patent.id for row in found.rows] == [4]
    assert [row.patent.id for row in found.abstracts_only] == [5, 8]
    assert not any(row.full_text for row in found.abstracts_only)


def test_verdicts_follow_the_match_strength_that_is_shown(engine, made):
    found = ask(engine, made, [1, 3, 4, 7])
    assert found.notes == ()
    assert (found.thresholds.least, found.thresholds.strong) == (0.35, 0.5)
    cells = [item for row in found.rows for item in row.cells]
    for item in cells:
        figure = strength_figure(item.strength)
        assert (item.verdict is CellVerdict.STRONG) == (figure >= 50)
        assert (item.verdict is CellVerdict.MEDIUM) == (35 <= figure < 50)
        assert (item.verdict is CellVerdict.NONE) == (item.passage is None)
        assert bool(item.label) == (item.passage is not None), "every cell with a match names its passage"
    assert {CellVerdict.STRONG, CellVerdict.NONE} <= {item.verdict for item in cells}
    own = change(change(SETTINGS, "search.strong_match", 1.0), "search.least_match", 0.9)
    stricter = ask(engine, made, [1, 3, 4, 7], settings=own)
    assert sum(c.verdict is CellVerdict.STRONG for row in stricter.rows for c in row.cells) < sum(
        c.verdict is CellVerdict.STRONG for c in cells
    )


@pytest.mark.parametrize("strength", [0.0, 0.001, 0.344, 0.345, 0.35, 0.494, 0.496, 0.5, 0.999, 1.0])
def test_a_figure_and_its_verdict_never_disagree(strength):
    verdict, figure = Thresholds(0.35, 0.5).verdict(strength), strength_figure(strength)
    expected = [CellVerdict.BELOW, CellVerdict.MEDIUM, CellVerdict.STRONG][(figure >= 35) + (figure >= 50)]
    assert verdict is (expected if strength else CellVerdict.NONE)
    assert (figure == 100) == (strength == 1.0), "never a false 100"


def test_one_cell_is_the_same_in_search_matrix_and_evidence(engine, made):
    """The figure, the verdict and the passage, whoever asks."""
    query = queries.query_from_text(CLAIM)
    hits = engine.run(SearchRequest(query), CTX).hits
    shown = matrix.coverage_matrix(engine, made, SETTINGS, query, [hit.patent.id for hit in hits], CTX)
    rows = {row.patent.id: row.cells for row in (*shown.rows, *shown.abstracts_only)}
    assert len(hits) > 3
    for hit in hits:
        whole = engine.document_evidence(query, hit.patent.id, CTX)
        for cell, strip, alone in zip(rows[hit.patent.id], hit.coverage, whole.features, strict=True):
            figure = (cell.strength, cell.verdict, cell.passage)
            assert (strip.strength, strip.verdict, strip.passage) == figure
            best = alone.passages[0] if alone.passages else None
            assert (alone.strength, alone.verdict, best.passage if best else None) == figure
            if best is not None:
                of_passage = {item.feature: (item.strength, item.verdict) for item in best.strengths}
                assert of_passage[cell.feature] == figure[:2]
                in_whole = next(item for item in whole.passages if item.passage == best.passage)
                assert in_whole.strengths == best.strengths


def test_lamps_of_a_synonym_and_of_words_that_meet_nothing(made, model, engine):
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
    found = ask(engine, made, range(2, 9))  # without the first one, which covers all alone
    rows = {row.patent.id: row for row in (*found.rows, *found.abstracts_only)}
    pairs = combining.pairs(found, limit=100).pairs
    expected = {}
    strong = {x: {c.feature for c in row.cells if c.verdict is CellVerdict.STRONG} for x, row in rows.items()}
    single = max(map(len, strong.values()))
    for a in rows:
        for b in rows:
            if a < b:
                one, two = ([c.strength for c in rows[x].cells] for x in (a, b))
                together = sum(map(max, one, two)) / len(one)
                if len(strong[a] | strong[b]) > single:
                    expected[frozenset((a, b))] = together
    assert len(expected) > 1
    assert {frozenset((p.first, p.second)): p.strength for p in pairs} == pytest.approx(expected)
    assert [p.strength for p in pairs] == sorted((p.strength for p in pairs), reverse=True)
    labels = [feature.label for feature in found.features]
    for pair in pairs:
        first, second = rows[pair.first], rows[pair.second]
        assert first.strength >= second.strength - 1e-12
        assert pair.gain == pytest.approx(pair.strength - first.strength)
        said = sorted((*pair.only_first, *pair.only_second, *pair.both, *pair.neither))
        assert said == sorted(labels), "every feature stands once"
        for label in labels:
            one, two = (cell(row, label).verdict is CellVerdict.STRONG for row in (first, second))
            where = [pair.neither, pair.only_second, pair.only_first, pair.both][2 * one + two]
            assert label in where
    assert combining.pairs(found, limit=1).pairs == pairs[:1]


def ruled_row(row):
    """The row with a verdict on every cell."""
    verdict = ChartVerdict.CANDIDATE
    cells = (
        replace(cell, ruling=CellRuling(cell.feature, verdict, 0.5, "judge", PassageId(1), ""))
        for cell in row.cells
    )
    return replace(row, cells=tuple(cells))


def test_no_pair_covers_more_than_a_document_that_covers_all(engine, made):
    found = ask(engine, made, range(1, 9))
    pairs = combining.pairs(found)
    assert pairs.pairs == ()
    assert no_pair_text(found, pairs) == (
        "No pair matches more features strongly than the best single document; a feature counts from a match "
        "strength of 50"
    )
    likely = "No pair likely discloses more features than the best single document; a feature counts from a "
    judged = replace(found, rows=tuple(map(ruled_row, found.rows)), abstracts_only=())
    assert no_pair_text(judged, pairs) == f"{likely}probability of 50"
    assert no_pair_text(replace(judged, rows=(*judged.rows[1:], found.rows[0])), pairs) == (
        f"{likely}probability of 50, without a verdict from a match strength of 50"
    )
    alone = ask(engine, made, [1])
    assert (
        no_pair_text(alone, combining.pairs(alone))
        == "There are fewer than two documents that can be combined"
    )


EARLY = date(2009, 1, 2)
"""Filing date of every document of `patent`."""
ART_54_3 = ReferenceDates(filed=date(2010, 1, 1))
"""Against it, what was published later is an earlier application: Art. 54(3) EPC."""


@pytest.fixture
def conflicting(tmp_path, model):
    """Two pairs that cover the claim: one of full prior art, a better one with an earlier application."""
    older, later, japan = date(2008, 1, 1), date(2011, 1, 1), date(2012, 1, 1)
    patents = [
        patent("1000011", "Frame", claims=["A bicycle with a frame."], published=older),
        patent("1000012", "Damper", claims=["A viscous damper."], published=older),
        patent("1000013", "Later", claims=["A viscous damper, and a brake."], published=later),
        patent("1000014", "Japan", claims=["A viscous damper, a brake."], published=japan, country="JP"),
        patent("1000015", "Undated", claims=["A viscous damper, a spring."], published=None),
    ]
    with library(tmp_path / "C", patents) as opened:
        index(opened, model)
        yield opened


def among(pairs, names):
    return {tuple(sorted((names[pair.first], names[pair.second]))) for pair in pairs.pairs}


def by_name(found):
    return {row.patent.id: row.patent.publication.number for row in found.every_row}


def test_a_pair_holds_no_document_that_is_for_novelty_only(conflicting, model):
    engine = SearchEngine.open(conflicting, SETTINGS, stack=lambda _: model)
    found = ask(engine, conflicting, range(1, 6), reference=ART_54_3)
    status = {row.patent.publication.number: row.dates.label for row in found.every_row}
    assert status == {
        "1000011": "Full prior art",
        "1000012": "Full prior art",
        "1000013": "E",
        "1000014": "Not prior art (not 54(3))",
        "1000015": "Dates missing",
    }
    pairs, names = combining.pairs(found), by_name(found)
    assert among(pairs, names) == {("1000011", "1000012"), ("1000011", "1000015")}
    assert [(names[item.patent], item.why) for item in pairs.left_out] == [
        ("1000013", Standing.NOVELTY_ONLY),
        ("1000014", Standing.NONE),
    ]
    assert left_out_text(pairs.left_out) == (
        "2 documents left out of pairs: 1 novelty only (Art. 54(3) EPC), 1 not prior art"
    )
    missing = "1 document lacks a date that decides: check whether it counts for inventive step."
    assert pairs.notes == (missing,)
    every = combining.pairs(found, every_status=True)
    assert ("1000011", "1000013") in among(every, names)
    assert every.left_out == ()
    assert names[every.pairs[0].second] in {"1000013", "1000014"}, "they would lead the list"


def test_what_is_left_out_follows_law_and_dates(conflicting, model):
    engine = SearchEngine.open(conflicting, SETTINGS, stack=lambda _: model)
    undated = ask(engine, conflicting, range(1, 6))
    assert {row.dates.label for row in undated.every_row} == {""}
    pairs = combining.pairs(undated)
    assert pairs.left_out == ()
    assert pairs.notes == (UNDATED_PAIRS,)
    american = replace(ART_54_3, rules=RuleSet.US)
    shown = matrix.set_dates(undated, american, 1)
    assert shown == ask(engine, conflicting, range(1, 6), reference=american, claim=1)
    out = {by_name(shown)[item.patent]: item.why for item in combining.pairs(shown).left_out}
    assert out == {"1000013": Standing.NONE, "1000014": Standing.NONE}, "102(a)(2) is for US and PCT"
    assert any("America Invents Act" in note for note in combining.pairs(shown).notes)
    later = matrix.set_dates(shown, replace(ART_54_3, filed=date(2013, 1, 1)), 1)
    assert combining.pairs(later).left_out == ()
    between = matrix.set_dates(shown, replace(later.reference, priority=date(2010, 12, 1)), 1)
    assert combining.pairs(between).notes[0] == (
        "2 documents count for inventive step only if the priority is not valid; the date status says which."
    )
    held = matrix.set_dates(shown, replace(between.reference, verified=True), 1)
    out = {by_name(held)[item.patent]: item.why for item in combining.pairs(held).left_out}
    assert out == {"1000013": Standing.NOVELTY_ONLY, "1000014": Standing.NONE}


def test_d1_that_is_for_novelty_only_says_so(conflicting, model):
    engine = SearchEngine.open(conflicting, SETTINGS, stack=lambda _: model)
    found = ask(engine, conflicting, range(1, 6), reference=ART_54_3)
    said = {}
    for row in found.every_row:
        lacking = combining.residual(found, row.patent.id, SearchRequest(found.query, reference=ART_54_3))
        assert lacking.dates == row.dates
        results = engine.run(lacking.request, CTX)
        assert all(hit.dates.label for hit in results.hits)
        said[row.patent.publication.number] = [note for note in results.notes if note.startswith("D1 (")]
    assert said == {
        "1000011": [],
        "1000012": [],
        "1000013": [
            "D1 (EP1000013A1) is prior art for novelty only (Art. 54(3) EPC): for inventive step it can't be "
            "combined."
        ],
        "1000014": [
            "D1 (JP1000014A1) is not prior art by its dates: for inventive step it can't be combined."
        ],
        "1000015": ["D1 (EP1000015A1) lacks a date that decides whether it counts for inventive step."],
    }
    between = replace(ART_54_3, filed=date(2012, 6, 1), priority=date(2010, 12, 1))
    lacking = combining.residual(found, PatentId(3), SearchRequest(found.query, reference=between))
    assert (
        "D1 (EP1000013A1) counts for inventive step only if the priority is not valid."
        in engine.run(lacking.request, CTX).notes
    )


def test_a_residual_of_a_document_without_a_row_is_refused(engine, made):
    found = ask(engine, made, [1])
    with pytest.raises(InputError, match="not indexed yet"):
        combining.residual(found, PatentId(4), SearchRequest(found.query))


def test_a_residual_asks_with_what_is_lacking(engine, made, model):
    found = ask(engine, made, [7, 1])
    request = SearchRequest(found.query, top=4, before=date(2030, 1, 1))
    lacking = combining.residual(found, PatentId(7), request)
    row = found.rows[0]
    assert lacking.features == tuple(c.feature for c in row.cells if c.verdict is not CellVerdict.STRONG)
    over = row.patent.publication
    assert lacking.request == replace(request, only=lacking.features, over=over)
    nothing = combining.residual(found, PatentId(1), request)
    assert (nothing.features, nothing.request) == ((), None)


def test_a_residual_search_leaves_d1_and_its_family_out_and_orders_by_gain(made, model):
    shared = (Priority("GB", "1100001", date(2011, 1, 2)),)
    first = patent("1000021", "Bicycle", claims=["A bicycle with a frame."], published=date(2012, 1, 1))
    grant = patent("1000021", "Bicycle", claims=["A viscous damper and a brake."], kind="B1")
    some = patent("1000022", "Brake", claims=["A brake."])
    add(made, [replace(first, priorities=shared), replace(grant, priorities=shared), some])
    index(made, model)
    engine = SearchEngine.open(made, SETTINGS, stack=lambda _: model)
    d1 = identify(made, "EP1000021A1")
    found = ask(engine, made, [d1])
    plain = SearchRequest(found.query)
    (own,) = [hit for hit in engine.run(plain, CTX).hits if hit.patent.publication.number == "1000021"]
    assert own.gain is None
    lacking = combining.residual(found, d1, plain)
    results = engine.run(lacking.request, CTX)
    assert results.hits
    assert "1000021" not in {hit.patent.publication.number for hit in results.hits}
    assert engine.run(replace(lacking.request, over=None), CTX).hits[0].gain is None
    has = {cell.feature: cell.strength for cell in found.rows[0].cells}
    for hit in results.hits:
        more = [
            max(0.0, item.strength - has[item.feature])
            for item in hit.coverage
            if item.feature in lacking.features
        ]
        assert hit.gain == pytest.approx(sum(more) / len(lacking.features))
    gains = [hit.gain for hit in results.hits]
    assert gains == sorted(gains, reverse=True)
    assert gains[0] > 0
    by_score = [hit.score for hit in results.hits]
    assert by_score != sorted(by_score, reverse=True), "the order is not that of the search"
    assert dict(results.provenance.parameters)["over"] == "EP1000021A1"


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
            assert sum(e.contribution for e in passage.evidence) + passage.other_words == pytest.approx(
                passage.score
            )
        if Ranker.CENTERS in ranked:
            assert hit.passages[0].score == pytest.approx(ranked[Ranker.CENTERS], rel=1e-5)
        assert len(hit.coverage) == len(query.features), "coverage is shown of all features still"
    alone = engine.run(SearchRequest(queries.query_from_text("a lamp of glass"), legs=(Ranker.BM25,)), CTX)
    part = engine.run(SearchRequest(query, only=(lamp.label,), legs=(Ranker.BM25,)), CTX)
    assert [h.patent.id for h in part.hits] == [h.patent.id for h in alone.hits]
    every = engine.run(SearchRequest(query), CTX)
    assert {e.feature for h in every.hits for p in h.passages for e in p.evidence} > {lamp.label}


def test_a_feature_that_is_not_there_can_not_be_asked_with(engine):
    query = queries.query_from_text(CLAIM)
    with pytest.raises(InputError, match="no feature F9; the query has F1, F2, F3, F4"):
        engine.run(SearchRequest(query, only=("F9",)), CTX)


def test_documents_without_an_index_are_told(made, model, engine):
    add(made, [patent("1000010", "New", claims=["A frame."])])
    found = ask(engine, made, [1, 9, 77])
    assert [row.patent.id for row in found.rows] == [1, 9]
    assert found.notes == ("1 document is not indexed yet and not compared.",)
    new = found.rows[1]
    assert {(item.verdict, item.cause, item.passage) for item in new.cells} == {
        (CellVerdict.UNCOMPARED, Unjudged.NOT_INDEXED, None)
    }
    assert {item.lamp for item in new.cells} == {Lamp.NONE}, "its words were not looked at, either"
    assert {item.cause for item in found.rows[0].cells} == {Unjudged.NONE}
    said = cell_words(new.cells[0])
    assert said == "not compared: not indexed yet"
    with pytest.raises(InputError, match="not indexed yet"):
        combining.residual(found, PatentId(9), SearchRequest(found.query))


def test_a_document_that_is_not_indexed_is_nowhere_said_not_to_match(made, model, engine):
    query = queries.query_from_text(CLAIM)
    add(made, [patent("1000010", "New", claims=["A frame of a bicycle."])])
    said = {(CellVerdict.UNCOMPARED, Unjudged.NOT_INDEXED)}
    hits = {hit.patent.id: hit for hit in engine.run(SearchRequest(query), CTX).hits}
    assert {(item.verdict, item.cause) for item in hits[9].coverage} == said
    assert not said & {(item.verdict, item.cause) for item in hits[1].coverage}
    whole = engine.document_evidence(query, PatentId(9), CTX)
    assert {(item.verdict, item.cause) for item in whole.features} == said


def test_without_an_index_every_feature_is_not_compared(tmp_path, model):
    query = queries.query_from_text(CLAIM)
    with library(tmp_path / "N", PATENTS) as bare:
        engine = SearchEngine.open(bare, Settings(), stack=lambda _: model)
        hits = engine.run(SearchRequest(query), CTX).hits
        whole = engine.document_evidence(query, PatentId(1), CTX)
    said = {(CellVerdict.UNCOMPARED, Unjudged.NOT_INDEXED)}
    assert {(item.verdict, item.cause) for hit in hits for item in hit.coverage} == said
    assert {(item.verdict, item.cause) for item in whole.features} == said
    assert [item.feature for item in whole.features] == list(query.features)


def test_a_library_without_an_index_has_no_matrix(tmp_path, model):
    with library(tmp_path / "N", PATENTS) as bare:
        engine = SearchEngine.open(bare, Settings(), stack=lambda _: model)
        with pytest.raises(ResourceError, match="A matrix needs an index"):
            ask(engine, bare, [1])


@pytest.mark.parametrize("strong", [0.36, 0.5, 0.8])
def test_covers_takes_the_documents_with_a_strong_match(made, model, strong):
    query = queries.query_from_text(CLAIM)
    settings = change(SETTINGS, "search.strong_match", strong)
    engine = SearchEngine.open(made, settings, stack=lambda _: model)
    found = SetSearch(made, settings, engine).run(SetRequest("COVERS(F3)", query), {}, CTX)
    assert ("strong_match", str(strong)) in found.provenance.parameters
    shown = ask(engine, made, range(1, 9), settings=settings)
    rows = (*shown.rows, *shown.abstracts_only)
    strong_cells = {
        int(row.patent.id): cell(row, "F3").strength
        for row in rows
        if cell(row, "F3").verdict is CellVerdict.STRONG
    }
    assert dict(zip(map(int, found.patents), found.scores, strict=True)) == pytest.approx(strong_cells)
