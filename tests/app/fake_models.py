"""The part of the fake engine that is about models: two packages, an adaptation that a test puts there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from claimlight.errors import InputError
from claimlight.services.models.judges import JudgeInfo
from claimlight.services.models.models import ModelInfo
from claimlight.services.training.recipes import RecipeInfo
from claimlight.settings import Settings, change
from claimlight.tasks import TaskContext
from claimlight.types import AdaptedFigure, AdaptReport, KeptModel, TaskLoss, TrainEvent, TrainReport
from claimlight_workbench.values import Adaptation

SHIPPED = ModelInfo(
    "general-small-v1", "/program/general-small-v1", True, True, "general-small 1", 384, 256, "int8",
    "Apache-2.0", True, "all-MiniLM-L6-v2", 26_000_000, True,
)  # fmt: skip
LIMITED = ModelInfo(
    "patembed-base", "/data/Models/patembed-base", False, False, "patembed-base 1", 768, 512, "int8",
    "CC-BY-NC-SA-4.0", False, "datalyes/patembed-base", 190_000_000, True, accepted=False,
)  # fmt: skip
SPARSE = replace(LIMITED, name="splade", kind="splade", commercial=True, accepted=True, licence="MIT")
BARE = replace(LIMITED, name="bare", commercial=True, accepted=True, licence="MIT", centers=False)
USABLE = replace(BARE, name="other", centers=True)
BROKEN = ModelInfo("broken", "/data/Models/broken", False, False, fault="manifest.json is not valid JSON")
MODELS = (SHIPPED, LIMITED, BARE, BROKEN, USABLE, SPARSE)

JUDGE = JudgeInfo("claim-judge-1", "/program/claim-judge-1", True, True, "claim-judge 1")
JUDGES = (
    JUDGE,
    JudgeInfo("our-judge", "/data/Models/our-judge", False, False, "our-judge 1"),
    JudgeInfo("limited", "/data/Models/limited", False, False, "limited 2", licence="NC", accepted=False),
)

TRAINED = TrainReport(
    "adapt", "/data/A/run", "/data/A/run/model", "/data/A/package", 150, 9600, 605.0, 1.25, 0.75, None,
    1_200_000_000, 5400.0, "cpu", 1, 0,
)  # fmt: skip
REPORT = AdaptReport(
    library="/L",
    folder="/data/A",
    package="/data/A/package",
    name="general-small-v1-L",
    base="general-small-v1",
    documents=1700,
    held_out=200,
    queries=200,
    citations=612,
    candidates=1800,
    figures=(
        AdaptedFigure("R@10", 0.30, 0.34, 0.01, 0.07, 0.012),
        AdaptedFigure("R@100", 0.62, 0.67, 0.02, 0.08, 0.001),
        AdaptedFigure("AP", 0.21, 0.24, 0.01, 0.05, 0.004),
    ),
    centers=8192,
    training=TRAINED,
)


def step(number: int, loss: float, *, steps: int = 150, validation: float | None = None) -> TrainEvent:
    return TrainEvent(
        number, steps, loss, (TaskLoss("passage_views", loss),), 2e-5, 64 * number, 5400.0, 1_200_000_000,
        4.0 * number, validation,
    )  # fmt: skip


class FakeModels:
    """Remembers what was chosen, kept and discarded."""

    def __init__(self) -> None:
        self.packages = MODELS
        self.used: list[str] = []
        self.adapted = Adaptation(begun=False)
        self.discarded = 0
        self.stale = True
        self.settings_read = 0
        self.saved = Settings()

    def models(self, context: TaskContext) -> tuple[ModelInfo, ...]:
        return self.packages

    def judges(self, context: TaskContext) -> tuple[JudgeInfo, ...]:
        return JUDGES

    def use_model(self, name: str, context: TaskContext) -> None:
        if name == BROKEN.name:
            raise InputError("It is damaged.")
        self.used.append(name)
        self.packages = tuple(replace(item, in_use=item.name == name) for item in self.packages)

    def settings_changed(self, context: TaskContext) -> None:
        self.settings_read += 1

    def settings(self, context: TaskContext) -> Settings:
        return self.saved

    def change_settings(self, changes: Mapping[str, object], context: TaskContext) -> Settings:
        for key, value in changes.items():
            self.saved = change(self.saved, key, value)
        return self.saved

    def recipes(self, context: TaskContext) -> tuple[RecipeInfo, ...]:
        return (RecipeInfo("adapt", "Section views"), RecipeInfo("paecter", "Citations as triplets"))

    def adaptation(self, library: str, context: TaskContext) -> Adaptation:
        return self.adapted

    def keep_adaptation(self, library: str, context: TaskContext) -> KeptModel:
        self.adapted = Adaptation(begun=False)
        return KeptModel("general-small-v1-L", "/data/Models/general-small-v1-L", self.stale)

    def discard_adaptation(self, library: str, context: TaskContext) -> None:
        self.adapted = Adaptation(begun=False)
        self.discarded += 1
