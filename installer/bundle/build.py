"""Build the program as one folder; refuse it if something is in it or missing that must not be.

``python build.py TARGET VARIANT``: run by ``make bundle`` with the Python of the release environment of that
variant (`variants`), which for the examiner's has no torch and no laboratory.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

from contents import KERNELS, excluded
from variants import EXAMINER, MEGABYTE, VARIANTS, Variant

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
# Of a theme that is left out.
MISSED_BY_NOBODY = ("libgtk-3.so", "libgdk-3.so")
# OpenBLAS and the libraries of Pillow were patched for their wheels; strip damages what was patched.
NOT_STRIPPED = (".libs",)
# All other kernels do with the registers that every processor of 64 bits has.
_ALLOWED = {"kernels-x86-64-v3": {"ymm"}}


class UnfitError(Exception):
    """The folder is not fit to be shipped."""


def main() -> None:
    """Build into the folder named: ``dist`` and the examiner's variant unless given."""
    target = Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "dist").resolve()
    variant = VARIANTS[sys.argv[2] if len(sys.argv) > 2 else EXAMINER]
    work = ROOT / "var" / "bundle" / variant.name
    # In a process of its own: setuptools, which links them, adds what it brings along to the path of imports.
    subprocess.run([sys.executable, HERE / "kernels.py", work / "kernels"], check=True)
    log = _freeze(target, work, variant)
    folder = target / "claimlight"
    try:
        _refuse_missing(log, variant)
        _link_workbench(folder)
        _strip(folder)
        _refuse_contents(folder, variant)
        _refuse_modern_instructions(folder)
        _describe(folder, work, variant)
    except UnfitError as problem:
        sys.exit(f"Not fit to be shipped: {problem}")
    print(f"{folder}: {_size(folder) / MEGABYTE:.0f} MB in {sum(1 for _ in _files(folder)):,} files")


def _freeze(target: Path, work: Path, variant: Variant) -> str:
    work.mkdir(parents=True, exist_ok=True)
    shutil.rmtree(target / "claimlight", ignore_errors=True)
    # With hashes and times that are always the same, two builds of one state are equal.
    fixed = {"PYTHONHASHSEED": "0", "SOURCE_DATE_EPOCH": str(_time())}
    command = [sys.executable, "-m", "PyInstaller", "--noconfirm", "--distpath", target, "--workpath", work]
    ended = subprocess.run(
        [*map(str, command), str(HERE / "claimlight.spec"), "--", variant.name],
        env={**os.environ, **fixed},
        capture_output=True,
        encoding="utf-8",
        errors="replace",
        check=False,
    )
    log = ended.stdout + ended.stderr
    (work / "log.txt").write_text(log, encoding="utf-8")
    if ended.returncode:
        sys.exit(log)
    return log


def _describe(folder: Path, work: Path, variant: Variant) -> None:
    """Say what is in the folder and what it was built from, in files of it."""
    # Only here: the environment of the tests has nothing that writes bills of materials.
    from parts import NoPartError, find_parts
    from sbom import write_bill, write_licences, write_stamp

    collected = json.loads((work / "claimlight" / "collected.json").read_text(encoding="utf-8"))
    modules = [(name, source) for name, source in collected["modules"] if Path(source).exists()]
    commit = _git("rev-parse", "--short=12", "HEAD")
    if commit and _git("status", "--porcelain", "--untracked-files=no"):
        commit += "+"  # built from changed files
    try:
        parts = find_parts([*map(tuple, collected["files"]), *modules], variant.extras)
        write_stamp(folder, parts[0].version, commit, _time(), variant.name)
        write_licences(folder, parts)
        files = write_bill(folder, parts, commit, _time())
    except NoPartError as problem:
        raise UnfitError(str(problem)) from problem
    print(f"{len(parts)} parts with their licences, {files:,} files in the bill of materials")


def _time() -> int:
    """SOURCE_DATE_EPOCH, else the time of the last commit; without history, that of the changelog."""
    given = os.environ.get("SOURCE_DATE_EPOCH") or _git("log", "-1", "--format=%ct")
    return int(given or (ROOT / "CHANGELOG.md").stat().st_mtime)


def _git(*command: str) -> str:
    asked = subprocess.run(["git", "-C", ROOT, *command], capture_output=True, text=True, check=False)
    return asked.stdout.strip()


def _refuse_missing(log: str, variant: Variant) -> None:
    """PyInstaller only warns of a library that it does not find; the program then ends at its first use."""
    missing = [
        line
        for line in log.splitlines()
        if "Library not found" in line
        and not any(name in line for name in (*MISSED_BY_NOBODY, *variant.missed))
    ]
    if missing:
        raise UnfitError(
            "libraries were not found; installer/system.sh installs them:\n" + "\n".join(missing)
        )


def _link_workbench(folder: Path) -> None:
    if sys.platform != "win32":
        (folder / "claimlight-workbench").symlink_to("claimlight")


def _strip(folder: Path) -> None:
    """Take out the symbols for debuggers: this saves 80 MB."""
    if not sys.platform.startswith("linux") or shutil.which("strip") is None:
        return
    for path in _files(folder):
        if ".so" in path.name and not any(mark in str(path.parent) for mark in NOT_STRIPPED):
            subprocess.run(["strip", "--strip-unneeded", path], capture_output=True, check=False)


def _refuse_contents(folder: Path, variant: Variant) -> None:
    inside = folder / "_internal"
    if found := [name for name in excluded(variant) if (inside / name.replace(".", "/")).exists()]:
        raise UnfitError(f"{', '.join(found)} went into the folder")
    if (size := _size(folder)) > variant.largest:
        largest = sorted(_files(folder), key=lambda path: -path.stat().st_size)[:10]
        names = "\n".join(f"{path.stat().st_size / MEGABYTE:6.1f} {path.name}" for path in largest)
        raise UnfitError(f"{size / MEGABYTE:.0f} MB are more than {variant.largest / MEGABYTE:.0f}:\n{names}")


def _refuse_modern_instructions(folder: Path) -> None:
    """Refuse AVX where the program does not ask the processor for it.

    Hnswlib compiles for the processor of the machine it is built on, unless `HNSWLIB_NO_NATIVE` is set, and
    the kernels of the lower level run where those of the higher one do not.
    """
    if shutil.which("objdump") is None:
        return
    inside = folder / "_internal"
    for path in inside.glob("hnswlib*.so"):
        if _find_registers(path):
            raise UnfitError(f"{path.name} needs AVX; set HNSWLIB_NO_NATIVE=1 and install it again")
    for path in (inside / KERNELS).glob("*.so"):
        if (found := _find_registers(path)) - _ALLOWED.get(path.stem, set()):
            raise UnfitError(f"{path.name} has instructions with {', '.join(sorted(found))}")


def _find_registers(path: Path) -> set[str]:
    """Which of the wide registers the instructions of a library name."""
    listing = subprocess.run(["objdump", "-d", path], capture_output=True, text=True, check=True).stdout
    return {kind for kind in ("ymm", "zmm") if f"%{kind}" in listing}


def _files(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file() and not path.is_symlink()]


def _size(folder: Path) -> int:
    return sum(path.stat().st_size for path in _files(folder))


if __name__ == "__main__":
    main()
