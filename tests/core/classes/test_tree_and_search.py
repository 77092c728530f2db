"""The tree follows the dots of the scheme; a search ranks an entry's own title above its path."""

from __future__ import annotations

import pytest

from claimlight.classes import history, searching, tree
from claimlight.errors import InputError, TaskCancelled
from claimlight.tasks import TaskContext
from claimlight.types import ClassLevel, Edition, Scheme
from tests.core.classes import invented


@pytest.fixture
def editions(tmp_path):
    return invented.imported(tmp_path, xml=True)


@pytest.fixture
def cpc(editions):
    return editions.open(Scheme.CPC)


def symbols(entries):
    return [entry.symbol for entry in entries]


def test_an_entry_in_its_place(cpc):
    view = tree.find_view(cpc, "B62K 25/04")
    assert view is not None
    assert symbols(view.path) == ["B", "B62", "B62K", "B62K 25/00"]
    assert symbols(view.children) == ["B62K 2025/041", "B62K 25/06"]
    assert (view.entry.level, view.entry.dots, view.entry.children) == (ClassLevel.SUBGROUP, 1, 2)
    assert view.references[0].symbols == ("B62K 27/06",)
    assert view.path[2].short == "Bicycles and scooters: frames, steering, suspension"
    assert tree.find_view(cpc, "B62K 26/00") is None
    assert symbols(tree.list_sections(cpc)) == ["B", "H", "Y"]


def test_a_subtree_follows_the_dots_and_not_the_letters(cpc):
    assert tree.list_symbols_below(cpc, "H04L 9/06") == ("H04L 9/06", "H04L 9/0618")
    assert tree.list_symbols_below(cpc, "B62K 25/04") == ("B62K 25/04", "B62K 2025/041", "B62K 25/06")
    assert tree.list_symbols_below(cpc, "B62K 27/00") == ("B62K 27/00",)
    assert len(tree.list_symbols_below(cpc, "B")) == 9
    assert tree.list_symbols_below(cpc, "Z") == ()
    assert symbols(tree.list_subtree(cpc, "H04L 9/06")) == ["H04L 9/06", "H04L 9/0618"]


def test_main_groups_sorted_as_words_are_put_in_order(tmp_path):
    path = tmp_path / "ipc_20230101.tsv"
    path.write_text(
        "B62K\t\tX\nB62K10/00\t0\tten\nB62K10/02\t1\tten two\nB62K101/00\t0\thundred\nB62K20/00\t0\ttwenty\n",
        encoding="utf-8",
    )
    from claimlight.classes.editions import Editions
    from claimlight.classes.importing import import_edition

    editions = Editions(tmp_path / "Classes")
    import_edition(editions, path, TaskContext())
    file = editions.open(Scheme.IPC)
    assert tree.list_symbols_below(file, "B62K")[1:] == (
        "B62K 10/00",
        "B62K 10/02",
        "B62K 20/00",
        "B62K 101/00",
    )
    assert symbols(tree.list_sections(file)) == ["B"], "levels that the file lacks are added"


def find(cpc, text, **options):
    hits = searching.search_titles(cpc, text, TaskContext(), **options)
    return [hit.entry.symbol for hit in hits.hits], hits.partial


def test_words_of_the_own_title_count_more_than_those_above(cpc):
    found, partial = find(cpc, "springs")
    assert found[:2] == ["B62K 25/04", "B62K 25/00"] or found[:2] == ["B62K 25/00", "B62K 25/04"]
    assert set(found[2:]) == {"B62K 2025/041", "B62K 25/06", "B62K 25/28"}, "found by the titles above"
    assert not partial


def test_every_word_in_title_or_path_else_some(cpc):
    assert find(cpc, "spring fork") == (["B62K 25/06"], False)
    found, partial = find(cpc, "fork kettle")
    assert found == ["B62K 25/06"]
    assert partial
    assert find(cpc, "kettle") == ([], False)


def test_words_are_stemmed_folded_and_truncated_as_in_a_library(cpc):
    assert find(cpc, "FÔRKS")[0] == ["B62K 25/06"]
    assert find(cpc, "telesc*")[0] == ["B62K 25/06"]
    assert find(cpc, "weld$")[0] == ["B62K 25/06"], "the index has the stem alone"
    with pytest.raises(InputError, match="no word"):
        find(cpc, " - ")


def test_words_of_the_shipped_titles_are_found_too(cpc):
    assert find(cpc, "scooters")[0][0] == "B62K"
    assert find(cpc, "scoot*", level=ClassLevel.SUBCLASS)[0] == ["B62K"]


def test_search_by_level_below_a_symbol_and_at_most(cpc):
    assert find(cpc, "messages", level=ClassLevel.MAIN_GROUP)[0] == ["H04L 9/00"]
    assert set(find(cpc, "messages", level=ClassLevel.SUBGROUP)[0]) == {
        "H04L 9/06",
        "H04L 9/0618",
        "H04L 9/08",
    }
    assert find(cpc, "frame", below="B62K 25/04", top=1)[0] == ["B62K 25/04"]
    assert find(cpc, "frame", below="H")[0] == []


def test_a_search_stops_when_cancelled(cpc):
    context = TaskContext()
    context.cancel()
    with pytest.raises(TaskCancelled):
        searching.search_titles(cpc, "springs", context)


def test_a_symbol_that_is_gone_is_retired_and_says_where_it_went(editions):
    view = history.find_in_editions(editions, Scheme.CPC, "B62K 25/05")
    assert view is not None
    assert view.retired
    assert (view.edition.version, view.newest) == ("2019.08", Edition(Scheme.CPC, "2022.08"))
    assert view.transfers[0].targets == ("B62K 25/06", "B62K 25/28-B62K 25/30")
    there = history.find_in_editions(editions, Scheme.CPC, "B62K 25/04")
    assert there is not None
    assert not there.retired
    assert history.find_in_editions(editions, Scheme.CPC, "B62K 99/00") is None
    assert history.find_transfers(editions, Scheme.IPC, "B62K 25/30")[0].targets == ("B62K 25/28",)


def test_an_edition_without_the_files_of_a_subclass_retires_nothing(tmp_path):
    editions = invented.imported(tmp_path)
    newer = tmp_path / "cpc-section-B_20240101.txt"
    newer.write_text(
        "B\t\tX\nB62\t\tX\nB62K\t\tX\nH\t\tX\nH04\t\tX\nH04L\t\tX\nH04L9/00\t0\tX\n", encoding="utf-8"
    )
    from claimlight.classes.importing import import_edition

    import_edition(editions, newer, TaskContext())
    bicycle = history.find_in_editions(editions, Scheme.CPC, "B62K 25/04")
    assert bicycle is not None
    assert not bicycle.retired
    gone = history.find_in_editions(editions, Scheme.CPC, "H04L 9/06")
    assert gone is not None
    assert gone.retired
    compared = history.compare_editions(
        editions.open(Scheme.CPC, "2022.08"), editions.open(Scheme.CPC, "2024.01"), TaskContext()
    )
    assert compared.uncompared == ("B62K",)
    assert {change.symbol for change in compared.removed} == {"H04L 9/06", "H04L 9/0618", "H04L 9/08", "Y"}


def test_two_editions_compared(editions):
    found = history.compare_editions(
        editions.open(Scheme.CPC, "2019.08"), editions.open(Scheme.CPC), TaskContext()
    )
    assert [change.symbol for change in found.removed] == ["B62K 25/05"]
    assert found.removed[0].transfers[0].targets[0] == "B62K 25/06"
    assert [(change.before, change.after) for change in found.retitled] == [
        ("springs between frame and wheel", "springs between wheel and frame")
    ]
    assert {"B62K 25/06", "B62K 27/00", "H04L 9/06"} <= {change.symbol for change in found.added}
    assert found.same == 4
    assert found.uncompared == ()
