"""Measures of runs: those of `ir-measures`, and PRES, which it lacks; the area under the curve.

Every judged query counts, with 0 if it was not ranked; the mean over queries is reported.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from claimlight.errors import InputError, ResourceError
from claimlight.evaluation.judgements import Judgements
from claimlight.evaluation.runs import Run

DEFAULT = ("R@10", "R@100", "R@1000", "AP", "nDCG@10", "PRES@100")
_PRES = re.compile(r"PRES@([1-9]\d*)\Z")


@dataclass(frozen=True, slots=True, eq=False)
class RunMeasures:
    """The measures of one run."""

    system: str
    queries: tuple[str, ...]
    names: tuple[str, ...]
    values: NDArray[np.float64]
    """[measures, queries], in the order of ``names`` and ``queries``."""

    def of(self, name: str) -> NDArray[np.float64]:
        """Values of a measure, one per query."""
        row: NDArray[np.float64] = self.values[self.names.index(name)]
        return row

    def mean(self, name: str) -> float:
        """Mean of a measure over all queries."""
        return float(self.of(name).mean())


def measure(run: Run, judgements: Judgements, names: Sequence[str] = DEFAULT) -> RunMeasures:
    """Measure a run; raises `InputError` for an unknown measure."""
    queries = judgements.queries
    ranked = {item.query: item.documents for item in run.rankings}
    values = np.zeros((len(names), len(queries)), dtype=np.float64)
    theirs: dict[str, int] = {}
    for place, name in enumerate(names):
        if found := _PRES.match(name):
            limit = int(found[1])
            values[place] = [
                compute_pres(ranked.get(query, ()), judgements.relevant(query), limit) for query in queries
            ]
        else:
            theirs[name] = place
    if theirs:
        _with_library(values, theirs, queries, ranked, judgements)
    return RunMeasures(run.system, queries, tuple(names), values)


def check_measures(names: Sequence[str] = DEFAULT) -> None:
    """Raise the errors of `measure` before hours of ranking: a missing package, an unknown measure."""
    _parse_measures([name for name in names if not _PRES.match(name)])


def compute_pres(documents: Sequence[str], relevant: frozenset[str], limit: int) -> float:
    """Patent retrieval evaluation score (Magdy and Jones, 2010) at a depth of ``limit`` documents.

    ``1 - (mean rank of the relevant - (n + 1) / 2) / limit``. The i-th of the n relevant documents gets rank
    ``limit + i`` if it is not among the first ``limit``. So the score is 0 if none is found, and 1 if all are
    at the top.
    """
    found = [rank for rank, name in enumerate(documents[:limit], 1) if name in relevant]
    count = len(relevant)
    ranks = sum(found) + sum(limit + i for i in range(len(found) + 1, count + 1))
    return 1.0 - (ranks / count - (count + 1) / 2) / limit


def auc(values: NDArray[np.float64], labels: NDArray[np.bool_]) -> float:
    """Probability that a positive has a higher value than a negative, ties counted half."""
    positives = int(labels.sum())
    negatives = len(labels) - positives
    if not positives or not negatives:
        return float("nan")
    _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(counts) - (counts - 1) / 2.0)[place]
    return float((ranks[labels].sum() - positives * (positives + 1) / 2) / (positives * negatives))


def _with_library(
    values: NDArray[np.float64],
    theirs: Mapping[str, int],
    queries: Sequence[str],
    ranked: Mapping[str, Sequence[str]],
    judgements: Judgements,
) -> None:
    """Fill in the rows that `ir-measures` computes; negative ranks are the scores, so there are no ties."""
    parsed = dict(zip(_parse_measures(theirs), theirs.values(), strict=True))
    row = {query: place for place, query in enumerate(queries)}
    run = {
        query: {name: float(-rank) for rank, name in enumerate(ranked[query])}
        for query in queries
        if ranked.get(query)
    }
    if not run:
        return
    grades = {query: dict(judgements.grades[query]) for query in queries}
    for item in _library().iter_calc(list(parsed), grades, run):
        values[parsed[item.measure], row[item.query_id]] = item.value


def _parse_measures(names: Iterable[str]) -> list[Any]:
    """Parse names of `ir-measures`; raises `InputError` for an unknown one."""
    parsed = []
    for name in names:
        try:
            parsed.append(_library().parse_measure(name))
        except (ValueError, NameError, SyntaxError) as error:
            raise InputError(f"There is no measure {name!r}; for instance {', '.join(DEFAULT)}.") from error
    return parsed


def _library() -> Any:
    try:
        import ir_measures
    except ImportError as error:
        raise ResourceError(
            "Measuring needs the package ir-measures: install claimlight[evaluate]."
        ) from error
    return ir_measures
