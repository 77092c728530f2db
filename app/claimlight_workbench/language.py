"""The language of the window: every text that a user sees goes through `tr` or `trn`.

The English text is the key of the catalogs in ``resources/languages``; a text that has no translation stays
English. The language is settled once, by `use`, before a module with texts is imported: tables of texts are
translated when their module is. What the core says in words is translated by `tell`, where it is shown.
"""

from __future__ import annotations

import gettext
import re
import string
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
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
_CORE = "core\x04"
"""How the catalog marks the sentences of the core: gettext's context."""
_EDGES = re.compile(r"([\s,;:.·]*)(.*?)([\s,;:.]*)", re.DOTALL)
_PARTS = tuple(re.compile(mark) for mark in (r"(\n)", r"(  ·  )", r"((?<!Art)\. )", "(; )", "(: )", "(, )"))
"""Between the parts of what the core says, the loosest first."""
_MARKS = {"fr": {"; ": "\u00a0; ", ": ": "\u00a0: "}}
"""How a language writes them, if differently."""
_VAGUE_LETTERS = 4
_ITEM = r"[^\s,.:;]+(?: [^\s,.:;]+)?"
_LIST = f"{_ITEM}(?:, {_ITEM})*"
"""What a sentence with fewer fixed letters has in its fields: names, and not the half of another sentence."""
_FIGURE = re.compile(r"[+-]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?")
_COUNTED = {"n": _FIGURE.pattern, "plural": rf"{_FIGURE.pattern} [^\s,;:]+(?: [^,;:]+?)?"}
"""What fields hold that the core fills with a number, or by `plural`: never the part of a sentence before."""


class Text(str):
    """A translated text that knows what it is in English."""

    __slots__ = ("english",)
    english: str


class _Formatter(string.Formatter):
    """Fills fields, with numbers as the language writes them."""

    def format_field(self, value: Any, format_spec: str) -> str:
        return number(value, format_spec) if isinstance(value, _NUMBERS) else format(value, format_spec)


@dataclass(frozen=True, slots=True)
class _Sentence:
    """A sentence of the core with fields."""

    english: re.Pattern[str]
    translated: str


class _Language:
    """What is in use."""

    code = ENGLISH
    catalog = gettext.NullTranslations()
    formatter = _Formatter()
    sentences: tuple[_Sentence, ...] = ()


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
    _now.sentences = tuple(_sentences(_now.catalog))
    _told.cache_clear()


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


def tell(text: str) -> str:
    """What the core says, in the language of the window; what the catalog does not know stays English.

    The core fills its sentences itself, so they are recognized by their fixed words, and the words in their
    fields likewise.
    """
    return text if _now.code == ENGLISH or not text else _told(text)


@lru_cache(maxsize=20_000)
def _told(text: str) -> str:
    found = _EDGES.fullmatch(text)
    assert found is not None
    before, bare, after = found.groups()
    for known, rest in ((bare, (before, after)), (bare + after, (before, "")), (text, ("", ""))):
        if known and (said := _told_whole(known)) is not None:
            return f"{rest[0]}{said}{rest[1]}"
    for mark in _PARTS:
        if len(parts := mark.split(bare)) > 1:
            signs = _MARKS.get(_now.code, {})
            said_parts = [signs.get(each, each) if at % 2 else _told(each) for at, each in enumerate(parts)]
            return f"{before}{''.join(said_parts)}{after}"
    if _FIGURE.fullmatch(bare) and _now.code in _SEPARATORS:
        thousands, point = _SEPARATORS[_now.code]
        bare = bare.translate({ord(","): thousands, ord("."): point})
    return f"{before}{bare}{after}"


def _told_whole(text: str) -> str | None:
    """The translation of a text, or of the first sentence that it is; None if there is neither."""
    said = _now.catalog.pgettext("core", text)
    if said != text:
        return said
    for each in _now.sentences:
        if found := each.english.fullmatch(text):
            return each.translated.format(**{name: _told(value) for name, value in found.groupdict().items()})
    return None


def _sentences(catalog: gettext.NullTranslations) -> Iterable[_Sentence]:
    """The sentences of the core, those with most fixed words first."""
    held: Mapping[Any, str] = getattr(catalog, "_catalog", {})
    known = [(key[len(_CORE) :], said) for key, said in held.items() if _is_sentence(key) and "{" in str(key)]
    for template, said in sorted(known, key=lambda item: (-len(re.sub(r"\{\w*\}", "", item[0])), item[0])):
        fixed_letters = re.sub(r"\{\w*\}|\W", "", template)
        field = _LIST if len(fixed_letters) < _VAGUE_LETTERS and " " in template else ".*?"
        pattern = ""
        seen: set[str] = set()
        for fixed, name, _, _ in string.Formatter().parse(template):
            pattern += re.escape(fixed)
            if name:
                held_there = _COUNTED.get(name.partition("_")[0], field)
                pattern += f"(?P={name})" if name in seen else f"(?P<{name}>{held_there})"
                seen.add(name)
        yield _Sentence(re.compile(pattern, re.DOTALL), said)


def _is_sentence(key: object) -> bool:
    return isinstance(key, str) and key.startswith(_CORE)


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
