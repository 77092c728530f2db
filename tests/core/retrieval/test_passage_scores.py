"""Keywords of a library: the word lists and FTS5 rank alike, whatever was imported, replaced or removed."""

from __future__ import annotations

import logging
import sys

import numpy as np
import pytest

from claimlight.retrieval import DocumentFilter, RetrievalQuery, word_lists
from claimlight.retrieval import catalogue as catalogues
from claimlight.retrieval.bm25 import Bm25Retriever
from claimlight.retrieval.passage_lengths import PassageLengths
from claimlight.retrieval.passage_scores import score_passages
from claimlight.store import fulltext, writer
from claimlight.tasks import TaskContext
from claimlight.types import PatentId
from tests.fakes import add, library, patent

PLAIN = """damper wheel frame piston cylinder valve spring bicycle kettle spout handle lid sensor motor
    driver's Stoßdämpfer naïve R₂ 減衰器 유체감쇠기"""
WORDS = PLAIN.split()


def patents(seed, *, numbers=range(40)):
    random = np.random.default_rng(seed)

    def text(many):
        return " ".join(random.choice(WORDS, size=many)) + "."

    return [
        patent(
            f"{2_000_001 + n}",
            text(3),
            abstract=text(9),
            claims=[text(int(random.integers(4, 9))) for _ in range(3)],
            paragraphs=[text(int(random.integers(5, 30))) for _ in range(4)],
        )
        for n in numbers
    ]


def ranked(store, text, least):
    return Bm25Retriever(store, terms=20, least=least).rank(
        RetrievalQuery(text),
        allowed=DocumentFilter.of(catalogues.load(store)),
        depth=25,
        context=TaskContext(),
    )


def check(store):
    random = np.random.default_rng(7)
    for many in (1, 3, 10, len(WORDS)):
        text = " ".join(random.choice(WORDS, size=many, replace=False))
        one, other = ranked(store, text, 0), ranked(store, text, sys.maxsize)
        assert len(one) > 0
        assert one.ids.tolist() == other.ids.tolist()
        assert one.scores.tobytes() == other.scores.tobytes()
        assert one.passages.tolist() == other.passages.tolist()


def test_the_same_ranking_while_documents_come_and_go(tmp_path):
    with library(tmp_path / "L", patents(1)) as made:
        store = made.store
        check(store)
        for turn in range(2, 5):
            # Some of the same numbers with other texts: documents are replaced.
            add(made, patents(turn, numbers=range(10 * turn, 10 * turn + 30)))
            check(store)
        gone = catalogues.load(store).ids[::3].tolist()
        assert writer.remove_documents(store, [PatentId(patent) for patent in gone])
        check(store)


def test_words_are_counted_again_after_an_import(tmp_path):
    with library(tmp_path / "L", patents(1, numbers=range(3))) as made:
        before = fulltext.count_passages_by_term(made.store, ["wheel", "zither"])
        add(made, [patent("7", "zither wheel", abstract="zither")])
        after = fulltext.count_passages_by_term(made.store, ["wheel", "zither"])
        assert before["zither"] == 0 < after["zither"]
        assert before["wheel"] < after["wheel"]


@pytest.mark.parametrize("what", ["another format", "a passage without a length"])
def test_fts5_is_asked_where_its_tables_are_not_as_known(tmp_path, caplog, monkeypatch, what):
    words = ["damper", "wheel", "driver's"]
    if what == "another format":
        monkeypatch.setattr(word_lists, "_FORMAT", 3)
    else:
        monkeypatch.setattr(PassageLengths, "update", lambda self, *_: self)
    with library(tmp_path / "L", patents(1)) as made, caplog.at_level(logging.WARNING):
        expected = score_passages(made.store, words, context=TaskContext(), least=sys.maxsize)
        caplog.clear()
        found = score_passages(made.store, words, context=TaskContext(), least=0)
    assert found[0].tolist() == expected[0].tolist()
    assert found[1].tobytes() == expected[1].tobytes()
    assert "slower" in caplog.text
