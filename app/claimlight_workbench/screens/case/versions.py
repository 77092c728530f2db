"""The versions of the claims of a case: add an amended one, search another one, compare two."""

from __future__ import annotations

from datetime import date
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QDate, Qt, Signal
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDateEdit,
    QDialogButtonBox,
    QFileDialog,
    QFormLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QListWidget,
    QPlainTextEdit,
    QPushButton,
    QSplitter,
    QTextBrowser,
    QVBoxLayout,
    QWidget,
)

from claimlight.services.cases.claim_versions import versions_of
from claimlight.types import Change
from claimlight_workbench import design, theme
from claimlight_workbench.language import tell, tr, trn
from claimlight_workbench.widgets.named_box import name_box
from claimlight_workbench.widgets.tab_order import OrderedDialog
from claimlight_workbench.widgets.wrapped import make_wrapped_label

if TYPE_CHECKING:
    from collections.abc import Sequence

    from claimlight.types import Case, ClaimComparison, ClaimVersion, Piece

_MARKS = {Change.INSERTED: ("{+", "+}"), Change.DELETED: ("[-", "-]")}
"""Around words that were inserted or deleted: the difference is not by colour or line alone."""
_CLOSING = ",;:.)"
ONE_VERSION = tr(
    "This case has one version of the claims. When the applicant amends them, add the amended claims: paste "
    "their text, or open their file. Both versions are kept, either can be searched, and here they are "
    "compared claim by claim."
)


class AddVersionDialog(OrderedDialog):
    """Text, name and day of an amended version."""

    added = Signal(str, str, object)
    """Text, name, and day or None."""
    file_wanted = Signal(object)
    """Path of a file whose claims are to be read."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Amended claims"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.name = QLineEdit()
        self.name.setPlaceholderText(tr("amended"))
        self.dated = QCheckBox(tr("Filed on"))
        self.day = QDateEdit(QDate.currentDate())
        self.day.setDisplayFormat("yyyy-MM-dd")
        self.day.setCalendarPopup(True)
        self.day.setEnabled(False)
        self.day.setAccessibleName(tr("Filed on"))
        self.dated.toggled.connect(self.day.setEnabled)
        self.text = QPlainTextEdit()
        self.text.setAccessibleName(tr("Amended claims"))
        self.text.setPlaceholderText(
            tr("Paste all claims of the amended version here, or drop a file with them (XML or text)")
        )
        # The dialog takes what is dropped: the text would take the name of a file for claims.
        self.text.setAcceptDrops(False)
        self.setAcceptDrops(True)
        self.open_button = QPushButton(tr("Open file…"))
        self.open_button.setToolTip(tr("Read the claims of an office's XML file, or of a text file"))
        self.open_button.setAutoDefault(False)
        self.open_button.clicked.connect(self.ask_file)
        self.told = make_wrapped_label(name="muted")
        self.told.hide()
        self.fault = make_wrapped_label(name="warning")
        self.fault.hide()
        self.text.setTabChangesFocus(True)
        self.buttons = QDialogButtonBox(
            QDialogButtonBox.StandardButton.Ok | QDialogButtonBox.StandardButton.Cancel
        )
        self.buttons.accepted.connect(self.add)
        self.buttons.rejected.connect(self.reject)
        form = QFormLayout()
        form.addRow(tr("Name"), self.name)
        form.addRow(self.dated, self.day)
        column = QVBoxLayout(self)
        line = QHBoxLayout()
        line.addWidget(self.open_button)
        line.addWidget(self.told, 1)
        line.addWidget(self.fault, 1)
        column.addLayout(form)
        column.addLayout(line)
        column.addWidget(self.text, 1)
        column.addWidget(self.buttons)
        self.resize(self.fontMetrics().averageCharWidth() * 100, self.fontMetrics().height() * 28)

    def ask_file(self) -> None:
        """Choose a file with the amended claims."""
        name, _ = QFileDialog.getOpenFileName(
            self, tr("Open amended claims"), "", tr("Applications (*.xml *.XML *.txt);;All files (*)")
        )
        if name:
            self.read_file(Path(name))

    def read_file(self, path: Path) -> None:
        """Ask for the claims of a file."""
        self._say(tr("Reading {name}…", name=path.name))
        self.open_button.setEnabled(False)
        self.file_wanted.emit(path)

    def show_claims(self, path: Path, text: str) -> None:
        """Show the claims of a file; they can be edited, and are added with OK."""
        self.open_button.setEnabled(True)
        self.text.setPlainText(text)
        self._say(tr("Claims of {name}. Check them, then press OK.", name=path.name))
        self.text.setFocus(Qt.FocusReason.OtherFocusReason)

    def show_unreadable(self, path: Path, why: str) -> None:
        """The file has no claims that can be read; what was entered stays."""
        self.open_button.setEnabled(True)
        self._say(fault=tr("{name} could not be read: {why}", name=path.name, why=why))

    def _say(self, told: str = "", *, fault: str = "") -> None:
        for label, text in ((self.told, told), (self.fault, fault)):
            label.setText(text)
            label.setVisible(bool(text))

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if event.mimeData().hasUrls() or event.mimeData().hasText():
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        data = event.mimeData()
        paths = [Path(url.toLocalFile()) for url in data.urls() if url.isLocalFile()]
        if paths:
            self.read_file(paths[0])
        else:
            self.text.insertPlainText(data.text())
        event.acceptProposedAction()

    def add(self) -> None:
        """Give the version to the case."""
        chosen = self.day.date()
        day = date(chosen.year(), chosen.month(), chosen.day()) if self.dated.isChecked() else None
        if self.text.toPlainText().strip():
            self.added.emit(self.text.toPlainText(), self.name.text().strip(), day)
            self.accept()
        else:
            self.text.setFocus(Qt.FocusReason.OtherFocusReason)


class VersionsDialog(OrderedDialog):
    """Two versions side by side, claim by claim; with one version only, how to enter an amended one."""

    compare_wanted = Signal(int, int)
    """Places of the versions to compare."""
    add_wanted = Signal()
    use_wanted = Signal(str)
    """Name of the version to search."""

    def __init__(self, case: Case, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Claim versions of {name}", name=case.name))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._versions: Sequence[ClaimVersion] = versions_of(case)
        self._searched = case.version
        self._found: tuple[ClaimComparison, ...] = ()
        self.first, self.second = QComboBox(), QComboBox()
        for box, name in ((self.first, tr("First version")), (self.second, tr("Second version"))):
            name_box(box, name)
            for place, version in enumerate(self._versions):
                # Names are the examiner's own, but for that of the first version.
                name = tell(version.label)
                box.addItem(tr("{name} (searched)", name=name) if place == case.version else name)
        last = len(self._versions) - 1
        self.first.setCurrentIndex(max(0, last - 1))
        self.second.setCurrentIndex(last)
        self.claims = QListWidget()
        self.claims.setAccessibleName(tr("Claims of both versions"))
        self.left, self.right = QTextBrowser(), QTextBrowser()
        self.left.setAccessibleName(tr("Claim in the first version"))
        self.right.setAccessibleName(tr("Claim in the second version"))
        self.use = QPushButton(tr("Search the second version"))
        self.add = QPushButton(tr("Add amended claims…"))
        self._lay_out()
        self.first.currentIndexChanged.connect(self.compare)
        self.second.currentIndexChanged.connect(self.compare)
        self.claims.currentRowChanged.connect(self._show)
        self.use.clicked.connect(self._use)
        self.add.clicked.connect(self.add_wanted)
        self.use.setEnabled(last != case.version)

    @property
    def comparing(self) -> bool:
        """Whether there are two versions: one compared with itself says nothing."""
        return len(self._versions) > 1

    def _lay_out(self) -> None:
        close = QPushButton(tr("Close"))
        close.clicked.connect(self.reject)
        above = QHBoxLayout()
        above.addWidget(self.first, 1)
        above.addWidget(QLabel("→"))
        above.addWidget(self.second, 1)
        panes = QSplitter(Qt.Orientation.Horizontal)
        for each in (self.claims, self.left, self.right):
            panes.addWidget(each)
        panes.setStretchFactor(1, 1)
        panes.setStretchFactor(2, 1)
        below = QHBoxLayout()
        legend = QLabel(tr("[-deleted-]   {+inserted+}"))
        legend.setObjectName("muted")
        below.addWidget(legend, 1)
        for button in (self.add, self.use, close):
            button.setAutoDefault(False)
            below.addWidget(button)
        compared = QWidget()
        whole = QVBoxLayout(compared)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.addLayout(above)
        whole.addWidget(panes, 1)
        self.next_step = make_wrapped_label(ONE_VERSION)
        column = QVBoxLayout(self)
        column.addWidget(self.next_step)
        column.addWidget(compared, 1)
        column.addLayout(below)
        for part in (compared, legend, self.use):
            part.setVisible(self.comparing)
        self.next_step.setVisible(not self.comparing)
        if self.comparing:
            self.resize(design.letters(self, 150), design.lines(self, 34))
        else:
            below.insertStretch(0, 1)
            self.add.setDefault(True)
            self.resize(design.letters(self, 80), self.sizeHint().height())

    def compare(self) -> None:
        """Ask for what differs between the chosen versions."""
        one, two = self.first.currentIndex(), self.second.currentIndex()
        self.use.setEnabled(two != self._searched)
        if self.comparing and one >= 0 and two >= 0:
            self.compare_wanted.emit(one, two)

    def show_comparison(self, found: tuple[ClaimComparison, ...]) -> None:
        """Show what differs, claim by claim; the first changed claim is chosen."""
        self._found = found
        self.claims.clear()
        self.claims.addItems([claim_words(each) for each in self._found])
        changed = [row for row, each in enumerate(self._found) if each.change is not Change.SAME]
        self.claims.setCurrentRow(changed[0] if changed else 0)

    def _show(self, row: int) -> None:
        pieces = self._found[row].pieces if 0 <= row < len(self._found) else ()
        self.left.setHtml(piece_html(pieces, Change.DELETED))
        self.right.setHtml(piece_html(pieces, Change.INSERTED))

    def _use(self) -> None:
        self.use_wanted.emit(self._versions[self.second.currentIndex()].name)
        self.accept()


def claim_words(found: ClaimComparison) -> str:
    """``Claim 4 → 3: 2 words inserted, 1 word deleted``."""
    if found.old is None:
        return tr("Claim {claim}: new", claim=found.new)
    if found.new is None:
        return tr("Claim {claim}: deleted", claim=found.old)
    name = (
        tr("Claim {claim} → {other}", claim=found.old, other=found.new)
        if found.renumbered
        else tr("Claim {claim}", claim=found.new)
    )
    if found.change is Change.SAME:
        return tr("{claim}: unchanged", claim=name)
    counts = []
    if inserted := found.count(Change.INSERTED):
        counts.append(trn("{n:,} word inserted", "{n:,} words inserted", inserted))
    if deleted := found.count(Change.DELETED):
        counts.append(trn("{n:,} word deleted", "{n:,} words deleted", deleted))
    return f"{name}: {', '.join(counts)}"


def piece_html(pieces: Sequence[Piece], own: Change) -> str:
    """The words of one side; those of its own are in marks, underlined or struck through."""
    colours = theme.active()
    line = "underline" if own is Change.INSERTED else "line-through"
    style = f"text-decoration: {line}; background-color: {colours.found}; color: {colours.text}"
    before, after = _MARKS[own]
    out: list[str] = []
    skipped = False
    for piece in pieces:
        if piece.change not in (Change.SAME, own):
            skipped = True
            continue
        if skipped and out and piece.text[:1] in _CLOSING:
            # The words between, with their blank, are on the other side only.
            out[-1] = out[-1].rstrip()
        skipped = False
        words = piece.text.rstrip()
        if piece.change is Change.SAME:
            out.append(escape(piece.text))
        else:
            space = " " * (len(piece.text) > len(words))
            out.append(f'<span style="{style}">{before}{escape(words)}{after}</span>{space}')
    return f"<p>{''.join(out)}</p>"
