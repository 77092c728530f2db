"""Layouts as PDF: A4 across, with fonts that ship for Latin, Greek and Cyrillic script.

Chinese, Japanese and Korean text names a font of Adobe's Asian character collections that the reader of the
file has or replaces; the file does not contain it. Other scripts have no font here: their characters are
replaced by a box, and a note says so.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from io import BytesIO
from typing import Any
from xml.sax.saxutils import escape

from reportlab.lib import colors
from reportlab.lib.pagesizes import A4, landscape
from reportlab.lib.styles import ParagraphStyle
from reportlab.lib.units import mm
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.cidfonts import UnicodeCIDFont
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.platypus import Paragraph, SimpleDocTemplate, Spacer
from reportlab.platypus import Table as PdfTable

from claimlight import paths
from claimlight.services.reports.layout import Block, Cell, Heading, Layout, Lines, Run, Table, Text, clean
from claimlight.types import plural

_REGULAR, _BOLD = "ClaimlightReport", "ClaimlightReport-Bold"
_FILES = {_REGULAR: "DejaVuSansCondensed.ttf", _BOLD: "DejaVuSansCondensed-Bold.ttf"}
_CHINESE, _JAPANESE, _KOREAN = "STSong-Light", "HeiseiMin-W3", "HYSMyeongJo-Medium"
_EAST = re.compile(
    r"[\u1100-\u11ff\u2e80-\u30ff\u3100-\u318f\u31a0-\u9fff\uac00-\ud7a3\uf900-\ufaff\uff00-\uffef]+"
)
_KANA = re.compile(r"[\u3040-\u30ff]")
_HANGUL = re.compile(r"[\u1100-\u11ff\u3130-\u318f\uac00-\ud7a3]")
_BOX = "\u25a1"
_PAGE = landscape(A4)
_MARGIN = 18 * mm
_FRAME = 6
"""Padding of the frame that the library puts around a page, in points."""
_PADDING = 3
_NAMED = 3
"""Scripts that the note names."""


def write_pdf(layout: Layout) -> tuple[bytes, tuple[str, ...]]:
    """The file as bytes, and what could not be shown, in sentences."""
    page = _Page(layout)
    stream = BytesIO()
    template = SimpleDocTemplate(
        stream,
        pagesize=_PAGE,
        leftMargin=_MARGIN - _FRAME,
        rightMargin=_MARGIN - _FRAME,
        topMargin=_MARGIN,
        bottomMargin=_MARGIN,
        title=clean(layout.title),
        author="",
        creator="Claimlight",
        lang="en",
    )
    story = [part for block in layout.blocks for part in page.flow(block)]
    template.build(story, onFirstPage=page.draw_footer, onLaterPages=page.draw_footer)
    return stream.getvalue(), page.notes()


class _Page:
    """Fonts, styles, and the characters that no font has."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self._glyphs = _register()
        self._missing: Counter[str] = Counter()
        self._body = ParagraphStyle("body", fontName=_REGULAR, fontSize=8.5, leading=11, splitLongWords=1)
        self._titles = tuple(
            ParagraphStyle(
                f"heading {level}",
                parent=self._body,
                fontName=_BOLD,
                fontSize=size,
                leading=size * 1.25,
                spaceBefore=0 if not level else 8,
                spaceAfter=5,
                keepWithNext=1,
            )
            for level, size in enumerate((16, 12))
        )

    def flow(self, block: Block) -> list[Any]:
        """The parts that a block is laid out as."""
        match block:
            case Heading(text, level):
                return [Paragraph(self._markup((Run(text),)), self._titles[min(level, 1)])]
            case Text(text):
                return [Paragraph(self._markup((Run(text),)), self._body), Spacer(1, 6)]
            case Lines(pairs):
                rows = tuple(((Run(name, bold=True),), (Run(value),)) for name, value in pairs)
                return self._table((0.22, 0.78), rows, header=False)
            case Table(columns, widths, rows):
                head = tuple((Run(name, bold=True),) for name in columns)
                return self._table(widths, (head, *rows), header=True)

    def draw_footer(self, canvas: Any, template: Any) -> None:
        """Case and number of the page below the text."""
        text = Paragraph(self._markup((Run(f"{self._layout.footer}  ·  page {template.page}"),)), self._body)
        width = _PAGE[0] - 2 * _MARGIN
        text.wrapOn(canvas, width, _MARGIN)
        text.drawOn(canvas, _MARGIN, 9 * mm)

    def notes(self) -> tuple[str, ...]:
        """What could not be shown."""
        if not self._missing:
            return ()
        scripts: Counter[str] = Counter()
        for character, count in self._missing.items():
            scripts[unicodedata.name(character, "unnamed").split()[0].capitalize()] += count
        named = ", ".join(name for name, _ in scripts.most_common(_NAMED))
        total = self._missing.total()
        return (
            f"The PDF has no font for {plural(total, 'character')} ({named}), shown as {_BOX}. A DOCX file "
            "contains them.",
        )

    def _table(
        self, widths: tuple[float, ...], rows: tuple[tuple[Cell, ...], ...], *, header: bool
    ) -> list[Any]:
        whole = _PAGE[0] - 2 * _MARGIN
        cells = [[Paragraph(self._markup(cell), self._body) for cell in row] for row in rows]
        style: list[tuple[Any, ...]] = [
            ("VALIGN", (0, 0), (-1, -1), "TOP"),
            *((side, (0, 0), (-1, -1), _PADDING) for side in ("LEFTPADDING", "RIGHTPADDING", "TOPPADDING")),
        ]
        if header:
            style += [
                ("GRID", (0, 0), (-1, -1), 0.5, colors.HexColor("#888888")),
                ("BACKGROUND", (0, 0), (-1, 0), colors.HexColor("#e8e8e8")),
            ]
        table = PdfTable(
            cells,
            colWidths=[width * whole for width in widths],
            repeatRows=1 if header else 0,
            # A passage may be longer than a page.
            splitInRow=1,
            style=style,
        )
        return [table, Spacer(1, 8)]

    def _markup(self, cell: Cell) -> str:
        return "".join(self._run(run) for run in cell)

    def _run(self, run: Run) -> str:
        text = clean(run.text).replace("\t", " ")
        parts: list[str] = []
        last = 0
        for found in _EAST.finditer(text):
            parts += [self._western(text[last : found.start()]), _eastern(found[0], text)]
            last = found.end()
        parts.append(self._western(text[last:]))
        whole = "".join(parts).replace("\n", "<br/>")
        return f'<font name="{_BOLD}">{whole}</font>' if run.bold else whole

    def _western(self, text: str) -> str:
        shown: list[str] = []
        for character in text:
            if character == "\n" or ord(character) in self._glyphs:
                shown.append(character)
            else:
                self._missing[character] += 1
                shown.append(_BOX)
        return escape("".join(shown))


def _eastern(text: str, context: str) -> str:
    """Text in the font of its language: kana means Japanese, hangul Korean, han characters alone Chinese."""
    font = _KOREAN if _HANGUL.search(text) else _JAPANESE if _KANA.search(context) else _CHINESE
    return f'<font name="{font}">{escape(text)}</font>'


def _register() -> frozenset[int]:
    """Make the fonts known to the library; the characters that both weights have."""
    folder = paths.resources() / "fonts"
    for name, file in _FILES.items():
        if name not in pdfmetrics.getRegisteredFontNames():
            pdfmetrics.registerFont(TTFont(name, str(folder / file)))
    for name in (_CHINESE, _JAPANESE, _KOREAN):
        if name not in pdfmetrics.getRegisteredFontNames():
            pdfmetrics.registerFont(UnicodeCIDFont(name))
    regular, bold = (set(pdfmetrics.getFont(name).face.charToGlyph) for name in _FILES)
    return frozenset(regular & bold)
