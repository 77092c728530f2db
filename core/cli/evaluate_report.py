"""How the commands of ``evaluate`` give out a table: JSON for machines, rows for people, a file if asked."""

from __future__ import annotations

import json
from pathlib import Path

from rich.markup import escape
from rich.table import Table

from core.cli.front import Front
from core.evaluation.report import Figure, ProtocolReport


def give_out(front: Front, report: ProtocolReport, *, as_json: bool, out: Path | None = None) -> None:
    """Notes first, then the figures; ``out`` gets the JSON as well."""
    for note in report.notes:
        front.say(note, style="yellow")
    body = report.json()
    if out is not None:
        out.write_text(json.dumps(body, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    if as_json or front.events:
        front.line(body)
    else:
        front.out.print(_table(report))


def _table(report: ProtocolReport) -> Table:
    names = list(dict.fromkeys(figure.name for row in report.rows for figure in row.figures))
    counts = ", ".join(f"{item.number:,} {item.name}" for item in report.counts)
    table = Table("system", *names, title=f"{report.protocol}: {counts}" if counts else report.protocol)
    for row in report.rows:
        cells = {figure.name: _cell(figure) for figure in row.figures}
        table.add_row(escape(row.system), *(cells.get(name, "") for name in names))
    return table


def _cell(figure: Figure) -> str:
    if figure.whole:
        return f"{figure.value:,.0f}"
    if figure.low is None or figure.high is None:
        return f"{figure.value:.4f}"
    return f"{figure.value:.4f}\n" + escape(f"[{figure.low:.4f}, {figure.high:.4f}]")
