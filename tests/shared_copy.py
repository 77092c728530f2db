"""A shared library in memory: the documents and the index of a library in a folder, under the same ids."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import replace

import numpy as np
from sqlalchemy import select

from claimlight.engines.exact import ExactBackend
from claimlight.errors import EngineError
from claimlight.index.backend import (
    DocumentFacts,
    IndexColumns,
    IndexSchema,
    PartBatch,
    PassageRows,
    SectionRows,
    SparseRows,
    class_tokens,
    family_number,
    passage_parts,
)
from claimlight.index.generation import Generation
from claimlight.index.portable import PARTS, encode, join_words, part_rows
from claimlight.index.shared import SharedParts
from claimlight.retrieval import catalogue as catalogues
from claimlight.retrieval.date_status import UNDATED
from claimlight.services.indexing.indexing import index_folder
from claimlight.store import repository
from claimlight.store.library_tables import ClassRow, Document
from claimlight.store.tokens import tokenize
from claimlight.types import PatentId

K1, B = 1.2, 0.75


class FakeEngine(ExactBackend):
    """An exact engine of limited searches, which can be out of reach."""

    def __init__(self, most=1 << 20):
        super().__init__()
        self.limit = most
        self.gone = False
        self.searches = []

    @property
    def most(self):
        return self.limit

    def search(self, leg, vector, allowed, k):
        assert 1 <= k <= self.limit
        if self.gone:
            raise EngineError("The engine at memory does not answer.")
        self.searches.append((leg, allowed, k))
        return super().search(leg, vector, allowed, k)


class FakeSource:
    """What the database of the shared library knows."""

    def __init__(self, schema, columns, stored):
        self.made_with, self.now, self.stored = schema, columns, stored
        self.requests = []

    def schema(self):
        return self.made_with

    def columns(self, before=None):
        return self.now

    def arrays(self, documents):
        self.requests.append(sorted(documents))
        return {document: self.stored[document] for document in documents if document in self.stored}


class FakeWords:
    """Stems of the shared library."""

    def __init__(self, numbers, counts, total):
        self.numbers, self.counts, self.total = numbers, counts, total

    def read(self, stems):
        known = {stem: (self.numbers[stem], self.counts[stem]) for stem in stems if stem in self.numbers}
        return known, self.total


def share(made, settings, *, most=1 << 20):
    """The library with its index in an engine in memory."""
    generation = Generation.open(index_folder(made.folder))
    catalogue = catalogues.load(made.store)
    words = _Words(made)
    schema = IndexSchema(
        name="copy",
        recipe=generation.recipe,
        dim=generation.manifest.dim,
        centers=generation.manifest.centers,
        length_exponent=settings.centers.length_exponent,
        length_floor=settings.centers.length_floor,
        average_words=words.average,
        levels=generation.manifest.levels,
    )
    engine = FakeEngine(most)
    engine.ensure(schema, create=True)
    first = dict(zip(catalogue.ids.tolist(), catalogue.first_passage.tolist(), strict=True))
    facts = _read_facts(made, catalogue)
    stored = defaultdict(tuple)
    spans = 0
    with_words = set()
    for segment in generation.segments:
        if segment.part not in PARTS:
            continue
        rows = np.flatnonzero(segment.live_documents & np.isin(segment.document_ids, catalogue.ids))
        ids = segment.document_ids[rows]
        firsts = np.array([first[each] for each in ids.tolist()], dtype=np.int64)
        sections, passages = part_rows(
            segment.arrays, segment.part, schema, rows=rows, documents=ids, first_passages=firsts
        )
        # A part is stored whole: a second upsert of it would leave it without its words.
        here = set(segment.passage_ids.tolist())
        with_words |= here
        parts, sparse = words.rows(first, here)
        passages = join_words(passages, parts, sparse, np.zeros(len(parts), dtype=bool))
        engine.upsert(PartBatch(facts, sections, passages))
        for row, document in zip(rows.tolist(), ids.tolist(), strict=True):
            made_of = encode(segment.arrays, row, first_passage=first[document], part=segment.part)
            stored[document] += (made_of,)
        spans = max(spans, int(segment.arrays.span_counts.max(initial=0)))
    parts, sparse = words.rows(first, words.passages - with_words)
    none = SectionRows(parts[:0], np.zeros(0, dtype=bool), np.zeros((0, schema.dim), np.float32))
    empty = PassageRows(
        parts[:0],
        np.zeros(0, dtype=bool),
        *[SparseRows(np.zeros(1, np.int64), parts[:0], np.zeros(0, np.float32))] * 2,
    )
    engine.upsert(PartBatch(facts, none, join_words(empty, parts, sparse, np.zeros(len(parts), dtype=bool))))
    ids = generation.document_ids()
    ids = ids[np.isin(ids, catalogue.ids)]
    columns = IndexColumns(
        version=catalogue.version,
        documents=ids,
        first_passage=np.array([first[each] for each in ids.tolist()], dtype=np.int64),
        claims_only=np.isin(ids, generation.claims_only),
        described=np.isin(ids, generation.described),
        passages=generation.passages,
        df=generation.df,
        most_spans=spans,
    )
    parts = SharedParts(engine, FakeSource(schema, columns, dict(stored)), words.statistics())
    return replace(made, address="postgresql://memory/copy", shared=parts)


class _Words:
    """The saturation of every stem in every passage, as FTS5 has it."""

    def __init__(self, made):
        stored = [
            p for d in repository.read_documents_after(made.store, PatentId(0), 100_000) for p in d.passages
        ]
        tokens = tokenize([passage.text for passage in stored])
        self.average = sum(map(len, tokens)) / max(len(tokens), 1)
        self.total = len(tokens)
        counts = [Counter(each) for each in tokens]
        self.counts = Counter(stem for each in counts for stem in each)
        self.numbers = {stem: number for number, stem in enumerate(sorted(self.counts), 1)}
        self.held = []
        self.passages = {int(passage.id) for passage in stored}
        for passage, stems, all_tokens in zip(stored, counts, tokens, strict=True):
            ordered = sorted((self.numbers[stem], tf) for stem, tf in stems.items())
            scale = K1 * (1 - B + B * len(all_tokens) / self.average)
            values = [tf * (K1 + 1) / (tf + scale) for _, tf in ordered]
            at = int(passage.patent), int(passage.id)
            self.held.append((*at, [each for each, _ in ordered], values))

    def rows(self, first, wanted):
        """Parts and words of the ``wanted`` passages."""
        found = [
            (document, passage - first[document], numbers, values)
            for document, passage, numbers, values in self.held
            if numbers and passage in wanted
        ]
        none = np.zeros(len(found), dtype=np.int64)
        sizes = [len(numbers) for _, _, numbers, _ in found]
        return (
            passage_parts(
                np.array([each[0] for each in found], dtype=np.int64),
                np.array([each[1] for each in found], dtype=np.int64),
                none,
            ),
            SparseRows(
                np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
                np.array([number for each in found for number in each[2]], dtype=np.int64),
                np.array([value for each in found for value in each[3]], dtype=np.float32),
            ),
        )

    def statistics(self):
        return FakeWords(self.numbers, self.counts, self.total)


def _read_facts(made, catalogue):
    tokens = defaultdict(list)
    with made.store.read() as connection:
        for document, scheme, symbol in connection.execute(
            select(ClassRow.document_id, ClassRow.scheme, ClassRow.symbol)
        ):
            tokens[document] += class_tokens(scheme, symbol)
        rows = connection.execute(select(Document.id, Document.family_key))
        keys = {row[0]: row[1] for row in rows}
    days = np.where(catalogue.published == UNDATED, 0, catalogue.published)
    return {
        document: DocumentFacts(day, family_number(keys[document]), tuple(dict.fromkeys(tokens[document])))
        for document, day in zip(catalogue.ids.tolist(), days.tolist(), strict=True)
    }
