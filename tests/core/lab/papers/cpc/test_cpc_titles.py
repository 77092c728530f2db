"""Texts of labels by official title lists, at every level."""

from __future__ import annotations

import pytest

from claimlight.errors import InputError
from claimlight.lab.papers.cpc.levels import Level
from claimlight.lab.papers.cpc.titles import read_label_titles

LINES = """A\t\tHUMAN NECESSITIES
A01\t\tAGRICULTURE
A01B\t\tSOIL WORKING (mowers convertible to soil working {(old)} A01D 42/04)
A01B1/00\t0\tHand tools {(edge trimmers A01G 3/06 (powered A01G))}
A01B1/02\t1\tSpades; Shovels
A21\t\tBAKING
"""


@pytest.fixture
def titles(tmp_path):
    path = tmp_path / "titles.tsv"
    path.write_text(LINES, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("level", "expected"),
    [
        (Level.SECTION, {"A": "human necessities; agriculture; baking"}),
        (Level.CLASS, {"A01": "agriculture", "A21": "baking"}),
        (Level.SUBCLASS, {"A01B": "soil working"}),
        (Level.MAIN_GROUP, {"A01B 1": "soil working: hand tools"}),
        (
            Level.SUBGROUP,
            {
                "A01B 1/00": "soil working: hand tools",
                "A01B 1/02": "soil working: hand tools: spades; shovels",
            },
        ),
    ],
)
def test_a_label_is_its_title_behind_those_above_it(level, expected, titles):
    assert dict(read_label_titles(titles, level)) == expected


def test_a_list_that_does_not_go_so_deep_is_an_error(tmp_path):
    path = tmp_path / "titles.tsv"
    path.write_text("A\t\tHUMAN NECESSITIES\nA01\t\tAGRICULTURE\n", encoding="utf-8")
    with pytest.raises(InputError, match="no titles of the level main-group"):
        read_label_titles(path, Level.MAIN_GROUP)


@pytest.mark.data
def test_the_official_lists_go_down_to_groups(shared_data):
    folder = shared_data / "classification"
    found = read_label_titles(folder / "ipc_titles_en.tsv", Level.MAIN_GROUP)
    assert found["B60D 1"].startswith("vehicle connections: traction couplings")
    assert not any(text.endswith("2006.") for text in found.values())
    assert len(read_label_titles(folder / "cpc_titles_2022_08", Level.SUBCLASS)) == 674
    assert len(read_label_titles(folder / "cpc_titles_2022_08", Level.MAIN_GROUP)) > 9_000
