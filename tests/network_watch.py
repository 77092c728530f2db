"""Runs a program so that no connection, look-up or datagram of it or its children goes unseen.

Two ways: ``strace`` names what was done; where it is missing or not allowed, a filter in the kernel ends any
process that makes an internet socket. To look at Python's own is not enough: libraries in C have theirs.
"""

from __future__ import annotations

import ctypes
import os
import platform
import re
import shutil
import struct
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

_CALLS = "trace=connect,sendto,sendmsg,sendmmsg"
_PLACE = re.compile(
    r"sa_family=AF_INET6?,.*?htons\((?P<port>\d+)\).*?(?:inet_addr\(|inet_pton\(AF_INET6, )\"(?P<host>[^\"]+)"
)
_RESOLVER = re.compile(r'sun_path="[^"]*(?:systemd/resolve|/nss|avahi)[^"]*"')
_DNS = 53
_SIGSYS = 31
# Numbers of `socket` and of the architecture as the kernel's filters know them.
_MACHINES = {"x86_64": (41, 0xC000003E), "aarch64": (198, 0xC00000B7)}
_KILL, _ALLOW = 0x80000000, 0x7FFF0000


@dataclass
class Watched:
    """A program under watch."""

    process: subprocess.Popen[bytes]
    log: Path | None
    """What strace writes; None where the kernel's filter watches."""
    output: Path

    def ended(self, seconds: float) -> tuple[int, str]:
        """Exit code and everything it printed."""
        return self.process.wait(timeout=seconds), self.output.read_text("utf-8", "replace")

    def reached(self) -> list[str]:
        """What it did beyond this machine."""
        if self.log is not None:
            return list(outside(self.log.read_text(errors="replace").splitlines()))
        killed = self.process.returncode in {-_SIGSYS, 128 + _SIGSYS}
        return ["an internet socket: ended by the kernel's filter"] if killed else []

    def places(self) -> set[tuple[str, int]]:
        """Hosts and ports of internet sockets that it connected or sent to; by strace only."""
        assert self.log is not None
        found = map(_PLACE.search, self.log.read_text(errors="replace").splitlines())
        return {(place["host"], int(place["port"])) for place in found if place is not None}

    def stop(self) -> None:
        """End it, whatever it does; a tracer takes its children with it."""
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()


def outside(lines: Sequence[str]) -> Iterator[str]:
    """The calls of a trace that went to another machine, or asked for one by name."""
    for line in lines:
        place = _PLACE.search(line)
        if place is None:
            if _RESOLVER.search(line):
                yield line
            continue
        local = place["host"].removeprefix("::ffff:").startswith("127.") or place["host"] in {
            "::1",
            "0.0.0.0",
            "::",
        }
        if not local or int(place["port"]) == _DNS:
            yield line


def ways() -> list[str]:
    """How a program can be watched on this machine, the better way first."""
    found = ["strace"] if shutil.which("strace") and _works(["strace", "-f", "-o", os.devnull]) else []
    if platform.machine() in _MACHINES and sys.platform == "linux" and _works(_filtered()):
        found.append("filter")
    return found


def start(
    command: Sequence[str], folder: Path, name: str, *, way: str, environment: dict[str, str]
) -> Watched:
    """Run ``command`` under watch, in a session of its own."""
    log = folder / f"{name}.trace" if way == "strace" else None
    tracer = ["strace", "-f", "-qq", "-e", _CALLS, "-e", "signal=none", "-s", "0", "-o", str(log)]
    output = folder / f"{name}.out"
    with output.open("wb") as stream:
        process = subprocess.Popen(
            [*(tracer if log else _filtered()), *command],
            stdin=subprocess.DEVNULL,
            stdout=stream,
            stderr=subprocess.STDOUT,
            env=environment,
        )
    return Watched(process, log, output)


def _filtered() -> list[str]:
    return [sys.executable, str(Path(__file__))]


def _works(prefix: Sequence[str]) -> bool:
    done = subprocess.run([*prefix, sys.executable, "-c", ""], capture_output=True, check=False)
    return done.returncode == 0


def forbid_internet_sockets() -> None:
    """For this process and all it starts: who makes a socket of AF_INET or AF_INET6 is ended at once."""
    call, machine = _MACHINES[platform.machine()]
    load, equal, answer = 0x20, 0x15, 0x06
    steps = (
        (load, 0, 0, 4),  # the architecture
        (equal, 0, 5, machine),
        (load, 0, 0, 0),  # the call
        (equal, 0, 3, call),
        (load, 0, 0, 16),  # its first argument, the family
        (equal, 2, 0, 2),
        (equal, 1, 0, 10),
        (answer, 0, 0, _ALLOW),
        (answer, 0, 0, _KILL),
    )
    code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *step) for step in steps))
    program = struct.pack("HxxxxxxP", len(steps), ctypes.addressof(code))
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(38, 1, 0, 0, 0) or libc.prctl(22, 2, ctypes.create_string_buffer(program), 0, 0):
        raise OSError(ctypes.get_errno(), "the kernel takes no filter")


if __name__ == "__main__":
    forbid_internet_sockets()
    os.execvp(sys.argv[1], sys.argv[1:])
