"""The drawings of the sample show what its documents say, and they are in the shipped library."""

from __future__ import annotations

import io
import zipfile
from functools import cache
from pathlib import Path

import pytest
from PIL import Image, ImageChops

from claimlight.formats import SourceReader, list_sources
from claimlight.services import sample
from claimlight.services.drawings.finding import Claims, find_pictures
from claimlight.store.picture_store import FILE_NAME, PictureStore
from claimlight.store.pictures import NamedPictures
from claimlight.tasks import TaskContext
from claimlight.text.reference_signs import find_reference_signs
from claimlight.types import Patent, PatentId
from resources.sample.authored import Document, read_library
from resources.sample.figures.drawn import DRAWN, sheets, write_pictures
from resources.sample.figures.sheet import HEIGHT, WIDTH

DUE = "the drawings of the shipped sample library are not what is drawn now: run `make sample`"
NO_SIGNS = {"EP8200236A1": {"41m", "48"}}
"""Amounts in the text that look like reference signs: a speed, a number of strokes."""
EDGE = 2.0
"""Margin in mm that stays free of lettering."""
ALIKE = 0.005
"""Share of pixels in which versions of the drawing library may differ."""


@cache
def documents() -> dict[str, Document]:
    return {each.publication: each for each in read_library() if each.publication in DRAWN}


@cache
def named() -> dict[str, tuple[Path, Patent]]:
    """The documents with drawings as an import reads them, each with its file."""
    found = {}
    for source in list_sources([sample.source_folder()]):
        for record in SourceReader(source, TaskContext()):
            assert isinstance(record, Patent)
            if str(record.publication) in DRAWN:
                found[str(record.publication)] = (source, record)
    return found


@pytest.mark.parametrize("publication", sorted(DRAWN))
def test_figures_show_the_parts_that_the_text_names(publication: str):
    document = documents()[publication]
    drawn = sheets(document)
    assert set(drawn) == {picture.file for picture in named()[publication][1].pictures}
    assert len(DRAWN[publication].FIGURES) == document.figures
    paragraphs = [text for section in document.sections for text in section.paragraphs]
    words = set(" ".join([*paragraphs, *document.abstract]).replace("(", " ").replace(")", " ").split())
    words = {word.strip(".,;:") for word in words}
    signs = {label.text for sheet in drawn.values() for label in sheet.lettering if label.sign}
    assert signs <= words
    listed = {each.sign for each in find_reference_signs(paragraphs)} - NO_SIGNS.get(publication, set())
    assert listed <= signs


@pytest.mark.parametrize("publication", sorted(DRAWN))
def test_lettering_is_on_the_page_and_overlaps_nothing(publication: str):
    for name, sheet in sheets(documents()[publication]).items():
        boxes = [(label.text, label.box) for label in sheet.lettering]
        for place, (text, (left, top, right, bottom)) in enumerate(boxes):
            assert min(left, top) > EDGE, (name, text)
            assert right < WIDTH - EDGE, (name, text)
            assert bottom < HEIGHT - EDGE, (name, text)
            for other, box in boxes[place + 1 :]:
                apart = left >= box[2] or box[0] >= right or top >= box[3] or box[1] >= bottom
                assert apart, (name, text, other)


def test_import_finds_the_pictures_where_they_are_written(tmp_path: Path):
    for publication in ("EP9072284A1", "US98200347B2"):
        path, patent = named()[publication]
        copy = tmp_path / path.name
        copy.write_bytes(path.read_bytes())
        # A second document in the folder: pictures of its names must not be taken for its own.
        (tmp_path / "EP9045512A1.xml").touch()
        written = write_pictures(documents()[publication], tmp_path)
        item = NamedPictures(
            PatentId(1), patent.publication, str(copy), member="", pictures=patent.pictures, unread=False
        )
        found = {each.file: each.data for each in find_pictures(copy, Claims([item]), TaskContext())}
        assert found == {each.name: each.read_bytes() for each in written}
        assert set(found) == {picture.file for picture in patent.pictures}
    with Image.open(io.BytesIO(next(iter(found.values())))) as image:
        assert (image.mode, image.info["compression"]) == ("1", "group4")
        assert image.size == (1772, 2599)


def test_shipped_library_has_what_is_drawn_now(tmp_path: Path):
    with zipfile.ZipFile(sample.shipped_library()) as packed:
        packed.extract(FILE_NAME, tmp_path)
    store = PictureStore(tmp_path, read_only=True)
    try:
        for publication, document in documents().items():
            drawn = sheets(document)
            assert store.sheets(publication) == dict.fromkeys(drawn, 1), DUE
            # One sheet of each document: to draw all takes ten seconds.
            name, sheet = min(drawn.items())
            data = store.read(publication, name)
            assert data is not None
            with Image.open(io.BytesIO(data)) as kept:
                other = ImageChops.logical_xor(kept, sheet.raster())
            assert other.histogram()[255] < ALIKE * other.width * other.height, DUE
    finally:
        store.close()
