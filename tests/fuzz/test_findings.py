"""What fuzzing found: each input, made small, with what happens now."""

from __future__ import annotations

import io
import json
import math
import sqlite3
import struct
import zipfile
from contextlib import closing

import numpy as np
import pytest

from claimlight import codec, settings, tensors
from claimlight.classes.edition_file import EditionFile, describe
from claimlight.classes.reading.cpc_xml import read_cpc_scheme
from claimlight.classes.reading.title_lists import read_title_list
from claimlight.classify.heads import HeadKind, read_head
from claimlight.encoders.ngrams import NgramTable
from claimlight.encoders.package import ModelPackage
from claimlight.encoders.token_reader import TokenReader
from claimlight.errors import InputError, ParseError, ResourceError
from claimlight.evaluation.judgements import read_judgements
from claimlight.formats import read_source
from claimlight.formats.xml.namespaces import parse_local
from claimlight.index import center_vocabulary, manifest
from claimlight.services.drawings import decoding
from claimlight.services.repair.book_repair import examine_book
from claimlight.store import backup
from claimlight.tasks import TaskContext
from claimlight.types import Edition, Patent, Quarantined, Scheme
from claimlight_workbench import ui_state
from tests.core.classes import invented
from tests.fuzz import package_targets, stored_targets
from tests.fuzz.making import make_pictures


@pytest.fixture
def read(tmp_path):
    def reader(data: bytes, name: str = "file.xml"):
        path = tmp_path / name
        path.write_bytes(data)
        found = []
        for record in read_source(path, TaskContext()):
            found.append(record)
            assert len(found) < 50, "the file has no end"
        return found

    return reader


@pytest.mark.parametrize(
    "data",
    [
        b"<exchange-documents>\n<exchange-document country='EP' doc-number='1'></exchange-document>\n"
        b"<exchange-document country='EP' doc-numbe",
        b"<ops:world-patent-data xmlns:ops='u'><exchange-documents><exchange-document system='x' doc-numbe",
        b"<PATDOC DTD='2.5'><SDOBI></SDOBI></PATDOC>\n<PATDOC DTD='2.5' STATUS='bui",
        b"<!DOCTYPE PATDOC PUBLIC '-//X' []>\n<PATDOC DTD",
    ],
    ids=["exchange", "service", "grants", "document type"],
)
def test_a_file_that_ends_within_a_start_tag_has_an_end(read, data):
    """It was read for ever, with one quarantined document of no bytes after the other."""
    records = read(data)
    assert isinstance(records[-1], Quarantined)
    assert 1 <= len(records) <= 3


@pytest.mark.parametrize("root", ["us-patent-grant", "exchange-documents", "patent-document"])
def test_a_comment_within_a_tag_is_a_fault_of_the_document(read, root):
    records = read(f"<?xml version='1.0'?>\n<!-- a --><{root}<!-- b --> lang='en'><x/></{root}>".encode())
    assert records
    assert not any(isinstance(item, Patent) for item in records)


def test_half_a_character_in_html_claims_is_no_defect(read):
    row = {
        "publication_number": "US-9000001-B2",
        "claims_localized_html": [{"text": "<p>\ud800 A damper.</p>"}],
    }
    (record,) = read(json.dumps(row).encode(), "rows.jsonl")
    assert isinstance(record, Patent | Quarantined)


def test_a_member_without_a_name_is_refused_and_the_next_one_read(read):
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w") as archive:
        archive.writestr("x", b"nothing")
        archive.writestr("b.jsonl", b'{"publication_number": "US9000001B2", "title": "Damper"}\n')
    data = written.getvalue()
    # The name of the first member, one byte long, is taken out of both of its headers.
    local, central = data.index(b"PK\x03\x04"), data.index(b"PK\x01\x02")
    parts = bytearray(data)
    struct.pack_into("<H", parts, central + 28, 0)
    struct.pack_into("<H", parts, central + 30, 1)
    struct.pack_into("<H", parts, local + 26, 0)
    struct.pack_into("<H", parts, local + 28, 1)
    refused, taken = read(bytes(parts), "week.zip")
    assert (type(refused), type(taken)) == (Quarantined, Patent)
    assert "no name" in refused.reason


LONG = "9" * 5000
"""Digits of which Python makes no number."""


def test_numbers_without_end_are_refused(tmp_path):
    with pytest.raises(ParseError, match="no number of dots"):
        read_title_list(f"B62K25/00\t{LONG}\tWheels\n")
    item = f"<classification-item level='{LONG}'><classification-symbol>B</classification-symbol>"
    with pytest.raises(ParseError, match="level"):
        read_cpc_scheme(parse_local(f"<class-scheme>{item}</classification-item></class-scheme>".encode()))
    path = tmp_path / "qrels"
    path.write_text(f"q\td\t1\nq\te\t{LONG}\n")
    with pytest.raises(InputError, match="line 2"):
        read_judgements(path)


@pytest.mark.parametrize(
    "value",
    [10**400, math.inf, -math.inf, math.nan, LONG, "1e999", [], {}],
    ids=["long", "inf", "-inf", "nan", "digits", "exponent", "list", "object"],
)
@pytest.mark.parametrize("key", ["search.depth", "window.text_scale"])
def test_settings_that_are_no_numbers_are_kept_aside(tmp_path, key, value):
    path = tmp_path / "settings.json"
    path.write_text(json.dumps({"schema": settings.SCHEMA_VERSION, key: value}))
    loaded = settings.load(path)
    assert loaded.settings == settings.Settings()
    assert key in loaded.note
    assert (tmp_path / "settings.json.bad").exists()


@pytest.mark.parametrize("schema", [0, -1, False])
def test_settings_of_a_schema_that_never_was_are_kept_aside(tmp_path, schema):
    path = tmp_path / "settings.json"
    path.write_text(json.dumps({"schema": schema, "search.depth": 77}))
    assert settings.load(path).settings == settings.Settings()
    assert (tmp_path / "settings.json.bad").exists()


def test_a_whole_number_too_large_for_a_fraction_is_a_misfit():
    with pytest.raises(codec.MisfitError):
        codec.read(float, 10**400)
    with pytest.raises(codec.MisfitError):
        codec.check(10**400, codec.Rule(0, 1))


@pytest.mark.parametrize("field", ["shape", "data_offsets"])
def test_arrays_of_infinite_size_are_damage(tmp_path, field):
    entry = {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]} | {field: [math.inf, math.inf]}
    head = json.dumps({"a": entry}).encode()
    with pytest.raises(ResourceError, match="damaged safetensors"):
        tensors.unpack(len(head).to_bytes(8, "little") + head + bytes(4), tmp_path / "x")


@pytest.mark.parametrize(
    ("name", "array"), [("grams", np.ones((2, 2), np.int64)), ("saturation", np.ones((1, 2), np.float32))]
)
def test_n_gram_tables_of_another_shape_are_damage(tmp_path, name, array):
    arrays = {
        "codes": np.zeros((4, 2), np.uint8), "scales": np.zeros(4, np.float32),
        "projection": np.zeros((4, 9), np.float32), "grams": np.array([2, 2]),
        "saturation": np.ones(1, np.float32),
    }  # fmt: skip
    with pytest.raises(ResourceError, match="n-gram table"):
        NgramTable.read(tensors.pack(arrays | {name: array}), tmp_path / "x")


def test_a_session_with_half_a_character_is_saved_and_read(tmp_path):
    path = tmp_path / "session.json"
    session = ui_state.Session(claims_text="1. \ud800 D\u00e4mpfer \\ud800", line="\udfff")
    ui_state.save(session, path)
    assert ui_state.load(path) == session


@pytest.mark.parametrize("lost", ["[UNK]", "a"])
def test_a_tokenizer_that_fails_at_words_it_does_not_know_is_refused(tmp_path, monkeypatch, lost):
    monkeypatch.setenv("CLAIMLIGHT_DATA_DIR", str(tmp_path))
    folder = package_targets._encoder(tmp_path)
    TokenReader(ModelPackage.load(folder))
    raw = json.loads((folder / "tokenizer.json").read_bytes())
    if lost == "a":
        # Every letter is removed before it is read.
        raw["normalizer"] = {"type": "Replace", "pattern": {"Regex": "."}, "content": ""}
    else:
        del raw["model"]["vocab"][lost]
        raw["added_tokens"] = []
    package_targets._put(folder, "tokenizer.json", json.dumps(raw).encode())
    with pytest.raises(ResourceError, match="can't be used"):
        TokenReader(ModelPackage.load(folder))


@pytest.mark.parametrize("change", [
    {"shape": np.ones((2, 2), np.int64)}, {"codes": np.zeros(3, np.float32)},
    {"vectors": np.zeros(3, np.float16)}, {"starts": np.arange(4, dtype=np.float32)},
])  # fmt: skip
def test_experts_of_another_kind_of_array_are_refused(change):
    arrays = {"vectors": np.zeros((3, 4), np.float16), "starts": np.arange(4), "codes": np.zeros(3, np.int32),
              "shape": np.array([2, 1])}  # fmt: skip
    assert read_head(HeadKind.NEIGHBOURS, arrays, 2)
    with pytest.raises((ValueError, TypeError)):
        read_head(HeadKind.NEIGHBOURS, arrays | change, 2)


@pytest.mark.parametrize(("key", "value"), [
    ("parameters", "k"), ("encoder", "\ud800"), ("sha256", []), ("sha256", "x"),
])  # fmt: skip
def test_a_manifest_of_centers_with_other_values_is_damage(tmp_path, key, value):
    vocabulary = center_vocabulary.CenterVocabulary(
        np.ones((2, 4), np.int8), np.ones(2, np.float32), ("a", "b"), unit="word", encoder="fake"
    )
    center_vocabulary.save(vocabulary, tmp_path)
    assert len(center_vocabulary.load(tmp_path)) == 2
    path = tmp_path / center_vocabulary.MANIFEST
    path.write_text(json.dumps(json.loads(path.read_bytes()) | {key: value}))
    with pytest.raises(ResourceError):
        center_vocabulary.load(tmp_path)


@pytest.mark.parametrize(
    "body", [b"[]", b"\xff", b"{", b'{"format": 1e999}', b'{"format": %d}' % manifest.FORMAT]
)
def test_a_manifest_of_an_index_that_fits_its_hash_and_nothing_else_is_damage(tmp_path, body):
    from claimlight.digests import sha256

    (tmp_path / "g1").mkdir()
    (tmp_path / "g1" / manifest.manifest_name(1)).write_bytes(body)
    with pytest.raises(ResourceError):
        manifest.read(tmp_path, manifest.Pointer("g1", 1, sha256(body)))


def test_a_picture_without_its_size_is_damaged():
    tiff = make_pictures()[1]
    # The tag of the width, 256, becomes one that nobody reads.
    broken = tiff.replace(struct.pack("<HH", 256, 4), struct.pack("<HH", 257 + 9000, 4)).replace(
        struct.pack("<HH", 256, 3), struct.pack("<HH", 257 + 9000, 3)
    )
    assert broken != tiff
    for work in (decoding.count_sheets, decoding.decode):
        with pytest.raises(ResourceError) as caught:
            work(broken)
        assert "0x" not in str(caught.value)


@pytest.mark.parametrize("sql", [b"CREATE INDEX", b"CREATE INDXE"], ids=["finding", "schema"])
def test_a_damaged_name_in_a_case_book_is_damage(tmp_path, sql):
    """SQLite quotes it, in a finding or in the error about a schema that it can't read."""
    path = stored_targets._book(tmp_path)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode = DELETE")
        size = connection.execute("PRAGMA page_size").fetchone()[0]
        listed = "SELECT name, rootpage FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL"
        name, page = connection.execute(listed).fetchone()
    data = bytearray(path.read_bytes().replace(name.encode(), b"\xfe" + name.encode()[1:]))
    # All entries are taken out of the index: a leaf without free blocks, entries and fragments.
    struct.pack_into(">HHHB", data, (page - 1) * size + 1, 0, 0, size, 0)
    path.write_bytes(data.replace(b"CREATE INDEX", sql))
    assert backup.find_fault(path)
    found = examine_book(path)
    assert found is not None
    assert found.damaged


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE meta SET value = CAST(x'fffe' AS TEXT) WHERE key = 'source'",
        "UPDATE meta SET value = 'x' WHERE key = 'subclasses'",
        "DELETE FROM meta WHERE key = 'imported'",
    ],
)
def test_an_edition_that_does_not_say_what_it_is_is_refused(tmp_path, change):
    path = invented.imported(tmp_path).path_of(Edition(Scheme.CPC, "2022.08"))
    describe(path)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(change)
        connection.commit()
    with pytest.raises(ResourceError, match=r"damaged.*classes remove"):
        describe(path)


def test_an_edition_whose_table_has_a_damaged_name_is_refused(tmp_path):
    path = invented.imported(tmp_path).path_of(Edition(Scheme.CPC, "2022.08"))
    # The schema can't be read, and the message about it quotes a name that is no text.
    data = path.read_bytes().replace(b"TABLE entry", b"TABEL \xd0\xd0try").replace(b"entry", b"\xd0\xd0try")
    path.write_bytes(data)
    with pytest.raises(ResourceError, match=r"a name or message in it is no text.*classes remove"):
        EditionFile.open(path)
