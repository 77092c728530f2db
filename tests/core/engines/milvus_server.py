"""A Milvus Lite server on this machine: the C++ engine of the package milvus-lite, without its Python.

``make engines`` puts the package under ``var/engines/milvus``, apart from the program's own: its launcher
needs an old setuptools. Tests that need a server are skipped without it.
"""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import time
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[3] / "var" / "engines" / "milvus"
LIBRARIES = FOLDER / "milvus_lite" / "lib"
REASON = f"no Milvus Lite in {FOLDER}: run `make engines`"


def is_installed() -> bool:
    return (LIBRARIES / "milvus").is_file()


def free_port() -> int:
    with socket.socket() as some:
        some.bind(("127.0.0.1", 0))
        return some.getsockname()[1]


class MilvusServer:
    """A server on a free port of the loopback, with its data in ``folder``."""

    def __init__(self, folder: Path):
        self._folder = folder
        self._port = free_port()
        self._process: subprocess.Popen | None = None
        self.start()

    @property
    def uri(self) -> str:
        return f"http://127.0.0.1:{self._port}"

    def start(self) -> None:
        self._folder.mkdir(parents=True, exist_ok=True)
        with (self._folder / "server.log").open("ab") as log:
            self._process = subprocess.Popen(
                [LIBRARIES / "milvus", self._folder / "parts.db", f"127.0.0.1:{self._port}", "ERROR"],
                env={**os.environ, "LD_LIBRARY_PATH": str(LIBRARIES)},
                cwd=self._folder,
                stdout=log,
                stderr=log,
            )
        until = time.monotonic() + 20
        while True:
            try:
                socket.create_connection(("127.0.0.1", self._port), 1).close()
            except OSError:
                if time.monotonic() > until or self._process.poll() is not None:
                    raise
                time.sleep(0.02)
            else:
                return

    def kill(self) -> None:
        """As a crash does: SIGKILL."""
        self._process.kill()
        self._process.wait()

    def pause(self) -> None:
        self._process.send_signal(signal.SIGSTOP)

    def resume(self) -> None:
        self._process.send_signal(signal.SIGCONT)

    def memory(self) -> int:
        """Bytes that it has in memory."""
        status = Path(f"/proc/{self._process.pid}/status").read_text()
        (line,) = [line for line in status.splitlines() if line.startswith("VmRSS:")]
        return int(line.split()[1]) * 1024

    def disk(self) -> int:
        """Bytes of its files."""
        return sum(path.stat().st_size for path in self._folder.iterdir() if path.name != "server.log")
