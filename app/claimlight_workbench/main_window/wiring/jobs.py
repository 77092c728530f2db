"""Joins the list of jobs with its panel and the status line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from claimlight_workbench.main_window.panels import JOBS
from claimlight_workbench.screens.jobs.describe import status_text, status_tip

if TYPE_CHECKING:
    from claimlight_workbench.jobs.registry import JobRegistry
    from claimlight_workbench.main_window.docks import Panels
    from claimlight_workbench.main_window.notices import Notices
    from claimlight_workbench.screens.jobs.view import JobsView


class Jobs(QObject):
    """The status line says what runs in the background, and opens the panel that lists it."""

    def __init__(
        self, parent: QObject, *, registry: JobRegistry, view: JobsView, panels: Panels, notices: Notices
    ) -> None:
        super().__init__(parent)
        self._registry = registry
        self._status = notices.status
        view.follow(registry)
        registry.changed.connect(self._show)
        self._status.jobs.clicked.connect(lambda: panels.go_to(JOBS))
        self._show()

    def _show(self) -> None:
        jobs = self._registry.jobs
        self._status.show_jobs(status_text(jobs), status_tip(jobs))
