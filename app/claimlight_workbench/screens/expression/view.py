"""The query line with its default operator, its button, and how the line was parsed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLabel, QPushButton, QToolButton, QVBoxLayout, QWidget

from claimlight.types import DefaultOperator
from claimlight_workbench import design
from claimlight_workbench.language import tell, tr, trn
from claimlight_workbench.models.desk import Left
from claimlight_workbench.screens.expression.editor import LineEditor
from claimlight_workbench.widgets.elided import ElidedLabel
from claimlight_workbench.widgets.key_tips import set_tip
from claimlight_workbench.widgets.named_box import name_box
from claimlight_workbench.widgets.wrapped import rename

if TYPE_CHECKING:
    from claimlight.errors import QueryError
    from claimlight.types import ParsedQuery, SetRequest, TermCount
    from claimlight_workbench.values import FoundSet

REST = tr("Enter runs the line  ·  Tab accepts a completion  ·  Up recalls earlier lines")
_OPERATOR_HELP = tr(
    "Operator between two words without one. AND: both in the document. OR: either. ADJ: "
    "one directly after the other"
)


class ExpressionView(QWidget):
    """The line across the window."""

    run_pressed = Signal(str)
    operator_chosen = Signal(str)
    help_asked = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.editor = LineEditor()
        self.operator = QComboBox()
        name_box(self.operator, tr("Default operator"))
        self.operator.setToolTip(_OPERATOR_HELP)
        for each in DefaultOperator:
            self.operator.addItem(tr("Default operator: {each}", each=each.value), each.value)
        self.run = QPushButton(tr("Search"))
        self.run.setToolTip(tr("Search with the query line (Enter)"))
        self.help = QToolButton()
        self.help.setText("?")
        self.help.setAccessibleName(tr("Query help"))
        set_tip(self.help, tr("Operators, fields and examples of the query line"), command=tr("Query help"))
        self.reading = ElidedLabel()
        self.reading.setFont(self.editor.font())
        self.terms = ElidedLabel()
        self.terms.setObjectName("muted")
        self.limits = QLabel()
        self.limits.setObjectName("muted")
        self._ran = False
        """Whether the result of a run is shown, and not how a line is parsed."""
        self._lay_out()
        self._say(REST, "")
        self.editor.entered.connect(self.run_pressed)
        self.editor.textChanged.connect(self._changed)
        self.run.clicked.connect(self.editor.enter)
        self.help.clicked.connect(self.help_asked)
        self.operator.activated.connect(lambda row: self.operator_chosen.emit(self.operator.itemData(row)))

    def focus_line(self) -> None:
        """Give the line the keyboard focus."""
        self.editor.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def show_operator(self, name: str) -> None:
        """Show the default operator, without a signal."""
        with QSignalBlocker(self.operator):
            self.operator.setCurrentIndex(self.operator.findData(name))

    def show_scope(self, scope: SetRequest) -> None:
        """Show the limits of every line."""
        self.limits.setText(scope_text(scope))

    def show_parsed(self, parsed: ParsedQuery) -> None:
        """Show how the line was parsed, and what its terms stand for."""
        self._ran = False
        self.editor.show_error(0)
        self._say(self._reading(parsed), terms_text(parsed, run=False), tip=terms_tip(parsed, run=False))

    def _reading(self, parsed: ParsedQuery) -> str:
        """The parsed line, if it differs from what was typed."""
        return "" if parsed.canonical == self.editor.text().strip() else parsed.canonical

    def show_error(self, error: QueryError, *, ran: bool = False) -> None:
        """Show what is wrong with the line, and where; ``ran``: found by running it."""
        self._ran = ran
        self.editor.show_error(error.column)
        place = tr("Column {column}: ", column=error.column) if error.column else ""
        self._say(f"{place}{error}", "", warning=True)

    def show_running(self) -> None:
        self.run.setText(tr("Running…"))

    def show_stopped(self) -> None:
        self.run.setText(tr("Search"))

    def show_other(self) -> None:
        """A claim search is shown: the result of the last line is not that of the list."""
        self.show_stopped()
        if self._ran:
            self._ran = False
            self.editor.show_error(0)
            self._say(REST, "")

    def show_found(self, found: FoundSet) -> None:
        """Show the result of the line; a saved set brings its line with it."""
        self._ran = True
        self.show_stopped()
        if found.line and found.line != self.editor.text().strip():
            with QSignalBlocker(self.editor):
                self.editor.show_text(found.line)
            self.editor.fit()
        self.editor.show_error(0)
        if found.parsed is not None:
            terms = f"{found_text(found)}   ·   {terms_text(found.parsed)}"
            self._say(
                self._reading(found.parsed), terms, tip=f"{found_text(found)}\n{terms_tip(found.parsed)}"
            )

    def show_number(self, number: int) -> None:
        """Show the number of the line's set."""
        text = f"L{number}: {self.terms.text()}"
        self._say(self.reading.text(), text, tip=f"L{number}: {self.terms.toolTip()}")

    def clear_out(self, left: Left) -> None:
        """The counts shown belong to the library, and the L numbers to the case."""
        self.show_stopped()
        self._ran = False
        self.editor.show_error(0)
        if left is Left.CASE:
            self.editor.show_text("")
        self._say(REST, "")

    def stop(self) -> None:
        """Stop the timers; for the end of the program."""
        self.editor.stop()

    def _changed(self) -> None:
        if not self.editor.text().strip():
            self._say(REST, "")

    def _say(self, reading: str, terms: str, *, tip: str = "", warning: bool = False) -> None:
        rename(self.reading, "warning" if warning else "muted" if reading == REST else "")
        self.reading.setText(reading)
        self.terms.setText(terms)
        for label in (self.reading, self.terms):
            if tip:
                label.setToolTip(tip)

    def _lay_out(self) -> None:
        first = QHBoxLayout()
        first.setSpacing(design.NEAR)
        first.addWidget(self.editor, 1, Qt.AlignmentFlag.AlignTop)
        first.addWidget(self.limits, 0, Qt.AlignmentFlag.AlignTop)
        first.addWidget(self.operator, 0, Qt.AlignmentFlag.AlignTop)
        first.addWidget(self.run, 0, Qt.AlignmentFlag.AlignTop)
        first.addWidget(self.help, 0, Qt.AlignmentFlag.AlignTop)
        self.limits.setContentsMargins(0, design.TIGHT, 0, 0)
        # Always there: a window that moves while a line is written can't be read.
        below = QHBoxLayout()
        below.setContentsMargins(design.TIGHT, 0, design.TIGHT, 0)
        below.setSpacing(design.APART)
        below.addWidget(self.reading, 1)
        below.addWidget(self.terms, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(*design.BAR)
        column.setSpacing(design.TIGHT)
        column.addLayout(first)
        column.addLayout(below)


_EXAMPLES = 8
_BY_MEANING = ("~", "LIKE(", "COVERS(")


def term_text(term: TermCount, *, run: bool = True) -> str:
    """``damper$2: 5 words, 312 documents``; semantic terms have no count before they are run."""
    if not run and term.text.upper().startswith(_BY_MEANING):
        return tr("{words}: semantic, counted when it runs", words=term.text)
    words = tr("{words:,} words, ", words=term.words) if term.words > 1 else ""
    return f"{term.text}: {words}{trn('{n:,} document', '{n:,} documents', term.documents)}"


def terms_text(parsed: ParsedQuery, *, run: bool = True) -> str:
    """All terms in one line."""
    return "   ·   ".join(term_text(each, run=run) for each in parsed.terms)


def terms_tip(parsed: ParsedQuery, *, run: bool = True) -> str:
    """The terms one below the other, with the words they stand for."""
    lines = [
        parsed.canonical,
        tr("Default operator: {default_operator}", default_operator=parsed.default_operator),
    ]
    for term in parsed.terms:
        examples = ", ".join(term.examples[:_EXAMPLES])
        more = ", …" if term.words > len(term.examples[:_EXAMPLES]) > 0 else ""
        told = f"{examples}{more}" or tell(term.rule)
        lines.append(f"{term_text(term, run=run)}{f' ({told})' if told else ''}")
    return "\n".join(lines)


def found_text(found: FoundSet) -> str:
    """What a set holds, and how long it took."""
    label = f"L{found.number}: " if found.number else ""
    seconds = tr(" in {seconds:.2f} s", seconds=found.seconds) if found.seconds else ""
    order = tr("best first") if found.scores else tr("newest first")
    return f"{label}{trn('{n:,} document', '{n:,} documents', len(found.patents))}{seconds}, {order}"


def scope_text(scope: SetRequest) -> str:
    """The limits of every line."""
    parts = []
    if scope.before is not None:
        parts.append(tr("published before {before}", before=scope.before.isoformat()))
    if scope.exclude_family_of is not None:
        parts.append(tr("own family excluded"))
    if scope.classes:
        more = f" +{len(scope.classes) - 1}" if len(scope.classes) > 1 else ""
        parts.append(tr("only {symbol}{more}", symbol=scope.classes[0].symbol, more=more))
    return ", ".join(parts)
