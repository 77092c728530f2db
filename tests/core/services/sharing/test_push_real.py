"""Real documents in a shared library: every column comes back as it is where they were pushed from."""

from __future__ import annotations

import pytest
from pushing_fakes import FileEngine, fill, opened

from claimlight.services.library.library import Library, import_paths
from claimlight.services.sharing.verifying import verify
from claimlight.settings import Settings
from claimlight.store import Store
from claimlight.store.stored_records import load_stored, read_children, read_heads
from claimlight.tasks import TaskContext

pytestmark = [pytest.mark.data, pytest.mark.loopback]
FOLDERS = ("ep", "docdb", "marec")


def read_all(store: Store) -> dict[tuple[str, str], object]:
    """The columns of every document, its passages and its other rows."""
    found: dict[tuple[str, str], object] = {}
    with store.read() as connection:
        keys = list(connection.exec_driver_sql("SELECT number_key FROM document").scalars())
        for key, head in read_heads(connection, keys, {}).items():
            stored = load_stored(connection, head, {})
            children = read_children(connection, head.id)
            found[key] = (stored.document, stored.passages, children, stored.language, stored.merged.stamps)
    return found


def test_real_documents_come_back_as_they_were(shared_data, postgres_server, tmp_path):
    paths = [shared_data / "xml" / folder for folder in FOLDERS]
    address = postgres_server.empty_library(tmp_path / "made")
    with (
        Library.create(tmp_path / "L") as made,
        opened(address, tmp_path / "shared", FileEngine(tmp_path / "engine.db")) as target,
    ):
        import_paths(made, paths, TaskContext(), Settings())
        report = fill(made, target, batch=100)
        mine, theirs = read_all(made.store), read_all(target.store)
        check = verify(made, target, TaskContext())
        again = fill(made, target)
    assert report.new == report.text_only == len(mine) > 40
    assert mine.keys() == theirs.keys()
    for key, document in mine.items():
        assert theirs[key] == document, key
    assert (check.sound, check.same) == (True, len(mine))
    assert (again.skipped, again.new) == (len(mine), 0)
