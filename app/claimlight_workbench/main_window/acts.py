"""What keys and menu entries do that concern more than one screen."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QFileDialog

from claimlight_workbench.language import tr
from claimlight_workbench.main_window.keys import Keys, keys_path
from claimlight_workbench.widgets.empty_state import EmptyState
from claimlight_workbench.widgets.key_dialog import KeyDialog
from claimlight_workbench.widgets.key_sheet import CommandPalette, KeySheet, name_of, words_of
from claimlight_workbench.widgets.key_tips import follow_keys

if TYPE_CHECKING:
    from PySide6.QtGui import QAction, QKeySequence
    from PySide6.QtWidgets import QWidget

    from claimlight_workbench.main_window.docks import Panels
    from claimlight_workbench.main_window.screens import Presenters, Views
    from claimlight_workbench.main_window.wiring.beside import Beside
    from claimlight_workbench.models.links import LinkBoard


class Acts(QObject):
    """A key means what it means where the keyboard is."""

    keys_failed = Signal(object)
    """The keys that the user chose can't be read or kept: the error."""

    def __init__(
        self,
        window: QWidget,
        *,
        do: Presenters,
        see: Views,
        board: LinkBoard,
        panels: Panels,
        sides: Beside,
    ) -> None:
        super().__init__(window)
        self._window = window
        self._do = do
        self._see = see
        self._board = board
        self._panels = panels
        self._sides = sides
        self.actions: dict[str, QAction] = {}
        """By the English text of the menu entry."""
        see.bar.run_pressed.connect(self.run)
        see.expression.help_asked.connect(self.show_query_help)

    def run(self) -> None:
        """Search; in the query line, run that; on the page to enter claims, read them first."""
        if self._see.expression.editor.hasFocus():
            self._see.expression.editor.enter()
        elif self._see.claim.entering:
            self._see.claim.use_pasted()
        else:
            self._do.query.run()

    def cancel(self) -> None:
        """Stop what runs; where nothing does, take highlights off or leave the page to enter claims."""
        do, claim = self._do, self._see.claim
        if any(each.cancel() for each in (do.results, do.sets, do.reader, do.beside)):
            return
        if do.inspector.cancel() or do.matrix.cancel() or do.map.cancel():
            return
        if self._sides.leave_find():
            return
        if claim.entering and do.query.claims is not None:
            claim.leave_entry()
        self._sides.leave_focus()

    def undo(self) -> None:
        """Undo: in the feature list its last change, elsewhere that of the case."""
        if self._see.claim.features.list.hasFocus():
            self._do.query.undo_features()
        else:
            self._do.case.undo()

    def redo(self) -> None:
        """Redo, by the same rule as undo."""
        if self._see.claim.features.list.hasFocus():
            self._do.query.redo_features()
        else:
            self._do.case.redo()

    def ask_application(self) -> None:
        """Choose the file of an application."""
        name, _ = QFileDialog.getOpenFileName(
            self._window,
            tr("Open an application file"),
            "",
            tr("Applications (*.xml *.XML *.txt);;All files (*)"),
        )
        if name:
            self._do.query.read_file(Path(name))

    def toggle_words(self) -> None:
        """Outline what the query line matched in the document, or don't."""
        self._board.words.set_on(not self._board.words.on)

    def toggle_weak(self) -> None:
        """Mark and list the matches below the threshold too, or don't."""
        self._board.set_weak(shown=not self._board.weak)

    def jump(self, number: int) -> None:
        """Go to the best passage of a feature, counted from 1."""
        if label := self._label(number):
            self._sides.go_to_feature(label)

    def toggle_feature(self, number: int) -> None:
        """Switch the highlights of a feature, counted from 1, on or off."""
        if label := self._label(number):
            self._board.toggle_feature(label)

    def show_imports(self) -> None:
        """Go to the history of imports."""
        self._focus("library", self._see.library.runs)

    def write_note(self) -> None:
        """Go to the note on the document on the screen."""
        self._focus("case", self._see.case.note)

    def edit_features(self) -> None:
        """Go to the features of the claim."""
        self._focus("claim", self._see.claim.features.list)

    def edit_tags(self) -> None:
        """Go to the tags of the document on the screen."""
        self._focus("case", self._see.case.tags)

    def go_to_results(self) -> None:
        """Give the keys to the results, in front of the document beside."""
        self._sides.show_results()
        self._see.results.take_keys()

    def show_keys(self) -> None:
        """Open the key sheet."""
        sheet = KeySheet(self._rebindable(), self._window)
        sheet.change_asked.connect(lambda action: self._ask_keys(action, sheet))
        sheet.restore_asked.connect(self._keys.restore_all)
        sheet.restore_asked.connect(sheet.refresh)
        sheet.show()
        sheet.line.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def _rebindable(self) -> list[QAction]:
        """Every command, and what can be done in the list of features."""
        names = {name_of(action) for action in self.actions.values()}
        listed = self._see.claim.features.list.actions()
        return [*self.actions.values(), *(action for action in listed if name_of(action) not in names)]

    def install(self, actions: dict[str, QAction]) -> None:
        """Take over the commands, with the keys that the user gave them."""
        self.actions.update(actions)
        self._keys = Keys(self._rebindable(), keys_path(), self)
        self._keys.failed.connect(self.keys_failed)
        self._keys.load()
        follow_keys(self._window, self.actions)
        for each in self._window.findChildren(EmptyState):
            each.follow(self.actions)

    def _ask_keys(self, action: QAction, sheet: KeySheet) -> None:
        keys = self._keys

        def holder(key: QKeySequence) -> str:
            other = keys.holder(key, action)
            return words_of(other) if other is not None else ""

        dialog = KeyDialog(
            words_of(action), action.shortcuts(), keys.default(action), holder=holder, parent=sheet
        )
        dialog.accepted.connect(lambda: keys.change(action, dialog.keys))
        dialog.accepted.connect(sheet.refresh)
        dialog.open()

    def show_palette(self) -> None:
        """Open the command palette."""
        palette = CommandPalette(list(self.actions.values()), self._window)
        palette.open()
        palette.line.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def show_query_help(self) -> None:
        """Open the help of the query line."""
        # It reads the fields from the engine, which is loaded after the window is up.
        from claimlight_workbench.widgets.query_help import QueryHelp

        sheet = QueryHelp(self._window)
        sheet.chosen.connect(self._see.expression.editor.insert)
        sheet.show()
        sheet.table.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def _focus(self, panel: str, widget: QWidget) -> None:
        self._panels.raise_panel(panel)
        widget.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def _label(self, number: int) -> str:
        query = self._board.query
        labels = [item.label for item in query.features] if query is not None else []
        return labels[number - 1] if number <= len(labels) else ""
