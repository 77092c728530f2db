"""Layouts as DOCX: A4 across, headings of the standard styles, tables whose headers are repeated."""

from __future__ import annotations

from datetime import datetime
from io import BytesIO
from typing import Any

from docx import Document
from docx.enum.section import WD_ORIENT
from docx.oxml import OxmlElement
from docx.oxml.ns import qn
from docx.shared import Mm, Pt

from claimlight.services.reports.layout import Block, Cell, Heading, Layout, Lines, Run, Table, Text, clean

_WIDTH, _HEIGHT, _MARGIN = 297, 210, 18
"""Size of the page and its margin, in millimetres."""
_SIZE = 9
"""Size of the text, in points."""


def write_docx(layout: Layout, made: datetime) -> bytes:
    """The file as bytes."""
    document = Document()
    _prepare(document, layout, made)
    for block in layout.blocks:
        _add(document, block)
    stream = BytesIO()
    document.save(stream)
    return stream.getvalue()


def _prepare(document: Any, layout: Layout, made: datetime) -> None:
    section = document.sections[0]
    section.orientation = WD_ORIENT.LANDSCAPE
    section.page_width, section.page_height = Mm(_WIDTH), Mm(_HEIGHT)
    for side in ("left_margin", "right_margin", "top_margin", "bottom_margin"):
        setattr(section, side, Mm(_MARGIN))
    style = document.styles["Normal"]
    style.font.size = Pt(_SIZE)
    style.paragraph_format.space_after = Pt(3)
    properties = document.core_properties
    # What the template has would name a person and a day that have nothing to do with the report.
    properties.title, properties.author, properties.comments = clean(layout.title), "", ""
    properties.created = properties.modified = made.replace(tzinfo=None)
    footer = section.footer.paragraphs[0]
    footer.add_run(f"{clean(layout.footer)}  ·  page ")
    _add_field(footer, "PAGE")
    footer.add_run(" of ")
    _add_field(footer, "NUMPAGES")


def _add(document: Any, block: Block) -> None:
    match block:
        case Heading(text, level):
            document.add_heading(clean(text), level)
        case Text(text):
            _write(document.add_paragraph(), (Run(text),))
        case Lines(pairs):
            rows = tuple(((Run(name, bold=True),), (Run(value),)) for name, value in pairs)
            _add_table(document, (0.22, 0.78), rows, style=None)
        case Table(columns, widths, rows):
            head = tuple((Run(name, bold=True),) for name in columns)
            _add_table(document, widths, (head, *rows), style="Table Grid")


def _add_table(
    document: Any, widths: tuple[float, ...], rows: tuple[tuple[Cell, ...], ...], *, style: str | None
) -> None:
    table = document.add_table(rows=len(rows), cols=len(widths), style=style)
    table.autofit = False
    whole = _WIDTH - 2 * _MARGIN
    if style is not None and rows:
        _repeat(table.rows[0])
    for width, column in zip(widths, table.columns, strict=True):
        column.width = Mm(width * whole)
    for row, cells in zip(table.rows, rows, strict=True):
        # `row.cells` is computed at each access.
        for width, cell, runs in zip(widths, row.cells, cells, strict=True):
            cell.width = Mm(width * whole)
            _write(cell.paragraphs[0], runs)
    document.add_paragraph()


def _write(paragraph: Any, runs: Cell) -> None:
    for run in runs:
        # A newline becomes a line break.
        paragraph.add_run(clean(run.text)).bold = run.bold or None


def _repeat(row: Any) -> None:
    """Repeat a row at the top of every page."""
    properties = row._tr.get_or_add_trPr()
    mark = OxmlElement("w:tblHeader")
    mark.set(qn("w:val"), "true")
    properties.append(mark)


def _add_field(paragraph: Any, name: str) -> None:
    field = OxmlElement("w:fldSimple")
    field.set(qn("w:instr"), name)
    paragraph._p.append(field)
