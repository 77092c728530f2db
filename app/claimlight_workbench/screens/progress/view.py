"""The panel *Progress*: what each block of documents read brought, and what a sample shows about the rest."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QFrame,
    QLabel,
    QPushButton,
    QScrollArea,
    QSpinBox,
    QSplitter,
    QStackedWidget,
    QTabBar,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from claimlight.services.stopping import words
from claimlight_workbench import design
from claimlight_workbench.language import number, tell, tr
from claimlight_workbench.models.desk import Left
from claimlight_workbench.screens.progress.curve_view import CurveView
from claimlight_workbench.screens.progress.describe import (
    NO_CASE,
    NO_SAMPLE,
    NO_SET,
    bar_tip,
    document_cells,
    estimate_lines,
    history_hint,
    history_title,
)
from claimlight_workbench.text_size import scale_pixels
from claimlight_workbench.widgets.empty_state import EmptyState, Offer
from claimlight_workbench.widgets.enter_tree import EnterTree
from claimlight_workbench.widgets.flow import FlowLayout
from claimlight_workbench.widgets.named_box import name_box
from claimlight_workbench.widgets.progress_bars import BarRow, ProgressBars

if TYPE_CHECKING:
    from claimlight.types import QuerySet, ReadingHistory, UnreadEstimate
    from claimlight_workbench.values import CaseProgress

_PUBLICATION = int(Qt.ItemDataRole.UserRole)
_SIZE, _LARGEST = 20, 500
_LEAST_WIDTH = 300
_LEAST_LIST = 110
_HEADINGS = ("", tr("Document"), tr("Rank"), tr("State"))


class ProgressView(QWidget):
    """Bars and the coverage curve on the left, the sample on the right; Enter opens a document."""

    draw_wanted = Signal(int, int, bool)
    """Number of the set, documents, whether from the rest of the library too."""
    sample_chosen = Signal(int)
    opened = Signal(str)
    """Publication of the row that was activated."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.title = QLabel(NO_CASE)
        self.hint = QLabel()
        self.empty = EmptyState(
            tr("What each document that you read brought is shown here."),
            Offer(tr("Next unread document"), tr("Open the next document of the results that is unread")),
        )
        self.bars = ProgressBars()
        self.curve = CurveView()
        self.pages = QTabBar()
        self.stack = QStackedWidget()
        self.sets = QComboBox()
        self.size_box = QSpinBox()
        self.rest = QCheckBox(tr("and the rest of the library"))
        self.draw_button = QPushButton(tr("Draw sample"))
        self.samples = QComboBox()
        self.told = QLabel(NO_SET)
        self.known = QLabel()
        self.assumption = QLabel()
        self.list = EnterTree(
            tr("Documents of the sample, in the order in which to read them"),
            _HEADINGS,
            stretched=3,
            least=12,
        )
        self._prepare()
        self._lay_out()
        self.draw_button.clicked.connect(self.draw)
        self.samples.activated.connect(lambda _row: self.sample_chosen.emit(self.samples.currentData()))
        self.list.itemActivated.connect(lambda item: self.opened.emit(item.data(0, _PUBLICATION)))

    @property
    def first_focus(self) -> QWidget:
        """What takes the keys when a command goes to the panel: the sample, else what draws one."""
        return self.draw_button if self.list.isHidden() else self.list

    def show_sets(self, sets: tuple[QuerySet, ...]) -> None:
        """Offer the sets of the case to draw from; the newest is chosen if there is a new one."""
        if self.sets.count() != len(sets):
            with QSignalBlocker(self.sets):
                self.sets.clear()
                for each in reversed(sets):
                    self.sets.addItem(f"{each.label} ({number(len(each.hits), ',')})", each.number)
        for control in (self.sets, self.size_box, self.rest, self.draw_button):
            control.setEnabled(bool(sets))
        if not self.list.topLevelItemCount():
            self.told.setText(NO_SAMPLE if sets else NO_SET)

    def show_progress(self, found: CaseProgress) -> None:
        """Show what was counted and estimated."""
        self._show_history(found.history)
        with QSignalBlocker(self.samples):
            self.samples.clear()
            for number in reversed(found.samples):
                self.samples.addItem(f"S{number}", number)
            if found.estimate is not None:
                self.samples.setCurrentIndex(self.samples.findData(found.estimate.sample.number))
        self.samples.setVisible(len(found.samples) > 1)
        self.curve.show_curve(found.curve)
        self._show_estimate(found.estimate)

    def draw(self) -> None:
        """Ask for a sample as the controls say."""
        if self.sets.count():
            self.draw_button.setEnabled(False)
            self.draw_wanted.emit(self.sets.currentData(), self.size_box.value(), self.rest.isChecked())

    def allow_drawing(self) -> None:
        """The sample that was asked for is drawn, or could not be."""
        self.draw_button.setEnabled(bool(self.sets.count()))

    def focus_list(self) -> None:
        """Go to the sample's documents."""
        self.list.setFocus(Qt.FocusReason.OtherFocusReason)

    def clear_out(self, left: Left) -> None:
        """Nothing of a closed case stays."""
        if left is not Left.CASE:
            return
        self.title.setText(NO_CASE)
        self.hint.hide()
        self.empty.set_empty(True)
        self.bars.show_rows(())
        self.curve.show_curve(None)
        self.samples.clear()
        self._show_estimate(None)
        self.show_sets(())

    def _show_history(self, history: ReadingHistory) -> None:
        self.title.setText(history_title(history))
        hint = history_hint(history)
        self.hint.setText(hint)
        self.hint.setVisible(bool(hint))
        self.empty.set_empty(not history.blocks)
        if not history.blocks:
            self.bars.show_rows(())
            return
        spans = [(block.first, block.last) for block in history.blocks]
        rows = []
        for place, feature in enumerate(history.features):
            counts = tuple(block.passages[place] for block in history.blocks)
            tips = tuple(
                bar_tip(*span, count, feature.label) for span, count in zip(spans, counts, strict=True)
            )
            text = f"{feature.label}: {' '.join(feature.text.split())}"
            total = f"{number(feature.passages, ',')}: " if feature.passages else ""
            note = total + tell(words.describe_since(feature))
            # The note is cut off in a narrow panel: the tool tip of the row has the whole of it.
            rows.append(BarRow(feature.label, f"{text}\n{note}", counts, tips, note))
        good = tuple(block.relevant for block in history.blocks)
        tips = tuple(bar_tip(*span, count, "") for span, count in zip(spans, good, strict=True))
        note = tr("{good:,} of {read:,} documents read", good=sum(good), read=history.read)
        rows.append(BarRow("", tr("Relevant"), good, tips, note))
        self.bars.show_rows(rows)

    def _show_estimate(self, found: UnreadEstimate | None) -> None:
        chosen = self.list.currentItem()
        kept = chosen.data(0, _PUBLICATION) if chosen is not None else ""
        self.list.clear()
        self.list.setVisible(found is not None)
        self.assumption.setVisible(found is not None)
        self.known.setVisible(found is not None)
        if found is None:
            self.told.setText(NO_SAMPLE if self.sets.count() else NO_SET)
            return
        self.told.setText(tell(words.describe_sample(found)))
        self.known.setText(" ".join(estimate_lines(found)))
        self.assumption.setText(tell(words.describe_assumption(found)))
        for place, document in enumerate(found.documents, 1):
            item = QTreeWidgetItem(document_cells(place, document, found.sample.set_number))
            item.setData(0, _PUBLICATION, str(document.publication))
            item.setToolTip(1, tr("Enter opens it"))
            if not document.read:
                font = item.font(1)
                font.setBold(True)
                item.setFont(1, font)
            self.list.addTopLevelItem(item)
            if str(document.publication) == kept:
                self.list.setCurrentItem(item)
        self.list.fit()

    def _show_page(self, page: int) -> None:
        self.stack.setCurrentIndex(page)
        for button in (self.curve.table_button, self.curve.more_button):
            button.setVisible(bool(page))

    def _prepare(self) -> None:
        self.title.setObjectName("title")
        self.known.setObjectName("title")
        self.assumption.setObjectName("muted")
        self.hint.setObjectName("muted")
        self.pages.setObjectName("pages")
        self.pages.setDrawBase(False)
        self.pages.setExpanding(False)
        self.pages.setAccessibleName(tr("What reading brought"))
        self.pages.currentChanged.connect(self._show_page)
        for label in (self.title, self.hint, self.told, self.known, self.assumption):
            label.setWordWrap(True)
        self.list.setRootIsDecorated(False)
        self.list.headerItem().setData(0, Qt.ItemDataRole.AccessibleTextRole, tr("No."))
        self.list.setMinimumHeight(scale_pixels(_LEAST_LIST))
        self.size_box.setRange(1, _LARGEST)
        self.size_box.setValue(_SIZE)
        self.size_box.setSuffix(tr(" documents"))
        name_box(self.sets, tr("Set to draw from"))
        self.size_box.setAccessibleName(tr("Documents to draw"))
        name_box(self.samples, tr("Sample shown"))
        self.rest.setToolTip(tr("Draw from the documents of the library that are not in the set too"))
        self.draw_button.setToolTip(
            tr("Draws at random from the unread documents and keeps the sample with the case")
        )

    def _lay_out(self) -> None:
        left, right = QWidget(), QWidget()
        scroll = QScrollArea()
        scroll.setAccessibleName(tr("New passages by feature"))
        scroll.setWidgetResizable(True)
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        holder = QWidget()
        inner = QVBoxLayout(holder)
        inner.setContentsMargins(0, 0, 0, 0)
        inner.addWidget(self.title)
        inner.addWidget(self.hint)
        inner.addWidget(self.empty)
        inner.addWidget(self.bars)
        inner.addStretch(1)
        scroll.setWidget(holder)
        column = QVBoxLayout(left)
        column.setContentsMargins(*design.PANEL)
        column.setSpacing(design.TIGHT)
        head = FlowLayout(spacing=design.TIGHT)
        head.addWidget(self.pages)
        head.addWidget(self.curve.table_button)
        head.addWidget(self.curve.more_button)
        column.addLayout(head)
        column.addWidget(self.stack, 1)
        for name, page in ((tr("New passages"), scroll), (tr("Coverage curve"), self.curve)):
            self.pages.addTab(name)
            self.stack.addWidget(page)
        line = FlowLayout()
        for widget in (self.sets, self.size_box, self.rest, self.draw_button, self.samples):
            line.addWidget(widget)
        column = QVBoxLayout(right)
        column.setContentsMargins(*design.PANEL)
        column.addLayout(line)
        for label in (self.told, self.known):
            column.addWidget(label)
        column.addWidget(self.list, 1)
        column.addWidget(self.assumption)
        column.addStretch(0)
        split = QSplitter(Qt.Orientation.Horizontal)
        split.setChildrenCollapsible(False)
        split.addWidget(left)
        framed = QScrollArea()
        framed.setAccessibleName(tr("Sample and estimate"))
        framed.setWidgetResizable(True)
        framed.setFrameShape(QFrame.Shape.NoFrame)
        framed.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        framed.setWidget(right)
        split.addWidget(framed)
        split.setStretchFactor(0, 2)
        split.setStretchFactor(1, 3)
        split.setSizes([400, 600])
        left.setMinimumWidth(scale_pixels(_LEAST_WIDTH))
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.addWidget(split)
        self._show_page(0)
        self.clear_out(Left.CASE)
