"""Suggests classes for a text or a document, and shows what led to them."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from claimlight.classify import manifest as manifests
from claimlight.classify import package
from claimlight.classify.classifier import Classifier, Voter
from claimlight.classify.labels import above, level_of
from claimlight.classify.package import NO_CLASSIFIER, ClassifierPackage
from claimlight.classify.phrases import Phrase, find_phrases, leave_out
from claimlight.encoders import EncoderInput, ModelPackage
from claimlight.encoders.package_files import MANIFEST_FILE
from claimlight.errors import AppError, InputError
from claimlight.services.classes.class_texts import document_key, read_document, texts_of_document
from claimlight.services.classes.counts import count_documents_below
from claimlight.services.classes.labels import query_line
from claimlight.services.classes.schemes import Schemes
from claimlight.store import repository
from claimlight.text.words import WORD
from claimlight.types import (
    ClassEntry,
    ClassEvidence,
    ClassifierInfo,
    ClassNeighbour,
    ClassParent,
    ClassQuestion,
    ClassSpan,
    ClassSuggestion,
    ClassSuggestions,
    ClassText,
    PatentId,
    Scheme,
    Span,
)

if TYPE_CHECKING:
    from claimlight.encoders import Encoder
    from claimlight.services.library.library import Library
    from claimlight.settings import Settings
    from claimlight.tasks import TaskContext

PHRASES = 40
"""Most phrases of a question that are left out in turn."""
CHARACTERS = 120_000
"""Most characters that are read again for that, so that the claims of a long document take seconds too."""
TRAINED_ON = (
    "The classifier was trained on this document: its own classes speak for themselves, so the probabilities "
    "are too high."
)
TOGETHER = 5
"""Phrases that are left out together at the end."""
LEAST = 0.05
"""Least fall of the log-odds for which a phrase is shown; near 1 the probability itself hardly moves."""


def list_classifiers(settings: Settings) -> tuple[ClassifierInfo, ...]:
    """Every installed classifier, the shipped one first; damaged ones with their fault."""
    used: Path | None = None
    if settings.classifier.package != NO_CLASSIFIER:
        try:
            used = package.locate(settings.classifier.package)
        except AppError:
            used = None
    found = package.list_folders()
    if used is not None and used not in found:
        found.append(used)
    try:
        encoder = ModelPackage.resolve(settings.encoder.package).manifest.fingerprint
    except AppError:
        encoder = ""
    return tuple(_info(folder, encoder, in_use=folder == used) for folder in found)


def _info(folder: Path, encoder: str, *, in_use: bool) -> ClassifierInfo:
    info = ClassifierInfo(
        folder.name, str(folder), shipped=folder == package.find_shipped_folder(), in_use=in_use
    )
    try:
        manifest = manifests.read(folder / MANIFEST_FILE)
        labels = ClassifierPackage(folder, manifest).labels()
    except AppError as error:
        return replace(info, usable=False, fault=str(error))
    usable = manifest.encoder == encoder
    return replace(
        info,
        model=manifest.name,
        scheme=manifest.scheme,
        levels=labels.levels,
        classes=len(labels),
        documents=manifest.documents,
        trained_on=manifest.trained_on,
        usable=usable,
        licence=manifest.licence,
        bytes=sum(item.size for item in manifest.files),
        fault="" if usable else _other_encoder(manifest.encoder_name),
    )


def _other_encoder(name: str) -> str:
    return (
        f"It belongs to the encoder {name}, which is not the one in use: choose that encoder, or train a "
        "classifier with `claimlight classify train`."
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Opened:
    """A classifier in memory."""

    package: ClassifierPackage
    classifier: Classifier
    trained_on: frozenset[str]
    """`document_key` of each document that votes."""

    @property
    def scheme(self) -> Scheme:
        return self.package.manifest.scheme


class Suggester:
    """Answers questions by the installed classifiers; threads may share it."""

    def __init__(
        self,
        settings: Settings,
        encoder: Callable[[], Encoder],
        *,
        library: Library | None = None,
        schemes: Schemes | None = None,
        languages: Sequence[str] = (),
    ) -> None:
        """``encoder`` is opened at the first question; ``languages`` are those it reads, if it is known."""
        self._settings = settings
        self._make = encoder
        self._library = library
        self._schemes = schemes or Schemes()
        self._languages = tuple(languages)
        self._lock = threading.Lock()
        self._encoder: Encoder | None = None
        self._known: dict[Path, _Opened] = {}

    def suggest(self, question: ClassQuestion, context: TaskContext) -> ClassSuggestions:
        """The likeliest classes of a text or document at a level, best first.

        Of several texts of a document the probabilities are averaged. Raises `InputError` if there is no
        text, no such level in the classifier, or if it belongs to another encoder.
        """
        opened, texts, notes = self._read(question)
        vectors = self._encode([(item.text, item) for item in texts], context)
        found = opened.classifier.probability(vectors)
        return ClassSuggestions(
            classifier=opened.package.manifest.name,
            scheme=opened.scheme,
            levels=opened.classifier.space.levels,
            level=question.level,
            texts=texts,
            suggestions=self._suggestions(opened, question, found, context),
            notes=notes,
        )

    def explain(self, question: ClassQuestion, symbol: str, context: TaskContext) -> ClassEvidence:
        """The neighbours and the phrases that led to a class.

        Every phrase is left out in turn, at all its places, and the rest is read again: what the probability
        falls by is its weight. `InputError` for a class that the classifier does not know.
        """
        opened, texts, _ = self._read(question)
        space = opened.classifier.space
        if symbol not in space.place:
            raise InputError(f"{opened.package.manifest.name} does not know {symbol}.")
        column = space.place[symbol]
        vectors = self._encode([(item.text, item) for item in texts], context)
        whole = float(opened.classifier.probability(vectors)[column])
        phrases = _affordable(find_phrases([item.text for item in texts], most=PHRASES), texts)
        left = self._without(texts, vectors, [(phrase,) for phrase in phrases], context)
        rest = [float(opened.classifier.probability(each)[column]) for each in left]
        order = sorted(range(len(phrases)), key=lambda place: (rest[place], place))
        telling = [place for place in order if _log_odds(whole) - _log_odds(rest[place]) >= LEAST]
        without = whole
        if telling:
            heaviest = tuple(phrases[place] for place in telling[:TOGETHER])
            (vectors_left,) = self._without(texts, vectors, [heaviest], context)
            without = float(opened.classifier.probability(vectors_left)[column])
        voters = opened.classifier.voters(vectors)
        return ClassEvidence(
            symbol=symbol,
            probability=whole,
            without=without,
            neighbours=self._neighbours(voters, symbol),
            asked=len(voters),
            spans=tuple(
                _span(texts, number, span, whole - rest[place])
                for place in telling
                for number, span in phrases[place].places
            ),
        )

    def _read(self, question: ClassQuestion) -> tuple[_Opened, tuple[ClassText, ...], tuple[str, ...]]:
        opened = self._open(question.classifier or self._settings.classifier.package)
        levels = opened.classifier.space.levels
        if question.level not in levels:
            known = ", ".join(level.value for level in levels)
            raise InputError(
                f"{opened.package.manifest.name} does not know the level {question.level}; it knows {known}."
            )
        document = None
        if question.patent is not None:
            if self._library is None:
                raise InputError("No library is open, so there is no document to classify.")
            document = read_document(self._library, question.patent)
            texts = texts_of_document(document)
        else:
            texts = tuple(item for item in question.texts if any(map(str.isalnum, item.text)))
        if not texts:
            raise InputError("There is no text to classify: no title, abstract or claims.")
        notes = self._language_notes(texts)
        if document is not None and document_key(str(document.publication)) in opened.trained_on:
            notes = (*notes, TRAINED_ON)
        return opened, texts, notes

    def _language_notes(self, texts: Sequence[ClassText]) -> tuple[str, ...]:
        """A note if an encoder for English is given a text that has no English in it."""
        if self._languages != ("en",) or all(looks_english(item.text) for item in texts):
            return ()
        which = "The text" if len(texts) == 1 else "A part of the text"
        return (
            f"{which} does not look like English, the only language that the encoder reads: do not rely on "
            "the suggestions.",
        )

    def _open(self, name: str) -> _Opened:
        folder = package.locate(name)
        with self._lock:
            if folder in self._known:
                return self._known[folder]
            loaded = ClassifierPackage.resolve(str(folder))
            if self._encoder is None:
                self._encoder = self._make()
            if loaded.manifest.encoder != self._encoder.fingerprint:
                raise InputError(
                    f"{loaded.manifest.name} can't be used. {_other_encoder(loaded.manifest.encoder_name)}"
                )
            classifier = loaded.open()
            self._known[folder] = _Opened(
                loaded, classifier, frozenset(map(document_key, classifier.documents))
            )
            return self._known[folder]

    def _encode(self, texts: Iterable[tuple[str, ClassText]], context: TaskContext) -> NDArray[np.float32]:
        """[texts, dimensions] unit vectors."""
        assert self._encoder is not None
        asked = [EncoderInput(text, item.section) for text, item in texts]
        vectors = np.zeros((len(asked), self._encoder.dim), dtype=np.float32)
        for row, item in enumerate(self._encoder.encode(asked, context)):
            context.check()
            if item.length:
                vectors[row] = item.pooled
        return vectors

    def _without(
        self,
        texts: tuple[ClassText, ...],
        vectors: NDArray[np.float32],
        groups: Sequence[tuple[Phrase, ...]],
        context: TaskContext,
    ) -> list[NDArray[np.float32]]:
        """Vectors [texts, dimensions] without each group of phrases; only changed texts are read again."""
        bodies = [item.text for item in texts]
        asked: list[tuple[str, ClassText]] = []
        places: list[tuple[int, int]] = []
        found = [vectors.copy() for _ in groups]
        for number, group in enumerate(groups):
            for place, text in enumerate(leave_out(bodies, group)):
                if text != bodies[place]:
                    places.append((number, place))
                    asked.append((text, texts[place]))
        for (number, place), vector in zip(places, self._encode(asked, context), strict=True):
            found[number][place] = vector
        return found

    def _suggestions(
        self, opened: _Opened, question: ClassQuestion, found: NDArray[np.float64], context: TaskContext
    ) -> tuple[ClassSuggestion, ...]:
        space, thresholds = opened.classifier.space, opened.classifier.thresholds
        columns = space.at(question.level)
        order = sorted(range(columns.start, columns.stop), key=lambda column: (-found[column], column))
        made: list[ClassSuggestion] = []
        for column in order[: max(1, question.top)]:
            context.check()
            symbol, probability = space.labels[column], float(found[column])
            least = float(thresholds[column]) if question.confidence is None else question.confidence
            parents, entry, whole = self._titles(opened, symbol, found)
            made.append(
                ClassSuggestion(
                    symbol=symbol,
                    level=question.level,
                    probability=probability,
                    suggested=probability >= least,
                    threshold=least,
                    entry=entry,
                    parents=parents,
                    documents=self._count(symbol, opened.scheme, whole=whole),
                    line=query_line(opened.scheme, symbol, whole=whole),
                )
            )
        return tuple(made)

    def _titles(
        self, opened: _Opened, symbol: str, found: NDArray[np.float64]
    ) -> tuple[tuple[ClassParent, ...], ClassEntry | None, bool]:
        """The classes above a symbol, its entry, and whether an imported edition has it."""
        place = opened.classifier.space.place
        try:
            view = self._schemes.show(symbol, scheme=opened.scheme)
        except InputError:
            chain = [(upper, self._title(upper, opened.scheme)) for upper in above(symbol)]
            entry, whole = None, False
        else:
            chain = [(item.symbol, item.short or item.title) for item in view.path]
            entry, whole = view.entry, bool(view.edition.version)
        parents = tuple(
            ClassParent(upper, title, float(found[place[upper]]) if upper in place else None)
            for upper, title in chain
        )
        return parents, entry, whole

    def _title(self, symbol: str, scheme: Scheme) -> str:
        try:
            entry = self._schemes.show(symbol, scheme=scheme).entry
        except InputError:
            return ""
        return entry.short or entry.title

    def _count(self, symbol: str, scheme: Scheme, *, whole: bool) -> int | None:
        """Documents of the library with a class or one below it."""
        if self._library is None:
            return None
        if whole and " " in symbol:
            return self._schemes.expand(symbol, scheme=scheme, library=self._library).documents
        return count_documents_below(self._library, scheme, symbol)

    def _neighbours(self, voters: Sequence[Voter], symbol: str) -> tuple[ClassNeighbour, ...]:
        level = level_of(symbol)
        found: list[ClassNeighbour] = []
        for voter in voters:
            if symbol in voter.labels:
                patent, title = self._find(voter.publication)
                symbols = tuple(label for label in voter.labels if level_of(label) is level)
                found.append(ClassNeighbour(voter.publication, voter.cosine, symbols, patent, title))
        return tuple(found)

    def _find(self, publication: str) -> tuple[PatentId | None, str]:
        """Id and title of a document in the library."""
        if self._library is None:
            return None, ""
        patent = repository.find(self._library.store, publication)
        if patent is None:
            return None, ""
        return patent, repository.read_summaries(self._library.store, [patent])[patent].title


def looks_english(text: str) -> bool:
    """Whether a text has one of the commonest words of English; True for one of few words."""
    words = [match.group().casefold() for match in WORD.finditer(text)]
    return len(words) < _FEW or sum(word in _ENGLISH for word in words) >= len(words) / _EVERY


_ENGLISH = frozenset(["the", "of", "and", "for", "with", "wherein", "is", "are", "by", "which", "said", "to"])
_FEW, _EVERY = 6, 25
"""Words below which a text counts as English, and how many words there are at most for each common one."""


def _affordable(phrases: Sequence[Phrase], texts: Sequence[ClassText]) -> tuple[Phrase, ...]:
    """The first phrases that can be left out in turn within `CHARACTERS`; the first ones in any case."""
    kept: list[Phrase] = []
    spent = 0
    for phrase in phrases:
        spent += sum(len(texts[number].text) for number in {number for number, _ in phrase.places})
        if spent > CHARACTERS and len(kept) >= TOGETHER:
            break
        kept.append(phrase)
    return tuple(kept)


def _log_odds(probability: float) -> float:
    kept = min(max(probability, _NEAR), 1 - _NEAR)
    return math.log(kept / (1 - kept))


_NEAR = 1e-9


def _span(texts: Sequence[ClassText], number: int, span: Span, weight: float) -> ClassSpan:
    """A range of a text; of a document, of its passage."""
    for passage, begin in reversed(texts[number].passages):
        if begin <= span.start:
            return ClassSpan(number, Span(span.start - begin, span.end - begin), weight, passage)
    return ClassSpan(number, span, weight)
