"""The real engine about classes: suggestions by an installed classifier, statistics, the one in use."""

from __future__ import annotations

from dataclasses import replace

import pytest

from claimlight import settings as settings_module
from claimlight.classify.package import write_package
from claimlight.errors import InputError
from claimlight.evaluation.classification.material import library_material
from claimlight.paths import models_dir
from claimlight.settings import Settings, change
from claimlight.tasks import TaskContext
from claimlight.training.classifiers.building import ClassifierPlan, build
from claimlight.types import ClassLevel, ClassQuestion, ClassText, PatentId, Scheme
from claimlight_workbench.engine import Engine
from tests.core.classify.test_classifier_package import MANIFEST
from tests.core.services.classes.test_suggesting import FIELDS, documents
from tests.fakes import DIM, FakeEncoder, library, stack

NOW = TaskContext()


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("classes") / "L"
    library(made, documents()).close()
    return made


@pytest.fixture
def engine(folder):
    words = " ".join(FIELDS.values()).split()
    made = Engine(change(Settings(), "classifier.package", "invented"), stack=lambda _: stack(words))
    made.open_library(folder, NOW)
    package = models_dir() / "invented"
    package.mkdir(parents=True)
    material = library_material(made._opened().library, Scheme.CPC, FakeEncoder(), NOW)
    classifier = build(material, ClassifierPlan(least=dict.fromkeys(ClassLevel, 3)), NOW)
    write_package(classifier, replace(MANIFEST, dim=DIM), package)
    yield made
    made.close()


def test_a_document_of_the_open_library_is_classified_and_explained(engine):
    question = ClassQuestion(patent=PatentId(1))
    answer = engine.suggest_classes(question, NOW)
    assert answer.suggestions[0].symbol == "B62K"
    assert answer.suggestions[0].documents == 16
    evidence = engine.explain_class(question, "B62K", NOW)
    assert all(each.passage is not None for each in evidence.spans)
    assert {each.patent for each in evidence.neighbours} <= {PatentId(number) for number in range(1, 33)}


def test_the_suggester_is_made_again_for_another_library_only(engine, folder):
    question = ClassQuestion((ClassText("A cipher key of a server signs a message."),))
    engine.suggest_classes(question, NOW)
    first = engine._suggesters
    engine.suggest_classes(question, NOW)
    assert engine._suggesters is first
    engine.open_library(folder, NOW)
    engine.suggest_classes(question, NOW)
    assert engine._suggesters is not first


def test_the_chosen_classifier_is_saved_and_used(engine):
    listed = {each.name: each.in_use for each in engine.classifiers(NOW)}
    assert listed["invented"]
    engine.use_classifier("none", NOW)
    assert settings_module.load().settings.classifier.package == "none"
    with pytest.raises(InputError):
        engine.suggest_classes(ClassQuestion(patent=PatentId(1)), NOW)
    engine.use_classifier("invented", NOW)
    assert engine.suggest_classes(ClassQuestion(patent=PatentId(1)), NOW).suggestions


def test_statistics_of_the_open_library(engine):
    found = engine.class_statistics(0, Scheme.CPC, ClassLevel.SUBCLASS, NOW)
    assert {each.symbol: each.documents for each in found.counts} == {"B62K": 16, "H04L": 8, "A61B": 8}
    with pytest.raises(InputError, match="no set L3"):
        engine.class_statistics(3, Scheme.CPC, ClassLevel.SUBCLASS, NOW)
