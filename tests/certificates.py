"""Private authorities and the certificates of servers, made by openssl in a temporary folder."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

_DAYS = "2"
_KEY = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", _DAYS)
LOOPBACK = "IP:127.0.0.1,DNS:localhost"
ELSEWHERE = "DNS:db.office.example"


class Authority:
    """An authority that signs the certificates of servers."""

    def __init__(self, folder: Path, name: str) -> None:
        if shutil.which("openssl") is None:
            pytest.skip("there is no openssl to make certificates with")
        self._folder = folder
        self._name = name
        self.file = folder / f"{name}.pem"
        """What a client trusts."""
        self._ask("req", "-x509", *_KEY, "-subj", f"/CN={name}", "-keyout", f"{name}.key", "-out", self.file)

    def sign(self, names: str) -> tuple[Path, Path]:
        """The certificate of a server with ``names`` as openssl writes them, and its key."""
        stem = f"{self._name}-{len(list(self._folder.iterdir()))}"
        certificate, key = self._folder / f"{stem}.pem", self._folder / f"{stem}.key"
        self._ask(
            *("req", "-x509", *_KEY, "-subj", "/CN=server", "-addext", f"subjectAltName={names}"),
            *("-addext", "basicConstraints=critical,CA:FALSE"),
            *("-CA", self.file, "-CAkey", f"{self._name}.key", "-keyout", key, "-out", certificate),
        )
        return certificate, key

    def _ask(self, *arguments: str | Path) -> None:
        subprocess.run(["openssl", *arguments], check=True, capture_output=True, cwd=self._folder)
