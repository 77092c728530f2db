"""The page of suggested classes: what is asked, the suggestions, and what speaks for the chosen one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QSignalBlocker, Qt, QUrl, Signal
from PySide6.QtGui import QBrush, QColor, QFontMetrics, QResizeEvent, QStandardItemModel
from PySide6.QtWidgets import (
    QComboBox,
    QHBoxLayout,
    QLabel,
    QPlainTextEdit,
    QPushButton,
    QSpinBox,
    QSplitter,
    QTextBrowser,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from claimlight.types import ClassEvidence, ClassLevel, strength_figure
from claimlight_workbench import design, theme
from claimlight_workbench.language import number, tell, tr
from claimlight_workbench.models.class_marks import DocumentClassMarks
from claimlight_workbench.screens.classes.suggest_presenter import Source, Suggested, SuggestWish
from claimlight_workbench.screens.classes.suggest_words import (
    LEVEL_NAMES,
    answer_line,
    classifier_line,
    evidence_html,
    format_about,
    suggestion_tip,
    suggestion_words,
    title_of,
    used,
    why_none,
)
from claimlight_workbench.widgets.bars import MUTED, SHARE, TICK, BarDelegate
from claimlight_workbench.widgets.elided import ElidedLabel
from claimlight_workbench.widgets.enter_tree import EnterTree
from claimlight_workbench.widgets.flow import FlowLayout
from claimlight_workbench.widgets.named_box import name_box
from claimlight_workbench.widgets.wrapped import make_wrapped_label
from claimlight_workbench.wording import wrap_tip

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from claimlight.types import AcceptedClass, ClassifierInfo, ClassSuggestion, PatentId

_SYMBOL, _PROBABILITY, _DOCUMENTS, _TITLE = range(4)
_HEADINGS = (tr("Class"), tr("Probability"), tr("Documents"), tr("Title"))
_SOURCES = (
    (Source.CLAIMS, tr("Claims of the case")),
    (Source.DOCUMENT, tr("Open document")),
    (Source.TEXT, tr("A text…")),
)
_KNOWN = (ClassLevel.SECTION, ClassLevel.CLASS, ClassLevel.SUBCLASS)
_ACCEPTED = "✓ "
_STEP = 5
_LEAST_TITLE = 10
"""Letters of a title below which the number of documents gives way."""
_LACKING = {
    Source.CLAIMS: tr("The case has no claims: enter them first, or choose the open document"),
    Source.DOCUMENT: tr("No document is open: open one first"),
    Source.TEXT: tr("Enter a text first"),
}
_NOTHING = tr("Choose what is to be classified, then press Suggest.")


class SuggestView(QWidget):
    """Suggestions on the left, what speaks for the chosen one on the right."""

    suggest_requested = Signal(object)
    """`SuggestWish`."""
    chosen = Signal(str)
    """A suggestion was selected: its reasons are wanted."""
    accepted = Signal(object)
    """A `ClassSuggestion`."""
    line_wanted = Signal(str)
    """A query line is to be run."""
    insert_wanted = Signal(str)
    document_wanted = Signal(str)
    """Publication of a neighbour that is to be opened."""
    mark_wanted = Signal(object)
    """`DocumentClassMarks` to be marked in the reader, or None to mark nothing."""
    training_wanted = Signal()
    """The page of the classifiers is to be opened."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.shown: Suggested | None = None
        self.evidence: ClassEvidence | None = None
        self._classifiers: tuple[ClassifierInfo, ...] | None = None
        self._lacking = ""
        """What is missing of what is to be classified."""
        self._accepted: frozenset[tuple[str, str]] = frozenset()
        self._document: PatentId | None = None
        self.source = _combo(tr("What is classified"))
        for source, name in _SOURCES:
            self.source.addItem(name, source)
        self.level = _combo(tr("Level"))
        for level, name in LEVEL_NAMES.items():
            self.level.addItem(name, level)
        self.level.setCurrentIndex(self.level.findData(ClassLevel.SUBCLASS))
        self.confidence = QSpinBox()
        self.confidence.setRange(0, 99)
        self.confidence.setSingleStep(_STEP)
        self.confidence.setSpecialValueText(tr("own thresholds"))
        self.confidence.setAccessibleName(tr("Confidence"))
        self.confidence.setToolTip(
            wrap_tip(
                tr(
                    "Probability, 1 to 99, from which a class is suggested; classes below it are dimmed. "
                    "Own thresholds: for each class the probability that was best for it in training"
                )
            )
        )
        self.suggest_button = QPushButton(tr("Suggest"))
        self.text = QPlainTextEdit()
        self.text.setPlaceholderText(tr("Paste a claim, an abstract or any text"))
        self.text.setAccessibleName(tr("Text to classify"))
        self.text.setTabChangesFocus(True)
        self.state = make_wrapped_label(name="muted")
        self.train_button = QPushButton(tr("Classifiers…"))
        self.classifier = ElidedLabel()
        self.classifier.setObjectName("muted")
        self.tree = SuggestionTree()
        self.tree.setItemDelegateForColumn(_PROBABILITY, BarDelegate("100", self.tree))
        self.why = QTextBrowser()
        self.why.setAccessibleName(tr("What speaks for the class"))
        self.why.setOpenLinks(False)
        self.accept_button = QPushButton(tr("Accept"))
        self.list_button = QPushButton(tr("List documents"))
        self.add_button = QPushButton(tr("Add to query line"))
        self.mark_button = QPushButton(tr("Mark in the reader"))
        self.mark_button.setCheckable(True)
        self._lay_out()
        self._wire()
        self.show_sources({})
        self._show_choice()
        self._show_state(_NOTHING)

    @property
    def wish(self) -> SuggestWish:
        """What is entered in the form."""
        return SuggestWish(
            Source(self.source.currentData()),
            ClassLevel(self.level.currentData()),
            self.asked_confidence,
            self.text.toPlainText(),
        )

    @property
    def asked_confidence(self) -> float | None:
        """The confidence; None: the threshold of each class."""
        return self.confidence.value() / 100 or None

    @property
    def current(self) -> ClassSuggestion | None:
        """The chosen suggestion."""
        item = self.tree.currentItem()
        found = item.data(_SYMBOL, Qt.ItemDataRole.UserRole) if item is not None else None
        return next((each for each in self._suggestions if each.symbol == found), None)

    @property
    def first_focus(self) -> QWidget:
        """What takes the keys when the page is opened."""
        return self.tree if self.tree.topLevelItemCount() else self.source

    @property
    def ready(self) -> bool:
        """Whether a question can be asked."""
        return self.suggest_button.isEnabled()

    def choose_source(self) -> None:
        """Choose the claims of the case, or else the open document, unless a text was entered."""
        if Source(self.source.currentData()) is Source.TEXT and self.text.toPlainText().strip():
            return
        for place in (0, 1):
            if _is_enabled(self.source, place):
                self.source.setCurrentIndex(place)
                return

    @property
    def _suggestions(self) -> tuple[ClassSuggestion, ...]:
        return self.shown.found.suggestions if self.shown is not None else ()

    # What there is to ask

    def show_sources(self, names: Mapping[Source, str]) -> None:
        """Offer what there is to classify."""
        for place, (source, name) in enumerate(_SOURCES):
            there = source in names or source is Source.TEXT
            about = f" – {format_about(names[source])}" if source in names else ""
            self.source.setItemData(
                place, wrap_tip(f"{name}{about}" if there else tr("{name}: there is none", name=name)), _TIP
            )
            _enable(self.source, place, enabled=there)
        self._follow_source()

    def show_classifiers(self, found: tuple[ClassifierInfo, ...]) -> None:
        """Show which classifier answers and which levels it knows, or what to do if there is none."""
        self._classifiers = found
        ready = used(found)
        known = ready.levels if ready is not None and ready.usable else _KNOWN
        for place, (level, name) in enumerate(LEVEL_NAMES.items()):
            there = level in known
            self.level.setItemText(place, name if there else tr("{name} (not known)", name=name))
            tip = (
                name
                if there
                else tr(
                    "{model} does not know it",
                    model=ready.model or ready.name if ready else tr("The classifier"),
                )
            )
            self.level.setItemData(place, wrap_tip(tip), _TIP)
            _enable(self.level, place, enabled=there)
        if known and ClassLevel(self.level.currentData()) not in known:
            self.level.setCurrentIndex(self.level.findData(known[-1]))
        self.classifier.setText(classifier_line(ready) if ready is not None and ready.usable else "")
        self._show_state("")
        self._follow_source()

    # Answers

    def show_started(self) -> None:
        """A question was asked."""
        self.suggest_button.setText(tr("Reading…"))

    def show_suggestions(self, suggested: Suggested) -> None:
        """Show an answer; its first row is chosen."""
        self.suggest_button.setText(tr("Suggest"))
        self.shown, self.evidence = suggested, None
        self.tree.clear()
        for each in suggested.found.suggestions:
            self.tree.addTopLevelItem(self._make(each))
        self._fill()
        first = self.tree.topLevelItem(0)
        if first is not None:
            self.tree.setCurrentItem(first)
        else:
            self._show_choice()

    def show_evidence(self, evidence: ClassEvidence) -> None:
        """Show what speaks for the chosen class."""
        current = self.current
        if self.shown is None or current is None or current.symbol != evidence.symbol:
            return
        marked = self.mark_button.isChecked()
        self.evidence = evidence
        self.why.setHtml(evidence_html(current, self.shown.found, evidence))
        self._show_marking()
        if marked:
            self.mark_wanted.emit(self._marks())

    def show_refused(self, error: Exception) -> None:
        """There is no answer."""
        self._forget()
        self._show_state(tell(str(error)))

    def show_nothing(self) -> None:
        """What was shown belongs to what was closed."""
        self._forget()
        self._show_state("")

    def show_accepted(self, classes: Iterable[AcceptedClass]) -> None:
        """Mark the classes that the case has."""
        self._accepted = frozenset((each.scheme.value, each.symbol) for each in classes)
        self._fill()
        self._show_choice()

    def show_document(self, patent: PatentId | None) -> None:
        """Another document is open: only its words can be marked."""
        self._document = patent
        self._show_marking()

    def show_marked(self, marks: DocumentClassMarks | None) -> None:
        """Words are marked in the reader, or no longer."""
        with QSignalBlocker(self.mark_button):
            self.mark_button.setChecked(marks is not None)

    def repaint_theme(self) -> None:
        """Other colours: the text is written again."""
        current = self.current
        if self.shown is not None and current is not None:
            self.why.setHtml(evidence_html(current, self.shown.found, self.evidence))
            self._fill()

    # Rows

    def _make(self, each: ClassSuggestion) -> QTreeWidgetItem:
        count = "" if each.documents is None else number(each.documents, ",")
        item = QTreeWidgetItem([each.symbol, str(strength_figure(each.probability)), count, title_of(each)])
        item.setData(_SYMBOL, Qt.ItemDataRole.UserRole, each.symbol)
        item.setData(_PROBABILITY, SHARE, each.probability)
        item.setTextAlignment(_DOCUMENTS, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        tip = wrap_tip(suggestion_tip(each))
        for column in range(len(_HEADINGS)):
            item.setToolTip(column, tip)
        return item

    def _reaches(self, each: ClassSuggestion) -> bool:
        confidence = self.asked_confidence
        return each.probability >= (each.threshold if confidence is None else confidence)

    def _fill(self) -> None:
        """Dim the rows below the confidence, and mark the accepted classes."""
        if self.shown is None:
            return
        colours, scheme = theme.active(), self.shown.found.scheme.value
        reached = 0
        for row, each in enumerate(self._suggestions):
            item = self.tree.topLevelItem(row)
            if item is None:
                continue
            enough = self._reaches(each)
            reached += enough
            held = (scheme, each.symbol) in self._accepted
            item.setText(_SYMBOL, f"{_ACCEPTED if held else ''}{each.symbol}")
            brush = QBrush() if enough else QBrush(QColor(colours.muted))
            for column in range(len(_HEADINGS)):
                item.setForeground(column, brush)
            item.setData(_PROBABILITY, MUTED, not enough)
            confidence = self.asked_confidence
            item.setData(_PROBABILITY, TICK, each.threshold if confidence is None else confidence)
            words = suggestion_words(each, reached=enough) + (tr(", accepted") if held else "")
            item.setData(_SYMBOL, Qt.ItemDataRole.AccessibleTextRole, words)
        self.tree.fit_columns([each.symbol for each in self._suggestions], signed=bool(self._accepted))
        notes = " ".join(self.shown.found.notes)
        line = answer_line(self.shown.about, self.shown.found, reached)
        self._show_state(f"{line}{'' if line.endswith('.') else '.'} {notes}".strip())

    def _selected(self) -> None:
        current = self.current
        self.evidence = None
        if current is not None and self.shown is not None:
            self.why.setHtml(evidence_html(current, self.shown.found, None))
            self.chosen.emit(current.symbol)
        self._show_choice()

    def _accept(self) -> None:
        if (current := self.current) is not None:
            self.accepted.emit(current)

    # State

    def _forget(self) -> None:
        self.suggest_button.setText(tr("Suggest"))
        self.shown = self.evidence = None
        self.tree.clear()
        self.why.clear()
        self._show_choice()

    def _show_state(self, text: str) -> None:
        missing = why_none(self._classifiers) if self._classifiers is not None else ""
        rest = f"{self._lacking}." if self._lacking else _NOTHING
        self.state.setText(missing or text or (rest if self.shown is None else ""))
        self.state.setVisible(bool(self.state.text()))
        self.train_button.setVisible(bool(missing))
        self.split.setVisible(not missing and self.shown is not None)
        self.acts.setVisible(self.split.isVisibleTo(self))
        self.room.setVisible(not self.split.isVisibleTo(self))

    def _follow_source(self) -> None:
        source = Source(self.source.currentData())
        typing = source is Source.TEXT
        self.text.setVisible(typing)
        there = _is_enabled(self.source, self.source.currentIndex())
        there = there and (not typing or bool(self.text.toPlainText().strip()))
        ready = self._classifiers is not None and not why_none(self._classifiers)
        self.suggest_button.setEnabled(there and ready)
        self._lacking = "" if there else _LACKING[source]
        self.suggest_button.setToolTip(self._lacking)
        if self.shown is None:
            self._show_state("")

    def _show_choice(self) -> None:
        current = self.current
        for button in (self.accept_button, self.list_button, self.add_button):
            button.setEnabled(current is not None)
        line = current.line if current is not None else ""
        held = (
            current is not None
            and self.shown is not None
            and (self.shown.found.scheme.value, current.symbol) in self._accepted
        )
        self.accept_button.setEnabled(current is not None and not held)
        self.accept_button.setText(tr("Accepted") if held else tr("Accept"))
        self.accept_button.setToolTip(tr("Keep the class with the case (Enter)"))
        self.list_button.setToolTip(tr("Runs {line}", line=line) if line else tr("Select a class first"))
        self.add_button.setToolTip(tr("Adds {line}", line=line) if line else tr("Select a class first"))
        if current is None:
            self.why.clear()
        self._show_marking()

    def _marks(self) -> DocumentClassMarks | None:
        if self.shown is None or self.evidence is None or self.shown.question.patent is None:
            return None
        name = f"{self.shown.found.scheme.upper()} {self.evidence.symbol}"
        return DocumentClassMarks.of(self.shown.question.patent, name, self.evidence)

    def _show_marking(self) -> None:
        """Only words of the open document can be marked."""
        patent = self.shown.question.patent if self.shown is not None else None
        self.mark_button.setVisible(patent is not None)
        here = patent is not None and patent == self._document
        self.mark_button.setEnabled(here and self._marks() is not None)
        if not here:
            told = tr("Open the document again: its words are marked in the reader")
        elif self.evidence is None:
            told = tr("What speaks for the class is still being read")
        elif self._marks() is None:
            told = tr("No words stand out")
        else:
            told = tr("Mark the words that speak for the class in the text of the document")
        self.mark_button.setToolTip(told)

    def _level_chosen(self) -> None:
        """The same question at another level."""
        if self.shown is not None and self.suggest_button.isEnabled():
            self.suggest_requested.emit(self.wish)

    def _focus_text(self) -> None:
        if self.text.isVisibleTo(self):
            self.text.setFocus(Qt.FocusReason.OtherFocusReason)

    def _ask(self) -> None:
        if self.suggest_button.isEnabled():
            self.suggest_requested.emit(self.wish)

    def _wire(self) -> None:
        self.source.currentIndexChanged.connect(lambda _row: self._follow_source())
        self.source.activated.connect(lambda _row: self._focus_text())
        self.text.textChanged.connect(self._follow_source)
        self.level.activated.connect(lambda _row: self._level_chosen())
        self.confidence.valueChanged.connect(lambda _value: self._fill())
        self.suggest_button.clicked.connect(self._ask)
        self.train_button.clicked.connect(self.training_wanted)
        self.tree.currentItemChanged.connect(lambda *_: self._selected())
        self.tree.itemActivated.connect(lambda *_: self._accept())
        self.why.anchorClicked.connect(lambda url: self.document_wanted.emit(QUrl(url).toString()))
        self.accept_button.clicked.connect(self._accept)
        self.list_button.clicked.connect(lambda: self._line(self.line_wanted))
        self.add_button.clicked.connect(lambda: self._line(self.insert_wanted))
        self.mark_button.toggled.connect(lambda on: self.mark_wanted.emit(self._marks() if on else None))

    def _line(self, signal: object) -> None:
        if (current := self.current) is not None and current.line:
            signal.emit(current.line)  # type: ignore[attr-defined]  # a bound Signal

    def _lay_out(self) -> None:
        metrics = self.fontMetrics()
        head = FlowLayout(spacing=design.NEAR)
        for name, widget in (("", self.source), ("", self.level), (tr("Confidence"), self.confidence)):
            head.addWidget(_named(name, widget))
        head.addWidget(self.suggest_button)
        head.addWidget(self.train_button)
        self.text.setMaximumHeight(metrics.lineSpacing() * 4 + 12)
        acts = FlowLayout(spacing=design.NEAR)
        for button in (self.accept_button, self.list_button, self.add_button, self.mark_button):
            acts.addWidget(button)
        # A panel below the results must leave them room, also with large text.
        for shown in (self.tree, self.why):
            shown.setMinimumHeight(metrics.lineSpacing() * 3)
        self.acts = QWidget()
        self.acts.setLayout(acts)
        policy = self.acts.sizePolicy()
        policy.setHeightForWidth(True)
        self.acts.setSizePolicy(policy)
        self.split = QSplitter(Qt.Orientation.Horizontal)
        self.split.setChildrenCollapsible(False)
        self.split.addWidget(self.tree)
        self.split.addWidget(self.why)
        self.split.setStretchFactor(0, 6)
        self.split.setStretchFactor(1, 5)
        self.split.setSizes([480, 400])
        self.room = QWidget()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(design.TIGHT)
        column.addLayout(head)
        column.addWidget(self.text)
        column.addWidget(self.state)
        column.addWidget(self.split, 1)
        column.addWidget(self.acts)
        column.addWidget(self.room, 1)


class SuggestionTree(EnterTree):
    """The title says what a symbol is: it takes what the others leave, and more before the counts."""

    def __init__(self) -> None:
        super().__init__(tr("Suggested classes"), _HEADINGS, stretched=_TITLE)
        self.setRootIsDecorated(False)
        self._symbol = 0

    def fit_columns(self, symbols: Iterable[str], *, signed: bool) -> None:
        """Columns as wide as their contents; ``signed``: with room for the sign of accepted classes."""
        metrics = self.fontMetrics()
        widest = max((metrics.horizontalAdvance(each) for each in symbols), default=0)
        sign = metrics.horizontalAdvance(_ACCEPTED) if signed else 0
        self._symbol = widest + sign + metrics.averageCharWidth() * 3
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        letter = self.fontMetrics().averageCharWidth()
        bold = self.header().font()
        bold.setBold(True)
        words = QFontMetrics(bold)
        wide = {place: words.horizontalAdvance(_HEADINGS[place]) + 2 * letter for place in range(_TITLE)}
        wide[_SYMBOL] = max(wide[_SYMBOL], self._symbol)
        # In a narrow panel the counts go first; they are in the tool tip too.
        whole = self.viewport().width() - sum(wide.values()) >= letter * _LEAST_TITLE
        self.setColumnHidden(_DOCUMENTS, not whole)
        for column, width in wide.items():
            self.setColumnWidth(column, width)


_TIP = Qt.ItemDataRole.ToolTipRole


def _combo(name: str) -> QComboBox:
    box = QComboBox()
    name_box(box, name)
    box.setToolTip(name)
    return box


def _enable(box: QComboBox, place: int, *, enabled: bool) -> None:
    model = box.model()
    assert isinstance(model, QStandardItemModel)
    model.item(place).setEnabled(enabled)


def _is_enabled(box: QComboBox, place: int) -> bool:
    model = box.model()
    assert isinstance(model, QStandardItemModel)
    return model.item(place).isEnabled()


def _named(name: str, widget: QWidget) -> QWidget:
    """A control with its label in front."""
    if not name:
        return widget
    both, label = QWidget(), QLabel(name)
    label.setBuddy(widget)
    line = QHBoxLayout(both)
    line.setContentsMargins(0, 0, 0, 0)
    line.addWidget(label)
    line.addWidget(widget)
    return both
