"""The words of a batch, cut before it is written, are those of its rows."""

from __future__ import annotations

import pytest

pytest.importorskip("psycopg")

from claimlight.services.sharing.words import cut_batch
from claimlight.store import Store
from claimlight.store.postgres import words, writing
from claimlight.store.postgres.writing import NewIds
from claimlight.types import Party, Role
from tests.core.store import invented


def test_a_batch_is_cut_as_its_rows_are(tmp_path) -> None:
    parties = (Party(Role.INVENTOR, "Ada Rim"), Party(Role.AGENT, "Unseen"), Party(Role.ASSIGNEE, "R₂ AG"))
    with Store.create(tmp_path / "file") as file:
        invented.write(file, *invented.week(3), invented.patent(1, parties=parties))
        batch = writing.read_batch(file, [1, 2, 3, 4])
        with file.read() as connection:
            run = connection.exec_driver_sql
            passages = run("SELECT document_id, id, section, text FROM passage WHERE document_id > 1").all()
            names = run("SELECT document_id, position, role, name FROM party WHERE document_id > 1").all()
            firsts = dict(run("SELECT id, first_passage FROM document").all())
    expected = words.cut_words([tuple(row) for row in passages], [tuple(row) for row in names])
    found = cut_batch(batch, {number: NewIds(number, firsts[number]) for number in (2, 3, 4)})
    assert found.passages == expected.passages
    assert list(found.names) == list(expected.names)
    assert len(found.names) > 2
    assert found.stem_of == expected.stem_of
