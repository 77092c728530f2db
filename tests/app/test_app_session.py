from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QObject

from claimlight_workbench import ui_state
from claimlight_workbench.main_window.keeper import SessionKeeper
from claimlight_workbench.ui_state import Session


@given(
    st.builds(
        Session,
        claims_text=st.text(alphabet=st.characters(exclude_categories=["Cs"])),
        feature_lines=st.lists(st.text(alphabet=st.characters(exclude_categories=["Cs"]))).map(tuple),
        claim=st.integers(1, 99),
        scroll=st.integers(0, 10**6),
        text_scale=st.floats(0.5, 3.0),
        welcomed=st.booleans(),
    )
)
def test_a_session_comes_back_as_it_was(tmp_path_factory, session: Session):
    path = tmp_path_factory.getbasetemp() / "session.json"
    ui_state.save(session, path)
    assert ui_state.load(path) == session


@pytest.mark.parametrize("damage", ["", "{", "[]", '{"schema": 99}', "\x00"])
def test_a_damaged_session_is_kept_aside_and_starts_fresh(tmp_path: Path, damage: str):
    path = tmp_path / "session.json"
    path.write_text(damage)
    assert ui_state.load(path) == Session()
    assert (tmp_path / "session.json.bad").read_text() == damage


def test_values_of_a_wrong_type_are_left_out(tmp_path: Path):
    path = tmp_path / "session.json"
    path.write_text(json.dumps({"schema": 1, "claim": "two", "scroll": 5, "unknown": 1, "welcomed": 1}))
    assert ui_state.load(path) == Session(scroll=5)


def test_a_kill_while_saving_leaves_the_old_or_the_new_session(tmp_path: Path):
    path = tmp_path / "session.json"
    code = (
        "import sys; from pathlib import Path; from claimlight_workbench import ui_state\n"
        "n = 0\n"
        "while True:\n"
        "    n += 1\n"
        "    ui_state.save(ui_state.Session(claims_text='x' * 200_000, claim=n), Path(sys.argv[1]))\n"
        "    print(n, flush=True)\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code, str(path)],
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
    )
    assert process.stdout is not None
    saved = [int(process.stdout.readline()) for _ in range(5)][-1]
    process.kill()
    process.wait()
    process.stdout.close()
    found = ui_state.load(path)
    assert found.claim >= saved
    assert len(found.claims_text) == 200_000


def test_a_session_stays_private(tmp_path: Path):
    path = tmp_path / "session.json"
    ui_state.save(Session(claims_text="secret"), path)
    assert [each.name for each in tmp_path.iterdir()] == ["session.json"]


def test_of_two_windows_the_first_writes_the_session(tmp_path: Path, runner, qapp):
    path = tmp_path / "session.json"
    parent = QObject()
    first, second = (
        SessionKeeper(lambda line=line: Session(line=line), runner, path=path, parent=parent)
        for line in ("one", "two")
    )
    first._write(Session(line="one"))
    second._write(Session(line="two"))
    assert ui_state.load(path).line == "one"
    first.end()
    first.save_last()
    second.end()
    second.save_last()
    assert ui_state.load(path).line == "two"
