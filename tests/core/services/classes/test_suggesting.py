"""Suggested classes of texts and documents, and what led to them, with a model without weights."""

from __future__ import annotations

from dataclasses import replace

import pytest

from claimlight.classify.package import write_package
from claimlight.errors import InputError
from claimlight.evaluation.classification.material import library_material
from claimlight.evaluation.classification.training import measure_on
from claimlight.paths import models_dir
from claimlight.services.classes import suggesting
from claimlight.services.classes.counts import count_documents_below
from claimlight.services.classes.schemes import Schemes
from claimlight.services.classes.suggesting import Suggester, list_classifiers
from claimlight.settings import Settings, change
from claimlight.tasks import TaskContext
from claimlight.training.classifiers.building import ClassifierPlan, build
from claimlight.types import (
    ClassLevel,
    ClassQuestion,
    ClassSymbol,
    ClassText,
    PatentId,
    Scheme,
    Section,
)
from tests.core.classify.test_classifier_package import MANIFEST
from tests.fakes import DIM, FakeEncoder, library, patent

FIELDS = {
    "B62K 25/04": "bicycle wheel fork damper spring suspension",
    "B62K 19/30": "bicycle frame saddle handlebar lug tube",
    "H04L 9/32": "message key signature network server cipher",
    "A61B 5/02": "patient heart pulse pressure sensor blood",
}


def documents():
    """Eight documents a field, each with some of its words."""
    found = []
    for symbol, words in FIELDS.items():
        terms = words.split()
        for number in range(8):
            own = [terms[(number + place) % len(terms)] for place in range(4)]
            made = patent(
                f"{len(found) + 1:07}",
                f"{own[0].capitalize()} {own[1]}",
                abstract=f"The {own[1]} of the {own[2]} is beside the {own[3]}.",
                claims=[f"A {own[0]} comprising a {own[1]} and a {own[3]}."],
            )
            found.append(replace(made, classes=(ClassSymbol(Scheme.CPC, symbol),)))
    return found


@pytest.fixture(scope="module")
def held(tmp_path_factory):
    with library(tmp_path_factory.mktemp("classes") / "L", documents()) as made:
        yield made


@pytest.fixture(scope="module")
def classifier(held):
    material = library_material(held, Scheme.CPC, FakeEncoder(), TaskContext())
    plan = ClassifierPlan(least=dict.fromkeys(ClassLevel, 3))
    return build(material, plan, TaskContext())


@pytest.fixture
def installed(classifier):
    folder = models_dir() / "invented"
    folder.mkdir(parents=True)
    write_package(classifier, replace(MANIFEST, dim=DIM), folder)
    return change(Settings(), "classifier.package", "invented")


@pytest.fixture
def suggester(installed, held):
    return Suggester(installed, FakeEncoder, library=held, schemes=Schemes())


def text(words, section=Section.ABSTRACT):
    return ClassQuestion((ClassText(words, section),))


def test_every_document_of_a_library_with_classes_has_a_row_for_each_text(held):
    material = library_material(held, Scheme.CPC, FakeEncoder(), TaskContext())
    assert len(material) == 2 * len(documents())
    assert len(set(material.documents)) == len(documents())
    assert material.labels[0] == {"B", "B62", "B62K", "B62K 25/00", "B62K 25/04"}
    with pytest.raises(InputError, match="at least 20 documents"):
        build(
            library_material(held, Scheme.IPC, FakeEncoder(), TaskContext()), ClassifierPlan(), TaskContext()
        )


def test_the_best_class_is_that_of_the_words(suggester):
    answer = suggester.suggest(text("A cipher key of a server signs a message."), TaskContext())
    best = answer.suggestions[0]
    assert (best.symbol, best.level, best.suggested) == ("H04L", ClassLevel.SUBCLASS, True)
    assert [parent.symbol for parent in best.parents] == ["H", "H04"]
    # The shipped titles answer where no edition was imported.
    assert all(parent.title for parent in best.parents)
    assert best.entry is not None
    # What is above a class is at least as likely.
    assert best.parents[0].probability >= best.parents[1].probability >= best.probability
    assert [item.probability for item in answer.suggestions] == sorted(
        (item.probability for item in answer.suggestions), reverse=True
    )
    assert (best.documents, best.line) == (8, "CPC=H04L")
    assert answer.texts[0].text.startswith("A cipher")
    assert answer.levels == tuple(ClassLevel)


def test_the_level_and_the_confidence_are_the_users(suggester):
    question = replace(text("A damper spring for the fork of a bicycle wheel."), level=ClassLevel.SUBGROUP)
    answer = suggester.suggest(question, TaskContext())
    assert answer.suggestions[0].symbol == "B62K 25/04"
    assert answer.suggestions[0].parents[-1].symbol == "B62K 25/00"
    sure = suggester.suggest(replace(question, confidence=1.0), TaskContext())
    assert not any(item.suggested for item in sure.suggestions)
    every = suggester.suggest(replace(question, confidence=0.0, top=3), TaskContext())
    assert [item.suggested for item in every.suggestions] == [True] * 3


def test_a_document_is_read_as_its_abstract_and_its_claims(suggester, held):
    answer = suggester.suggest(ClassQuestion(patent=PatentId(1)), TaskContext())
    assert [item.section for item in answer.texts] == [Section.ABSTRACT, Section.CLAIMS]
    assert answer.texts[0].text.startswith("Bicycle wheel\nThe wheel")
    assert answer.suggestions[0].symbol == "B62K"
    # The answer says that it is no answer about an unknown document.
    assert answer.notes == (suggesting.TRAINED_ON,)
    assert suggester.suggest(text(answer.texts[0].text), TaskContext()).notes == ()
    with pytest.raises(InputError, match="no longer in the library"):
        suggester.suggest(ClassQuestion(patent=PatentId(999)), TaskContext())


def test_a_document_is_known_without_its_kind_code(classifier, held):
    bare = replace(classifier, documents=tuple(name.removesuffix("A1") for name in classifier.documents))
    folder = models_dir() / "bare"
    folder.mkdir(parents=True)
    write_package(bare, replace(MANIFEST, dim=DIM), folder)
    suggester = Suggester(Settings(), FakeEncoder, library=held)
    answer = suggester.suggest(ClassQuestion(patent=PatentId(1), classifier="bare"), TaskContext())
    assert answer.notes == (suggesting.TRAINED_ON,)


def test_the_evidence_is_what_the_probability_falls_by(suggester):
    question = text("The blood pressure beside the wheel of a bicycle with a saddle and a frame.")
    evidence = suggester.explain(question, "A61B", TaskContext())
    body = question.texts[0].text
    phrases = [body[item.span.start : item.span.end] for item in evidence.spans]
    assert phrases[0] == "blood pressure"
    assert "bicycle" not in phrases
    weights = [item.weight for item in evidence.spans]
    assert weights == sorted(weights, reverse=True)
    assert all(weight > 0 for weight in weights)
    assert evidence.without < evidence.probability
    # By hand: the text without the phrase, read again.
    first = evidence.spans[0]
    rest = body[: first.span.start] + body[first.span.end :]
    asked = suggester.suggest(replace(text(rest), top=100), TaskContext())
    (left,) = [item.probability for item in asked.suggestions if item.symbol == "A61B"]
    assert first.weight == pytest.approx(evidence.probability - left, abs=1e-6)


def test_a_long_text_is_not_read_for_every_phrase(suggester, monkeypatch):
    monkeypatch.setattr(suggesting, "CHARACTERS", 1)
    words = " and the ".join(word for words in FIELDS.values() for word in words.split())
    encoder = suggester._make()
    monkeypatch.setattr(suggester, "_make", lambda: encoder)
    evidence = suggester.explain(text(words), "A61B", TaskContext())
    # The text, the first phrases one by one, and those together.
    assert encoder.encoded <= suggesting.TOGETHER + 2
    assert len({(item.text, item.span) for item in evidence.spans}) <= suggesting.TOGETHER


def test_neighbours_are_documents_of_the_library_that_have_the_class(suggester):
    evidence = suggester.explain(text("blood pulse sensor pressure"), "A61B", TaskContext())
    assert evidence.asked >= len(evidence.neighbours) > 0
    best = evidence.neighbours[0]
    assert best.patent is not None
    assert best.title
    assert best.symbols == ("A61B",)
    assert 0 < best.cosine <= 1.001


def test_spans_of_a_document_are_ranges_of_its_passages(suggester, held):
    from claimlight.store import repository

    evidence = suggester.explain(ClassQuestion(patent=PatentId(1)), "B62K", TaskContext())
    passages = repository.read_passages(held.store, [item.passage for item in evidence.spans])
    spoken = [passages[item.passage].text[item.span.start : item.span.end] for item in evidence.spans]
    assert spoken
    assert {word.casefold() for words in spoken for word in words.split()} <= set(
        FIELDS["B62K 25/04"].split()
    )


def test_what_can_not_be_asked_is_said(suggester, installed, held):
    context = TaskContext()
    with pytest.raises(InputError, match="no text to classify"):
        suggester.suggest(text(" \n. "), context)
    with pytest.raises(InputError, match="does not know Z99Z"):
        suggester.explain(text("bicycle"), "Z99Z", context)
    with pytest.raises(InputError, match="No library is open"):
        Suggester(installed, FakeEncoder).suggest(ClassQuestion(patent=PatentId(1)), context)

    class Other(FakeEncoder):
        fingerprint = "another"

    with pytest.raises(InputError, match="belongs to the encoder fake 1"):
        Suggester(installed, Other, library=held).suggest(text("bicycle"), context)


def test_a_classifier_of_one_level_knows_no_other(held, installed):
    material = library_material(held, Scheme.CPC, FakeEncoder(), TaskContext())
    small = build(material, ClassifierPlan(levels=(ClassLevel.SECTION,)), TaskContext())
    folder = models_dir() / "sections"
    folder.mkdir()
    write_package(small, replace(MANIFEST, dim=DIM), folder)
    suggester = Suggester(installed, FakeEncoder, library=held)
    with pytest.raises(InputError, match="does not know the level subclass; it knows section"):
        suggester.suggest(replace(text("bicycle"), classifier="sections"), TaskContext())


def test_installed_classifiers_are_listed_with_what_they_know(installed):
    found = {item.name: item for item in list_classifiers(installed)}
    mine = found["invented"]
    assert (mine.in_use, mine.scheme, mine.levels) == (True, Scheme.CPC, tuple(ClassLevel))
    # It belongs to an encoder that is not the shipped one.
    assert not mine.usable
    assert "fake 1" in mine.fault
    (models_dir() / "invented" / "labels.json").write_text("[]")
    broken = {item.name: item for item in list_classifiers(installed)}["invented"]
    assert broken.fault
    assert not broken.usable


def test_documents_below_a_class_are_counted_once(held):
    assert count_documents_below(held, Scheme.CPC, "B62K") == 16
    assert count_documents_below(held, Scheme.CPC, "B62K 25/00") == 8
    assert count_documents_below(held, Scheme.CPC, "B62K 25/04") == 8
    assert count_documents_below(held, Scheme.IPC, "B62K") == 0


def test_figures_are_of_documents_not_of_their_texts(held, classifier):
    material = library_material(held, Scheme.CPC, FakeEncoder(), TaskContext())
    figures = {item.level: item for item in measure_on(classifier, material)}
    assert figures[ClassLevel.SUBCLASS].documents == len(documents())
    assert figures[ClassLevel.SUBCLASS].first > 0.9


@pytest.mark.parametrize(
    ("body", "english"),
    [
        ("A damper for the fork of a bicycle with a piston", True),
        ("Bicycle fork damper", True),
        ("Stoßdämpfer für ein Fahrrad mit einem Kolben und einem Ventil", False),
        ("Un amortisseur pour la fourche d'une bicyclette, comprenant un piston et une soupape", False),
    ],
)
def test_a_text_that_is_not_english_gets_a_note(installed, held, body, english):
    assert suggesting.looks_english(body) is english
    for languages, noted in ((("en",), not english), ((), False), (("de", "en"), False)):
        asked = Suggester(installed, FakeEncoder, library=held, languages=languages)
        assert bool(asked.suggest(text(body), TaskContext()).notes) is noted
