"""Contrastive CPC training on made documents: what the probes of `claimlight.lab.papers.cpc` say of it."""

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch", reason="needs claimlight[train]")
pytest.importorskip("accelerate", reason="needs claimlight[train]")
pytest.importorskip("onnxscript", reason="needs claimlight[train]")

import torch

from claimlight.encoders import ModelPackage, open_encoder
from claimlight.evaluation.classification.documents import ClassifiedDocument
from claimlight.lab.diagnostics.probes import ProbeKind, ProbeSettings
from claimlight.lab.papers.cpc.features import Feature, FeatureSource, features
from claimlight.lab.papers.cpc.levels import Level
from claimlight.lab.papers.cpc.protocol import CpcPlan, evaluate_probes
from claimlight.settings import EncoderSettings
from claimlight.tasks import TaskContext
from claimlight.training.export.checkpoint_to_package import ExportPlan, export
from claimlight.training.params import Params
from claimlight.training.recipes.recipe_file import load
from claimlight.training.run.folder import read_events
from claimlight.training.run.loop import train
from claimlight.training.task import TaskSource
from claimlight.training.tasks import make_task
from tests.core.lab.training import classified_library as made

pytestmark = [
    pytest.mark.train,
    pytest.mark.slow,
    # torch and transformers warn of their own future; what they compute is compared below.
    pytest.mark.filterwarnings("ignore"),
]
SMALL = (
    "run.precision=fp32", "optimizer.lr=2e-3", "task.cpc.params.prompt=", "task.cpc.batch=16",
    "optimizer.warmup=0",
)  # fmt: skip

CLASSES = {"level": "class", "pairs": 80, "replay": 0.2, "passes": 2}


@pytest.fixture(scope="module", autouse=True)
def _one_thread():
    """Matrices here are too small for more."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    with made.corpus(tmp_path_factory.mktemp("cpc") / "library", made.documents(96)) as opened:
        yield opened


@pytest.fixture(scope="module")
def start(tmp_path_factory):
    return made.checkpoint(tmp_path_factory.mktemp("cpc") / "start", hidden=32)


def run(name, folder, start, corpus, *changes):
    report = train(
        load(name, [*SMALL, *changes]), corpus, folder, TaskContext(), checkpoint=start, device="cpu"
    )
    return Path(report.checkpoint)


@pytest.fixture(scope="module")
def sections(tmp_path_factory, start, corpus):
    """The folder of a run of the first recipe."""
    folder = tmp_path_factory.mktemp("cpc") / "sections"
    run("cpc-section", folder, start, corpus, "task.cpc.params.pairs=120", "optimizer.lr=5e-3")
    return folder


@pytest.fixture(scope="module")
def classes(tmp_path_factory, sections, corpus):
    """The folder of a run of the second recipe on the model of the first."""
    folder = tmp_path_factory.mktemp("cpc") / "classes"
    changes = [f"task.cpc.params.{key}={value}" for key, value in CLASSES.items()]
    run("cpc-class", folder, sections / "model", corpus, *changes)
    return folder


def scores(checkpoint, folder):
    """F1 of nearest neighbours, on documents that no training saw, through the exported package."""
    plan = ExportPlan(
        checkpoint, folder, id="tiny", version="1", licence="MIT", source="here", precision="fp32"
    )
    export(plan)
    documents = [
        ClassifiedDocument(
            name=str(item.publication),
            title=item.titles[0].text,
            abstract=item.abstracts[0].text,
            claims=(item.claims[0].text,),
            symbols=tuple(symbol.symbol for symbol in item.classes),
        )
        for item in made.documents(160, seed=9)
    ]
    encoder = open_encoder(ModelPackage.load(folder), EncoderSettings(device="cpu", threads=1))
    source = FeatureSource(lambda: encoder)
    tables = features(documents, [Feature.VECTORS], source, TaskContext())
    measured = CpcPlan(
        levels=(Level.SECTION, Level.CLASS),
        probes=(ProbeSettings(ProbeKind.KNN, neighbours=3),),
        test_share=0.4,
        by_label=False,
    )
    report = evaluate_probes(documents, tables, measured, TaskContext()).report
    found = {row.system: row for row in report.rows}
    return found["knn · section"].value("micro F1"), found["knn · class"].value("micro F1")


@pytest.fixture(scope="module")
def before(tmp_path_factory, start):
    return scores(start, tmp_path_factory.mktemp("cpc") / "package")


def losses_of(folder):
    return [event.loss for event in read_events(folder / "events.jsonl")]


def test_the_loss_falls(sections):
    losses = losses_of(sections)
    assert np.mean(losses[-10:]) < 0.7 * np.mean(losses[:10])


def test_the_loss_falls_in_each_section(classes, corpus, tmp_path):
    source = TaskSource(corpus, Params(CLASSES, "test"), seed=42, work=tmp_path, context=TaskContext())
    ends = np.cumsum(make_task("cpc", source).phase_sizes) // 16
    losses = np.array(losses_of(classes))
    assert len(ends) == 3
    for begin, end in pairwise([0, *ends.tolist()]):
        assert losses[end - 8 : end].mean() < 0.8 * losses[begin : begin + 8].mean()


@pytest.fixture(scope="module")
def after_sections(tmp_path_factory, sections):
    return scores(sections / "model", tmp_path_factory.mktemp("coarse") / "package")


def test_sections_are_told_apart_better_than_before(after_sections, before):
    assert after_sections[0] > before[0] + 0.05


def test_classes_are_told_apart_better_than_after_sections_alone(tmp_path, after_sections, classes, before):
    _, fine = scores(classes / "model", tmp_path / "fine")
    assert fine > before[1] + 0.05
    assert fine > after_sections[1]
