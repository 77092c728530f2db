"""Pack the program folder for Windows: an installer for one user, made by NSIS.

``python installer/windows/build.py FOLDER TARGET``: the program folder that ``bundle.ps1`` made on Windows,
and the folder for the installer and its sum. Needs makensis, which runs on Windows and Linux. If
``CLAIMLIGHT_SIGN`` is set, it is a command that signs the file whose name follows it: it is run for installer
and uninstaller.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
PROGRAMS = {"claimlight.exe": 3, "claimlight-workbench.exe": 2}
"""Each with its subsystem: only the command line has a console."""
NEEDED = ("build.json", "sbom.cdx.json", "licences/LICENCES.txt")
LONGEST = 170
"""Characters of a name in the folder: Windows allows 259, of which C:\\Users and the rest take 80."""
LARGEST = 2_000_000_000
"""Bytes: NSIS can't make a larger file."""
_MACHINE = 0x8664
_CHARACTERS = re.compile(r'[<>:"|?*\\\x00-\x1f]|[. ]$')
_DEVICES = re.compile(r"(?i)(con|prn|aux|nul|com\d|lpt\d)(\..*)?")
# Where the installer of NSIS puts it; it does not change PATH.
_USUAL = Path(os.environ.get("PROGRAMFILES(X86)", "C:\\Program Files (x86)"), "NSIS", "makensis.exe")


class UnfitError(Exception):
    """The folder is no program folder for Windows."""


def main() -> None:
    """Write the installer and its sum."""
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    folder, target = (Path(given).resolve() for given in sys.argv[1:])
    try:
        made = make_installer(folder, target)
    except UnfitError as problem:
        sys.exit(f"Not fit to be packed: {problem}")
    sums = target / f"{made.name}.sha256"
    sums.write_text(f"{hashlib.sha256(made.read_bytes()).hexdigest()}  {made.name}\n", encoding="utf-8")
    print(f"{made}: {made.stat().st_size / 1_000_000:.0f} MB")
    if not os.environ.get("CLAIMLIGHT_SIGN"):
        print("It is not signed: Windows warns of it. CLAIMLIGHT_SIGN is the command that signs.")


def make_installer(folder: Path, target: Path) -> Path:
    """``claimlight-VERSION-windows-x86_64.exe``; `UnfitError` for a folder that can't be one of Windows."""
    check(folder)
    makensis = find_makensis()
    target.mkdir(parents=True, exist_ok=True)
    stamp = json.loads((folder / "build.json").read_text(encoding="utf-8"))
    made = target / f"claimlight-{stamp['version']}-windows-x86_64.exe"
    with tempfile.TemporaryDirectory(dir=target) as work:
        licence = Path(work, "licence.txt")
        licence.write_text(
            (ROOT / "LICENSE").read_text(encoding="utf-8"), encoding="utf-8-sig", newline="\r\n"
        )
        unfinished = Path(work, made.name)
        values = {
            "TARGET": find_target(makensis),
            "VERSION": stamp["version"],
            "FILE_VERSION": four_numbers(stamp["version"]),
            "STAMP": " ".join(filter(None, (stamp["version"], stamp["commit"], stamp["date"]))),
            "UNPACKED_KB": str(sum(path.stat().st_size for path in _files(folder)) // 1024 + 1),
            "HERE": str(HERE),
            "SLASH": os.sep,
            "LICENCE": str(licence),
            "OUT": str(unfinished),
        }
        if sign := os.environ.get("CLAIMLIGHT_SIGN"):
            values["SIGN"] = sign
        defined = [f"-D{name}={value}" for name, value in values.items()]
        # Warnings are errors: a text that a language lacks is only one of them.
        options = ["-V2", "-WX", "-NOCD", "-INPUTCHARSET", "UTF8", *defined]
        ended = subprocess.run(
            [makensis, *options, str(HERE / "claimlight.nsi")],
            cwd=folder,
            capture_output=True,
            text=True,
            check=False,
        )
        if ended.returncode or not unfinished.exists():
            raise UnfitError(f"makensis ended with {ended.returncode}\n{ended.stdout}{ended.stderr}")
        unfinished.replace(made)
    return made


def check(folder: Path) -> None:
    """`UnfitError` if it is no whole program folder for Windows on x86-64 that can be unpacked anywhere."""
    for name, subsystem in PROGRAMS.items():
        path = folder / name
        if not path.is_file():
            raise UnfitError(f"{folder} has no {name}; bundle.ps1 makes the folder, on Windows")
        if read_program(path) != (_MACHINE, subsystem):
            raise UnfitError(f"{name} is not the program for Windows on x86-64 that it should be")
    if missing := [name for name in NEEDED if not (folder / name).is_file()]:
        raise UnfitError(f"{folder} has no {', '.join(missing)}; build.py of the bundle writes it")
    names: dict[str, str] = {}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.is_symlink():
            raise UnfitError(f"{name} is a link; NSIS would pack what it leads to a second time")
        if path.suffix == ".so" or ".so." in path.name:
            raise UnfitError(f"{name} is a library of Linux")
        if _CHARACTERS.search(path.name) or _DEVICES.fullmatch(path.name) or len(name) > LONGEST:
            raise UnfitError(f"Windows can't unpack a file of this name everywhere: {name}")
        if (other := names.setdefault(name.casefold(), name)) != name:
            raise UnfitError(f"{other} and {name} are one name on Windows")
    if (size := sum(path.stat().st_size for path in _files(folder))) > LARGEST:
        raise UnfitError(f"{size:,} bytes are more than NSIS can pack")


def read_program(path: Path) -> tuple[int, int]:
    """Machine and subsystem of a program for Windows; `UnfitError` if it is none."""
    with path.open("rb") as stream:
        content = stream.read(4096)
    try:
        (place,) = struct.unpack_from("<I", content, 60)
        if content[:2] != b"MZ" or content[place : place + 4] != b"PE\0\0":
            raise UnfitError(f"{path.name} is no program for Windows")
        (machine,) = struct.unpack_from("<H", content, place + 4)
        (subsystem,) = struct.unpack_from("<H", content, place + 24 + 68)
    except struct.error as error:
        raise UnfitError(f"{path.name} is no program for Windows") from error
    return machine, subsystem


def four_numbers(version: str) -> str:
    """A version as Windows wants it in the properties of a file: 1.2rc3 is 1.2.0.0."""
    digits = re.match(r"\d+(?:\.\d+)*", version)
    found = digits.group().split(".") if digits else []
    return ".".join([*found, "0", "0", "0", "0"][:4])


def find_makensis() -> str:
    """The compiler of NSIS; `UnfitError` says where to get it."""
    found = shutil.which("makensis") or (str(_USUAL) if _USUAL.exists() else None)
    if found is None:
        raise UnfitError("there is no makensis here: apt-get install nsis, or nsis.sourceforge.io on Windows")
    return found


def find_target(makensis: str) -> str:
    """The installer has 64 bits where NSIS has the start for it, as Debian's; else 32, which all have."""
    with tempfile.TemporaryDirectory() as work:
        script = Path(work, "trial.nsi")
        script.write_text(
            "Target amd64-unicode\nName trial\nOutFile trial.exe\nSection\nSectionEnd\n", encoding="utf-8"
        )
        tried = subprocess.run([makensis, "-V1", str(script)], capture_output=True, check=False)
    return "x86-unicode" if tried.returncode else "amd64-unicode"


def _files(folder: Path) -> Iterator[Path]:
    return (path for path in folder.rglob("*") if path.is_file())


if __name__ == "__main__":
    main()
