"""Trains a classifier and measures it on families that are left out (``claimlight classify``)."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING

import numpy as np

from claimlight import paths
from claimlight.classify.classifier import Classifier
from claimlight.classify.decoding import Probabilities
from claimlight.classify.manifest import ClassifierManifest
from claimlight.classify.measures import measure
from claimlight.classify.package import ClassifierPackage, write_package
from claimlight.encoders import ModelPackage, open_encoder
from claimlight.encoders.package_files import MANIFEST_FILE
from claimlight.errors import InputError
from claimlight.evaluation.classification.documents import read_documents
from claimlight.evaluation.classification.material import file_material, library_material
from claimlight.evaluation.judgements import JudgedFamilies, read_families, read_numbered_lines
from claimlight.services.classes.class_texts import document_key
from claimlight.services.library.library import Library
from claimlight.services.models.model_packages import check_free_name, open_staging
from claimlight.training.classifiers.building import ClassifierPlan, build
from claimlight.training.classifiers.material import Material
from claimlight.training.classifiers.splits import Split, by_group, split_rows
from claimlight.types import ClassFigures, ClassifierReport, Note, Progress, Scheme, plural

if TYPE_CHECKING:
    from claimlight.encoders import Encoder
    from claimlight.settings import Settings
    from claimlight.tasks import TaskContext

FEWEST = 30
"""Documents below which nothing is trained: a fifth of them is left out at first."""
SHARE = 0.2
"""Share of the documents that is left out to measure, by whole families."""


@dataclass(frozen=True, slots=True)
class Source:
    """Where the documents come from: a library, or a file of JSON lines."""

    scheme: Scheme
    library: Path | None = None
    documents: Path | None = None
    field: str = "labels"
    """Key of the symbols in a file."""
    families: Path | None = None
    """Groups and documents of a file, tab-separated."""
    without: Path | None = None
    """Publications that are left out, one a line."""
    test_on: Path | None = None
    """Publications to measure on, one a line; all others are trained on."""
    cache: Path | None = None


@dataclass(frozen=True, slots=True)
class TrainingPlan:
    """What is trained, and what is kept of it."""

    source: Source
    classifier: ClassifierPlan = field(default_factory=ClassifierPlan)
    name: str = ""
    """Name of the package among those of this machine; empty: after the source."""
    out: Path | None = None
    """Folder of the package instead, which must not exist yet."""
    licence: str = "the user's own"
    keep: bool = True
    """Whether the classifier is kept; otherwise it is only measured."""
    share: float = SHARE
    seed: int = 1


def train(plan: TrainingPlan, settings: Settings, context: TaskContext) -> ClassifierReport:
    """Measure on families that are left out, then train on all and write the package.

    With a list of documents to measure on these stay left out of what is kept as well. `InputError` for too
    few documents or a name in use, before anything is computed.
    """
    begin = perf_counter()
    name = _check_target(plan)
    package = ModelPackage.resolve(settings.encoder.package)
    encoder = open_encoder(package, settings.encoder)
    material, notes = _read(plan.source, encoder, context, fewest=FEWEST)
    split = _split(plan, material)
    trained, tested = material.rows(split.train), material.rows(split.test)
    _say(context, "measuring", trained)
    classifier = build(trained, plan.classifier, context)
    figures = measure_on(classifier, tested)
    measured_on = _measured_on(plan, tested)
    if plan.keep and plan.source.test_on is None:
        _say(context, "training", material)
        classifier, trained = build(material, plan.classifier, context), material
    manifest = ClassifierManifest(
        id=name,
        version="1",
        licence=plan.licence,
        source=_source_name(plan.source),
        scheme=plan.source.scheme,
        encoder=encoder.fingerprint,
        encoder_name=f"{package.manifest.id} {package.manifest.version}",
        dim=encoder.dim,
        heads=plan.classifier.heads,
        combination=plan.classifier.combination,
        documents=len(set(trained.documents)),
        trained_on=_trained_on(plan.source, trained),
        measured=figures,
        measured_on=measured_on,
        # What a licence forbids of an encoder's vectors it forbids of what was made from them.
        commercial=package.manifest.commercial,
    )
    folder, size = _keep(plan, name, classifier, manifest) if plan.keep else ("", 0)
    return ClassifierReport(
        model=manifest.name,
        folder=folder,
        scheme=plan.source.scheme,
        encoder=manifest.encoder_name,
        documents=manifest.documents,
        classes=len(classifier.space),
        figures=figures,
        measured_on=measured_on,
        bytes=size,
        seconds=perf_counter() - begin,
        notes=notes,
    )


def measure_on(classifier: Classifier, material: Material) -> tuple[ClassFigures, ...]:
    """The figures of a classifier on some documents; of each the mean over its rows."""
    found, sets = by_document(classifier.probabilities(material.vectors), material)
    return measure(found, sets, classifier.space, classifier.thresholds)


def measure_installed(
    name: str, source: Source, settings: Settings, context: TaskContext
) -> ClassifierReport:
    """Measure an installed classifier on documents, as it is; the scheme is its own.

    Documents that it was trained on flatter it: those that vote in it are left out, with a note.
    """
    begin = perf_counter()
    found = ClassifierPackage.resolve(name)
    manifest = found.manifest
    package = ModelPackage.resolve(settings.encoder.package)
    encoder = open_encoder(package, settings.encoder)
    if manifest.encoder != encoder.fingerprint:
        raise InputError(
            f"{manifest.name} belongs to the encoder {manifest.encoder_name}, which is not the one in use."
        )
    classifier = found.open()
    material, notes = _read(replace(source, scheme=manifest.scheme), encoder, context)
    if source.test_on is not None:
        asked = _names(source.test_on)
        material = material.rows(
            [row for row, each in enumerate(material.documents) if document_key(each) in asked]
        )
    known = frozenset(document_key(name) for name in classifier.documents)
    unseen = [row for row, each in enumerate(material.documents) if document_key(each) not in known]
    left = len({name for name in material.documents if document_key(name) in known})
    if left:
        notes = (*notes, f"Left out, as it was trained on them: {plural(left, 'document')}.")
    if not unseen:
        raise InputError(f"{manifest.name} was trained on all of these documents: nothing can be measured.")
    tested = material.rows(unseen)
    count = plural(len(set(tested.documents)), "document")
    return ClassifierReport(
        model=manifest.name,
        folder="",
        scheme=manifest.scheme,
        encoder=manifest.encoder_name,
        documents=manifest.documents,
        classes=len(classifier.space),
        figures=measure_on(classifier, tested),
        measured_on=f"{count} of {_source_name(source)}",
        bytes=sum(item.size for item in manifest.files),
        seconds=perf_counter() - begin,
        notes=notes,
    )


def by_document(found: Probabilities, material: Material) -> tuple[Probabilities, tuple[frozenset[str], ...]]:
    """Probabilities [documents, labels] as the mean over each document's rows, and its labels."""
    names = list(dict.fromkeys(material.documents))
    place = {name: number for number, name in enumerate(names)}
    of_row = np.array([place[name] for name in material.documents], dtype=np.int64)
    summed = np.zeros((len(names), found.shape[1]))
    np.add.at(summed, of_row, found)
    labels = dict(zip(material.documents, material.labels, strict=True))
    return summed / np.bincount(of_row)[:, None], tuple(labels[name] for name in names)


def _read(
    source: Source, encoder: Encoder, context: TaskContext, *, fewest: int = 1
) -> tuple[Material, tuple[str, ...]]:
    if (source.library is None) == (source.documents is None):
        raise InputError("Name a library or a file of documents, one of them.")
    if source.library is not None:
        with Library.open(source.library) as library:
            material = library_material(library, source.scheme, encoder, context)
    else:
        assert source.documents is not None
        families = read_families(source.families) if source.families else JudgedFamilies({})
        read = read_documents(source.documents, field=source.field, families=families)
        material = file_material(list(read), encoder, context, cache=source.cache)
    notes: list[str] = []
    if source.without is not None:
        out = _names(source.without)
        kept = [row for row, name in enumerate(material.documents) if name not in out]
        notes.append(
            f"Left out: {plural(len(set(material.documents) & out), 'document')} of {source.without.name}."
        )
        material = material.rows(kept)
    documents = len(set(material.documents))
    if documents and documents < fewest:
        raise InputError(
            f"A classifier needs at least {fewest} documents with {source.scheme.upper()} classes and a "
            f"text; {_source_name(source)} has {documents}. Import more documents that have classes."
        )
    if not len(material):
        what = f"{source.scheme.upper()} classes and a text" if source.library else "classes and a text"
        raise InputError(f"No document has {what}: there is nothing to learn from.")
    return material, tuple(notes)


def _split(plan: TrainingPlan, material: Material) -> Split:
    """By family, at random or by the list of documents to measure on."""
    if plan.source.test_on is None:
        return by_group(material.groups, plan.share, seed=plan.seed)
    asked = _names(plan.source.test_on)
    chosen = np.array([document_key(name) in asked for name in material.documents], dtype=np.bool_)
    if not chosen.any():
        raise InputError(f"None of the documents of {plan.source.test_on} is there with a class.")
    apart = {group for group, test in zip(material.groups, chosen, strict=True) if test}
    split = split_rows(chosen)
    # A relative of a tested document would give its classes away.
    train = [row for row in split.train.tolist() if material.groups[row] not in apart]
    return Split(np.array(train, dtype=np.int64), split.test)


def _check_target(plan: TrainingPlan) -> str:
    name = plan.name or (plan.out.name if plan.out else _default_name(plan.source))
    if plan.keep and plan.out is not None:
        if plan.out.exists():
            raise InputError(f"{plan.out} exists already: name another folder.")
    elif plan.keep:
        check_free_name(name)
    return name


def _default_name(source: Source) -> str:
    base = (source.library or source.documents or Path("classes")).name.split(".")[0]
    plain = "-".join("".join(sign if sign.isalnum() else " " for sign in base).split()).lower() or "library"
    name = f"{plain}-{source.scheme.value}"
    number = 1
    while (paths.models_dir() / (f"{name}-{number}" if number > 1 else name)).exists():
        number += 1
    return f"{name}-{number}" if number > 1 else name


def _keep(
    plan: TrainingPlan, name: str, classifier: Classifier, manifest: ClassifierManifest
) -> tuple[str, int]:
    """Write the package, complete or not at all; its folder and size."""
    with open_staging("classifier") as folder:
        written = write_package(classifier, manifest, folder)
        target = plan.out or paths.models_dir() / name
        target.parent.mkdir(parents=True, exist_ok=True)
        folder.replace(target)
    size = sum(item.size for item in written.manifest.files) + (target / MANIFEST_FILE).stat().st_size
    return str(target), size


def _names(path: Path) -> frozenset[str]:
    return frozenset(document_key(line.strip()) for _, line in read_numbered_lines(path) if line.strip())


def _say(context: TaskContext, stage: str, material: Material) -> None:
    count = len(set(material.documents))
    context.report(Note(f"{stage.capitalize()}: {plural(count, 'document')}"))
    context.report(Progress(stage, 0, 1, "classifiers", 0.0, None))


def _source_name(source: Source) -> str:
    return (source.library or source.documents or Path()).name


def _trained_on(source: Source, material: Material) -> str:
    return (
        f"{plural(len(set(material.documents)), 'document')} with {source.scheme.upper()} classes of "
        f"{_source_name(source)}"
    )


def _measured_on(plan: TrainingPlan, material: Material) -> str:
    count = plural(len(set(material.documents)), "document")
    if plan.source.test_on is not None:
        return f"{count} that were left out of the training with their families"
    return f"{count}, whole families drawn at random, that were left out of a training on the others"
