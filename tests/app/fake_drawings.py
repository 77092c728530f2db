"""The part of the fake engine that is about drawings: pages drawn here, decoded by the real decoder."""

from __future__ import annotations

import io
import re
import threading

from PIL import Image, ImageDraw

from claimlight.errors import ResourceError
from claimlight.services.drawings.decoding import Raster, decode
from claimlight.tasks import TaskContext
from claimlight.types import (
    DocumentView,
    DrawingPage,
    Drawings,
    Figure,
    FigureLink,
    FoundPlace,
    Mentions,
    PassageId,
    PatentId,
    Picture,
    PictureKind,
    PictureState,
    ReferenceSign,
    Span,
)
from claimlight_workbench.values import DocumentDrawings

REASON = "The file of this document names no pictures: EP1000002A1.xml"
LOST = "The picture can't be found beside the file: EP1000001A1.xml"


def picture() -> bytes:
    image = Image.new("L", (800, 1200), 255)
    ImageDraw.Draw(image).ellipse((100, 100, 700, 700), outline=0, width=5)
    out = io.BytesIO()
    image.save(out, "PNG")
    return out.getvalue()


def links(view: DocumentView, figures: tuple[Figure, ...]) -> dict[PassageId, tuple[FigureLink, ...]]:
    """The first word of the last passage names Fig. 2A, its second word Fig. 1."""
    last = view.passages[-1]
    words = list(re.finditer(r"\w+", last.text))[:2]
    spans = [Span(*word.span()) for word in words]
    return {last.id: tuple(FigureLink(*each) for each in zip(spans, reversed(figures), strict=True))}


class FakeDrawings:
    """The first document has three pages, of which the file of the last is lost; the second has none."""

    def __init__(self) -> None:
        self.drawings_listed: list[PatentId] = []
        self.pages_decoded: list[tuple[int, int]] = []
        """Number of the page and the pixels asked for."""
        self.signs_read: list[PatentId] = []
        self.decoding_threads: set[str] = set()

    def drawings(self, view: DocumentView, context: TaskContext) -> DocumentDrawings:
        self.drawings_listed.append(view.summary.id)
        publication = str(view.summary.publication)
        if view.summary.id != 1:
            return DocumentDrawings(Drawings(publication, reason=REASON), {})
        kinds = (PictureKind.DRAWING, PictureKind.DRAWING, PictureKind.FRONT)
        states = (PictureState.KEPT, PictureState.SOURCE, PictureState.MISSING)
        pages = tuple(
            DrawingPage(n, Picture(f"imgf000{n}.png", kind), state)
            for n, (kind, state) in enumerate(zip(kinds, states, strict=True), 1)
        )
        figures = (Figure("1", "Fig. 1 is a side view", 1), Figure("2A", "", 2, guessed=True))
        return DocumentDrawings(Drawings(publication, pages, figures), links(view, figures))

    def mentions(self, view: DocumentView, context: TaskContext) -> Mentions:
        self.signs_read.append(view.summary.id)
        last, first = view.passages[-1], view.passages[0]
        one, *_, word = re.finditer(r"12a|\w+", last.text.partition(" moves")[0])
        places = (FoundPlace(first.id, Span(0, 1)), FoundPlace(last.id, Span(*one.span())))
        lower = (FoundPlace(last.id, Span(*word.span())),)
        return Mentions(
            (),
            (
                ReferenceSign("2", "damper", places, ("2",)),
                ReferenceSign("12a", "lower valve", lower, ("9", "1")),
            ),
        )

    def drawing_page(self, patent: PatentId, page: DrawingPage, longest: int, context: TaskContext) -> Raster:
        self.pages_decoded.append((page.number, longest))
        self.decoding_threads.add(threading.current_thread().name)
        if page.state is PictureState.MISSING:
            raise ResourceError(LOST)
        return decode(picture(), longest=longest)
