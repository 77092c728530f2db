"""The published judgements are read whole."""

from __future__ import annotations

import pytest

from claimlight.evaluation.judgements import read_families, read_judgements, read_texts

pytestmark = pytest.mark.data


@pytest.mark.parametrize(
    ("split", "queries", "pairs"), [("frontpage_dev", 715, 1325), ("intext_dev", 187, 301)]
)
def test_queries_relevance_and_families(shared_data, split, queries, pairs):
    folder = shared_data / "retrieval"
    judged = read_judgements(folder / f"{split}_qrels.tsv")
    texts = {item.name for item in read_texts(folder / f"{split}_queries.jsonl")}
    families = read_families(folder / "family_groups.tsv")
    assert len(judged.queries) == queries
    assert set(judged.queries) == texts
    assert sum(len(judged.relevant(query)) for query in judged.queries) == pairs
    assert len(set(families.labels.values())) == 6600
    own = [
        (query, document)
        for query in judged.queries
        for document in judged.relevant(query)
        if document == query or families.label(query) == families.label(document) != ""
    ]
    assert own == []


def test_the_corpus_is_read_packed_and_holds_what_is_relevant(shared_data):
    folder = shared_data / "retrieval"
    names = {item.name for item in read_texts(folder / "corpus.jsonl.gz") if item.text}
    assert len(names) == 75_679
    judged = read_judgements(folder / "frontpage_dev_qrels.tsv")
    assert set().union(*map(judged.relevant, judged.queries)) <= names
