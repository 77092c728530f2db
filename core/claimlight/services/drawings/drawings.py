"""The drawings of a document: its pages, its figures, and the bytes of a page."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from claimlight import files
from claimlight.errors import InputError, ResourceError
from claimlight.formats.containers import picture_files
from claimlight.services.drawings import decoding
from claimlight.services.drawings.decoding import Raster
from claimlight.services.drawings.finding import SHOWN_ORDER, Claims, find_pictures, find_printed
from claimlight.services.library.library import Library
from claimlight.store.picture_store import PictureStore
from claimlight.store.pictures import NamedPictures, read_named_pictures
from claimlight.tasks import TaskContext
from claimlight.text.figures import find_figures, read_captions
from claimlight.types import (
    DrawingPage,
    Drawings,
    Figure,
    PassageView,
    PatentId,
    Picture,
    PictureKind,
    PictureState,
    Section,
)

_NUMBER = re.compile(r"(\d+)(.*)\Z")
_PRINTED = Picture("", PictureKind.PAGE)


def list_drawings(
    library: Library, patent: PatentId, passages: Iterable[PassageView], context: TaskContext
) -> Drawings:
    """The pages and figures of a document; ``reason`` says why there are none.

    Where the pictures are not kept in the library, the file of the document is looked at.
    """
    named = _named(library, patent)
    publication = str(named.publication)
    pictures = PictureStore(library.folder, read_only=True)
    try:
        kept = pictures.sheets(publication)
    finally:
        pictures.close()
    ordered = sorted(named.pictures, key=lambda item: SHOWN_ORDER.index(item.kind))
    there = _look(named, {item.file for item in ordered} - set(kept), context)
    pages: list[DrawingPage] = []
    for item in ordered:
        state = _state(item.file, kept, there)
        sheets = kept.get(item.file) or there.get(item.file, 1)
        pages += [DrawingPage(len(pages) + 1 + n, item, state, n) for n in range(sheets)]
    printed = find_printed(named)
    if printed is not None and not any(_is_shown(page) for page in pages):
        pages = [*_printed_pages(printed), *pages]
        pages = [replace(page, number=n) for n, page in enumerate(pages, 1)]
    figures = _list_figures(pages, list(passages))
    reason = "" if any(_is_shown(page) for page in pages) else _explain(named, pages)
    return Drawings(publication, tuple(pages), figures, reason)


def read_page(library: Library, patent: PatentId, page: DrawingPage, context: TaskContext) -> bytes:
    """The bytes of the file of a page; `ResourceError` says where it was looked for."""
    named = _named(library, patent)
    pictures = PictureStore(library.folder, read_only=True)
    try:
        data = pictures.read(str(named.publication), page.picture.file)
    finally:
        pictures.close()
    if data is not None:
        return data
    wanted = replace(named, pictures=(page.picture,))
    for found in find_pictures(Path(named.path), Claims([wanted]), context):
        return found.data
    printed = find_printed(named)
    if printed is not None and printed.name == page.picture.file:
        return picture_files.read_file(printed)
    raise ResourceError(_moved(named))


def read_raster(
    library: Library, patent: PatentId, page: DrawingPage, context: TaskContext, *, longest: int = 0
) -> Raster:
    """A page in pixels; ``longest`` limits its longer side. `ResourceError` if it is missing or damaged."""
    return decoding.decode(read_page(library, patent, page, context), page.sheet, longest=longest)


def write_pages(
    library: Library, patent: PatentId, drawings: Drawings, folder: Path, context: TaskContext
) -> tuple[tuple[Path, ...], tuple[str, ...]]:
    """Write the pages as PNG files into a folder; the files written, and a sentence for each that failed."""
    written: list[Path] = []
    failed: list[str] = []
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for page in drawings.pages:
            context.check()
            if page.state is PictureState.MISSING:
                continue
            path = folder / f"{drawings.publication}-{page.number:03d}-{page.picture.kind.value}.png"
            try:
                data = decoding.write_png(read_page(library, patent, page, context), page.sheet)
                files.write_atomically(path, data, files.Access.USUAL)
                written.append(path)
            except ResourceError as error:
                failed.append(f"{page.picture.file}: {error}")
    except OSError as error:
        raise ResourceError(f"{folder} can't be written: {error.strerror}.") from error
    return tuple(written), tuple(failed)


def _named(library: Library, patent: PatentId) -> NamedPictures:
    named = read_named_pictures(library.store, patent)
    if named is None:
        raise InputError(f"There is no document {patent} in {library.name}.")
    return named


def _look(named: NamedPictures, files: set[str], context: TaskContext) -> dict[str, int]:
    """The pictures that are at the source, with the number of their pages."""
    if not files:
        return {}
    wanted = replace(named, pictures=tuple(item for item in named.pictures if item.file in files))
    found: dict[str, int] = {}
    for item in find_pictures(Path(named.path), Claims([wanted]), context):
        try:
            found.setdefault(item.file, max(1, decoding.count_sheets(item.data)))
        except ResourceError:
            found.setdefault(item.file, 1)  # shown as damaged, with its message
    return found


def _state(file: str, kept: dict[str, int], there: dict[str, int]) -> PictureState:
    if file in kept:
        return PictureState.KEPT
    return PictureState.SOURCE if file in there else PictureState.MISSING


def _is_shown(page: DrawingPage) -> bool:
    return page.state is not PictureState.MISSING


def _printed_pages(path: Path) -> list[DrawingPage]:
    try:
        sheets = decoding.count_sheets(picture_files.read_file(path))
    except ResourceError:
        sheets = 1
    picture = replace(_PRINTED, file=path.name)
    return [DrawingPage(n + 1, picture, PictureState.SOURCE, n) for n in range(sheets)]


def _explain(named: NamedPictures, pages: list[DrawingPage]) -> str:
    """Why a document has no picture to show, and what to do."""
    if not named.pictures and named.unread:
        return (
            "This document was imported before the names of drawings were read. Import its file again: "
            f"{named.path}"
        )
    if not named.pictures:
        return f"The file of this document names no pictures: {named.path}"
    return _moved(named, len(pages))


def _moved(named: NamedPictures, count: int = 0) -> str:
    what = f"the {count} pictures that it names" if count > 1 else "the picture"
    if not Path(named.path).is_file():
        return (
            f"The file of this document is not where it was, and {what} were not kept: {named.path}. "
            "If it is elsewhere now, import it from there, or: claimlight library drawings --from FOLDER"
        )
    beside = "in the archive" if named.member else "beside the file"
    return (
        f"{what[0].upper()}{what[1:]} can't be found {beside}: {named.path}. Put the pictures there, or in "
        "another folder with the file, and import the file again, or: "
        "claimlight library drawings --from FOLDER"
    )


def _list_figures(pages: list[DrawingPage], passages: list[PassageView]) -> tuple[Figure, ...]:
    """The figures of the document: those with captions, then others that pages or text name."""
    description = [item for item in passages if not item.claim and not item.section.front]
    brief = [item.text for item in description if item.section is Section.DRAWINGS]
    captions = read_captions(brief, brief=True) or read_captions(item.text for item in description)
    on_page: dict[str, int] = {}
    drawings = [page for page in pages if page.picture.kind is PictureKind.DRAWING]
    for page in drawings:
        for label in page.picture.figures:
            on_page.setdefault(label, page.number)
    labels = dict.fromkeys(captions)
    labels.update(dict.fromkeys(on_page))
    if not labels:
        for item in description:
            mentioned = (label for found in find_figures(item.text) for label in found.labels)
            labels.update(dict.fromkeys(label for label in mentioned if label.isdigit()))
    ordered = sorted(labels, key=_order)
    guessed = _guess_pages(ordered, on_page, [page.number for page in drawings])
    return tuple(
        Figure(
            label,
            captions.get(label, ""),
            on_page.get(label) or guessed.get(label, 0),
            label in guessed and label not in on_page,
        )
        for label in ordered
    )


def _order(label: str) -> tuple[int, str]:
    found = _NUMBER.match(label)
    return (int(found[1]), found[2]) if found else (1 << 30, label)


def _guess_pages(labels: list[str], known: dict[str, int], pages: list[int]) -> dict[str, int]:
    """The pages of figures that nothing places, by the order of figures and pages.

    If there are as many pages as figures, or as figure numbers without letters, they go one by one; more
    figures than pages are spread evenly. With fewer figures than pages some were not found: then nothing is
    guessed.
    """
    if not pages or len(known) == len(labels):
        return {}
    if known:
        # Between placed neighbours: on the page of the figure before it.
        found, last = {}, pages[0]
        for label in labels:
            last = known.get(label, last)
            found[label] = last
        return found
    numbers = list(dict.fromkeys(_order(label)[0] for label in labels))
    if len(labels) == len(pages):
        return dict(zip(labels, pages, strict=True))
    if len(numbers) == len(pages):
        return {label: pages[numbers.index(_order(label)[0])] for label in labels}
    if len(labels) < len(pages):
        return {}
    return {label: pages[place * len(pages) // len(labels)] for place, label in enumerate(labels)}
