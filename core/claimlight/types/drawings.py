"""Pictures that the files of a document name, and its figures."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class PictureKind(StrEnum):
    """The content of a picture, as the office classifies it."""

    FRONT = "front"
    """The drawing on the front page or beside the abstract, printed again among the drawings."""
    DRAWING = "drawing"
    """A page of drawings."""
    PAGE = "page"
    """A page of the document as it was printed, such as one of its search report."""
    CHEMISTRY = "chemistry"
    FORMULA = "formula"
    TABLE = "table"
    SEQUENCE = "sequence"
    IMAGE = "image"
    """Any other picture in the text."""


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture that the file of a document names."""

    file: str
    """Name of the picture's file, without folders."""
    kind: PictureKind = PictureKind.DRAWING
    figures: tuple[str, ...] = ()
    """Figures on it as the file says, in the form of `claimlight.text.figures`: ``3``, ``2A``."""
    width: int = 0
    """Printed width in millimetres; 0 where the file does not say."""
    height: int = 0
    landscape: bool = False
    """Whether the file says that the page is printed turned by a quarter."""


class PictureState(StrEnum):
    """Where the bytes of a picture are."""

    KEPT = "kept"
    """Copied into the library."""
    SOURCE = "source"
    """Beside the file of the document, or in its archive."""
    MISSING = "missing"
    """Nowhere known."""


@dataclass(frozen=True, slots=True)
class DrawingPage:
    """One picture of a document, as it is listed."""

    number: int
    """From 1, in the order shown: drawings, front page, printed pages, pictures of the text."""
    picture: Picture
    state: PictureState
    sheet: int = 0
    """0-based page inside the file, for a file of several pages."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure of a document."""

    label: str
    """As in the text: ``3``, ``2A``."""
    caption: str = ""
    """From the brief description of the drawings; empty if there is none."""
    page: int = 0
    """Number of its `DrawingPage`; 0 where unknown."""
    guessed: bool = False
    """Whether the page follows from the order of figures and pages alone."""


@dataclass(frozen=True, slots=True)
class Drawings:
    """The pictures and figures of a document."""

    publication: str
    pages: tuple[DrawingPage, ...] = ()
    figures: tuple[Figure, ...] = ()
    reason: str = ""
    """Why there are no pages, or why none of them can be shown, and what to do; else empty."""


@dataclass(frozen=True, slots=True)
class KeptDrawings:
    """What a run did that copied pictures into the library."""

    kept: int = 0
    """Pictures copied."""
    bytes: int = 0
    missing: int = 0
    """Pictures that documents name and that were not found."""
    refused: int = 0
    """Pictures that are larger than a library takes, or of no known format."""
