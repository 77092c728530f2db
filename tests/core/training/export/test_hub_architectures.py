"""From the hub to the first vector: a model of every architecture, fetched, exported, installed, used."""

import pytest

pytest.importorskip("torch", reason="needs claimlight[train]")
pytest.importorskip("transformers", reason="needs claimlight[train]")
pytest.importorskip("onnxscript", reason="needs claimlight[train]")

from claimlight import paths
from claimlight.encoders import EncoderInput, ModelPackage, open_encoder
from claimlight.lab.rivals.encoders.ranking import open_probed
from claimlight.services.models import model_adding, models
from claimlight.services.models.model_adding import Addition
from claimlight.settings import EncoderSettings, HubSettings, Settings
from claimlight.tasks import TaskContext
from claimlight.types import Note, Section
from tests.core.services.models.hub_stand_in import Repository, StandIn, serving
from tests.core.training import architecture_checkpoints as small
from tests.core.training import ranking_checkpoints
from tests.core.training.architecture_checkpoints import Architecture
from tests.core.training.model.test_architectures import WORDS, cosines, ids_of

pytestmark = [
    pytest.mark.train,
    pytest.mark.slow,
    pytest.mark.loopback,
    # torch and transformers warn of their own future; what they compute is compared below.
    pytest.mark.filterwarnings("ignore"),
]
WINDOW = 512
CPU = EncoderSettings(device="cpu", threads=1)


@pytest.fixture(autouse=True)
def _no_surroundings(monkeypatch):
    for name in ("HF_ENDPOINT", "HF_TOKEN"):
        monkeypatch.delenv(name, raising=False)


def added(repositories, source, events, **more):
    """What the one command makes of a model on the hub."""
    with serving(StandIn({name: Repository(folder) for name, folder in repositories.items()})) as hub:
        settings = Settings(hub=HubSettings(endpoint=hub.url, proxy="none"))
        wanted = Addition(source, from_hub=True, precision="fp32", accept_licence=True, **more)
        found = model_adding.add(wanted, settings, TaskContext(events.append))
    assert models.check(found.name, Settings(encoder=CPU), TaskContext()).ok
    return ModelPackage.resolve(found.name)


def notes(events):
    return " ".join(event.text for event in events if isinstance(event, Note))


@pytest.mark.parametrize(
    ("source", "row"),
    [
        ("datalyes/patembed-nano", Architecture("nano", "bert", 2, "mean", project_to=8)),
        pytest.param(
            "AI-Growth-Lab/PatentSBERTa",
            Architecture("sberta", "mpnet", 2, "cls"),
            marks=pytest.mark.variants,
        ),
        pytest.param(
            "datalyes/patembed-base_long_1024",
            Architecture("long", "modernbert", 3, "mean"),
            marks=pytest.mark.variants,
        ),
        ("allenai/specter2", Architecture("specter", "bert", 2, "cls", adapter="pfeiffer")),
    ],
    ids=lambda item: item.name if isinstance(item, Architecture) else "",
)
def test_a_model_of_the_hub_gives_what_its_checkpoint_gives(tmp_path, source, row):
    make = {"bert": small.bert, "mpnet": small.mpnet, "modernbert": small.modern}[row.model]
    more = {} if row.model == "modernbert" else {"max_length": WINDOW}
    checkpoint = make(tmp_path / "model", row.layers, **more)
    small.as_sentence_transformer(checkpoint, row.pooling, row.project_to)
    repositories = {source: checkpoint}
    if row.adapter:
        folder = small.adapter(tmp_path / "adapter", row.layers, **small.DESIGNS[row.adapter])
        repositories = {"allenai/specter2_base": checkpoint, source: folder}
    events = []
    package = added(repositories, source, events)
    manifest = package.manifest
    assert min(manifest.parity.values()) >= 0.9999
    assert (manifest.pooling, manifest.dim) == (row.pooling, row.project_to or small.HIDDEN)
    assert "dimensions, this checkpoint" in notes(events)
    assert f"Downloading {source} (" in notes(events)
    bare = open_encoder(package, CPU).otherwise(prompt="", first_window=False)
    (found,) = bare.encode([EncoderInput(" ".join(WORDS), Section.CLAIMS)], TaskContext())
    tokens, pooled = small.reference(checkpoint, ids_of(WORDS), row, tmp_path / "adapter")
    assert cosines(found.pooled, pooled).min() > 0.9999
    assert cosines(found.tokens, tokens[1:-1]).min() > 0.9999
    assert not list(paths.incoming_dir().rglob("*.safetensors"))


@pytest.mark.parametrize(
    "source",
    [
        "naver/splade-cocondenser-ensembledistil",
        pytest.param("colbert-ir/colbertv2.0", marks=pytest.mark.variants),
    ],
)
def test_models_to_compare_with_come_the_same_way(tmp_path, source):
    make = ranking_checkpoints.splade if "splade" in source else ranking_checkpoints.colbert
    package = added({source: make(tmp_path / "model", max_length=WINDOW)}, source, [])
    assert package.manifest.kind in source
    assert min(package.manifest.parity.values()) >= 0.9999
    (found,) = open_probed(package, CPU).encode(
        [EncoderInput("a wheel with a motor", Section.CLAIMS)], TaskContext()
    )
    assert found.length > 0
