"""patembed's recipes: what they say, and what some steps of them make of a toy library and a tiny model."""

import re
from collections import defaultdict
from dataclasses import replace

import numpy as np
import pytest

from claimlight.errors import TaskCancelled
from claimlight.lab.training.tasks.patembed import TRAINED
from claimlight.tasks import TaskContext
from claimlight.training.documents.corpus import TrainingCorpus
from claimlight.training.recipes.recipe_file import load
from claimlight.types import Note, TrainEvent
from tests.core.lab.training import patembed_world as world

LONG = {"patembed-base_long_1024": 1024, "patembed-base_long_2048": 2048, "patembed-base_long_4096": 4096}
NAMES = ("patembed-large", *LONG)
RETRIEVAL = {
    "retrieval_IN", "retrieval_OUT", "retrieval_MIXED", "title2full", "problem2full", "effect2full",
    "effect2substance", "problem2solution",
}  # fmt: skip
LOSSES = {
    **{name: ("info_nce", {"temperature": 0.05}) for name in RETRIEVAL},
    **{name: ("online_contrastive", {"margin": 0.5}) for name in ("para_problem", "para_solution")},
    **{name: ("batch_hard", {"distance": "cosine"}) for name in ("class_text2ipc3", "class_bloom")},
    "class_nli_oldnew": ("pair_softmax", {"classes": 2}),
}


@pytest.mark.parametrize("name", NAMES)
def test_recipes_say_what_table_3_and_table_12_print(name):
    recipe = load(name)
    assert [task.name for task in recipe.tasks] == [item.value for item in TRAINED]
    for task in recipe.tasks:
        assert (task.loss, dict(task.loss_params)) == LOSSES[task.name]
        assert dict(task.params) == {"task": task.name}
        assert (task.kind, task.batch, task.weight, task.optional) == ("patembed", 32, 1.0, True)
    optimizer, run = recipe.optimizer, recipe.run
    assert optimizer.lr == (5e-5 if name in LONG else 1e-5)
    assert (optimizer.schedule, optimizer.warmup, optimizer.clip) == ("cosine", 0.1, 1.0)
    assert (run.mix, run.epochs, run.accumulate, run.seed) == ("sum", 1, 4, 42)
    assert run.precision == ("bf16" if name in LONG else "fp16")
    assert (recipe.model.pooling, recipe.model.max_length) == ("mean", LONG.get(name, 512))
    assert recipe.export.id == name


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    items = world.inventions(120)
    with world.corpus(tmp_path_factory.mktemp("toy") / "library", items) as corpus:
        yield corpus


@pytest.fixture(scope="module")
def start(tmp_path_factory):
    """A random model that knows the words of the library and of the prompts, trained with CLS pooling."""
    torch = pytest.importorskip("torch", reason="needs claimlight[train]")
    # Threads of so small a model wait for one another more than they work.
    torch.set_num_threads(1)
    return world.checkpoint(
        tmp_path_factory.mktemp("toy") / "checkpoint", world.inventions(120), pooling="cls"
    )


def small(name, *changes):
    tasks = [f"task.{task.value}.params.min_class=5" for task in TRAINED]
    batches = [f"task.{task.value}.batch=8" for task in TRAINED]
    own = ("model.max_length=40", "run.precision=fp32", "run.accumulate=1", "optimizer.warmup=0", *changes)
    return load(name, [*tasks, *batches, *own])


def learned(corpus, start, folder, *changes, steps=16):
    """Losses of each task by step, of a few rows seen again and again: these can be learned by heart."""
    from claimlight.training.run.loop import train

    few = [f"task.{item.value}.{key}" for item in TRAINED for key in ("params.examples=12", "batch=12")]
    few += [f"task.{item.value}.params.positive_share=0.5" for item in TRAINED if "para" in item.value]
    plain = ("optimizer.lr=1e-3", "optimizer.schedule=constant", "model.dropout=0.0", f"run.steps={steps}")
    events = []
    recipe = small("patembed-large", *few, *plain, *changes)
    train(recipe, corpus, folder, TaskContext(events.append), checkpoint=start, device="cpu")
    assert not [event for event in events if isinstance(event, Note)]
    losses = defaultdict(list)
    for event in events:
        if isinstance(event, TrainEvent):
            for task in event.tasks:
                losses[task.task].append(task.loss)
    return losses


def fell(losses):
    return np.mean(losses[-3:]) < 0.97 * np.mean(losses[:3])


@pytest.mark.train
@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "name",
    [
        "title2full",
        *(
            pytest.param(name, marks=pytest.mark.variants)
            for name in ("para_solution", "class_text2ipc3", "class_nli_oldnew")
        ),
    ],
)
def test_a_task_alone_is_learned_by_its_loss(library, start, tmp_path, name):
    others = [f"task.{item.value}.weight=0" for item in TRAINED if item.value != name]
    losses = learned(library, start, tmp_path / "run", *others, steps=24)
    assert set(losses) == {name}
    assert fell(losses[name]), losses[name]


@pytest.mark.train
@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_thirteen_tasks_together_make_a_package_that_searches(library, start, tmp_path):
    from claimlight.encoders import EncoderInput, ModelPackage, open_encoder
    from claimlight.settings import EncoderSettings
    from claimlight.training.export.checkpoint_to_package import ExportPlan, export
    from claimlight.types import Section

    all_titles = ("task.title2full.params.examples=150000", "task.title2full.batch=24")
    losses = learned(library, start, tmp_path / "run", *all_titles)
    assert set(losses) == {item.value for item in TRAINED}
    assert all(len(found) == 16 for found in losses.values())
    # Other tasks pull together what classes would pull apart, and sixteen steps are few for these.
    slow = {"class_text2ipc3", "class_bloom", "class_nli_oldnew"}
    assert {name for name in losses if not fell(losses[name])} <= slow
    plan = ExportPlan(
        tmp_path / "run" / "model", tmp_path / "package", id="toy", version="1", licence="CC0-1.0",
        source="toy", precision="fp32",
    )  # fmt: skip
    # The checkpoint pooled its first token; the recipe made it pool all of them.
    assert export(plan).pooling == "mean"
    encoder = open_encoder(ModelPackage.load(tmp_path / "package"), EncoderSettings())
    items = world.inventions(120)[:40]
    prompt = "encode title query for document retrieval: "
    asked = [EncoderInput(prompt + item.title, Section.DESCRIPTION, is_query=True) for item in items]
    prompt = "encode document for retrieval: "
    found = [
        EncoderInput(f"{prompt}{item.abstract} [SEP] {item.claim}", Section.DESCRIPTION) for item in items
    ]
    left, right = (
        np.stack([item.pooled for item in encoder.encode(texts, TaskContext())]) for texts in (asked, found)
    )
    best = np.argmax(left @ right.T, axis=1)
    things = [item.labels[0] for item in items]
    assert np.mean([things[place] == things[number] for number, place in enumerate(best)]) > 0.6


@pytest.mark.train
@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_tasks_without_examples_are_left_out_and_that_is_said(start, tmp_path):
    from claimlight.training.run.loop import train

    plain = [item for item in world.inventions(200) if item.style == "plain"]
    lone = [replace(item, number=place, cites=()) for place, item in enumerate(plain)]
    events = []
    with world.corpus(tmp_path / "library", lone) as corpus:
        recipe = small("patembed-base_long_1024", "run.steps=2")
        report = train(
            recipe, corpus, tmp_path / "run", TaskContext(events.append), checkpoint=start, device="cpu"
        )
    assert report.steps == 2
    notes = [event.text for event in events if isinstance(event, Note)]
    trained = {task.task for event in events if isinstance(event, TrainEvent) for task in event.tasks}
    assert trained == {"title2full", "class_text2ipc3"}
    for name in {item.value for item in TRAINED} - trained:
        said = [note for note in notes if re.search(rf"\b{name}\b", note)]
        assert len(said) == 2
        assert "finds no examples" in said[0]
        assert said[1] == f"Task {name} is skipped: the library has no examples for it."


@pytest.mark.train
@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_a_run_that_was_stopped_ends_with_the_same_weights_those_of_the_softmax_too(library, start, tmp_path):
    import torch
    from safetensors.torch import load_file

    from claimlight.training.run.loop import train

    recipe = small("patembed-large", "run.steps=8", "run.mix=draw", "run.accumulate=2", "optimizer.lr=1e-3")

    def last(folder):
        return load_file(folder / "states" / "step-00000008" / "weights.safetensors")

    train(recipe, library, tmp_path / "whole", TaskContext(), checkpoint=start, device="cpu")
    stopping = TaskContext(lambda event: stopping.cancel() if getattr(event, "step", 0) == 4 else None)
    with pytest.raises(TaskCancelled):
        train(recipe, library, tmp_path / "cut", stopping, checkpoint=start, device="cpu")
    # Opened anew, so that families are read back from the folder of the run.
    with TrainingCorpus.open(library.folder) as again:
        train(recipe, again, tmp_path / "cut", TaskContext(), checkpoint=start, device="cpu", resume=True)
    whole, cut = last(tmp_path / "whole"), last(tmp_path / "cut")
    assert "loss class_nli_oldnew head.weight" in whole
    assert whole.keys() == cut.keys()
    assert all(torch.equal(whole[name], cut[name]) for name in whole)
