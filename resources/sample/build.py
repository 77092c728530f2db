"""Turns the authored sources of the sample library into the XML that the offices would publish.

Run as a script it rewrites ``xml/`` and ``application.xml`` beside it; `build` writes the same files
elsewhere. The source format is described in ``source/README.md``.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

# So that the modules beside it are found, as a script from any folder and as a module loaded by its path.
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from resources.sample.authored import SOURCES, SourceError, read_document, read_library
from resources.sample.ep_document import ep_document
from resources.sample.us_grant import us_grant

__all__ = ["SourceError", "build", "read_document", "read_library"]

HERE = Path(__file__).resolve().parent


def build(target: Path, sources: Path = SOURCES) -> list[Path]:
    """Writes the XML of all sources below ``target`` and returns the files, sorted."""
    folder = target / "xml"
    folder.mkdir(parents=True, exist_ok=True)
    documents = read_library(sources)
    files = {
        folder / "us-grants.xml": "".join(
            us_grant(document) for document in documents if document.office == "US"
        ),
        target / "application.xml": ep_document(read_document(sources / "application.toml")),
    }
    for document in documents:
        if document.office == "EP":
            files[folder / f"{document.publication}.xml"] = ep_document(document)
    for stale in set(folder.glob("*.xml")) - set(files):
        stale.unlink()
    for path, text in files.items():
        path.write_text(text, encoding="utf-8", newline="\n")
    return sorted(files)


def main() -> None:
    """Rebuilds the committed files, or writes them to another folder."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("target", nargs="?", type=Path, default=HERE, help="folder to write to")
    for path in build(parser.parse_args().target):
        print(path)


if __name__ == "__main__":
    main()
