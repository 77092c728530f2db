"""Drawings of documents: named at import, kept in the library, found at the source, decoded within limits."""

from __future__ import annotations

import io
import shutil
import tarfile
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest
from PIL import Image, ImageDraw
from reportlab.pdfgen import canvas

from claimlight.errors import InputError, ResourceError
from claimlight.formats.containers import picture_files
from claimlight.services.drawings import decoding
from claimlight.services.drawings.drawings import list_drawings, read_page, read_raster, write_pages
from claimlight.services.drawings.keeping import keep_all, keep_imported
from claimlight.services.drawings.mentions import find_links, match_label, read_mentions
from claimlight.services.indexing import maintenance
from claimlight.services.library import documents
from claimlight.services.library.library import Library, import_paths
from claimlight.services.search.chosen_passages import choose_figure
from claimlight.settings import Settings
from claimlight.store.picture_store import KeptPicture, PictureStore
from claimlight.store.soundness import _digest
from claimlight.tasks import TaskContext
from claimlight.types import Drawings, MarkedPassage, PatentId, PictureKind, PictureState

TASK = TaskContext()
FILES = ("imgf0001.tif", "imgf0002.tif")


def tiff(pages: int = 1, *, size: tuple[int, int] = (400, 300)) -> bytes:
    """Fax group 4, as the offices deliver it."""
    drawn = []
    for number in range(pages):
        image = Image.new("1", size, 1)
        ImageDraw.Draw(image).rectangle((20, 20, 100 + number, 200), outline=0)
        drawn.append(image)
    out = io.BytesIO()
    drawn[0].save(out, "TIFF", compression="group4", save_all=True, append_images=drawn[1:])
    return out.getvalue()


def png() -> bytes:
    out = io.BytesIO()
    Image.new("RGBA", (30, 20), (255, 0, 0, 128)).save(out, "PNG")
    return out.getvalue()


def pdf(pages: int) -> bytes:
    out = io.BytesIO()
    page = canvas.Canvas(out, pagesize=(200, 300))
    for number in range(pages):
        page.drawString(40, 100, f"Fig. {number + 1}")
        page.showPage()
    page.save()
    return out.getvalue()


def document(number: str = "1234567", *, drawings: bool = True) -> bytes:
    """An invented application of the EPO; its second page of drawings shows two figures."""
    named = "".join(
        f'<figure id="f000{n}" num="{num}"><img id="i{n}" file="{file}" wi="165" he="227" '
        'img-content="drawing" img-format="tif"/></figure>'
        for n, (num, file) in enumerate(zip(("1", "2A,2B"), FILES, strict=True), 1)
    )
    return f"""<?xml version="1.0" encoding="UTF-8"?>
<ep-patent-document lang="en" country="EP" doc-number="{number}" kind="A1" date-publ="20200101">
<SDOBI lang="en"><B100><B110>{number}</B110><B130>A1</B130><B190>EP</B190></B100>
<B500><B540><B541>en</B541><B542>PUMP</B542></B540></B500></SDOBI>
<description id="desc" lang="en"><heading>BRIEF DESCRIPTION OF THE DRAWINGS</heading>
<p id="p1" num="0001">Fig. 1 is a side view of a pump; Figs. 2A and 2B show its valve.</p>
<heading>DETAILED DESCRIPTION</heading><p id="p2" num="0002">The pump 10 of Fig. 1 has a valve 12.</p>
</description>{f'<drawings id="draw" lang="en">{named}</drawings>' if drawings else ""}
</ep-patent-document>""".encode()


def beside(folder: Path, *, name: str = "EP1234567A1.xml") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(document())
    for file in FILES:
        (folder / file).write_bytes(tiff())
    return folder / name


def imported(library: Library, *paths: Path) -> None:
    report = import_paths(library, paths, TASK, Settings())
    assert report.taken == len(paths)


def listed(library: Library, publication: str = "EP1234567A1") -> tuple[PatentId, Drawings]:
    view = documents.view(library, publication)
    return view.summary.id, list_drawings(library, view.summary.id, view.passages, TASK)


@pytest.fixture
def library(tmp_path: Path):
    with Library.create(tmp_path / "library") as made:
        yield made


def test_kept_drawings_outlive_their_files(library: Library, tmp_path: Path):
    imported(library, beside(tmp_path / "files"))
    patent, found = listed(library)
    assert {page.state for page in found.pages} == {PictureState.SOURCE}
    assert keep_imported(library, [tmp_path / "files"], TASK).kept == 2
    assert keep_imported(library, [tmp_path / "files"], TASK).kept == 0
    shutil.rmtree(tmp_path / "files")
    patent, found = listed(library)
    assert [page.picture.file for page in found.pages] == list(FILES)
    assert {page.state for page in found.pages} == {PictureState.KEPT}
    assert found.reason == ""
    assert [(item.label, item.page, item.guessed) for item in found.figures] == [
        ("1", 1, False), ("2A", 2, False), ("2B", 2, False),
    ]  # fmt: skip
    assert found.figures[0].caption == "Fig. 1 is a side view of a pump"
    raster = read_raster(library, patent, found.pages[0], TASK, longest=100)
    assert (raster.width, raster.height, raster.grey) == (100, 75, True)
    written, failed = write_pages(library, patent, found, tmp_path / "out", TASK)
    assert not failed
    assert [path.name for path in written] == [
        "EP1234567A1-001-drawing.png", "EP1234567A1-002-drawing.png",
    ]  # fmt: skip
    with Image.open(written[0]) as image:
        assert image.size == (400, 300)


def test_moved_files_are_named_and_found_in_the_folder_given(library: Library, tmp_path: Path):
    imported(library, beside(tmp_path / "files"))
    shutil.move(tmp_path / "files", tmp_path / "elsewhere" / "files")
    patent, found = listed(library)
    assert {page.state for page in found.pages} == {PictureState.MISSING}
    assert "not where it was" in found.reason
    assert "library drawings --from" in found.reason
    with pytest.raises(ResourceError, match="not where it was"):
        read_page(library, patent, found.pages[0], TASK)
    assert keep_all(library, TASK).missing == 2
    assert keep_all(library, TASK, folder=tmp_path / "elsewhere").kept == 2
    assert listed(library)[1].reason == ""


@pytest.mark.parametrize("kind", ["zip", "tar", "nested", "gone"])
def test_drawings_are_read_out_of_archives(library: Library, tmp_path: Path, kind: str):
    path = tmp_path / f"week.{'tar' if kind == 'tar' else 'zip'}"
    members = {"a/EP1234567A1.xml": document(), "a/imgf0001.tif": tiff(), "a/IMGF0002.TIF": tiff()}
    # Another document of the same week, whose pictures have the same names.
    members |= {"b/EP7654321A1.xml": document("7654321"), "b/imgf0001.tif": tiff(size=(50, 40))}
    members |= {"../imgf0002.tif": tiff(), "b/imgf0002.tif": b"no picture"}
    if kind == "tar":
        with tarfile.open(path, "w") as archive:
            for name, data in members.items():
                info = tarfile.TarInfo(name)
                info.size = len(data)
                archive.addfile(info, io.BytesIO(data))
    else:
        inner = io.BytesIO()
        with zipfile.ZipFile(inner, "w") as archive:
            for name, data in members.items():
                archive.writestr(name, data)
        path.write_bytes(inner.getvalue())
        if kind == "nested":
            with zipfile.ZipFile(path, "w") as outer:
                outer.writestr("x/EP.zip", inner.getvalue())
    assert import_paths(library, [path], TASK, Settings()).taken == 2
    if kind == "gone":
        path.write_bytes(b"not an archive any more")
    states = {page.picture.file: page.state for page in listed(library)[1].pages}
    other = listed(library, "EP7654321A1")[1].pages
    if kind == "gone":
        assert set(states.values()) == {PictureState.MISSING}
        return
    assert set(states.values()) == {PictureState.SOURCE}
    assert [page.state for page in other] == [PictureState.SOURCE, PictureState.MISSING]
    kept = keep_all(library, TASK)
    assert (kept.kept, kept.missing) == (3, 1)
    patent, found = listed(library, "EP7654321A1")
    raster = read_raster(library, patent, found.pages[0], TASK)
    assert (raster.width, raster.height) == (50, 40)


def test_a_name_of_many_documents_is_nobodys_in_a_shared_folder(library: Library, tmp_path: Path):
    path = beside(tmp_path)
    (tmp_path / "EP7654321A1.xml").write_bytes(document("7654321"))
    own = tmp_path / "EP7654321A1"
    own.mkdir()
    (own / FILES[1]).write_bytes(tiff())
    imported(library, path, tmp_path / "EP7654321A1.xml")
    assert {page.state for page in listed(library)[1].pages} == {PictureState.MISSING}
    states = [page.state for page in listed(library, "EP7654321A1")[1].pages]
    assert states == [PictureState.MISSING, PictureState.SOURCE]


def test_a_printed_document_beside_the_file_is_shown_where_it_has_no_drawings(
    library: Library, tmp_path: Path
):
    path = tmp_path / "EP1234567A1.xml"
    path.write_bytes(document(drawings=False))
    imported(library, path)
    assert "names no pictures" in listed(library)[1].reason
    path.with_suffix(".pdf").write_bytes(pdf(3))
    patent, found = listed(library)
    assert [page.sheet for page in found.pages] == [0, 1, 2]
    assert found.pages[0].picture.kind is PictureKind.PAGE
    raster = read_raster(library, patent, found.pages[2], TASK, longest=300)
    assert (raster.width, raster.height) == (200, 300)


def test_what_was_imported_before_pictures_were_read_says_so(library: Library, tmp_path: Path):
    imported(library, beside(tmp_path))
    with library.store.write() as connection:
        connection.exec_driver_sql("DELETE FROM picture")
        connection.exec_driver_sql("UPDATE document SET reading = 2, digest = ?", (_digest(connection, 1),))
    assert "Import its file again" in listed(library)[1].reason
    assert import_paths(library, [tmp_path / "EP1234567A1.xml"], TASK, Settings()).reread == 1
    assert len(listed(library)[1].pages) == 2


def test_pages_of_one_file_are_counted_and_decoded():
    many = tiff(3)
    assert decoding.count_sheets(many) == 3
    one, three = decoding.decode(many, 0), decoding.decode(many, 2)
    assert (one.width, one.height) == (three.width, three.height) == (400, 300)
    assert one.pixels != three.pixels
    assert decoding.count_sheets(pdf(2)) == 2
    colour = decoding.decode(png())
    assert (colour.grey, colour.pixels[:3]) == (False, bytes((255, 127, 127)))


@pytest.mark.parametrize("data", [b"", b"II*\0", tiff()[:60], pdf(1)[:300], b"%PDF-1.4 nothing", b"<svg/>"])
def test_broken_pictures_are_a_message(data: bytes):
    with pytest.raises(ResourceError):
        decoding.decode(data)


def test_a_picture_of_too_many_pixels_is_refused(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(decoding, "MAX_PIXELS", 1000)
    with pytest.raises(ResourceError, match="at most"):
        decoding.decode(tiff())


def test_a_folder_of_many_documents_is_listed_once(
    library: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    for number in range(2000000, 2000030):
        (tmp_path / "files").mkdir(exist_ok=True)
        text = document(str(number)).replace(b"imgf", f"{number}-".encode())
        (tmp_path / "files" / f"EP{number}A1.xml").write_bytes(text)
        (tmp_path / "files" / f"{number}-0002.tif").write_bytes(tiff())
    import_paths(library, [tmp_path / "files"], TASK, Settings())
    listed_folders: list[str] = []
    real = picture_files.os.scandir
    monkeypatch.setattr(
        picture_files.os, "scandir", lambda folder: listed_folders.append(Path(folder).name) or real(folder)
    )
    kept = keep_all(library, TASK)
    assert (kept.kept, kept.missing) == (30, 30)
    assert listed_folders.count("files") == 1


def test_pictures_are_read_while_others_are_added(tmp_path: Path):
    writing, reading = PictureStore(tmp_path), PictureStore(tmp_path, read_only=True)
    writing.keep([KeptPicture("EP1", "one.tif", 1, b"1" * 50_000)])
    assert set(reading.sheets("EP1")) == {"one.tif"}
    writing.keep([KeptPicture("EP1", f"{number}.tif", 1, b"2" * 50_000) for number in range(40)])
    assert len(reading.sheets("EP1")) == 41
    assert reading.read("EP1", "39.tif") == b"2" * 50_000
    reading.close()
    writing.close()


def test_a_changed_picture_is_found_by_verify_and_not_shown(library: Library, tmp_path: Path):
    imported(library, beside(tmp_path / "files"))
    keep_all(library, TASK)
    assert any("2 pictures are undamaged" in line for line in maintenance.verify(library, TASK))
    path = library.folder / "drawings.db"
    data, one = path.read_bytes(), tiff()
    place = data.index(one) + len(one) // 2
    path.write_bytes(data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :])
    with pytest.raises(ResourceError, match=r"drawings\.db is damaged: imgf0001\.tif|imgf0002\.tif"):
        maintenance.verify(library, TASK)
    patent, found = listed(library)
    with pytest.raises(ResourceError, match="has changed"):
        [read_page(library, patent, page, TASK) for page in found.pages]


def test_the_text_leads_to_its_figures_and_signs(library: Library, tmp_path: Path):
    imported(library, beside(tmp_path / "files"))
    view = documents.view(library, "EP1234567A1")
    mentions = read_mentions(view.passages, TASK)
    texts = {passage.id: passage.text for passage in view.passages}
    named = [(texts[each.passage][each.span.start : each.span.end], each.labels) for each in mentions.figures]
    assert named == [("Fig. 1", ("1",)), ("Figs. 2A and 2B", ("2A", "2B")), ("Fig. 1", ("1",))]
    assert [(each.sign, each.name, each.figures) for each in mentions.signs] == [
        ("10", "pump", ("1",)), ("12", "valve", ("1",)),
    ]  # fmt: skip
    drawings = listed(library)[1]
    links = find_links(view.passages, drawings, TASK)
    linked = [(passage, link.span, link.figure.label) for passage in links for link in links[passage]]
    assert linked == [(each.passage, each.span, each.labels[0]) for each in mentions.figures]
    lost = tuple(replace(page, state=PictureState.MISSING) for page in drawings.pages)
    assert find_links(view.passages, replace(drawings, pages=lost), TASK) == {}
    assert [match_label(label, ["1", "2A", "2B"]) for label in ("1", "2", "2B", "1A", "3")] == [
        "1", "2A", "2B", "1", "",
    ]  # fmt: skip


def test_a_figure_of_the_document_is_chosen_to_be_cited(library: Library, tmp_path: Path):
    imported(library, beside(tmp_path))
    patent, drawings = listed(library)
    label = drawings.figures[0].label
    assert choose_figure(library, patent, label, TASK) == MarkedPassage.of_figure(label)
    with pytest.raises(InputError, match=f"no figure 99: its figures are {label}"):
        choose_figure(library, patent, "99", TASK)
