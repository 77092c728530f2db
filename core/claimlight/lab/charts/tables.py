"""The report as tables for a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from rich.markup import escape
from rich.table import Table

from claimlight.cli.judge_tables import make_wording_table
from claimlight.judging.fitting import Fit, Held
from claimlight.lab.charts.measures import Estimate
from claimlight.lab.charts.report import ChartReport, SystemFigures


def make_tables(report: ChartReport) -> Iterator[Table]:
    """Areas and right paragraphs; average precision; differences to match strengths; verdicts."""
    contests = [item.contest for item in report.systems[0].contests]
    title = f"{report.source} {report.part}: {report.charts:,} charts, {report.cells:,} cells".replace(
        "  ", " "
    )
    areas = Table("area under the curve", *contests, *_depths(report), title=title)
    precision = Table("average precision", *contests)
    over = Table("less match strength", *contests, *_depths(report))
    for system in report.systems:
        right = [_cell(item.share) for item in system.right]
        areas.add_row(escape(system.system), *(_cell(item.area) for item in system.contests), *right)
        precision.add_row(escape(system.system), *(_cell(item.average_precision) for item in system.contests))
        if all(item.area_over_today for item in system.contests):
            over.add_row(escape(system.system), *_differences(system))
    yield from (areas, precision, over)
    verdicts = Table(
        "verdicts",
        "disclosed: from",
        "precision",
        "recall",
        "near misses",
        "candidate: from",
        "disclosed at nothing near",
        "others at nothing near",
        "calibration error",
    )
    for system in report.systems:
        found = system.verdicts
        if found is not None:
            bounds = found.calibration.bounds
            verdicts.add_row(
                escape(system.system),
                f"{bounds.disclosed:.3f}" if bounds.disclosed <= 1 else "never",
                *map(_cell, (found.precision, found.recall, found.near_disclosed)),
                f"{bounds.candidate:.3f}",
                *map(
                    _cell, (found.disclosed_at_nothing, found.undisclosed_at_nothing, found.calibration_error)
                ),
            )
    if verdicts.row_count:
        yield verdicts
    for system in report.systems:
        if system.verdicts is not None and system.verdicts.wordings:
            yield make_wording_table(system.system, system.verdicts.wordings)


def _depths(report: ChartReport) -> list[str]:
    return [f"right at {item.depth}" for item in report.systems[0].right]


def _differences(system: SystemFigures) -> list[str]:
    areas = [item.area_over_today for item in system.contests]
    right = [item.over_today for item in system.right]
    return [_cell(item) for item in (*areas, *right)]


def _cell(item: Estimate | None) -> str:
    if item is None or item.value is None:
        return ""
    return f"{item.value:.3f}\n" + escape(f"[{item.low:.3f}, {item.high:.3f}]")


def make_fit_table(judge: str, fit: Fit) -> Table:
    """A fitted calibration and its figures on charts left out."""
    read, held = fit.calibration, fit.held
    table = Table("calibration", "", title=f"{escape(judge)}: fitted on {escape(read.fitted_on)}")
    never = "never" if read.bounds.disclosed > 1 else f"{read.bounds.disclosed:.3f}"
    rows = {
        "weight of the cosine": f"{read.cosine:g}",
        "slope, offset": f"{read.slope:.4f}, {read.offset:.4f}",
        "passages read": str(read.candidates),
        "disclosed from": never,
        "candidate from": f"{read.bounds.candidate:.3f}",
        "charts, cells": f"{held.charts:,}, {held.cells:,}",
        "log loss": f"{held.log_loss:.4f}",
        "precision of disclosed": _precision(held),
        "recall of disclosed": f"{held.recall:.3f}",
        "near misses called disclosed": f"{held.near:.3f}",
        "disclosed cells at nothing near": f"{held.silenced:.3f}",
        "other cells at nothing near": f"{held.cleared:.3f}",
    }
    for name, value in rows.items():
        table.add_row(name, value)
    return table


def _precision(held: Held) -> str:
    if held.precision is None or held.precision_low is None:
        return ""
    return f"{held.precision:.3f} (95 %: from {held.precision_low:.3f})"
