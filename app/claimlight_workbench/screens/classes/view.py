"""The panel of the classes: the tree of a scheme with counts, a search in titles, and the chosen class."""

from __future__ import annotations

from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QSignalBlocker, Qt, QTimer, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QFileDialog,
    QHBoxLayout,
    QLineEdit,
    QMenu,
    QProgressBar,
    QPushButton,
    QSplitter,
    QStackedWidget,
    QTextBrowser,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from claimlight.services.classes.labels import line_of_view
from claimlight.types import SCHEMES, AcceptedClass, Edition, Progress
from claimlight_workbench import design
from claimlight_workbench.language import tr
from claimlight_workbench.screens.classes.describe import (
    SHIPPED,
    class_paragraphs,
    edition_name,
    hit_title,
)
from claimlight_workbench.screens.classes.tree import DOCUMENTS, ClassTree, make_item, title_column
from claimlight_workbench.widgets.clearable import make_clearable
from claimlight_workbench.widgets.enter_tree import EnterTree
from claimlight_workbench.widgets.flow import FlowLayout
from claimlight_workbench.widgets.named_box import name_box
from claimlight_workbench.widgets.wrapped import make_wrapped_label

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from claimlight.types import ClassEntry, ClassHits, ClassView, EditionInfo

_PARAGRAPH = '<p style="margin:0 0 5px 0">'
_PAUSE_MS = 250
"""A search starts this long after the last key."""
_FILES = tr("Files of a scheme (*.zip *.txt *.tsv *.xml);;All files (*)")


class ClassesView(QWidget):
    """Tree or hits on the left, the chosen class on the right."""

    edition_chosen = Signal(object)
    open_wanted = Signal(str)
    """What is below a symbol is to be read."""
    chosen = Signal(str)
    """A class was selected."""
    search_changed = Signal(str)
    line_wanted = Signal(str)
    """A query line is to be run."""
    insert_wanted = Signal(str)
    accepted = Signal(object)
    """An `AcceptedClass` is to be kept with the case."""
    import_requested = Signal(object)
    cancel_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.view: ClassView | None = None
        self._counts: Mapping[str, int] | None = None
        self._accepted: frozenset[tuple[str, str]] = frozenset()
        self.editions = QComboBox()
        name_box(self.editions, tr("Scheme and version"))
        self.editions.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.line = QLineEdit()
        self.line.setPlaceholderText(tr("Symbol or words of titles"))
        self.line.setAccessibleName(tr("Search in classes"))
        make_clearable(self.line)
        self.only = QCheckBox(tr("Only classes of this library"))
        self.import_button = QPushButton(tr("Import…"))
        self.import_button.setToolTip(tr("Import a version of CPC or IPC from its official files"))
        offered = QMenu(self.import_button)
        offered.addAction(tr("File or zip…"), self.ask_file)
        offered.addAction(tr("Folder…"), self.ask_folder)
        self.import_button.setMenu(offered)
        self.cancel_button = QPushButton(tr("Cancel"))
        self.bar = QProgressBar()
        self.bar.setAccessibleName(tr("Progress of the import"))
        self.state = make_wrapped_label(name="muted")
        self.tree = ClassTree()
        self.hits = EnterTree(
            tr("Classes found"), (tr("Class"), tr("Documents"), tr("Title")), stretched=title_column()
        )
        self.hits.setRootIsDecorated(False)
        self.stack = QStackedWidget()
        self.text = QTextBrowser()
        self.text.setAccessibleName(tr("Chosen class"))
        self.text.setOpenLinks(False)
        self.list_button = QPushButton(tr("List documents"))
        self.add_button = QPushButton(tr("Add to query line"))
        self.accept_button = QPushButton(tr("Accept"))
        self.copy_button = QPushButton(tr("Copy"))
        self._pause = QTimer(self)
        self._pause.setSingleShot(True)
        self._pause.setInterval(_PAUSE_MS)
        self._lay_out()
        self._wire()
        self._show_choice()
        self.show_ended("")

    @property
    def edition(self) -> Edition | None:
        """The edition that is chosen."""
        found = self.editions.currentData()
        return found if isinstance(found, Edition) else None

    def show_editions(self, infos: tuple[EditionInfo, ...]) -> None:
        """Show the imported editions; a scheme without one has its shipped titles."""
        known = [info.edition for info in infos]
        with QSignalBlocker(self.editions):
            self.editions.clear()
            for scheme in SCHEMES:
                own = [each for each in known if each.scheme is scheme] or [Edition(scheme, "")]
                for edition in own:
                    self.editions.addItem(edition_name(edition), edition)

    def show_sections(self, edition: Edition, entries: tuple[ClassEntry, ...]) -> None:
        """Show the top of a tree."""
        with QSignalBlocker(self.editions):
            for place in range(self.editions.count()):
                if self.editions.itemData(place) == edition:
                    self.editions.setCurrentIndex(place)
        self.tree.show_sections(entries)
        self._show_state("")
        if self.line.text().strip():
            self.search_changed.emit(self.line.text())

    def show_counts(self, counts: Mapping[str, int] | None) -> None:
        """Show the documents of each class; None while they are counted."""
        self._counts = counts
        self.only.setEnabled(counts is not None)
        self.tree.show_counts(counts)
        for row in range(self.hits.topLevelItemCount()):
            item = self.hits.topLevelItem(row)
            if item is not None:
                self.tree.show_count(item)
        if self.view is not None:
            self._show_text(self.view)

    def show_class(self, view: ClassView) -> None:
        """Show a class."""
        self.view = view
        self._show_text(view)
        self._show_choice()

    def reveal(self, views: tuple[ClassView, ...]) -> None:
        """Show a class in the tree, by the views from its section downwards."""
        self.line.clear()
        self.end_search()
        self.tree.reveal(views)

    def show_hits(self, found: ClassHits) -> None:
        """Show what a search found, best first."""
        if not self.line.text().strip():
            return
        self.hits.clear()
        for hit in found.hits:
            item = make_item(hit.entry, hit_title(hit))
            self.tree.show_count(item)
            self.hits.addTopLevelItem(item)
        self.stack.setCurrentWidget(self.hits)
        if not found.hits:
            self.state.setText(tr("No title of {edition} has any of the words.", edition=found.edition))
        elif found.partial:
            self.state.setText(tr("No title has all the words; these have some of them."))
        else:
            self._show_state("")
            return
        self.state.show()

    def show_accepted(self, classes: Iterable[AcceptedClass]) -> None:
        """Show whether the chosen class is one of those of the case."""
        self._accepted = frozenset((each.scheme.value, each.symbol) for each in classes)
        self._show_choice()

    def end_search(self) -> None:
        """Show the tree again."""
        self._pause.stop()
        self.stack.setCurrentWidget(self.tree)
        self._show_state("")

    def show_started(self, text: str) -> None:
        """An import begins."""
        self.import_button.hide()
        self.bar.setRange(0, 0)
        for shown in (self.bar, self.cancel_button):
            shown.show()
        self._show_state(text)

    def show_event(self, event: object) -> None:
        """Show the progress of the import."""
        if isinstance(event, Progress):
            self.bar.setRange(0, event.total)
            self.bar.setValue(event.done)

    def show_ended(self, how: str) -> None:
        """The import has ended."""
        for each in (self.bar, self.cancel_button):
            each.hide()
        self.import_button.show()
        self._show_state(f"{how}." if how else "")

    def ask_file(self) -> None:
        """Choose a file of a scheme."""
        name, _ = QFileDialog.getOpenFileName(self, tr("Import a version of CPC or IPC"), "", _FILES)
        if name:
            self.import_requested.emit(Path(name))

    def ask_folder(self) -> None:
        """Choose a folder with the files of a scheme."""
        if name := QFileDialog.getExistingDirectory(self, tr("Import a version of CPC or IPC")):
            self.import_requested.emit(Path(name))

    def _show_state(self, text: str) -> None:
        edition = self.edition
        shipped = SHIPPED if edition is not None and not edition.version else ""
        self.state.setText(text or shipped)
        self.state.setVisible(bool(text or shipped))

    def _show_text(self, view: ClassView) -> None:
        count = self._counts.get(view.entry.symbol, 0) if self._counts is not None else None
        parts = [f"{_PARAGRAPH}<b>{escape(view.entry.symbol)}</b>&nbsp; {escape(view.entry.title)}</p>"]
        for heading, text in class_paragraphs(view, count):
            body = escape(text).replace("\n", "<br>")
            parts.append(f"{_PARAGRAPH}{f'<b>{escape(heading)}:</b> ' if heading else ''}{body}</p>")
        self.text.setHtml("".join(parts))

    def _show_choice(self) -> None:
        for button in (self.list_button, self.add_button, self.copy_button):
            button.setEnabled(self.view is not None)
        held = self.view is not None and self._key(self.view) in self._accepted
        self.accept_button.setEnabled(self.view is not None and not held)
        self.accept_button.setText(tr("Accepted") if held else tr("Accept"))
        self.accept_button.setToolTip(tr("Keep the class with the case"))
        line = line_of_view(self.view) if self.view is not None else ""
        self.list_button.setToolTip(
            tr("Runs {line} (Enter)", line=line) if line else tr("Select a class first")
        )
        self.add_button.setToolTip(tr("Adds {line}", line=line) if line else tr("Select a class first"))

    def _run_line(self) -> None:
        if self.view is not None:
            self.line_wanted.emit(line_of_view(self.view))

    def _insert_line(self) -> None:
        if self.view is not None:
            self.insert_wanted.emit(line_of_view(self.view))

    def _key(self, view: ClassView) -> tuple[str, str]:
        return view.edition.scheme.value, view.entry.symbol

    def _accept(self) -> None:
        if self.view is not None:
            entry = self.view.entry
            title = entry.short or entry.title
            self.accepted.emit(AcceptedClass(self.view.edition.scheme, entry.symbol, title))

    def _copy(self) -> None:
        if self.view is not None:
            QGuiApplication.clipboard().setText(f"{self.view.entry.symbol}  {self.view.entry.title}")

    def _activated(self, item: QTreeWidgetItem) -> None:
        if self.view is not None and self.view.entry.symbol == item.text(0):
            self._run_line()

    def _selected(self, item: QTreeWidgetItem | None) -> None:
        if item is not None:
            self.chosen.emit(item.text(0))

    def _typed(self, text: str) -> None:
        if text.strip():
            self._pause.start()
        else:
            self.end_search()
            self.search_changed.emit("")

    def _wire(self) -> None:
        self.editions.activated.connect(lambda _row: self.edition_chosen.emit(self.edition))
        self.line.textChanged.connect(self._typed)
        self.line.returnPressed.connect(self._pause.start)
        self._pause.timeout.connect(lambda: self.search_changed.emit(self.line.text()))
        self.only.toggled.connect(self.tree.show_only)
        self.tree.open_wanted.connect(self.open_wanted)
        for each in (self.tree, self.hits):
            each.currentItemChanged.connect(lambda item, _former: self._selected(item))
            each.itemActivated.connect(self._activated)
        self.cancel_button.clicked.connect(self.cancel_requested)
        self.list_button.clicked.connect(self._run_line)
        self.add_button.clicked.connect(self._insert_line)
        self.accept_button.clicked.connect(self._accept)
        self.copy_button.clicked.connect(self._copy)

    def _lay_out(self) -> None:
        letter = self.fontMetrics().averageCharWidth()
        for each in (self.tree, self.hits):
            each.setColumnWidth(0, self.fontMetrics().horizontalAdvance("H04W 2209/00000"))
            each.setColumnWidth(DOCUMENTS, self.fontMetrics().horizontalAdvance(f"{tr('Documents')} mm"))
            self.stack.addWidget(each)
        head = QHBoxLayout()
        head.addWidget(self.editions)
        head.addWidget(self.line, 1)
        head.addWidget(self.only)
        for shown in (self.bar, self.cancel_button, self.import_button):
            head.addWidget(shown)
        self.bar.setMaximumWidth(letter * 20)
        # Lines that break: at twice the size of text one line would make the window too wide.
        acts = FlowLayout(spacing=design.NEAR)
        for button in (self.list_button, self.add_button, self.accept_button, self.copy_button):
            acts.addWidget(button)
        row = QWidget()
        row.setLayout(acts)
        policy = row.sizePolicy()
        policy.setHeightForWidth(True)
        row.setSizePolicy(policy)
        # A panel below the results must leave them room, also with large text.
        areas: tuple[QWidget, ...] = (self.tree, self.hits, self.text)
        for area in areas:
            area.setMinimumHeight(self.fontMetrics().lineSpacing() * 3)
        split = QSplitter(Qt.Orientation.Horizontal)
        split.setChildrenCollapsible(False)
        split.addWidget(self.stack)
        split.addWidget(self.text)
        split.setStretchFactor(0, 3)
        split.setStretchFactor(1, 2)
        split.setSizes([600, 300])
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(design.TIGHT)
        column.addLayout(head)
        column.addWidget(self.state)
        column.addWidget(split, 1)
        column.addWidget(row)
