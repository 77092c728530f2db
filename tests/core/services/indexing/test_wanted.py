"""The list of wanted documents: latest first, and never a reason to fail."""

from __future__ import annotations

import pytest

from claimlight.services.indexing import wanted


def test_the_latest_come_first_and_the_most_important_of_them(tmp_path):
    wanted.add(tmp_path, [3, 1, 2])
    wanted.add(tmp_path, [7])
    wanted.add(tmp_path, [1, 9])
    assert wanted.read(tmp_path) == [1, 9, 7, 3, 2]


def test_nothing_is_wanted_without_a_file(tmp_path):
    assert wanted.read(tmp_path) == []
    wanted.add(tmp_path, [])
    assert not (tmp_path / wanted.FILE_NAME).exists()


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"1 2\n3 4", [4, 3, 2, 1]),
        (b"1 2\n3 x4 -5 6.0\n", [3, 2, 1]),
        (b"\xff\xfe 5\n\x00\x00\n 6\n", [6, 5]),
        (b"9" * 40 + b" 7\n", [7]),
        (b"", []),
    ],
    ids=["no end of line", "other words", "no text", "a number too long", "empty"],
)
def test_torn_lines_cost_their_words_alone(tmp_path, content, expected):
    (tmp_path / wanted.FILE_NAME).write_bytes(content)
    assert wanted.read(tmp_path) == expected
    wanted.add(tmp_path, [8])
    assert 8 in wanted.read(tmp_path) or not content.endswith(b"\n")


def test_a_folder_that_cant_be_written_is_left_alone(tmp_path):
    folder = tmp_path / "missing"
    wanted.add(folder, [1])
    assert wanted.read(folder) == []
    (tmp_path / "file").write_text("", encoding="ascii")
    wanted.add(tmp_path / "file", [1])
    assert wanted.read(tmp_path / "file") == []


def test_a_read_only_folder_is_left_alone(tmp_path, monkeypatch):
    wanted.add(tmp_path, [4])

    def refuse(*_, **__):
        raise PermissionError(13, "Permission denied")

    # Not the rights of a folder, which the superuser needs not.
    monkeypatch.setattr(type(tmp_path), "open", refuse)
    wanted.add(tmp_path, [1])
    monkeypatch.undo()
    assert wanted.read(tmp_path) == [4]


def test_a_long_list_is_shortened_to_what_is_remembered(tmp_path):
    for begin in range(0, 40_000, 500):
        wanted.add(tmp_path, range(100_000 + begin, 100_500 + begin))
    path = tmp_path / wanted.FILE_NAME
    assert path.stat().st_size < wanted._LONGEST + 500 * 7 + 1
    found = wanted.read(tmp_path)
    assert len(found) == wanted.KEPT
    # The last call, most important first, and the one before it.
    assert found[:2] == [139_500, 139_501]
    assert found[500] == 139_000
    assert not list(tmp_path.glob("*.tmp"))
