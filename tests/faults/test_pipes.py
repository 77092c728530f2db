"""What is named as a file and is a pipe, a device or gone is refused at once; opening a pipe would wait."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from claimlight.classes.editions import Editions
from claimlight.classes.importing import import_edition
from claimlight.errors import InputError
from claimlight.services.search import queries
from claimlight.tasks import TaskContext

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="entries of a POSIX disk")
ENTRIES = {"a pipe": os.mkfifo, "a device": lambda path: path.symlink_to("/dev/zero")}


@pytest.mark.parametrize("kind", ENTRIES)
def test_a_scheme_is_read_of_files_only(tmp_path: Path, kind):
    path = tmp_path / "cpc-2024.01.xml"
    ENTRIES[kind](path)
    with pytest.raises(InputError, match=f"is {kind}, no file"):
        import_edition(Editions(tmp_path / "Classes"), path, TaskContext())


@pytest.mark.parametrize("kind", ENTRIES)
def test_an_application_is_read_of_files_only(tmp_path: Path, kind):
    path = tmp_path / "application.xml"
    ENTRIES[kind](path)
    with pytest.raises(InputError, match="no file"):
        queries.read_application(path, TaskContext())
