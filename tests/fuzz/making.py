"""Good inputs that are made here: archives, pictures, tables of columns."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

from tests.fuzz.watching import SECRET

Made = tuple[list[bytes], Callable[[bytes], object]]
"""Good inputs and the reader."""


def with_secret(data: bytes, folder: Path) -> bytes:
    """``data`` with the path of a file outside it where its entities say SECRET."""
    if b"SECRET" not in data:
        return data
    path = folder / "secret.txt"
    if not path.exists():
        path.write_text(SECRET)
    return data.replace(b"SECRET", str(path).encode())


def make_archives(document: bytes) -> list[bytes]:
    """A document in every container that is read, also one archive within another, and with a picture."""
    picture = make_pictures()[0]
    members = {"a/pump.xml": document, "a/imgf0001.tif": picture, "b/notes.txt": b"nothing\n"}
    zipped, tarred = _zip(members), _tar(members)
    return [
        zipped,
        tarred,
        gzip.compress(document, mtime=0),
        bz2.compress(document),
        lzma.compress(document),
        gzip.compress(tarred, mtime=0),
        _zip({"week.zip": zipped, "a.xml": document}),
        _zip({"week.tar": tarred}),
        _tar({"week.zip": zipped}),
        _zip({"a.xml.gz": gzip.compress(document, mtime=0)}),
    ]


def _zip(members: dict[str, bytes]) -> bytes:
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, body in members.items():
            archive.writestr(zipfile.ZipInfo(name, (2020, 1, 1, 0, 0, 0)), body, zipfile.ZIP_DEFLATED)
    return written.getvalue()


def _tar(members: dict[str, bytes]) -> bytes:
    written = io.BytesIO()
    with tarfile.open(fileobj=written, mode="w") as archive:
        for name, body in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(body)
            archive.addfile(info, io.BytesIO(body))
    return written.getvalue()


def make_pictures() -> list[bytes]:
    """A page of drawings in each format that is shown."""
    from PIL import Image, ImageDraw

    grey = Image.new("L", (90, 60), 255)
    ImageDraw.Draw(grey).ellipse((10, 10, 70, 50), outline=0)
    found = []
    for kind, how in (
        ("TIFF", {"compression": "group4"}), ("TIFF", {"compression": "tiff_lzw"}), ("PNG", {}), ("JPEG", {}),
        ("GIF", {}), ("PDF", {}),
    ):  # fmt: skip
        written = io.BytesIO()
        image = grey.convert("1") if how.get("compression") == "group4" else grey
        image.save(written, kind, **how)
        found.append(written.getvalue())
    return found


def make_parquet(folder: Path) -> list[bytes]:
    """A table of three publications."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pa.table(
        {
            "publication_number": ["US-9000001-B2", "US-9000002-B2", "EP-1000000-A1"],
            "title": ["Kettle", "Damper", "Bicycle"],
            "abstract": ["A kettle.", None, "A bicycle with a damper."],
            "claims": ["1. A kettle.", "1. A damper.", "1. A bicycle."],
        }
    )
    found = []
    for how in ("none", "snappy"):
        path = folder / f"{how}.parquet"
        pq.write_table(table, path, compression=how)
        found.append(path.read_bytes())
        path.unlink()
    return found
