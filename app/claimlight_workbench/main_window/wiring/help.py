"""Joins what the menu *Help* opens with the part of the window that the keyboard is in."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QApplication

from claimlight_workbench.screens.about.view import AboutDialog
from claimlight_workbench.screens.manual.view import ManualDialog

if TYPE_CHECKING:
    from collections.abc import Mapping

    from PySide6.QtWidgets import QWidget

    from claimlight.services.manual import ManualPage
    from claimlight.types.about import About
    from claimlight_workbench.main_window.docks import Panels
    from claimlight_workbench.main_window.notices import Notices
    from claimlight_workbench.screens.about.presenter import AboutPresenter
    from claimlight_workbench.screens.manual.presenter import ManualPresenter


class Manual(QObject):
    """Opens the manual at the section of the panel that has the keys."""

    def __init__(
        self,
        window: QWidget,
        *,
        presenter: ManualPresenter,
        panels: Panels,
        others: Mapping[QWidget, str],
        notices: Notices,
    ) -> None:
        super().__init__(window)
        self._window = window
        self._presenter = presenter
        self._panels = panels
        self._others = others
        """Sections of what is no panel."""
        self._place = ""
        self.dialog: ManualDialog | None = None
        presenter.read.connect(self._show)
        presenter.failed.connect(notices.fail)

    def open(self) -> None:
        """Show the contents, or stay where the reader is."""
        self._open("")

    def open_here(self) -> None:
        """Show the section of what has the keys."""
        self._open(self.place_of(QApplication.focusWidget()))

    def place_of(self, widget: QWidget | None) -> str:
        """The section about a widget; empty if there is none."""
        places: dict[QWidget, str] = {**self._others}
        places |= {self._panels.docks[row.name]: row.manual for row in self._panels.rows}
        while widget is not None:
            if widget in places:
                return places[widget]
            widget = widget.parentWidget()
        return ""

    def _open(self, place: str) -> None:
        self._place = place
        self._presenter.ask()

    def _show(self, pages: tuple[ManualPage, ...]) -> None:
        if self.dialog is None:
            self.dialog = dialog = ManualDialog(self._window)
            dialog.picture_wanted.connect(self._presenter.read_picture)
            self._presenter.picture_read.connect(dialog.show_picture)
        self.dialog.show_pages(pages)
        self.dialog.show()
        self.dialog.raise_()
        self.dialog.activateWindow()
        self.dialog.open_place(self._place)
        self.dialog.page.setFocus(Qt.FocusReason.ShortcutFocusReason)


class AboutProgram(QObject):
    """Shows what the program is made of, as it is when it is asked for."""

    def __init__(self, window: QWidget, *, presenter: AboutPresenter, notices: Notices) -> None:
        super().__init__(window)
        self._window = window
        self._presenter = presenter
        self.dialog: AboutDialog | None = None
        presenter.read.connect(self._show)
        presenter.failed.connect(notices.fail)

    def open(self) -> None:
        """Read the versions and licences, then show them."""
        self._presenter.ask()

    def _show(self, about: About) -> None:
        if self.dialog is None:
            self.dialog = AboutDialog(self._window)
        self.dialog.show_about(about)
        self.dialog.show()
        self.dialog.raise_()
        self.dialog.activateWindow()
