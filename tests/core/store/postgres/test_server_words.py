"""The full text of a shared library: its counts are those of FTS5 on the same documents."""

from __future__ import annotations

import threading

import numpy as np
import pytest

pytest.importorskip("psycopg")

from claimlight.retrieval.passage_scores import ask_ranks
from claimlight.retrieval.word_weights import bm25_rows
from claimlight.store import Store, fulltext
from claimlight.store.postgres import stems as stems_of
from claimlight.store.postgres import vectors, words
from claimlight.store.postgres.vectors import make_key
from claimlight.store.text_index import open_text_index
from claimlight.store.text_query import Held, TextTable, Words
from claimlight.types import Claim, LocalText, Paragraph, Party, Role
from tests.core.store import invented
from tests.core.store.postgres.with_words import push_words, remove_with_words

pytestmark = pytest.mark.loopback

_LONG = "acgt" * 2_000
_RICH = " ".join(f"w{n:x}" for n in range(3_000))
"""More different words than a row holds here."""


@pytest.fixture(autouse=True)
def small_rows(monkeypatch) -> None:
    monkeypatch.setattr(vectors, "_MOST_BYTES", 20_000)


def test_no_row_is_larger_than_postgresql_allows(shared) -> None:
    """With the program's own limits."""
    texts = (
        " ".join(f"{n:x}w" for n in range(80_000)),
        " ".join(f"{n:x}w" for n in range(150_000)),
        "the valve " * 30_000,
        "the valve " * 127,
        "w " * 256,
        " ".join(f"{n % 999}" for n in range(16_383)),
    )
    limits = pytest.MonkeyPatch()
    limits.setattr(vectors, "_MOST_BYTES", 1_000_000)
    made = [vectors.make_passage(n, "claims", text) for n, text in enumerate(texts)]
    limits.undo()
    assert [(item.words is not None, item.placed) for item in made] == [
        (True, False), (False, False), (True, False), (True, True), (True, False), (True, True),
    ]  # fmt: skip
    with shared.read() as connection:
        for item in made:
            if item.words is not None:
                query = "SELECT length(?::tsvector)"
                many = connection.exec_driver_sql(query, (item.words,)).scalar_one()
                assert many == len(item.counts)


def documents():
    return [
        *invented.week(12),
        invented.patent(
            1,
            titles=(LocalText("Stoßdämpfer mit R₂", "de"), LocalText("減衰器", "ja")),
            claims=(Claim(1, f"A damper {_LONG} with R<sub>2</sub>, ｶﾞｽﾀﾞﾝﾊﾟｰ.", "en"),),
            description=(
                Paragraph("the valve " * 30_000),
                Paragraph("don't it's Naïve \\ 'quoted' a:b c&d !e"),
                Paragraph(_RICH),
            ),
            parties=(Party(Role.INVENTOR, "Đặng Văn Ký"), Party(Role.AGENT, "Unseen")),
        ),
    ]


def counted(store: Store) -> dict[str, dict[str, int]]:
    with store.read() as connection:
        index = open_text_index(connection)
        return {table: {item.word: item.rows for item in index.all_words(table)} for table in TextTable}


def check_counts(shared: Store, file: Store) -> None:
    """Words, stems and totals of both are the same."""
    assert counted(shared) == counted(file)
    with shared.read() as connection:
        found = connection.exec_driver_sql("SELECT stem, passages FROM stem WHERE passages <> 0").all()
    with file.read() as connection:
        run = connection.exec_driver_sql
        known = run("SELECT term, doc, cnt FROM passage_vocab").all()
        passages = run("SELECT count(*) FROM passage").scalar_one()
    assert dict(found) == {make_key(row[0]): row[1] for row in known}
    assert stems_of.count_indexed_passages(shared) == passages
    assert stems_of.average_words(shared) == sum(row[2] for row in known) / passages


@pytest.fixture
def file(tmp_path):
    with Store.create(tmp_path / "file") as made:
        yield made


def test_words_and_stems_are_counted_as_fts5_counts_them(shared, file):
    invented.write(file, *documents())
    ids = push_words(file, shared)
    check_counts(shared, file)
    some = ["dampers", "damper", "wheel", "Stossdämpfer", "nowhere", "the", "don't", "減衰器", _LONG, ""]
    assert fulltext.count_passages_by_term(shared, some) == fulltext.count_passages_by_term(file, some)
    # The same documents again: their words are dropped and added.
    push_words(file, shared)
    check_counts(shared, file)
    with shared.read() as connection:
        ids = list(connection.exec_driver_sql("SELECT id FROM document").scalars())
    remove_with_words(shared, ids)
    assert counted(shared) == {table: {} for table in TextTable}
    assert stems_of.count_indexed_passages(shared) == 0
    assert stems_of.average_words(shared) == 0.0


def test_passages_with_all_words_are_those_of_fts5(shared, file):
    invented.write(file, *documents())
    push_words(file, shared)
    for asked in (["dampers"], ["wheel", "spokes"], ["don't"], ["R₂", "damper"], ["減衰器"], ["the valve"],
                  ["valve the"], ["wff", "w100"], ["wff w100"], ["w100 wff"], ["nowhere"], [], ["§"],
                  ["Dämpfer R₂"], ["Stoßdämpfer mit"], [_LONG]):  # fmt: skip
        expected = fulltext.find_passages_with_all(file, asked)
        assert fulltext.find_passages_with_all(shared, asked).tolist() == expected.tolist(), asked[:1]


def test_a_row_with_too_many_words_is_found_or_left_open(shared, file):
    invented.write(file, *documents())
    push_words(file, shared)

    def find(word: str) -> tuple[int, int]:
        with shared.read() as connection:
            found = open_text_index(connection).find(
                TextTable.PASSAGES, Held(Words((word,)), ("ti", "ab", "clm", "de"))
            )
        return len(found.sure), len(found.open)

    # The one with all the different words.
    assert find("the") == (_count(file, "the"), 1)
    assert find(_LONG) == (1, 1)
    assert find("w1f") == (0, 1)
    assert find("nowhere") == (0, 1)


def _count(file: Store, word: str) -> int:
    with file.read() as connection:
        index = open_text_index(connection)
        return sum(item.rows for item in index.count_words(TextTable.PASSAGES, [word]))


def test_bm25_vectors_score_as_fts5(shared, file):
    invented.write(file, *invented.week(20), invented.patent(3, description=(Paragraph("damper " * 400),)))
    push_words(file, shared)
    with file.read() as connection:
        rows = connection.exec_driver_sql("SELECT id, text FROM passage ORDER BY id").all()
        asked = ["dampers", "wheel", "pistons"]
        expected = dict(zip(*ask_ranks(connection.connection.driver_connection, asked), strict=True))
    with shared.write() as connection:
        found = words.number_stems(connection, [row[1] for row in rows])
    assert len(found) == len(rows)
    vectors = bm25_rows(found, stems_of.average_words(shared))
    passages = stems_of.count_indexed_passages(shared)
    query = {
        number: max(np.log((passages - many + 0.5) / (many + 0.5)), 1e-6)
        for number, many in stems_of.read_stems(shared, ["damper", "wheel", "piston"]).values()
    }
    assert len(query) == 3
    scores = {}
    for place, row in enumerate(rows):
        indices, values = vectors.row(place)
        assert np.all(np.diff(indices) > 0)
        score = sum(query.get(int(at), 0.0) * float(value) for at, value in zip(indices, values, strict=True))
        if score:
            scores[row[0]] = score
    assert scores.keys() == expected.keys()
    assert len(scores) > 100
    for row, score in scores.items():
        assert score == pytest.approx(expected[row], rel=1e-6)


def test_stems_keep_their_numbers(shared):
    with shared.write() as connection:
        one = words.number_stems(connection, ["dampers damper", "", "wheel"])
    with shared.write() as connection:
        other = words.number_stems(connection, ["wheel", "dampers wheels damper damper"])
    assert one.counts.tolist() == [2, 1]
    assert one.offsets.tolist() == [0, 1, 1, 2]
    assert one.lengths.tolist() == [2, 0, 1]
    assert other.stems.tolist() == [one.stems[1], one.stems[0], one.stems[1]]
    assert other.counts.tolist() == [1, 3, 1]


def test_stems_that_are_new_to_several_at_once_get_one_number_each(shared):
    stems = [f"w{n}" for n in range(400)]
    texts = [" ".join(stems), " ".join(reversed(stems)), " ".join(stems[100:]), " ".join(stems[::2])]
    found: dict[int, list[int]] = {}
    start = threading.Barrier(len(texts))

    def number(place: int) -> None:
        start.wait()
        with shared.write() as connection:
            found[place] = words.number_stems(connection, [texts[place]]).stems.tolist()

    threads = [threading.Thread(target=number, args=(place,)) for place in range(len(texts))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    numbers = {stem: number for stem, (number, _) in stems_of.read_stems(shared, stems).items()}
    assert len(set(numbers.values())) == len(stems)
    for place, text in enumerate(texts):
        assert found[place] == sorted(numbers[stem] for stem in text.split())


def test_several_writers_at_once_keep_the_counts(shared, file, tmp_path):
    invented.write(file, *documents())
    invented.write(file, *invented.week(48, seed=8))
    with file.read() as connection:
        every = list(connection.exec_driver_sql("SELECT id FROM document ORDER BY id").scalars())
    faults: list[BaseException] = []

    def work(some: list[int]) -> None:
        try:
            with Store.open(file.folder, read_only=True) as source:
                for start in range(0, len(some), 4):
                    ids = push_words(source, shared, some[start : start + 4])
                    # Removed and pushed again.
                    remove_with_words(shared, ids[:2])
                    push_words(source, shared, some[start : start + 2])
        except BaseException as error:  # noqa: BLE001 - reported by the test
            faults.append(error)

    threads = [threading.Thread(target=work, args=(every[n::3],)) for n in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not faults
    check_counts(shared, file)
