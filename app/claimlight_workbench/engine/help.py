"""What the menu *Help* shows of the program itself, from the real engine."""

from __future__ import annotations

from typing import TYPE_CHECKING

from claimlight_workbench.engine.state import EngineState

if TYPE_CHECKING:
    from claimlight.services.manual import ManualPage
    from claimlight.tasks import TaskContext
    from claimlight.types.about import About


class HelpQuestions(EngineState):
    """Part of `claimlight_workbench.engine.engine.Engine`."""

    def manual(self, context: TaskContext) -> tuple[ManualPage, ...]:
        """Every page of the manual; raises `ResourceError` if this installation has none."""
        from claimlight.services.manual import read_manual

        context.check()
        return read_manual()

    def about(self, context: TaskContext) -> About:
        """Versions, models in use, the open library and every licence."""
        from claimlight.services.about import describe

        context.check()
        found = self._open
        return describe(
            self._settings,
            None if found is None else found.library,
            device="" if found is None else found.engine.device,
        )
