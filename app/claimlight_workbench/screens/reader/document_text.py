"""Writes a document into a QTextDocument in slices, so that a long one does not block the window."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtGui import (
    QColor,
    QFont,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
)

from claimlight.types import Section
from claimlight_workbench import theme
from claimlight_workbench.highlighting import Utf16Map
from claimlight_workbench.language import tr

if TYPE_CHECKING:
    from claimlight.types import DocumentView, PassageId, PassageView

SLICE_CHARACTERS = 24_000
"""Characters written at once; laying them out at the end of the slice takes about 5 ms, ten times as long
as writing them."""

_SECTION_NAMES = {
    Section.TITLE: tr("Title"),
    Section.ABSTRACT: tr("Abstract"),
    Section.CLAIMS: tr("Claims"),
    Section.BACKGROUND: tr("Background"),
    Section.SUMMARY: tr("Summary"),
    Section.DRAWINGS: tr("Drawings"),
    Section.DETAILED: tr("Detailed description"),
    Section.DESCRIPTION: tr("Description"),
}


@dataclass(frozen=True, slots=True)
class Placed:
    """Range of a passage in the QTextDocument (UTF-16 positions)."""

    passage: PassageView
    start: int
    end: int
    map: Utf16Map

    def offset(self, position: int) -> int:
        """Document position of a code point of the passage."""
        return self.start + self.map.offset(position)

    def position(self, offset: int) -> int:
        """Code point of the passage at a document position."""
        return self.map.position(offset - self.start)


class DocumentText(QObject):
    """A document being written; the part already written can be read and highlighted."""

    grown = Signal()
    finished = Signal()

    def __init__(self, view: DocumentView, *, font: QFont, width: int, parent: QObject) -> None:
        super().__init__(parent)
        self.view = view
        self.document = QTextDocument(self)
        # An undo stack would keep a copy of everything that is inserted.
        self.document.setUndoRedoEnabled(False)
        self.document.setDocumentMargin(10)
        self.document.setDefaultFont(font)
        self.document.setTextWidth(width)
        self.placed: list[Placed] = []
        self.done = False
        self._starts: list[int] = []
        self._by_id: dict[PassageId, Placed] = {}
        self._cursor = QTextCursor(self.document)
        self._formats = _Formats(font)
        self._next = 0
        self._heading = ""
        self._section: Section | None = None
        self._timer = QTimer(self)
        self._timer.setInterval(0)
        self._timer.timeout.connect(self.write_slice)

    def start(self) -> None:
        """Write the first slice now and the others when the event loop is free."""
        self.write_slice()
        if not self.done:
            self._timer.start()

    def stop(self) -> None:
        """Stop writing: another document is opened."""
        self._timer.stop()

    def write_slice(self) -> None:
        """Write about `SLICE_CHARACTERS`."""
        written = 0
        passages = self.view.passages
        # One layout for the slice, not one for each insertion.
        self._cursor.beginEditBlock()
        while self._next < len(passages):
            self._write(passages[self._next])
            written += len(passages[self._next].text)
            self._next += 1
            if written > SLICE_CHARACTERS:
                break
        self._cursor.endEditBlock()
        self.done = self._next >= len(passages)
        self.grown.emit()
        if self.done:
            self._timer.stop()
            self.finished.emit()

    def of(self, passage: PassageId) -> Placed | None:
        """The range of a passage; None while it is not written."""
        return self._by_id.get(passage)

    def at(self, offset: int) -> Placed | None:
        """The passage at a document position; None on headings and labels."""
        index = bisect_right(self._starts, offset) - 1
        if index < 0:
            return None
        found = self.placed[index]
        return found if offset < found.end else None

    def at_or_behind(self, offset: int) -> Placed | None:
        """The passage at a document position, or the next one; None behind the last one that is written."""
        index = max(bisect_right(self._starts, offset) - 1, 0)
        return next((each for each in self.placed[index : index + 2] if each.end >= offset), None)

    def between(self, first: int, last: int) -> list[Placed]:
        """Passages that overlap a range."""
        low = max(0, bisect_right(self._starts, first) - 1)
        high = bisect_right(self._starts, last)
        return [item for item in self.placed[low:high] if item.end > first]

    def _write(self, passage: PassageView) -> None:
        self._write_headings(passage)
        # Qt would begin a block at it. A blank keeps all positions.
        text = passage.text.replace("\r", " ")
        start = self._write_abstract(text) if passage.section.front else self._write_lines(passage, text)
        item = Placed(passage, start, self._cursor.position(), Utf16Map(text))
        self.placed.append(item)
        self._starts.append(start)
        self._by_id[passage.id] = item

    def _write_lines(self, passage: PassageView, text: str) -> int:
        """A paragraph; nested elements of a claim are indented, each on a line of its own."""
        first, *others = text.split("\n")
        self._new_block(self._formats.claim if others else self._formats.body)
        self._cursor.insertText(_label(passage), self._formats.label)
        start = self._cursor.position()
        self._cursor.insertText(first, self._formats.text)
        for number, line in enumerate(others, start=1):
            last = number == len(others)
            self._cursor.insertBlock(self._formats.last_element if last else self._formats.element)
            self._cursor.insertText(line, self._formats.text)
        return start

    def _write_abstract(self, text: str) -> int:
        title, _, body = text.partition("\n")
        self._new_block(self._formats.heading_block)
        start = self._cursor.position()
        self._cursor.insertText(title, self._formats.title)
        if body:
            self._cursor.insertBlock(self._formats.body)
            self._cursor.insertText(body, self._formats.text)
        return start

    def _write_headings(self, passage: PassageView) -> None:
        if passage.section is not self._section:
            self._section = passage.section
            name = _SECTION_NAMES[passage.section]
            # The office's own heading says the same in the author's words.
            if not passage.section.front and not passage.heading:
                self._head(name)
        if passage.heading and passage.heading != self._heading:
            self._head(passage.heading)
        self._heading = passage.heading

    def _head(self, text: str) -> None:
        self._new_block(self._formats.heading_block)
        self._cursor.insertText(text, self._formats.heading)

    def _new_block(self, form: QTextBlockFormat) -> None:
        if self._cursor.position() == 0:
            self._cursor.setBlockFormat(form)
        else:
            self._cursor.insertBlock(form)


def _label(passage: PassageView) -> str:
    if passage.claim:
        return f"{passage.claim}.  "
    return f"{passage.label}  " if passage.label else ""


class _Formats:
    def __init__(self, font: QFont) -> None:
        colours = theme.active()
        size = font.pointSizeF()
        self.text = QTextCharFormat()
        self.text.setForeground(QColor(colours.text))
        self.label = QTextCharFormat()
        self.label.setForeground(QColor(colours.muted))
        self.title = QTextCharFormat()
        self.title.setForeground(QColor(colours.text))
        self.title.setFontPointSize(size * 1.25)
        self.title.setFontWeight(QFont.Weight.DemiBold)
        self.heading = QTextCharFormat()
        self.heading.setForeground(QColor(colours.muted))
        self.heading.setFontWeight(QFont.Weight.DemiBold)
        self.body = _block(below=8)
        self.claim = _block(below=1)
        self.element = _block(below=1, inset=18)
        self.last_element = _block(below=9, inset=18)
        self.heading_block = _block(above=8, below=6)


def _block(*, above: int = 0, below: int = 0, inset: int = 0) -> QTextBlockFormat:
    form = QTextBlockFormat()
    form.setLeftMargin(inset)
    form.setTopMargin(above)
    form.setBottomMargin(below)
    form.setLineHeight(125, int(QTextBlockFormat.LineHeightTypes.ProportionalHeight.value))
    return form
