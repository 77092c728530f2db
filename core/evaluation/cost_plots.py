"""Cost against recall: Sparse Coverage's figure 4, with time and index size beside it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from core.evaluation.cost import CostPoint
from core.evaluation.plotting import PANEL, SERIES, drawing, saved

_MARKS = ("o", "s", "^", "D", "v", "P", "X")


def draw(points: Sequence[CostPoint], folder: Path) -> tuple[Path, ...]:
    """Write ``cost.png`` and ``cost.svg`` into a folder, which is made; at least one point.

    Without matplotlib, or where the folder can't be written, a `ResourceError`.
    """
    with drawing() as new_figure:
        figure = new_figure((PANEL[0] * 2.4, PANEL[1] * 1.25))
        series = list(dict.fromkeys(point.series for point in points))
        panels: list[tuple[str, Callable[[CostPoint], float | None]]] = [
            ("postings scanned, or vectors compared, for each query (mean)", _scanned),
            ("milliseconds for each query (median)", lambda point: float(np.median(point.milliseconds))),
            ("megabytes that are read from", lambda point: point.bytes / 1e6),
        ]
        axes = figure.subplots(1, len(panels), sharey=True)
        for place, (label, cost) in enumerate(panels):
            for number, name in enumerate(series):
                _line(axes[place], [item for item in points if item.series == name], cost, number)
            axes[place].set_xscale("log")
            axes[place].set_xlabel(label)
        axes[0].set_ylabel(f"{points[0].measured} in %")
        axes[0].set_title("What a search costs against what it finds")
        handles, labels = axes[1].get_legend_handles_labels()
        figure.legend(handles, labels, frameon=False, loc="outside lower center", ncols=4)
        return saved(figure, folder, "cost")


def _scanned(point: CostPoint) -> float | None:
    return None if point.scanned is None else float(point.scanned.mean())


def _line(
    axes: Any, points: Sequence[CostPoint], cost: Callable[[CostPoint], float | None], number: int
) -> None:
    """One series; a point that has no such cost is left out."""
    known = [(where, item) for item in points if (where := cost(item)) is not None and where > 0]
    axes.plot(
        [where for where, _ in known],
        [100 * float(item.found.mean()) for _, item in known],
        marker=_MARKS[number % len(_MARKS)],
        markersize=5,
        linewidth=1.2,
        color=SERIES[number % len(SERIES)],
        label=points[0].series,
    )
