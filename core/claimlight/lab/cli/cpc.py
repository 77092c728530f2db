"""``lab cpc``: F1 of predicted classes, from a file of predictions or a probe on vectors."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

import typer

from claimlight.cli.commands import AsJson, front_of, load_settings, open_library
from claimlight.cli.evaluate_report import give_out
from claimlight.cli.front import Front
from claimlight.encoders import Encoder, EncoderInput, ModelPackage, open_encoder
from claimlight.errors import InputError
from claimlight.evaluation.classification.documents import (
    ClassifiedDocument,
    Part,
    library_documents,
    read_documents,
)
from claimlight.evaluation.judgements import read_families, read_numbered_lines
from claimlight.evaluation.report import ProtocolReport, ReportRow
from claimlight.lab.diagnostics.chunk_lstm import import_torch
from claimlight.lab.diagnostics.probes import ProbeKind, ProbeSettings, import_sklearn
from claimlight.lab.papers.cpc.experts import Combination
from claimlight.lab.papers.cpc.features import (
    Feature,
    FeatureSource,
    FeatureTable,
    VectorFile,
    document_vectors,
    features,
)
from claimlight.lab.papers.cpc.levels import Level
from claimlight.lab.papers.cpc.predictions import read_predictions, write_predictions
from claimlight.lab.papers.cpc.protocol import (
    CpcPlan,
    LabelTitles,
    ZeroShot,
    evaluate_probes,
    measure_predictions,
    split_by_family,
    split_by_name,
)
from claimlight.lab.papers.cpc.section_map import draw_map, lay_out, separation
from claimlight.lab.papers.cpc.thresholds import FOLDS, Threshold
from claimlight.lab.papers.cpc.titles import read_label_titles
from claimlight.tasks import TaskContext
from claimlight.training.classifiers.splits import Split
from claimlight.types import Scheme, Section, plural

_PROBES = (ProbeKind.LOGISTIC, ProbeKind.KNN, ProbeKind.SVM)


def cpc_command(
    context: typer.Context,
    documents: Annotated[
        Path | None,
        typer.Option(help="Documents: JSON lines with _id, title, abstract, claims, labels; may be gzipped."),
    ] = None,
    library: Annotated[
        Path | None, typer.Option("--library", "-l", help="Or: use the documents of this library.")
    ] = None,
    predictions: Annotated[
        Path | None,
        typer.Option(help="Measure these predictions (JSON lines with _id, predicted) and fit nothing."),
    ] = None,
    labels: Annotated[str, typer.Option(help="The field of a document that holds its symbols.")] = "labels",
    scheme: Annotated[Scheme, typer.Option(help="With --library: which classification.")] = Scheme.CPC,
    families: Annotated[
        Path | None,
        typer.Option(
            help="Family and document, tab-separated: a family is never on both sides of the split."
        ),
    ] = None,
    without: Annotated[
        Path | None, typer.Option("--without", help="File of documents to leave out, one per line.")
    ] = None,
    sample: Annotated[
        int | None, typer.Option(min=10, help="Use this many documents, drawn at random; default: all.")
    ] = None,
    level: Annotated[
        list[Level] | None,
        typer.Option(help="Level of the labels; may be repeated. Default: section and class."),
    ] = None,
    probe: Annotated[
        list[ProbeKind] | None,
        typer.Option(help="Classifier to fit; may be repeated. Default: logistic, knn and svm."),
    ] = None,
    feature: Annotated[
        list[Feature] | None,
        typer.Option(
            help="What represents a document; may be repeated. Default: vectors. lstm reads chunks in any "
            "case; tfidf goes with logistic and svm only."
        ),
    ] = None,
    combine: Annotated[
        list[Combination] | None,
        typer.Option(help="Also make one system of the first logistic, knn and svm probe; may be repeated."),
    ] = None,
    zero_shot: Annotated[
        bool, typer.Option("--zero-shot", help="Also give the labels whose --titles are nearest, untrained.")
    ] = False,
    text: Annotated[
        list[Part] | None,
        typer.Option(help="Part of a document that is read; may be repeated. Default: all three."),
    ] = None,
    titles: Annotated[
        Path | None,
        typer.Option(help="Official titles (symbol, level, title, with tabs), a file or a folder."),
    ] = None,
    vectors: Annotated[
        Path | None, typer.Option(help="Vectors of the documents, .npz with ids and vectors: encode nothing.")
    ] = None,
    work: Annotated[Path | None, typer.Option(help="Keep the vectors here for the next run.")] = None,
    model: Annotated[
        str | None,
        typer.Option(metavar="PACKAGE", help="Name or folder of the model package; default: the one in use."),
    ] = None,
    threshold: Annotated[
        list[Threshold] | None,
        typer.Option(help="Score from which a label is given, learned on the training side; default: one."),
    ] = None,
    cut: Annotated[
        float, typer.Option(help="For predictions with scores: the score from which a label is given.")
    ] = 0.5,
    test: Annotated[float, typer.Option(min=0.01, max=0.99, help="Share of the documents to test on.")] = 0.2,
    test_on: Annotated[
        Path | None,
        typer.Option(
            "--test-on",
            help="Instead: file of the documents to test on, one per line; the others are fitted on, without "
            "relatives of the tested.",
        ),
    ] = None,
    least: Annotated[
        int, typer.Option(min=1, help="Training documents of a label below which it is never given.")
    ] = 1,
    folds: Annotated[
        int, typer.Option(min=2, help="Parts of the training side that are held back for thresholds.")
    ] = FOLDS,
    consistent: Annotated[
        bool,
        typer.Option(
            "--consistent", help="Also with no label more probable than its parent, if both levels are there."
        ),
    ] = False,
    inside: Annotated[
        bool,
        typer.Option("--inside", help="Also a classifier of classes inside each section, as in the paper."),
    ] = False,
    inside_test: Annotated[
        float,
        typer.Option(min=0.01, max=0.99, help="Share of a section's documents to test on with --inside."),
    ] = 0.15,
    neighbours: Annotated[
        list[int] | None, typer.Option(min=1, help="Neighbours of knn; default: 10.")
    ] = None,
    strength: Annotated[
        list[float] | None,
        typer.Option(min=1e-6, help="C of logistic and svm, smaller is smoother; default: 1."),
    ] = None,
    svm_strength: Annotated[
        list[float] | None, typer.Option(min=1e-6, help="C of svm, if it is not that of logistic.")
    ] = None,
    bins: Annotated[
        bool, typer.Option("--bins", help="Also show how probable suggestions are, and how many are right.")
    ] = False,
    map_: Annotated[
        Path | None,
        typer.Option(
            "--map", help="Draw the tested documents by section (t-SNE, PNG and SVG) into this folder."
        ),
    ] = None,
    totals: Annotated[
        bool, typer.Option("--totals", help="Leave out the rows of single sections and labels.")
    ] = False,
    write: Annotated[
        Path | None, typer.Option(help="Write the predictions to this folder, one file for each system.")
    ] = None,
    seed: Annotated[int, typer.Option("--seed", help="Random seed.")] = 1,
    out: Annotated[Path | None, typer.Option("--out", help="Also write the JSON to this file.")] = None,
    as_json: AsJson = False,
) -> None:
    """Measure classifiers of CPC or IPC from section to subgroup: F1, precision, calibration.

    Documents are split by family, a probe is fitted on their vectors, and what it gives the others is
    compared with what they have (docs/lab/papers/cpc.md).
    """
    front = front_of(context)
    plan = CpcPlan(
        levels=tuple(level or (Level.SECTION, Level.CLASS)),
        probes=_probes(probe or _PROBES, neighbours or (10,), strength or (1.0,), svm_strength or (), seed),
        combinations=tuple(dict.fromkeys(combine or ())),
        thresholds=tuple(threshold or (Threshold.ONE,)),
        test_share=test,
        least=least,
        parts=folds,
        consistent=consistent,
        inside=inside,
        inside_share=inside_test,
        by_label=not totals,
        bins=bins,
        seed=seed,
    )
    held = _Documents(documents, library, labels, scheme, families, without, sample, seed)
    if predictions is not None:
        report = _measure_predictions(held, predictions, plan, cut, front)
    else:
        source = FeatureSource(
            lambda: _encoder(front, model),
            tuple(text or Part),
            VectorFile(vectors) if vectors else None,
            titles,
            work,
        )
        wanted = _features(feature or (Feature.VECTORS,), plan)
        asked = _Asked(wanted, zero_shot=zero_shot, test_on=test_on, map=map_, write=write)
        report = _measure_probes(held, asked, source, plan, front)
    give_out(front, report, as_json=as_json, out=out)


def _probes(
    kinds: Sequence[ProbeKind],
    neighbours: Sequence[int],
    strengths: Sequence[float],
    svm_strengths: Sequence[float],
    seed: int,
) -> tuple[ProbeSettings, ...]:
    """Every kind with every value of its parameter."""
    found: list[ProbeSettings] = []
    for kind in kinds:
        if kind is ProbeKind.KNN:
            found += [ProbeSettings(kind, neighbours=count, seed=seed) for count in neighbours]
        elif kind in (ProbeKind.LOGISTIC, ProbeKind.SVM):
            own = svm_strengths if kind is ProbeKind.SVM and svm_strengths else strengths
            found += [ProbeSettings(kind, strength=strength, seed=seed) for strength in own]
        else:
            found.append(ProbeSettings(kind, seed=seed))
    return tuple(found)


def _features(wanted: Sequence[Feature], plan: CpcPlan) -> tuple[Feature, ...]:
    """Those that some probe reads; chunks if there is an LSTM."""
    kinds = [probe.kind for probe in plan.probes]
    every = dict.fromkeys([*wanted, *([Feature.CHUNKS] if ProbeKind.LSTM in kinds else [])])
    return tuple(item for item in every if any(item.fits(kind) for kind in kinds))


@dataclass(frozen=True, slots=True)
class _Asked:
    """What is measured beside the plan, and where results go."""

    features: tuple[Feature, ...]
    zero_shot: bool
    test_on: Path | None
    map: Path | None
    write: Path | None


@dataclass(frozen=True, slots=True)
class _Documents:
    """Where documents come from."""

    file: Path | None
    library: Path | None
    field: str
    scheme: Scheme
    families: Path | None
    without: Path | None
    sample: int | None
    seed: int

    def read(self, context: TaskContext) -> list[ClassifiedDocument]:
        """The documents that are not excluded."""
        if self.library is not None and self.file is not None:
            raise InputError("Name a file of documents or a library, not both.")
        out = {line.strip() for _, line in read_numbered_lines(self.without)} if self.without else set()
        if self.library is not None:
            with open_library(self.library) as found:
                read: Iterable[ClassifiedDocument] = library_documents(found, self.scheme, context)
        elif self.file is not None:
            families = read_families(self.families) if self.families else None
            read = read_documents(self.file, field=self.field, families=families)
        else:
            read = ()
        return [item for item in read if item.name not in out]

    def draw_sample(self, documents: Sequence[ClassifiedDocument]) -> list[ClassifiedDocument]:
        """A random sample of the wanted size, in the order of the documents."""
        if self.sample is None or self.sample >= len(documents):
            return list(documents)
        places = random.Random(self.seed).sample(range(len(documents)), self.sample)
        return [documents[place] for place in sorted(places)]


def _measure_predictions(
    held: _Documents, predictions: Path, plan: CpcPlan, cut: float, front: Front
) -> ProtocolReport:
    """Predictions of a file against its own labels, or those of the documents."""
    with front.working() as task:
        truth = {item.name: item.symbols for item in held.read(task)}
    rows = read_predictions(predictions, cut=cut)
    return measure_predictions(rows, truth, plan, system=predictions.name.split(".")[0])


def _measure_probes(
    held: _Documents, asked: _Asked, source: FeatureSource, plan: CpcPlan, front: Front
) -> ProtocolReport:
    """Probes on the vectors of the documents that have a label."""
    if held.file is None and held.library is None:
        raise InputError("Name the documents with --documents FILE, --library FOLDER, or --predictions FILE.")
    if asked.zero_shot and source.titles is None:
        raise InputError("--zero-shot compares with official titles: name them with --titles.")
    import_sklearn()
    if any(probe.kind is ProbeKind.LSTM for probe in plan.probes):
        import_torch()
    with front.working() as task:
        read = held.read(task)
        labelled = [item for item in read if Level.SECTION.labels(item.symbols)]
        if not labelled:
            field = f"{held.scheme.upper()} symbols" if held.library else f'symbols under "{held.field}"'
            raise InputError(f"None of the {plural(len(read), 'document')} has {field}: nothing to measure.")
        chosen = held.draw_sample(labelled)
        split, notes = _split(chosen, asked.test_on, plan)
        tables = features(chosen, asked.features, source, task, learned=split.train)
        zero_shot = _zero_shot(chosen, source, task) if asked.zero_shot else None
        found = evaluate_probes(chosen, tables, plan, task, split=split, zero_shot=zero_shot)
        rows = _map(chosen, split, tables, asked.map, source, plan, task) if asked.map else ()
    if asked.write is not None:
        asked.write.mkdir(parents=True, exist_ok=True)
        for system, predicted in found.predictions.items():
            write_predictions(predicted, asked.write / f"{system.replace(', ', '-')}.jsonl")
    if unlabelled := len(read) - len(labelled):
        notes = (f"Documents without a class, left out: {unlabelled:,}.", *notes)
    return replace(found.report, rows=(*found.report.rows, *rows), notes=(*notes, *found.report.notes))


def _split(
    documents: Sequence[ClassifiedDocument], test_on: Path | None, plan: CpcPlan
) -> tuple[Split, tuple[str, ...]]:
    """The sides, and notes for the reader."""
    if test_on is None:
        return split_by_family(documents, plan), ()
    found = split_by_name(documents, {line.strip() for _, line in read_numbered_lines(test_on)})
    if not found.crossing:
        return found.split, ()
    return found.split, (f"Relatives of tested documents, left out of training: {found.crossing:,}.",)


def _zero_shot(
    documents: Sequence[ClassifiedDocument], source: FeatureSource, context: TaskContext
) -> ZeroShot:
    def titles(level: Level) -> LabelTitles:
        assert source.titles is not None  # the command has checked
        found = read_label_titles(source.titles, level)
        texts = [EncoderInput(text, Section.ABSTRACT) for text in found.values()]
        return LabelTitles(tuple(found), source.encode(texts, context))

    return ZeroShot(document_vectors(documents, source, context), titles)


def _map(
    documents: Sequence[ClassifiedDocument],
    split: Split,
    tables: Sequence[FeatureTable],
    folder: Path,
    source: FeatureSource,
    plan: CpcPlan,
    context: TaskContext,
) -> tuple[ReportRow, ...]:
    """Draw the tested documents, and say how well their sections separate."""
    tested = [documents[row] for row in split.test]
    sections = [next(filter(None, map(Level.SECTION.label, item.symbols))) for item in tested]
    own = [table.rows for table in tables if table.feature is Feature.VECTORS]
    vectors = own[0][split.test] if own else document_vectors(tested, source, context)
    draw_map(lay_out(vectors, sections, seed=plan.seed), folder)
    return (ReportRow("map · section", separation(vectors, sections)),)


def _encoder(front: Front, model: str | None) -> Encoder:
    settings = load_settings(front)
    return open_encoder(ModelPackage.resolve(model or settings.encoder.package), settings.encoder)
