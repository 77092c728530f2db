"""The power fails while Claimlight writes: what was reported as saved is there, and nothing is ever half.

The disks are simulated from what the program really wrote and synced (`power_loss.py`, `losing.py`).
"""

from __future__ import annotations

import pytest

from tests.faults.losing import WORKS, open_disks, record_work
from tests.faults.power_loss import build_shim, find_compiler

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(find_compiler() is None, reason="needs Linux and a C compiler"),
]


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    """The record of a kind of work, made at its first use."""
    recorder = build_shim("recorder", tmp_path_factory.mktemp("recorder"))
    known = {}

    def find(name):
        if name not in known:
            known[name] = record_work(name, recorder, tmp_path_factory.mktemp(name), disks)
        return known[name]

    with open_disks() as disks:
        yield find


def test_the_case_book_loses_no_step_that_was_saved(recorded):
    """Row 5: 150 losses while cases are worked on, logs are merged and backups made."""
    assert recorded("cases").lose_power(150, seed=1) == {"kept": 150}


@pytest.mark.skipif("encrypted cases" not in WORKS, reason="needs the extra of encryption")
def test_an_encrypted_case_book_loses_no_step_either(recorded):
    """60 losses while an encrypted book is worked on and backed up.

    One of them leaves a torn first page and its journal, before which the passphrase does not fit.
    """
    assert recorded("encrypted cases").lose_power(60, seed=2) == {"kept": 60}


def test_a_backup_that_is_brought_back_is_there_or_the_book_before(recorded):
    """Row 20: 60 losses while a damaged book with a log is replaced."""
    assert recorded("restore").lose_power(60, seed=1) == {"kept": 60}


def test_a_migration_leaves_the_old_schema_or_the_new_and_a_backup(recorded):
    """Row 22: 60 losses and 60 kills while a case book of the first version is opened."""
    assert recorded("migration").lose_power(60, seed=1) == {"kept": 60}
    assert recorded("migration").lose_power(60, seed=2, killed=True) == {"kept": 60}


def test_the_library_loses_no_batch_and_its_import_ends_the_same(recorded):
    """Row 6: 150 losses while two files are imported into a new library."""
    assert recorded("library").lose_power(150, seed=1) == {"kept": 150}


@pytest.mark.parametrize(
    ("losses", "seed"), [(80, 1), pytest.param(150, 2, marks=pytest.mark.variants)], ids=["fewer", "more"]
)
def test_the_index_names_only_files_that_are_on_disk(recorded, losses, seed):
    """Row 7: losses while an index is built, grows, loses documents and is rebuilt."""
    assert recorded("index").lose_power(losses, seed=seed) == {"kept": losses}


def test_a_replaced_file_or_folder_is_the_old_one_or_the_new(recorded):
    """Rows 4 and 12: 80 losses and 60 kills while settings, exports, files and folders are replaced."""
    assert recorded("files").lose_power(80, seed=1) == {"kept": 80}
    assert recorded("files").lose_power(60, seed=2, killed=True) == {"kept": 60}


@pytest.mark.parametrize("name", WORKS)
def test_on_a_disk_that_ignores_syncs_promises_break(recorded, name):
    """The simulation is no proof if it cannot find what is missing: here every sync is."""
    counts = recorded(name).lose_power(20, seed=2, deaf=True)
    assert counts["kept"] < 20


@pytest.mark.parametrize("name", ["cases", "restore", "library", "index"])
def test_a_kill_at_the_same_moments_loses_nothing(recorded, name):
    assert recorded(name).lose_power(15, seed=3, killed=True) == {"kept": 15}
