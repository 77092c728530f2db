"""Reference signs of drawings ("damper 12", "the rotor (14a)") in a description, with the part each names.

A sign is a number, with a letter or a prime, behind a noun: ``12``, ``14A``, ``3'``. Its name is what stands
between an article or a preposition and the sign most often. Years, measures, ranges, claims, figures and
other numbered things are no signs, nor is a number that no noun comes before.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from claimlight.text.figures import find_figures

_SIGN = re.compile(
    r"(?<![\w.,/°$€£#%@=<>±~^+*'’′_-])(\()?"
    r"(?P<sign>\d{1,4}(?:(?P<letter>[a-zA-Z])(?![a-zA-Z])|\s(?P<apart>[a-z])(?![\w'’\-]|\.\w))?(?:['′]{1,2}|’(?!\w))?)"
    r"(?(1)(?P<close>[,;)\s])|(?![\w°%$€£^_=]|[.,:/]\d|\s?(?:[%°×=<>±–—]|[-‐]\s?\d|/\s?\d)|-[a-zA-Z]))"
)
"""A number that may be a sign; in parentheses it may begin a list."""
_UNIT = re.compile(
    r"\s?-?\s?(?:[munkMGTµμ]?(?:m|g|s|A|V|W|Hz|Pa|J|N|F|H|B|l|L|bar|eV|mol|Ω|ohms?)|[cdm]m[²³23]?|k[mg]|ml|min|"
    r"h|hrs?|°|dB|rpm|ppm|psi|nt|bp|kDa|wt|vol|ft|inch(?:es)?|bits?|bytes?|degrees?|per\s?cent|percent|minutes?|"
    r"seconds?|hours?|days?|weeks?|months?|years?|times|Prozent|Grad|Stunden?|Minuten|Sekunden|Tagen?|Jahren?|mal|"
    r"heures?|jours?|ans|années?|secondes?|degrés|pour\s?cent|fois)(?![\w'’])"
)
_RANGE = re.compile(r"\s?(?:to|bis|à|through|thru)\s\(?\d")
"""Behind the first number of a range; "the valve 12 to the housing" is none."""
_WORD = re.compile(r"[^\W\d_]+(?:[-'’][^\W\d_]+)*")
_BEFORE = re.compile(r"(?<!\w)(?:[^\W\d_]+(?:[-–'’./][^\W\d_]+)*['’]?[\s(]{1,2}){1,7}\Z")
_JOINED = re.compile(
    r"\A[\s(]{0,2}(?:,|;|/|&|\)?\s?,?\s?(?:and|or|und|oder|sowie|et|ou))\s(?:\()?\Z|\A\)?,\s\(?\Z"
)
"""What joins a sign to the one before it: "valves 12, 14 and 16"."""
_ELISION = re.compile(r"\b(?:[ldqnsjcm]|qu|jusqu|lorsqu)['’]", re.IGNORECASE)


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_ARTICLES = _words(
    """
    the a an said this that these those each every another its their one any both such all same respective
    corresponding two three four five six der die das dem den des ein eine einem einen einer eines dieser
    diese dieses diesem diesen jeder jede jedes jedem jeden im am zum zur vom beim ins ans sein seine seinem
    seinen seiner ihr ihre ihrem ihren ihrer jeweilige jeweiligen beide beiden zwei drei vier welche welcher
    le la les l un une du des au aux ce cet cette ces chaque son sa ses leur leurs deux trois quatre
    """
)
_STOPS = _words(
    """
    of in on at by to for from with without into onto upon over under between among within through via than
    and or nor but as if when while where wherein whereas whereby which who that because so then thus also
    not no is are was were be been being has have had having do does did can could may might must shall
    should will would it he she they we you there here about approximately around above below along across
    after before behind against during until since per only just even e.g i.e etc respectively comprising
    comprises comprise includes include including contains contain containing shows show shown illustrates
    depicts see using uses use used denotes designates indicated called referred represents provides having
    like opposite toward towards adjacent required needed located disposed either neither typically usually
    preferably optionally in an auf aus bei mit nach von zu zwischen durch für gegen ohne um über unter vor
    hinter neben seit bis sowie und oder aber als wie wenn dass daß weil dabei wobei worin dann auch nicht
    kein keine ist sind war waren wird werden wurde wurden hat haben kann können soll sollen muss müssen
    sich es er sie wir man nur noch jeweils etwa zeigt zeigen umfasst weist dargestellt siehe mittels
    entlang innerhalb außerhalb oberhalb unterhalb dans sur sous par pour avec sans entre vers chez et ou
    mais donc car ni que qui dont où quand lorsque comme si est sont était été être a ont avait avoir peut
    peuvent doit doivent il elle ils elles on nous vous se ne pas plus moins très ainsi alors aussi selon
    depuis pendant contre comprend comportant comprenant comporte voir
    """
)
_INNER = _words("de d à en")
"""Within French names: "arbre de sortie"."""
_NUMBERED = _words(
    """
    claim claims fig figs figure figures paragraph paragraphs example examples embodiment embodiments table
    tables equation equations eq formula formulas formulae ref refs reference references numeral numerals
    sign signs character characters no nos nr page pages column columns line lines chapter section sections
    scheme compound compounds seq id patent patents application publication serial number numbers pat pub
    art article rule least most type types version release day days week month january february march april
    may june july august september october november december jan feb mar apr jun jul aug sep sept oct nov
    dec group phase grade class category residue residues position positions acid acids exon exons intron
    chromosome chromosomes nucleotide nucleotides factor test experiment sample ser appendix annex aspect
    aspects option preparation intermediate run cas din iso en iec ieee rfc ph windows mp usb years aged
    atoms carbons about than approximately roughly nearly exceeding exactly anspruch ansprüche ansprüchen
    patentanspruch patentansprüche figur figuren abb abbildung abbildungen beispiel beispiele beispielen
    ausführungsbeispiel ausführungsbeispiele vergleichsbeispiel tabelle tabellen gleichung formel formeln
    absatz seite seiten zeile spalte bezugszeichen bezugsziffer bezugsziffern bezugszahl ziffer nummer punkt
    januar februar märz mai juni juli oktober dezember verbindung mindestens höchstens ungefähr circa ca
    rund revendication revendications exemple exemples tableau tableaux équation formule formules paragraphe
    repère repères référence références numéro numéros alinéa ligne colonne composé janvier février mars
    avril mai juin juillet août septembre octobre novembre décembre environ
    """
)
"""Before these nouns a number counts; it is no sign of a part."""
_STEPS = _words("step steps schritt schritte schritten verfahrensschritt étape étapes stage")
_STEP_DIGITS = 3
"""Steps are numbered from 1 in the text, and by signs of three digits in charts."""
_PLAIN = _words(
    """
    said same more respective corresponding aforementioned present entire such whole latter former also then
    genannte genannten besagte besagten entsprechende entsprechenden jeweiligen jeweilige dit dite ledit
    ladite lesdits desdits dudit
    """
)
"""Left out at the beginning of a name."""
_LONGEST = 5
_FAR = 90
"""Characters before a sign that are looked at."""
_SHORTEST_STEM = 3
_SHARE = 0.5
"""Part of the mentions that must have a word before the name for it to belong to the name."""
_LEAST_UNBOUND = 2
"""Mentions that a name without any article needs."""
_LEAST_UNUSUAL = 3
"""Mentions that a sign needs that may be a year, or whose name is written like that of a company ("Health
Level 7")."""
_YEAR_DIGITS = 4
_YEARS = range(1850, 2100)
_GERMAN = re.compile(r"\b(?:der|die|das|und|mit|ist)\b", re.IGNORECASE)
_OTHERS = re.compile(r"\b(?:the|of|and|is|le|la|les|et|est|de)\b", re.IGNORECASE)
_LANGUAGE_FROM = 20
"""Paragraphs that show the language."""


@dataclass(frozen=True, slots=True)
class SignMention:
    """A mention of a reference sign: number of its paragraph, and half-open code points of the sign in it."""

    paragraph: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class NamedSign:
    """A reference sign, its name as in the text, and its mentions in reading order."""

    sign: str
    name: str
    mentions: tuple[SignMention, ...]


@dataclass(slots=True)
class _Found:
    """What is known of one sign while the text is read."""

    mentions: list[SignMention] = field(default_factory=list)
    phrases: list[tuple[str, ...]] = field(default_factory=list)
    """The words before each mention that has any, as far as a name may reach."""
    bound: int = 0
    """Mentions whose words follow an article, or that are in parentheses."""


def find_reference_signs(paragraphs: Sequence[str]) -> tuple[NamedSign, ...]:
    """The reference signs of a description, in the order of their numbers.

    A description that mentions no figure has none.
    """
    if not any(map(find_figures, paragraphs)):
        return ()
    apart = _find_apart(paragraphs)
    found: defaultdict[str, _Found] = defaultdict(_Found)
    for number, text in enumerate(paragraphs):
        for sign, start, end, phrase, bound in _read(text, apart):
            item = found[sign]
            item.mentions.append(SignMention(number, start, end))
            item.phrases.append(phrase)
            item.bound += bound
    words = frozenset(word for text in paragraphs for word in _WORD.findall(text))
    german = _is_german(paragraphs)
    named = (
        NamedSign(sign, _name(item, words), tuple(item.mentions))
        for sign, item in found.items()
        if item.bound or len(item.mentions) >= _LEAST_UNBOUND
    )
    usual = (
        each for each in named if len(each.mentions) >= _LEAST_UNUSUAL or not _is_unusual(each, german=german)
    )
    return tuple(sorted(usual, key=lambda each: _order(each.sign)))


def _is_german(paragraphs: Sequence[str]) -> bool:
    """Whether nouns have capital letters."""
    text = " ".join(paragraphs[:_LANGUAGE_FROM])
    return len(_GERMAN.findall(text)) > len(_OTHERS.findall(text))


def _is_unusual(sign: NamedSign, *, german: bool) -> bool:
    last = sign.name.split()[-1]
    year = len(sign.sign) == _YEAR_DIGITS and sign.sign.isdigit() and int(sign.sign) in _YEARS
    return year or (not german and last[0].isupper() and not last.isupper())


def _find_apart(paragraphs: Iterable[str]) -> set[str]:
    """Numbers that have letters behind a blank ("4 b"): then "4 a" is a sign too, and "a" no word."""
    found: set[str] = set()
    for text in paragraphs:
        for match in re.finditer(r"(?<![\w.,])(\d{1,4})\s([b-z])(?![\w'’\-]|\.\w)", text):
            if match[2] not in "yx":
                found.add(match[1])
    return found


def _read(text: str, apart: set[str]) -> Iterator[tuple[str, int, int, tuple[str, ...], bool]]:
    """Each sign of a text with its place, the words of its name, and whether they follow an article."""
    taken = [(item.start, item.end) for item in find_figures(text)]
    before: tuple[int, tuple[str, ...], bool] = (-1, (), False)
    for match in _SIGN.finditer(text):
        start, end = match.span("sign")
        sign = match["sign"]
        if (letter := match["apart"]) is not None and (sign.split()[0] not in apart or letter in "xy"):
            sign, end = sign.split()[0], start + len(sign.split()[0])
        if any(first <= start < last for first, last in taken) or sign[0] == "0":
            continue
        if _UNIT.match(text, end) or _RANGE.match(text, end):
            continue
        head = before[0] >= 0 and _JOINED.match(text[before[0] : start])
        phrase, bound = before[1:] if head else _phrase(text, match.start())
        if not phrase or _is_numbered(phrase, sign):
            before = (-1, (), False)
            continue
        before = (end, phrase, bound or bool(match[1]))
        yield _form(sign), start, end, phrase, bound or bool(match[1])


def _form(sign: str) -> str:
    """``14 a`` and ``14a`` are one sign."""
    return "".join(sign.split()).replace("′", "'").replace("’", "'")


def _is_numbered(phrase: tuple[str, ...], sign: str) -> bool:
    """Whether the number counts or dates what its word names."""
    last = phrase[-1].lower().rstrip(".")
    if last in _STEPS:
        return len(sign.rstrip("abcdefghABCDEFGH'")) < _STEP_DIGITS
    return last in _NUMBERED


def _phrase(text: str, end: int) -> tuple[tuple[str, ...], bool]:
    """The words right before a sign back to an article, and whether there is one."""
    match = _BEFORE.search(text, max(0, end - _FAR), end)
    if match is None:
        return (), False
    words = _ELISION.sub("le ", match[0].replace("(", " ")).split()
    kept: list[str] = []
    for word in reversed(words):
        lower = word.lower()
        if lower in _ARTICLES:
            return _strip(kept), True
        if lower in _STOPS or (lower in _INNER and not kept) or len(kept) >= _LONGEST:
            break
        # In German the noun is the last word, and small words before it are its adjectives.
        if kept and word[0].isupper() and kept[0][0].isupper() and kept[-1][0].islower():
            break
        kept.append(word)
    return _strip(kept), False


def _strip(reverse: list[str]) -> tuple[str, ...]:
    words = reverse[::-1]
    while words and (words[0].lower() in _PLAIN or words[0].lower() in _INNER):
        words.pop(0)
    if not words or (len(words[-1]) < 3 and not words[-1].isupper()):
        return ()
    return tuple(words)


def _stem(word: str) -> str:
    """A word without the endings of plural and case."""
    lower = word.lower()
    for ending in ("es", "en", "s", "n", "e", "x"):
        if lower.endswith(ending) and len(lower) - len(ending) >= _SHORTEST_STEM:
            return lower[: -len(ending)]
    return lower


def _name(item: _Found, words: frozenset[str]) -> str:
    """The most frequent last word, with the words before it that most of its mentions have.

    ``words`` are those of the description: a capital at the beginning of a sentence is no part of a name.
    """
    phrases = item.phrases
    stems = [tuple(map(_stem, phrase)) for phrase in phrases]
    count = Counter(stem[-1] for stem in stems)
    chosen: tuple[str, ...] = (max(count, key=lambda stem: count[stem]),)
    while len(chosen) < _LONGEST:
        of = [stem for stem in stems if stem[-len(chosen) :] == chosen]
        longer = Counter(stem[-len(chosen) - 1 :] for stem in of if len(stem) > len(chosen))
        if not longer:
            break
        best, times = longer.most_common(1)[0]
        if times < len(of) * _SHARE:
            break
        chosen = best
    size = len(chosen)
    while size > 1 and chosen[-size] in _INNER:
        size -= 1
    forms = Counter(
        " ".join(phrase[-size:])
        for phrase, stem in zip(phrases, stems, strict=True)
        if stem[-size:] == chosen[-size:]
    )
    # The singular and the nominative are shorter, and a capital is that of a sentence where both are found.
    shortest = min(len(form.split()[-1]) for form in forms)
    fitting = [form for form in forms if len(form.split()[-1]) == shortest]
    usual = min(fitting, key=lambda form: (-forms[form], form))
    small = usual[0].lower() + usual[1:]
    return small if small in words or small.split()[0] in words else usual


def _order(sign: str) -> tuple[int, str]:
    number = re.match(r"\d+", sign)
    return (int(number[0]) if number else 0, sign)
