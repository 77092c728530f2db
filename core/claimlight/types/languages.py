"""Names of the languages that patents are published in, for sentences that a user reads."""

from __future__ import annotations

from collections.abc import Iterable

_NAMES = {
    "ar": "Arabic",
    "bg": "Bulgarian",
    "cs": "Czech",
    "da": "Danish",
    "de": "German",
    "el": "Greek",
    "en": "English",
    "es": "Spanish",
    "et": "Estonian",
    "fi": "Finnish",
    "fr": "French",
    "he": "Hebrew",
    "hr": "Croatian",
    "hu": "Hungarian",
    "is": "Icelandic",
    "it": "Italian",
    "ja": "Japanese",
    "ko": "Korean",
    "lt": "Lithuanian",
    "lv": "Latvian",
    "nl": "Dutch",
    "no": "Norwegian",
    "pl": "Polish",
    "pt": "Portuguese",
    "ro": "Romanian",
    "ru": "Russian",
    "sh": "Serbo-Croatian",
    "sk": "Slovak",
    "sl": "Slovenian",
    "sr": "Serbian",
    "sv": "Swedish",
    "tr": "Turkish",
    "uk": "Ukrainian",
    "zh": "Chinese",
}


def name_of(code: str) -> str:
    """The English name of a language by its ISO 639-1 code; a code that is not known stays as it is."""
    return _NAMES.get(code, code)


def names_of(codes: Iterable[str]) -> str:
    """Some languages in words, in the order given: ``English, French and German``."""
    *first, last = [name_of(code) for code in codes] or [""]
    return f"{', '.join(first)} and {last}" if first else last
