"""Files that no dialect reads: plain text, such as claims saved from an editor."""

from __future__ import annotations

from pathlib import Path

from claimlight.errors import InputError

_HEAD = 256
_STRUCTURED = (b"<", b"{", b"PK", b"\x1f\x8b")
"""First bytes of XML, JSON lines, zip and gzip."""


def is_structured(path: Path) -> bool:
    """Whether a file is XML, JSON or an archive; `InputError` if it is not there."""
    if not path.is_file():
        what = f"{path} is a folder: give a file in it." if path.is_dir() else f"There is no file {path}."
        raise InputError(what)
    with path.open("rb") as stream:
        head = stream.read(_HEAD).lstrip(b"\xef\xbb\xbf \t\r\n")
    return head.startswith(_STRUCTURED)


def read_plain_text(path: Path) -> str:
    """The text of a file; `InputError` if it is not text in UTF-8."""
    body = path.read_bytes()
    try:
        text = body.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"{path} is neither patent XML nor text in UTF-8 (byte {error.start}).") from error
    # A zero byte is valid UTF-8, but means a binary file or UTF-16.
    if "\x00" in text:
        raise InputError(f"{path} is neither patent XML nor plain text.")
    return text
