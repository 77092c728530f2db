"""Use a frozen program as an examiner would, from the first start to the report; refuse what is unexpected.

``python smoke.py FOLDER XML``: the program folder, and a file or folder of patent XML to import. Each command
must end with 0 and say nothing unexpected on stderr, and nothing may connect to anything but this machine.
Without strace, as on Windows, connections are not watched, and it says so.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path

CLAIM = "A damper with a piston, a bypass channel and a valve that closes the channel."
# What may be said on stderr: Qt on its platform without a screen, and how far the program is.
EXPECTED = re.compile(
    r"This plugin does not support propagateSizeHints\(\)"
    r"|The library is in .*"
    r"|[\d,]+ documents? imported; .*"
    r"|[\w ]+: [\d,]+ of [\d,]+ .*"
    r"|[\d,]+ passages? (?:is|are) found by keywords only: .*"
    r"|[\d,]+ documents and [\d,]+ descriptions, .*"
    r"|.*The graphics card can't be used .*"
    r"|\w+ is installed in .*|Training is done; .*|Comparing the encoder .*"
    r"|Trained on .*|To install and use it: .*"
    r"|L\d+ of case \d+ .*|\w+ is marked .*|Written: .*|\* suggested: .*|No \w+ is suggested: .*"
)
# Local sockets (a display, a name service on this machine) are no network.
REACHED = re.compile(r"connect\(.*(?:AF_INET6?\b)")
WINDOWS = sys.platform == "win32"
DATA = Path(".local", "share", "claimlight")
"""The data folder below a home."""
RESEARCH = "research"
"""The variant that trains."""
BRIEF = ("--set", "run.steps=2", "--set", "run.micro_batch=4", "--queries", "10")
COMPILERS = ("numba*", "llvmlite*")
PICTURE = 20_000
"""Bytes: a window without its contents gives a smaller file."""


class SmokeError(Exception):
    """A command did not do what it must."""


def main() -> None:
    """Run all commands; ends with the first that fails."""
    folder, xml = (Path(given).resolve() for given in sys.argv[1:3])
    if shutil.which("strace") is None:
        print("There is no strace here: connections are not watched.")
    # Windows ends the last program a moment before it lets go of its files.
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=WINDOWS) as home:
        environment = make_environment(Path(home), os.environ, windows=WINDOWS)
        try:
            _use(folder, xml, Path(home), environment)
        except SmokeError as problem:
            sys.exit(f"failed: {problem}")


def make_environment(home: Path, given: Mapping[str, str], *, windows: bool) -> dict[str, str]:
    """What the program sees of this machine: a home of its own, and its data in there."""
    if windows:
        # Windows tells programs where a user's folders are, whatever the environment says.
        own = {"CLAIMLIGHT_DATA_DIR": str(home / DATA), "CLAIMLIGHT_CONFIG_DIR": str(home / "settings")}
        return {**given, **own, "PYTHONUTF8": "1", "QT_QPA_PLATFORM": given.get("QT_QPA_PLATFORM", "windows")}
    return {
        "HOME": str(home),
        "PATH": given["PATH"],
        "LANG": given.get("LANG", "C.UTF-8"),
        "QT_QPA_PLATFORM": given.get("QT_QPA_PLATFORM", "offscreen"),
        **{name: given[name] for name in ("DISPLAY", "XAUTHORITY") if name in given},
    }


def _use(folder: Path, xml: Path, home: Path, environment: Mapping[str, str]) -> None:
    library, picture = home / "Library", home / "window.png"

    def run(*arguments: object, program: str = "claimlight", **further: str) -> str:
        file = folder / f"{program}{'.exe' if WINDOWS else ''}"
        return _run([str(file), *map(str, arguments)], home, {**environment, **further})

    run("--version")
    level = _find_level(folder, run("doctor"))
    run("demo")
    run("import", xml, "--library", library)
    run("index", "--library", library)
    search = ("search", "--library", library, "--text", CLAIM, "--json")
    found = json.loads(run(*search))
    if not found["hits"]:
        raise SmokeError("the search of what was imported found nothing")
    if level != "x86-64-v2":
        # As on an older processor: numpy, which the program asks, then does without AVX2 too.
        again = json.loads(run(*search, NPY_DISABLE_CPU_FEATURES="X86_V3"))
        if again["hits"] != found["hits"]:
            raise SmokeError("the kernels of the lower level find something else")
    publication = found["hits"][0]["patent"]["publication"]
    run("query", CLAIM.split()[1], "--library", library, "--new-case", "Smoke")
    run("cases", "mark", 1, publication, "X", "--claim", 1)
    for kind in ("docx", "pdf", "csv", "xml"):
        report = home / f"report.{kind}"
        run("cases", "report", 1, "--out", report, "--library", library)
        if not report.stat().st_size:
            raise SmokeError(f"{report.name} is empty")
    run("classify", "suggest", "--text", CLAIM)
    sample = home / DATA / "Libraries" / "Sample"
    run("--size", "1366x768", "--library", sample, "--screenshot", picture, program="claimlight-workbench")
    if not picture.exists() or picture.stat().st_size < PICTURE:
        raise SmokeError("the window left no picture with contents")
    if _variant(folder) == RESEARCH:
        run("lab", "--help")
        run("adapt", "--library", library, *BRIEF)
        run("adapt", "--keep", "--library", library, "--name", "trained")
        run("models", "check", "trained")
    if kept := os.environ.get("CLAIMLIGHT_SMOKE_PICTURE"):
        shutil.copy(picture, kept)


def _variant(folder: Path) -> str:
    return str(json.loads((folder / "build.json").read_text(encoding="utf-8")).get("variant", ""))


def _find_level(folder: Path, said: str) -> str:
    """The level of the kernels that `claimlight doctor` names; only the laboratory brings a compiler."""
    compilers = [path.name for name in COMPILERS for path in (folder / "_internal").glob(name)]
    if _variant(folder) == RESEARCH:
        compilers = []
    named = re.search(r"kernels\s+compiled for (\S+)", said)
    if compilers or not named:
        raise SmokeError(f"the kernels are not those of the folder; {', '.join(compilers)} in it\n{said}")
    print(f"         kernels for {named[1]}")
    return named[1]


def _run(command: list[str], home: Path, environment: Mapping[str, str]) -> str:
    trace, watched = home / "trace", []
    if shutil.which("strace"):
        watched = ["strace", "-f", "-qq", "-e", "trace=connect", "-o", str(trace)]
    begun = time.monotonic()
    ended = subprocess.run(
        [*watched, *command],
        cwd=home,
        env=dict(environment),
        capture_output=True,
        encoding="utf-8",
        errors="replace",
        check=False,
    )
    name = " ".join([Path(command[0]).name, *command[1:2]])
    said = [
        line for line in ended.stderr.splitlines() if line.strip() and not EXPECTED.fullmatch(line.strip())
    ]
    if ended.returncode:
        raise SmokeError(f"{name} ended with {ended.returncode}\n{ended.stderr}\n{ended.stdout[-2000:]}")
    if said:
        raise SmokeError(f"{name} said on stderr:\n" + "\n".join(said))
    if trace.exists() and (
        reached := [line for line in trace.read_text().splitlines() if REACHED.search(line)]
    ):
        raise SmokeError(f"{name} opened a connection:\n" + "\n".join(reached))
    print(f"{time.monotonic() - begun:6.1f} s  {name}")
    return ended.stdout


if __name__ == "__main__":
    main()
