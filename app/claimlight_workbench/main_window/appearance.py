"""Colours and size of the text, everywhere at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, cast

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QApplication

from claimlight_workbench import text_size, theme
from claimlight_workbench.language import tr

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from claimlight_workbench.main_window.state import WindowState
    from claimlight_workbench.screens.query.panel import ClaimPanel
    from claimlight_workbench.screens.reader.view import ReaderView
    from claimlight_workbench.screens.results.view import ResultsView

THEMES = {"system": tr("Follow system"), "light": tr("Light"), "dark": tr("Dark")}
SCALE_STEP = 1.1
_SCALES = (0.5, 3.0)


class Appearance(QObject):
    """Texts that are that widgets paint themselves are painted again; all others follow by themselves."""

    def __init__(
        self,
        window: QWidget,
        *,
        claim: ClaimPanel,
        readers: Sequence[ReaderView],
        results: ResultsView,
        state: WindowState,
        changed: Callable[[], None],
    ) -> None:
        super().__init__(window)
        self._window = window
        self._claim = claim
        self._readers = readers
        self._results = results
        self._state = state
        self._changed = changed

    def set_theme(self, name: str) -> None:
        """Change the colours."""
        self._state.theme = name
        theme.apply(cast("QApplication", QApplication.instance()), theme.find_theme(name))
        for each in self._readers:
            each.repaint_theme()
        self._claim.repaint_theme()
        self._changed()

    def scale_by(self, factor: float) -> None:
        """Make all text larger or smaller."""
        self._state.scale = min(_SCALES[1], max(_SCALES[0], self._state.scale * factor))
        self.show_scale()
        self._changed()

    def show_scale(self) -> None:
        """Apply the size of the text; documents stay at the places where they are read."""
        places = [each.place for each in self._readers]
        if text_size.set_scale(self._state.scale):
            theme.apply(cast("QApplication", QApplication.instance()), theme.active())
        text_size.fit(self._window)
        self._results.measure()
        for each, place in zip(self._readers, places, strict=True):
            each.repaint_theme(place)
        self._claim.repaint_theme()
