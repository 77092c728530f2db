"""Writes the catalogs of the window: ``make languages``.

`find_texts` reads the texts of the window from its code and the vocabulary of the core that it shows. Each
``<code>.po`` beside this file keeps the translations that fit and gets the new texts, untranslated; those
that are gone go. From it ``<code>/LC_MESSAGES/claimlight.mo`` is compiled, which the window reads.
"""

from __future__ import annotations

import ast
import io
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
WINDOW = ROOT / "app" / "claimlight_workbench"
LANGUAGES = ("de", "fr")
_CALLS = {"tr": 1, "trn": 2}
"""How many texts a call begins with."""
_WIDTH = 110
# Dates would change the files whenever they are written.
_DATE = datetime(2026, 1, 1, tzinfo=UTC)

Key = tuple[str, ...]
"""A text, or what is said of one and of many."""


def find_texts() -> dict[Key, list[str]]:
    """Every text of the window, with the files that have it."""
    found: dict[Key, list[str]] = {}
    for path in sorted(WINDOW.rglob("*.py")):
        place = path.relative_to(WINDOW).as_posix()
        for key in texts_of(ast.parse(path.read_text(encoding="utf-8"))):
            found.setdefault(key, []).append(place)
    for text in core_texts():
        found.setdefault((text,), []).append("core")
    return {key: sorted(set(places)) for key, places in found.items()}


def texts_of(tree: ast.AST) -> Iterator[Key]:
    """The texts that a module has translated."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _CALLS:
            texts = [
                each.value for each in node.args[: _CALLS[node.func.id]] if isinstance(each, ast.Constant)
            ]
            if len(texts) == _CALLS[node.func.id] and all(isinstance(each, str) and each for each in texts):
                yield tuple(texts)


def core_texts() -> Iterator[str]:
    """The vocabulary of the core that the window shows: settings, verdicts, date status."""
    from claimlight.settings import list_declared

    for item in list_declared():
        if not item.advanced:
            yield from (text for text in (item.label, item.help, *item.names) if text)


def read_catalog(code: str) -> Catalog:
    """The catalog of a language as it is; empty if there is none."""
    path = HERE / f"{code}.po"
    if not path.exists():
        return Catalog(code)
    with path.open("rb") as file:
        return read_po(file, locale=code)


def merged(code: str, texts: dict[Key, list[str]]) -> Catalog:
    """A catalog with exactly these texts, and the translations that there are."""
    before = read_catalog(code)
    catalog = Catalog(
        code,
        project="Claimlight",
        version="",
        fuzzy=False,
        charset="utf-8",
        creation_date=_DATE,
        revision_date=_DATE,
        last_translator="",
        language_team="",
        header_comment=f"# The window in {catalog_name(code)}. `make languages` writes this file.",
    )
    for key, places in sorted(texts.items(), key=lambda item: (item[1][0], item[0])):
        old = before.get(key[0] if len(key) == 1 else key)
        string = old.string if old is not None and isinstance(old.id, tuple) == (len(key) > 1) else ""
        catalog.add(
            key[0] if len(key) == 1 else key,
            string or ("" if len(key) == 1 else ("",) * catalog.num_plurals),
            locations=[(place, None) for place in places],
        )
    return catalog


def catalog_name(code: str) -> str:
    """``German``."""
    return str(Catalog(code).locale.english_name)


def po_bytes(catalog: Catalog) -> bytes:
    """What the ``.po`` file holds."""
    file = io.BytesIO()
    write_po(file, catalog, width=_WIDTH, include_lineno=False, ignore_obsolete=True)
    return file.getvalue()


def mo_bytes(catalog: Catalog) -> bytes:
    """What the ``.mo`` file holds: translated texts only."""
    file = io.BytesIO()
    write_mo(file, catalog)
    return file.getvalue()


def compiled_path(code: str) -> Path:
    """Where the window reads the catalog."""
    return HERE / code / "LC_MESSAGES" / "claimlight.mo"


def main() -> None:
    """Write all catalogs."""
    texts = find_texts()
    for code in LANGUAGES:
        catalog = merged(code, texts)
        (HERE / f"{code}.po").write_bytes(po_bytes(catalog))
        compiled_path(code).parent.mkdir(parents=True, exist_ok=True)
        compiled_path(code).write_bytes(mo_bytes(catalog))
        lacking = sum(not each.string or not any(each.string) for each in catalog if each.id)
        print(f"{code}: {len(texts):,} texts, {lacking:,} without a translation")


if __name__ == "__main__":
    sys.exit(main())
