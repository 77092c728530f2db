"""Has the empty panels offer the next step: import documents, enter claims, search."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from claimlight_workbench.widgets.empty_state import EmptyState, Missing

if TYPE_CHECKING:
    from claimlight_workbench.models.results_model import ResultsModel
    from claimlight_workbench.screens.library.presenter import LibraryPresenter
    from claimlight_workbench.screens.query.presenter import QueryPresenter


class NextStep(QObject):
    """All of them offer the same, until documents, claims and results are there."""

    def __init__(
        self,
        parent: QObject,
        *,
        library: LibraryPresenter,
        query: QueryPresenter,
        results: ResultsModel,
        states: Sequence[EmptyState],
    ) -> None:
        super().__init__(parent)
        self._library = library
        self._query = query
        self._results = results
        self._states = states
        library.info_changed.connect(self.renew)
        query.claims_changed.connect(self.renew)
        results.modelReset.connect(self.renew)
        self.renew()

    def renew(self) -> None:
        """Offer the first of the steps that is not taken."""
        missing = self._missing()
        for each in self._states:
            each.show_step(missing)

    def _missing(self) -> Missing | None:
        info = self._library.info
        if info is None or not info.documents:
            return Missing.DOCUMENTS
        if self._results.results is not None or self._results.found is not None:
            return None
        return Missing.CLAIM if self._query.claims is None else Missing.SEARCH
