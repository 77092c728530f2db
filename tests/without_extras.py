"""What an installation without optional packages does, run in a process of its own: hides them, then works.

    python -m tests.without_extras FOLDER

FOLDER is that of a library. Prints a line of JSON for each command: its words, exit code, and output.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import json
import pkgutil
import sys
from importlib.machinery import PathFinder

HIDDEN = frozenset(
    {"psycopg", "psycopg_binary", "pymilvus", "grpc", "qdrant_client", "qdrant_edge", "keyring", "sqlcipher3"}
)
"""Packages of extras that a first `make run`, or the examiner's program folder, does not have."""
ADDRESS = "postgresql://nobody@127.0.0.1:1/none"


class _Installed(PathFinder):
    """Finds what is installed, but for the hidden packages."""

    @classmethod
    def find_spec(cls, fullname, path=None, target=None):
        return None if fullname.partition(".")[0] in HIDDEN else super().find_spec(fullname, path, target)


def main(folder: str) -> None:
    sys.meta_path[sys.meta_path.index(PathFinder)] = _Installed
    from claimlight import cli
    from claimlight.cli.__main__ import run

    for module in pkgutil.iter_modules(cli.__path__, "claimlight.cli."):
        importlib.import_module(module.name)
    importlib.import_module("claimlight_workbench.bootstrap")
    for words in (
        ["--help"],
        ["push", "--help"],
        ["accept", "--help"],
        ["library", "info", "--library", folder],
        ["query", "valve", "--library", folder],
        ["search", "--library", ADDRESS, "--text", "a valve"],
        ["library", "info", "--library", ADDRESS],
        ["library", "login", ADDRESS],
        ["push", ADDRESS, "--library", folder],
        ["push", ADDRESS, "--status"],
        ["accept", ADDRESS],
        ["accept", "milvus://127.0.0.1:1"],
        ["accept", "qdrant://127.0.0.1:1"],
    ):
        told = io.StringIO()
        with contextlib.redirect_stdout(told), contextlib.redirect_stderr(told):
            code = run(words)
        print(json.dumps({"words": words, "code": code, "told": " ".join(told.getvalue().split())}))


if __name__ == "__main__":
    main(sys.argv[1])
