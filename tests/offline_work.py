"""What `test_offline` watches: one piece of work, as its users start it, in a process that then lives on.

A library that reports to its maker does so some seconds after it was loaded, so a short run shows nothing.
"""

from __future__ import annotations

import sys
import threading
import time
from importlib import import_module
from pathlib import Path

ALIVE_SECONDS = 60.0
AFTER_SECONDS = 20.0
"""Also after the work was done, however long it took."""
TRAINING = """
[recipe]
about = "Toy"
[model]
max_length = 24
[[task]]
kind = "pairs"
loss = "info_nce"
batch = 8
[run]
steps = 3
[export]
id = "toy"
licence = "apache-2.0"
precision = "fp32"
"""


def main(work: str, folder: Path) -> None:
    begun = time.monotonic()
    code = WORK[work](folder)
    if code:
        sys.exit(code)
    loaded = "onnxruntime" in sys.modules
    print(f"done, onnxruntime {'loaded' if loaded else 'not loaded'}", flush=True)
    rest = max(ALIVE_SECONDS - (time.monotonic() - begun), AFTER_SECONDS)
    threading.Event().wait(rest)


def _notebook(_folder: Path) -> int:
    """As one begins: with an inner module of ours, then the library."""
    import_module("claimlight.encoders")
    import_module("onnxruntime")
    return 0


def _command(*arguments: str) -> int:
    from claimlight.cli.__main__ import run

    return run(arguments)


def _import(folder: Path) -> int:
    """With worker processes, which live as long as the import."""
    return _command("settings", "set", "imports.workers", "2") or _command(
        "import", str(folder / "xml"), "--library", str(folder / "imported")
    )


def _index(folder: Path) -> int:
    return _command("index", "--library", str(folder / "unindexed"))


def _search(folder: Path) -> int:
    return _command("search", "--library", str(folder / "library"), "--text", "a damper with a valve")


def _window(folder: Path) -> int:
    """Opens the library, examines a claim of it, shows the links in the reader, draws itself and ends."""
    from claimlight_workbench import bootstrap

    like = (folder / "like").read_text()
    picture = str(folder / "window.png")
    return bootstrap.run(["--library", str(folder / "library"), "--like", like, "--screenshot", picture])


def _training(folder: Path) -> int:
    import torch

    from tests.core.training import toy
    from tests.fakes import library

    torch.set_num_threads(1)
    library(folder / "toys", toy.patents(40)).close()
    toy.checkpoint(folder / "checkpoint")
    (folder / "toy.toml").write_text(TRAINING, encoding="utf-8")
    return _command(
        *("train", str(folder / "toy.toml"), "--library", str(folder / "toys"), "--device", "cpu"),
        *("--checkpoint", str(folder / "checkpoint"), "--out", str(folder / "run")),
    )


WORK = {
    "notebook": _notebook,
    "import": _import,
    "index": _index,
    "search": _search,
    "window": _window,
    "training": _training,
}
LOADS_THE_MODEL = {"notebook", "index", "search", "window", "training"}

if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
