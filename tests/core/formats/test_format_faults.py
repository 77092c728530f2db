"""Hostile and broken files: refused or quarantined with their reason, quickly, and nothing else is lost."""

import gzip
import io
import os
import stat
import struct
import subprocess
import sys
import time
import tracemalloc
import zipfile

import pytest

from core.errors import InputError, ResourceError, TaskCancelled
from core.formats import SourceReader, containers, list_sources, read_source, splitter, window, xml
from core.tasks import TaskContext
from core.types import Patent, Quarantined, Skipped

GRANT = (
    '<?xml version="1.0" encoding="UTF-8"?>\n<us-patent-grant lang="EN"><us-bibliographic-data-grant>'
    "<publication-reference><document-id><country>US</country><doc-number>{number}</doc-number>"
    "<kind>B2</kind><date>20200101</date></document-id></publication-reference>"
    "<invention-title>{title}</invention-title></us-bibliographic-data-grant>\n"
    '<description><p num="0001">{text}</p></description></us-patent-grant>\n'
)


def grant(number=9000001, text="A thing.", title="Thing"):
    return GRANT.format(number=number, text=text, title=title).encode()


def read(path, **options):
    return list(read_source(path, TaskContext(), **options))


@pytest.fixture
def write(tmp_path):
    def writer(data, name="file.xml"):
        path = tmp_path / name
        path.write_bytes(data)
        return path

    return writer


def only(records):
    (record,) = records
    return record


# --- XML attacks ---------------------------------------------------------------------------------


@pytest.fixture
def secret(tmp_path):
    path = tmp_path / "secret.txt"
    path.write_text("the secret")
    return path


ATTACKS = {
    "entity from a file": '<!DOCTYPE us-patent-grant [<!ENTITY x SYSTEM "file://{secret}">]>',
    "entity from the network": '<!DOCTYPE us-patent-grant [<!ENTITY x SYSTEM "http://127.0.0.1:9/x">]>',
    "parameter entity": '<!DOCTYPE us-patent-grant [<!ENTITY % p SYSTEM "file://{secret}"> %p;]>',
    "recursive entity": '<!DOCTYPE us-patent-grant [<!ENTITY x "&y;"><!ENTITY y "&x;">]>',
    "billion laughs": "<!DOCTYPE us-patent-grant [<!ENTITY x0 'ha'>"
    + "".join(f"<!ENTITY x{n} '{f'&x{n - 1};' * 10}'>" for n in range(1, 12))
    + "<!ENTITY x '&x11;'>]>",
    "quadratic": "<!DOCTYPE us-patent-grant [<!ENTITY y '"
    + "a" * 100_000
    + "'><!ENTITY x '"
    + "&y;" * 5000
    + "'>]>",
}


@pytest.mark.parametrize("name", ATTACKS)
def test_entities_bring_nothing_in(name, write, secret):
    doctype = ATTACKS[name].replace("{secret}", str(secret)).encode()
    data = grant(text="&x;").replace(b"?>\n", b"?>\n" + doctype, 1)
    started = time.perf_counter()
    record = only(read(write(data)))
    assert isinstance(record, Quarantined)
    assert record.line >= 1
    assert "the secret" not in repr(record)
    assert time.perf_counter() - started < 2


def test_parameter_entity_that_is_not_used_in_text_brings_nothing_in(write, secret):
    doctype = f'<!DOCTYPE us-patent-grant [<!ENTITY % p SYSTEM "file://{secret}"> %p;]>'.encode()
    for record in read(write(grant().replace(b"?>\n", b"?>\n" + doctype, 1))):
        assert "the secret" not in repr(record)


def test_external_doctype_is_not_loaded(write, tmp_path):
    (tmp_path / "evil.dtd").write_text('<!ENTITY mdash "LOADED">')
    doctype = b'<!DOCTYPE us-patent-grant SYSTEM "evil.dtd" [ ]>'
    record = only(read(write(grant(text="a&mdash;b").replace(b"?>\n", b"?>\n" + doctype, 1))))
    assert isinstance(record, Patent)
    assert record.description[0].text == "a—b"


def test_xinclude_is_not_followed(write, secret):
    text = f'<xi:include xmlns:xi="http://www.w3.org/2001/XInclude" href="{secret}" parse="text"/>x'
    assert "the secret" not in repr(read(write(grant(text=text))))


FURTHER = {
    "laughs in an attribute": "<!DOCTYPE us-patent-grant [<!ENTITY x0 'ha'>"
    + "".join(f"<!ENTITY x{n} '{f'&x{n - 1};' * 10}'>" for n in range(1, 12))
    + "]>|<i a='&x11;'/>",
    "fifty megabytes, quadratic": "<!DOCTYPE us-patent-grant [<!ENTITY y '"
    + "a" * 100_000
    + "'>]>|"
    + "&y;" * 500,
    "two hundred thousand attributes": "|<i " + " ".join(f"a{n}='1'" for n in range(200_000)) + "/>",
    "an attribute of eleven megabytes": "|<i a='" + "x" * 11_000_000 + "'/>",
    "a style sheet": "<?xml-stylesheet type='text/xsl' href='file://{secret}'?>|x",
    "external document type over the network": "<!DOCTYPE us-patent-grant SYSTEM 'http://127.0.0.1:9/x.dtd'>|x",
    "public and external": "<!DOCTYPE us-patent-grant PUBLIC '-//X' 'file://{secret}'>|x",
    "external subset in an element": "<!DOCTYPE us-patent-grant [<!ENTITY x SYSTEM '{secret}'>]>"
    "|<i a='&x;'/>",
    "unparsed entity": "<!DOCTYPE us-patent-grant [<!NOTATION n SYSTEM 'x'>"
    "<!ENTITY x SYSTEM '{secret}' NDATA n>]>|&x;",
    "default attribute from the subset": "<!DOCTYPE us-patent-grant [<!ATTLIST p num CDATA '{secret}'>]>|x",
    "recover me": "|<b>x</i>",
}


@pytest.mark.parametrize("name", FURTHER)
def test_more_attacks_bring_nothing_in_and_cost_little(name, write, secret):
    doctype, text = FURTHER[name].replace("{secret}", str(secret)).split("|")
    path = write(grant(text=text).replace(b"?>\n", b"?>\n" + doctype.encode(), 1))
    program = (
        "import resource, sys, time; from pathlib import Path; from core.formats import read_source\n"
        "from core.tasks import TaskContext\n"
        "before, begun = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.process_time()\n"
        "records = list(read_source(Path(sys.argv[1]), TaskContext()))\n"
        "grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before\n"
        "print(grown >> 10, 'the secret' in repr(records), type(records[0]).__name__, len(repr(records)))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(path)],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    grown, leaked, kind, size = done.stdout.split()
    assert leaked == "False"
    assert kind in {"Patent", "Quarantined"}
    assert int(grown) < 200
    assert int(size) < 20_000


@pytest.mark.parametrize("depth", [300, 5000, 1_000_000])
def test_depth(depth, write):
    record = only(read(write(grant(text="<b>" * depth + "x" + "</b>" * depth))))
    assert isinstance(record, Quarantined)
    assert "depth" in record.reason.lower()


def test_depth_within_the_limit_of_the_parser(write):
    record = only(read(write(grant(text="<x>" * 240 + "deep" + "</x>" * 240))))
    assert isinstance(record, Patent)
    assert record.description[0].text == "deep"


def test_text_of_eleven_megabytes_is_taken_on_the_second_try(write):
    record = only(read(write(grant(text="word " * 2_300_000))))
    assert isinstance(record, Patent)
    assert len(record.description[0].text) == 5 * 2_300_000 - 1


def test_second_try_has_limits_of_its_own(write, monkeypatch):
    monkeypatch.setattr(xml, "MAX_HUGE_ATTRIBUTES", 10)
    text = "word " * 2_300_000 + "".join(f'<i a{n}="1"/>' for n in range(20))
    record = only(read(write(grant(text=text))))
    assert isinstance(record, Quarantined)
    assert "attributes" in record.reason


def test_too_many_elements(write, monkeypatch):
    monkeypatch.setattr(xml, "MAX_ELEMENTS", 10)
    record = only(read(write(grant(text="<i/>" * 30))))
    assert isinstance(record, Quarantined)
    assert "elements" in record.reason


# --- broken documents ----------------------------------------------------------------------------

BROKEN = {
    "truncated": grant()[:-40],
    "bare ampersand": grant(text="a & b"),
    "null byte": grant(text="a\x00b"),
    "wrong encoding": grant(text="x").replace(b"A thing", b"x").replace(b"<p num", b"\xff\xfe<p num"),
    "unknown encoding": grant().replace(b"UTF-8", b"UTF-99"),
    "unknown entity": grant(text="\n&nosuchthing;"),
    "no number": grant(number=""),
    "no front page": b'<?xml version="1.0"?>\n<us-patent-grant lang="EN"></us-patent-grant>',
}


@pytest.mark.parametrize("name", BROKEN)
def test_one_bad_document_among_good_ones(name, write):
    data = grant(9000001) + BROKEN[name] + grant(9000002)
    records = read(write(data))
    assert [type(record) for record in records] == [Patent, Quarantined, Patent]
    bad = records[1]
    assert bad.source.ordinal == 1
    assert bad.source.offset == len(grant(9000001)) if name != "truncated" else True
    first = data.count(b"\n", 0, bad.source.offset) + 1
    assert first <= bad.line <= first + BROKEN[name].count(b"\n") + 1
    assert bad.reason
    assert str(records[2].publication) == "US9000002B2"


def test_one_bad_in_ten_thousand(write):
    parts = [grant(9_000_000 + n) for n in range(10_000)]
    parts[617] = parts[617].replace(b"</invention-title>", b"")
    records = read(write(b"".join(parts)))
    assert [r.source.ordinal for r in records if isinstance(r, Quarantined)] == [617]
    assert sum(isinstance(r, Patent) for r in records) == 9_999


def test_unknown_entity_is_named_with_its_line(write):
    record = only(read(write(BROKEN["unknown entity"])))
    assert "&nosuchthing;" in record.reason
    assert record.line == 4


def test_text_between_documents_is_told(write):
    records = read(write(grant(9000001) + b"stray words\n" + grant(9000002)))
    assert [type(record) for record in records] == [Patent, Skipped, Patent]


def test_empty_file(write):
    assert only(read(write(b""))).reason == "empty file"
    assert isinstance(only(read(write(b" \n\n"))), Skipped)


def test_json_named_xml(write):
    line = b'{"publication_number": "US20200000001A1", "title": "T", "claims": ["1. A."]}\n'
    assert isinstance(only(read(write(line))), Patent)
    assert "JSON" in only(read(write(b'{"name": "settings",\n "value": 1}\n'))).reason


def test_bad_lines_of_json_are_quarantined_one_by_one(write):
    good = b'{"publication_number": "US20200000001A1", "title": "T"}\n'
    bad = [
        b"{not json\n",
        b'{"publication_number": 7}\n',
        b'{"title": "no number"}\n',
        b"[1]\n",
        b'{"a":"\xff"}\n',
    ]
    records = read(write(good + b"".join(bad) + good, "lines.jsonl"))
    assert [type(r) for r in records] == [Patent, *[Quarantined] * len(bad), Patent]
    assert [r.line for r in records[1:-1]] == [2, 3, 4, 5, 6]


def test_sixteen_bit_characters(write):
    text = grant(text="é𝛼").decode().replace("UTF-8", "UTF-16")
    record = only(read(write(text.encode("utf-16"))))
    assert isinstance(record, Patent)
    assert record.description[0].text == "é𝛼"


def test_astral_and_right_to_left_text(write):
    record = only(read(write(grant(text="𝛼-helix \u202bעברית\u202c &b.alpha;"))))
    assert record.description[0].text == "𝛼-helix עברית 𝛂"


def test_byte_order_mark(write):
    assert isinstance(only(read(write(b"\xef\xbb\xbf" + grant()))), Patent)


def test_declaration_inside_a_text_starts_no_document(write):
    listing = '<![CDATA[<?xml version="1.0"?><note>&mdash;</note>]]>'
    record = only(read(write(grant(text=listing))))
    assert isinstance(record, Patent)
    assert record.description[0].text == '<?xml version="1.0"?><note>&mdash;</note>'


# --- archives ------------------------------------------------------------------------------------


def pack(path, members, **options):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, **options) as archive:
        for name, data in members:
            archive.writestr(name, data)
    return path


def test_zip_and_zip_in_zip(tmp_path):
    inner = pack(tmp_path / "inner.zip", [("b.xml", grant(9000002))]).read_bytes()
    deep = pack(tmp_path / "deep.zip", [("inner.zip", inner)]).read_bytes()
    path = pack(
        tmp_path / "outer.zip",
        [("a.xml", grant(9000001)), ("inner.zip", inner), ("deep.zip", deep), ("x.pdf", b"%PDF-1.4")],
    )
    records = read(path)
    assert [type(r) for r in records] == [Patent, Patent, Quarantined, Skipped]
    assert records[1].source.member == "inner.zip!b.xml"
    assert "archive in an archive" in records[2].reason


@pytest.mark.parametrize(
    "name",
    ["../up.xml", "a/../../up.xml", "/abs.xml", "C:/drive.xml", "..\\win.xml", "NUL.xml", "a/com1.txt"],
)
def test_member_names_that_leave_their_folder_are_refused(name, tmp_path):
    info = zipfile.ZipInfo("x")
    info.filename = info.orig_filename = name
    records = read(pack(tmp_path / "a.zip", [(info, grant()), ("good.xml", grant(9000002))]))
    assert [type(r) for r in records] == [Quarantined, Patent]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.zip"]


def test_links_in_archives_are_refused(tmp_path):
    info = zipfile.ZipInfo("link.xml")
    info.external_attr = (stat.S_IFLNK | 0o777) << 16
    record = only(read(pack(tmp_path / "a.zip", [(info, b"/etc/passwd")])))
    assert isinstance(record, Quarantined)
    assert "link" in record.reason


def test_zip_bomb(tmp_path):
    path = pack(tmp_path / "bomb.zip", [("b.xml", b"<us-patent-grant>" + b" " * (64 << 20))], compresslevel=9)
    record = only(read(path))
    assert isinstance(record, Quarantined)
    assert "bomb" in record.reason


def test_zip_bomb_with_a_false_size(tmp_path):
    path = pack(tmp_path / "bomb.zip", [("b.xml", b"<us-patent-grant>" + b" " * (8 << 20))])
    data = bytearray(path.read_bytes())
    entry = data.rindex(b"PK\x01\x02")
    data[entry + 24 : entry + 28] = struct.pack("<I", 100)
    path.write_bytes(data)
    assert all(isinstance(record, Quarantined) for record in read(path))


def test_bombs_in_an_archive_are_counted_together(tmp_path):
    """Each inner archive keeps its own limits; packed once more they would unpack to the square."""
    text = b"<us-patent-grant>" + os.urandom(3000).hex().encode() + b" " * 900_000
    inner = pack(tmp_path / "inner.zip", [(f"{n}.xml", text) for n in range(8)], compresslevel=9).read_bytes()
    path = pack(tmp_path / "outer.zip", [("good.xml", grant())], compresslevel=9)
    with zipfile.ZipFile(path, "a", zipfile.ZIP_LZMA) as archive:
        for n in range(40):
            archive.writestr(f"{n}.zip", inner)
    assert 8 * 40 * len(text) > containers.MAX_RATIO * path.stat().st_size
    tracemalloc.start()
    records = read(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert isinstance(records[0], Patent)
    assert any("with all that is in it; refused as a bomb" in record.reason for record in records[1:])
    assert peak < 64 << 20


def test_the_whole_of_an_archive_has_a_limit(tmp_path, monkeypatch):
    monkeypatch.setattr(containers, "RATIO_GRACE", 1000)
    inner = pack(tmp_path / "inner.zip", [("a.xml", grant())]).read_bytes()
    path = pack(tmp_path / "outer.zip", [(f"{n}.zip", inner) for n in range(6)])
    kinds = [type(record) for record in read(path)]
    assert kinds == [Patent] * 6
    monkeypatch.setattr(containers, "MAX_TOTAL", 4 * (len(inner) + len(grant())) + 10)
    records = read(path)
    assert [type(record) for record in records] == [Patent] * 4 + [Quarantined] * 2
    assert "refused" in records[-1].reason


def test_overlapping_members_are_refused(tmp_path):
    path = pack(tmp_path / "a.zip", [("a.xml", grant(9000001)), ("b.xml", grant(9000002))])
    data = bytearray(path.read_bytes())
    second = data.rindex(b"PK\x01\x02")
    data[second + 42 : second + 46] = struct.pack("<I", 0)
    path.write_bytes(data)
    record = only(read(path))
    assert isinstance(record, Quarantined)
    assert "overlap" in record.reason


def test_too_many_members_and_too_many_bytes(tmp_path, monkeypatch):
    path = pack(tmp_path / "a.zip", [(f"{n}.xml", grant()) for n in range(4)])
    monkeypatch.setattr(containers, "MAX_MEMBERS", 3)
    assert "members" in only(read(path)).reason
    monkeypatch.undo()
    monkeypatch.setattr(containers, "MAX_TOTAL", 500)
    assert "refused" in only(read(path)).reason


def test_truncated_archives(tmp_path):
    whole = pack(tmp_path / "a.zip", [("a.xml", grant() * 50)]).read_bytes()
    path = tmp_path / "cut.zip"
    for size in (4, 30, len(whole) // 2, len(whole) - 5):
        path.write_bytes(whole[:size])
        assert isinstance(only(read(path)), Quarantined)


def test_damaged_member_does_not_stop_the_next(tmp_path):
    path = pack(tmp_path / "a.zip", [("a.xml", os.urandom(9000).hex()), ("b.xml", grant(9000002))])
    data = bytearray(path.read_bytes())
    data[200:260] = bytes(60)
    path.write_bytes(data)
    records = read(path)
    assert isinstance(records[-1], Patent)


def test_gzip(write):
    assert isinstance(only(read(write(gzip.compress(grant()), "a.xml.gz"))), Patent)
    cut = read(write(gzip.compress(grant() * 200)[:-200], "b.xml.gz"))
    assert isinstance(cut[-1], Quarantined)


def test_gzip_bomb_named_xml(write):
    data = gzip.compress(b"<us-patent-grant>" + b" " * (300 << 20), 9)
    assert len(data) < 1 << 20
    path = write(data)
    del data
    tracemalloc.start()
    record = only(read(path))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert isinstance(record, Quarantined)
    assert "bomb" in record.reason
    assert peak < 200 << 20


# --- streaming, resuming, progress ---------------------------------------------------------------


class _Trickle:
    """A stream that gives a few bytes at a time."""

    def __init__(self, data, size):
        self._file = io.BytesIO(data)
        self._size = size

    def read(self, size, /):
        return self._file.read(min(size, self._size))


@pytest.mark.parametrize("size", [1, 7, 64, 4096])
def test_splitting_does_not_depend_on_the_size_of_reads(size):
    data = b"\n".join([grant(1), b"<!-- between -->", grant(2)[:-30], grant(3), b"  "])
    whole = list(splitter.Splitter(io.BytesIO(data), frozenset({"us-patent-grant"})))
    assert list(splitter.Splitter(_Trickle(data, size), frozenset({"us-patent-grant"}))) == whole
    assert [data[p.offset : p.offset + p.size] for p in whole] == [p.data for p in whole]
    assert [p.line for p in whole] == [data.count(b"\n", 0, p.offset) + 1 for p in whole]
    assert len(whole) == 3


def test_document_over_the_limit_is_passed_over(write, monkeypatch):
    monkeypatch.setattr(window, "CHUNK", 4096)
    data = grant(1) + grant(2, text="long " * 20_000) + grant(3)
    pieces = list(splitter.Splitter(io.BytesIO(data), frozenset({"us-patent-grant"}), limit=50_000))
    assert [len(piece.data) > 0 for piece in pieces] == [True, False, True]
    assert sum(piece.size for piece in pieces) <= len(data)
    assert pieces[2].offset == len(grant(1)) + pieces[1].size


def test_lines_do_not_depend_on_the_size_of_reads():
    data = b'{"a":1}\n\n{"b":2}\r\n{"c":3}'
    whole = list(splitter.split_lines(io.BytesIO(data)))
    assert [piece.line for piece in whole] == [1, 3, 4]
    assert list(splitter.split_lines(_Trickle(data, 2))) == whole
    assert [p.data for p in splitter.split_lines(_Trickle(data, 3), limit=4)] == [b"", b"", b""]


def test_memory_stays_flat_over_a_long_file(tmp_path):
    path = tmp_path / "long.xml"
    with path.open("wb") as file:
        for n in range(300):
            file.write(grant(9_000_000 + n, text="many words here " * 8000))
    assert path.stat().st_size > 35 << 20
    tracemalloc.start()
    count = sum(1 for _ in read_source(path, TaskContext()))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert count == 300
    assert peak < 16 << 20


@pytest.mark.parametrize("packed", [False, True])
def test_resume_gives_the_rest_and_nothing_twice(packed, tmp_path):
    parts = [grant(n) for n in range(1, 6)]
    parts[2] = parts[2].replace(b"</us-bib", b"</us-bub")
    if packed:
        path = pack(
            tmp_path / "a.zip", [("a.xml", b"".join(parts[:3])), ("n.txt", b"x"), ("b.xml", parts[3])]
        )
    else:
        path = tmp_path / "a.xml"
        path.write_bytes(b"".join(parts))
    whole = read(path)
    for done in range(len(whole) + 1):
        assert read(path, skip_until=done) == whole[done:]


def test_progress_reaches_the_end(tmp_path):
    path = tmp_path / "a.xml"
    path.write_bytes(b"".join(grant(n) for n in range(1, 4000)))
    reader = SourceReader(path, TaskContext())
    seen = [(reader.position, reader.bytes_done) for _ in reader]
    assert [position for position, _ in seen] == list(range(1, 4000))
    assert seen == sorted(seen)
    assert 0 < seen[0][1] < seen[-1][1]
    assert reader.bytes_done == reader.bytes_total == path.stat().st_size


def test_cancel_between_documents(write):
    context = TaskContext()
    records = iter(SourceReader(write(grant(1) + grant(2)), context))
    next(records)
    context.cancel()
    with pytest.raises(TaskCancelled):
        next(records)


def test_folders_are_listed_sorted_and_each_file_once(tmp_path):
    for name in ("b/2.xml", "b/1.xml", "a/x.xml", "c.xml"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(b"")
    (tmp_path / "a" / "loop").symlink_to(tmp_path)
    found = list_sources([tmp_path, tmp_path / "c.xml"])
    names = [path.relative_to(tmp_path).as_posix() for path in found if path.is_file()]
    assert names == ["a/x.xml", "b/1.xml", "b/2.xml", "c.xml"]
    with pytest.raises(InputError):
        list_sources([tmp_path / "missing"])


def test_a_folder_that_cannot_be_listed_is_told(tmp_path, monkeypatch):
    (tmp_path / "closed").mkdir()
    real = os.scandir

    def scandir(path):
        if str(path).endswith("closed"):
            raise PermissionError(13, "Permission denied", str(path))
        return real(path)

    monkeypatch.setattr(os, "scandir", scandir)
    with pytest.raises(ResourceError, match="closed: Permission denied"):
        list_sources([tmp_path])


def test_file_that_is_gone(tmp_path):
    with pytest.raises(ResourceError):
        SourceReader(tmp_path / "gone.xml", TaskContext())


@pytest.mark.parametrize(
    "head", [b"%PDF-1.7", b"II*\x00abc", b"\x89PNG\r\n", b"<!ELEMENT a ANY>", b"notes", b"\x00\x01"]
)
def test_other_files_are_skipped_with_a_reason(head, write):
    record = only(read(write(head, "other.bin")))
    assert isinstance(record, Skipped)
    assert record.reason.startswith("not a patent file")
