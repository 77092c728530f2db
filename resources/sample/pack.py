"""Makes ``library.zip``: the sample library with drawings, imported and indexed with the shipped encoder.

Run as a script it rewrites the file beside it. ``tests/test_sample_library.py`` fails where that is due.
"""

from __future__ import annotations

import json
import shutil
import sqlite3
import sys
import tempfile
import zipfile
from contextlib import closing
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from claimlight.services import sample
from claimlight.services.drawings.keeping import keep_all
from claimlight.services.library.library import Library
from claimlight.settings import Settings
from claimlight.tasks import TaskContext
from resources.sample.authored import read_library
from resources.sample.figures.drawn import write_pictures

HERE = Path(__file__).resolve().parent
SOURCE = "sample"
"""Stands in the library for the folder that the files were imported from."""
_DAY = (2020, 1, 1, 0, 0, 0)


def pack(target: Path) -> Path:
    """Write the packed library to ``target``."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / sample.NAME
        sample.ensure(TaskContext(), Settings(), folder, shipped=False).close()
        _without_places(folder / "library.db")
        keep_drawings(folder, Path(scratch) / "sources")
        (folder / "index" / "lock").unlink(missing_ok=True)
        files = sorted(path for path in folder.rglob("*") if path.is_file())
        with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as packed:
            for path in files:
                entry = zipfile.ZipInfo(path.relative_to(folder).as_posix(), _DAY)
                entry.compress_type = zipfile.ZIP_DEFLATED
                packed.writestr(entry, path.read_bytes())
    return target


def keep_drawings(folder: Path, sources: Path) -> None:
    """Draw the figures beside copies of the XML below ``sources`` and keep them in the library."""
    shutil.copytree(sample.source_folder(), sources)
    for document in read_library():
        write_pictures(document, sources)
    with Library.open(folder) as library:
        keep_all(library, TaskContext(), folder=sources)


def _without_places(database: Path) -> None:
    """Where the files lay on this machine is nobody's business."""
    here = str(sample.source_folder())
    with closing(sqlite3.connect(database)) as connection:
        for table in ("source", "import_file"):
            connection.execute(f"UPDATE {table} SET path = replace(path, ?, ?)", (here, SOURCE))
        connection.execute("UPDATE import_run SET paths = ?", (json.dumps([SOURCE]),))
        connection.commit()
        connection.execute("VACUUM")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def main() -> None:
    """Make the shipped file again."""
    target = pack(HERE / "library.zip")
    print(f"{target}: {target.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
