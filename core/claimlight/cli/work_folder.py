"""The folder a measurement works in: one that the user keeps, or one that is gone afterwards."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def work_folder(kept: Path | None) -> Iterator[Path]:
    """The folder that is to be kept, or a temporary one."""
    if kept is not None:
        yield kept
        return
    with tempfile.TemporaryDirectory(prefix="claimlight-evaluate-") as made:
        yield Path(made)
