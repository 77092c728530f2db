"""Use a frozen program as an examiner would, from the first start to the report; refuse what is unexpected.

``python smoke.py FOLDER XML``: the program folder, and a file or folder of patent XML to import. Each command
must end with 0 and say nothing unexpected on stderr, and nothing may connect to anything but this machine.
Where the clients of shared libraries are inside, each is asked for a server that is not there: it must come
as far as the port of that server, and no further.
Without strace, as on Windows, connections are not watched, and it says so.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path

CLAIM = "A damper with a piston, a bypass channel and a valve that closes the channel."
# What may be said on stderr: Qt on its platform without a screen, and how far the program is.
EXPECTED = re.compile(
    r"This plugin does not support propagateSizeHints\(\)"
    r"|The library is in .*|Reading the library and opening the encoder …"
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
ABSENT = r"sin6?_port=htons\({port}\).*(?:inet_addr\(\"|::ffff:)127\.0\.0\.1\""
"""A connection to the port of this machine where nobody listens."""
WINDOWS = sys.platform == "win32"
DATA = Path(".local", "share", "claimlight")
"""The data folder below a home."""
RESEARCH = "research"
"""The variant that trains."""
SHARED = "shared"
"""The variant with the clients of shared libraries."""
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

    def run(
        *arguments: object,
        program: str = "claimlight",
        refused: str = "",
        port: int = 0,
        typed: str = "",
        **further: str,
    ) -> str:
        file = folder / f"{program}{'.exe' if WINDOWS else ''}"
        command = [str(file), *map(str, arguments)]
        return _run(command, home, {**environment, **further}, refused=refused, port=port, typed=typed)

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
    if _variant(folder) == SHARED:
        _ask_servers(run)
        _ask_keyring(run, home)
    if kept := os.environ.get("CLAIMLIGHT_SMOKE_PICTURE"):
        shutil.copy(picture, kept)


def _ask_servers(run: Callable[..., str]) -> None:
    """Every client must come as far as the port of its server, and say that nobody is there."""
    with socket.socket() as closed:
        # Bound, but not listening: nobody else gets the port, and the system refuses all connections to it.
        closed.bind(("127.0.0.1", 0))
        port = closed.getsockname()[1]
        place = f"127.0.0.1:{port}"
        database = f"postgresql://{place}/patents"
        for command in (
            ("library", "info", "--library", database),
            ("accept", database),
            ("accept", f"milvus://{place}"),
            ("accept", f"qdrant://{place}"),
        ):
            run(*command, refused=f"{place}.* can't be reached", port=port)


def _ask_keyring(run: Callable[..., str], home: Path) -> None:
    """The keyring of the system must be asked; on Windows, which always has one, it must keep a password."""
    address = "postgresql://smoke@claimlight.invalid/patents"
    login = ("library", "login", "--no-check", address)
    if WINDOWS:
        run(*login, typed="secret\n")
        if "Removed from the keyring" not in run("library", "logout", address):
            raise SmokeError("the keyring of Windows did not keep a password")
        return
    with socket.socket(socket.AF_UNIX) as bus:
        # In place of the bus on which the Secret Service is: who speaks to it has all of the keyring's parts.
        bus.bind(str(home / "bus"))
        bus.listen()
        heard: list[bytes] = []
        threading.Thread(target=_hear, args=(bus, heard), daemon=True).start()
        bus_address = f"unix:path={home / 'bus'}"
        run(*login, typed="secret\n", refused="has no keyring", DBUS_SESSION_BUS_ADDRESS=bus_address)
    if not any(b"AUTH" in each for each in heard):
        raise SmokeError(f"the keyring did not ask for the Secret Service: {heard}")


def _hear(bus: socket.socket, heard: list[bytes]) -> None:
    """Note the first line of each program that connects, and hang up, until the socket is closed."""
    while True:
        try:
            caller, _ = bus.accept()
        except OSError:
            return
        with caller, caller.makefile("rb") as said:
            heard.append(said.readline(100))


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


def _run(
    command: list[str],
    home: Path,
    environment: Mapping[str, str],
    *,
    refused: str = "",
    port: int = 0,
    typed: str = "",
) -> str:
    """What a command says on stdout.

    ``refused`` is what it must fail with (an expression), ``port`` the one of this machine that it must
    connect to, ``typed`` what it reads.
    """
    trace, watched = home / "trace", []
    if shutil.which("strace"):
        watched = ["strace", "-f", "-qq", "-e", "trace=connect", "-o", str(trace)]
    begun = time.monotonic()
    ended = subprocess.run(
        [*watched, *command],
        cwd=home,
        env=dict(environment),
        input=typed,
        capture_output=True,
        encoding="utf-8",
        errors="replace",
        check=False,
    )
    name = " ".join([Path(command[0]).name, *command[1:2]])
    if refused:
        name = " ".join([name, *command[2:]])
    told = " ".join(ended.stderr.split())
    if refused and (ended.returncode != 1 or not re.fullmatch(f"Error: .*{refused}.*", told)):
        raise SmokeError(f"{name} ended with {ended.returncode}, not with {refused!r}\n{ended.stderr}")
    said = (
        []
        if refused
        else [
            line
            for line in ended.stderr.splitlines()
            if line.strip() and not EXPECTED.fullmatch(line.strip())
        ]
    )
    if ended.returncode and not refused:
        raise SmokeError(f"{name} ended with {ended.returncode}\n{ended.stderr}\n{ended.stdout[-2000:]}")
    if said:
        raise SmokeError(f"{name} said on stderr:\n" + "\n".join(said))
    if trace.exists():
        reached = [line for line in trace.read_text().splitlines() if REACHED.search(line)]
        expected = [line for line in reached if port and re.search(ABSENT.format(port=port), line)]
        if port and not expected:
            raise SmokeError(f"{name} did not ask port {port}")
        if other := [line for line in reached if line not in expected]:
            raise SmokeError(f"{name} opened a connection:\n" + "\n".join(other))
    print(f"{time.monotonic() - begun:6.1f} s  {name}")
    return ended.stdout


if __name__ == "__main__":
    main()
