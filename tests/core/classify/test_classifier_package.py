"""Classifier packages: the same after writing, refused when damaged, and free of what trains them."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

from claimlight.classify import package
from claimlight.classify.manifest import ARRAYS_FILE, DOCUMENTS_FILE, LABELS_FILE, ClassifierManifest
from claimlight.classify.mixture import Combination
from claimlight.classify.package import ClassifierPackage, write_package
from claimlight.encoders.package_files import MANIFEST_FILE, Role, read_role
from claimlight.errors import InputError, ResourceError
from claimlight.paths import models_dir
from claimlight.tasks import TaskContext
from claimlight.training.classifiers.building import ClassifierPlan, build
from claimlight.types import ClassLevel, Scheme
from tests.core.training.classifiers.test_building import DIM, made

PLAN = ClassifierPlan(least=dict.fromkeys(ClassLevel, 3))
MANIFEST = ClassifierManifest(
    id="invented",
    version="1",
    licence="CC0-1.0",
    source="tests",
    scheme=Scheme.CPC,
    encoder="fake-encoder",
    encoder_name="fake 1",
    dim=DIM,
    heads=(),
    combination=Combination.GATE,
    documents=90,
)


@pytest.fixture(scope="module")
def classifier():
    return build(made(90), PLAN, TaskContext())


@pytest.fixture
def folder(tmp_path, classifier):
    made_in = tmp_path / "invented"
    made_in.mkdir()
    write_package(classifier, MANIFEST, made_in)
    return made_in


def test_a_package_gives_the_same_probabilities(folder, classifier):
    loaded = ClassifierPackage.load(folder)
    again = loaded.open()
    asked = made(20, seed=9).vectors
    assert again.space == classifier.space
    assert again.documents == classifier.documents
    assert np.array_equal(again.probabilities(asked), classifier.probabilities(asked))
    assert np.array_equal(again.thresholds, classifier.thresholds)
    assert again.voters(asked[:1]) == classifier.voters(asked[:1])
    assert loaded.manifest.heads == tuple(head.kind for head in classifier.heads)
    assert read_role(folder) is Role.CLASSIFIER


def test_the_same_classifier_gives_the_same_bytes(tmp_path, classifier, folder):
    other = tmp_path / "other"
    other.mkdir()
    write_package(classifier, MANIFEST, other)
    for name in (ARRAYS_FILE, LABELS_FILE, DOCUMENTS_FILE, MANIFEST_FILE):
        assert (other / name).read_bytes() == (folder / name).read_bytes()


@pytest.mark.parametrize("name", [ARRAYS_FILE, LABELS_FILE, DOCUMENTS_FILE])
def test_a_changed_file_is_refused(folder, name):
    path = folder / name
    body = bytearray(path.read_bytes())
    body[len(body) // 2] ^= 1
    path.write_bytes(body)
    with pytest.raises(ResourceError, match="damaged or changed"):
        ClassifierPackage.load(folder)


def test_files_that_do_not_fit_each_other_are_refused(folder):
    labels = json.loads((folder / LABELS_FILE).read_text())
    (folder / LABELS_FILE).write_text(json.dumps(labels[:-1]))
    # The manifest is made to agree, as whoever tampers would.
    manifest = package.manifests.read(folder / MANIFEST_FILE)
    files = tuple(package.record_file(folder / item.name) for item in manifest.files)
    package.manifests.write(replace(manifest, files=files), folder / MANIFEST_FILE)
    with pytest.raises(ResourceError, match="damaged classifier"):
        ClassifierPackage.load(folder).open()


def test_a_pickle_in_the_folder_is_refused(folder):
    (folder / "more.safetensors").write_bytes(b"\x80\x04junk")
    with pytest.raises(InputError, match="pickle"):
        ClassifierPackage.load(folder)


def test_installed_classifiers_are_found_by_name(tmp_path, classifier):
    installed = models_dir() / "mine"
    installed.mkdir(parents=True)
    write_package(classifier, MANIFEST, installed)
    assert installed in package.list_folders()
    assert package.locate("mine") == installed
    with pytest.raises(InputError, match="no model package"):
        package.locate("other")
    with pytest.raises(InputError, match="no classifier is in use"):
        package.locate(package.NO_CLASSIFIER)


def test_voters_are_documents_each_once_the_nearest_first(classifier):
    asked = made(4, seed=9).vectors
    voters = classifier.voters(asked)
    names = [voter.publication for voter in voters]
    assert len(names) == len(set(names))
    assert [voter.cosine for voter in voters] == sorted((voter.cosine for voter in voters), reverse=True)
    assert all(label in classifier.space.place for voter in voters for label in voter.labels)


def test_predicting_needs_neither_scikit_learn_nor_torch(folder):
    code = (
        "import sys\n"
        "for name in ('sklearn', 'torch', 'transformers', 'scipy'): sys.modules[name] = None\n"
        "import numpy as np\n"
        "from pathlib import Path\n"
        "from claimlight.classify.package import ClassifierPackage\n"
        "import claimlight.services.classes.suggesting\n"
        f"found = ClassifierPackage.load(Path({str(folder)!r})).open()\n"
        f"print(found.probabilities(np.eye({DIM}, dtype=np.float32)).shape)\n"
        "assert not any(name.startswith('claimlight.training') for name in sys.modules)\n"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.startswith(f"({DIM}, ")
    assert np.prod(eval(ended.stdout)) > 0
