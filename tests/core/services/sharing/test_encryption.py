"""Encrypted connections to a database whose certificate is of a private authority, with real handshakes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("psycopg")

from claimlight.cli.__main__ import run
from claimlight.errors import ServerError
from claimlight.services.sharing.addresses import SharedAddress
from claimlight.services.sharing.filling import SharedTarget
from claimlight.services.sharing.opening import open_shared
from claimlight.services.sharing.push import push
from claimlight.services.sharing.state import describe_encryption, read_info
from claimlight.settings import Settings
from claimlight.tasks import TaskContext
from tests.certificates import ELSEWHERE, LOOPBACK, Authority
from tests.postgres_server import OWNER

pytestmark = pytest.mark.loopback


@pytest.fixture(scope="module")
def office(tmp_path_factory) -> Authority:
    return Authority(tmp_path_factory.mktemp("office"), "office")


@pytest.fixture(scope="module")
def plain(postgres_server, sample_engine, tmp_path_factory) -> SharedAddress:
    """A filled library, without encryption as the owner of the server."""
    sample, _ = sample_engine
    address = SharedAddress.parse(postgres_server.empty_library(tmp_path_factory.mktemp("made")))
    with open_shared(address, writable=True) as shared:
        push(sample, SharedTarget.of(shared), TaskContext(), Settings())
    return address


@pytest.fixture
def encrypted(postgres_server, office) -> Iterator[None]:
    """The server takes encrypted connections only, and its certificate is for this computer."""
    with postgres_server.offer_tls(*office.sign(LOOPBACK), only=True):
        yield


def strict(plain: SharedAddress, authorities: Path, mode: str = "verify-full") -> SharedAddress:
    named = str(plain).replace("owner@", f"{OWNER}@")
    return SharedAddress.parse(f"{named}?sslmode={mode}&sslrootcert={authorities}")


def refusal(address: SharedAddress) -> str:
    with pytest.raises(ServerError) as caught:
        open_shared(address)
    return str(caught.value)


@pytest.mark.parametrize("mode", ["verify-full", "verify-ca"])
def test_a_server_of_a_private_authority_is_opened_and_searched(plain, encrypted, office, capsys, mode):
    address = strict(plain, office.file, mode)
    with open_shared(address) as library:
        shared = read_info(library).shared
    assert shared is not None
    assert shared.encrypted
    assert not shared.engine_fault  # the index has a connection of its own
    assert describe_encryption(shared) == "Encrypted."
    assert run(["library", "info", "--library", str(address)]) == 0
    assert "Encrypted." in capsys.readouterr().out
    assert run(["query", "damper", "--library", str(address)]) == 0, capsys.readouterr().err
    assert "EP" in capsys.readouterr().out


def test_the_certificate_of_another_authority_is_refused(plain, encrypted, tmp_path):
    stranger = Authority(tmp_path, "stranger")
    for mode in ("verify-full", "verify-ca"):
        told = refusal(strict(plain, stranger.file, mode))
        assert "its certificate is not trusted" in told
        assert "SSL error" not in told


def test_the_authorities_of_the_system_do_not_vouch_for_a_private_one(
    plain, encrypted, monkeypatch, tmp_path
):
    monkeypatch.setattr(
        "claimlight.services.sharing.addresses._own_authorities", lambda: tmp_path / "root.crt"
    )
    named = str(plain).replace("owner@", f"{OWNER}@")
    address = SharedAddress.parse(f"{named}?sslmode=verify-full")
    assert "its certificate is not trusted" in refusal(address)


def test_the_certificate_of_another_host_is_refused(plain, postgres_server, office):
    with postgres_server.offer_tls(*office.sign(ELSEWHERE), only=True):
        assert "its certificate is for another name" in refusal(strict(plain, office.file))
        # Which is what verify-ca does not ask.
        open_shared(strict(plain, office.file, "verify-ca")).close()


def test_a_server_that_takes_encrypted_connections_only_says_so_of_a_plain_one(plain, encrypted):
    named = str(plain).replace("owner@", f"{OWNER}@")
    told = refusal(SharedAddress.parse(f"{named}?sslmode=disable"))
    assert "without encryption. Leave sslmode=disable out of the address" in told


def test_a_file_of_authorities_that_is_of_no_use_is_named(plain, encrypted, tmp_path):
    assert "sslrootcert" in refusal(strict(plain, tmp_path / "none.pem"))
    (tmp_path / "empty.pem").write_text("no certificate")
    assert "sslrootcert" in refusal(strict(plain, tmp_path / "empty.pem"))
