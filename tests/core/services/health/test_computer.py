"""The checks of this computer: each says what is wrong, why it matters and what to do."""

from __future__ import annotations

from collections import namedtuple
from pathlib import Path

import pytest

from claimlight.services.health import checking, computer
from claimlight.settings import Settings
from claimlight.types.health import Level, ScreenFacts, Subject, WindowFacts

Partition = namedtuple("Partition", "mountpoint fstype opts")
WIDE = ScreenFacts(1920, 1080, 1.0)


def test_every_finding_that_is_not_well_says_why_and_what_to_do():
    window = WindowFacts((ScreenFacts(1280, 720, 1.5),), ("ja", "zh"))
    found = [
        computer.check_processor("old", frozenset(("avx2",))),
        computer.check_memory(1 << 60),
        computer.check_disk(computer.Disk("cifs", network=True)),
        computer.check_disk(computer.Disk("ext4", read_only=True)),
        computer.check_clock([(2e9, True)], 1e9),
        computer.check_clock([(2e9, False)], 1e9),
        computer.check_parts("libxcb-cursor.so.0"),
        computer.check_fonts(["en", "zh"], window),
        computer.check_screen(window),
    ]
    assert {item.level for item in found} == {Level.WARNING}
    assert all(item.state and item.why and item.advice for item in found)
    assert "Chinese" in found[7].state
    assert "Japanese" not in found[7].state, "no document of the library is in Japanese"


@pytest.mark.parametrize(
    ("free", "level"), [(5 * computer.GIB, Level.WELL), (computer.GIB, Level.WARNING), (1, Level.FAULT)]
)
def test_little_space_is_a_warning_and_none_a_fault(tmp_path, monkeypatch, free, level):
    monkeypatch.setattr(computer.shutil, "disk_usage", lambda _: namedtuple("Usage", "free")(free))
    assert computer.check_space(Subject.CASES_SPACE, tmp_path / "not made yet").level is level


def test_a_folder_that_can_not_be_written_to(tmp_path, monkeypatch):
    assert computer.check_writing(Subject.LIBRARY, tmp_path, fault=False).level is Level.WELL
    assert list(tmp_path.iterdir()) == []

    def refuse(**_):
        raise PermissionError(13, "refused")

    monkeypatch.setattr(computer.tempfile, "TemporaryFile", refuse)
    library = computer.check_writing(Subject.LIBRARY, tmp_path, fault=False)
    cases = computer.check_writing(Subject.CASES, tmp_path, fault=True)
    assert (library.level, cases.level) == (Level.WARNING, Level.FAULT)
    assert library.error == "PermissionError"


@pytest.mark.skipif(computer.os.name == "nt", reason="Windows has drives")
def test_the_file_system_is_that_of_the_innermost_mount(monkeypatch):
    mounts = [
        Partition("/", "ext4", "rw,relatime"),
        Partition("/shared", "nfs4", "rw"),
        Partition("/shared/local", "ext4", "ro,noatime"),
    ]
    monkeypatch.setattr(computer.psutil, "disk_partitions", lambda **_: mounts)
    assert computer.find_disk(Path("/shared/L")) == computer.Disk("nfs4", network=True)
    assert computer.find_disk(Path("/shared/local/L")) == computer.Disk("ext4", read_only=True)
    assert computer.find_disk(Path("/sharedness")) == computer.Disk("ext4")


def test_a_system_library_that_is_missing_is_named(tmp_path):
    assert computer._fault_of(tmp_path / "libmine.so") == "", "only what the plug-in lacks"
    assert computer.missing_part() == "" or computer.missing_part().startswith("lib")


def test_an_answer_other_than_recorded_is_a_fault(monkeypatch):
    from claimlight.encoders import probes

    monkeypatch.setattr(probes, "least_cosine", lambda *_: 0.5)
    found = {item.subject: item for item in checking.examine(Settings(), window=WindowFacts((WIDE,)))}
    assert found[Subject.ANSWER].level is Level.FAULT
    assert found[Subject.ANSWER].advice
    assert found["model package"].level is Level.WELL
    assert found[Subject.SCREEN].level is Level.WELL
