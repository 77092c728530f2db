"""SPLADE and ColBERT beside the search: their packages, their indexes, their form of a query.

They are there to be compared with, so nothing of the search depends on them: each has a model package of its
own (settings ``comparison.*``) and an index of its own in ``comparison/`` of the library, under a name that
says which package made it. Documents that were removed since stay in it; the search leaves them out.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from claimlight.encoders import EncoderInput, licences
from claimlight.encoders import manifest as manifests
from claimlight.encoders import package as packages
from claimlight.encoders.colbert import ColbertEncoder
from claimlight.encoders.manifest import Kind
from claimlight.encoders.package import ModelPackage
from claimlight.encoders.splade import SpladeEncoder
from claimlight.errors import AppError, InputError, ResourceError
from claimlight.index import verify as checks
from claimlight.index.generation import Generation
from claimlight.index.late.search import LateIndex
from claimlight.index.late.store import read as read_late
from claimlight.index.late.store import read_whole
from claimlight.retrieval import RetrievalQuery
from claimlight.settings import Settings
from claimlight.tasks import TaskContext
from claimlight.text.normalise import FINGERPRINT as NORMALISER
from claimlight.types import COMPARED_LEGS, Leg, Section, counted

_NAMES = {Leg.SPLADE: "SPLADE", Leg.COLBERT: "ColBERT"}


@dataclass(frozen=True, slots=True, eq=False)
class OpenLeg:
    """One of them, open: its encoder, and its index where there is one."""

    encoder: SpladeEncoder | ColbertEncoder
    splade: Generation | None = None
    colbert: LateIndex | None = None

    @property
    def indexed(self) -> int:
        """The last document of its index; 0 without one."""
        if self.splade is not None:
            return self.splade.last_document
        return self.colbert.manifest.last_document if self.colbert is not None else 0


def package_of(leg: Leg, settings: Settings) -> ModelPackage:
    """The package that a leg ranks with: the one of the settings, or the only one that is installed.

    Raises `InputError` where there is none, several, one of another kind, or one whose licence must be
    accepted first.
    """
    kind = Kind(leg.value)
    named = getattr(settings.comparison, leg.value)
    if not named:
        named = _installed(leg, kind)
    found = ModelPackage.resolve(named)
    if found.manifest.kind is not kind:
        raise InputError(
            f"{found.manifest.id} is a {found.manifest.kind} package; {_NAMES[leg]} needs one of kind {kind}."
        )
    licences.require(found.manifest)
    return found


def _installed(leg: Leg, kind: Kind) -> str:
    """Folder of the one package of a kind."""
    found = []
    for folder in packages.folders():
        try:
            if manifests.read(folder / manifests.FILE_NAME).kind is kind:
                found.append(folder)
        except AppError:
            continue  # `models list` shows what is wrong with it
    if len(found) == 1:
        return str(found[0])
    if found:
        names = ", ".join(folder.name for folder in found)
        raise InputError(
            f"Several {_NAMES[leg]} packages are installed ({names}): choose one with "
            f"`claimlight settings set comparison.{leg} NAME`."
        )
    raise InputError(
        f"No {_NAMES[leg]} package is installed. `claimlight models export --preset …` makes one of a "
        f"checkpoint; `claimlight settings set comparison.{leg} FOLDER` names one that lies elsewhere."
    )


def open_encoder_of(leg: Leg, settings: Settings) -> SpladeEncoder | ColbertEncoder:
    """The encoder of a leg's package."""
    package = package_of(leg, settings)
    if leg is Leg.SPLADE:
        return SpladeEncoder(package, settings.encoder)
    cut = settings.comparison.colbert_queries == "cut"
    return ColbertEncoder(package, settings.encoder, cut_queries=cut)


def comparison_folder(library: Path, leg: Leg, encoder: str) -> Path:
    """Where the index that a package (by its fingerprint) makes of a library lies."""
    digest = hashlib.sha256(f"{encoder} {NORMALISER}".encode()).hexdigest()[:12]
    return library / "comparison" / f"{leg.value}-{digest}"


def state_of(library: Path, leg: Leg, settings: Settings) -> str:
    """What the index of a leg holds, for whoever keeps figures; `ResourceError` where there is none."""
    folder = comparison_folder(library, leg, package_of(leg, settings).manifest.fingerprint)
    if leg is Leg.SPLADE:
        generation = Generation.open(folder)
        held = generation.last_document if generation is not None else 0
    else:
        found = read_late(folder)
        held = found.last_document if found is not None else 0
    if not held:
        raise ResourceError(
            f"The library {library} has no {_NAMES[leg]} index; `claimlight index --comparison {leg}` makes "
            "one."
        )
    return f"{folder.name} {held}"


def verified(library: Path) -> Iterator[str]:
    """Read every byte of the indexes to compare with; a sentence for each, `ResourceError` for a fault."""
    for folder in sorted((library / "comparison").glob("*-*")):
        count = 0
        if folder.name.startswith(Leg.SPLADE.value):
            generation = Generation.open(folder, check=False)
            if generation is not None:
                checks.verify(generation.folder, generation.manifest.segments, remembered=False)
                count = generation.passages
        elif (found := read_late(folder)) is not None:
            read_whole(folder, found)
            count = found.passages
        yield f"{folder}: {counted(count, 'passage is', 'passages are')} byte for byte what was written."


class ComparedLegs:
    """Opens what the legs of a request need, and keeps it; threads may share it."""

    def __init__(self, library: Path, settings: Settings) -> None:
        self._library = library
        self._settings = settings
        self._lock = threading.Lock()
        self._open: dict[Leg, OpenLeg] = {}

    def opened(self, legs: Sequence[Leg], *, last_document: int) -> dict[Leg, OpenLeg]:
        """The compared legs among ``legs``; an index behind ``last_document`` is looked for anew.

        Raises `InputError` without a package and `ResourceError` for an index that is damaged.
        """
        with self._lock:
            wanted = [leg for leg in COMPARED_LEGS if leg in legs]
            for leg in wanted:
                known = self._open.get(leg)
                if known is None or known.indexed < last_document:
                    encoder = known.encoder if known else open_encoder_of(leg, self._settings)
                    self._open[leg] = _with_index(leg, encoder, self._library)
            return {leg: self._open[leg] for leg in wanted}


def notes_of(opened: dict[Leg, OpenLeg], *, last_document: int) -> tuple[str, ...]:
    """What the user must be told of the legs."""
    notes = []
    for leg, item in opened.items():
        name = _NAMES[leg]
        if item.splade is None and item.colbert is None:
            notes.append(
                f"The library has no {name} index: {name} found nothing. "
                f"`claimlight index --comparison {leg}` makes one."
            )
        elif item.indexed < last_document:
            notes.append(
                f"The {name} index lacks the newest documents; "
                f"`claimlight index --comparison {leg}` adds them."
            )
        if item.encoder.note:
            notes.append(item.encoder.note)
    return tuple(notes)


def asked_of(
    query: RetrievalQuery,
    opened: dict[Leg, OpenLeg],
    *,
    section: Section,
    context: TaskContext,
) -> RetrievalQuery:
    """The query with the forms that the open legs need."""
    inputs = [EncoderInput(query.text, section, is_query=True)]
    for item in opened.values():
        if isinstance(item.encoder, SpladeEncoder):
            (sparse,) = item.encoder.encode(inputs, context)
            query = replace(query, sparse=sparse)
        else:
            (late,) = item.encoder.encode(inputs, context)
            query = replace(query, late=late.vectors)
    return query


def _with_index(leg: Leg, encoder: SpladeEncoder | ColbertEncoder, library: Path) -> OpenLeg:
    folder = comparison_folder(library, leg, encoder.fingerprint)
    try:
        if leg is Leg.SPLADE:
            return OpenLeg(encoder, splade=Generation.open(folder))
        return OpenLeg(encoder, colbert=LateIndex.open(folder))
    except ResourceError as error:
        raise ResourceError(
            f"The {_NAMES[leg]} index can't be used ({error}). Remove the folder {folder} and make it anew "
            f"with `claimlight index --comparison {leg}`."
        ) from error
