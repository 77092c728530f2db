"""Documents in a language that the model does not read: found by their words, told, and not judged."""

from dataclasses import replace

import pytest

from claimlight.services.library.library import library_info
from claimlight.services.search import combining, languages, matrix, queries
from claimlight.services.search.search import SearchEngine
from claimlight.services.sets.sets import SetSearch
from claimlight.tasks import TaskContext
from claimlight.types import CellVerdict, Lamp, PatentId, SearchRequest, SetRequest, Unjudged, names_of
from tests.core.services.search.search_fakes import CLAIM, PATENTS, SETTINGS, WORDS, index
from tests.fakes import library, patent, stack

FOREIGN = [
    patent("2000001", "Fahrrad", claims=["Ein bicycle mit damper und frame."], language="de"),
    patent("2000002", "Bicyclette", claims=["Un frame et un brake."], language="fr"),
    patent("2000003", "Rad", abstract="Ein bicycle mit brake.", language="de"),
    patent("2000004", "Frame of a bicycle", claims=["A frame with a brake."], language=""),
]
TOLD = "2 documents are in German, 1 in French; the model reads English"


@pytest.fixture
def model():
    return replace(stack(WORDS), languages=("en",))


@pytest.fixture
def made(tmp_path, model):
    with library(tmp_path / "L", [*PATENTS, *FOREIGN]) as opened:
        index(opened, model)
        yield opened


def engine_of(made, model):
    return SearchEngine.open(made, SETTINGS, stack=lambda _: model)


def search(made, model):
    return engine_of(made, model).run(SearchRequest(queries.query_from_text(CLAIM)), TaskContext())


def cells_of(made, model, patents):
    query = queries.query_from_text(CLAIM)
    ids = [PatentId(item) for item in patents]
    return matrix.coverage_matrix(engine_of(made, model), made, SETTINGS, query, ids, TaskContext())


def test_each_document_that_the_model_does_not_read_says_so(made, model):
    found = search(made, model)
    assert found.notes == ()
    notes = {hit.patent.language: hit.language_note for hit in found.hits}
    assert set(notes) == {"", "en", "de", "fr"}
    assert notes[""] == notes["en"] == ""
    assert notes["de"].startswith("In German; the model reads English: ")
    assert notes["fr"].startswith("In French; the model reads English: ")


def test_a_model_that_reads_them_or_does_not_say_what_it_reads_is_silent(made, model):
    plain = search(made, replace(model, languages=()))
    assert plain.notes == search(made, replace(model, languages=("en", "de", "fr"))).notes == ()
    found = search(made, model)
    assert [hit.patent for hit in plain.hits] == [hit.patent for hit in found.hits]
    for one, other in zip(plain.hits, found.hits, strict=True):
        assert [cell.strength for cell in one.coverage] == [cell.strength for cell in other.coverage]
        english = other.patent.language in {"", "en"}
        assert {cell.cause is Unjudged.LANGUAGE for cell in other.coverage} == {not english}
    assert not any(hit.language_note for hit in plain.hits)
    some = {
        hit.patent.language: hit.language_note
        for hit in search(made, replace(model, languages=("en", "de"))).hits
    }
    assert some["fr"].startswith("In French; the model reads English and German: ")
    assert some["de"] == ""


def test_a_matrix_does_not_judge_what_the_model_can_not_read(made, model):
    first = len(PATENTS) + 1
    found = cells_of(made, model, [1, first, first + 1, first + 2, first + 3])
    english, german, french, unsaid = found.rows
    (abstract,) = found.abstracts_only
    assert {cell.cause for row in (german, french, abstract) for cell in row.cells} == {Unjudged.LANGUAGE}
    for row in (german, french, abstract):
        assert all(cell.counted == 0 and cell.lamp is Lamp.NONE for cell in row.cells)
        for cell in row.cells:
            assert cell.verdict is (CellVerdict.UNREAD if cell.passage else CellVerdict.UNCOMPARED)
    assert any(cell.strength > 0.9 for cell in german.cells)
    # Nothing is built on what was not judged: no pair claims it, and a residual search asks for all of it.
    assert not any(german.patent.id in (pair.first, pair.second) for pair in combining.pairs(found).pairs)
    asked = combining.residual(found, german.patent.id, SearchRequest(found.query))
    assert asked.features == tuple(feature.label for feature in found.features)
    for row in (english, unsaid):
        assert CellVerdict.STRONG in {cell.verdict for cell in row.cells}
    assert found.notes == (f"{TOLD}, so features it does not find there are not judged.",)


def test_a_passage_in_a_language_of_the_model_is_judged_whatever_its_document_is_in(tmp_path, model):
    german = patent("3000001", "Fahrrad", paragraphs=["Ein Rad."], language="de")
    mixed = replace(german, claims=PATENTS[0].claims)
    with library(tmp_path / "M", [mixed]) as made:
        index(made, model)
        (row,) = cells_of(made, model, [1]).rows
    assert row.patent.language == "de"
    assert {cell.verdict for cell in row.cells if cell.label.startswith("claim")} == {CellVerdict.STRONG}


def test_the_silence_of_claims_is_not_that_of_a_description_which_is_not_read(tmp_path, model):
    plain = patent("3000001", "Frame", claims=["A frame of a bicycle."])
    german = patent("3000002", "Rahmen", paragraphs=["Ein Rad."], language="de")
    with library(tmp_path / "M", [plain, replace(german, claims=plain.claims)]) as made:
        index(made, model)
        english, german = cells_of(made, model, [1, 2]).rows
    verdicts = [cell.verdict for cell in english.cells]
    assert CellVerdict.STRONG in verdicts
    assert {CellVerdict.BELOW, CellVerdict.NONE} & set(verdicts)
    unsaid = {CellVerdict.BELOW: CellVerdict.UNREAD, CellVerdict.NONE: CellVerdict.UNCOMPARED}
    assert [cell.verdict for cell in german.cells] == [unsaid.get(item, item) for item in verdicts]
    causes = {CellVerdict.UNREAD: {Unjudged.PART}, CellVerdict.UNCOMPARED: {Unjudged.LANGUAGE}}
    for cell in german.cells:
        assert cell.cause in causes.get(cell.verdict, {Unjudged.NONE})


def test_operators_of_meaning_say_what_they_hardly_find(made, model):
    sets = SetSearch(made, SETTINGS, engine_of(made, model))
    told = (
        "In this library 2 documents are in German, 1 in French; the model reads English, so semantic "
        "search hardly finds them. Search for their words as well.",
    )
    query = queries.query_from_text(CLAIM)
    for line in ('~"a viscous damper"', "LIKE(EP1000001)", "COVERS(F1)"):
        assert sets.run(SetRequest(line, query=query), {}, TaskContext()).notes == told, line
    assert sets.run(SetRequest("bicycle"), {}, TaskContext()).notes == ()


def test_covers_takes_no_passage_for_a_disclosure_that_the_model_does_not_read(made, model):
    query = queries.query_from_text(CLAIM)

    def covering(reader):
        sets = SetSearch(made, SETTINGS, engine_of(made, reader))
        found = sets.run(SetRequest("COVERS(F1)", query=query), {}, TaskContext())
        return {str(hit.publication) for hit in found.hits}

    all_read, english = covering(replace(model, languages=())), covering(model)
    assert english < all_read
    assert {"EP2000001A1"} <= all_read - english <= {"EP2000001A1", "EP2000002A1", "EP2000003A1"}


def test_a_library_counts_its_languages(made):
    assert library_info(made).languages == (("en", 5), ("de", 2), ("", 1), ("fr", 1))


def test_what_does_not_say_its_language_is_read(model):
    assert languages.can_read(model, "")
    assert languages.note_of_document(model, "") == languages.note_of_document(model, "en") == ""
    assert languages.notes_of_matrix(model, [""]) == ()


def test_names_of_languages():
    assert names_of(["en"]) == "English"
    assert names_of(["en", "de", "xx"]) == "English, German and xx"
    assert names_of([]) == ""
