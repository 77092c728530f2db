"""Word lists and scores read from the tables of FTS5 against FTS5 itself, to the last bit."""

from __future__ import annotations

import sqlite3

import numpy as np
import pytest

from claimlight.retrieval.base import rank_by_best_part
from claimlight.retrieval.passage_lengths import PassageLengths
from claimlight.retrieval.passage_scores import ask_ranks, score_by_lists
from claimlight.retrieval.word_lists import UnreadableListsError, WordLists
from claimlight.store.tokens import TOKENIZER
from claimlight.tasks import TaskContext
from claimlight.types import Ranker

TABLE = "passage_fts"
PLAIN = """damper wheel frame piston valve spring kettle spout handle lid sensor motor shaft lamp lens a z
    wheelbarrow wheelchair ventil größe ångström naïve 温度 температура ισχύς ω"""
WORDS = [*PLAIN.split(), "driver's", "x" * 300, *(f"part{n}" for n in range(40))]
COMMON = np.r_[1 / np.arange(1, len(WORDS) + 1)]
COMMON /= COMMON.sum()


class Table:
    """A full text with external content, and random changes of it."""

    def __init__(self, path, seed, *, page=None, automerge=16):
        self.path = path
        self.random = np.random.default_rng(seed)
        self.connection = sqlite3.connect(path, isolation_level=None)
        run = self.connection.execute
        run("PRAGMA journal_mode = WAL")
        run("CREATE TABLE passage_text (id INTEGER PRIMARY KEY, text)")
        run(
            f"CREATE VIRTUAL TABLE {TABLE} USING fts5(text, content='passage_text', content_rowid='id', "
            f"tokenize='{TOKENIZER}')"
        )
        run(f"CREATE VIRTUAL TABLE passage_vocab USING fts5vocab({TABLE}, 'row')")
        self.set("automerge", automerge)
        if page:
            self.set("pgsz", page)
        self.texts: dict[int, str] = {}
        self.next = 1

    def set(self, name, value):
        self.connection.execute(f"INSERT INTO {TABLE} ({TABLE}, rank) VALUES (?, ?)", (name, value))

    def text(self, most=40):
        return " ".join(self.random.choice(WORDS, size=int(self.random.integers(0, most)), p=COMMON))

    def add(self, many, *, first=None, most=40):
        run = self.connection.execute
        self.next = first or self.next
        run("BEGIN")
        for number in range(self.next, self.next + many):
            self.texts[number] = self.text(most)
            run("INSERT INTO passage_text VALUES (?, ?)", (number, self.texts[number]))
            run(f"INSERT INTO {TABLE} (rowid, text) VALUES (?, ?)", (number, self.texts[number]))
        run("COMMIT")
        self.next += many

    def remove(self, many, *, again=False):
        """Delete rows; with ``again`` they come back with another text, in the same transaction or later."""
        run = self.connection.execute
        chosen = self.random.choice(list(self.texts), size=min(many, len(self.texts)), replace=False).tolist()
        run("BEGIN")
        for number in chosen:
            text = self.texts.pop(number)
            run(f"INSERT INTO {TABLE} ({TABLE}, rowid, text) VALUES ('delete', ?, ?)", (number, text))
            run("DELETE FROM passage_text WHERE id = ?", (number,))
        if again == "later":
            run("COMMIT")
            run("BEGIN")
        for number in chosen if again else ():
            self.texts[number] = self.text()
            run("INSERT INTO passage_text VALUES (?, ?)", (number, self.texts[number]))
            run(f"INSERT INTO {TABLE} (rowid, text) VALUES (?, ?)", (number, self.texts[number]))
        run("COMMIT")

    def change(self):
        kind = self.random.integers(8)
        if kind < 3:
            self.add(int(self.random.integers(1, 60)))
        elif kind == 3:
            self.remove(int(self.random.integers(1, 20)))
        elif kind == 4:
            self.remove(int(self.random.integers(1, 20)), again=self.random.choice(["now", "later"]))
        elif kind == 5:
            self.set("merge", int(self.random.integers(1, 9)))
        elif kind == 6:
            self.set("merge", -int(self.random.integers(1, 9)))
        else:
            self.next += int(self.random.integers(0, 200_000))

    def command(self, name):
        self.connection.execute(f"INSERT INTO {TABLE} ({TABLE}) VALUES (?)", (name,))

    def leaves(self):
        return self.connection.execute(f"SELECT count(*) FROM {TABLE}_data").fetchone()[0]

    def scores(self, words):
        lists = WordLists(self.connection, TABLE)
        lengths = PassageLengths.empty().update(self.connection, TABLE)
        return score_by_lists(self.connection, words, lists=lists, lengths=lengths, context=TaskContext())

    def check(self):
        """Every list is the one of FTS5, and so are the scores of some queries."""
        if not self.texts:
            return
        vocabulary = self.connection.execute("SELECT term, doc, cnt FROM passage_vocab").fetchall()
        terms = [row[0] for row in vocabulary]
        found = WordLists(self.connection, TABLE).read([*terms, "nowhere", "", "0", "zzzz"])
        for (term, rows, often), item in zip(vocabulary, found, strict=False):
            assert (len(item), item.counts.sum()) == (rows, often), term
            assert (np.diff(item.passages) > 0).all()
        assert not any(map(len, found[len(terms) :]))
        for many in (1, 2, 5, 30):
            words = self.random.choice(WORDS, size=many, replace=False).tolist()
            self.check_scores(words)

    def check_scores(self, words):
        passages, scores = self.scores(words)
        expected, ranks = ask_ranks(self.connection, words)
        order = np.argsort(expected)
        assert passages.tolist() == expected[order].tolist()
        assert scores.tobytes() == ranks[order].tobytes()


@pytest.fixture
def made(tmp_path):
    tables = []

    def make(seed=1, **options):
        tables.append(Table(tmp_path / f"{len(tables)}.db", seed, **options))
        return tables[-1]

    yield make
    for table in tables:
        table.connection.close()


@pytest.mark.parametrize("seed", range(12))
def test_random_changes(made, seed):
    table = made(seed, page=[32, 64, 200, 4050][seed % 4], automerge=[0, 2, 4, 16][seed // 4])
    for _ in range(8):
        for _ in range(5):
            table.change()
        table.check()
    table.command("optimize")
    table.check()


def test_a_list_over_many_leaves(made):
    table = made(page=64, automerge=0)
    for _ in range(4):
        table.add(800)
    table.check()
    # A page number with the lowest bit set has an index of its list.
    indexed = f"SELECT count(*) FROM {TABLE}_idx WHERE pgno & 1"
    assert table.connection.execute(indexed).fetchone()[0] > 0
    table.remove(900)
    table.check()
    table.command("optimize")
    assert table.leaves() > 200
    table.check()


def test_a_list_of_one_long_passage(made):
    table = made(page=32)
    table.add(3, most=3000)
    table.check()


def test_rows_of_more_than_32_bits(made):
    table = made()
    table.add(5)
    table.add(30, first=(1 << 31) - 10)
    table.add(30, first=(1 << 45) - 10)
    table.check()


def test_a_word_in_most_passages_weighs_next_to_nothing(made):
    table = made()
    table.add(50, most=200)
    passages, scores = table.scores(["damper"])
    assert len(passages) > 25
    assert scores.max() < 1e-5
    table.check_scores(["damper", "damper", "wheel"])


@pytest.mark.parametrize("words", [[], ["'"], ["nowhere"], ["driver's"], ["driver's", "wheel", "spout lid"]])
def test_phrases_and_words_that_nothing_has(made, words):
    table = made()
    table.add(300)
    table.check_scores(words)


def test_an_empty_table_is_left_to_fts5(made):
    with pytest.raises(UnreadableListsError):
        WordLists(made().connection, TABLE)


def test_everything_deleted_is_left_to_fts5(made):
    table = made()
    table.add(10)
    table.remove(10)
    with pytest.raises(UnreadableListsError):
        WordLists(table.connection, TABLE)


def test_lists_are_of_one_state_while_others_write(made):
    table = made(page=64)
    table.add(200)
    with sqlite3.connect(table.path, isolation_level=None) as reader:
        reader.execute("BEGIN")
        before = ask_ranks(reader, ["wheel"])
        lists = WordLists(reader, TABLE)
        table.add(100)
        table.remove(50)
        table.command("optimize")
        lengths = PassageLengths.empty().update(reader, TABLE)
        found = score_by_lists(reader, ["wheel"], lists=lists, lengths=lengths, context=TaskContext())
        assert [item.tolist() for item in found] == [item.tolist() for item in before]
    reader.close()


def test_lengths_only_grow(made):
    table = made()
    table.add(100)
    before = PassageLengths.empty().update(table.connection, TABLE)
    assert before.update(table.connection, TABLE) is before
    table.add(20, first=65_530)
    table.add(10, first=1 << 40)
    after = before.update(table.connection, TABLE)
    whole = PassageLengths.empty().update(table.connection, TABLE)
    assert after.chunks.tolist() == whole.chunks.tolist() == [0, 1, 1 << 24]
    assert np.array_equal(after.lengths, whole.lengths)
    assert (before.lengths >= 0).sum() == 100
    assert (whole.lengths >= 0).sum() == 130


@pytest.mark.parametrize(
    "change",
    [
        f"UPDATE {TABLE}_config SET v = 5 WHERE k = 'version'",
        f"DELETE FROM {TABLE}_config",
        f"DELETE FROM {TABLE}_data WHERE id = 10",
        f"UPDATE {TABLE}_data SET block = substr(block, 1, length(block) - 1) WHERE id = 10",
        f"""UPDATE {TABLE}_data SET block = CAST(x'00000000ff000001' || substr(block, 5) AS BLOB)
            WHERE id = 10""",
        f"UPDATE {TABLE}_data SET block = x'050505' WHERE id = 1",
        f"UPDATE {TABLE}_data SET block = 'no page' WHERE id > 1000",
        f"DELETE FROM {TABLE}_data WHERE id > 1000 AND id % 3 = 0",
        f"UPDATE {TABLE}_data SET block = substr(block, 1, length(block) / 2) WHERE id > 1000",
        f"UPDATE {TABLE}_idx SET pgno = pgno + 100000",
        f"UPDATE {TABLE}_idx SET pgno = 'nothing'",
        f"DELETE FROM {TABLE}_docsize WHERE id > 50",
        f"UPDATE {TABLE}_docsize SET sz = x'ff' WHERE id = 7",
    ],
)
def test_what_is_not_as_known_is_refused(made, change):
    table = made(page=64)
    table.add(200)
    table.connection.execute(change)
    with pytest.raises(UnreadableListsError):
        table.scores(["damper", "wheel", "frame", "lens"])


@pytest.mark.parametrize("seed", range(2))
def test_damaged_pages_end_no_process(made, seed):
    table = made(seed, page=64)
    table.add(300)
    table.remove(60)
    random = np.random.default_rng(seed)
    pages = table.connection.execute(f"SELECT id, block FROM {TABLE}_data WHERE id > 1000").fetchall()
    refused = 0
    for _ in range(100):
        number, block = pages[random.integers(len(pages))]
        damaged = bytearray(block)
        for place in random.integers(len(block), size=int(random.integers(1, 4))):
            damaged[place] = random.integers(256)
        table.connection.execute(f"UPDATE {TABLE}_data SET block = ? WHERE id = ?", (bytes(damaged), number))
        try:
            table.scores(WORDS[:26])
        except UnreadableListsError:
            refused += 1
        table.connection.execute(f"UPDATE {TABLE}_data SET block = ? WHERE id = ?", (block, number))
    assert refused > 10


@pytest.mark.parametrize("seed", range(30))
def test_the_best_part_of_each_document(seed):
    random = np.random.default_rng(seed)
    many = int(random.integers(0, 60))
    parts = random.permutation(200)[:many].astype(np.int64)
    if seed % 2:
        parts.sort()
    ids = parts // 7 if seed % 3 else random.integers(0, 9, size=many)
    scores = random.integers(-3, 4, size=many) / 2
    depth = int(random.integers(1, 12))
    best = {}
    for patent, score, part in zip(ids.tolist(), scores.tolist(), parts.tolist(), strict=True):
        best[patent] = min(best.get(patent, (9.0, 0)), (-score, part))
    expected = sorted((score, patent, part) for patent, (score, part) in best.items())[:depth]
    found = rank_by_best_part(Ranker.BM25, ids, scores, depth=depth, passages=parts)
    assert (
        list(zip((-found.scores).tolist(), found.ids.tolist(), found.passages.tolist(), strict=True))
        == expected
    )
