"""Adapting a judge to decided cells, and measuring it before and after on cells of documents left out.

Both judges rule on the same cells. The figures are of cells that an examiner looked at, most of them because
a judge suggested them: they compare two judges, and are no promise for all cells of a chart.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import asdict, astuple, dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from claimlight.encoders import EncoderInput, ModelPackage, open_encoder
from claimlight.errors import InputError, ResourceError
from claimlight.evaluation.measures import auc
from claimlight.files import make_folder_atomically
from claimlight.judging.base import Pair
from claimlight.judging.calibration import UNCALIBRATED, Bounds, Calibration
from claimlight.judging.fitting import Fit, JudgedCell, fit_calibration, held_figures, log_loss
from claimlight.judging.package import NO_JUDGE, JudgePackage, locate_second, write_calibration
from claimlight.judging.session import open_judge_package
from claimlight.services.models import train_extra
from claimlight.services.training.judge_adapting import (
    JudgeAdaptPlan,
    adapt_judge,
    count_cells,
    divide_cells,
    document_key,
    make_recipe,
    read_cells,
)
from claimlight.settings import JudgeSettings, Settings
from claimlight.tasks import TaskContext
from claimlight.types import (
    CellCount,
    DecidedCell,
    FigureInterval,
    FigureIntervals,
    JudgeAdaptReport,
    JudgeFigures,
    JudgeIntervals,
    Note,
    Section,
    plural,
)
from claimlight.vectors import unit_rows

LEAST_FITTED = 20
"""Fewest confirmed, and fewest rejected, cells left out from which slope, offset and bounds are fitted."""
LEAST_DOCUMENTS = 10
"""Fewest documents of these cells."""
LEAST_DRAWN = 5
"""Fewest documents left out for intervals: fewer are drawn in too few ways."""
TOO_FEW = (
    f"The cells left out are of fewer than {LEAST_DRAWN} documents: the figures have no intervals, and any "
    "difference may be chance."
)
CHANCE = "The interval of the difference of the areas includes zero: the difference may be chance."
KEPT = (
    "The cells left out are too few to fit the calibration again: slope, offset and bounds are those of the "
    "judge before. What its verdicts promised was measured before it was adapted."
)
NEVER_DISCLOSED = "On these cells the judge never reaches the precision of disclosed: it will not say it."
UNREAD = "The judge is not calibrated: its verdicts are never more than candidate."
_RESAMPLES = 1000
_SEED = 1
_FloatArray = NDArray[np.float64]
_BoolArray = NDArray[np.bool_]


def adapt(plan: JudgeAdaptPlan, settings: Settings, context: TaskContext) -> JudgeAdaptReport:
    """Train, export and compare; the package is written if it is no worse, or if the plan keeps it anyway.

    Raises `InputError` for too few cells, a judge that can't be trained further, and a folder that exists;
    `ResourceError` if the training extra is missing.
    """
    train_extra.require("Adapting the judge")
    if plan.out.exists():
        raise InputError(f"{plan.out} exists already; name a new folder")
    divided = divide_cells(read_cells(plan.cells, context))
    trained, left_out = count_cells(divided.trained), count_cells(divided.left_out)
    recipe = make_recipe(trained.documents, plan.changes)
    second = _find_second(settings.judge)
    named = "" if settings.judge.package == NO_JUDGE else settings.judge.package
    # Of two judges the second: its verdicts are those of the documents that are read.
    base = JudgePackage.resolve(plan.judge or (str(second) if second is not None else named))
    found = base.manifest.calibration or UNCALIBRATED
    cosines = _compare_vectors(divided.left_out, settings, context) if found.cosine else None
    before = _rule(base.folder, divided.left_out, cosines, settings, context)
    plan.out.parent.mkdir(parents=True, exist_ok=True)
    # Beside the package, so that it takes its place by a rename.
    with tempfile.TemporaryDirectory(dir=plan.out.parent, prefix=f"{plan.out.name}-") as work:
        made = adapt_judge(
            base, divided.trained, Path(work), context, recipe=recipe, checkpoint=plan.checkpoint
        )
        folder = Path(work) / "package"
        read_by = _Reader(base.manifest.calibration, left_out)
        one = read_by.read(before)
        other = read_by.read(_rule(folder, divided.left_out, cosines, settings, context))
        documents = [document_key(cell) for cell in divided.left_out]
        intervals = find_intervals(one.cells, other.cells, documents)
        report = JudgeAdaptReport(
            package=str(plan.out),
            base=f"{base.manifest.id} {base.manifest.version}",
            judge=f"{made.id} {made.version}",
            trained=trained,
            left_out=left_out,
            steps=recipe.steps,
            before=one.figures,
            after=other.figures,
            fitted=read_by.fits,
            notes=(*read_by.describe(other), *_describe_intervals(intervals)),
            intervals=intervals,
            setting="judge.package"
            if second is None or base.folder.resolve() != second.resolve()
            else "judge.second",
        )
        if report.worse and not plan.keep_worse:
            return replace(report, package="")
        told = f"{plural(len(divided.left_out), 'cell')} decided by examiners, of documents left out"
        measured = held_figures(other.fit.held) if other.fit is not None else {}
        write_calibration(
            folder,
            other.fit.calibration if other.fit is not None else made.calibration,
            measured={**measured, **name_figures(left_out, one.figures, other.figures)},
            measured_on=told,
        )
        with make_folder_atomically(plan.out) as part:
            folder.rename(part)
    return report


def _find_second(settings: JudgeSettings) -> Path | None:
    """Folder of the second judge; None if there is none, or if it isn't where the settings say."""
    try:
        return locate_second(settings.package, settings.second)
    except (InputError, ResourceError):
        return None  # as in a chart, which the first judge then makes alone


def name_figures(left_out: CellCount, before: JudgeFigures, after: JudgeFigures) -> dict[str, float]:
    """The figures as a manifest keeps them, those of the base with ``_before``."""
    found = {"documents": float(left_out.documents), "cells": float(left_out.confirmed + left_out.rejected)}
    for ending, figures in (("_before", before), ("", after)):
        found |= {f"{name}{ending}": value for name, value in asdict(figures).items()}
    return found


@dataclass(frozen=True, slots=True, eq=False)
class ReadCells:
    """The rulings of one judge on the cells left out, read as probabilities; arrays are [cells]."""

    values: _FloatArray
    """By these the area ranks them."""
    probabilities: _FloatArray
    disclosed: float
    """Bound of *disclosed*."""
    labels: _BoolArray

    def measure(self, cells: NDArray[np.intp] | None = None) -> JudgeFigures:
        """The figures of some cells, by index, or of all."""
        own = np.arange(len(self.labels)) if cells is None else cells
        said, labels = self.probabilities[own], self.labels[own]
        return JudgeFigures(
            area=auc(self.values[own], labels),
            log_loss=log_loss(said, labels),
            right=float(((said >= self.disclosed) == labels).mean()),
        )


def find_intervals(before: ReadCells, after: ReadCells, documents: Sequence[str]) -> JudgeIntervals | None:
    """The 95 % intervals of both judges' figures, by drawing ``documents`` [cells] with replacement.

    Draws without confirmed, or without rejected, cells don't count. None for too few documents.
    """
    names, numbers = np.unique(documents, return_inverse=True)
    if len(names) < LEAST_DRAWN:
        return None
    members = [np.flatnonzero(numbers == number) for number in range(len(names))]
    rng = np.random.default_rng(_SEED)
    drawn = []
    for _ in range(_RESAMPLES):
        cells = np.concatenate([members[item] for item in rng.integers(len(members), size=len(members))])
        if 0 < before.labels[cells].sum() < len(cells):
            drawn.append([astuple(judge.measure(cells)) for judge in (before, after)])
    if not drawn:
        return None
    figures = np.array(drawn)  # [draws, judges, figures]
    one, other = figures[:, 0], figures[:, 1]
    return JudgeIntervals(*(_interval(values) for values in (one, other, other - one)))


def _interval(drawn: _FloatArray) -> FigureIntervals:
    """The intervals of the figures [draws, figures], in the order of `JudgeFigures`."""
    lows, highs = np.quantile(drawn, (0.025, 0.975), axis=0)
    ends = zip(lows.tolist(), highs.tolist(), strict=True)
    return FigureIntervals(*(FigureInterval(low, high) for low, high in ends))


def _describe_intervals(found: JudgeIntervals | None) -> tuple[str, ...]:
    if found is None:
        return (TOO_FEW,)
    area = found.difference.area
    return (CHANCE,) if area.low <= 0.0 <= area.high else ()


@dataclass(frozen=True, slots=True, eq=False)
class _Read:
    """What the rulings of a judge on the cells left out are worth."""

    cells: ReadCells
    figures: JudgeFigures
    bounds: Bounds
    fit: Fit | None = None


class _Reader:
    """Reads the rulings of both judges in the same way."""

    def __init__(self, calibration: Calibration | None, left_out: CellCount) -> None:
        self._known = calibration is not None
        self._calibration = calibration or UNCALIBRATED
        self.fits = (
            min(left_out.confirmed, left_out.rejected) >= LEAST_FITTED
            and left_out.documents >= LEAST_DOCUMENTS
        )

    def read(self, cells: Sequence[JudgedCell]) -> _Read:
        found = self._calibration
        labels = np.array([cell.disclosed for cell in cells], dtype=np.bool_)
        values = np.array([float(cell.scores[0] + found.cosine * cell.cosines[0]) for cell in cells])
        fit = None
        if self.fits:
            told = f"{plural(len(cells), 'cell')} decided by examiners"
            fit = fit_calibration(cells, candidates=found.candidates, fitted_on=told, weights=(found.cosine,))
            fit = _reading_on(fit, found.first)
            probabilities, bounds = fit.probabilities, fit.calibration.bounds
        else:
            pairs = ((float(cell.scores[0]), float(cell.cosines[0])) for cell in cells)
            probabilities = np.array([found.probability(score, cosine) for score, cosine in pairs])
            bounds = found.bounds
        made = ReadCells(values, probabilities, bounds.disclosed, labels)
        return _Read(made, made.measure(), bounds, fit)

    def describe(self, after: _Read) -> tuple[str, ...]:
        """What to know of the calibration of the adapted judge."""
        if not self.fits:
            return (KEPT if self._known else UNREAD,)
        return (NEVER_DISCLOSED,) if after.bounds.disclosed > 1 else ()


def _reading_on(fit: Fit, first: Calibration | None) -> Fit:
    """A fit of a judge that reads as many passages at first as before; one passage a cell fits both."""
    if first is None:
        return fit
    few = replace(fit.calibration, candidates=first.candidates)
    return replace(fit, calibration=replace(fit.calibration, first=few))


def _rule(
    folder: Path,
    cells: Sequence[DecidedCell],
    cosines: _FloatArray | None,
    settings: Settings,
    context: TaskContext,
) -> list[JudgedCell]:
    context.report(Note(f"Ruling on {plural(len(cells), 'cell')} left out."))
    judge = open_judge_package(folder, settings.judge)
    rulings = judge.rule([Pair(cell.subject, cell.feature, cell.passage) for cell in cells], context)
    near = np.zeros(len(cells)) if cosines is None else cosines
    return [
        JudgedCell(
            document_key(cell),
            cell.disclosed,
            # It was rejected because somebody had reason to look at it.
            near_miss=not cell.disclosed,
            scores=np.array([ruling.score]),
            cosines=near[place : place + 1],
        )
        for place, (cell, ruling) in enumerate(zip(cells, rulings, strict=True))
    ]


def _compare_vectors(cells: Sequence[DecidedCell], settings: Settings, context: TaskContext) -> _FloatArray:
    """[cells] cosine of feature and passage, with the encoder in use."""
    encoder = open_encoder(ModelPackage.resolve(settings.encoder.package), settings.encoder)
    texts = [EncoderInput(cell.feature, Section.CLAIMS, is_query=True) for cell in cells]
    texts += [EncoderInput(cell.passage, Section.DESCRIPTION) for cell in cells]
    vectors = unit_rows(np.array([item.pooled for item in encoder.encode(texts, context)]))
    features, passages = vectors[: len(cells)], vectors[len(cells) :]
    return np.asarray((features * passages).sum(axis=1), dtype=np.float64)
