"""Libraries opened by their address: on a server of this machine, with and without password."""

from __future__ import annotations

import io
import json
import os
import re
from pathlib import Path

import pytest

pytest.importorskip("psycopg")

import claimlight
from claimlight import paths
from claimlight.cli.__main__ import run
from claimlight.errors import InputError, PasswordError, ServerError
from claimlight.services.library.library import Library
from claimlight.services.sharing import credentials
from claimlight.services.sharing.addresses import SharedAddress
from claimlight.services.sharing.credentials import PASSWORD_VARIABLE, Secrets
from claimlight.services.sharing.filling import SharedTarget
from claimlight.services.sharing.opening import open_library, open_shared
from claimlight.services.sharing.push import push
from claimlight.services.sharing.state import examine_servers, read_info, read_shared_encoder
from claimlight.settings import Settings
from claimlight.tasks import TaskContext
from tests.core.services.sharing.test_credentials import Ring, use
from tests.postgres_server import OWNER, PASSWORD

pytestmark = pytest.mark.loopback


@pytest.fixture
def address(postgres_server, tmp_path: Path) -> SharedAddress:
    """The address of an empty library."""
    return SharedAddress.parse(postgres_server.empty_library(tmp_path / "made") + "?engine=memory:opening")


@pytest.fixture
def locked(postgres_server, address, monkeypatch):
    """The same for a user who needs a password."""
    monkeypatch.setattr(credentials, "_session", {})
    monkeypatch.delenv(PASSWORD_VARIABLE, raising=False)
    with postgres_server.require_password():
        yield SharedAddress.parse(str(address).replace("owner@", f"{OWNER}@"))


def test_a_library_is_opened_by_its_address_as_by_its_folder(address, tmp_path):
    with open_library(str(address)) as library:
        assert library.name == str(address)
        assert library.folder == address.folder
        assert library.read_only
        assert library.info().documents == 0
    with Library.create(tmp_path / "folder") as made:
        assert made.name == str(tmp_path / "folder")
        assert made.shared is None
    with open_library(str(tmp_path / "folder")) as library:
        assert library.shared is None


def test_its_private_folder_is_for_this_user_alone(address):
    open_library(str(address)).close()
    assert address.folder.is_dir()
    assert address.folder.is_relative_to(paths.data_dir())
    if os.name == "posix":
        assert address.folder.stat().st_mode & 0o077 == 0


def test_the_state_names_the_servers_and_how_they_answered(address):
    with open_library(address) as library:
        info = read_info(library)
    shared = info.shared
    assert shared is not None
    assert info.folder == str(address)
    assert info.title == address.title
    assert info.local == ""
    assert shared.user == "owner"
    assert re.fullmatch(r"PostgreSQL \d+(\.\d+)*", shared.database)
    assert shared.database_seconds > 0
    assert shared.engine == "in memory"
    assert shared.hosts == (f"127.0.0.1:{address.port}",)
    assert not shared.encrypted  # the server of the tests has no certificate
    assert shared.unencrypted == ()  # but nothing leaves this computer
    assert examine_servers(address).ok


def test_a_database_that_holds_the_index_too_is_named_once(address, capsys):
    alone = SharedAddress.parse(address.account)
    with open_library(alone) as library:
        shared = read_info(library).shared
    assert shared is not None
    assert (shared.engine, shared.engine_fault) == ("", "")
    assert shared.engine_seconds > 0
    assert run(["library", "info", "--library", str(alone)]) == 0
    assert "engine the database itself, answered in" in " ".join(capsys.readouterr().out.split())
    assert "; its index, " in examine_servers(alone).state


def test_a_server_that_is_not_there_is_named_within_a_sentence(address):
    nobody = SharedAddress.parse(f"postgresql://127.0.0.1:1/{address.database}")
    with pytest.raises(ServerError, match=r"127\.0\.0\.1:1"):
        open_shared(nobody)
    assert not examine_servers(nobody).ok


def test_a_connection_that_must_be_encrypted_is_refused_by_a_server_without_tls(address):
    strict = SharedAddress.parse(f"{address.account}?sslmode=require")
    with pytest.raises(ServerError, match="TLS"):
        open_shared(strict)


def test_the_environment_does_not_lead_elsewhere(address, monkeypatch):
    for name in ("PGHOST", "PGHOSTADDR"):
        monkeypatch.setenv(name, "192.0.2.1")
    monkeypatch.setenv("PGPORT", "1")
    monkeypatch.setenv("PGSSLMODE", "verify-full")
    open_shared(address).close()


def test_what_works_on_a_folder_is_refused_with_what_to_do(address, tmp_path, capsys):
    for command in (
        ("import", str(tmp_path)),
        ("index",),
        ("watch", str(tmp_path)),
        ("library", "map"),
        ("library", "remove", "EP1000000A1"),
        ("library", "verify"),
        ("library", "drawings"),
        ("library", "quarantine"),
        ("adapt",),
        ("classify", "train"),
    ):
        assert run([*command, "--library", str(address)]) == 1, command
        assert "import and index a folder, then `claimlight push`" in " ".join(
            capsys.readouterr().err.split()
        )
    with open_library(address) as library, pytest.raises(InputError, match="claimlight push"):
        library.require_folder()


def test_what_reads_takes_an_address(address, tmp_path, capsys):
    name = str(address)
    assert run(["library", "info", "-l", name, "--json"]) == 0
    body = json.loads(capsys.readouterr().out)
    assert body["folder"] == name
    assert body["shared"]["user"] == "owner"
    assert run(["library", "info", "-l", name]) == 0
    told = capsys.readouterr().out
    assert "not encrypted" in told
    assert "PostgreSQL" in told
    for command in (
        ("search", "--text", "a damper with a valve"),
        ("query", "damper"),
        ("library", "statistics", "--by", "year"),
        ("classes", "statistics"),
        ("export", "--all", "--to", str(tmp_path / "all.csv")),
    ):
        assert run([*command, "--library", name]) == 0, (command, capsys.readouterr().err)


def test_the_variable_of_the_library_may_have_an_address(address, monkeypatch, capsys):
    monkeypatch.setenv("CLAIMLIGHT_LIBRARY", str(address))
    assert run(["library", "info"]) == 0
    assert str(address) in capsys.readouterr().out.replace("\n", "")


def test_what_needs_a_folder_says_how_to_name_one_where_the_variable_has_an_address(
    address, tmp_path, monkeypatch, capsys
):
    monkeypatch.setenv("CLAIMLIGHT_LIBRARY", str(address))
    for command in (
        ("import", str(tmp_path)),
        ("index",),
        ("push", str(address)),
        ("adapt",),
        ("adapt", "--show"),
        ("classify", "train"),
        ("classify", "evaluate"),
        ("train", "adapt", "--out", str(tmp_path / "run")),
    ):
        assert run([*command]) == 1, command
        told = " ".join(capsys.readouterr().err.split())
        assert "CLAIMLIGHT_LIBRARY has an address: name the folder with --library DIR" in told, command


def test_what_needs_no_library_does_not_mind_an_address_in_the_variable(
    address, tmp_path, monkeypatch, capsys
):
    monkeypatch.setenv("CLAIMLIGHT_LIBRARY", str(address))
    assert run(["train", "--list"]) == 0
    cells, documents = tmp_path / "cells.json", tmp_path / "documents.jsonl"
    cells.write_text("no cells")
    documents.write_text("no documents")
    for command in (
        ("adapt", "--judge", str(cells), "--out", str(tmp_path / "judge")),
        ("classify", "train", "--documents", str(documents)),
        ("classify", "evaluate", "--documents", str(documents)),
    ):
        assert run([*command]) == 1, command
        told = capsys.readouterr().err
        # They come as far as the file, or as what reads it.
        assert any(word in told for word in ("cells.json", "documents.jsonl", "claimlight[train]")), command
        assert "CLAIMLIGHT_LIBRARY" not in told


def test_python_opens_an_address(address):
    with claimlight.open(str(address)) as library:
        assert len(library) == 0
        assert library.name == str(address)
        assert library.read_only
        with pytest.raises(InputError, match="claimlight push"):
            library.index()
    with pytest.raises(InputError, match="claimlight push"):
        claimlight.open(str(address), create=True)


def test_a_password_opens_from_the_environment_or_for_the_session(locked, monkeypatch):
    with pytest.raises(PasswordError, match="asks for a password") as asked:
        open_shared(locked)
    with pytest.raises(PasswordError, match="refused the user or the password") as refused:
        open_shared(locked, secrets=Secrets("wrong"))
    assert (asked.value.wrong, refused.value.wrong) == (False, True)
    assert refused.value.server == f"postgresql://127.0.0.1:{locked.port}/{locked.database}"
    credentials.use_in_session(locked, Secrets(PASSWORD))
    open_shared(locked).close()
    monkeypatch.setattr(credentials, "_session", {})
    monkeypatch.setenv(PASSWORD_VARIABLE, PASSWORD)
    open_shared(locked).close()


def typed(monkeypatch, text: str) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text.encode())))


def test_login_keeps_a_password_that_fits_in_the_keyring_and_logout_removes_it(locked, monkeypatch, capsys):
    ring = use(monkeypatch, Ring())
    name = str(locked)
    typed(monkeypatch, "wrong\n")
    assert run(["library", "login", name]) == 1
    assert ring.held == {}
    typed(monkeypatch, f"{PASSWORD}\n")
    assert run(["library", "login", name]) == 0
    assert ring.held == {("Claimlight", locked.account): PASSWORD}
    assert run(["library", "info", "--library", name]) == 0
    assert run(["library", "logout", name]) == 0
    assert ring.held == {}
    assert run(["library", "info", "--library", name]) == 1
    typed(monkeypatch, "")
    assert run(["library", "login", name]) == 1
    typed(monkeypatch, "token\n")
    assert run(["library", "login", name, "--token"]) == 1  # the engine of the tests has no host
    shown = capsys.readouterr()
    assert PASSWORD not in shown.out + shown.err


def files_with(secret: str, *folders: Path) -> list[Path]:
    forms = {secret.encode(form) for form in ("utf-8", "utf-16-le")} | {json.dumps(secret)[1:-1].encode()}
    read = [(path, path.read_bytes()) for folder in folders for path in folder.rglob("*") if path.is_file()]
    assert read
    return [path for path, content in read if any(form in content for form in forms)]


def test_a_secret_is_in_no_file_of_ours(locked, monkeypatch, capsys):
    """Commands that work, fail and record leave it out of case book, journal, settings and caches."""
    name = str(locked)
    monkeypatch.setenv(PASSWORD_VARIABLE, PASSWORD)
    assert run(["settings", "set", "search.depth", "300"]) == 0
    assert run(["query", "damper", "--library", name, "--new-case", "Dampers"]) == 0, capsys.readouterr().err
    assert run(["sets", "rerun", "L1", "--case", "1"]) == 0, capsys.readouterr().err
    assert run(["show", "EP1000000A1", "--library", name]) == 1
    monkeypatch.setenv(PASSWORD_VARIABLE, f"{PASSWORD} of another")
    assert run(["library", "info", "--library", name]) == 1
    assert run(["library", "info", "--library", name.replace("@", f":{PASSWORD}@".replace(" ", "%20"))]) == 1
    shown = capsys.readouterr()
    assert PASSWORD not in shown.out + shown.err
    assert name in (paths.data_dir() / "Cases" / "cases.db").read_bytes().decode("utf-8", "replace")
    assert files_with(PASSWORD, paths.data_dir(), paths.config_dir()) == []


@pytest.fixture(scope="module")
def pushed(postgres_server, sample_engine, tmp_path_factory) -> tuple[Path, SharedAddress]:
    """The sample library in its folder, and pushed into a database that holds its index too."""
    sample, _ = sample_engine
    address = SharedAddress.parse(postgres_server.empty_library(tmp_path_factory.mktemp("made")))
    with open_shared(address, writable=True) as shared:
        push(sample, SharedTarget.of(shared), TaskContext(), Settings())
    return sample.folder, address


def test_the_encoder_of_the_index_is_told_without_the_engine(pushed, address):
    folder, held = pushed
    with open_library(folder) as library:
        assert read_shared_encoder(held) == library.info().encoder != ""
    assert read_shared_encoder(address) == "", "it has no index"


def answers(capsys, place: object, *command: str) -> object:
    """What a command gives as JSON, without times, ids and the name of the library."""
    assert run([*command, "--library", str(place), "--json"]) == 0, capsys.readouterr().err
    return json.loads(capsys.readouterr().out)


CLAIM = "A bicycle suspension fork with a damper whose valve is adjusted by a magnet."


def test_a_search_by_address_finds_what_the_folder_does(pushed, capsys):
    folder, address = pushed
    ours, theirs = (answers(capsys, place, "search", "--text", CLAIM) for place in (folder, address))
    assert isinstance(ours, dict)
    assert isinstance(theirs, dict)
    assert ours["hits"]
    assert [hit["patent"]["publication"] for hit in theirs["hits"]] == [
        hit["patent"]["publication"] for hit in ours["hits"]
    ]
    # The engine's sums are of fp32 numbers in another order.
    assert [hit["score"] for hit in theirs["hits"]] == pytest.approx([hit["score"] for hit in ours["hits"]])


def test_its_facts_are_those_of_the_folder(pushed):
    folder, address = pushed
    with open_library(folder) as library, open_library(address) as shared:
        ours, theirs = library.info(), read_info(shared)
    for name in ("documents", "passages", "families", "offices", "years", "indexed_documents", "encoder"):
        assert getattr(theirs, name) == getattr(ours, name), name
    assert theirs.bytes > 0
    assert theirs.waiting == 0
