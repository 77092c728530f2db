"""The encrypted case book in the window: its passphrase at the start, and what is kept outside of it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QMessageBox

from claimlight import encryption, paths
from claimlight.services.cases import case_encryption
from claimlight.services.cases.cases import CaseBook
from claimlight.tasks import TaskContext
from claimlight_workbench import ui_state
from claimlight_workbench.jobs import process
from claimlight_workbench.main_window import MainWindow
from claimlight_workbench.screens.cases.encryption import EncryptionDialog, PassphraseDialog
from tests.app.driving import settle
from tests.app.test_app_cases import Kept

pytest.importorskip("sqlcipher3")
FIRST, SECOND = "damper valve train four", "another four words here"
WORDS = ("damper", "spring", "crown wheel")
"""Of the claims of the fake application."""


class Encrypting(Kept):
    """The fake library with a case book that can be encrypted."""

    def unlock_cases(self, passphrase: str, context: TaskContext) -> None:
        self.engine.unlock_cases(passphrase, context)

    def convert_cases(self, present: str, new: str, context: TaskContext) -> tuple[str, ...]:
        return self.engine.convert_cases(present, new, context)


@pytest.fixture(autouse=True)
def fewer_rounds(monkeypatch):
    monkeypatch.setattr(encryption, "_ROUNDS", 1000)
    yield
    process.remember_passphrase("")


@pytest.fixture
def services(tmp_path: Path) -> Iterator[Encrypting]:
    made = Encrypting(tmp_path)
    yield made
    made.engine.close()


def dialog(window: MainWindow, kind: type):
    (found,) = [each for each in window.findChildren(kind) if each.isVisible()]
    return found


def encrypt(
    qtbot, window: MainWindow, new: str, present: str = "", again: str | None = None
) -> EncryptionDialog:
    window.acts.actions["Case book encryption…"].trigger()
    asked = dialog(window, EncryptionDialog)
    asked.present.setText(present)
    asked.new.setText(new)
    asked.again.setText(new if again is None else again)
    asked.encrypt_button.click()
    return asked


def saved() -> str:
    return ui_state.session_path().read_text(encoding="utf-8")


def test_the_book_is_encrypted_in_the_window_and_work_goes_on(qtbot, window: MainWindow):
    number = int(window.do.case.state.case.id)
    asked = encrypt(qtbot, window, "short")
    assert "at least 12" in asked.fault.text()
    asked.new.setText(FIRST)
    asked.encrypt_button.click()
    assert "differ" in asked.fault.text()
    asked.again.setText(FIRST)
    with qtbot.waitSignal(window.do.cases.converted):
        asked.encrypt_button.click()
    assert case_encryption.is_encrypted()
    settle(qtbot, window)
    assert not window.do.case.read_only
    window.do.case.tag(window.do.reader.view.summary, ["later"])
    settle(qtbot, window)
    with CaseBook.open(passphrase=FIRST) as book:
        assert list(book.tags(number).values()) == [("later",)]
    assert not [each for each in window.findChildren(QMessageBox) if each.isVisible()]


def test_another_passphrase_needs_the_present_one_and_the_book_can_be_decrypted(
    qtbot, window: MainWindow, monkeypatch
):
    with qtbot.waitSignal(window.do.cases.converted):
        encrypt(qtbot, window, FIRST)
    settle(qtbot, window)
    with qtbot.waitSignal(window.do.cases.not_converted):
        asked = encrypt(qtbot, window, SECOND, present="not this one")
    assert "does not fit" in asked.fault.text()
    asked.present.setText(FIRST)
    with qtbot.waitSignal(window.do.cases.converted):
        asked.encrypt_button.click()
    settle(qtbot, window)
    with CaseBook.open(passphrase=SECOND) as book:
        assert book.cases()
    monkeypatch.setattr(QMessageBox, "question", lambda *_: QMessageBox.StandardButton.Yes)
    window.acts.actions["Case book encryption…"].trigger()
    asked = dialog(window, EncryptionDialog)
    asked.present.setText(SECOND)
    with qtbot.waitSignal(window.do.cases.converted):
        asked.decrypt_button.click()
    assert not case_encryption.is_encrypted()


def test_the_session_has_nothing_of_the_case_and_children_get_the_passphrase_only_for_a_case(
    qtbot, window: MainWindow, open_window
):
    number = int(window.do.case.state.case.id)
    # It is written a while after the first change.
    qtbot.waitUntil(ui_state.session_path().exists)
    qtbot.waitUntil(lambda: any(word in saved() for word in WORDS))
    with qtbot.waitSignal(window.do.cases.converted):
        encrypt(qtbot, window, FIRST)
    settle(qtbot, window)
    qtbot.waitUntil(lambda: ui_state.load(ui_state.session_path()).of_encrypted)
    window.see.expression.editor.show_text("damper SAME spring")
    qtbot.waitUntil(lambda: not window.keeper._timer.isActive())
    settle(qtbot, window)
    assert not any(word in saved() for word in (*WORDS, FIRST))
    assert ui_state.load(ui_state.session_path()).case == number
    name = "CLAIMLIGHT_CASES_PASSPHRASE"
    assert process._environment(["index", "--case", "1"]).value(name) == FIRST
    assert process._environment(["doctor", "--due", "7"]).value(name) == FIRST
    assert process._environment(["index"]).value(name) == ""


@pytest.fixture
def locked(qtbot, window: MainWindow, services: Encrypting, tmp_path: Path, open_window):
    """A new window over a locked book, before its session is reopened."""
    with qtbot.waitSignal(window.do.cases.converted):
        encrypt(qtbot, window, FIRST)
    settle(qtbot, window)
    number = int(window.do.case.state.case.id)
    qtbot.waitUntil(lambda: ui_state.load(ui_state.session_path()).of_encrypted)
    window.close()
    engine = Encrypting(services.folder)
    second = MainWindow(
        engine,
        window._runner.__class__(),
        session=ui_state.load(ui_state.session_path()),
        path=ui_state.session_path(),
    )
    second.restorer.arrange()
    second.show()
    second.wiring.case_list.start(second.restorer.reopen)
    yield second, number
    second.close()
    engine.engine.close()
    second.deleteLater()


def test_the_passphrase_is_asked_at_the_start_until_it_fits(qtbot, locked):
    window, number = locked
    asked = dialog(window, PassphraseDialog)
    with qtbot.waitSignal(window.do.cases.still_locked):
        asked.line.setText(SECOND)
        asked.open_button.click()
    assert (asked.line.text(), asked.fault.isVisible()) == ("", True)
    assert "not the passphrase" in asked.fault.text()
    asked.line.setText(FIRST)
    asked.open_button.click()
    qtbot.waitUntil(lambda: window.do.case.state is not None)
    settle(qtbot, window)
    assert int(window.do.case.state.case.id) == number
    assert window.do.query.claims is not None, "the claims come from the case book"


def test_without_the_passphrase_the_window_opens_without_cases(qtbot, locked):
    window, number = locked
    dialog(window, PassphraseDialog).without_button.click()
    settle(qtbot, window)
    assert window.do.case.state is None
    assert window.do.query.claims is None
    assert "asks for its passphrase again" in window.notices.status.currentMessage()
    assert not [each for each in window.findChildren(QMessageBox) if each.isVisible()]
    assert ui_state.load(ui_state.session_path()).case == number
    window.acts.actions["Cases…"].trigger()
    qtbot.waitUntil(lambda: any(each.isVisible() for each in window.findChildren(PassphraseDialog)))
    asked = dialog(window, PassphraseDialog)
    with qtbot.waitSignal(window.do.cases.unlocked):
        asked.line.setText(FIRST)
        asked.open_button.click()
    settle(qtbot, window)


def test_nothing_outside_the_window_knows_the_passphrase(qtbot, window: MainWindow):
    with qtbot.waitSignal(window.do.cases.converted):
        encrypt(qtbot, window, FIRST)
    settle(qtbot, window)
    for path in paths.data_dir().rglob("*"):
        assert not path.is_file() or FIRST.encode() not in path.read_bytes()
    assert not any(FIRST in argument for argument in sys.argv)
