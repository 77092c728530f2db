"""A whole search by keys only, from opening an application to the exported report, as a list of steps.

`test_app_whole_search` walks through it on the sample and on real patents; `make tour` takes the pictures of
the guide on the way. As a program, this writes the page.
"""

from __future__ import annotations

import sys
import textwrap
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from PySide6.QtCore import QEventLoop, Qt, QTimer
from PySide6.QtGui import QGuiApplication, QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QApplication,
    QFileDialog,
    QLineEdit,
    QPushButton,
    QWidget,
)

from claimlight.services.cases.claim_versions import versions_of
from claimlight.types import Category, Decision
from claimlight_workbench import theme
from claimlight_workbench.main_window import MainWindow
from claimlight_workbench.screens.case.versions import AddVersionDialog, VersionsDialog
from claimlight_workbench.screens.classes.accepted import AcceptedStrip
from claimlight_workbench.screens.report.view import ReportDialog
from claimlight_workbench.widgets.key_sheet import KeySheet

PATIENCE = 90.0
"""Seconds until what does not come is given up."""
TABS = 40


@dataclass(frozen=True, slots=True)
class Words:
    """What a search enters; the rest of the script is the same for every library."""

    application: Path
    find: str
    """Occurs in the documents of the library."""
    line: str
    """A query line that has hits."""


class Hand:
    """Presses keys on whatever has the keyboard, and waits until the window has answered."""

    def __init__(self, window: MainWindow, words: Words, folder: Path) -> None:
        self.window = window
        self.words = words
        self.folder = folder
        """Where exports go."""
        self.kept: dict[str, str] = {}
        """What a later step compares with."""
        self.kept_sets = self.kept_rows = 0

    def focus(self) -> QWidget:
        """What has the keyboard: in a popup or a dialog that is open, else in the window."""
        top = QApplication.activePopupWidget() or QApplication.activeModalWidget()
        if top is not None:
            if QApplication.activeWindow() is None:
                top.activateWindow()
                QApplication.processEvents()
            return top.focusWidget() or top
        if QApplication.activeWindow() is None:
            # The offscreen platform has no window manager that does so after a dialog.
            self.window.activateWindow()
            QApplication.processEvents()
        held = QApplication.focusWidget()
        return held if held is not None else QApplication.activeWindow() or self.window

    def press(self, *keys: str) -> None:
        """Keys by their names, one after the other: ``Ctrl+K``, ``J``."""
        for name in keys:
            stroke = QKeySequence(name)[0]
            QTest.keyClick(self.focus(), stroke.key(), stroke.keyboardModifiers())
            self.rest()

    def type(self, text: str) -> None:
        """Letters."""
        QTest.keyClicks(self.focus(), text)
        self.rest()

    def command(self, name: str) -> None:
        """A command without a key, by the list of commands."""
        self.press("Ctrl+K")
        QTest.keyClicks(self.focus(), name)
        QTest.keyClick(self.focus(), Qt.Key.Key_Return)
        self.rest()

    def tab_to(self, widget: QWidget, *, back: bool = False) -> None:
        """Tab until a control has the keyboard."""
        for _ in range(TABS):
            if widget.hasFocus():
                return
            modifier = Qt.KeyboardModifier.ShiftModifier if back else Qt.KeyboardModifier.NoModifier
            QTest.keyClick(self.focus(), Qt.Key.Key_Backtab if back else Qt.Key.Key_Tab, modifier)
        raise AssertionError(f"Tab does not reach {widget.accessibleName() or widget!r}")

    def press_button(self, text: str) -> None:
        """Tab to a button of the dialog that is open, and press it."""
        top = QApplication.activeModalWidget()
        found = [each for each in top.findChildren(QPushButton) if each.text() == text] if top else []
        assert found, f"no dialog with {text}"
        self.tab_to(found[0])
        self.press("Space")

    def answer_file(self, path: Path) -> None:
        """The dialog for a file, once it opens, gets the path and Enter."""
        begun = time.monotonic()

        def type_path() -> None:
            dialog = QApplication.activeModalWidget()
            if not isinstance(dialog, QFileDialog):
                assert time.monotonic() - begun < PATIENCE, "no dialog for a file"
                QTimer.singleShot(20, type_path)
                return
            line = dialog.focusWidget()
            if not isinstance(line, QLineEdit):
                dialog.reject()
            assert isinstance(line, QLineEdit), f"not the line for the file has the keys but {line!r}"
            QGuiApplication.clipboard().setText(str(path))
            enter(dialog, line)

        def enter(dialog: QFileDialog, line: QLineEdit) -> None:
            # The first Enter may go to the completions of the dialog.
            QTest.keyClick(line, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
            QTest.keyClick(line, Qt.Key.Key_V, Qt.KeyboardModifier.ControlModifier)
            QTest.keyClick(line, Qt.Key.Key_Return)
            if dialog.isVisible():
                assert time.monotonic() - begun < PATIENCE, "the dialog for a file stays open"
                QTimer.singleShot(150, lambda: again(dialog, line))

        def again(dialog: QFileDialog, line: QLineEdit) -> None:
            if QApplication.activeModalWidget() is dialog:
                enter(dialog, line)

        QTimer.singleShot(0, type_path)

    def wait(self, holds: Callable[[], object], what: str) -> None:
        """Until something holds."""
        begun = time.monotonic()
        while not holds():
            self.rest()
            assert time.monotonic() - begun < PATIENCE, f"does not hold: {what}"

    def rest(self) -> None:
        """Until nothing runs, and the chosen row is open."""
        begun, quiet = time.monotonic(), 0
        while quiet < 2:
            loop = QEventLoop()
            QTimer.singleShot(15, loop.quit)
            loop.exec()
            window = self.window
            busy = (
                window._runner.busy
                or not window.see.reader.complete
                or window.see.results._opening.isActive()
            )
            quiet = 0 if busy else quiet + 1
            assert time.monotonic() - begun < PATIENCE, "the window does not come to rest"

    @property
    def publication(self) -> str:
        """The open document."""
        view = self.window.do.reader.view
        return str(view.summary.publication) if view is not None else ""

    @property
    def category(self) -> Category | None:
        """What the open document was given."""
        return self.window.do.case.categories.get(self.publication)

    @property
    def sets(self) -> int:
        """How many numbered sets the case has."""
        state = self.window.do.case.state
        return len(state.sets) if state is not None else 0

    def decisions(self) -> list[Decision]:
        """On the passages of the case."""
        return [each.decision for each in self.window.do.case.state.confirmations]


@dataclass(frozen=True, slots=True)
class Step:
    """A sentence, keys, and what must hold after them."""

    sentence: str
    act: Callable[[Hand], object]
    holds: Callable[[Hand], object] = field(default=lambda _hand: True)
    picture: str = ""
    """Name of the picture that the guide has of it."""


def _keys(*keys: str) -> Callable[[Hand], object]:
    return lambda hand: hand.press(*keys)


def _open_application(hand: Hand) -> None:
    hand.answer_file(hand.words.application)
    hand.press("Ctrl+Shift+O")


def _find(hand: Hand) -> None:
    hand.press("Ctrl+F")
    hand.type(hand.words.find)
    hand.press("Return")


def _drawings(hand: Hand) -> None:
    hand.press("F7", "Home", "Ctrl+2", "F")
    hand.wait(lambda: hand.window.board.drawings.found is not None, "the drawings are listed")
    hand.press("F")


def _run_line(hand: Hand, line: str) -> None:
    hand.press("Ctrl+L", "Ctrl+A")
    QTest.keyClicks(hand.focus(), line)
    # The completions must not take the Enter.
    QTest.keyClick(hand.focus(), Qt.Key.Key_Escape)
    hand.press("Return")


def _run_line_in_set(hand: Hand) -> None:
    hand.kept_sets = hand.sets
    _run_line(hand, f"({hand.words.line}) AND L1")


def _first_cell(hand: Hand) -> None:
    hand.press("F7", "Home", "G")
    matrix = hand.window.see.matrix
    for _ in range(matrix.model.columnCount()):
        cell = matrix.model.cell(matrix.table.currentIndex())
        if cell is not None and cell.passage is not None:
            return
        hand.press("Right")
    raise AssertionError("no cell of the row has a passage")


def _confirm(hand: Hand) -> None:
    _first_cell(hand)
    hand.press("Return", "Return")


def _reject(hand: Hand) -> None:
    matrix = hand.window.see.matrix
    for _ in range(matrix.model.rowCount()):
        hand.press("Down")
        cell = matrix.model.cell(matrix.table.currentIndex())
        if cell is not None and cell.passage is not None:
            break
    hand.press("Return", "Delete")


def _mark(key: str) -> Callable[[Hand], object]:
    def act(hand: Hand) -> None:
        hand.press("F7", "J", key)
        hand.kept[key] = hand.publication

    return act


def _note(hand: Hand) -> None:
    hand.kept["note"] = hand.publication
    hand.press("M")
    hand.type("Closest so far: the valve opens by inertia.")


def _note_passage(hand: Hand) -> None:
    hand.press("F7", "1", "Shift+N")
    hand.type("Says when the valve opens, not how long.")
    hand.press("Ctrl+Return")


def _letters(hand: Hand) -> None:
    hand.press("F7", "J", "E", "A", "L", "Return")
    hand.kept["letters"] = hand.publication


def _filter(hand: Hand) -> None:
    hand.kept_rows = hand.window.see.results.model.rowCount()
    hand.press("Shift+S", "X")


def _amended(hand: Hand) -> None:
    claims = hand.window.do.query.claims.claims
    text = "\n".join(f"{each.number}. {each.text}" for each in claims)
    amended = hand.folder / "amended.txt"
    amended.write_text(
        text.replace(".\n", ", and wherein the impact is confirmed by a second sensor.\n", 1), "utf-8"
    )
    hand.press("F7", "Shift+C")
    hand.press_button("Add amended claims…")
    hand.answer_file(amended)
    hand.press_button("Open file…")
    dialog = QApplication.activeModalWidget()
    assert isinstance(dialog, AddVersionDialog)
    hand.wait(dialog.text.toPlainText, "the claims of the file are shown")
    hand.press_button("OK")


def _tag(hand: Hand) -> None:
    hand.press("F7", "T")
    hand.type("closest")
    hand.press("Return", "F7")


def _sample(hand: Hand) -> None:
    hand.press("Shift+P")
    progress = hand.window.see.progress
    hand.tab_to(progress.rest, back=True)
    hand.press("Space")
    hand.tab_to(progress.draw_button)
    hand.press("Space")


def _only_accepted(hand: Hand) -> None:
    hand.press("H")
    hand.tab_to(hand.window.findChild(AcceptedStrip).only)
    hand.press("Space", "Ctrl+Return")


def _report(ending: str, format_row: int) -> Callable[[Hand], object]:
    def act(hand: Hand) -> None:
        hand.press("F7", "Ctrl+Shift+E")
        dialog = hand.window.findChild(ReportDialog)
        assert dialog is not None
        hand.wait(dialog.export_button.isEnabled, "the report is gathered")
        hand.tab_to(dialog.format)
        hand.press("Home", *["Down"] * format_row)
        hand.tab_to(dialog.export_button)
        hand.answer_file(hand.folder / f"report.{ending}")
        hand.press("Space")
        hand.wait((hand.folder / f"report.{ending}").exists, f"report.{ending} is written")
        hand.wait(dialog.export_button.isEnabled, "the place of the report is told")

    return act


def _strategy(hand: Hand) -> None:
    hand.answer_file(hand.folder / "strategy.docx")
    hand.command("Export search strategy")


def _exported(name: str) -> Callable[[Hand], object]:
    return lambda hand: (hand.folder / name).exists() and (hand.folder / name).stat().st_size > 1000


STEPS = (
    Step(
        "`Ctrl+Shift+O` asks for the file of the application: its claims, dates and features appear.",
        _open_application,
        lambda hand: hand.window.see.bar.claim.count() > 1 and hand.window.do.case.state is not None,
    ),
    Step(
        "`Ctrl+Shift+D` opens the dates that were read from it, and `Enter` confirms them.",
        _keys("Ctrl+Shift+D", "Return", "Esc"),
        lambda hand: hand.window.do.query.dates.confirmed and QApplication.activePopupWidget() is None,
    ),
    Step(
        "`F6` goes to the claim; its features have a number and a colour each.",
        _keys("F6"),
        lambda hand: len(hand.window.board.query.features) > 1,
    ),
    Step(
        "`Ctrl+Enter` searches with the claim: the documents, best first, become the set L1.",
        _keys("Ctrl+Return"),
        lambda hand: hand.sets >= 1 and hand.window.board.links is not None,
        "search",
    ),
    Step(
        "`J`, `Down` and `K` go from document to document.",
        _keys("F7", "Home", "J", "Down", "K"),
        lambda hand: hand.window.see.results.table.currentIndex().row() == 1,
    ),
    Step(
        "`1` to `9` go to the best passage of a feature; again, to the next best.",
        _keys("2", "2", "1"),
        lambda hand: hand.window.board.links is not None,
        "passage",
    ),
    Step(
        "`Ctrl+F` finds words in the document, `Esc` leaves them.",
        _find,
        lambda hand: bool(hand.window.board.finds.places),
    ),
    Step("`Esc` gives the keys back to the results.", _keys("Esc", "F7")),
    Step(
        "`Ctrl+2` gives the reader room; `F` shows the drawings, and `F` again text and drawings.",
        _drawings,
        lambda hand: hand.window.board.drawings.image is not None or hand.window.board.drawings.reason,
        "drawings",
    ),
    Step(
        "`F` again shows the text alone, and `Ctrl+1` is for searching.",
        _keys("F", "Ctrl+1", "F7", "J"),
        lambda hand: not hand.window.board.drawings.visible,
    ),
    Step(
        "`X` gives the open document its category for the claim.",
        _mark("X"),
        lambda hand: hand.category is Category.X,
    ),
    Step("`Y` marks the next one.", _mark("Y"), lambda hand: hand.category is Category.Y),
    Step("`A` marks technological background.", _mark("A"), lambda hand: hand.category is Category.A),
    Step(
        "`Ctrl+Z` takes the last mark back.",
        _keys("Ctrl+Z"),
        lambda hand: hand.category is None,
    ),
    Step("`Ctrl+Y` gives it again.", _keys("Ctrl+Y"), lambda hand: hand.category is Category.A),
    Step(
        "`E` opens all letters of a category: `A` and `L` for a document that is cited for another reason.",
        _letters,
        lambda hand: {mark.letters for mark in hand.window.do.case.state.marks} >= {"L,A"},
    ),
    Step(
        "`Shift+S` and `X` show only the documents with that category.",
        _filter,
        lambda hand: hand.window.see.results.model.rowCount() == 1,
    ),
    Step(
        "`Ctrl+Shift+S` shows all of them again.",
        _keys("Ctrl+Shift+S"),
        lambda hand: hand.window.see.results.model.rowCount() == hand.kept_rows,
    ),
    Step(
        "`G` opens the matrix; `Enter` opens the passage of a cell, and again confirms it.",
        _confirm,
        lambda hand: hand.decisions() == [Decision.CONFIRMED],
    ),
    Step(
        "`Del` rejects a passage that does not show the feature; the next best takes its place.",
        _reject,
        lambda hand: sorted(hand.decisions()) == sorted([Decision.CONFIRMED, Decision.REJECTED]),
        "matrix",
    ),
    Step(
        "`M` writes a note on the document.",
        _note,
        lambda hand: any(each.note for each in hand.window.do.case.state.marks),
    ),
    Step(
        "`1` goes to its best passage, and `Shift+N` writes a note on that passage.",
        _note_passage,
        lambda hand: len(hand.window.do.case.notes_on(hand.publication)) == 1,
        "note",
    ),
    Step(
        "`T` gives it a tag.",
        _tag,
        lambda hand: hand.window.do.case.all_tags == ("closest",),
    ),
    Step(
        "`Ctrl+L` goes to the query line: words, truncation, proximity, and the set L1.",
        _run_line_in_set,
        lambda hand: hand.sets == hand.kept_sets + 1 and hand.window.see.results.model.rowCount() > 0,
        "query",
    ),
    Step("`L` lists the sets.", _keys("L"), lambda hand: hand.window.see.sets.table.hasFocus()),
    Step(
        "`D` searches for more like the open document.",
        _keys("F7", "D"),
        lambda hand: hand.window.see.results.model.rowCount() > 0,
    ),
    Step("`Backspace` goes back to the results before.", _keys("Backspace")),
    Step(
        "`Ctrl+Enter` searches with the claim again.",
        _keys("Ctrl+Return"),
        lambda hand: hand.window.board.links is not None,
    ),
    Step(
        "`R` searches for what this document lacks: a second document for the combination.",
        _keys("F7", "Home", "R"),
        lambda hand: hand.window.see.residual.isVisible(),
        "residual",
    ),
    Step(
        "`Backspace` leaves that search.",
        _keys("Backspace"),
        lambda hand: not hand.window.see.residual.isVisible(),
    ),
    Step(
        "`V` keeps the document beside the next one; both follow the feature.",
        _keys("F7", "Home", "V", "J", "1"),
        lambda hand: hand.window.wiring.beside.comparing,
        "beside",
    ),
    Step("`Shift+V` closes it.", _keys("Shift+V"), lambda hand: not hand.window.wiring.beside.comparing),
    Step(
        "`Ctrl+K` finds every command: *Dark* turns the colours.",
        lambda hand: hand.command("Dark"),
        lambda _hand: theme.active() is theme.DARK,
    ),
    Step(
        "`Shift+H` suggests classes for the document; `Enter` accepts the first.",
        _keys("Shift+H", "Return"),
        lambda hand: bool(hand.window.do.case.classes),
        "classes",
    ),
    Step(
        "`H` goes to the classes; searches can be kept to the accepted ones.",
        _only_accepted,
        lambda hand: bool(hand.window.do.query.within),
    ),
    Step(
        "`Shift+P` shows what the reading brought, and draws a sample of the unread rest.",
        _sample,
        lambda hand: hand.window.see.progress.list.topLevelItemCount() > 0,
        "progress",
    ),
    Step(
        "`Shift+C` lists the versions of the claims; `Tab` to its buttons takes amended claims from a file.",
        _amended,
        lambda hand: len(versions_of(hand.window.do.case.state.case)) == 2,
    ),
    Step(
        "`Shift+C` again compares the two: what the amendment changed is marked.",
        _keys("F7", "Shift+C"),
        lambda hand: "{+" in hand.window.findChild(VersionsDialog).right.toPlainText(),
        "versions",
    ),
    Step(
        "`Esc` closes the dialog; the amended claims are those that are searched from now on.",
        _keys("Esc"),
        lambda hand: QApplication.activeModalWidget() is None and hand.window.do.case.state.case.version == 1,
    ),
    Step(
        "`Shift+J` lists what ran in the background.",
        _keys("F7", "Shift+J"),
        lambda hand: hand.window.see.jobs.table.hasFocus(),
    ),
    Step(
        "`?` lists every key.",
        _keys("F7", "?"),
        lambda _hand: QApplication.activeWindow() is not None,
        "keys",
    ),
    Step(
        "`Esc` closes it.",
        _keys("Esc"),
        lambda _hand: not isinstance(QApplication.activeWindow(), KeySheet),
    ),
    Step(
        "`Ctrl+Shift+E` shows what to check in the report and exports it to Word.",
        _report("docx", 0),
        _exported("report.docx"),
    ),
    Step(
        "The same as PDF.", lambda hand: (hand.press("Esc"), _report("pdf", 1)(hand)), _exported("report.pdf")
    ),
    Step("`Esc` closes the dialog.", _keys("Esc"), lambda _hand: QApplication.activeModalWidget() is None),
    Step(
        "`Ctrl+K`, *Export search strategy*: every set and how it was found.",
        _strategy,
        _exported("strategy.docx"),
    ),
)


_HEAD = """# A search from the application to the report, by keys

Every step below is done with the keyboard alone, on the sample library: `make run`. The test suite goes
through the same steps, and `make tour` writes this page and draws its pictures, without a judge: the boxes of
the features show match strengths.

"""


def write_page() -> str:
    """The page of the guide: a numbered sentence for each step, and the pictures taken on the way."""
    lines = []
    for number, step in enumerate(STEPS, 1):
        lines += textwrap.wrap(
            f"{number}. {step.sentence}", 110, subsequent_indent=" " * (len(str(number)) + 2),
            break_long_words=False, break_on_hyphens=False,
        )  # fmt: skip
        if step.picture:
            lines += ["", f"   ![Step {number}](../images/tour-{step.picture}.png)", ""]
    return _HEAD + "\n".join(lines).rstrip() + "\n"


def walk(hand: Hand, picture: Callable[[Hand, str], object] = lambda _hand, _name: None) -> None:
    """Go through all steps; an `AssertionError` names the step that does not hold."""
    for step in STEPS:
        try:
            step.act(hand)
            hand.wait(lambda step=step: step.holds(hand), step.sentence)
        except Exception as error:
            raise AssertionError(f"{step.sentence} {error}") from error
        if step.picture:
            picture(hand, step.picture)


def check_reopened(hand: Hand) -> None:
    """After the next start, what the script did is there."""
    hand.wait(lambda: hand.window.do.case.state is not None, "the case is open")
    state, do = hand.window.do.case.state, hand.window.do
    given = {str(mark.publication): mark.category for mark in state.marks if mark.category}
    assert given == {hand.kept[key]: Category(key) for key in "XYA"} | {hand.kept["letters"]: Category.A}
    assert [str(mark.publication) for mark in state.marks if mark.note] == [hand.kept["note"]]
    assert len(do.case.notes_on(hand.kept["note"])) == 1
    assert len(versions_of(state.case)) == 2
    assert do.case.all_tags == ("closest",)
    assert sorted(hand.decisions()) == sorted([Decision.CONFIRMED, Decision.REJECTED])
    assert do.case.classes
    assert do.query.within
    assert do.query.dates.confirmed
    assert len(state.sets) >= 2


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(write_page(), encoding="utf-8")
