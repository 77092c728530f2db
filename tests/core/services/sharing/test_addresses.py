"""Addresses of shared libraries and of engines: read strictly, written one way, without secrets."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from claimlight.engines import addresses as engines
from claimlight.engines.addresses import EngineAddress, EngineKind
from claimlight.engines.exact import ExactBackend
from claimlight.errors import InputError, ResourceError
from claimlight.services.sharing import addresses
from claimlight.services.sharing.addresses import SharedAddress, is_address

SECRET = "hunter2-of-the-office"

FAULTY = [
    ("mysql://db/p", "postgresql://USER@HOST/DATABASE"),
    ("postgresql:/db/p", "postgresql://USER@HOST/DATABASE"),
    ("postgresql:///p", "no host"),
    ("postgresql://db", "no database"),
    ("postgresql://db/", "no database"),
    ("postgresql://db/p/q", "no database"),
    ("postgresql://db:0/p", "from 1 to 65,535"),
    ("postgresql://db:5_4/p", "from 1 to 65,535"),
    ("postgresql://db:٣/p", "from 1 to 65,535"),
    ("postgresql://a,b/p", "several hosts"),
    ("postgresql://[::1/p", "can't be read"),
    ("postgresql://[abc]/p", "can't be read|IPv6"),
    ("postgresql://-x/p", "neither a name"),
    ("postgresql://bücher/p", "neither a name"),
    ("postgresql://db/p#x", "#"),
    ("postgresql://db/p q", "spaces"),
    ("postgresql://db/p%00", "%00"),
    ("postgresql://db/p?host=evil", "not known"),
    ("postgresql://db/p?hostaddr=10.0.0.1", "not known"),
    ("postgresql://db/p?service=x", "not known"),
    ("postgresql://db/p?options=-c%20x", "not known"),
    ("postgresql://db/p?engine", "NAME=VALUE"),
    ("postgresql://db/p?engine=", "without a value"),
    ("postgresql://db/p?sslmode=disable&sslmode=require", "twice"),
    ("postgresql://db/p?sslmode=prefer", "one of verify-full"),
    ("postgresql://db/p?engine=http://m", "known kind"),
    ("postgresql://db/p?engine=milvus://", "no host"),
    ("postgresql://db/p?engine=milvus://m/x", "ends after its port"),
    ("postgresql://db/p?engine=milvus://m?index=hnsw", "engine has a parameter"),
    ("postgresql://db/p?engine=qdrant://m?authorities=/a.pem", "without TLS"),
    ("postgresql://db/p?engine=qdrants://m?authorities=", "authorities without a value"),
    ("postgresql://db/p?engine=qdrants://m?dense=hnsw%26dense=exact", "dense twice"),
    ("postgresql://db/p?engine=milvus://m?dense=fast", "one of exact, hnsw"),
    ("postgresql://db/p?engine=milvus://m:99999", "from 1 to 65,535"),
]
"""Addresses, and a part of what is said of each."""


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("postgresql://db.office.example/patents", "postgresql://db.office.example/patents"),
        ("postgres://DB.Office.Example:5432/patents", "postgresql://db.office.example/patents"),
        ("postgresql://anna@db:6432/patents", "postgresql://anna@db:6432/patents"),
        ("postgresql://[::1]:6432/patents", "postgresql://[::1]:6432/patents"),
        ("postgresql://[0:0:0:0:0:0:0:1]/p", "postgresql://[::1]/p"),
        ("postgresql://a%40b@10.1.2.3/p%20q", "postgresql://a%40b@10.1.2.3/p%20q"),
        (
            "postgresql://db/p?sslmode=verify-full&engine=milvus://m:19530&sslrootcert=/etc/office.pem",
            "postgresql://db/p?engine=milvus://m:19530&sslmode=verify-full&sslrootcert=/etc/office.pem",
        ),
        ("postgresql://db/p?engine=qdrants%3A%2F%2Fq", "postgresql://db/p?engine=qdrants://q:6333"),
        (
            "postgresql://db/p?engine=milvuss://[2001:db8::1]:1",
            "postgresql://db/p?engine=milvuss://[2001:db8::1]:1",
        ),
        (
            "postgresql://db/p?engine=milvus://m?dense=hnsw&sslmode=require",
            "postgresql://db/p?engine=milvus://m:19530%3Fdense%3Dhnsw&sslmode=require",
        ),
        (
            "postgresql://db/p?engine=qdrants://q?authorities=/etc/office.pem%26dense=exact",
            "postgresql://db/p?engine=qdrants://q:6333%3Fdense%3Dexact%26authorities%3D/etc/office.pem",
        ),
        (
            r"postgresql://db/p?engine=milvuss://m?authorities=C:\Office%2520A\ca.pem",
            "postgresql://db/p?engine=milvuss://m:19530%3Fauthorities%3DC:%255COffice%2520A%255Cca.pem",
        ),
    ],
)
def test_an_address_has_one_text(text, canonical):
    found = SharedAddress.parse(text)
    assert str(found) == canonical
    assert SharedAddress.parse(canonical) == found


@pytest.mark.parametrize(("text", "reason"), FAULTY)
def test_what_is_wrong_is_refused_with_the_reason(text, reason):
    with pytest.raises(InputError, match=reason):
        SharedAddress.parse(text)


@pytest.mark.parametrize(
    "text",
    [
        f"postgresql://anna:{SECRET}@db/p",
        f"postgresql://:{SECRET}@db/p",
        f"postgresql://db/p?password={SECRET}",
        f"postgresql://db/p?sslpassword={SECRET}",
        f"postgresql://db/p?unknown={SECRET}",
        f"postgresql://db/p?engine=milvus://root:{SECRET}@m",
        f"postgresql://db/p?engine=milvus://{SECRET}@m",
        f"mysql://anna:{SECRET}@db/p",
        f"postgresql://anna:{SECRET}@db:x/p",
        f"postgresql://anna:{SECRET}@[db/p",
        f"postgresql://anna:{SECRET}@d b/p",
        f"postgresql://db:{SECRET}/p",
        f"postgresql://db/p?engine=x:{SECRET}",
        f"postgresql://db/p?{SECRET}",
    ],
)
def test_a_secret_is_refused_and_never_repeated(text):
    with pytest.raises(InputError) as caught:
        SharedAddress.parse(text)
    error: BaseException | None = caught.value
    assert SECRET not in str(error)


@given(
    st.text(max_size=60),
    st.sampled_from(["", "postgresql://", "postgresql://h/d?engine=", "postgresql://h/d?"]),
)
def test_any_text_is_read_or_refused(text, begin):
    try:
        found = SharedAddress.parse(begin + text)
    except InputError:
        return
    assert SharedAddress.parse(str(found)) == found


def test_a_connection_to_another_computer_is_encrypted_and_checked_unless_it_says_otherwise():
    assert SharedAddress.parse("postgresql://db/p").mode == "verify-full"
    assert SharedAddress.parse("postgresql://db/p?sslmode=disable").mode == "disable"
    assert SharedAddress.parse("postgresql://127.0.0.1/p").mode == "disable"
    assert SharedAddress.parse("postgresql://localhost/p?sslmode=require").mode == "require"
    assert SharedAddress.parse("postgresql://localhost.evil.example/p").mode == "verify-full"


def test_libpq_is_told_everything_that_could_come_from_the_environment(monkeypatch, tmp_path):
    monkeypatch.setattr(addresses, "_own_authorities", lambda: tmp_path / "none")
    monkeypatch.setattr(addresses, "getuser", lambda: "anna")
    told = "gssencmode=disable&hostaddr=&sslmode=verify-full"
    assert (
        SharedAddress.parse("postgresql://db/p").url
        == f"postgresql://anna@db:5432/p?{told}&sslrootcert=system"
    )
    (tmp_path / "none").touch()
    assert (
        SharedAddress.parse("postgresql://db/p?engine=milvus://m").url
        == f"postgresql://anna@db:5432/p?{told}"
    )


def test_an_address_names_all_that_is_reached():
    address = SharedAddress.parse("postgresql://db/p?engine=milvus://m")
    assert address.hosts == (("db", 5432), ("m", 19530))
    assert SharedAddress.parse("postgresql://db/p").hosts == (("db", 5432),)


def test_each_address_has_a_folder_of_its_own_on_this_computer():
    one, other = SharedAddress.parse("postgresql://db/p"), SharedAddress.parse("postgresql://db/q")
    assert one.folder != other.folder
    assert SharedAddress.parse("postgres://DB:5432/p").folder == one.folder


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("postgresql://db/p", True),
        ("postgres://db/p", True),
        ("http://db/p", True),
        ("/home/anna/postgresql", False),
        (r"C:\Libraries", False),
        ("C://x", True),
        ("library", False),
        ("postgresql:/db", False),
    ],
)
def test_an_address_is_told_from_a_folder(text, meant):
    assert is_address(text) is meant


def test_an_engine_whose_client_is_missing_names_the_extra(monkeypatch):
    monkeypatch.setattr(engines, "find_spec", lambda _: None)
    for kind in ("milvus", "qdrant"):
        with pytest.raises(ResourceError, match=rf"pip install 'claimlight\[{kind}\]'"):
            EngineAddress.parse(f"{kind}://127.0.0.1").open()


def test_a_file_of_authorities_that_is_of_no_use_is_named_before_anything_is_asked(tmp_path):
    pytest.importorskip("qdrant_client")
    file = tmp_path / "office.pem"
    with pytest.raises(ResourceError, match=r"office\.pem of authorities= can't be read"):
        EngineAddress.parse(f"qdrants://127.0.0.1?authorities={file}").open()
    file.write_text("no certificate")
    with pytest.raises(ResourceError, match="has no certificate"):
        EngineAddress.parse(f"qdrants://127.0.0.1?authorities={file}").open()


def test_the_engine_in_memory_is_one_for_each_name():
    address = EngineAddress.parse("memory:addresses")
    assert address.kind is EngineKind.MEMORY
    assert address.local
    opened = address.open()
    assert isinstance(opened, ExactBackend)
    assert address.open() is opened
    assert EngineAddress.parse("memory:other").open() is not opened


def test_what_is_sent_to_loopback_stays_on_this_computer():
    assert EngineAddress.parse("milvus://127.0.0.1").local
    assert EngineAddress.parse("qdrant://[::1]").local
    assert not EngineAddress.parse("milvus://10.0.0.1").local
