"""What the menu *Help* shows of the program itself, from the real engine."""

from __future__ import annotations

from typing import TYPE_CHECKING

from claimlight_workbench.engine.state import EngineState

if TYPE_CHECKING:
    from claimlight.services.manual import ManualPage
    from claimlight.tasks import TaskContext


class HelpQuestions(EngineState):
    """Part of `claimlight_workbench.engine.engine.Engine`."""

    def manual(self, context: TaskContext) -> tuple[ManualPage, ...]:
        """Every page of the manual; raises `ResourceError` if this installation has none."""
        from claimlight.services.manual import read_manual

        context.check()
        return read_manual()
