"""The protocol: documents split by family, a probe fitted on one side, F1 measured on the other.

Two ways below the section: all classes at once over the same split, or as the UC Berkeley paper does, a
classifier for each section among the documents of that section on the training side, which are split again.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from claimlight.errors import InputError
from claimlight.evaluation.classification.documents import ClassifiedDocument
from claimlight.evaluation.report import Count, ProtocolReport, ReportRow
from claimlight.lab.diagnostics.probes import ProbeKind, ProbeSettings, Targets, Vectors
from claimlight.lab.papers.cpc.experts import Combination, combine
from claimlight.lab.papers.cpc.f1 import figures, label_figures
from claimlight.lab.papers.cpc.features import Feature, FeatureTable
from claimlight.lab.papers.cpc.levels import Labelled, Level, as_matrix
from claimlight.lab.papers.cpc.predictions import Prediction, at_level
from claimlight.lab.papers.cpc.runner import Answer, Runner, Scored, SectionAnswers, cap, with_labels
from claimlight.lab.papers.cpc.suggestions import bin_figures, confidence_figures, first_bins, rank_figures
from claimlight.lab.papers.cpc.thresholds import FOLDS, Threshold
from claimlight.tasks import TaskContext
from claimlight.training.classifiers.splits import Split, by_group
from claimlight.types import Progress
from claimlight.vectors import unit_rows

NAME = "classification"
PRIOR = "prior"
"""The system that gives every document the labels that are common on the training side."""
ZERO_SHOT = "titles"
"""The system that gives a document the labels whose titles are nearest; it is not trained."""
EXPERTS = (ProbeKind.LOGISTIC, ProbeKind.KNN, ProbeKind.SVM)
"""What a mixture of experts is made of, as in the paper."""
_ASKED = 2000
"""Training documents that the threshold of titles is learned from: there are more labels than documents."""


@dataclass(frozen=True, slots=True)
class CpcPlan:
    """What is fitted and measured."""

    levels: tuple[Level, ...] = (Level.SECTION, Level.CLASS)
    probes: tuple[ProbeSettings, ...] = (ProbeSettings(),)
    combinations: tuple[Combination, ...] = ()
    """Made of the first probe of each of the paper's three kinds, on vectors."""
    thresholds: tuple[Threshold, ...] = (Threshold.FIXED,)
    test_share: float = 0.2
    least: int = 1
    """A label of fewer training documents is never given."""
    parts: int = FOLDS
    """Parts of the training side that are held back in turn."""
    consistent: bool = False
    """Also measure systems with no label more probable than its parent, where both levels are wanted."""
    inside: bool = False
    """Also fit a classifier for each section, below the section level."""
    inside_share: float = 0.15
    """Share of a section's documents that are tested there."""
    by_label: bool = True
    """Whether every label has a row, and below the section every section."""
    bins: bool = False
    """Whether probabilities have rows by bin."""
    seed: int = 1


@dataclass(frozen=True, slots=True, eq=False)
class LabelTitles:
    """Titles of the labels of a level as vectors."""

    labels: tuple[str, ...]
    rows: Vectors
    """[labels, dimensions]."""


@dataclass(frozen=True, slots=True)
class ZeroShot:
    """What classification by titles needs."""

    documents: Vectors
    """[documents, dimensions]."""
    titles: Callable[[Level], LabelTitles]


@dataclass(frozen=True, slots=True)
class NamedSplit:
    """A split by a list of documents."""

    split: Split
    crossing: int
    """Documents left out of training because the test has one of their family."""


@dataclass(frozen=True, slots=True)
class CpcOutcome:
    """The table, and what was predicted for the test side."""

    report: ProtocolReport
    predictions: Mapping[str, tuple[Prediction, ...]]
    """By system; without those of classifiers inside a section, which several sections may ask."""


def split_by_name(documents: Sequence[ClassifiedDocument], tested: Collection[str]) -> NamedSplit:
    """Named documents are tested, all others fitted on, but for relatives of the tested.

    If none of the named is there, or no other, an `InputError`.
    """
    names = set(tested)
    families = {item.family for item in documents if item.name in names} - {""}
    train, test, crossing = [], [], 0
    for row, item in enumerate(documents):
        if item.name in names:
            test.append(row)
        elif item.family in families:
            crossing += 1
        else:
            train.append(row)
    if not test or not train:
        raise InputError(
            f"Of the named documents {len(test):,} are among the {len(documents):,} that have a class: both "
            "sides of the split need some."
        )
    return NamedSplit(Split(np.array(train, dtype=np.int64), np.array(test, dtype=np.int64)), crossing)


def split_by_family(documents: Sequence[ClassifiedDocument], plan: CpcPlan) -> Split:
    """Families are drawn at random until the test has its share."""
    # By family, which the paper does not say: a relative on the other side gives the answer away.
    return by_group([document.family for document in documents], plan.test_share, seed=plan.seed)


def evaluate_probes(
    documents: Sequence[ClassifiedDocument],
    tables: Sequence[FeatureTable],
    plan: CpcPlan,
    context: TaskContext,
    *,
    split: Split | None = None,
    zero_shot: ZeroShot | None = None,
) -> CpcOutcome:
    """Fit and measure every probe on every table of features, which have a row for each document.

    ``split`` goes before that of the plan. A level that fewer than two documents reach on a side is an
    `InputError`, and so is a combination without its three experts.
    """
    split = split_by_family(documents, plan) if split is None else split
    _check_experts(tables, plan)
    runs = _Runs(documents, tables, plan, context, split, zero_shot)
    for level in plan.levels:
        runs.measure(level)
    counts = (
        Count("documents", len(split.train) + len(split.test)),
        Count("fitted on", len(split.train)),
        Count("tested", len(split.test)),
    )
    report = ProtocolReport(NAME, tuple(runs.rows), counts, tuple(dict.fromkeys(runs.notes)))
    return CpcOutcome(report, {system: tuple(found) for system, found in runs.predictions.items()})


def _check_experts(tables: Sequence[FeatureTable], plan: CpcPlan) -> None:
    if not plan.combinations:
        return
    kinds = {probe.kind for probe in plan.probes}
    if not kinds.issuperset(EXPERTS) or all(table.feature is not Feature.VECTORS for table in tables):
        raise InputError(
            f"A mixture of experts is made of the probes {', '.join(EXPERTS)} on vectors: name all three."
        )


class _Runs:
    """What is measured, level by level."""

    def __init__(
        self,
        documents: Sequence[ClassifiedDocument],
        tables: Sequence[FeatureTable],
        plan: CpcPlan,
        context: TaskContext,
        split: Split,
        zero_shot: ZeroShot | None,
    ) -> None:
        self.rows: list[ReportRow] = []
        self.predictions: dict[str, list[Prediction]] = {}
        self.notes: list[str] = []
        self._documents = documents
        self._pairs = [pair for pair in product(tables, plan.probes) if pair[0].feature.fits(pair[1].kind)]
        self._plan = plan
        self._context = context
        self._split = split
        self._zero_shot = zero_shot
        self._groups = [document.family for document in documents]
        self._above: dict[str, tuple[Level, Scored]] = {}
        """By system, the scores of the level before, if they are probabilities."""

    def measure(self, level: Level) -> None:
        """All systems at a level."""
        plan, steps = self._plan, len(self._plan.levels) * len(self._pairs)
        sets = [level.labels(document.symbols) for document in self._documents]
        sides = with_labels(self._split, sets, level)
        everywhere = len(self._split.train) + len(self._split.test)
        if missing := everywhere - len(sides.train) - len(sides.test):
            self.notes.append(f"Documents without a {level}, left out at that level: {missing:,}.")
        runner = Runner(
            sets,
            self._groups,
            plan.thresholds,
            self._context,
            least=plan.least,
            parts=plan.parts,
            always_hold_back=bool(plan.combinations),
        )
        self._say_rare(level, runner, sides)
        # Where half of the documents are of section G, G is cheap: every probe is read against this row.
        prior = runner.prior(sides)
        self.rows += _rows(PRIOR, level, runner.given_by_one(prior), plan)
        self.rows += _suggestion_rows(PRIOR, level, prior, plan)
        experts: dict[ProbeKind, tuple[Scored, ProbeSettings]] = {}
        for number, (table, probe) in enumerate(self._pairs):
            name = _probe(table.feature, probe, plan)
            done = plan.levels.index(level) * len(self._pairs) + number
            self._context.report(Progress("probes", done, steps, "probes", 0.0, None, f"{name}, {level}"))
            scored = runner.score(table.rows, sides, probe)
            if table.feature is Feature.VECTORS and probe.kind in EXPERTS:
                experts.setdefault(probe.kind, (scored, probe))
            self._add(name, level, scored, runner)
            if plan.inside and level is not Level.SECTION:
                inside = runner.inside(table.rows, sides, probe, share=plan.inside_share, seed=plan.seed)
                systems = [_with_threshold(name, item, plan) for item in plan.thresholds]
                self.rows += _inside(systems, level, tuple(inside), plan)
        for kind in plan.combinations:
            scored = combine(
                kind,
                [experts[item][0] for item in EXPERTS],
                [_floor(experts[item][1]) for item in EXPERTS],
                runner.train_groups(sides),
                parts=plan.parts,
                seed=plan.seed,
            )
            self._add(kind.value, level, scored, runner)
        if self._zero_shot is not None:
            self._add(ZERO_SHOT, level, self._by_titles(self._zero_shot, level, sets, sides), runner)

    def _add(self, name: str, level: Level, scored: Scored, runner: Runner) -> None:
        """Rows and predictions of a system, and with labels bound by their parents if that is wanted."""
        self._add_rows(name, level, scored, runner)
        above = self._above.get(name)
        if scored.probable:
            bound = cap(scored, above[1], above[0]) if above else scored
            # What binds the level below is bound itself.
            self._above[name] = (level, bound)
            if above and self._plan.consistent:
                self._add_rows(f"{name}, consistent", level, bound, runner)

    def _add_rows(self, name: str, level: Level, scored: Scored, runner: Runner) -> None:
        for threshold, answer in zip(self._plan.thresholds, runner.answers(scored), strict=True):
            system = _with_threshold(name, threshold, self._plan)
            self.rows += _rows(system, level, answer, self._plan)
            found = _predictions(self._documents, level, answer)
            self.predictions.setdefault(system, []).extend(found)
        self.rows += _suggestion_rows(name, level, scored, self._plan)

    def _say_rare(self, level: Level, runner: Runner, sides: Split) -> None:
        """Labels that are too rare to be fitted, and what that costs at the most."""
        counts = runner.labelled.targets[sides.train].sum(axis=0)
        rare = counts < self._plan.least
        tested = runner.labelled.targets[sides.test]
        if rare.any():
            lost, whole = int(tested[:, rare].sum()), int(tested.sum())
            self.notes.append(
                f"Labels of the level {level} with fewer than {self._plan.least} training documents, never "
                f"given: {int(rare.sum()):,} of {len(rare):,}, which are {lost:,} of the {whole:,} labels "
                "that the tested documents have."
            )

    def _by_titles(
        self, zero_shot: ZeroShot, level: Level, sets: Sequence[frozenset[str]], sides: Split
    ) -> Scored:
        """Cosines with the titles of all labels of the level, also of those that no document has."""
        titles = zero_shot.titles(level)
        labelled = as_matrix(sets, titles.labels)
        place = {label: column for column, label in enumerate(labelled.labels)}
        fitted = np.array([place[label] for label in titles.labels], dtype=np.int64)
        rng = np.random.default_rng(self._plan.seed)
        asked = np.sort(rng.permutation(sides.train)[:_ASKED])
        anchors = unit_rows(titles.rows).T
        held_back, test = (
            (unit_rows(zero_shot.documents[rows]) @ anchors).astype(np.float64)
            for rows in (asked, sides.test)
        )
        if missing := len(labelled.labels) - len(fitted):
            self.notes.append(f"Labels of the level {level} that have no title: {missing:,}.")
        return Scored(labelled, fitted, Split(asked, sides.test), held_back, test, probable=False)


def _floor(probe: ProbeSettings) -> float:
    """The least probability that an expert is taken to mean: half a vote more than neighbours can say."""
    return 0.5 / (probe.neighbours + 1) if probe.kind is ProbeKind.KNN else 0.0


def measure_predictions(
    rows: Sequence[Prediction], truth: Mapping[str, Sequence[str]], plan: CpcPlan, *, system: str
) -> ProtocolReport:
    """Measure what a file predicts; ``truth`` has the symbols of documents it says nothing of.

    A level at which no document has a label is an `InputError`.
    """
    found: list[ReportRow] = []
    notes: list[str] = []
    for level in plan.levels:
        asked = sum(row.level in (None, level) for row in rows)
        has, given = at_level(rows, level, truth)
        if not has:
            raise InputError(
                f'No predicted document has a {level} to compare with: the file needs "labels", or the '
                "documents that it predicts must be named."
            )
        if missing := asked - len(has):
            notes.append(f"Predicted documents that have no {level}, left out at that level: {missing:,}.")
        labelled = as_matrix(has, {label for item in given for label in item})
        answer = Answer((), labelled, as_matrix(given, labelled.labels).targets)
        found += _rows(system, level, answer, plan)
    count = Count("documents", len({row.name for row in rows}))
    return ProtocolReport(NAME, tuple(found), (count,), tuple(notes))


def _probe(feature: Feature, probe: ProbeSettings, plan: CpcPlan) -> str:
    """The name of a probe: with its parameters where there are several of its kind."""
    name = probe.kind.value
    if sum(item.kind is probe.kind for item in plan.probes) > 1:
        name += f" k={probe.neighbours}" if probe.kind is ProbeKind.KNN else f" C={probe.strength:g}"
    return name if feature in (Feature.VECTORS, Feature.CHUNKS) else f"{name}, {feature}"


def _with_threshold(name: str, threshold: Threshold, plan: CpcPlan) -> str:
    return f"{name}, {threshold}" if len(plan.thresholds) > 1 else name


def _suggestion_rows(name: str, level: Level, scored: Scored, plan: CpcPlan) -> Iterator[ReportRow]:
    """What the order of suggestions is worth, whatever the threshold; of probabilities their calibration."""
    truth = scored.truth.targets
    scores = scored.all_labels(scored.test, -np.inf)
    common = scored.labelled.targets[scored.split.train].sum(axis=0)
    yield ReportRow(
        f"{name} · {level}, first suggestions", rank_figures(truth, scores, common, seed=plan.seed)
    )
    if not scored.probable or name == PRIOR:
        return
    yield ReportRow(f"{name} · {level}, confidence", confidence_figures(truth, scores, seed=plan.seed))
    if plan.bins:
        for bin_, found in bin_figures(tuple(first_bins(truth, scores))):
            yield ReportRow(f"{name} · {level}, probability {bin_}", found)


def _rows(system: str, level: Level, answer: Answer, plan: CpcPlan) -> list[ReportRow]:
    """A row for the level; if wanted, one for each section below that level, and one for each label."""
    truth, given = answer.truth, answer.given
    rows = [ReportRow(f"{system} · {level}", figures(truth.targets, given, seed=plan.seed))]
    if plan.by_label and level is not Level.SECTION and system != PRIOR:
        for section in sorted({label[0] for label in truth.labels}):
            own = truth.only(section)
            theirs = Labelled(truth.labels, given).only(section).targets
            if own.targets.any():
                # Documents without a label of the section on either side would dilute the mean.
                concerned = own.targets.any(axis=1) | theirs.any(axis=1)
                values = figures(own.targets[concerned], theirs[concerned], seed=plan.seed)
                rows.append(ReportRow(f"{system} · {level} in {section}", values))
    if plan.by_label and system != PRIOR:
        for label, found in zip(truth.labels, label_figures(truth.targets, given), strict=True):
            rows.append(ReportRow(f"{system} · {label}", found))
    return rows


def _inside(
    systems: Sequence[str], level: Level, sections: Sequence[SectionAnswers], plan: CpcPlan
) -> Iterator[ReportRow]:
    """By system a row for all sections' own classifiers together, and one for each."""
    for place, system in enumerate(systems):
        answers = [item.answers[place] for item in sections]
        if answers:
            truth = _diagonal([item.truth.targets for item in answers])
            given = _diagonal([item.given for item in answers])
            yield ReportRow(f"{system} · {level} inside", figures(truth, given, seed=plan.seed))
        for section, answer in zip(sections, answers, strict=True):
            values = figures(answer.truth.targets, answer.given, seed=plan.seed)
            yield ReportRow(f"{system} · {level} inside {section.section}", values)


def _diagonal(blocks: Sequence[Targets]) -> Targets:
    """Matrices corner to corner; no two sections share a label, and a document of two counts in both."""
    whole = np.zeros((sum(len(block) for block in blocks), sum(block.shape[1] for block in blocks)), np.bool_)
    row = column = 0
    for block in blocks:
        whole[row : row + len(block), column : column + block.shape[1]] = block
        row, column = row + len(block), column + block.shape[1]
    return whole


def _predictions(
    documents: Sequence[ClassifiedDocument], level: Level, answer: Answer
) -> Iterator[Prediction]:
    names = np.array(answer.truth.labels)
    for place, row in enumerate(answer.rows):
        given = frozenset(names[answer.given[place]].tolist())
        labels = frozenset(names[answer.truth.targets[place]].tolist())
        yield Prediction(documents[row].name, given, labels, level)
