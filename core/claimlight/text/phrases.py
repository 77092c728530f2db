"""Noun phrases of patent text by rule, without a model.

Every word becomes one letter for its class (`claimlight.text.lexicon`), ambiguous classes are settled by
their neighbours, and one regular expression over the letters finds the phrases: adjectives, participles and
nouns up to a noun. Articles, "said", "at least one", "a plurality of", numbers, ordinals, hedges and
reference numerals are left outside, and no phrase is given up for what it contained: the reference
implementation drops "a plurality of storage tanks", "the device housing" and every single noun.

German and French texts are cut at their function words; in German a noun is known by its capital.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from claimlight.text.lexicon import ADJECTIVE_ENDINGS, LEXICON, VERBAL_ENDINGS
from claimlight.text.words import CLAIM_WORDS, FUNCTION_WORDS

REVISION = "1"
"""Raise it when any text gets other phrases: it is part of the unit's name in a vocabulary."""
MOST_WORDS = 8
"""Longer phrases are cut from the left: the head of a noun phrase stands at its end."""
_KNOWN_WORDS = 1 << 17
_LONGEST_KNOWN = 64

_TOKEN = re.compile(
    r"""(?: \d{1,3} (?:,\d{1,3}){1,6} (?=-[^\W\d_]) | [^\W\d_](?:,[^\W\d_]){1,6} (?=-[^\W_])
          | \([a-z]{1,6}\) (?=[^\W\d_]) )?
        (?: [^\W_]+ (?:[-'’./][^\W_]+)* | -[^\W_]+ (?:[-'’./][^\W_]+)* ) (?: \([a-zIVX]{1,12}\) [^\W_]* )?
      | °[CFK]\b | \n | [^\w\s]+ | _""",
    re.VERBOSE,
)
_NUMBER = re.compile(r"\d[\d.,/'’-]*(?:[a-z]{1,2}|[A-Z]|%)?'?")

_SETTLED = tuple(
    (re.compile(pattern), instead)
    for pattern, instead in (
        (
            r"(?<=C)X(?=U)|(?<=[CU])U|(?<=CX)U|F(?=C|X[CJ])|(?<=p)F|(?<![NK])Q(?=o)|(?<=p)K(?=o)|(?<=[Po])I(?![NKL])",
            "X",
        ),
        (r"[FQUI]", "N"),
        (r"(?<=D)V(?=[JEGNKL])", "E"),
        (r"(?<=D)V", "N"),
        (r"(?<=[NKC])s(?=[RH]*[Dd])|(?<=R)s|(?<=[NKC]H)s(?=[RH]*[Dd])", "V"),
        (r"(?<=T)v(?!K)|(?<=[MWB])v|(?<=[MTWB][RH])v|(?<![PpoDdJEGO])v(?=[RH]*[Dd])", "V"),
        (r"(?<=T)[Ns](?=[Dd])|(?<=M)[NKs]|(?<=M[RH])[NKs]|(?<=W)[Ns](?=[RH]*[Dd])", "V"),
        (r"[sv]", "N"),
        (r"(?<![NKLCVBP])a(?=[JEGNKL])|(?<=[Po])a(?=[JEGNKL])", "J"),
        (r"a", "P"),
        (r"(?<=[DdJO])[Gh](?![JEGhNKLDd])", "N"),
        (r"(?<=p)G(?=[JEGNL])|G(?![JEGhNKLY])|(?<=[WCA])G|G(?=Y)", "g"),
        (r"(?<=[DdJO])h|(?<=[NK])h(?=K(?![JENK]))", "G"),
        (r"(?<=[BM])E|(?<=[BM][RH])E", "V"),
        (r"(?<=L)C(?=[NKL])", "N"),
        (r"L", "N"),
    )
)
"""Each of these turns one class into another where its neighbours say so; in this order."""
_PHRASE = re.compile(r"(?<![JEGNK])(?:(?<=[DdR])JY(?=J+[NK]))?(?:[JEGNK]|R(?=R{0,2}[JEG]))*[NK]")
"""It begins where no other could have begun before, and looks ahead a little only: linear in any text."""
_LEAD = re.compile(r"(?:[DdOHWPpoTCXYUMBA]|FX?C|[FQ]$|Qo|R(?!R{0,2}[JEG]))*")
_TAIL = re.compile(r"[DdXYPpoTWC]+$")


@dataclass(frozen=True, slots=True)
class Phrase:
    """A noun phrase as a half-open range of code points."""

    start: int
    end: int


class _Classes(dict[str, str]):
    """Class of a word as it is printed; remembered, because patents use few words often."""

    def __missing__(self, word: str) -> str:
        name = _class_of(word)
        if len(self) < _KNOWN_WORDS and len(word) <= _LONGEST_KNOWN:
            self[word] = name
        return name


def noun_phrases(text: str) -> list[Phrase]:
    """The noun phrases of ``text`` in order: disjoint, none empty, each holds two letters or more."""
    tokens = list(_TOKEN.finditer(text))
    words = [token[0] for token in tokens]
    phrases: list[Phrase] = []
    for found in _PHRASE.finditer(_tags(words)):
        last = found.end() - 1
        first = max(found.start(), last + 1 - MOST_WORDS)
        start, end = tokens[first].start(), tokens[last].end()
        if _has_letters(text[start:end]):
            phrases.append(Phrase(start, end))
    return phrases


def tidied(text: str, start: int, end: int) -> Phrase | None:
    """A phrase that something else found in ``text[start:end]``, as `noun_phrases` would have cut it.

    Articles, quantifiers, numbers, hedges and reference numerals at its ends go; None where nothing is left,
    as of a pronoun. What stands inside stays.
    """
    tokens = list(_TOKEN.finditer(text, start, end))
    classes = "".join([_CLASSES[token[0]] for token in tokens])
    lead = _LEAD.match(classes)
    first = lead.end() if lead else 0
    tail = _TAIL.search(classes, first)
    last = tail.start() if tail else len(tokens)
    first = max(first, last - MOST_WORDS)
    if first >= last or not _has_letters(text[tokens[first].start() : tokens[last - 1].end()]):
        return None
    return Phrase(tokens[first].start(), tokens[last - 1].end())


def _tags(words: list[str]) -> str:
    """One letter for each word, settled by the neighbours."""
    known = _CLASSES
    language = _language(words)
    if language != "en":
        return "".join([_foreign(word, language) for word in words])
    tags = "".join([known[word] for word in words])
    for pattern, instead in _SETTLED:
        tags = pattern.sub(instead, tags)
    return tags


def _has_letters(words: str) -> bool:
    return (words.isalpha() and len(words) > 1) or sum(map(str.isalpha, words)) > 1


def _class_of(word: str) -> str:
    folded = word.casefold()
    if word in {",", "、"}:
        return "Y"
    if folded in LEXICON:
        return LEXICON[folded]
    if _NUMBER.fullmatch(word):
        return "C"
    if not any(map(str.isalnum, word)):
        return "X"
    if folded.endswith("(s)"):
        return _class_of(word[:-3])
    if word.isupper() or not folded[-1].isalpha():
        return "N"
    stem, hyphen, last = folded.rpartition("-")
    if hyphen and stem:
        of_last = _class_of(last)
        return of_last if of_last in "NKJ" else "J" if last.endswith(("ed", "ing")) else "N"
    return _by_ending(folded)


def _by_ending(folded: str) -> str:
    if folded.endswith("ly") and len(folded) > 4:
        return "R"
    if folded.endswith("ing") and len(folded) > 4:
        return "h" if folded.endswith(VERBAL_ENDINGS) else "G"
    if folded.endswith("ed") and len(folded) > 3:
        return "E"
    if folded.endswith(ADJECTIVE_ENDINGS) and len(folded) > 4:
        return "J"
    return "s" if folded.endswith("s") and folded[-2:-1] not in "sui" else "N"


_CLASSES = _Classes()
_SNIFFED = 120
_TELLTALES = {
    "en": frozenset("the of and to in is for with said by".split()),  # noqa: SIM905 - a list of words reads better
    "de": frozenset("der die das und den dem ein eine einer von mit zur ist".split()),  # noqa: SIM905
    "fr": frozenset("le la les de des du et un une dans est par pour".split()),  # noqa: SIM905
}


def _language(words: list[str]) -> str:
    """Whose small words a text is written with; English where there are none."""
    head = [word.casefold() for word in words[:_SNIFFED]]
    counts = {name: sum(word in small for word in head) for name, small in _TELLTALES.items()}
    best = max(counts, key=lambda name: counts[name])
    return best if counts[best] > counts["en"] else "en"


def _foreign(word: str, language: str) -> str:
    folded = word.casefold()
    if folded in FUNCTION_WORDS or folded in CLAIM_WORDS:
        return "P"
    if _NUMBER.fullmatch(word) or not any(map(str.isalnum, word)):
        return "X"
    return "J" if language == "de" and word.islower() else "N"
