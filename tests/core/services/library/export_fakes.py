"""An export that dies at its n-th write, sync or rename."""

from __future__ import annotations

import os
import signal
from pathlib import Path

from claimlight.services.library import export as exports
from claimlight.services.library.library import Library
from claimlight.tasks import TaskContext


def main(folder: str, to: str, left: str) -> None:
    path, steps = Path(to), [int(left)]

    def step(*_):
        steps[0] -= 1
        if steps[0] == 0:
            os.kill(os.getpid(), signal.SIGKILL)

    class Stream:
        def __init__(self, raw):
            self.raw = raw

        def write(self, data):
            step()
            return self.raw.write(data)

        def __getattr__(self, name):
            return getattr(self.raw, name)

        def __enter__(self):
            return self

        def __exit__(self, *_):
            self.raw.close()

    owner = exports.files.Access.AS_BEFORE
    exports.files._OPENERS[owner] = lambda target, mode: Stream(target.open(mode, buffering=0))
    real, sync = os.fsync, exports.files.sync
    os.fsync = lambda handle: (step(), real(handle))
    exports.files.sync = lambda folder: (step(), sync(folder))
    with Library.open(Path(folder), read_only=True) as library:
        exports.export(library, None, path, kind=exports.kind_of(path), context=TaskContext())
