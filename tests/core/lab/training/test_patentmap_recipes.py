"""PatentMap's recipes: what the paper says, and what some steps of each make of a toy library."""

import math
from dataclasses import dataclass

import numpy as np
import pytest

from claimlight.errors import TaskCancelled
from claimlight.lab.training.views.policies import Policy
from claimlight.lab.training.views.rules import Choice
from claimlight.tasks import TaskContext
from claimlight.training.recipe import Marker
from claimlight.training.recipes.recipe_file import list_shipped, load
from claimlight.types import Progress, Section, TrainEvent
from tests.core.lab.training import toy_language
from tests.core.training import toy_views

POLICIES = {
    "dropout": ["dropout"],
    "shuffle": ["dropout", "shuffle"],
    "crop": ["dropout", "crop"],
    "crop-shuffle": ["dropout", "crop_shuffle"],
    "paraphrase": ["dropout", "paraphrase"],
    "ipc": ["dropout", "ipc"],
    "claim": ["dropout", "sections"],
    "summary": ["dropout", "sections"],
    "background": ["dropout", "sections"],
    "claim-background": ["dropout", "sections"],
    "background-drawing": ["dropout", "sections"],
}
_TRAINED = ("ipc", "claim-background")
"""The others differ from these in one word of their recipe."""
SECTIONS = {
    "claim": ["claims"],
    "summary": ["summary"],
    "background": ["background"],
    "claim-background": ["claims", "background"],
    "background-drawing": ["background", "drawings"],
}


def test_each_policy_has_its_recipe():
    assert {name for name in list_shipped() if name.startswith("patentmap-")} == {
        f"patentmap-{n}" for n in POLICIES
    }


@pytest.mark.parametrize("name", POLICIES)
def test_recipes_say_what_section_5_2_prints(name):
    recipe = load(f"patentmap-{name}")
    (task,) = recipe.tasks
    assert (task.kind, task.batch) == ("views", 512)
    assert (task.loss, dict(task.loss_params)) == ("section_views", {"form": "printed", "temperature": 0.05})
    assert task.params["policies"] == POLICIES[name]
    assert task.params.get("sections") == SECTIONS.get(name)
    optimizer, run, model = recipe.optimizer, recipe.run, recipe.model
    assert (optimizer.lr, optimizer.weight_decay, optimizer.warmup) == (1e-5, 0.01, 0.1)
    assert (optimizer.schedule, run.epochs, run.steps, run.precision) == ("cosine", 1.0, 0, "fp16")
    assert (model.pooling, model.max_length, model.projector, model.dropout) == ("cls", 512, True, 0.1)
    assert [marker.token for marker in model.markers[:4]] == [
        "[abstract]",
        "[claim]",
        "[summary]",
        "[invention]",
    ]
    assert model.markers[4:] == ((Marker("[drawing]", "[invention]"),) if "drawing" in name else ())
    assert recipe.export.id == recipe.name == f"patentmap-{name}"


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


@dataclass(frozen=True, slots=True)
class Toy:
    library: object
    checkpoint: object
    language_model: object


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    base = tmp_path_factory.mktemp("toy")
    toy_views.corpus(base / "library", toy_views.many(8)).close()
    language = toy_language.model(base / "language", chat=True)
    return Toy(base / "library", toy_views.checkpoint(base / "checkpoint"), language)


def trained(made: Toy, name: str, folder, *changes: str, context=None, resume=False, export=True):
    from claimlight.services.training.training import TrainingPlan, train
    from claimlight.settings import Settings

    events = []
    small = (
        "run.precision=fp32", "run.steps=24", "run.micro_batch=48", "task.1.batch=24", "optimizer.lr=2e-3",
        "model.max_length=64", "export.licence=CC0-1.0", "export.precision=fp32",
    )  # fmt: skip
    if name == "paraphrase":
        small += (
            f"task.1.params.language_model='{made.language_model}'",
            "task.1.params.most_tokens=24",
            "task.1.params.instruction='a lid :'",
            "task.1.params.rewrite_batch=48",
        )
    plan = TrainingPlan(
        recipe=f"patentmap-{name}",
        library=made.library,
        out=folder,
        checkpoint=made.checkpoint,
        changes=(*small, *changes),
        resume=resume,
        device="cpu",
        export=export,
    )
    report = train(plan, Settings(), context or TaskContext(events.append))
    return report, [event.loss for event in events if isinstance(event, TrainEvent)]


def vectors(package, inputs):
    from claimlight.encoders import ModelPackage, open_encoder
    from claimlight.settings import EncoderSettings

    encoder = open_encoder(ModelPackage.load(package), EncoderSettings())
    return np.stack([item.pooled for item in encoder.encode(inputs, TaskContext())])


def topics_found(package, section: Section) -> float:
    """Share of patents whose claims find, among the abstracts of all others, one of their own topic."""
    from pathlib import Path

    from claimlight.encoders import EncoderInput

    patents = toy_views.many(8)
    topics = [topic for topic in toy_views.TOPICS for _ in range(8)]
    fronts = [
        EncoderInput(f"{item.titles[0].text}\n{item.abstracts[0].text}", Section.ABSTRACT) for item in patents
    ]
    asked = fronts
    if section is Section.CLAIMS:
        asked = [EncoderInput(" ".join(claim.text for claim in item.claims), section) for item in patents]
    scores = vectors(Path(package), asked) @ vectors(Path(package), fronts).T
    np.fill_diagonal(scores, -1)
    return float(
        np.mean([topics[best] == topic for best, topic in zip(scores.argmax(1), topics, strict=True)])
    )


@pytest.mark.train
@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "name",
    [
        name if name in _TRAINED else pytest.param(name, marks=pytest.mark.variants, id=name)
        for name in POLICIES
    ],
)
def test_some_steps_make_the_loss_fall_and_a_package_that_searches(made, tmp_path, name):
    report, losses = trained(made, name, tmp_path / "run")
    assert len(losses) == 24
    assert report.last_loss < report.first_loss * 0.85
    assert report.last_loss < math.log(24) - 0.25  # guessing: each of a batch of 24 as likely
    assert topics_found(report.package, Section.ABSTRACT) > 0.4  # by chance: 0.15
    if "claim" in name:
        assert topics_found(report.package, Section.CLAIMS) > 0.6


@pytest.mark.train
@pytest.mark.slow
@pytest.mark.variants
@pytest.mark.filterwarnings("ignore")
def test_positive_only_with_the_loss_of_the_code_learns_too(made, tmp_path):
    changes = ("task.1.params.swap=false", "task.1.params.sampling=code", "task.1.loss_params.form=code")
    report, _ = trained(made, "claim-background", tmp_path / "run", *changes)
    assert report.last_loss < report.first_loss * 0.85


@pytest.mark.train
@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_a_run_stopped_while_it_paraphrases_goes_on_from_its_last_whole_step(made, tmp_path):
    from safetensors.torch import load_file

    def weights(folder):
        return load_file(str(folder / "model" / "model.safetensors"))

    changes = ("run.steps=5", "task.1.batch=12", "task.1.params.rewrite_batch=2")
    trained(made, "paraphrase", tmp_path / "whole", *changes, export=False)
    steps, asked = [], []

    def watch(event):
        if isinstance(event, TrainEvent):
            steps.append(event.step)
        elif isinstance(event, Progress) and event.stage == "paraphrase":
            asked.append(event.done)
            if steps and event.total > 2:
                context.cancel()

    context = TaskContext(watch)
    with pytest.raises(TaskCancelled):
        trained(made, "paraphrase", tmp_path / "cut", *changes, context=context, export=False)
    assert asked
    assert 0 < len(steps) < 5
    report, _ = trained(made, "paraphrase", tmp_path / "cut", *changes, resume=True, export=False)
    assert report.resumed_from == len(steps)
    whole, cut = weights(tmp_path / "whole"), weights(tmp_path / "cut")
    assert whole.keys() == cut.keys()
    assert all(torch.equal(whole[name], cut[name]) for name in whole)


@pytest.mark.train
@pytest.mark.filterwarnings("ignore")
def test_new_markers_begin_as_invention_and_all_are_one_token(made):
    from claimlight.training.model.trainable import TrainableEncoder

    recipe = load("patentmap-background-drawing", ["model.max_length=64"])
    encoder = TrainableEncoder.from_checkpoint(made.checkpoint, recipe.model)
    for marker in recipe.model.markers:
        assert encoder.tokenizer.encode(f"{marker.token} the lid").tokens == [
            "[CLS]", marker.token, "the", "lid", "[SEP]"]  # fmt: skip
    rows = encoder.module["transformer"].embeddings.word_embeddings.weight
    drawing, invention = (encoder.tokenizer.token_to_id(name) for name in ("[drawing]", "[invention]"))
    assert torch.equal(rows[drawing], rows[invention])
    assert drawing != invention


@pytest.mark.train
@pytest.mark.filterwarnings("ignore")
def test_section_pairs_are_encoded_without_dropout_and_dropout_views_with_it(made):
    """Gradients of a batch of section pairs do not depend on its seed, those of dropout views do."""
    from claimlight.lab.training.tasks.views import SectionViews
    from claimlight.lab.training.views.rules import ViewRules
    from claimlight.training.documents.corpus import TrainingCorpus
    from claimlight.training.losses import make_loss
    from claimlight.training.model.trainable import TrainableEncoder
    from claimlight.training.params import Params
    from claimlight.training.run.gradients import Gradients
    from claimlight.training.run.processes import Processes

    recipe = load("patentmap-claim", ["model.max_length=64", "run.precision=fp32"])
    loss = make_loss("section_views", Params({}, "x"), 32)

    def measured(corpus, choice: Choice) -> set[float]:
        task = SectionViews(corpus, ViewRules(((choice,),)), seed=1, context=TaskContext())
        encoder = TrainableEncoder.from_checkpoint(made.checkpoint, recipe.model)
        gradients = Gradients(encoder, recipe.run, Processes("cpu"))
        batch = task.batch(0, 6)
        return {gradients.add(batch, loss, key=(key,), factor=1.0, scale=1.0).loss for key in range(3)}

    with TrainingCorpus.open(made.library) as corpus:
        assert len(measured(corpus, Choice(Policy.SECTIONS, Section.CLAIMS))) == 1
        assert len(measured(corpus, Choice(Policy.DROPOUT))) == 3
