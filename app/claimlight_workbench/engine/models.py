"""The models of this machine, from the real engine: which there are, which is used, what was adapted."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from claimlight.errors import ResourceError
from claimlight_workbench.engine.state import EngineState
from claimlight_workbench.language import tr
from claimlight_workbench.values import Adaptation

if TYPE_CHECKING:
    from claimlight.services.models.judges import JudgeInfo
    from claimlight.services.models.models import ModelInfo
    from claimlight.services.training.recipes import RecipeInfo
    from claimlight.settings import Settings
    from claimlight.tasks import TaskContext
    from claimlight.types import KeptModel


class ModelQuestions(EngineState):
    """Part of `claimlight_workbench.engine.engine.Engine`."""

    def models(self, context: TaskContext) -> tuple[ModelInfo, ...]:
        """Every package found, the shipped one first."""
        from claimlight.services.models import models

        context.check()
        return models.list_installed(self._settings)

    def judges(self, context: TaskContext) -> tuple[JudgeInfo, ...]:
        """Every judge found, the shipped one first."""
        from claimlight.services.models import judges

        context.check()
        return judges.list_judges(self._settings)

    def use_model(self, name: str, context: TaskContext) -> None:
        """Use a package for search and indexing from now on; the caller opens the library again."""
        from claimlight.services.models import models

        context.check()
        self._settings = models.use_package(name)

    def settings_changed(self, context: TaskContext) -> None:
        """Read the settings again, which a job may have changed; the caller opens the library again."""
        from claimlight import settings as settings_module

        context.check()
        self._settings = settings_module.load().settings

    def settings(self, context: TaskContext) -> Settings:
        """The saved settings; raises `ResourceError` if the file can't be read."""
        from claimlight import settings as settings_module

        context.check()
        loaded = settings_module.load()
        if loaded.note:
            raise ResourceError(loaded.note)  # what is saved over defaults nobody chose would be lost
        return loaded.settings

    def change_settings(self, changes: Mapping[str, object], context: TaskContext) -> Settings:
        """Save values by key; the caller opens the library again. Raises `InputError` for invalid values."""
        from claimlight import settings as settings_module

        settings = self.settings(context)
        for key, value in changes.items():
            settings = settings_module.change(settings, key, value)
        try:
            settings_module.save(settings)
        except OSError as error:
            raise ResourceError(
                tr("The settings could not be saved: {strerror}.", strerror=error.strerror)
            ) from error
        self._settings = settings
        return settings

    def recipes(self, context: TaskContext) -> tuple[RecipeInfo, ...]:
        """The training recipes that come with the program."""
        from claimlight.services.training.recipes import read_recipe_list

        context.check()
        return read_recipe_list()

    def adaptation(self, library: str, context: TaskContext) -> Adaptation:
        """The adaptation of a library that is neither kept nor discarded."""
        from claimlight.services.training import adapted

        context.check()
        folder = Path(library)
        return Adaptation(
            adapted.has_begun(folder), adapted.read_pending(folder), adapted.read_events(folder)
        )

    def keep_adaptation(self, library: str, context: TaskContext) -> KeptModel:
        """Install the adapted package and use it; the caller opens the library again."""
        from claimlight import settings as settings_module
        from claimlight.services.training import adapted

        context.check()
        kept = adapted.keep(Path(library), settings_module.load().settings)
        self._settings = settings_module.load().settings
        return kept

    def discard_adaptation(self, library: str, context: TaskContext) -> None:
        """Delete everything that a run left."""
        from claimlight.services.training import adapted

        context.check()
        adapted.discard(Path(library))
