"""Titles and abstracts in English: the own ones, and whose stand in where there are none."""

from __future__ import annotations

import gzip
import json
from dataclasses import replace
from datetime import date

import pytest

from claimlight.errors import InputError
from claimlight.evaluation.judgements import read_texts
from claimlight.lab.papers.paecter.texts import LibraryTexts, texts_of_file, texts_of_library, write_texts
from claimlight.tasks import TaskContext
from claimlight.types import LocalText
from tests.fakes import library, patent


def member(
    country, number, *, language="en", published=date(2010, 1, 1), abstract="words", kind="A1", family=0
):
    """A publication of a family."""
    priority = f"P{family}"
    made = patent(
        number, f"Title {number}", priority=priority, country=country, published=published, kind=kind
    )
    text = (LocalText(f"{abstract} {number}", language),) if abstract else ()
    title = (LocalText(f"Title {number}", language),)
    return replace(made, abstracts=text, titles=title, language=language, application=None)


def opened(tmp_path, *patents):
    return library(tmp_path / "lib", patents)


def chosen(tmp_path, *patents):
    """Who stands for the first of these."""
    with opened(tmp_path, *patents) as held:
        texts = LibraryTexts(held)
        found = texts.best(texts.find(str(patents[0].publication)))
    return None if found is None else str(found.publication)


def test_the_own_abstract_before_any_other(tmp_path):
    assert chosen(tmp_path, member("JP", "2004000001"), member("WO", "2001000001")) == "JP2004000001A1"


@pytest.mark.parametrize("without", [{"abstract": ""}, {"language": "de"}])
def test_the_order_of_offices(tmp_path, without):
    """Thirteen families: the first has a member in every office, each other one lacks one office more."""
    expected = ["WO", "US", "GB", "CA", "AU", "DE", "CN", "TW", "KR", "FR", "JP", "BR"]
    patents = []
    for family in range(13):
        patents.append(member("EP", f"10000{family:02}", family=family, **without))
        offices = sorted(expected[family:])
        patents += [member(office, f"20010000{family:02}", family=family) for office in offices]
    with opened(tmp_path, *patents) as held:
        texts = LibraryTexts(held)
        found = [texts.best(texts.find(f"EP10000{family:02}A1")) for family in range(13)]
    assert [text and text.publication.country for text in found] == [*expected, None]


def test_another_publication_of_the_own_office_before_other_offices(tmp_path):
    later = member("EP", "1000001", kind="B1", published=date(2012, 1, 1))
    earlier = member("EP", "1000001", kind="A3", published=date(2011, 1, 1))
    first = member("EP", "1000001", abstract="")
    assert chosen(tmp_path, first, member("WO", "2001000001"), later, earlier) == "EP1000001A3"


def test_the_own_publication_before_an_older_one_of_its_office(tmp_path):
    older = member("EP", "1000001", kind="A1", published=date(2009, 1, 1))
    assert chosen(tmp_path, member("EP", "1000001", kind="B1"), older) == "EP1000001B1"


def test_an_abstract_in_several_languages_is_read_in_english(tmp_path):
    both = replace(
        member("EP", "1000001", language="de"),
        abstracts=(LocalText("Wörter", "de"), LocalText("Words", "en")),
        titles=(LocalText("Titel", "de"), LocalText("Title", "en")),
    )
    with opened(tmp_path, both) as held:
        found = texts_of_library(held, ["EP1000001A1"], TaskContext())
    assert (found["EP1000001A1"].title, found["EP1000001A1"].body) == ("Title", "Words")


def test_names_of_a_library_in_any_spelling_and_of_another_kind(tmp_path):
    with opened(tmp_path, member("EP", "1000001"), member("US", "20020149245")) as held:
        names = ["EP 1000001 A1", "EP1000001B1", "US2002149245A1", "EP9999999A1", "nonsense"]
        found = texts_of_library(held, names, TaskContext())
    assert set(found) == set(names[:3])
    assert found["EP1000001B1"].name == "EP1000001B1"
    assert found["EP1000001B1"].body == found["EP 1000001 A1"].body == "words 1000001"
    assert found["US2002149245A1"].title == "Title 20020149245"


def test_texts_of_a_file_and_back(tmp_path):
    rows = [
        {"_id": "US 2002/0149245 A1", "title": "Lamp", "text": "A lamp."},
        {"_id": "EP1000001A1", "title": "", "text": ""},
        {"_id": "EP1000002A1", "text": "A spout."},
    ]
    body = "".join(json.dumps(item) + "\n" for item in rows)
    (tmp_path / "texts.gz").write_bytes(gzip.compress(body.encode()))
    found = texts_of_file(tmp_path / "texts.gz", ["US2002149245A1", "EP1000001A1", "EP1000002A1", "EP3A1"])
    assert set(found) == {"US2002149245A1", "EP1000002A1"}  # one has no words, one is not there
    assert found["US2002149245A1"].text == "Lamp\nA lamp."
    write_texts(found, tmp_path / "again.jsonl")
    assert {item.name: item for item in read_texts(tmp_path / "again.jsonl")} == found
    with pytest.raises(InputError, match="none of the patents"):
        texts_of_file(tmp_path / "texts.gz", ["EP3A1"])
