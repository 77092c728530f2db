"""Joins the classes of the open document with the query line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

if TYPE_CHECKING:
    from claimlight_workbench.main_window.notices import Notices
    from claimlight_workbench.screens.expression.view import ExpressionView
    from claimlight_workbench.screens.reader.class_block import ClassBlock
    from claimlight_workbench.screens.reader.class_labels import ClassLabelsPresenter
    from claimlight_workbench.screens.reader.presenter import ReaderPresenter


class Classes(QObject):
    """A symbol of the document becomes a query line."""

    def __init__(
        self,
        parent: QObject,
        *,
        labels: ClassLabelsPresenter,
        block: ClassBlock,
        reader: ReaderPresenter,
        expression: ExpressionView,
        notices: Notices,
    ) -> None:
        super().__init__(parent)
        self._editor = expression.editor
        reader.shown.connect(labels.show)
        labels.read.connect(block.show_labels)
        labels.failed.connect(notices.fail)
        block.line_wanted.connect(self._run)
        block.insert_wanted.connect(self._insert)

    def _run(self, line: str) -> None:
        self._editor.show_text(line)
        self._editor.enter()

    def _insert(self, line: str) -> None:
        """At the end of a line that is there, both joined by AND."""
        text = self._editor.text().strip()
        self._editor.show_text(f"{text} AND {line}" if text else line)
        self._editor.setFocus()
