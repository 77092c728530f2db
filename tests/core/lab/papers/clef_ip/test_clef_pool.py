"""Drawing a pool: the tiers by class, their shares, the seed, and the command."""

from __future__ import annotations

import json
from collections import Counter

import pytest

from claimlight.cli.__main__ import run
from claimlight.errors import InputError
from claimlight.lab.papers.clef_ip.pool import Near, Shares, Tier, draw, read_pool
from tests.core.lab.papers.clef_ip.clef_world import files, marec, write_world

NEAR = Near.of(["A61B 5/02", "F16F 9/10", "G06F"])
SYMBOLS = {
    Tier.SUBGROUP: "A61B 5/02",
    Tier.MAIN_GROUP: "A61B 5/04",
    Tier.SUBCLASS: "A61B 6/00",
    Tier.OTHER: "H01L 21/00",
}


def test_a_tier_is_the_nearest_level_that_is_shared():
    for tier, symbol in SYMBOLS.items():
        assert NEAR.tier([symbol]) is tier
        assert NEAR.tier([SYMBOLS[Tier.OTHER], symbol]) is tier
    assert NEAR.tier(["G06F 17/00"]) is Tier.SUBCLASS  # a symbol that stops above the groups
    assert NEAR.tier([]) is Tier.OTHER


def world(**sizes):
    return {
        f"{tier.value} {n:03}": (SYMBOLS[tier],) for tier in SYMBOLS for n in range(sizes[tier.name.lower()])
    }


def drawn(candidates, count, *, shares=Shares.PAPER, seed=42):
    return draw(candidates, NEAR, count, shares=shares, seed=seed)


def tally(found):
    return dict(Counter(item.tier for item in found))


def test_quarters_and_what_a_tier_lacks_comes_from_the_nearest():
    plenty = world(subgroup=50, main_group=50, subclass=50, other=50)
    assert tally(drawn(plenty, 40)) == dict.fromkeys(SYMBOLS, 10)
    assert tally(drawn(plenty, 41)) == {**dict.fromkeys(SYMBOLS, 10), Tier.SUBGROUP: 11}
    few = world(subgroup=2, main_group=50, subclass=50, other=3)
    assert tally(drawn(few, 40)) == {
        Tier.SUBGROUP: 2,
        Tier.MAIN_GROUP: 25,
        Tier.SUBCLASS: 10,
        Tier.OTHER: 3,
    }
    assert len(drawn(few, 1000)) == len(few)
    assert drawn(few, 0) == drawn(few, -3) == ()


def test_the_code_counts_the_main_group_to_the_subclass():
    plenty = world(subgroup=50, main_group=20, subclass=20, other=50)
    assert tally(drawn(plenty, 40, shares=Shares.CODE)) == {
        Tier.SUBGROUP: 15,
        Tier.SUBCLASS: 15,
        Tier.OTHER: 10,
    }


def test_the_seed_alone_decides():
    plenty = world(subgroup=50, main_group=50, subclass=50, other=50)
    backwards = dict(reversed(plenty.items()))
    assert drawn(plenty, 40) == drawn(backwards, 40)
    assert len(set(drawn(plenty, 40))) == 40
    assert drawn(plenty, 40, seed=1) != drawn(plenty, 40, seed=2)


def test_the_command_draws_cited_documents_and_negatives(tmp_path, capsys):
    write_world(tmp_path)
    family = "WO-1999000009-A1"  # of PSG-1
    (tmp_path / "collection" / f"{family}.xml").write_text(
        marec(family, description=["A lid."]), encoding="utf-8"
    )
    empty = "EP-1000010-A1"
    (tmp_path / "collection" / f"{empty}.xml").write_text(marec(empty), encoding="utf-8")
    pool = tmp_path / "pool.tsv"
    assert (
        run(["lab", "clef-ip", "pool", *files(tmp_path), "--pool", str(pool), "--size", "9", "--json"]) == 0
    )
    printed, told = capsys.readouterr()
    assert pool.read_text(encoding="utf-8").splitlines() == [
        "document\ttier",
        "EP-1000001-A1\tcited",
        "EP-1000002-B1\tcited",
        "EP-1000004-A1\tcited",
        "EP-1000008-A1\tcited",
        "WO-2001000003-A1\tcited",
        # A47J is a class of PSG-2 and what it cites; the family and the German document are no negatives.
        "EP-1000005-A1\tsubclass",
    ]
    body = json.loads(printed)
    rows = {row["system"]: row["measures"]["documents"] for row in body["rows"]}
    assert rows == {"cited": 5, "subgroup": 0, "main group": 0, "subclass": 1, "other": 0}
    assert "not in the collection, or in another language: 2" in told
    assert "only 6 documents for a pool of 9" in " ".join(told.split())
    assert len(read_pool(pool)) == 6


def test_a_pool_file_names_every_document_once(tmp_path):
    path = tmp_path / "pool"
    path.write_text("EP-1-A1\nEP-2-A1\tother\n", encoding="utf-8")
    assert read_pool(path) == {"EP-1-A1", "EP-2-A1"}
    path.write_text("document\ttier\nEP-1-A1\tcited\nEP-1-A1\tother\n", encoding="utf-8")
    with pytest.raises(InputError, match="line 3: EP-1-A1 was there before"):
        read_pool(path)
    path.write_text("document\ttier\n", encoding="utf-8")
    with pytest.raises(InputError, match="names no document"):
        read_pool(path)


def test_a_collection_without_a_cited_document_is_refused(tmp_path, capsys):
    write_world(tmp_path)
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "EP-1-A1.xml").write_text(
        marec("EP-1-A1", description=["A lid."]), encoding="utf-8"
    )
    options = files(tmp_path)[:-1]
    command = [
        "lab",
        "clef-ip",
        "pool",
        *options,
        str(tmp_path / "other"),
        "--pool",
        str(tmp_path / "p"),
    ]
    assert run(command) == 1
    assert "None of the 7 documents" in " ".join(capsys.readouterr().err.split())
