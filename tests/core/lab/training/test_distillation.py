"""Students: what they begin as, what they learn of their teacher, and that they are ordinary checkpoints."""

import json
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch", reason="needs claimlight[train]")
pytest.importorskip("accelerate", reason="needs claimlight[train]")
pytest.importorskip("onnxscript", reason="needs claimlight[train]")

import torch
from safetensors.torch import load_file

from claimlight.encoders import EncoderInput, ModelPackage, open_encoder
from claimlight.errors import InputError, TaskCancelled
from claimlight.settings import EncoderSettings
from claimlight.tasks import TaskContext
from claimlight.training.export.checkpoint_to_package import ExportPlan, export
from claimlight.training.model.trainable import TrainableEncoder
from claimlight.training.params import Params
from claimlight.training.recipe import ModelRecipe
from claimlight.training.recipes.recipe_file import list_shipped, load
from claimlight.training.run.folder import read_events
from claimlight.training.run.loop import train
from claimlight.training.run.weighted_tasks import make_tasks
from claimlight.training.task import TaskSource
from claimlight.training.tasks import make_task
from claimlight.types import Note, Section, TrainEvent
from tests.core.lab.training import classified_library as made
from tests.core.lab.training import patembed_world as world
from tests.core.training import export_checkpoints as tiny

pytestmark = [
    pytest.mark.train,
    pytest.mark.slow,
    # torch and transformers warn of their own future; what they compute is compared below.
    pytest.mark.filterwarnings("ignore"),
]
LAYERS = {
    "patembed-base": 12, "patembed-base_small": 8, "patembed-small": 6, "patembed-mini": 4,
    "patembed-nano": 2,
}  # fmt: skip
DIMENSIONS = {
    "patembed-base": 768, "patembed-base_small": 512, "patembed-small": 384, "patembed-mini": 256,
    "patembed-nano": 128,
}  # fmt: skip
SMALL = (
    "model.max_length=40", "task.distil.params.texts=sections", "run.accumulate=1", "run.precision=fp32",
    "optimizer.lr=2e-3",
)  # fmt: skip


@pytest.fixture(autouse=True)
def _one_thread():
    """Matrices here are too small for more."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    """The teacher's vectors, for tests that don't look at how they came to be."""
    return f"task.distil.params.cache={tmp_path_factory.mktemp('cache')}"


@pytest.fixture(scope="module")
def teacher(tmp_path_factory):
    """24 layers, 64 dimensions."""
    return made.checkpoint(tmp_path_factory.mktemp("teacher") / "model", layers=24, hidden=tiny.HIDDEN)


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    with made.corpus(tmp_path_factory.mktemp("distil") / "library", made.documents(32)) as opened:
        yield opened


def student(name, folder, teacher, corpus, *changes, context=None, resume=False, dimension=24):
    recipe = load(name, [*SMALL, f"model.dimension={dimension}", *changes])
    report = train(
        recipe, corpus, folder, context or TaskContext(), checkpoint=teacher, resume=resume, device="cpu"
    )
    return Path(report.checkpoint)


def source(corpus, folder, teacher, **params):
    known = {"checkpoint": teacher, "max_length": 40, "tasks_of": make_tasks}
    dimension = params.pop("model_dimension", 24)
    return TaskSource(
        corpus,
        Params(params, "test"),
        seed=1,
        work=folder,
        context=TaskContext(),
        dimension=dimension,
        **known,
    )


def vectors(folder, texts):
    with torch.no_grad():
        found = TrainableEncoder.from_checkpoint(folder).encode(texts)
    return torch.nn.functional.normalize(found, dim=-1)


def texts_of(corpus):
    return [f"{item.title}\n{item.abstract}" for item in corpus.read(corpus.ids.tolist())]


def test_the_family_is_that_of_the_paper():
    assert {name for name in list_shipped() if load(name).tasks[0].kind == "distil"} == set(LAYERS)
    for name, count in LAYERS.items():
        recipe = load(name)
        assert recipe.model.layers == tuple(range(0, 24, 24 // count))
        assert recipe.model.dimension == DIMENSIONS[name]
        assert recipe.optimizer.lr == 1e-4
        assert (recipe.tasks[0].batch, recipe.run.accumulate, recipe.run.epochs) == (32, 4, 1)
        assert recipe.tasks[0].params["texts"] == "patembed-large"


@pytest.mark.parametrize(
    "name",
    [name if LAYERS[name] < 4 else pytest.param(name, marks=pytest.mark.variants) for name in sorted(LAYERS)],
)
def test_a_recipe_learns_and_its_package_encodes(name, tmp_path, teacher, corpus, cache):
    model = student(name, tmp_path / "run", teacher, corpus, cache, "run.steps=18", dimension=16)
    losses = [event.loss for event in read_events(tmp_path / "run" / "events.jsonl")]
    assert np.mean(losses[-6:]) < 0.8 * np.mean(losses[:6])
    config = json.loads((model / "config.json").read_text(encoding="utf-8"))
    assert config["num_hidden_layers"] == LAYERS[name]
    plan = ExportPlan(
        model, tmp_path / "package", id="tiny", version="1", licence="MIT", source="here", precision="fp32"
    )
    assert export(plan).dim == 16
    texts = texts_of(corpus)[:9]
    encoder = open_encoder(ModelPackage.load(tmp_path / "package"), EncoderSettings(device="cpu", threads=1))
    inputs = [EncoderInput(text, Section.SUMMARY) for text in texts]
    found = np.stack([item.pooled for item in encoder.encode(inputs, TaskContext())])
    assert np.abs(found - vectors(model, texts).numpy()).max() < 1e-3


def test_a_student_begins_as_layers_and_components_of_its_teacher(tmp_path, teacher, corpus):
    recipe = ModelRecipe(layers=(0, 12), dimension=24, max_length=40)
    encoder = TrainableEncoder.from_checkpoint(teacher, recipe)
    task = make_task("distil", source(corpus, tmp_path, teacher))
    task.prepare(encoder)
    encoder.save(tmp_path / "student")
    old, new = load_file(teacher / "model.safetensors"), load_file(tmp_path / "student" / "model.safetensors")
    for name, value in new.items():
        inner = name.replace("encoder.layer.1.", "encoder.layer.12.")
        assert torch.equal(value, old[inner]), name
    weight = encoder.projection.weight.detach()
    lengths = weight.norm(dim=1)
    assert torch.allclose(lengths, lengths[0].expand(24), rtol=1e-4)
    assert torch.allclose(weight @ weight.T / lengths[0] ** 2, torch.eye(24), atol=1e-4)
    assert encoder.projection.bias.abs().sum() == 0


def test_a_student_with_every_layer_is_nearly_there_before_it_learns(tmp_path, teacher, corpus):
    """The components leave only what lies outside them and the lengths of single vectors."""
    task = make_task("distil", source(corpus, tmp_path, teacher))
    batch = task.batch(0, 64)

    def error(encoder):
        with torch.no_grad():
            found = encoder.encode(list(batch.columns[0]))
        return float((found - torch.from_numpy(batch.targets)).square().sum(1).mean())

    encoder = TrainableEncoder.from_checkpoint(teacher, ModelRecipe(dimension=24, max_length=40))
    drawn = error(encoder)
    task.prepare(encoder)
    assert error(encoder) < 0.05 * drawn
    assert error(encoder) < 0.05 * float(np.square(batch.targets).sum(1).mean())


def test_targets_are_the_teachers_vectors_in_their_components(tmp_path, teacher, corpus):
    task = make_task("distil", source(corpus, tmp_path, teacher))
    batch = task.batch(3, 10)
    own = vectors(teacher, list(batch.columns[0])).numpy()
    every = vectors(teacher, [t for step in range(task.examples) for t in task.batch(step, 1).columns[0]])
    _, _, directions = np.linalg.svd((every - every.mean(0)).numpy().astype(np.float64), full_matrices=False)
    cosines = own @ directions[:24].T
    signs = np.sign((cosines * batch.targets).sum(0))
    assert batch.targets.shape == (10, 24)
    assert np.allclose(cosines * signs, batch.targets, atol=2e-3)


def test_a_student_comes_near_to_its_teacher_on_texts_it_was_not_shown(tmp_path, teacher, corpus):
    changes = ("run.epochs=12", "data.held_out=0.2", "run.validate_every=10", "optimizer.lr=3e-3")
    events = []
    model = student(
        "patembed-nano", tmp_path / "run", teacher, corpus, *changes, context=TaskContext(events.append)
    )
    held = texts_of(corpus.held_out(0.2, 42).held)
    assert len(held) > 4
    begin = tmp_path / "begin"
    encoder = TrainableEncoder.from_checkpoint(teacher, ModelRecipe(layers=(0, 12), dimension=24))
    encoder.save(begin)
    wanted = _likeness(vectors(teacher, held))
    before, after = (np.corrcoef(_likeness(vectors(model, held)), wanted)[0, 1] for model in (begin, model))
    assert after > before + 0.1
    measured = [e.validation for e in events if isinstance(e, TrainEvent) and e.validation is not None]
    assert measured[-1] < measured[0]
    assert any(isinstance(event, Note) and "of the variance" in event.text for event in events)


def _likeness(found):
    """Cosines of all pairs."""
    upper = np.triu_indices(len(found), 1)
    return (found @ found.T).numpy()[upper]


def test_students_share_what_the_teacher_said(tmp_path, teacher, corpus, monkeypatch):
    cache = f"task.distil.params.cache={tmp_path / 'cache'}"
    student("patembed-nano", tmp_path / "one", teacher, corpus, cache, "run.steps=2")
    from claimlight.training.mining.teacher_encoding import _Teacher

    def asked(_self, _texts):
        raise AssertionError("the teacher was asked again")

    monkeypatch.setattr(_Teacher, "__call__", asked)
    student("patembed-mini", tmp_path / "two", teacher, corpus, cache, "run.steps=2", dimension=8)
    with pytest.raises(AssertionError, match="asked again"):
        student("patembed-mini", tmp_path / "three", teacher, corpus, "run.steps=2")


def test_a_run_that_is_taken_up_again_ends_as_an_undisturbed_one(tmp_path, teacher, corpus, cache):
    def stop(event):
        if isinstance(event, TrainEvent) and event.step == 3:
            context.cancel()

    context = TaskContext(stop)
    whole = student("patembed-nano", tmp_path / "whole", teacher, corpus, cache, "run.steps=6")
    with pytest.raises(TaskCancelled):
        student("patembed-nano", tmp_path / "cut", teacher, corpus, cache, "run.steps=6", context=context)
    cut = student("patembed-nano", tmp_path / "cut", teacher, corpus, cache, "run.steps=6", resume=True)
    for name in ("model.safetensors", "2_Dense/model.safetensors"):
        one, other = load_file(whole / name), load_file(cut / name)
        assert all(torch.equal(one[key], other[key]) for key in one | other)


def test_texts_may_be_those_of_another_recipe(tmp_path, teacher, corpus):
    task = make_task("distil", source(corpus, tmp_path, teacher, texts="pairs", per_task=20))
    documents = corpus.read(corpus.ids.tolist())
    whole = {item.title for item in documents} | {item.abstract for item in documents}
    batch = task.batch(0, task.examples)
    assert set(batch.columns[0]) <= whole
    assert 20 < task.examples <= 2 * len(documents)


def test_texts_of_the_teachers_recipe_have_its_prompts(tmp_path, teacher):
    path = tmp_path / "own.toml"
    lines = ("[[task]]", 'kind = "patembed"', 'loss = "info_nce"', "[task.params]", 'task = "title2full"')
    path.write_text("\n".join((*lines, "min_class = 5", "")), encoding="utf-8")
    with world.corpus(tmp_path / "library", world.inventions(60)) as patents:
        task = make_task("distil", source(patents, tmp_path, teacher, texts=str(path), dimension=64))
        texts = task.batch(0, task.examples).columns[0]
    prompts = ("encode title query for document retrieval: ", "encode document for retrieval: ")
    assert all(text.startswith(prompts) for text in texts)
    assert all(sum(text.startswith(prompt) for text in texts) > 10 for prompt in prompts)


@pytest.mark.variants
@pytest.mark.parametrize("kind", ["mpnet", "modern"])
def test_other_architectures_have_students_too(kind, tmp_path, corpus):
    teacher = made.checkpoint(tmp_path / "teacher", layers=9, hidden=tiny.HIDDEN, kind=kind)
    # ModernBERT attends globally in every third layer, so those stay at every third place.
    layers = [0, 3, 6] if kind == "mpnet" else [0, 4, 8]
    changes = (f"model.layers={layers}", "run.steps=16")
    model = student("patembed-nano", tmp_path / "run", teacher, corpus, *changes)
    losses = [event.loss for event in read_events(tmp_path / "run" / "events.jsonl")]
    assert np.mean(losses[-4:]) < np.mean(losses[:4])
    plan = ExportPlan(
        model, tmp_path / "package", id="tiny", version="1", licence="MIT", source="here", precision="fp32"
    )
    assert export(plan).dim == 24


def test_a_student_is_a_sentence_transformer(tmp_path, teacher, corpus, cache):
    library = pytest.importorskip("sentence_transformers")
    model = student("patembed-nano", tmp_path / "run", teacher, corpus, cache, "run.steps=2")
    texts = texts_of(corpus)[:7]
    theirs = library.SentenceTransformer(str(model), device="cpu").encode(texts)
    assert theirs.shape == (7, 24)
    assert np.allclose(theirs, vectors(model, texts).numpy(), atol=1e-5)


def test_what_can_not_be_distilled_is_said(tmp_path, teacher, corpus):
    with pytest.raises(InputError, match="needs a teacher"):
        make_task("distil", source(corpus, tmp_path, None))
    with pytest.raises(InputError, match="no recipe nothing"):
        make_task("distil", source(corpus, tmp_path, teacher, texts="nothing"))
    with pytest.raises(InputError, match="nothing to ask the teacher about"):
        make_task("distil", source(corpus, tmp_path, teacher, least_words=10_000))
    task = make_task("distil", source(corpus, tmp_path, teacher, dimension=12))
    with pytest.raises(InputError, match="gives 24 dimensions and its targets have 12"):
        task.prepare(TrainableEncoder.from_checkpoint(teacher, ModelRecipe(dimension=24)))
