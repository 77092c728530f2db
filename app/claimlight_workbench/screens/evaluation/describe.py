"""An evaluation in words and as rows of text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from claimlight.types import GroupKind
from claimlight_workbench.language import begin, number, tr, trn
from claimlight_workbench.progress_words import unit_name
from claimlight_workbench.wording import ranker_name

if TYPE_CHECKING:
    from claimlight.types import EvaluatedGroup, EvaluationReport, Progress, SystemRecall

KIND_NAMES = {
    GroupKind.ALL: tr("all queries"),
    GroupKind.YEAR: tr("year"),
    GroupKind.SECTION: tr("section"),
    GroupKind.SUBCLASS: tr("subclass"),
}


@dataclass(frozen=True, slots=True)
class Grid:
    """Headings, rows, and each cell as a sentence."""

    headings: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    tips: tuple[tuple[str, ...], ...]


def grid_of(report: EvaluationReport, kind: GroupKind, depth: int) -> Grid:
    """All queries: systems against depths. Otherwise groups against systems, at one depth."""
    if kind is GroupKind.ALL:
        headings = (tr("System"), *(f"R@{number(each, ',')}" for each in report.depths))
        places = range(len(report.depths))
        systems = report.overall.systems
        return Grid(
            headings,
            tuple((ranker_name(item.system), *(cell(item, at) for at in places)) for item in systems),
            tuple((item.system, *(tip(item, at, report.depths[at]) for at in places)) for item in systems),
        )
    at = report.depths.index(depth)
    groups = [group for group in report.groups if group.kind is kind]
    headings = (
        begin(KIND_NAMES[kind]),
        tr("Queries"),
        tr("Citations"),
        *map(ranker_name, report.systems),
    )
    return Grid(
        headings,
        tuple((*_head(group), *(cell(item, at) for item in group.systems)) for group in groups),
        tuple((*_head(group), *(tip(item, at, depth) for item in group.systems)) for group in groups),
    )


def cell(item: SystemRecall, at: int) -> str:
    """``76.1 %  73–79``: the mean, and its interval if there is one."""
    ends = f"  {number(100 * item.low[at], '.0f')}–{number(100 * item.high[at], '.0f')}" if item.low else ""
    return f"{number(100 * item.recall[at], '.1f')} %{ends}"


def tip(item: SystemRecall, at: int, depth: int) -> str:
    """A cell as a sentence."""
    found = tr(
        "{ranker_name} finds {recall:.1%} of a document's citations among its first {families}",
        ranker_name=ranker_name(item.system),
        recall=item.recall[at],
        families=trn("{n:,} family", "{n:,} families", depth),
    )
    if not item.low:
        return tr("{found}; too few queries for an interval", found=found)
    return tr(
        "{found}; 95 % interval {low:.1%} to {high:.1%}", found=found, low=item.low[at], high=item.high[at]
    )


def summary(report: EvaluationReport) -> str:
    """What was measured, in a line or two."""
    facts = dict(report.facts)
    depth, at = report.main_depth, report.depths.index(report.main_depth)
    most = max(item.recall[at] for item in report.overall.systems)
    best = ", ".join(ranker_name(item.system) for item in report.overall.systems if item.recall[at] == most)
    return tr(
        "{queries} ({get}), {citations}. Best within the first {depth:,}: {best}, "
        "{most:.1%}. Found by no system: {missed_citations:,}.",
        queries=trn("{n:,} query", "{n:,} queries", report.overall.queries),
        get=facts.get("Asked with", ""),
        citations=trn("{n:,} citation", "{n:,} citations", report.overall.citations),
        depth=depth,
        best=best,
        most=most,
        missed_citations=report.missed_citations,
    )


def progress_text(progress: Progress) -> str:
    """Progress of an evaluation."""
    left = (
        tr(", {seconds_left} s left", seconds_left=round(progress.seconds_left))
        if progress.seconds_left is not None
        else ""
    )
    return tr(
        "Evaluating: {done:,} of {total:,} {unit}{left}",
        done=progress.done,
        total=progress.total,
        unit=unit_name(progress.unit),
        left=left,
    )


def _head(group: EvaluatedGroup) -> tuple[str, str, str]:
    return group.name, number(group.queries, ","), number(group.citations, ",")
