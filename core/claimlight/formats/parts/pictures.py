"""The pictures that an XML document names: pages of drawings, formulas, pages of its search report."""

from __future__ import annotations

import re
from collections import Counter, defaultdict

from lxml import etree

from claimlight.text.figures import find_figures
from claimlight.types import Picture, PictureKind

_NAMED = ("img", "image", "EMI", "doc-page")
_FILE = ("file", "FILE")
_LONGEST_NAME = 200
_MOST = 5000
"""Pictures of one document; a longer list is cut."""
_LONGEST_SIDE = 2000
"""Millimetres; a larger number is a misprint."""
_KINDS = {
    **dict.fromkeys(("chem", "cf", "ci"), PictureKind.CHEMISTRY),
    **dict.fromkeys(("math", "maths", "mf"), PictureKind.FORMULA),
    **dict.fromkeys(("table", "tb", "tbl"), PictureKind.TABLE),
    **dict.fromkeys(("dna", "sr"), PictureKind.SEQUENCE),
    **dict.fromkeys(("drawing", "dr"), PictureKind.DRAWING),
}
"""By ``img-content`` (ST.36) and ``ti`` (USPTO of 2001)."""
_WITHIN = {
    **dict.fromkeys(("drawings", "figure", "SDODR", "subdoc-drawings"), PictureKind.DRAWING),
    **dict.fromkeys(("abstract", "figure-to-publish", "SDOBI"), PictureKind.FRONT),
    **dict.fromkeys(("chemistry", "CHEM-US", "chemistry-cwu"), PictureKind.CHEMISTRY),
    **dict.fromkeys(("maths", "math", "MATH-US", "math-cwu"), PictureKind.FORMULA),
    **dict.fromkeys(("tables", "table", "TABLE-US", "table-cwu"), PictureKind.TABLE),
}
_FRONT_PAGE = re.compile(r"-D0+\.\w+\Z", re.IGNORECASE)
"""The USPTO's page zero: the drawing of the front page."""
_COUNTER = re.compile(r"0\d{3,}\Z")
"""``00012`` counts pages; it is no figure."""
_SIDE = re.compile(r"(\d{1,5}(?:\.\d+)?)\s*(mm|cm|in)?\Z")
_UNITS = {"mm": 1.0, "cm": 10.0, "in": 25.4}
_SAFE = re.compile(r"[\w][\w.()+ ~-]*\.\w{2,5}\Z")
_MANY_FIGURES = 2
"""A longer list in a link to one page may span several pages."""


def read_pictures(root: etree._Element, *, numbered: bool = True) -> tuple[Picture, ...]:
    """The pictures of a document in the order of the file, each file once.

    Call it before formatting is removed: links to figures say which page shows which figure. Without
    ``numbered`` the numbers of figures are counters of the publisher.
    """
    linked = _read_links(root)
    found: dict[str, Picture] = {}
    for element in root.iter(*_NAMED):
        name = _read_name(element)
        if not name or name in found or element.get("img-content") == "character":
            continue
        kind = _find_kind(element, name)
        width, height = _read_side(element.get("wi")), _read_side(element.get("he"))
        turned = element.get("orientation", "").lower() == "landscape"
        figures = _read_figures(element, linked, numbered=numbered) if kind is PictureKind.DRAWING else ()
        found[name] = Picture(name, kind, figures, width, height, turned)
        if len(found) >= _MOST:
            break
    return tuple(found.values())


def _read_name(element: etree._Element) -> str:
    """The name without folders; empty if it is not the name of one file."""
    named = next(filter(None, map(element.get, _FILE)), "")
    name = named.replace("\\", "/").rpartition("/")[2].strip()
    return name if len(name) <= _LONGEST_NAME and _SAFE.match(name) and ".." not in name else ""


def _find_kind(element: etree._Element, name: str) -> PictureKind:
    if element.tag == "doc-page":
        within = any(above.tag == "drawings" for above in element.iterancestors())
        return PictureKind.DRAWING if within else PictureKind.PAGE
    near = next((_WITHIN[above.tag] for above in element.iterancestors() if above.tag in _WITHIN), None)
    said = _KINDS.get((element.get("img-content") or element.get("ti") or "").lower())
    if near in (PictureKind.DRAWING, None) and said in (PictureKind.DRAWING, None):
        # A drawing outside the drawings is a picture in the text.
        kind = near or PictureKind.IMAGE
        return PictureKind.FRONT if kind is PictureKind.DRAWING and _FRONT_PAGE.search(name) else kind
    if near is PictureKind.FRONT:
        return PictureKind.FRONT
    return said or near or PictureKind.IMAGE


def _read_side(text: str | None) -> int:
    found = _SIDE.match((text or "").strip())
    if found is None:
        return 0
    side = round(float(found[1]) * _UNITS.get(found[2] or "mm", 1.0))
    return side if 0 < side <= _LONGEST_SIDE else 0


def _read_figures(
    element: etree._Element, linked: dict[str, tuple[str, ...]], *, numbered: bool
) -> tuple[str, ...]:
    figure = next(element.iterancestors("figure"), None)
    if figure is None:
        return ()
    told = figure.get("num", "").strip() if numbered else ""
    labels: list[str] = []
    if told and not _COUNTER.match(told):
        for mention in find_figures(f"Figs. {told.replace(';', ',')}"):
            labels += mention.labels
    return tuple(dict.fromkeys(labels)) or linked.get(figure.get("id", ""), ())


def _read_links(root: etree._Element) -> dict[str, tuple[str, ...]]:
    """The figures of each ``figure`` element, by the links of the text that lead to it alone."""
    ids = {figure.get("id", "") for figure in root.iter("figure")} - {""}
    if not ids:
        return {}
    votes: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for link in root.iter("figref"):
        target = (link.get("idref") or "").split()
        if len(target) != 1 or target[0] not in ids:
            continue
        labels = [label for found in find_figures(_text_of(link)) for label in found.labels]
        if 0 < len(labels) <= _MANY_FIGURES:
            for label in labels:
                votes[label][target[0]] += 1
    found: defaultdict[str, list[str]] = defaultdict(list)
    for label, pages in votes.items():
        # Links are sometimes wrong; the page that most of them name counts.
        found[pages.most_common(1)[0][0]].append(label)
    return {page: tuple(labels) for page, labels in found.items()}


def _text_of(link: etree._Element) -> str:
    text = " ".join("".join(map(str, link.itertext())).split())
    # Some links hold the number alone.
    return text if text[:1].isalpha() and len(text) > 2 else f"Fig. {text}"
