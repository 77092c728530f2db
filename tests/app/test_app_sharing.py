"""Shared libraries in the window: the dialog, what is off, and servers that are lost while one works."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QMessageBox, QScrollArea

from claimlight.errors import EngineError, PasswordError, ResourceError, ServerError
from claimlight.services.search.index_notes import describe_claims_only, describe_gone
from claimlight.services.sharing.addresses import SharedAddress
from claimlight.services.sharing.credentials import Secrets
from claimlight.tasks import TaskContext
from claimlight.types import LibraryInfo, Ranker, SearchRequest, SearchResults, SharedState
from claimlight_workbench import bootstrap, language, ui_state
from claimlight_workbench.language import tell
from claimlight_workbench.main_window import MainWindow
from claimlight_workbench.screens.library.address import AddressDialog
from claimlight_workbench.screens.library.view import LibraryView
from tests.app.driving import press, settle
from tests.app.fake_services import FakeServices

TEXT = "postgresql://anna@db.office.example/patents?engine=milvus://index.office.example:19530"
SERVER = "postgresql://db.office.example:5432/patents"
STATE = SharedState(
    title="patents (db.office.example)",
    user="anna",
    database="PostgreSQL 16.4",
    database_seconds=0.003,
    engine="Milvus 2.6",
    engine_seconds=0.012,
    hosts=("db.office.example:5432", "index.office.example:19530"),
    unencrypted=("index.office.example",),
)


class FarServices(FakeServices):
    """The fake library, on servers where an address is opened."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.tried: list[tuple[SharedAddress, Secrets]] = []
        self.given: list[tuple[SharedAddress, Secrets, bool]] = []
        self.fault: Exception | None = None
        self.engine_fault = ""
        self.keyring = True
        self.password: str | None = None
        """What the database wants."""

    def open_library(self, folder: Path | SharedAddress, context: TaskContext) -> LibraryInfo:
        if isinstance(folder, SharedAddress) and self.password is not None:
            known = [secrets.password for address, secrets, _ in self.given if address == folder]
            self.check(known[-1] if known else None)
        return super().open_library(folder, context)  # type: ignore[arg-type]

    def check(self, password: str | None) -> None:
        if self.password not in (None, password):
            told = "refused" if password else "asks"
            raise PasswordError(f"SERVER {told}. Set VARIABLE.", server=SERVER, wrong=password is not None)

    def info(self) -> LibraryInfo:
        shared = (
            replace(STATE, engine_fault=self.engine_fault) if isinstance(self.folder, SharedAddress) else None
        )
        return replace(super().info(), shared=shared, read_only=shared is not None)

    def search(self, request: SearchRequest, context: TaskContext, *, reading: float = 0.0) -> SearchResults:
        if self.fault is not None:
            raise self.fault
        found = super().search(request, context, reading=reading)
        return replace(found, engine_fault=self.engine_fault)

    def can_keep_secrets(self, context: TaskContext) -> bool:
        return self.keyring

    def try_address(self, address: SharedAddress, secrets: Secrets, context: TaskContext) -> SharedState:
        self.tried.append((address, secrets))
        if self.fault is not None:
            raise self.fault
        self.check(secrets.password)
        return STATE

    def give_secrets(
        self, address: SharedAddress, secrets: Secrets, context: TaskContext, *, keep: bool
    ) -> None:
        self.given.append((address, secrets, keep))


@pytest.fixture
def services(tmp_path: Path) -> FarServices:
    return FarServices(tmp_path)


def ask(qtbot, window: MainWindow, text: str = TEXT, password: str = "hunter2"):
    dialog = window.wiring.shared.ask()
    settle(qtbot, window)
    dialog.address.setText(text)
    dialog.password.setText(password)
    return dialog


def far(qtbot, window: MainWindow) -> None:
    dialog = ask(qtbot, window)
    dialog.open_button.click()
    qtbot.waitUntil(lambda: window.do.library.info is not None and window.do.library.info.shared is not None)
    settle(qtbot, window)


def test_a_test_of_the_connection_shows_how_the_servers_answer(qtbot, window, services):
    dialog = ask(qtbot, window)
    dialog.token.setText("t")
    dialog.try_button.click()
    assert not dialog.open_button.isEnabled()
    qtbot.waitUntil(dialog.open_button.isEnabled)
    assert services.tried == [(SharedAddress.parse(TEXT), Secrets("hunter2", "t"))]
    assert "PostgreSQL 16.4 in 3 ms, as anna; Milvus 2.6 in 12 ms" in dialog.state.text()
    assert "not encrypted to index.office.example" in dialog.state.text()
    assert services.given == []
    assert window.do.library.info.shared is None


def test_what_is_wrong_with_an_address_is_said_before_anything_is_asked(qtbot, window, services):
    dialog = ask(qtbot, window, text="postgresql://anna:hunter2@db/patents")
    dialog.open_button.click()
    assert "password" in dialog.state.text()
    assert "hunter2" not in dialog.state.text()
    assert services.tried == []
    assert dialog.isVisible()


def test_a_refusal_stays_in_the_dialog(qtbot, window, services):
    services.fault = ResourceError("db.office.example refused the user or the password.")
    dialog = ask(qtbot, window)
    dialog.open_button.click()
    qtbot.waitUntil(dialog.open_button.isEnabled)
    assert "refused the user" in dialog.state.text()
    assert dialog.isVisible()
    assert services.given == []


def test_only_an_address_with_an_engine_has_a_token(qtbot, window):
    dialog = ask(qtbot, window)
    assert dialog.token.isEnabled()
    dialog.address.setText("postgresql://db/patents")
    assert not dialog.token.isEnabled()
    dialog.address.clear()
    assert not dialog.open_button.isEnabled()


@pytest.mark.parametrize("keyring", [True, False])
def test_the_password_goes_to_the_keyring_or_stays_for_the_session(qtbot, window, services, keyring):
    services.keyring = keyring
    far(qtbot, window)
    assert services.given == [(SharedAddress.parse(TEXT), Secrets("hunter2"), keyring)]


def test_the_window_says_what_it_is_connected_to_and_switches_off_what_needs_a_folder(
    qtbot, window, services, tmp_path
):
    status, actions = window.notices.status, window.acts.actions
    folder_commands = [
        actions[name]
        for name in (
            "Import history",
            "Go to map of the library",
            "Evaluation…",
            "Adapt to my library…",
            "Train an encoder…",
        )
    ]
    assert status.offline.text() == "Offline"
    assert actions["Import files…"].isEnabled()
    far(qtbot, window)
    assert "patents (db.office.example)" in window.windowTitle()
    assert status.offline.text() == "Not encrypted"
    assert "index.office.example:19530" in status.offline.toolTip()
    off = (
        actions["Import files…"],
        actions["Rebuild index"],
        window.see.library.index_button,
        *folder_commands,
        window.see.map,
        window.see.evaluation,
        window.see.adapting,
        window.see.training,
    )
    for each in off:
        assert not each.isEnabled()
        assert "claimlight push" in each.toolTip()
    assert actions["Export library…"].isEnabled()
    assert actions["Models…"].isEnabled()
    window.wiring.intake.import_files([tmp_path / "a.zip"])
    assert "claimlight push" in status.currentMessage()
    assert window.do.library.working is None
    # Back in a folder, everything is there again.
    window.do.library.open(tmp_path)
    qtbot.waitUntil(lambda: window.do.library.info.shared is None)
    assert status.offline.text() == "Offline"
    for each in (*off[:2], *folder_commands):
        assert each.isEnabled()
        assert "claimlight push" not in each.toolTip()


def test_an_answer_is_not_left_beside_another_address(qtbot, window, services):
    dialog = ask(qtbot, window)
    dialog.try_button.click()
    assert dialog.address.isReadOnly()
    qtbot.waitUntil(dialog.open_button.isEnabled)
    assert not dialog.address.isReadOnly()
    assert dialog.state.text()
    dialog.address.setText(TEXT.replace("patents", "others"))
    assert dialog.state.text() == ""


@pytest.mark.styled
def test_the_facts_of_a_library_on_servers_are_scrolled_rather_than_cut(qtbot, window, services):
    language.use("de")
    try:
        window.resize(1366, 768)
        far(qtbot, window)
        view = window.see.library
        window.panels.raise_panel("library")
        shared = replace(
            STATE, engine_fault="The engine at index.office.example:19530 refused the credentials."
        )
        classes = tuple((f"F16F{number}", 1_000) for number in range(10, 18))
        view.show_info(replace(services.info(), folder=TEXT, shared=shared, read_only=True, classes=classes))
        settle(qtbot, window)
        labels = [each for each in view.findChildren(QLabel) if each.isVisible()]
        assert any(each.text() == TEXT for each in labels)
        for each in labels:
            assert each.height() >= each.heightForWidth(each.width()), each.text()
        area = view.findChild(QScrollArea)
        for button in view.folder_buttons:
            assert button.geometry().right() <= area.viewport().width()
        # Nothing can be imported: no word on how, and no empty list of imports.
        view.show_runs(())
        assert view.runs.isHidden()
        assert view.state.text() == ""
    finally:
        language.use(language.ENGLISH)


@pytest.mark.styled
def test_the_panel_is_as_wide_as_a_button_that_appears(qtbot):
    panel = LibraryView()
    qtbot.addWidget(panel)
    panel.remove_button.hide()
    panel.resize(10, 900)
    panel.show()
    before = panel.minimumSizeHint().width()
    panel.remove_button.setText("Retirer les descriptions indexées de la bibliothèque…")
    panel.remove_button.show()
    qtbot.waitUntil(lambda: panel.minimumSizeHint().width() > before)
    assert panel.minimumSizeHint().width() >= panel.remove_button.minimumSizeHint().width()


@pytest.mark.styled
def test_a_long_state_of_a_library_on_servers_never_widens_the_window(qtbot, window, services):
    """German has the longest words for it, and what does not fit is in the tool tip."""
    language.use("de")
    try:
        window.resize(1366, 768)
        far(qtbot, window)
        before = window.minimumSizeHint().width()
        status = window.notices.status
        status.show_servers(replace(STATE, engine_fault="x"))
        name = "patentschriften_und_offenlegungsschriften (rechercheserver.amt.example:15432)"
        held = replace(services.info(), folder=TEXT, documents=1_234_567, indexed_documents=1_200_000)
        status.show_library(replace(held, claims_only=900_000), name)
        status.show_model(
            "ein-eigenes-modell-mit-langem-namen-fuer-den-maschinenbau-4-0123456789abcdef", "cpu"
        )
        lost = describe_gone(
            list(Ranker), f"The engine at {'a' * 200}:19530 can't be reached: x.", every=True
        )
        status.showMessage(tell(lost))
        results = replace(window.do.results.results, notes=(describe_claims_only(900_000, 1_234_567), lost))
        window.see.results.show_results(results)
        settle(qtbot, window)
        assert window.width() == 1366
        assert window.minimumSizeHint().width() <= max(before, 1366)
        # The list of jobs is told of an end a little later, and a job that runs has a longer text.
        qtbot.waitUntil(lambda: status.jobs.text() == "Aufträge: keine")
        assert status.minimumSizeHint().width() < 1000
        assert "schreibgeschützt" in status.library.text()
        assert " ".join(status.library.toolTip().split()).startswith(status.library.text())
        assert TEXT in status.library.toolTip()
        # The message is not pushed out by the facts.
        assert status.message.width() >= status.message.fontMetrics().averageCharWidth() * 20
    finally:
        language.use(language.ENGLISH)


def test_servers_that_are_lost_are_reported_in_the_status_line_and_asked_again(qtbot, window, services):
    far(qtbot, window)
    for fault in (ServerError("The database is gone."), EngineError("The engine is gone.")):
        services.fault = fault
        window.acts.run()
        qtbot.waitUntil(lambda told=str(fault): told in window.notices.status.currentMessage())
        assert "next search tries again" in window.notices.status.currentMessage()
        assert window.notices.status.offline.text() == "No connection"
    assert not window.findChildren(QMessageBox)
    services.fault = None
    window.acts.run()
    qtbot.waitUntil(lambda: "gone" not in window.notices.status.currentMessage())
    settle(qtbot, window)
    assert window.do.results.results is not None
    assert window.notices.status.offline.text() == "Not encrypted"


def test_the_status_line_says_whether_the_engine_can_be_used(qtbot, window, services):
    """From the opening on, and again after each search."""
    services.engine_fault = "The engine at index.office.example:19530 refused the credentials."
    far(qtbot, window)
    badge = window.notices.status.offline
    assert badge.text() == "Not encrypted · No engine"
    assert "refused the credentials" in " ".join(badge.toolTip().split())
    services.engine_fault = ""
    window.acts.run()
    qtbot.waitUntil(lambda: badge.text() == "Not encrypted")
    assert "refused" not in badge.toolTip()
    services.engine_fault = "The engine at index.office.example:19530 is too busy: overload."
    window.acts.run()
    qtbot.waitUntil(lambda: badge.text() == "Not encrypted · No engine")
    status = window.notices.status
    status.show_servers(replace(STATE, unencrypted=(), engine_fault=services.engine_fault))
    assert badge.text() == "No engine"
    status.show_servers(replace(STATE, unencrypted=()))
    assert badge.text() == "Connected"


def test_a_matrix_that_lost_its_server_says_so_and_is_made_by_the_next_search(qtbot, window, services):
    far(qtbot, window)
    window.acts.run()
    settle(qtbot, window)
    services.fail_matrix = ServerError("The database is gone.")
    window.do.matrix.compare_again()
    settle(qtbot, window)
    assert "The database is gone." in window.notices.status.currentMessage()
    assert window.notices.status.offline.text() == "No connection"
    assert "The database is gone." in window.see.matrix.notes.text()
    assert not window.findChildren(QMessageBox)
    services.fail_matrix = None
    # It finds the same documents, which are compared again all the same.
    window.acts.run()
    qtbot.waitUntil(lambda: window.do.matrix.answer is not None)
    settle(qtbot, window)
    assert window.notices.status.offline.text() == "Not encrypted"
    assert "gone" not in window.see.matrix.notes.text()


def test_a_server_that_is_lost_while_descriptions_are_read_is_reported(qtbot, window, services):
    services.partly = frozenset({1, 2})
    services.fail_reading = ServerError("The database is gone.")
    far(qtbot, window)
    window.acts.run()
    qtbot.waitUntil(lambda: "The database is gone." in window.notices.status.currentMessage())
    settle(qtbot, window)
    assert window.notices.status.offline.text() == "No connection"
    assert window.see.results.model.rowCount() == 3
    assert not window.findChildren(QMessageBox)


def recent(window):
    menu = window.wiring.library._recent
    menu.opened(TEXT)
    menu._fill()
    menu.actions()[0].trigger()


def session(window):
    window.state.session = replace(window.state.session, library=TEXT)
    window.restorer.reopen()


def command_line(window):
    window.restorer.reopen(library=SharedAddress.parse(TEXT))


def asked(qtbot, window) -> AddressDialog:
    """The dialog that the window opened by itself."""
    qtbot.waitUntil(lambda: any(each.isVisible() for each in window.findChildren(AddressDialog)))
    settle(qtbot, window)
    (dialog,) = (each for each in window.findChildren(AddressDialog) if each.isVisible())
    assert not window.findChildren(QMessageBox)
    return dialog


@pytest.mark.parametrize("way", [recent, command_line, session])
def test_a_password_that_is_not_known_is_asked_for(qtbot, window, services, way):
    services.password = "hunter2"
    way(window)
    dialog = asked(qtbot, window)
    assert dialog.address.text() == TEXT
    assert dialog.about.text() == f"{SERVER} asks for a password."
    assert dialog.focusWidget() is dialog.password
    assert window.do.library.info.shared is None
    dialog.password.setText("another")
    press(dialog, Qt.Key.Key_Return)
    qtbot.waitUntil(dialog.open_button.isEnabled)
    assert "refused the user or the password" in dialog.state.text()
    assert "VARIABLE" not in dialog.state.text()
    assert dialog.focusWidget() is dialog.password
    assert dialog.password.selectedText()
    dialog.password.setText("hunter2")
    press(dialog, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: window.do.library.info.shared is not None)
    settle(qtbot, window)
    assert not window.findChildren(QMessageBox)


def test_a_password_that_was_right_is_asked_for_when_it_is_wrong(qtbot, window, services, tmp_path):
    services.password = "hunter2"
    far(qtbot, window)
    window.do.library.open(tmp_path)
    qtbot.waitUntil(lambda: window.do.library.info.shared is None)
    services.password = "of this month"
    recent(window)
    dialog = asked(qtbot, window)
    assert "refused the user or the password" in dialog.about.text()
    # Whoever does not know it goes on with what is open.
    dialog.close_button.click()
    window.acts.run()
    settle(qtbot, window)
    assert window.do.library.info.shared is None
    assert window.do.results.results is not None


def test_the_session_and_the_list_of_libraries_remember_the_address(qtbot, window):
    far(qtbot, window)
    session = window.collect()
    assert session.library == TEXT
    assert session.libraries[0] == TEXT
    path = ui_state.session_path()
    ui_state.save(session, path)
    assert "hunter2" not in path.read_text(encoding="utf-8")
    assert ui_state.load(path).library == TEXT


def test_the_command_line_of_the_window_takes_an_address(capsys):
    assert bootstrap.parse(["--library", TEXT]).library == SharedAddress.parse(TEXT)
    assert bootstrap._find_place(bootstrap.parse([TEXT])).library == SharedAddress.parse(TEXT)
    with pytest.raises(SystemExit):
        bootstrap.parse(["--library", "postgresql://anna:hunter2@db/patents"])
    assert "hunter2" not in capsys.readouterr().err
