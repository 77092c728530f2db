"""Decodes a page of a picture (TIFF, PNG, JPEG, GIF, PDF) into pixels, within limits.

For any fault of the picture the error is a `ResourceError` in words. Call it beside the window: a large page
takes a tenth of a second.
"""

from __future__ import annotations

import io
import threading
import warnings
from contextlib import closing
from dataclasses import dataclass

import pypdfium2
from PIL import Image, ImageOps, UnidentifiedImageError

from claimlight.errors import ResourceError
from claimlight.formats.containers.picture_files import picture_format

MAX_PIXELS = 100_000_000
"""Pixels of one page: A3 at 600 dots per inch has 70 million."""
MAX_SHEETS = 1000
_PDF_LONGEST = 3300
"""Pixels of the longer side of a page of a PDF: A4 at 280 dots per inch."""
_FORMATS = ("TIFF", "PNG", "JPEG", "GIF")
_SHARP = 2
"""A page this many times larger than wanted is first reduced by whole steps, which is faster."""
_PDFIUM = threading.Lock()
"""PDFium may be called by one thread at a time."""


@dataclass(frozen=True, slots=True)
class Raster:
    """Pixels, row by row without padding: one byte of grey, or three of red, green and blue."""

    width: int
    height: int
    grey: bool
    pixels: bytes


def count_sheets(data: bytes) -> int:
    """Number of pages in a picture file; `ResourceError` if it can't be read."""
    if picture_format(data) == "pdf":
        with _PDFIUM, closing(_open_pdf(data)) as document:
            return min(len(document), MAX_SHEETS)
    with _open(data) as image:
        try:
            return min(int(getattr(image, "n_frames", 1)), MAX_SHEETS)
        except _FAULTS as error:
            raise ResourceError(f"The picture is damaged: {_first_line(error)}") from error


def decode(data: bytes, sheet: int = 0, *, longest: int = 0) -> Raster:
    """One page; ``longest`` limits the longer side in pixels, 0: as large as it is stored.

    `ResourceError` for a broken page, one of an unknown format, or one that unpacks to too much.
    """
    if picture_format(data) == "pdf":
        image = _render(data, sheet, longest or _PDF_LONGEST)
    else:
        image = _load(data, sheet, longest)
    return Raster(image.width, image.height, image.mode == "L", image.tobytes())


def write_png(data: bytes, sheet: int = 0) -> bytes:
    """One page as PNG; errors as of `decode`."""
    raster = decode(data, sheet)
    size = (raster.width, raster.height)
    image = Image.frombytes("L" if raster.grey else "RGB", size, raster.pixels)
    if raster.grey and image.getcolors(2) is not None:
        image = image.convert("1", dither=Image.Dither.NONE)
    written = io.BytesIO()
    image.save(written, "PNG", optimize=False)
    return written.getvalue()


def _open(data: bytes) -> Image.Image:
    if not picture_format(data):
        raise ResourceError("The picture is of a format that is not shown here.")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of large pictures and damaged tags; `_check` sets the limit
            return Image.open(io.BytesIO(data), formats=_FORMATS)
    except Image.DecompressionBombError as error:
        raise ResourceError("The picture is too large to be shown.") from error
    except UnidentifiedImageError as error:
        # Its message names an object of Python.
        raise ResourceError("The picture is damaged: its beginning can't be read.") from error
    except _FAULTS as error:
        raise ResourceError(f"The picture is damaged: {_first_line(error)}") from error


_FAULTS = (
    UnidentifiedImageError, OSError, ValueError, SyntaxError, EOFError, KeyError, IndexError, TypeError,
    RuntimeError, ZeroDivisionError, OverflowError, MemoryError, AttributeError,
)  # fmt: skip
"""What the library raises for damaged files; it documents none of them."""


def _load(data: bytes, sheet: int, longest: int) -> Image.Image:
    with _open(data) as image:
        try:
            if sheet:
                image.seek(sheet)
            _check(image.width, image.height)
            if longest and image.format == "JPEG":
                image.draft("RGB" if image.mode != "L" else "L", (longest, longest))
            image.load()
            plain = _make_plain(image)
        except Image.DecompressionBombError as error:
            raise ResourceError("The picture is too large to be shown.") from error
        except _FAULTS as error:
            raise ResourceError(f"The picture is damaged: {_first_line(error)}") from error
    side = max(plain.size)
    if longest and side > longest:
        if (step := side // (longest * _SHARP)) > 1:
            plain = plain.reduce(step)
        share = longest / max(plain.size)
        size = (max(1, round(plain.width * share)), max(1, round(plain.height * share)))
        plain = plain.resize(size, Image.Resampling.BOX if share < 1 else Image.Resampling.LANCZOS)
    return plain


def _make_plain(image: Image.Image) -> Image.Image:
    """Grey or colour, without transparency, as the picture is held upright."""
    turned = ImageOps.exif_transpose(image) if image.format == "JPEG" else image
    if turned.mode in ("1", "L", "I;16", "I"):
        return turned.convert("L")
    if turned.mode in ("LA", "PA", "RGBA", "P"):
        under = Image.new("RGBA", turned.size, "white")
        return Image.alpha_composite(under, turned.convert("RGBA")).convert("RGB")
    return turned.convert("RGB")


def _check(width: int, height: int) -> None:
    if width < 1 or height < 1 or width * height > MAX_PIXELS:
        raise ResourceError(
            f"The picture has {width:,} × {height:,} pixels; at most {MAX_PIXELS // 1_000_000} million "
            "are shown."
        )


def _open_pdf(data: bytes) -> pypdfium2.PdfDocument:
    try:
        return pypdfium2.PdfDocument(data)
    except (pypdfium2.PdfiumError, ValueError) as error:
        raise ResourceError(f"The PDF can't be opened: {_first_line(error)}") from error


def _render(data: bytes, sheet: int, longest: int) -> Image.Image:
    with _PDFIUM, closing(_open_pdf(data)) as document:
        try:
            page = document[sheet]
            width, height = page.get_size()
            if not (width > 0 and height > 0):
                raise ResourceError("The page of the PDF has no size.")
            scale = min(longest, _PDF_LONGEST) / max(width, height)
            rendered: Image.Image = page.render(scale=scale, may_draw_forms=False).to_pil()
        except (pypdfium2.PdfiumError, *_FAULTS) as error:
            raise ResourceError(f"The page of the PDF is damaged: {_first_line(error)}") from error
    image = rendered.convert("RGB")
    red, green, blue = image.split()
    # Scans and line drawings: one byte per pixel instead of three.
    return red if red.tobytes() == green.tobytes() == blue.tobytes() else image


def _first_line(error: BaseException) -> str:
    return (str(error).strip().split("\n") or [""])[0] or type(error).__name__
