"""The recipes of PaECTER and of the shipped encoder: what they say, and what some steps of each make."""

from __future__ import annotations

import random
from datetime import date
from pathlib import Path

import numpy as np
import pytest

from claimlight.index.center_vocabulary import load as load_centers
from claimlight.lab.training.mining.triplets import TripletPlan, mine
from claimlight.tasks import TaskContext
from claimlight.training.documents.corpus import TrainingCorpus
from claimlight.training.recipes.recipe_file import load
from claimlight.types import Section, TrainEvent
from tests.core.lab.papers.paecter.paecter_world import cited, made
from tests.core.training import toy_views
from tests.fakes import library


def test_paecter_is_as_the_paper_prints_it():
    recipe = load("paecter")
    (task,) = recipe.tasks
    assert (task.kind, task.loss, task.batch) == ("triplets", "margin_triplet", 128)
    assert dict(task.loss_params) == {"margin": 1.0}
    assert (task.params["each"], task.params["years"], task.params["offices"]) == (5, 5, ["EP"])
    optimizer, run, model = recipe.optimizer, recipe.run, recipe.model
    assert (optimizer.lr, optimizer.warmup, run.epochs, run.validate_every) == (1e-5, 0.1, 4, 4000)
    assert (model.pooling, model.max_length, model.projector) == ("mean", 512, False)
    assert recipe.data.held_out == 0.15
    assert recipe.export.templates == {"abstract": "{title} [SEP] {body}"}


def test_the_shipped_recipe_reads_texts_as_the_package_does():
    recipe = load("general-small")
    assert {task.kind for task in recipe.tasks} == {"passage_views"}
    assert recipe.export.templates == recipe.export.prompts == {}
    assert recipe.model.markers == ()
    assert (recipe.export.id, recipe.model.pooling) == ("general-small", "mean")


torch = pytest.importorskip("torch", reason="needs claimlight[train]")
pytest.importorskip("accelerate", reason="needs claimlight[train]")
pytest.importorskip("onnxscript", reason="needs claimlight[train]")


@pytest.fixture(scope="module", autouse=True)
def one_thread():
    """Such small models only wait for more."""
    former = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(former)


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory):
    return toy_views.checkpoint(tmp_path_factory.mktemp("toy") / "checkpoint")


def trained(name: str, folder: Path, *, library: Path, checkpoint: Path, changes=(), resume=False):
    from claimlight.services.training.training import TrainingPlan, train
    from claimlight.settings import Settings

    events = []
    small = (
        "run.precision=fp32", "run.micro_batch=48", "optimizer.lr=2e-3", "model.max_length=64",
        "export.precision=fp32", "export.max_length=64", "export.licence=CC0-1.0",
    )  # fmt: skip
    plan = TrainingPlan(
        recipe=name, library=library, out=folder, checkpoint=checkpoint, changes=(*small, *changes),
        device="cpu", resume=resume,
    )  # fmt: skip
    report = train(plan, Settings(), TaskContext(events.append))
    return report, [event.loss for event in events if isinstance(event, TrainEvent)]


def vectors(package, texts):
    from claimlight.encoders import EncoderInput, ModelPackage, open_encoder
    from claimlight.settings import EncoderSettings

    encoder = open_encoder(ModelPackage.load(Path(package)), EncoderSettings())
    inputs = [EncoderInput(text, section) for text, section in texts]
    return np.stack([item.pooled for item in encoder.encode(inputs, TaskContext())])


def topical_world():
    """Applications that cite three older patents of their topic, which cite three of the next topic."""
    rng = random.Random(4)
    names = list(toy_views.TOPICS)
    patents = []

    def one(country, number, kind, topic, day, citations=()):
        text = toy_views.text(toy_views.TOPICS[topic].split(), number % 7, 2)
        patents.append(made((country, str(number), kind), text, published=day, citations=citations))
        return country, str(number), kind

    far = {
        name: [one("US", 5_000_000 + 10 * n + k, "A", name, date(2008, 1, 1)) for k in range(6)]
        for n, name in enumerate(names)
    }
    near = {
        name: [
            one(
                "EP", 1_000_000 + 10 * n + k, "A1", name, date(2011, 1, 1),
                [cited(item, "") for item in rng.sample(far[names[(n + 1) % len(names)]], 3)],
            )
            for k in range(6)
        ]
        for n, name in enumerate(names)
    }  # fmt: skip
    for n, name in enumerate(names):
        for k in range(6):
            answers = [cited(item) for item in rng.sample(near[name], 3)]
            one("EP", 3_000_000 + 10 * n + k, "A1", name, date(2012, 1, 1), answers)
    return patents


@pytest.mark.train
@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_paecter_brings_what_is_cited_nearer_than_what_is_not(checkpoint, tmp_path):
    library(tmp_path / "lib", topical_world()).close()
    changes = ("run.steps=24", "task.1.batch=24", "data.held_out=0")
    report, losses = trained(
        "paecter", tmp_path / "run", library=tmp_path / "lib", checkpoint=checkpoint, changes=changes
    )
    assert len(losses) == 24
    assert report.last_loss < report.first_loss * 0.7
    with TrainingCorpus.open(tmp_path / "lib") as corpus:
        rows = mine(corpus, TripletPlan(), TaskContext()).rows
        documents = corpus.read(rows.reshape(-1))
    texts = [(f"{item.title}\n{item.abstract}", Section.ABSTRACT) for item in documents]
    focal, positive, negative = vectors(report.package, texts).reshape(len(rows), 3, -1).transpose(1, 0, 2)
    nearer = (focal * positive).sum(1) > (focal * negative).sum(1)
    assert nearer.mean() > 0.8


@pytest.fixture(scope="module")
def sections(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sections") / "lib"
    toy_views.corpus(folder, toy_views.many(8)).close()
    return folder


SHIPPED = (
    "run.steps=24", "task.1.batch=16", "task.1.params.near=0.5", "task.1.params.near_count=24",
    "task.1.params.least_abstract=4", "task.1.params.least_passage=8",
    "model.max_length=48", "export.centers=64",
    "ngrams.steps=40", "ngrams.batch=64", "ngrams.buckets=512", "ngrams.dimension=32",
)  # fmt: skip


@pytest.mark.train
@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_the_shipped_recipe_learns_topics_and_computes_its_start_vectors_once(sections, checkpoint, tmp_path):
    report, losses = trained(
        "general-small", tmp_path / "run", library=sections, checkpoint=checkpoint, changes=SHIPPED
    )
    assert len(losses) == 24
    assert report.last_loss < report.first_loss * 0.8
    start = list((tmp_path / "run").rglob("start-*"))
    assert len(start) == 1
    patents = toy_views.many(8)
    assert len(load_centers(Path(report.package))) == 64
    told = (Path(report.package) / "NOTICE").read_text(encoding="utf-8")
    assert "The weights were trained further by the recipe general-small.\n" in told
    topics = np.repeat(np.arange(len(toy_views.TOPICS)), 8)
    fronts = [(f"{p.titles[0].text}\n{p.abstracts[0].text}", Section.ABSTRACT) for p in patents]
    asked = [(p.description[-1].text, Section.DETAILED) for p in patents]
    scores = vectors(report.package, asked) @ vectors(report.package, fronts).T
    np.fill_diagonal(scores, -1)
    assert (topics[scores.argmax(1)] == topics).mean() > 0.6


@pytest.mark.train
@pytest.mark.filterwarnings("ignore")
def test_start_vectors_are_those_of_the_checkpoint_and_go_on(sections, checkpoint, tmp_path, monkeypatch):
    from claimlight.training.mining import start_vectors, teacher_vectors
    from claimlight.training.mining.start_vectors import NearestRule, open_nearest_documents
    from claimlight.training.params import Params
    from claimlight.training.task import TaskSource

    def near(corpus, words=30):
        source = TaskSource(corpus, Params({}, ""), 1, tmp_path, TaskContext(), checkpoint=checkpoint)
        return open_nearest_documents(source, NearestRule(None, words))

    monkeypatch.setattr(teacher_vectors, "CHUNK", 16)
    with TrainingCorpus.open(sections) as corpus:
        whole = near(corpus)
        assert len(whole) == len(corpus)
        texts = start_vectors._Heads(corpus, 30).read(range(len(corpus)))
        assert texts[0].startswith("Title 0 valve Abstract 0. The")
        assert max(len(text.split()) for text in texts) <= 30
        (rows,) = tmp_path.glob("start-*/teacher-*/vectors.bin")
        before = rows.read_bytes()
        assert (
            near(corpus).near(3, 5, among=99, seed=0).tolist() == whole.near(3, 5, among=99, seed=0).tolist()
        )
        from claimlight.training.model.trainable import TrainableEncoder

        encoder = TrainableEncoder.from_checkpoint(checkpoint)
        with torch.no_grad():
            own = torch.nn.functional.normalize(encoder.encode(texts), dim=-1).numpy()
        stored = np.frombuffer(before, dtype=np.float16).reshape(len(corpus), -1)
        assert np.abs(stored - own).max() < 2e-3
        expected = set(np.argsort(-(own @ own[3]), kind="stable")[:8].tolist())
        assert len(expected & set(whole.near(3, 8, among=99, seed=0).tolist())) >= 7
        near(corpus, words=20)
    assert len(list(tmp_path.glob("start-*"))) == 2, "other texts have vectors of their own"
