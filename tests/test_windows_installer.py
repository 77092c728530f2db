"""The installer for Windows: what it refuses to pack, what NSIS makes of it, and its use under Wine."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shutil
import struct
import subprocess
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
WINDOWS = ROOT / "installer" / "windows"
COMPILER = "x86_64-w64-mingw32-gcc"
SOURCE = """
#include <stdio.h>
#include <string.h>
#include <windows.h>
int main(int count, char **given) {
    if (count > 1 && !strcmp(given[1], "--wait")) Sleep(60000);
    printf("claimlight " VERSION);
    return CODE;
}
"""
needs_wine = pytest.mark.skipif(
    any(shutil.which(name) is None for name in ("makensis", "wine", COMPILER)),
    reason="needs makensis, Wine and MinGW",
)
needs_nsis = pytest.mark.skipif(shutil.which("makensis") is None, reason="needs makensis")


def load():
    spec = importlib.util.spec_from_file_location("windows_build", WINDOWS / "build.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def write_program(path: Path, subsystem: int, machine: int = 0x8664) -> None:
    """The head of a program for Windows, which is all that is read of it."""
    head = bytearray(400)
    head[:2], head[128:132] = b"MZ", b"PE\0\0"
    struct.pack_into("<I", head, 60, 128)
    struct.pack_into("<H", head, 132, machine)
    struct.pack_into("<H", head, 128 + 24 + 68, subsystem)
    path.write_bytes(head)


def make_folder(folder: Path, version: str = "1.0") -> Path:
    """A program folder for Windows whose programs can't be run."""
    program = folder / version / "claimlight"
    for name in ("licences", "_internal"):
        (program / name).mkdir(parents=True)
    (program / "licences" / "LICENCES.txt").write_text("LICENCES\n")
    (program / "_internal" / f"only in {version}.txt").write_text(version)
    (program / "sbom.cdx.json").write_text("{}")
    stamp = {"version": version, "commit": "0123456789ab", "date": "2026-03-01"}
    (program / "build.json").write_text(json.dumps(stamp))
    write_program(program / "claimlight.exe", 3)
    write_program(program / "claimlight-workbench.exe", 2)
    return program


def test_only_a_whole_program_folder_for_windows_is_packed(tmp_path):
    build, folder = load(), make_folder(tmp_path)
    build.check(folder)

    def refuse(match: str, name: str) -> None:
        with pytest.raises(build.UnfitError, match=match):
            build.check(folder)
        (folder / name).unlink()

    inside = folder / "_internal"
    for name, said in (
        ("libx.so.1", "library of Linux"),
        ("aux.txt", "can't unpack"),
        ("a:b", "can't unpack"),
        ("n" * 165, "can't unpack"),
    ):
        (inside / name).write_text("")
        refuse(said, f"_internal/{name}")
    (inside / "link").symlink_to(folder / "build.json")
    refuse("is a link", "_internal/link")
    (inside / "ONLY in 1.0.txt").write_text("")
    refuse("are one name", "_internal/ONLY in 1.0.txt")
    build.check(folder)

    write_program(folder / "claimlight-workbench.exe", 3)
    refuse("is not the program", "claimlight-workbench.exe")
    refuse(r"has no claimlight-workbench\.exe", "build.json")
    write_program(folder / "claimlight-workbench.exe", 2)
    refuse(r"has no build\.json", "sbom.cdx.json")
    (folder / "claimlight.exe").write_bytes(b"\x7fELF" + bytes(400))
    with pytest.raises(build.UnfitError, match="no program for Windows"):
        build.check(folder)


@pytest.mark.parametrize(
    ("version", "expected"), [("0.1.0", "0.1.0.0"), ("1.2rc3", "1.2.0.0"), ("1.2.3.4.5", "1.2.3.4")]
)
def test_the_version_has_four_numbers(version, expected):
    assert load().four_numbers(version) == expected


def test_all_texts_are_there_in_the_three_languages():
    texts = re.findall(
        r'^LangString (\w+) \$\{LANG_(\w+)\} "(.+)"$', (WINDOWS / "texts.nsh").read_text(), re.MULTILINE
    )
    languages = {name: {where for each, where, _ in texts if each == name} for name, _, _ in texts}
    assert {frozenset(found) for found in languages.values()} == {frozenset(("ENGLISH", "GERMAN", "FRENCH"))}
    assert len(texts) == 3 * len(languages)
    by_name: dict[str, set[tuple[str, ...]]] = {}
    for name, _, text in texts:
        by_name.setdefault(name, set()).add(tuple(sorted(re.findall(r"\$\{?\w+\}?", text))))
    assert [name for name, values in by_name.items() if len(values) > 1] == []
    used = set(re.findall(r"\$\((\w+)\)", (WINDOWS / "claimlight.nsi").read_text()))
    assert used == set(languages)


@needs_nsis
def test_the_installer_says_what_it_is_and_asks_for_no_administrator(tmp_path, monkeypatch):
    signed = tmp_path / "signed"
    monkeypatch.setenv("CLAIMLIGHT_SIGN", f"echo signed >>{signed} #")
    build = load()
    made = build.make_installer(make_folder(tmp_path), tmp_path)
    assert made.name == "claimlight-1.0-windows-x86_64.exe"
    target = build.find_target(build.find_makensis())
    assert build.read_program(made) == (0x8664 if target.startswith("amd64") else 0x14C, 2)
    content = made.read_bytes()
    for text in ("1.0 0123456789ab 2026-03-01", "Apache License 2.0"):
        assert text.encode("utf-16-le") in content
    assert b'level="asInvoker"' in content
    # The uninstaller inside is signed too.
    assert signed.read_text().count("signed") == 2


class Computer:
    """A Windows of its own, by Wine."""

    def __init__(self, folder: Path) -> None:
        # Wine makes a folder for each link of the user; a home of its own keeps them here.
        self.environment = {
            "HOME": str(folder),
            "PATH": os.environ["PATH"],
            "WINEPREFIX": str(folder / "wine"),
            "WINEDEBUG": "-all",
            "WINEDLLOVERRIDES": "mscoree,mshtml,winemenubuilder.exe=",
        }
        self.run("wineboot", "-i")
        self.become("win10")
        self.user = next(path for path in (folder / "wine/drive_c/users").iterdir() if path.name != "Public")
        self.local = self.user / "AppData" / "Local"
        self.prefix = self.local / "Programs" / "Claimlight"
        self.work = self.local / "claimlight" / "Cases" / "cases.db"
        self.work.parent.mkdir(parents=True)
        self.work.write_text("work of years")

    def run(self, *command: object) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["wine", *map(str, command)],
            env=self.environment,
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
        )

    def become(self, version: str) -> None:
        self.run("reg", "add", r"HKCU\Software\Wine", "/v", "Version", "/d", version, "/f")

    def answer(self) -> str:
        return self.run(self.prefix / "program" / "claimlight.exe", "--version").stdout.strip()

    def names(self) -> set[str]:
        return {path.name for path in self.prefix.iterdir()}

    def log(self) -> str:
        (path,) = self.user.rglob("claimlight-installation.log")
        return path.read_text(encoding="utf-16").splitlines()[-1]

    def entry(self, key: str = r"Uninstall\Claimlight") -> dict[str, str]:
        path = rf"HKCU\Software\Microsoft\Windows\CurrentVersion\{key}"
        lines = self.run("reg", "query", path).stdout.splitlines()
        found = [re.fullmatch(r"    (.+?)    REG_\w+    (.*)", line.rstrip()) for line in lines]
        return {each[1]: each[2] for each in found if each}

    def shortcuts(self) -> list[str]:
        return [path.name for path in self.user.rglob("*.lnk")]


@pytest.fixture(scope="module")
def installers(tmp_path_factory) -> dict[str, Path]:
    """By version: 3.0 has a command line that ends with 1, 4.0 such a window."""
    folder, build = tmp_path_factory.mktemp("installers"), load()
    source = folder / "program.c"
    source.write_text(SOURCE)
    made = {}
    for version, codes in {"1.0": (0, 0), "2.0": (0, 0), "3.0": (1, 0), "4.0": (0, 1)}.items():
        program = make_folder(folder, version)
        for (name, subsystem), code in zip(build.PROGRAMS.items(), codes, strict=True):
            options = [
                f'-DVERSION="{version}"',
                f"-DCODE={code}",
                "-mwindows" if subsystem == 2 else "-mconsole",
            ]
            subprocess.run([COMPILER, *options, "-s", "-o", program / name, source], check=True)
        made[version] = build.make_installer(program, folder)
    return made


@needs_wine
@pytest.mark.slow
def test_under_wine_an_upgrade_keeps_the_former_program_until_the_new_one_has_started(tmp_path, installers):
    computer = Computer(tmp_path)
    computer.become("win7")
    assert computer.run(installers["1.0"], "/S").returncode == 2
    assert "needs Windows 10" in computer.log()
    computer.become("win10")
    assert computer.run(installers["1.0"], "/S").returncode == 0, computer.log()
    assert computer.answer() == "claimlight 1.0"
    assert "installed in C:" in computer.log()
    assert computer.names() == {"program", "uninstall.exe"}
    entry = computer.entry()
    assert (entry["DisplayName"], entry["DisplayVersion"]) == ("Claimlight", "1.0")
    assert (entry["Publisher"], entry["Comments"]) == ("Claimlight", "1.0 0123456789ab 2026-03-01")
    assert int(entry["EstimatedSize"], 16) > 10
    assert entry["InstallLocation"].endswith(r"AppData\Local\Programs\Claimlight")
    assert entry["QuietUninstallString"] == rf'"{entry["InstallLocation"]}\uninstall.exe" /S'
    assert computer.shortcuts() == ["Claimlight.lnk"]

    for version in ("3.0", "4.0"):
        assert computer.run(installers[version], "/S").returncode == 2
        assert "does not start" in computer.log()
        assert computer.answer() == "claimlight 1.0"
        assert computer.names() == {"program", "uninstall.exe"}

    damaged = tmp_path / "damaged.exe"
    whole = installers["2.0"].read_bytes()
    damaged.write_bytes(whole[:-2000] + bytes(1000) + whole[-1000:])
    assert computer.run(damaged, "/S").returncode != 0
    assert computer.answer() == "claimlight 1.0"

    for name in ("claimlight.exe", "claimlight-workbench.exe"):
        command = ["wine", computer.prefix / "program" / name, "--wait"]
        with subprocess.Popen(command, env=computer.environment) as running:
            time.sleep(3)
            assert computer.run(installers["2.0"], "/S").returncode == 2
            assert "Claimlight is open" in computer.log()
            refused = computer.run(computer.prefix / "uninstall.exe", "/S", f"_?={entry['InstallLocation']}")
            assert refused.returncode == 2
            assert computer.entry() == entry
            running.kill()
        computer.run("wineboot", "-k")
        assert computer.answer() == "claimlight 1.0"

    # Of an installation that was ended between its renames, and over the same version.
    (computer.prefix / "program").rename(computer.prefix / ".claimlight-former")
    (computer.prefix / ".claimlight-new").mkdir()
    for _ in range(2):
        assert computer.run(installers["2.0"], "/S").returncode == 0
        assert computer.answer() == "claimlight 2.0"
        assert computer.names() == {"program", "uninstall.exe"}
        assert [path.name for path in (computer.prefix / "program" / "_internal").iterdir()] == [
            "only in 2.0.txt"
        ]
    assert computer.entry()["DisplayVersion"] == "2.0"

    (computer.prefix / "notes.txt").write_text("of the user")
    computer.run(computer.prefix / "uninstall.exe", "/S", f"_?={entry['InstallLocation']}")
    assert r"stay in C:\users" in computer.log()
    assert {path.name for path in computer.prefix.iterdir()} <= {"notes.txt", "uninstall.exe"}
    assert (computer.entry(), computer.shortcuts()) == ({}, [])
    assert computer.entry(r"App Paths\claimlight-workbench.exe") == {}
    assert computer.work.read_text() == "work of years"


@needs_wine
@pytest.mark.slow
def test_under_wine_another_folder_may_be_named_but_not_one_with_something_else(tmp_path, installers):
    computer = Computer(tmp_path)
    computer.prefix = tmp_path / "wine" / "drive_c" / "of IT"
    (computer.prefix / "program").mkdir(parents=True)
    (computer.prefix / "program" / "mine.txt").write_text("mine")
    # NSIS takes all that follows, without quotation marks.
    place = ("/S", r"/D=C:\of", "IT")
    assert computer.run(installers["1.0"], *place).returncode == 2
    assert "something else" in computer.log()
    assert (computer.prefix / "program" / "mine.txt").read_text() == "mine"
    assert computer.names() == {"program"}
    shutil.rmtree(computer.prefix)
    assert computer.run(installers["1.0"], *place).returncode == 0
    # An upgrade finds the folder again.
    assert computer.run(installers["2.0"], "/S").returncode == 0
    assert computer.answer() == "claimlight 2.0"
    former = tmp_path / "wine" / "drive_c" / "former"
    shutil.copytree(computer.prefix, former)
    computer.run(former / "uninstall.exe", "/S", r"_?=C:\former")
    assert not (former / "program").exists()
    assert computer.entry()["InstallLocation"] == r"C:\of IT"
    assert computer.answer() == "claimlight 2.0"
    # It goes on from a copy of itself, which removes the file and then the folder.
    computer.run(computer.prefix / "uninstall.exe", "/S")
    end = time.monotonic() + 60
    while computer.prefix.exists() and time.monotonic() < end:
        time.sleep(0.5)
    assert not computer.prefix.exists()
    assert (computer.entry(), computer.shortcuts()) == ({}, [])
    assert not (computer.local / "Programs" / "Claimlight").exists()
