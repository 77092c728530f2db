"""The archive that installs itself and the Debian package, made of a program folder of three small files."""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PROGRAM = """#!/bin/sh
case $0 in *-workbench) [ {window} = yes ] || {{ echo "ImportError: libEGL.so.1" >&2; exit 1; }} ;; esac
echo "claimlight {version}"
exit {code}
"""
pytestmark = pytest.mark.skipif(
    not sys.platform.startswith("linux") or shutil.which("xz") is None, reason="packs for Linux with xz"
)


def load():
    spec = importlib.util.spec_from_file_location("linux_build", ROOT / "installer" / "linux" / "build.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def make_program(folder: Path, version: str, code: int = 0, window: str = "yes") -> Path:
    """A program folder that says its version and ends with a code, without a window if it is ``no``."""
    program = folder / version / "claimlight"
    (program / "licences").mkdir(parents=True)
    (program / "licences" / "LICENCES.txt").write_text("LICENCES\n")
    stamp = {"version": version, "commit": "0123456789ab", "date": "2026-03-01"}
    (program / "build.json").write_text(json.dumps(stamp))
    (program / "claimlight").write_text(PROGRAM.format(version=version, code=code, window=window))
    (program / "claimlight").chmod(0o755)
    (program / "claimlight-workbench").symlink_to("claimlight")
    return program


class Computer:
    """A home folder, and a way to run an archive in it."""

    def __init__(self, home: Path) -> None:
        self.home, self.data = home, home / ".local" / "share"
        self.prefix, self.bin = self.data / "claimlight", home / ".local" / "bin"
        self.work = self.prefix / "Cases" / "cases.db"
        self.work.parent.mkdir(parents=True)
        self.work.write_text("work of years")

    def run(self, script: Path, *options: str, home: str | None = None) -> subprocess.CompletedProcess[str]:
        environment = {"HOME": str(self.home) if home is None else home, "PATH": os.environ["PATH"]}
        command = ["sh", str(script), *options]
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)

    def answer(self) -> str:
        command = [str(self.bin / "claimlight"), "--version"]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


@pytest.fixture(scope="module")
def archives(tmp_path_factory) -> dict[str, Path]:
    folder, build = tmp_path_factory.mktemp("archives"), load()
    versions = {"1.0": 0, "2.0": 0, "3.0": 1}
    made = {
        version: build.make_archive(make_program(folder, version, code), folder)
        for version, code in versions.items()
    }
    return {**made, "4.0": build.make_archive(make_program(folder, "4.0", window="no"), folder)}


def test_an_upgrade_switches_at_once_and_removing_leaves_the_work(tmp_path, archives):
    computer = Computer(tmp_path / "a home")
    first = computer.run(archives["1.0"])
    assert first.returncode == 0, first.stderr
    assert computer.answer() == "claimlight 1.0"
    entry = (computer.data / "applications" / "claimlight-workbench.desktop").read_text()
    assert f'Exec="{computer.prefix}/current/claimlight-workbench" %f\n' in entry
    assert (computer.data / "mime/packages/claimlight-workbench.xml").exists()
    assert (computer.data / "icons/hicolor/scalable/apps/claimlight.svg").exists()

    refused = computer.run(archives["3.0"])
    assert refused.returncode == 1
    assert "does not start" in refused.stderr
    assert computer.answer() == "claimlight 1.0"

    limited = computer.run(archives["4.0"])
    assert limited.returncode == 0
    assert "libEGL.so.1\nThe window does not start yet" in limited.stderr
    assert "The former program stays" in limited.stdout
    assert {"program-1.0", "program-4.0"} <= {path.name for path in computer.prefix.iterdir()}

    for _ in range(2):  # the second time over itself
        second = computer.run(archives["2.0"], "--quiet")
        assert (second.returncode, second.stdout, second.stderr) == (0, "", "")
        assert computer.answer() == "claimlight 2.0"
    kept = {path.name for path in computer.prefix.iterdir()}
    assert kept == {"Cases", "current", "program-2.0", "uninstall.sh"}

    removed = computer.run(computer.prefix / "uninstall.sh")
    assert removed.returncode == 0, removed.stderr
    assert f"stay in {computer.prefix}" in removed.stdout
    left = [path for path in computer.home.rglob("*") if not path.is_dir() or path.is_symlink()]
    # What the databases of menus and file types are made into, without ours.
    made = [path for path in left if path.name == "mimeinfo.cache" or computer.data / "mime" in path.parents]
    assert [path for path in left if path not in made] == [computer.work]
    assert not [path for path in made if b"claimlight" in path.read_bytes()]
    assert computer.work.read_text() == "work of years"
    again = computer.run(archives["2.0"], "--uninstall")
    assert again.returncode == 1
    assert "There is no Claimlight" in again.stderr


def test_a_damaged_archive_changes_nothing(tmp_path, archives):
    computer = Computer(tmp_path / "home")
    whole = archives["2.0"].read_bytes()
    damaged = tmp_path / "damaged.run"
    for content in (whole[:-20], whole[:-30] + bytes(10) + whole[-20:]):
        damaged.write_bytes(content)
        refused = computer.run(damaged)
        assert refused.returncode == 1
        assert "damaged or incomplete" in refused.stderr
    assert computer.run(archives["2.0"], "--check").stdout == "This file is whole.\n"
    assert [path.name for path in computer.prefix.iterdir()] == ["Cases"]


def test_files_of_others_and_programs_in_use_are_left_alone(tmp_path, archives):
    computer, prefix = Computer(tmp_path / "home"), tmp_path / "of IT"
    computer.bin.mkdir(parents=True)
    (computer.bin / "claimlight").write_text("something else")
    (prefix / "program-mine").mkdir(parents=True)
    assert computer.run(archives["1.0"], "--prefix", str(prefix)).returncode == 0
    assert (computer.bin / "claimlight").read_text() == "something else"
    # A program that runs has its file open: `sleep`, copied into the folder.
    opened = shutil.copy(shutil.which("sleep"), prefix / "program-1.0" / "open")
    with subprocess.Popen([opened, "60"]) as running:
        try:
            upgraded = computer.run(archives["2.0"], f"--prefix={prefix}")
            assert "still open" in upgraded.stdout
            removed = computer.run(archives["2.0"], "--uninstall", "--prefix", str(prefix))
            assert (removed.returncode, "Close it first" in removed.stderr) == (1, True)
        finally:
            running.kill()
    assert computer.run(archives["2.0"], "--uninstall", "--prefix", str(prefix)).returncode == 0
    assert [path.name for path in prefix.iterdir()] == ["program-mine"]
    assert (computer.bin / "claimlight").exists()
    assert not (computer.bin / "claimlight-workbench").is_symlink()


def test_the_options_are_checked(tmp_path, archives):
    computer = Computer(tmp_path / "home")
    assert computer.run(archives["1.0"], "--frefix").returncode == 2
    assert "needs a folder" in computer.run(archives["1.0"], "--prefix").stderr
    assert "HOME is not set" in computer.run(archives["1.0"], home="").stderr
    assert "Nothing" not in computer.run(archives["1.0"], "--help").stderr
    assert [path.name for path in computer.prefix.iterdir()] == ["Cases"]


@pytest.mark.skipif(shutil.which("shellcheck") is None, reason="needs shellcheck")
def test_the_script_is_clean():
    checked = subprocess.run(
        ["shellcheck", ROOT / "installer" / "linux" / "install.sh"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert checked.returncode == 0, checked.stdout


@pytest.mark.skipif(shutil.which("dpkg-deb") is None, reason="needs dpkg-deb")
def test_the_debian_package_has_the_program_its_entry_and_its_licences(tmp_path, monkeypatch):
    monkeypatch.delenv("DEBFULLNAME", raising=False)
    monkeypatch.delenv("DEBEMAIL", raising=False)
    program = make_program(tmp_path, "1.0")
    (program / "library.so").write_bytes(b"\x7fELF..GLIBC_2.34\0GLIBC_2.38\0")
    made = load().make_package(program, tmp_path)
    assert made.name == "claimlight_1.0_amd64.deb"

    def ask(*command: object) -> str:
        run = subprocess.run(["dpkg-deb", *map(str, command)], capture_output=True, text=True, check=True)
        return run.stdout

    depends = ask("--field", made, "Depends")
    assert depends.startswith("libc6 (>= 2.38), libgl1, libegl1, fontconfig-config, fonts-dejavu-core | ")
    assert ask("--field", made, "Package", "Version", "Architecture").split()[1::2] == [
        "claimlight",
        "1.0",
        "amd64",
    ]
    listed = ask("--contents", made)
    assert all("root/root" in line for line in listed.splitlines())
    assert "./usr/bin/claimlight-workbench -> /opt/claimlight/claimlight-workbench" in listed
    root = tmp_path / "root"
    ask("--extract", made, root)
    assert (root / "opt/claimlight/claimlight-workbench").readlink() == Path("claimlight")
    assert "/opt/claimlight/licences" in (root / "usr/share/doc/claimlight/copyright").read_text()
    assert (
        "Exec=claimlight-workbench %f"
        in (root / "usr/share/applications/claimlight-workbench.desktop").read_text()
    )
    assert (root / "usr/share/mime/packages/claimlight-workbench.xml").exists()
    assert ask("--field", made, "Maintainer") == "Nobody was named at the build <unset@claimlight.invalid>\n"
    assert not {"preinst", "postinst", "prerm", "postrm"} & {*ask("--ctrl-tarfile", made)}
