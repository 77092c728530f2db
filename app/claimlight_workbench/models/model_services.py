"""What the window asks of the models of this machine.

Part of `claimlight_workbench.models.services.Services`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from claimlight.services.models.models import ModelInfo
    from claimlight.services.training.recipes import RecipeInfo
    from claimlight.settings import Settings
    from claimlight.tasks import TaskContext
    from claimlight.types import AdaptReport, KeptModel, TrainEvent


@dataclass(frozen=True, slots=True)
class Adaptation:
    """What was adapted to a library and waits: a run that was stopped, or a report to decide on."""

    begun: bool
    report: AdaptReport | None = None
    events: tuple[TrainEvent, ...] = ()
    """The steps so far."""


class ModelServices(Protocol):
    """Which packages there are, which one is used, what was adapted, and the settings."""

    def models(self, context: TaskContext) -> tuple[ModelInfo, ...]:
        """Every package found, the shipped one first."""
        ...

    def use_model(self, name: str, context: TaskContext) -> None:
        """Search and index with a package from now on; the library is to be opened again."""
        ...

    def settings_changed(self, context: TaskContext) -> None:
        """Read the settings again, which a job may have changed; the library is to be opened again."""
        ...

    def settings(self, context: TaskContext) -> Settings:
        """The settings as they are saved; `ResourceError` where the file can't be read."""
        ...

    def change_settings(self, changes: Mapping[str, object], context: TaskContext) -> Settings:
        """Save some values by key; the library is to be opened again. `InputError` for bad values."""
        ...

    def recipes(self, context: TaskContext) -> tuple[RecipeInfo, ...]:
        """The training recipes that come with the program."""
        ...

    def adaptation(self, library: str, context: TaskContext) -> Adaptation:
        """What was adapted to a library and is neither kept nor discarded."""
        ...

    def keep_adaptation(self, library: str, context: TaskContext) -> KeptModel:
        """Install the adapted package and use it; the library is to be opened again."""
        ...

    def discard_adaptation(self, library: str, context: TaskContext) -> None:
        """Remove all that a run left."""
        ...
