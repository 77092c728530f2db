"""Uninformative words: spans of nothing else are no match between a claim and a passage.

Function words, numerals, units, and stock words of claims and descriptions, in English, German and French;
particles and stock claim words of Japanese, Chinese and Korean as separate words.
"""

from __future__ import annotations

import re
from functools import lru_cache

from claimlight.text.words import CLAIM_WORDS, FUNCTION_WORDS, WORD, stem

_LETTER = re.compile(r"[^\W\d_]")
_LEAST_LETTERS = 2


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


NUMERALS = _set(
    """zero one two three four five six seven eight nine ten eleven twelve fifteen twenty thirty forty
    fifty hundred hundreds thousand thousands million millions billion dozen first second third fourth
    fifth sixth seventh eighth ninth tenth last next firstly secondly thirdly once twice null eins zwei
    drei vier fünf sechs sieben acht neun zehn elf zwölf hundert tausend erste erster erstes ersten
    erstem zweite zweiter zweites zweiten zweitem dritte dritter drittes dritten vierte vierten fünfte
    fünften letzte letzten un deux trois quatre cinq sept huit neuf dix onze douze cent mille premier
    première premiers premières deuxième deuxièmes seconde troisième troisièmes quatrième dernier
    dernière"""
)
UNITS = _set(
    """mm cm dm km nm µm μm um pm ms µs μs ns sec secs second seconds min mins minute minutes hr hrs
    hour hours day days mg kg µg μg ng ml dl µl μl nl mol mmol nmol hz khz mhz ghz thz kw mw gw kwh kv
    mv ma µa kj mj kn mn kpa mpa gpa hpa mbar psi rpm db dbm ev kev mev ppm ppb wt vol percent
    percentage kb mb gb tb kbit mbit gbit meter meters metre metres millimeter millimeters millimetre
    millimetres centimeter centimeters centimetre centimetres micrometer micrometers inch inches gram
    grams kilogram kilograms liter liters litre litres degree degrees celsius fahrenheit kelvin volt
    volts watt watts ampere amperes newton newtons pascal pascals joule joules hertz ohm ohms prozent
    grad sekunde sekunden minuten stunde stunden zentimeter gramm kilogramm pourcent pourcents degré
    degrés seconde secondes heure heures mètre mètres millimètre millimètres gramme grammes"""
)
FURNITURE = _set(
    """figure figures fig figs drawings equation paragraph aspect aspects claiming claimable wherefore
    comprisal characterising characterizing characteristic aforesaid aforementioned abovementioned
    abovesaid foregoing following follows followed described describe describes description shown shows
    show illustrated illustrates illustrate depicted depicts disclosure discloses disclose relates
    relate related relating refer refers referred reference references regard regarding respect likewise
    herein hereof hereby hereinafter hereinabove hereinbefore heretofore therewith therebetween
    thereafter thereunder therethrough wherewith whereafter namely thus hence moreover furthermore
    additionally alternatively optionally optional preferable typically typical generally general
    usually commonly especially specifically specific particularly respective corresponding
    correspondingly certain various several many much numerous multiple plural few little lot another
    others something anything nothing everything none whole entire wholly entirely fully partly
    partially mainly essentially approximately approx roughly nearly almost exactly precisely simply
    merely rather quite even still yet already again always never often sometimes ever since while
    whilst although though despite unless whether either instead otherwise besides along among amongst
    across toward towards upon onto throughout beside because due per via versus etc eg ie viz shall
    must ought cannot need needs needed needing let lets set sets setting get gets got give gives given
    giving take takes taken taking make makes made making put puts do does done come comes go goes
    become becomes became seem seems allow allows allowed allowing enable enables enabled enabling cause
    causes caused causing serve serves serving use used using usable utilize utilized utilizing utilise
    utilised employ employed employing perform performs performed performing provide provides providing
    obtain obtains obtained achieve achieves achieved present type types kind kinds sort manner way ways
    case cases purpose purposes number numbers amount part parts portion portions thing things well
    better best new novel known prior art alike similar similarly same different capable able operable
    adapted suited suitable thereinto whichever whatever whoever itself themselves oneself
    ausführungsform ausführungsformen ausführungsbeispiel beschreibung beschrieben figur figuren
    zeichnung mittel merkmal merkmale gekennzeichnetes umfasst umfassen umfassende umfassenden aufweist
    aufweisen aufweisend aufweisende weist besteht bestehend beinhaltet enthält enthalten jeweils
    jeweilige jeweiligen bezüglich hinsichtlich entsprechend entsprechende entsprechenden derart solche
    solcher solches solchen wobei sowohl beziehungsweise bzw zudem ferner außerdem ebenfalls etwa
    ungefähr insbesonders bevorzugt bevorzugte vorgesehen ausgebildet nachfolgend vorstehend
    vorliegenden vorliegende daran darin darauf dazu davon dafür hierzu hierbei zumindest mehrere
    mehreren mehrerer einzelne einzelnen réalisation dessin moyen moyens caractéristique
    caractéristiques comprennent comportent comporte possède étant été être ainsi lequel auquel desquels
    duquel chacun chacune plusieurs celui celle ceux celles selon dont afin lorsque lorsqu tandis
    également environ notamment préférence préférentiellement dite dit dits dites"""
)
"""Words that occur in any claim and any description."""
_EAST = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_EAST_FUNCTION = _set(
    """の に を は が と で も へ や から まで より および 及び 又は または
    並びに 該 前記 上記 当該 請求項 記載 特徴 とする こと もの ため 的 在 和 与
    与其 或 及 以及 所述 该 其 其中 一种 根据 权利要求 如 由 于 是 有 被 为 了
    特征 所述的 및 또는 상기 하는 있는 것 수 등 이 그 청구항 에 있어서 의 를 을
    는 은 가"""
)
"""Particles and stock claim words of Japanese, Chinese and Korean, as separate words."""
_LISTS = (FUNCTION_WORDS, CLAIM_WORDS, NUMERALS, UNITS, FURNITURE, _EAST_FUNCTION)
_SILENT = frozenset(word.casefold() for words in _LISTS for word in words)
_ELISION = re.compile(r"^(?:[cdjlmnst]|qu|lorsqu|puisqu)['’]", re.IGNORECASE)
_FIGURE = re.compile(r"^\d+(?=[^\W\d_])")


def is_uninformative(word: str) -> bool:
    """Whether a word is a function word, numeral, unit, stock claim word or a single letter.

    Covers more words than `words.is_content_word` excludes: that one affects the ranking, this one which
    matches are shown and counted.
    """
    # French: "l'arbre" is the word "arbre".
    folded = _ELISION.sub("", word.casefold())
    # "5mm" is a unit.
    if folded in _SILENT or _FIGURE.sub("", folded) in UNITS:
        return True
    return len(_LETTER.findall(folded)) < _LEAST_LETTERS and not _EAST.search(folded)


@lru_cache(maxsize=1 << 16)
def is_informative(text: str) -> bool:
    """Whether a text has at least one informative word."""
    return any(not is_uninformative(word) for word in WORD.findall(text))


def informative_words(text: str) -> tuple[str, ...]:
    """The informative words as printed, in order."""
    return tuple(word for word in WORD.findall(text) if not is_uninformative(word))


def find_shared_words(left: str, right: str) -> tuple[str, ...]:
    """Words of ``left``, case-folded, of which ``right`` has an inflection; in order, each once."""
    there = _roots(right)
    # Most pairs share nothing, and a search asks for thousands.
    if there.isdisjoint(_roots(left)):
        return ()
    here = (word for word, root in _stemmed_words(left) if root in there)
    return tuple(dict.fromkeys(here))


@lru_cache(maxsize=1 << 15)
def _roots(phrase: str) -> frozenset[str]:
    return frozenset(root for _, root in _stemmed_words(phrase))


@lru_cache(maxsize=1 << 15)
def _stemmed_words(phrase: str) -> tuple[tuple[str, str], ...]:
    """The informative words of a phrase, case-folded, with their stems: a search asks for few, very often."""
    return tuple((word.casefold(), stem(word)) for word in informative_words(phrase))
