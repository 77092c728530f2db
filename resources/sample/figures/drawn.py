"""Which documents have drawings, and under which names their pictures are beside the XML."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

from resources.sample.authored import Document
from resources.sample.ep_document import ep_picture
from resources.sample.figures import (
    ep8200236a1,
    ep9045512a1,
    ep9072284a1,
    us98200118b2,
    us98200347b2,
    us99087731b2,
    us99104417b2,
    us99118236b2,
)
from resources.sample.figures.sheet import Sheet
from resources.sample.us_grant import us_picture

DRAWN: dict[str, ModuleType] = {
    "EP8200236A1": ep8200236a1,
    "EP9045512A1": ep9045512a1,
    "EP9072284A1": ep9072284a1,
    "US98200118B2": us98200118b2,
    "US98200347B2": us98200347b2,
    "US99087731B2": us99087731b2,
    "US99104417B2": us99104417b2,
    "US99118236B2": us99118236b2,
}
"""By publication the module with its ``FIGURES``, one per sheet, and ``FRONT``, that of its front page."""


def sheets(document: Document) -> dict[str, Sheet]:
    """The sheets of a document by the names that its XML gives them; none if it is not drawn."""
    module = DRAWN.get(document.publication)
    if module is None:
        return {}
    us = document.office == "US"
    found = {}
    for number, figure in enumerate(module.FIGURES, 1):
        sheet = Sheet(f"FIG. {number}" if us else f"Fig. {number}")
        figure(sheet)
        found[us_picture(document, number) if us else ep_picture(number)] = sheet
        if us and figure is module.FRONT:
            found[us_picture(document, 0)] = sheet
    return found


def write_pictures(document: Document, folder: Path) -> list[Path]:
    """Write the pictures of a document where an import looks for them, ``folder`` being that of the XML.

    European documents all name theirs ``imgf0001.tif``: each has a folder named like its XML file. American
    ones have the number in their names and are in that of the collected file.
    """
    own = folder / ("us-grants" if document.office == "US" else document.publication)
    written = []
    for name, sheet in sheets(document).items():
        own.mkdir(parents=True, exist_ok=True)
        path = own / name
        path.write_bytes(sheet.tiff())
        written.append(path)
    return written
