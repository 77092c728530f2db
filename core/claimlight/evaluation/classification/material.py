"""Rows for training a classifier, from a library or from documents of a file.

Title with abstract, and claims, are rows of their own: a classifier is asked about either. Of a library that
is indexed with the encoder, the vectors are those of the index, so nothing is encoded again.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from sqlalchemy import select

from claimlight.classify.labels import labels_of
from claimlight.encoders import EncoderInput
from claimlight.evaluation.vectors import VectorCache, encode_pooled
from claimlight.formats.parts.symbols import read_class
from claimlight.index.generation import Generation
from claimlight.services.classes.class_texts import READ, read_document, texts_of_document
from claimlight.services.indexing.indexing import index_folder
from claimlight.store.library_tables import ClassRow, Document
from claimlight.training.classifiers.material import Material
from claimlight.types import PatentId, PublicationNumber, Scheme, Section

if TYPE_CHECKING:
    from claimlight.encoders import Encoder
    from claimlight.evaluation.classification.documents import ClassifiedDocument
    from claimlight.evaluation.vectors import Vectors
    from claimlight.services.library.library import Library
    from claimlight.tasks import TaskContext


def labels_of_symbols(symbols: Iterable[str]) -> frozenset[str]:
    """The labels of some symbols, in any usual spelling, at every level."""
    return frozenset(label for symbol in symbols for label in labels_of(read_class(symbol)))


def file_material(
    documents: Sequence[ClassifiedDocument], encoder: Encoder, context: TaskContext, *, cache: Path | None
) -> Material:
    """Rows of the documents of a file that have classes; ``cache`` keeps the vectors for the next run."""
    rows: list[tuple[ClassifiedDocument, EncoderInput]] = []
    for document in documents:
        if labels_of_symbols(document.symbols):
            rows += [(document, item) for item in _inputs(document)]
    inputs = [item for _, item in rows]
    vectors = (
        encode_pooled(encoder, inputs, context)
        if cache is None
        else VectorCache(cache).pooled(encoder, inputs, context)
    )
    return _material(
        vectors,
        [labels_of_symbols(document.symbols) for document, _ in rows],
        [document.name for document, _ in rows],
        [document.family for document, _ in rows],
    )


def _inputs(document: ClassifiedDocument) -> list[EncoderInput]:
    front = "\n".join(part for part in (document.title.strip(), document.abstract.strip()) if part)
    claims = "\n".join(text for text in document.claims if text.strip())
    found = ((front, Section.ABSTRACT), (claims, Section.CLAIMS))
    return [EncoderInput(text, section) for text, section in found if text]


def library_material(library: Library, scheme: Scheme, encoder: Encoder, context: TaskContext) -> Material:
    """Rows of the documents of a library that have classes of a scheme, by id."""
    with library.store.read(context) as connection:
        symbols: dict[int, list[str]] = {}
        wanted = select(ClassRow.document_id, ClassRow.symbol).where(ClassRow.scheme == scheme.value)
        for row in connection.execute(wanted.order_by(ClassRow.document_id, ClassRow.position)):
            symbols.setdefault(row.document_id, []).append(row.symbol)
        heads = select(Document.id, Document.country, Document.number, Document.kind, Document.family_key)
        known = {
            row.id: (str(PublicationNumber(row.country, row.number, row.kind)), row.family_key)
            for row in connection.execute(heads)
        }
    labels = {item: labels_of_symbols(found) for item, found in symbols.items()}
    classified = sorted(item for item, found in labels.items() if found and item in known)
    rows = _indexed_rows(library, encoder, frozenset(classified))
    covered = {item for item, _ in rows}
    rows += _encoded_rows(library, encoder, [item for item in classified if item not in covered], context)
    rows.sort(key=lambda row: row[0])
    vectors = np.array([vector for _, vector in rows], dtype=np.float32).reshape(len(rows), encoder.dim)
    return _material(
        vectors,
        [labels[item] for item, _ in rows],
        [known[item][0] for item, _ in rows],
        [known[item][1] for item, _ in rows],
    )


def _indexed_rows(library: Library, encoder: Encoder, wanted: frozenset[int]) -> list[tuple[int, Vectors]]:
    """Document and vector of each section in the index that is read; none if another encoder made it."""
    generation = Generation.open(index_folder(library.folder))
    if generation is None or generation.recipe.encoder != encoder.fingerprint:
        return []
    found = generation.section_vectors()
    read = np.isin(found.kinds, [int(kind) for kind in READ])
    return [
        (int(document), found.vectors[place].astype(np.float32))
        for place, document in zip(np.flatnonzero(read).tolist(), found.documents[read].tolist(), strict=True)
        if document in wanted
    ]


def _encoded_rows(
    library: Library, encoder: Encoder, patents: Sequence[int], context: TaskContext
) -> list[tuple[int, Vectors]]:
    asked: list[tuple[int, EncoderInput]] = []
    for patent in patents:
        context.check()
        texts = texts_of_document(read_document(library, PatentId(patent)))
        asked += [(patent, EncoderInput(text.text, text.section)) for text in texts]
    vectors = encode_pooled(encoder, [item for _, item in asked], context, truncate=False)
    return [(patent, vectors[place]) for place, (patent, _) in enumerate(asked)]


def _material(
    vectors: Vectors,
    labels: Sequence[frozenset[str]],
    documents: Sequence[str],
    families: Sequence[str],
) -> Material:
    # A text of which the encoder saw nothing has no direction.
    told = np.flatnonzero(np.linalg.norm(vectors, axis=1) > 0)
    return Material(vectors, tuple(labels), tuple(documents), tuple(families)).rows(told)
