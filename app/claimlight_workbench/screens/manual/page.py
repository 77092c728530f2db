"""One page of the manual as formatted text: built in parts, so that a long page never stops the window."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from PySide6.QtCore import QEvent, QSize, Qt, QTimer, QUrl, Signal
from PySide6.QtGui import (
    QColor,
    QFont,
    QHideEvent,
    QImage,
    QImageReader,
    QResizeEvent,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextFrameFormat,
    QTextLength,
    QTextTable,
)
from PySide6.QtWidgets import QTextBrowser, QTextEdit, QWidget

from claimlight.services.manual import ManualPage
from claimlight_workbench import design, theme

_PART = 1_500
"""Characters of Markdown from which the next heading begins another part."""
_MOST_MARKED = 300
_SPACING = 125.0
"""Height of a line in per cent."""
_TITLES = {1: design.LARGE, 2: design.LARGE}
_SETTLE_MS = 150
_KEEP = Qt.AspectRatioMode.KeepAspectRatio


class PageView(QTextBrowser):
    """Shows a page at a section; follows no link by itself and opens no file but the page's own pictures."""

    link_clicked = Signal(str)
    """A link as the page has it."""
    picture_wanted = Signal(str, QSize)
    """A picture's file, and the size in which it is shown."""
    completed = Signal()
    """The whole page is shown."""

    def __init__(self, parent: QWidget | None = None) -> None:
        self._page: ManualPage | None = None
        super().__init__(parent)
        self.setOpenLinks(False)
        self.setOpenExternalLinks(False)
        self.setFrameShape(QTextBrowser.Shape.NoFrame)
        self.document().setDocumentMargin(design.WIDE)
        self._folder = Path()
        self._parts: Iterator[str] = iter(())
        self._wanted: tuple[str, int | None] = ("", None)
        """The section and the scroll position to show when they are there."""
        self._words: tuple[str, ...] = ()
        self._pictures: dict[str, QImage] = {}
        self._looks = _looks(self)
        self._building = QTimer(self)
        self._building.setInterval(0)
        self._building.timeout.connect(self._add_part)
        self._resized = QTimer(self)
        self._resized.setSingleShot(True)
        self._resized.setInterval(_SETTLE_MS)
        self._resized.timeout.connect(self._fit)
        self.anchorClicked.connect(lambda url: self.link_clicked.emit(url.toString()))

    @property
    def complete(self) -> bool:
        """Whether the whole page is shown."""
        return not self._building.isActive()

    def show_page(
        self, page: ManualPage, folder: Path, anchor: str = "", *, at: int | None = None, words: str = ""
    ) -> None:
        """Show a page of a folder at a section, or at a scroll position; ``words`` are marked in it."""
        self._words = tuple(words.casefold().split())
        self._wanted = (anchor, at)
        if page is self._page:
            self._settle()
            return
        self._page, self._folder = page, folder / Path(page.name).parent
        for name in self._pictures:
            # The document would keep them, in the size of before.
            self.document().addResource(QTextDocument.ResourceType.ImageResource, QUrl(name), None)
        self._pictures.clear()
        self._looks = _looks(self)
        self.clear()
        self._parts = iter(_cut(page.text))
        self._add_part()
        self._building.start()

    def show_picture(self, path: str, image: QImage) -> None:
        """Put a picture in its place."""
        name = next((name for name in self._pictures if str(self._folder / name) == path), None)
        if name is None or image.isNull():
            return
        self._pictures[name] = image
        self.document().addResource(QTextDocument.ResourceType.ImageResource, QUrl(name), image)
        self.document().markContentsDirty(0, self.document().characterCount())
        self.viewport().update()

    def loadResource(self, kind: int, name: QUrl | str) -> Any:
        """Only pictures of the page, which a worker reads: until then their place is kept."""
        text = name.toString() if isinstance(name, QUrl) else name
        if kind != QTextDocument.ResourceType.ImageResource.value or ":" in text:
            return None
        if (known := self._pictures.get(text)) is not None:
            return known
        path = self._folder / text
        size = self._fitting(QImageReader(str(path)).size())
        if not size.isValid():
            return None
        blank = QImage(size, QImage.Format.Format_RGB32)
        blank.fill(QColor(theme.active().raised))
        self._pictures[text] = blank
        self.picture_wanted.emit(str(path), size)
        return blank

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self._pictures:
            self._resized.start()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        # The looks of tables, headings and code are in the document itself.
        if event.type() in {QEvent.Type.PaletteChange, QEvent.Type.FontChange} and self._looks != _looks(
            self
        ):
            self._resized.start()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._resized.stop()

    def _fitting(self, size: QSize) -> QSize:
        # Not of the viewport: it is wider while a page that is being built has no scroll bar.
        widest = QSize(max(1, self.width() - 7 * design.WIDE), size.height())
        return size.scaled(widest, _KEEP) if size.width() > widest.width() else size

    def _fit(self) -> None:
        """Build the page again for another width of its pictures, other colours or another size of text."""
        page = self._page
        sizes = [self._fitting(QImageReader(str(self._folder / name)).size()) for name in self._pictures]
        same = sizes == [image.size() for image in self._pictures.values()]
        if page is None or (same and self._looks == _looks(self)):
            return
        self._page = None
        self.show_page(
            page,
            self._folder.parent,
            at=self.verticalScrollBar().value(),
            words=" ".join(self._words),
        )

    def _add_part(self) -> None:
        part = next(self._parts, None)
        if part is None:
            self._building.stop()
            self._settle()
            self.completed.emit()
            return
        cursor = QTextCursor(self.document())
        cursor.movePosition(QTextCursor.MoveOperation.End)
        if start := cursor.position():
            cursor.insertBlock(QTextBlockFormat(), QTextCharFormat())
            start = cursor.position()
        cursor.insertMarkdown(part)
        if marks := len(part) - len(part.lstrip("#")):
            # The first block of what is inserted keeps the format of the block that it is inserted in.
            first = QTextBlockFormat()
            first.setHeadingLevel(marks)
            QTextCursor(self.document().findBlock(start)).mergeBlockFormat(first)
        self._format(start)
        self._settle()

    def _format(self, start: int) -> None:
        """Give the blocks from a position on the looks of the window."""
        colours = theme.active()
        block = self.document().findBlock(start)
        while block.isValid():
            cursor = QTextCursor(block)
            shape = QTextBlockFormat()
            if level := block.blockFormat().headingLevel():
                shape.setTopMargin(design.VAST if level > 1 else 0)
                shape.setBottomMargin(design.NEAR)
                cursor.select(QTextCursor.SelectionType.BlockUnderCursor)
                letters = QTextCharFormat()
                letters.setFont(design.sized(self.font(), _TITLES.get(level, design.BODY), bold=True))
                cursor.mergeCharFormat(letters)
            elif block.blockFormat().nonBreakableLines():
                shape.setBackground(QColor(colours.raised))
                shape.setNonBreakableLines(False)
            else:
                shape.setLineHeight(_SPACING, QTextBlockFormat.LineHeightTypes.ProportionalHeight.value)
                if cursor.currentTable() is None:
                    shape.setBottomMargin(design.TIGHT if block.textList() is not None else design.NEAR)
            cursor = QTextCursor(block)
            cursor.mergeBlockFormat(shape)
            block = block.next()
        for frame in self.document().rootFrame().childFrames():
            if isinstance(frame, QTextTable) and frame.firstPosition() >= start:
                _format_table(frame, colours)

    def _settle(self) -> None:
        """Go where the reader is to be, as soon as that is there."""
        anchor, at = self._wanted
        if at is not None:
            if self.complete:
                self.verticalScrollBar().setValue(at)
                self._wanted = ("", None)
        elif not anchor:
            if self.complete:
                self._mark_words()
            return
        elif (place := self._place_of(anchor)) is not None:
            cursor = QTextCursor(self.document())
            cursor.setPosition(place)
            self.setTextCursor(cursor)
            top = self.document().documentLayout().blockBoundingRect(cursor.block()).top()
            self.verticalScrollBar().setValue(round(top) - design.NEAR)
            if self.complete:
                self._wanted = ("", None)
        if self.complete:
            self._mark_words()

    def _place_of(self, anchor: str) -> int | None:
        """Where a section begins, if it is there already: headings are in the order of the sections."""
        assert self._page is not None
        numbers = [n for n, each in enumerate(self._page.sections) if each.anchor == anchor]
        if not numbers:
            return None
        block, seen = self.document().begin(), 0
        while block.isValid():
            if block.blockFormat().headingLevel():
                if seen == numbers[0]:
                    return block.position()
                seen += 1
            block = block.next()
        return None

    def _mark_words(self) -> None:
        ground = QTextCharFormat()
        ground.setBackground(QColor(theme.active().found))
        marks: list[QTextEdit.ExtraSelection] = []
        for word in self._words:
            cursor = self.document().find(word)
            while not cursor.isNull() and len(marks) < _MOST_MARKED:
                mark = QTextEdit.ExtraSelection()
                mark.cursor, mark.format = cursor, ground
                marks.append(mark)
                cursor = self.document().find(word, cursor)
        self.setExtraSelections(marks)


def _looks(view: QWidget) -> tuple[theme.Theme, QFont]:
    """What the formats of a page are made from."""
    return theme.active(), view.font()


def _cut(text: str) -> Sequence[str]:
    """Parts of a page that begin with a heading, except the first."""
    parts: list[list[str]] = [[]]
    length, fenced = 0, False
    for line in text.splitlines():
        fenced ^= line.lstrip().startswith(("```", "~~~"))
        if length > _PART and line.startswith("#") and not fenced:
            parts.append([])
            length = 0
        parts[-1].append(line)
        length += len(line)
    return ["\n".join(lines) for lines in parts]


def _format_table(table: QTextTable, colours: theme.Theme) -> None:
    shape = table.format()
    shape.setBorder(design.LINE)
    shape.setBorderCollapse(True)
    shape.setBorderStyle(QTextFrameFormat.BorderStyle.BorderStyle_Solid)
    shape.setBorderBrush(QColor(colours.line))
    shape.setCellPadding(design.TIGHT)
    shape.setCellSpacing(0)
    shape.setTopMargin(design.TIGHT)
    shape.setBottomMargin(design.APART)
    shape.setWidth(QTextLength(QTextLength.Type.PercentageLength, 100))
    table.setFormat(shape)
