"""Joins the classes of the open document, their panel and the query line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from claimlight_workbench.main_window.panels import CLASSES
from claimlight_workbench.screens.classes.panel import Page

if TYPE_CHECKING:
    from claimlight.services.classes.labels import ClassLabel
    from claimlight_workbench.main_window.docks import Panels
    from claimlight_workbench.main_window.notices import Notices
    from claimlight_workbench.screens.classes.panel import ClassPanel
    from claimlight_workbench.screens.classes.presenter import ClassesPresenter
    from claimlight_workbench.screens.classes.view import ClassesView
    from claimlight_workbench.screens.expression.view import ExpressionView
    from claimlight_workbench.screens.library.presenter import LibraryPresenter
    from claimlight_workbench.screens.reader.class_block import ClassBlock
    from claimlight_workbench.screens.reader.class_labels import ClassLabelsPresenter
    from claimlight_workbench.screens.reader.presenter import ReaderPresenter


class Classes(QObject):
    """A class becomes a query line, from the document as from the tree."""

    def __init__(
        self,
        parent: QObject,
        *,
        presenter: ClassesPresenter,
        panel: ClassPanel,
        labels: ClassLabelsPresenter,
        block: ClassBlock,
        reader: ReaderPresenter,
        library: LibraryPresenter,
        panels: Panels,
        expression: ExpressionView,
        notices: Notices,
    ) -> None:
        super().__init__(parent)
        self._presenter = presenter
        self._panel = panel
        self._panels = panels
        view = panel.browse
        self._editor = expression.editor
        reader.shown.connect(labels.show)
        labels.read.connect(block.show_labels)
        labels.failed.connect(notices.fail)
        block.show_wanted.connect(self._show)
        for each in (block, view):
            each.line_wanted.connect(self.run_line)
            each.insert_wanted.connect(self.insert_line)
        self._join_panel(presenter, view, notices)
        presenter.imported.connect(labels.refresh)
        library.info_changed.connect(lambda _info: presenter.set_library())

    def _join_panel(self, presenter: ClassesPresenter, view: ClassesView, notices: Notices) -> None:
        self._panels.docks[CLASSES.name].visibilityChanged.connect(presenter.watch)
        view.edition_chosen.connect(presenter.choose)
        view.open_wanted.connect(presenter.open)
        view.chosen.connect(presenter.show)
        view.search_changed.connect(presenter.search)
        view.import_requested.connect(presenter.take_in)
        view.cancel_requested.connect(presenter.cancel)
        presenter.editions_read.connect(view.show_editions)
        presenter.sections_read.connect(view.show_sections)
        presenter.children_read.connect(view.tree.show_children)
        presenter.shown.connect(view.show_class)
        presenter.revealed.connect(view.reveal)
        presenter.counted.connect(view.show_counts)
        presenter.found.connect(view.show_hits)
        presenter.started.connect(view.show_started)
        presenter.progressed.connect(view.show_event)
        presenter.ended.connect(view.show_ended)
        presenter.ended.connect(notices.say)
        presenter.failed.connect(notices.fail)

    def _show(self, label: ClassLabel) -> None:
        self._panel.show_page(Page.BROWSE)
        self._panels.go_to(CLASSES)
        self._presenter.reveal(label.symbol.symbol, label.symbol.scheme)

    def run_line(self, line: str) -> None:
        """Run a query line."""
        self._editor.show_text(line)
        self._editor.enter()

    def insert_line(self, line: str) -> None:
        """Add a query line at the end of the one that is there, both joined by AND."""
        text = self._editor.text().strip()
        self._editor.show_text(f"{text} AND {line}" if text else line)
        self._editor.setFocus()
