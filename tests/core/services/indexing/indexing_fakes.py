"""A corpus made of numbers and a fast encoder, so that a whole build takes a second or so.

Run as a program it builds an index and prints a line after every commit: the kill tests stop it anywhere.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from time import sleep

import numpy as np

from claimlight.errors import ResourceError
from claimlight.index.center_vocabulary import CenterVocabulary, quantise
from claimlight.index.generation import Generation
from claimlight.services.indexing import encoding, indexing
from claimlight.services.indexing.indexing import build_index
from claimlight.services.models.encoding_stack import EncodingStack
from claimlight.settings import Settings, change
from claimlight.store.values import StoredDocument, StoredPassage
from claimlight.tasks import TaskContext
from claimlight.types import Committed, PassageId, PatentId, PublicationNumber, Section

DIM = 24
SECTIONS = (Section.ABSTRACT, Section.CLAIMS, Section.CLAIMS, Section.DETAILED)


@dataclass(frozen=True)
class Result:
    pooled: np.ndarray
    tokens: np.ndarray
    offsets: np.ndarray
    length: int


class Words:
    """Every word of a text is a token and a span."""

    def spans(self, text, offsets):
        first = np.arange(len(offsets), dtype=np.int32)

        @dataclass(frozen=True)
        class Ranges:
            first: np.ndarray
            last: np.ndarray
            start: np.ndarray
            end: np.ndarray

        return Ranges(first, first + 1, offsets[:, 0], offsets[:, 1])


class WordEncoder:
    """A word's vector depends on the word alone; texts with ``poison`` can't be encoded."""

    dim = DIM
    fingerprint = "words-1"
    device = "test"
    note = ""

    def __init__(self):
        self._known = {}

    def encode(self, inputs, context):
        for item in inputs:
            context.check()
            if "poison" in item.text:
                raise ResourceError("not a number")
            ranges, place = [], 0
            for word in item.text.split():
                place = item.text.index(word, place)
                ranges.append((place, place + len(word)))
                place += len(word)
            tokens = np.array([self._vector(item.text[a:b]) for a, b in ranges], dtype=np.float32)
            pooled = tokens.mean(axis=0)
            yield Result(
                pooled / np.linalg.norm(pooled), tokens, np.array(ranges, dtype=np.int32), len(ranges)
            )

    def _vector(self, word):
        if word not in self._known:
            seed = int.from_bytes(hashlib.blake2b(word.encode(), digest_size=8).digest(), "big")
            self._known[word] = np.random.default_rng(seed).standard_normal(DIM)
        return self._known[word]


class NumberCorpus:
    """``count`` documents of random words; ``changes`` replaces texts, ``gone`` are removed ones."""

    def __init__(self, count, *, changes=None, gone=(), version=1):
        self.count, self.changes, self.gone, self._version = count, changes or {}, set(gone), version

    def document(self, number):
        rng = np.random.default_rng(number)
        passages = []
        for place in range(int(rng.integers(1, 7))):
            text = " ".join(f"w{word}" for word in rng.zipf(1.4, size=int(rng.integers(1, 30))) % 200)
            # A word of a sentence: a list of numbers is not encoded.
            text += " is"
            passages.append(
                StoredPassage(
                    PassageId(number * 10 + place), PatentId(number), SECTIONS[place % 4], "", "en", text
                )
            )
        if number in self.changes:
            passages[-1] = replace(passages[-1], text=self.changes[number])
        return StoredDocument(PatentId(number), PublicationNumber("EP", str(number)), "en", tuple(passages))

    def documents_after(self, document, limit):
        ids = [n for n in range(document + 1, self.count + 1) if n not in self.gone][:limit]
        return [self.document(n) for n in ids]

    def long_documents(self, characters, through):
        ids = [n for n in range(1, min(through, self.count) + 1) if n not in self.gone]
        return [n for n in ids if any(len(p.text) > characters for p in self.document(n).passages)]

    def ids_after(self, document, limit):
        return [item.id for item in self.documents_after(document, limit)]

    def relatives(self, documents):
        return []

    def count_after(self, document):
        return max(self.count - document, 0)

    def passages_after(self, document):
        return 4 * max(self.count - document, 0)

    def removed_since(self, version):
        return sorted(self.gone) if version < self._version else []

    def version(self):
        return self._version


class DeepCorpus(NumberCorpus):
    """Every document has some more passages of description, and number 7 has many."""

    def document(self, number):
        made = super().document(number)
        rng = np.random.default_rng(1000 + number)
        more = [
            StoredPassage(
                PassageId((100 + number) * 1000 + place),
                PatentId(number),
                Section.DETAILED,
                "",
                "en",
                " ".join(f"w{word}" for word in rng.zipf(1.4, size=int(rng.integers(3, 20))) % 200) + " is",
            )
            for place in range(80 if number == 7 else int(rng.integers(0, 6)))
        ]
        return replace(made, passages=(*made.passages, *more))


class Counted(WordEncoder):
    """Remembers what it reads, and can count tokens."""

    def __init__(self):
        super().__init__()
        self.read = []

    def encode(self, inputs, context):
        for item, made in zip(inputs, super().encode(inputs, context), strict=True):
            self.read.append(item.text)
            yield made

    def count_tokens(self, texts):
        return [len(item.text.split()) for item in texts]


class SlowEncoder(WordEncoder):
    """Takes a millisecond for each text, so that there is a moment to kill it at."""

    def encode(self, inputs, context):
        for made in super().encode(inputs, context):
            sleep(0.001)
            yield made


def says(folder):
    """Everything that an index says, however it is cut into segments."""
    generation = Generation.open(folder)
    passages = np.sort(np.concatenate([item.passage_ids for item in generation.segments]))
    lists = generation.forward(passages)
    rows, vectors = generation.passage_vectors(passages)
    sections = generation.section_vectors()
    order = np.lexsort((sections.kinds, sections.documents))
    parts = (
        passages,
        *(getattr(lists, name) for name in ("offsets", "centers", "codes", "start", "end", "span_counts")),
        rows,
        vectors,
        sections.documents[order],
        sections.kinds[order],
        sections.vectors[order],
        generation.df,
        generation.document_ids(),
        generation.claims_only,
    )
    total = hashlib.sha256()
    for part in parts:
        array = np.ascontiguousarray(part)
        total.update(f"{array.dtype} {array.shape}".encode())
        total.update(array.tobytes())
    return total.hexdigest(), generation.documents, generation.passages


def stack(encoder=None, *, fingerprint="words-1"):
    rng = np.random.default_rng(5)
    return EncodingStack(
        encoder=encoder or WordEncoder(),
        vocabulary=CenterVocabulary(
            quantised=quantise(rng.standard_normal((60, DIM)).astype(np.float32)),
            radii=np.full(60, 0.75, dtype=np.float32),
            anchors=("x",) * 60,
            unit="word",
            encoder=fingerprint,
        ),
        unit=Words(),
    )


def settings(per_segment=8) -> Settings:
    return change(Settings(), "index.documents_per_segment", per_segment)


def build(folder, corpus, *, context=None, per_segment=8, rebuild=False, tools=None):
    return build_index(
        folder,
        corpus,
        stack=tools or stack(),
        settings=settings(per_segment),
        context=context or TaskContext(),
        rebuild=rebuild,
    )


def small_batches():
    """Batches of some texts, and a checkpoint after each inside a document."""
    encoding.BATCH_CHARACTERS = 400
    indexing.COMMIT_SECONDS = 0.0


def main(arguments: Sequence[str]) -> None:
    def tell(event):
        if isinstance(event, Committed):
            sys.stdout.write(f"{event.stage}:{event.documents}\n")
            sys.stdout.flush()

    small_batches()
    corpus = DeepCorpus(int(arguments[1]))
    build(Path(arguments[0]), corpus, context=TaskContext(tell), tools=stack(SlowEncoder()))


if __name__ == "__main__":
    main(sys.argv[1:])
