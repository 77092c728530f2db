"""Words without meaning of their own, and a light stemmer that maps inflections to one form."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise

from claimlight.text.folding import ALONE, is_alone

WORD = re.compile(r"[^\W_]+(?:['’][^\W\d_]+)?")
_RUN = re.compile(f"[{ALONE}]+|[^{ALONE}]+")
_HIRAGANA = re.compile("[\u3041-\u309f]")
_LETTER = re.compile(r"[^\W\d_]")
_SYLLABLES = re.compile("[aeiouy][^aeiouy]+[aeiouy]+ll$")
_LEAST_LETTERS = 2


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


FUNCTION_WORDS = _set(
    """a about above after again against all also although an and any are as at be because been before
    being below between both but by can could did do does doing during each either every few for
    from further had has have having he her here hers him his how however i if in into is it its
    itself just may me might more most must my neither no nor not now of off on once one only onto
    or other our out over own per same she should so some such than that the their them then there
    thereby therefore therefrom therein thereof thereon thereto these they this those through thus
    to too under until up upon us use used using very via was we were what when where whereas
    whereby wherein whereof whereupon which while who whom whose why will with within without
    would yet you your aber als am an auch auf aus bei beim bis da damit dann das dass daß dem den
    denn der deren des dessen die dies diese diesem diesen dieser dieses doch durch ein eine einem
    einen einer eines er es für gegen hat haben ihr ihre im in ist ist jede jedem jeden jeder
    jedes kann können mit nach nicht noch nur ob oder ohne sein seine sich sie sind so sowie über
    um und unter vom von vor war welche welchem welchen welcher welches wenn werden wie wird wobei
    worin zu zum zur zwischen au aux avec ce ceci cela ces cet cette chaque comme dans de des dont
    du elle elles en entre est et il ils la laquelle le lequel les lesquelles lesquels leur leurs
    lors mais ne ou où par pas pour que quel quelle qui sa sans se selon ses si son sont sous sur
    un une vers"""
)
"""English, German and French function words; they are never evidence."""

CLAIM_WORDS = _set(
    """accordance according adapted arranged arrangement characterised characterized claim claimed claims
    comprise comprised comprises comprising configured consisting contain containing disclosed
    disposed embodiment embodiments example first further having include included includes
    including invention least means mentioned method one particular plurality preferably present
    preceding provided respectively said second step steps substantially suitable third thereof
    two anspruch ansprüche beispielsweise dadurch durch erfindung erfindungsgemäß erste ersten
    gekennzeichnet gemäß insbesondere mindestens patentanspruch umfassend umfasst verfahren
    vorzugsweise wenigstens zweite zweiten caractérisé caractérisée comportant comprenant comprend
    ledit ladite lesdites lesdits moins notamment procédé quelconque revendication revendications"""
)
"""Stock claim words (comprising, wherein, said): words too common in patents to distinguish documents."""


@lru_cache(maxsize=1 << 16)
def stem(word: str) -> str:
    """The case-folded word without the commonest English endings; at least three letters."""
    root = _root(word)
    # Two or more syllables: controlling, control. One syllable keeps both letters: filling, fill.
    return root[:-1] if root.endswith("ll") and _SYLLABLES.search(root) else root


def _root(word: str) -> str:
    folded = word.casefold().replace("’", "'").removesuffix("'s")
    for ending, instead in (("ies", "y"), ("sses", "ss"), ("ches", "ch"), ("shes", "sh"), ("xes", "x")):
        if folded.endswith(ending) and len(folded) - len(ending) >= 3:
            return folded[: -len(ending)] + instead
    # "glass", "status" and "analysis" are no plurals.
    if folded.endswith("s") and len(folded) > 3 and folded[-2] not in "sui":
        folded = folded[:-1]
    for ending in ("ing", "ed"):
        root = folded.removesuffix(ending)
        # Without a vowel what is left is no word: "string", "spring".
        if root != folded and len(root) >= 3 and any(vowel in root for vowel in "aeiouy"):
            # "stopping" loses a letter, "filling" and "pressing" don't.
            doubled = root[-1] == root[-2] and root[-1] not in "aeiouls"
            return root[:-1] if doubled else root.removesuffix("e")
    # "valve" and "valving" meet without their e.
    return folded.removesuffix("e") if len(folded) > 4 else folded


def is_content_word(word: str) -> bool:
    """Whether a word is no function word, no stock claim word and no bare number."""
    folded = word.casefold()
    return (
        folded not in FUNCTION_WORDS
        and folded not in CLAIM_WORDS
        and len(_LETTER.findall(folded)) >= _LEAST_LETTERS
    )


def content_words(text: str) -> tuple[str, ...]:
    """The words of ``text`` in order, as printed, without function words and lone characters."""
    return tuple(
        word
        for word in WORD.findall(text)
        if word.casefold() not in FUNCTION_WORDS and (len(word) > 1 or not word.isascii())
    )


def query_words(text: str) -> tuple[str, ...]:
    """The content words of ``text``; runs of scripts without blanks as pairs of adjacent characters.

    Hiragana mostly connects words, so pairs with it are left out if there are others.
    """
    found = tuple(part for word in content_words(text) for part in _split_runs(word))
    plain = tuple(part for part in found if not _HIRAGANA.search(part))
    return plain or found


def _split_runs(word: str) -> Iterator[str]:
    for run in _RUN.findall(word):
        if not is_alone(run) or len(run) == 1:
            yield run
        else:
            yield from (one + other for one, other in pairwise(run))
