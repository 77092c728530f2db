"""Evaluating cells from end to end: the labelled set, every method against cosine, the calibration."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from claimlight.errors import ResourceError
from claimlight.evaluation.measures import auc
from claimlight.lab.diagnostics.cells.calibration import Basis, Calibration
from claimlight.lab.diagnostics.cells.fit import (
    KNOTS,
    PRECISION,
    PRIOR,
    SILENCED,
    Checked,
    Curve,
    check,
    fit,
    thresholds,
    weigh_cells,
)
from claimlight.lab.diagnostics.cells.labels import Stratum
from claimlight.lab.diagnostics.cells.measures import Interval, Measure, precision_at, resample
from claimlight.lab.diagnostics.cells.sample import CellPlan, sample
from claimlight.lab.diagnostics.cells.text import Stems
from claimlight.lab.diagnostics.cells.values import CellTable, table
from claimlight.services.library.library import Library
from claimlight.services.search.search import SearchEngine
from claimlight.settings import Settings
from claimlight.tasks import TaskContext

METHODS = ("probability", "coverage", "score", "mass", "spans", "cosine")
"""What is compared; the last one is what the others are held against."""
RECALLS = (0.5, 0.8)
_QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)


@dataclass(frozen=True, slots=True)
class Contest:
    """The positives and negatives of a comparison."""

    name: str
    positive: Stratum
    negative: Stratum
    reworded: bool = False
    single: bool = False


CONTESTS = (
    Contest("own description, near documents", Stratum.OWN, Stratum.NEAR),
    Contest("own description, other documents", Stratum.OWN, Stratum.RANDOM),
    Contest("reworded, near documents", Stratum.REWORDED, Stratum.NEAR, reworded=True),
    Contest("reworded, other documents", Stratum.REWORDED, Stratum.RANDOM, reworded=True),
    Contest("cited, near documents", Stratum.CITED, Stratum.NEAR),
    Contest("one restating passage, one of near documents", Stratum.RESTATED, Stratum.NEAR, single=True),
    Contest("one restating passage, one far away", Stratum.RESTATED, Stratum.APART, single=True),
)


@dataclass(frozen=True, slots=True)
class MethodMeasure:
    """One measure of one method in one contest."""

    contest: str
    method: str
    measure: str
    value: Interval
    over_cosine: Interval
    """The difference to cosine on the same resamples."""
    positives: int
    negatives: int


@dataclass(frozen=True, slots=True)
class Overlap:
    """How far the values of disclosed and undisclosed cells run into one another."""

    method: str
    disclosed: tuple[float, ...]
    """Quantiles .05, .25, .5, .75, .95."""
    undisclosed: tuple[float, ...]
    shared: float
    """Share of the undisclosed cells above the 5 % quantile of the disclosed ones."""
    best: float
    """Mean of the shares put right on both sides at the best single threshold."""


@dataclass(frozen=True, slots=True)
class Count:
    """Cells of one kind."""

    stratum: str
    reworded: bool
    single: bool
    cells: int
    claims: int


@dataclass(frozen=True, slots=True)
class CellReport:
    """Everything that was found."""

    documents: int
    encoded: int
    features: int
    left_out: int
    counts: tuple[Count, ...]
    measures: tuple[MethodMeasure, ...]
    overlaps: tuple[Overlap, ...]
    checked: Checked
    calibration: Calibration


@dataclass(frozen=True, slots=True)
class CellSettings:
    """How the labelled set is made and measured."""

    plan: CellPlan
    encoded: int = 150
    """Documents whose passages are encoded for the cosine."""
    resamples: int = 1000
    data: str = ""
    """What the library holds, for the provenance."""


def evaluate_cells(
    library: Library,
    settings: Settings,
    asked: CellSettings,
    context: TaskContext,
    *,
    engine: SearchEngine | None = None,
) -> CellReport:
    """Build the labelled set of a library, compare the methods, fit and check the abstention."""
    engine = engine or SearchEngine.open(library, settings)
    basis = _basis(engine, settings, context)
    stems = Stems()
    drawn = sample(engine, library, asked.plan, stems, context)
    found = table(engine, library, settings, drawn, stems, encoded=asked.encoded, context=context)
    half = np.array([drawn.group[cell.claim] % 2 for cell in found.cells]) == 0
    curves = fit(weigh_cells(found, half)), fit(weigh_cells(found, ~half))
    chances = _cross_predict(found, half, curves)
    context.check()
    fitted, unseen = weigh_cells(found, half), weigh_cells(found, ~half)
    covered, nothing = thresholds(curves[0].probability(fitted), fitted)
    checked = check(curves[0].probability(unseen), unseen, covered, nothing)
    return CellReport(
        documents=len(drawn.clusters),
        encoded=min(asked.encoded, len(drawn.clusters)),
        features=len({(cell.claim, cell.feature) for cell in found.cells}),
        left_out=drawn.left_out,
        counts=_counts(found),
        measures=_measures(found, chances, asked, context),
        overlaps=_overlaps(found, chances),
        checked=checked,
        calibration=Calibration(
            name=basis.encoder,
            basis=basis,
            intercept=curves[0].intercept,
            knots=KNOTS,
            ramps=curves[0].ramps,
            extent=curves[0].extent,
            covered=covered,
            nothing=nothing,
            provenance=_provenance(asked, len(drawn.clusters), (len(fitted), len(unseen)), checked),
        ),
    )


def _basis(engine: SearchEngine, settings: Settings, context: TaskContext) -> Basis:
    state = engine.state(context)
    if state.encoder is None:
        raise ResourceError(f"Cells need an index: {' '.join(state.notes) or 'the library is empty.'}")
    stack = state.encoder.stack
    return Basis.of(stack.encoder.fingerprint, stack.vocabulary.fingerprint, settings.centers)


def _cross_predict(
    found: CellTable, half: NDArray[np.bool_], curves: tuple[Curve, Curve]
) -> NDArray[np.float64]:
    """[N] probabilities, each by the curve of the other half."""
    coverage, extent = found.column("coverage"), found.column("extent")
    first, second = (curve.of(coverage, extent) for curve in curves)
    return np.where(half, second, first)


def _provenance(
    asked: CellSettings, documents: int, cells: tuple[int, int], checked: Checked
) -> tuple[tuple[str, str], ...]:
    prior = ", ".join(
        f"{stratum.value}{' without restating passages' if reworded else ''} {share:g}"
        for (stratum, reworded), share in PRIOR.items()
    )
    told = {
        "command": "claimlight lab cells",
        "data": asked.data,
        "documents": f"{documents}, every second cluster of three fitted, the others checked",
        "cells": f"{cells[0]} fitted, {cells[1]} checked",
        "population": prior,
        "covered": f"lowest probability with precision {PRECISION:g} on the fitted half",
        "nothing": f"silences {SILENCED:g} of the disclosed cells of the fitted half",
        "seed": str(asked.plan.seed),
        "checked calibration error": f"{checked.error:.4f}",
        "checked precision of covered": f"{checked.precision:.4f}",
        "checked recall of covered": f"{checked.recall:.4f}",
        "checked disclosed cells silenced": f"{checked.silenced:.4f}",
        "checked undisclosed cells silenced": f"{checked.silence:.4f}",
    }
    return tuple(told.items())


def _kinds(found: CellTable) -> list[tuple[Stratum, bool, bool]]:
    return [(cell.stratum, cell.reworded, cell.single) for cell in found.cells]


def _counts(found: CellTable) -> tuple[Count, ...]:
    kinds = _kinds(found)
    claims = found.claims
    made: list[Count] = []
    for stratum, reworded, single in sorted(set(kinds)):
        here = [n for n, kind in enumerate(kinds) if kind == (stratum, reworded, single)]
        made.append(Count(stratum.value, reworded, single, len(here), len(set(claims[here].tolist()))))
    return tuple(made)


def _masks(found: CellTable, contest: Contest) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Positives and negatives of a contest, as far as every method has a value for them."""
    kinds = _kinds(found)
    known = ~np.isnan(found.column("cosine"))
    sides = [
        np.array([kind == (side, contest.reworded, contest.single) for kind in kinds]) & known
        for side in (contest.positive, contest.negative)
    ]
    return sides[0], sides[1]


def _columns(found: CellTable, chances: NDArray[np.float64]) -> list[NDArray[np.float64]]:
    return [chances if name == "probability" else found.column(name) for name in METHODS]


def _measures(
    found: CellTable, chances: NDArray[np.float64], asked: CellSettings, context: TaskContext
) -> tuple[MethodMeasure, ...]:
    measures: dict[str, Measure] = {"AUC": auc}
    for recall in RECALLS:
        measures[f"precision at recall {recall:g}"] = partial(precision_at, recall=recall)
    made: list[MethodMeasure] = []
    for contest in CONTESTS:
        positive, negative = _masks(found, contest)
        if not positive.any() or not negative.any():
            continue
        chosen = positive | negative
        columns = [column[chosen] for column in _columns(found, chances)]
        for name, measure in measures.items():
            context.check()
            values, gains = resample(
                measure,
                columns,
                positive[chosen],
                found.claims[chosen],
                seed=asked.plan.seed,
                resamples=asked.resamples,
            )
            made += [
                MethodMeasure(
                    contest.name, method, name, value, gain, int(positive.sum()), int(negative.sum())
                )
                for method, value, gain in zip(METHODS, values, gains, strict=True)
            ]
    return tuple(made)


def _overlaps(found: CellTable, chances: NDArray[np.float64]) -> tuple[Overlap, ...]:
    """The scenario in which a matrix of cosines failed: all related cells against near documents."""
    kinds = _kinds(found)
    known = ~np.isnan(found.column("cosine"))
    related = np.array([k in ((Stratum.OWN, False, False), (Stratum.REWORDED, True, False)) for k in kinds])
    unrelated = np.array([kind == (Stratum.NEAR, False, False) for kind in kinds])
    made: list[Overlap] = []
    for method, column in zip(METHODS, _columns(found, chances), strict=True):
        yes, no = column[related & known], column[unrelated & known]
        if not len(yes) or not len(no):
            continue
        marks = np.unique(np.concatenate([yes, no]))
        right = 1.0 - np.searchsorted(np.sort(yes), marks) / len(yes)
        silent = np.searchsorted(np.sort(no), marks) / len(no)
        made.append(
            Overlap(
                method=method,
                disclosed=tuple(float(item) for item in np.quantile(yes, _QUANTILES)),
                undisclosed=tuple(float(item) for item in np.quantile(no, _QUANTILES)),
                shared=float((no >= np.quantile(yes, _QUANTILES[0])).mean()),
                best=float(((right + silent) / 2).max()),
            )
        )
    return tuple(made)
