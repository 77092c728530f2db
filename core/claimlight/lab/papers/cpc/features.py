"""Features of a probe: the vector of a document, its words or chunks, or its cosines with class titles.

Taxonomy-aware features are those of the UC Berkeley classifier: for each section, the titles of its classes
are read as one text, and a document is its nine cosines with them. Titles come from the official list, so
the paper's own (which lacks classes and lists one that does not exist) is not used.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from claimlight.encoders import EncoderInput
from claimlight.errors import InputError
from claimlight.evaluation.classification.documents import ClassifiedDocument, Part
from claimlight.evaluation.judgements import JudgedFamilies, read_numbered_lines
from claimlight.evaluation.vectors import VectorCache, encode_pooled
from claimlight.index.sections import SectionKind
from claimlight.lab.diagnostics.embedding.sets import read_vectors
from claimlight.lab.diagnostics.probes import ProbeKind, Vectors, import_sklearn
from claimlight.tasks import TaskContext
from claimlight.types import Section
from claimlight.vectors import unit_rows

if TYPE_CHECKING:
    from claimlight.encoders import Encoder

_CLASS = 3
CHUNK, CHUNKS = 32, 8
"""Words of a chunk, and chunks of a document that are read."""
WORDS, LEAST_DOCUMENTS = 50_000, 3
"""Words and pairs of words that are weighed, the most frequent; documents that each must be in."""


class Feature(StrEnum):
    """Features of a document."""

    VECTORS = "vectors"
    """Its vector."""
    TAXONOMY = "taxonomy"
    """Its cosines with the joined class titles of each section."""
    CLASSES = "classes"
    """Its cosines with the title of every class."""
    TFIDF = "tfidf"
    """Its words and pairs of words, sublinear tf-idf of unit length; for planes."""
    CHUNKS = "chunks"
    """Vectors of its chunks, [documents, chunks, dimensions]; for the LSTM."""

    def fits(self, kind: ProbeKind) -> bool:
        """Whether a probe reads such features: chunks are for the LSTM alone, words for planes."""
        if self is Feature.CHUNKS or kind is ProbeKind.LSTM:
            return self is Feature.CHUNKS and kind is ProbeKind.LSTM
        return self is not Feature.TFIDF or kind in (ProbeKind.LOGISTIC, ProbeKind.SVM)


@dataclass(frozen=True, slots=True)
class Titles:
    """Titles of sections (``A``) and classes (``A01``), by symbol, ascending."""

    sections: Mapping[str, str]
    classes: Mapping[str, str]

    def texts(self, feature: Feature) -> list[str]:
        """What is compared with: a text for each section, or for each class."""
        if feature is Feature.CLASSES:
            return list(self.classes.values())
        return [
            "; ".join(title for symbol, title in self.classes.items() if symbol.startswith(section))
            for section in self.sections
        ]


def read_titles(path: Path) -> Titles:
    """Titles of an official list: ``symbol TAB level TAB title``.

    A file, or the ``.txt`` and ``.tsv`` of a folder. Subclasses and groups are skipped. A line of another
    form, and a list without sections or without classes, are an `InputError`.
    """
    found: dict[str, str] = {}
    for symbol, title in title_lines(path):
        if len(symbol) in (1, _CLASS):
            # Braces mark what CPC has and IPC has not.
            found[symbol] = " ".join(title.replace("{", "").replace("}", "").split())
    classes = {symbol: found[symbol] for symbol in sorted(found) if len(symbol) == _CLASS}
    sections = {symbol: found[symbol] for symbol in sorted(found) if len(symbol) == 1}
    # A section without classes has no text to compare with.
    sections = {symbol: title for symbol, title in sections.items() if any(c[0] == symbol for c in classes)}
    if not sections:
        raise InputError(
            f"{path} has no titles of sections and their classes (symbol, level, title, with tabs)."
        )
    return Titles(sections, classes)


def title_lines(path: Path) -> Iterator[tuple[str, str]]:
    """Symbols and titles of an official list, file or folder; a line of another form is an `InputError`."""
    files = (
        sorted(item for item in path.iterdir() if item.suffix in (".txt", ".tsv"))
        if path.is_dir()
        else [path]
    )
    for file in files:
        for number, line in read_numbered_lines(file):
            fields = line.split("\t")
            if len(fields) != 3 or not fields[0]:
                raise InputError(f"{file}, line {number}: symbol, level and title were expected, with tabs.")
            yield fields[0], fields[2]


@dataclass(frozen=True, slots=True)
class VectorFile:
    """Vectors that were made elsewhere; see `claimlight.lab.diagnostics.embedding.sets.read_vectors`."""

    path: Path

    def read(self, names: Sequence[str]) -> Vectors:
        """The vectors of some documents, in their order; one that has none is an `InputError`.

        A document that has several is known by that of its abstract.
        """
        found = read_vectors(self.path.stem, self.path, JudgedFamilies({}))
        rows = found.rows(SectionKind.ABSTRACT)
        places = found.places(asking=True) | found.places(asking=False)
        missing = [name for name in names if name not in places or rows[places[name]] < 0]
        if missing:
            raise InputError(
                f"{self.path} has no vector of {len(missing):,} documents, such as {missing[0]}."
            )
        chosen: Vectors = found.vectors[[rows[places[name]] for name in names]]
        return chosen


@dataclass(frozen=True, slots=True)
class FeatureSource:
    """Where features come from; the encoder is opened when it is needed."""

    encoder: Callable[[], Encoder]
    parts: tuple[Part, ...] = tuple(Part)
    vectors: VectorFile | None = None
    """Read instead of encoding; titles are encoded in any case, so both must be by the same encoder."""
    titles: Path | None = None
    cache: Path | None = None
    """Folder in which vectors are kept."""

    def encode(self, inputs: Sequence[EncoderInput], context: TaskContext) -> Vectors:
        """[texts, dimensions], as much of each text as the window of the encoder holds."""
        if self.cache is not None:
            return VectorCache(self.cache).pooled(self.encoder(), inputs, context)
        return encode_pooled(self.encoder(), inputs, context)


@dataclass(frozen=True, slots=True, eq=False)
class FeatureTable:
    """One row for each document."""

    feature: Feature
    rows: Vectors
    """A sparse matrix of scipy for `Feature.TFIDF`."""


def features(
    documents: Sequence[ClassifiedDocument],
    wanted: Sequence[Feature],
    source: FeatureSource,
    context: TaskContext,
    *,
    learned: NDArray[np.int64] | None = None,
) -> tuple[FeatureTable, ...]:
    """The features of some documents, each kind that is wanted.

    A document is read as the papers do: as much of it as the encoder's window holds. Which words there are
    and how rare they are is learned from the documents at ``learned`` (default: all). Taxonomy without a
    list of titles is an `InputError`.
    """
    tables: list[FeatureTable] = []
    vectors: Vectors | None = None
    for feature in wanted:
        if feature is Feature.TFIDF:
            rows = _weigh_words([item.input(source.parts).text for item in documents], learned)
        elif feature is Feature.CHUNKS:
            rows = _encode_chunks([item.input(source.parts).text for item in documents], source, context)
        else:
            if vectors is None:
                vectors = document_vectors(documents, source, context)
            rows = vectors if feature is Feature.VECTORS else _cosines(vectors, feature, source, context)
        tables.append(FeatureTable(feature, rows))
    return tuple(tables)


def document_vectors(
    documents: Sequence[ClassifiedDocument], source: FeatureSource, context: TaskContext
) -> Vectors:
    """[documents, dimensions], read from the file of vectors if there is one, else encoded."""
    if source.vectors is not None:
        return source.vectors.read([document.name for document in documents])
    return source.encode([item.input(source.parts) for item in documents], context)


def split_chunks(text: str) -> list[str]:
    """The first chunks of a text, 32 words each, the last what is left."""
    words = text.split()[: CHUNK * CHUNKS]
    return [" ".join(words[begin : begin + CHUNK]) for begin in range(0, len(words), CHUNK)]


def _encode_chunks(texts: Sequence[str], source: FeatureSource, context: TaskContext) -> Vectors:
    """[documents, chunks, dimensions], zeros after the last chunk of each."""
    parts = [split_chunks(text) for text in texts]
    flat = source.encode(
        [EncoderInput(chunk, Section.ABSTRACT) for chunks in parts for chunk in chunks], context
    )
    found = np.zeros((len(texts), CHUNKS, flat.shape[1]), dtype=np.float32)
    begin = 0
    for row, chunks in enumerate(parts):
        found[row, : len(chunks)] = flat[begin : begin + len(chunks)]
        begin += len(chunks)
    return found


def _weigh_words(texts: Sequence[str], learned: NDArray[np.int64] | None) -> Vectors:
    """A sparse matrix [documents, words] of unit rows, by scikit-learn."""
    vectorizer = import_sklearn("sklearn.feature_extraction.text").TfidfVectorizer(
        ngram_range=(1, 2),
        min_df=LEAST_DOCUMENTS,
        max_features=WORDS,
        sublinear_tf=True,
        stop_words="english",
        dtype=np.float32,
    )
    known = texts if learned is None else [texts[row] for row in learned]
    try:
        vectorizer.fit(known)
    except ValueError as error:
        raise InputError(f"The documents have too few words in common for tf-idf: {error}") from error
    rows: Vectors = vectorizer.transform(texts)
    return rows


def _cosines(vectors: Vectors, feature: Feature, source: FeatureSource, context: TaskContext) -> Vectors:
    """[documents, sections] or [documents, classes]."""
    if source.titles is None:
        raise InputError("Cosines with class titles need the official list of titles: name it with --titles.")
    texts = read_titles(source.titles).texts(feature)
    anchors = source.encode([EncoderInput(text, Section.ABSTRACT) for text in texts], context)
    if anchors.shape[1] != vectors.shape[1]:
        raise InputError(
            f"The vectors have {vectors.shape[1]} dimensions and those of the titles {anchors.shape[1]}: "
            "they are not by the same encoder."
        )
    cosines: Vectors = (unit_rows(vectors) @ anchors.T).astype(np.float32)
    return cosines
