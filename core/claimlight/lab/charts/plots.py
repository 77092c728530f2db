"""Areas by kind of wording, and the reliability of calibrated judges."""

from __future__ import annotations

from pathlib import Path

from claimlight.lab.charts.report import ChartReport
from claimlight.lab.diagnostics.plotting import LINE, MUTED, PANEL, SERIES, drawing, save_figure

_MARKS = ("o", "s", "^", "D", "v", "P", "X", "<")


def draw_areas(report: ChartReport, folder: Path) -> tuple[Path, ...]:
    """Write ``areas.png`` and ``areas.svg``: the area under the curve of each system in each contest.

    Raises `ResourceError` without matplotlib, or if the folder can't be written.
    """
    with drawing() as new_figure:
        figure = new_figure((PANEL[0] * 1.7, PANEL[1] * 1.15))
        axes = figure.subplots()
        contests = [item.contest for item in report.systems[0].contests]
        step = 0.8 / len(report.systems)
        for number, system in enumerate(report.systems):
            colour, mark = SERIES[number % len(SERIES)], _MARKS[number % len(_MARKS)]
            known = [
                (place + (number + 0.5) * step - 0.4, item.area)
                for place, item in enumerate(system.contests)
                if item.area.value is not None
            ]
            axes.vlines(
                [x for x, _ in known],
                [area.low for _, area in known],
                [area.high for _, area in known],
                color=colour,
            )
            axes.plot(
                [x for x, _ in known],
                [area.value for _, area in known],
                linestyle="none",
                marker=mark,
                markersize=5,
                color=colour,
                label=system.system,
            )
        axes.axhline(0.5, color=MUTED, linewidth=1, linestyle="--")
        axes.set_xticks(range(len(contests)), contests)
        axes.set_ylabel("area under the curve")
        axes.set_title("Disclosed against undisclosed cells, by kind of wording")
        figure.legend(frameon=False, loc="outside lower center", ncols=2)
        return save_figure(figure, folder, "areas")


def draw_reliability(report: ChartReport, folder: Path) -> tuple[Path, ...]:
    """Write ``reliability.png`` and ``reliability.svg`` if a system is calibrated; else nothing.

    A point for each tenth of probability, its size by the number of cells. Errors as in `draw_areas`.
    """
    calibrated = [(system.system, system.verdicts) for system in report.systems if system.verdicts]
    if not calibrated:
        return ()
    with drawing() as new_figure:
        figure = new_figure((PANEL[0], PANEL[1] * 1.2))
        axes = figure.subplots()
        axes.plot([0, 1], [0, 1], color=MUTED, linewidth=1, linestyle="--")
        for number, (name, verdicts) in enumerate(calibrated):
            colour = SERIES[number % len(SERIES)]
            said, found = [item.said for item in verdicts.bins], [item.found for item in verdicts.bins]
            axes.plot(said, found, color=colour, linewidth=1.2, label=name)
            sizes = [12 + 260 * item.weight / report.cells for item in verdicts.bins]
            axes.scatter(said, found, s=sizes, color=colour)
            if verdicts.calibration.says_disclosed:
                axes.axvline(verdicts.calibration.bounds.disclosed, color=LINE, linewidth=0.8)
            axes.axvline(verdicts.calibration.bounds.candidate, color=LINE, linewidth=0.8, linestyle=":")
        axes.set_xlim(0, 1)
        axes.set_ylim(0, 1)
        axes.set_xlabel("probability")
        axes.set_ylabel("share of cells that are disclosed")
        axes.set_title("Reliability; lines: from here disclosed, candidate (dotted)")
        figure.legend(frameon=False, loc="outside lower center")
        return save_figure(figure, folder, "reliability")
