"""The manual: the pages of guide and reference that come with the program.

The pages are Markdown files below `claimlight.paths.manual`, in the order of its ``README.md``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from posixpath import dirname, join, normpath

from claimlight import paths
from claimlight.errors import ResourceError

GROUPS = ("guide", "reference")
"""Folders of pages; the rest of the documentation is for developers and is not shipped."""
MOST_FOUND = 200
"""More sections than these are not listed: another word makes them fewer."""
_INDEX = "README.md"
_COMMENT = re.compile(r"<!--.*?-->\n?", re.DOTALL)
_HEADING = re.compile(r"^(#{1,6}) +(.+?) *#*$")
_FENCE = re.compile(r"^ {0,3}(```|~~~)")
_LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
_LISTED = re.compile(r"\]\(([\w./-]+\.md)\)")
_MARKUP = re.compile(r"^\|[-:| ]+\|$|[`*|]|^[#>]+ |^ {0,8}[-+] ", re.MULTILINE)
_AROUND = 60
"""Characters before and after the found words."""


@dataclass(frozen=True, slots=True)
class Section:
    """A heading and the text up to the next one."""

    level: int
    """1 for the title of the page."""
    title: str
    anchor: str
    """As links name it; empty for the title of the page."""
    text: str
    """Without marks of Markdown."""


@dataclass(frozen=True, slots=True)
class ManualPage:
    """One page."""

    name: str
    """Its place below the manual, such as ``guide/dates.md``."""
    title: str
    text: str
    """Markdown, without comments."""
    sections: tuple[Section, ...]
    """In reading order; the first is the page itself."""


@dataclass(frozen=True, slots=True)
class FoundSection:
    """A section that holds every word looked for."""

    page: str
    anchor: str
    title: str
    """Titles of page and section: ``Dates and date status › Read the status``."""
    excerpt: str


@dataclass(frozen=True, slots=True)
class Target:
    """Where a link leads: a section of the manual, or an address outside of it."""

    page: str = ""
    anchor: str = ""
    outside: str = ""
    """An address or a file that is not part of the manual; never opened."""


def read_manual() -> tuple[ManualPage, ...]:
    """Every page in reading order; raises `ResourceError` if this installation has none."""
    folder = paths.manual()
    try:
        names = _listed(folder)
        found = tuple(_page(name, (folder / name).read_text(encoding="utf-8")) for name in names)
    except OSError as error:
        raise ResourceError(f"The manual can't be read: {error.strerror} ({error.filename}).") from error
    if not found:
        raise ResourceError(f"There is no manual in {folder}. Install the program again.")
    return found


def find(pages: Sequence[ManualPage], typed: str) -> tuple[FoundSection, ...]:
    """Sections with every word of ``typed``, in any case; the more are in the title, the earlier."""
    words = typed.casefold().split()
    if not words:
        return ()
    found = [
        (-sum(word in section.title.casefold() for word in words), page, section)
        for page in pages
        for section in page.sections
        if _has(words, f"{page.title} {section.title} {section.text}")
    ]
    found.sort(key=lambda item: item[0])
    return tuple(
        FoundSection(
            page.name,
            section.anchor,
            " › ".join(dict.fromkeys((page.title, section.title))),
            _excerpt(section.text, words),
        )
        for _, page, section in found[:MOST_FOUND]
    )


def follow(page: str, link: str, pages: Sequence[ManualPage]) -> Target:
    """Where a link on a page leads."""
    if re.match(r"[a-z][a-z+.-]*:", link):
        return Target(outside=link)
    name, _, anchor = link.partition("#")
    whole = normpath(join(dirname(page), name)) if name else page
    if any(each.name == whole for each in pages):
        return Target(page=whole, anchor=anchor)
    return Target(outside=normpath(join("docs", whole)))


def _listed(folder: Path) -> list[str]:
    """The pages as the index lists them, then those that it doesn't."""
    index = _LISTED.findall((folder / _INDEX).read_text(encoding="utf-8").partition("\n## ")[2])
    there = [
        place.relative_to(folder).as_posix()
        for group in GROUPS
        for place in sorted(folder.glob(f"{group}/*.md"))
    ]
    listed = [name for name in dict.fromkeys(index) if name in there]
    return sorted((*listed, *(name for name in there if name not in listed)), key=_group)


def _group(name: str) -> int:
    return GROUPS.index(name.partition("/")[0])


def _page(name: str, raw: str) -> ManualPage:
    text = _COMMENT.sub("", raw)
    sections = tuple(_sections(text))
    title = sections[0].title if sections else Path(name).stem
    return ManualPage(name, title, text, sections)


def _sections(text: str) -> Iterator[Section]:
    level, title, anchor = 0, "", ""
    lines: list[str] = []
    given: dict[str, int] = {}
    fenced = False
    for line in text.splitlines():
        if _FENCE.match(line):
            fenced = not fenced
        heading = None if fenced else _HEADING.match(line)
        if heading is None:
            lines.append(line)
            continue
        if level:
            yield Section(level, title, anchor, _plain(lines))
        first = not level
        level, lines = len(heading[1]), []
        title = _MARKUP.sub("", _LINK.sub(r"\1", heading[2]))
        anchor = "" if first else _anchor(title, given)
    if level:
        yield Section(level, title, anchor, _plain(lines))


def _anchor(title: str, given: dict[str, int]) -> str:
    """As the usual renderers make it of a heading; a second one of the same name is numbered."""
    anchor = re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")
    times = given[anchor] = given.get(anchor, -1) + 1
    return f"{anchor}-{times}" if times else anchor


def _plain(lines: Sequence[str]) -> str:
    return " ".join(_MARKUP.sub("", _LINK.sub(r"\1", "\n".join(lines))).split())


def _has(words: Sequence[str], text: str) -> bool:
    folded = text.casefold()
    return all(word in folded for word in words)


def _excerpt(text: str, words: Sequence[str]) -> str:
    places = [place for word in words if (place := text.casefold().find(word)) >= 0]
    # Folding may change the length of a text, so a place is where the word is only nearly.
    at = min(min(places, default=0), len(text))
    start = text.rfind(" ", 0, max(0, at - _AROUND)) + 1 if at > _AROUND else 0
    cut = text[start : at + 2 * _AROUND]
    return f"{'… ' if start else ''}{cut.strip()}{' …' if at + 2 * _AROUND < len(text) else ''}"
