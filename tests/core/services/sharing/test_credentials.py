"""Secrets of shared libraries: session, environment, keyring; in this order and nowhere else."""

from __future__ import annotations

import sys
from types import ModuleType

import pytest

from claimlight.errors import InputError, ResourceError
from claimlight.services.sharing import credentials
from claimlight.services.sharing.addresses import SharedAddress
from claimlight.services.sharing.credentials import PASSWORD_VARIABLE, TOKEN_VARIABLE, Secrets

ADDRESS = SharedAddress.parse("postgresql://anna@db/p?engine=milvus://m:19530")
OTHER = SharedAddress.parse("postgresql://anna@db/q")


class Ring:
    """A keyring as the package ``keyring`` gives one."""

    def __init__(self, priority: float = 5.0) -> None:
        self.priority = priority
        self.held: dict[tuple[str, str], str] = {}

    def get_password(self, service: str, name: str) -> str | None:
        return self.held.get((service, name))

    def set_password(self, service: str, name: str, secret: str) -> None:
        self.held[service, name] = secret

    def delete_password(self, service: str, name: str) -> None:
        del self.held[service, name]


class Broken(Ring):
    def get_password(self, service, name):
        raise RuntimeError("locked")

    def set_password(self, service, name, secret):
        raise RuntimeError(f"could not write {secret}")


@pytest.fixture(autouse=True)
def _nothing_given(monkeypatch):
    monkeypatch.setattr(credentials, "_session", {})
    for name in (PASSWORD_VARIABLE, TOKEN_VARIABLE):
        monkeypatch.delenv(name, raising=False)


def use(monkeypatch, ring: Ring) -> Ring:
    module = ModuleType("keyring")
    module.get_keyring = lambda: ring  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "keyring", module)
    return ring


@pytest.fixture
def ring(monkeypatch) -> Ring:
    return use(monkeypatch, Ring())


def test_the_session_comes_before_the_environment_and_that_before_the_keyring(ring, monkeypatch):
    assert credentials.find(ADDRESS) == Secrets()
    credentials.keep(ADDRESS, Secrets("of the keyring", "token"))
    assert credentials.find(ADDRESS) == Secrets("of the keyring", "token")
    monkeypatch.setenv(PASSWORD_VARIABLE, "of the environment")
    monkeypatch.setenv(TOKEN_VARIABLE, "other token")
    assert credentials.find(ADDRESS) == Secrets("of the environment", "other token")
    credentials.use_in_session(ADDRESS, Secrets("of the session"))
    assert credentials.find(ADDRESS) == Secrets("of the session", "other token")


def test_the_keyring_has_them_under_the_name_of_the_program_and_what_they_belong_to(ring):
    credentials.keep(ADDRESS, Secrets("word", "token"))
    assert ring.held == {
        ("Claimlight", "postgresql://anna@db/p"): "word",
        ("Claimlight", "milvus://m:19530"): "token",
    }
    assert credentials.find(OTHER) == Secrets()


def test_forgetting_removes_them_from_keyring_and_session(ring):
    credentials.keep(ADDRESS, Secrets("word", "token"))
    credentials.use_in_session(ADDRESS, Secrets("word"))
    assert credentials.forget(ADDRESS) == 2
    assert credentials.find(ADDRESS) == Secrets()
    assert not ring.held
    assert credentials.forget(ADDRESS) == 0


def test_without_a_keyring_nothing_is_kept_and_the_message_says_what_to_do(monkeypatch):
    monkeypatch.setitem(sys.modules, "keyring", None)
    assert not credentials.can_keep()
    assert credentials.find(ADDRESS) == Secrets()
    with pytest.raises(ResourceError, match=r"claimlight\[keyring\].*CLAIMLIGHT_DATABASE_PASSWORD"):
        credentials.keep(ADDRESS, Secrets("word"))


def test_a_program_folder_without_it_names_the_one_that_has_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "keyring", None)
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    with pytest.raises(ResourceError, match="program folder for shared libraries") as caught:
        credentials.keep(ADDRESS, Secrets("word"))
    # Nothing can be added to it.
    assert "pip" not in str(caught.value)
    assert PASSWORD_VARIABLE in str(caught.value)


def test_a_keyring_that_writes_plain_files_is_not_used(monkeypatch):
    plain = use(monkeypatch, Ring(priority=0.5))
    plain.held["Claimlight", ADDRESS.account] = "word"
    assert credentials.find(ADDRESS) == Secrets()
    with pytest.raises(ResourceError):
        credentials.keep(ADDRESS, Secrets("word"))


def test_a_keyring_that_fails_counts_as_empty_and_its_message_is_not_repeated(monkeypatch):
    use(monkeypatch, Broken())
    assert credentials.find(ADDRESS) == Secrets()
    with pytest.raises(ResourceError) as caught:
        credentials.keep(ADDRESS, Secrets("hunter2"))
    assert "hunter2" not in str(caught.value)


def test_a_token_without_an_engine_is_refused(ring):
    with pytest.raises(InputError):
        credentials.keep(OTHER, Secrets(token="token"))


def test_secrets_are_not_shown_by_chance():
    assert "hunter2" not in repr(Secrets("hunter2", "hunter2"))
