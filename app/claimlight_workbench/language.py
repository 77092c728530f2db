"""The language of the window: every text that a user sees goes through `tr` or `trn`.

The English text is the key of the catalogs in ``resources/languages``; a text that has no translation stays
English. The language is settled once, by `use`, before a module with texts is imported: tables of texts are
translated when their module is.
"""

from __future__ import annotations

import gettext
import string
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from claimlight import paths

if TYPE_CHECKING:
    from pathlib import Path

ENGLISH, SYSTEM = "en", "system"
LANGUAGES = {ENGLISH: "English", "fr": "Français", "de": "Deutsch"}
"""Their own names, by code."""
DOMAIN = "claimlight"
"""Name of the catalog files."""
# Thousands and decimals. The narrow space of French never breaks a line.
_SEPARATORS = {"fr": ("\u202f", ","), "de": (".", ",")}
_NUMBERS = (int, float)


class Text(str):
    """A translated text that knows what it is in English."""

    __slots__ = ("english",)
    english: str


class _Formatter(string.Formatter):
    """Fills fields, with numbers as the language writes them."""

    def format_field(self, value: Any, format_spec: str) -> str:
        return number(value, format_spec) if isinstance(value, _NUMBERS) else format(value, format_spec)


class _Language:
    """What is in use."""

    code = ENGLISH
    catalog = gettext.NullTranslations()
    formatter = _Formatter()


_now = _Language()


def folder() -> Path:
    """Folder of the catalogs, one folder for each language."""
    return paths.resources() / "languages"


def choose(wanted: str, system: Iterable[str]) -> str:
    """Code of the language for a setting; ``system``: its languages as it prefers them, such as ``de-AT``."""
    if wanted in LANGUAGES:
        return wanted
    codes = (name.replace("_", "-").partition("-")[0].lower() for name in system)
    return next((code for code in codes if code in LANGUAGES), ENGLISH)


def use(code: str) -> None:
    """Settle the language; texts of modules that are imported already keep theirs."""
    _now.code = code
    _now.catalog = (
        gettext.NullTranslations()
        if code == ENGLISH
        else gettext.translation(DOMAIN, folder(), languages=[code], fallback=True)
    )


def current() -> str:
    """Code of the language in use."""
    return _now.code


def tr(text: str, /, **fields: object) -> str:
    """A text in the language of the window; with fields as `str.format` fills them.

    ``tr("{name} could not be read", name=path.name)``. Without fields braces are left as they are.
    """
    if _now.code == ENGLISH:
        return text.format(**fields) if fields else text
    return _translated(_now.catalog.gettext(text) if text else "", text, fields)


def trn(one: str, many: str, count: int, /, **fields: object) -> str:
    """A text that depends on a number, which is its field ``n``.

    ``trn("{n:,} document", "{n:,} documents", count)``.
    """
    fields["n"] = count
    english = one if count == 1 else many
    if _now.code == ENGLISH:
        return english.format(**fields)
    return _translated(_now.catalog.ngettext(one, many, count), english, fields)


def english(text: str) -> str:
    """What a translated text is in English: the name under which files keep it."""
    return text.english if isinstance(text, Text) else text


def inside(text: str) -> str:
    """A name as it is written within a sentence: in small letters, but German nouns keep their capital."""
    return text if _now.code == "de" else text.lower()


def begin(text: str) -> str:
    """A text as it begins a sentence."""
    return f"{text[:1].upper()}{text[1:]}"


def number(value: float, form: str = "") -> str:
    """A number by a format of Python, such as ``,`` or ``.1f``, with the separators of the language."""
    plain = format(value, form)
    if _now.code not in _SEPARATORS:
        return plain
    thousands, point = _SEPARATORS[_now.code]
    return plain.translate({ord(","): thousands, ord("."): point})


def _translated(found: str, text: str, fields: Mapping[str, object]) -> str:
    made = Text(_now.formatter.vformat(found, (), fields) if fields else found)
    plain = {name: english(value) if isinstance(value, str) else value for name, value in fields.items()}
    made.english = text.format(**plain) if fields else text
    return made
