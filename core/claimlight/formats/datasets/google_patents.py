"""Google Patents from BigQuery (``patents-public-data.patents.publications``), one JSON record per row."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date

from claimlight.errors import ParseError
from claimlight.formats.base import Format
from claimlight.formats.parts import exchange_numbers, numbers, symbols
from claimlight.formats.parts.body import read_claims as read_xml_claims
from claimlight.formats.parts.json_fields import (
    Fields,
    explain_unread_number,
    make_local_texts,
    read_claims,
    read_description,
    read_publication,
    require_text,
)
from claimlight.formats.parts.json_records import load, read_keys
from claimlight.formats.xml.parsing import parse
from claimlight.text.normalise import normalise
from claimlight.types import (
    Citation,
    Claim,
    ClassSymbol,
    LocalText,
    Origin,
    Paragraph,
    Party,
    Patent,
    Priority,
    PublicationNumber,
    Related,
    Relation,
    Role,
    Scheme,
    Source,
)

_LOCALISED = frozenset(
    f"{part}_localized{form}"
    for part in ("title", "abstract", "claims", "description")
    for form in ("", "_html")
)
_ORIGINS = {
    "SEA": Origin.SEARCH,
    "ISR": Origin.SEARCH,
    "SUP": Origin.SEARCH,
    "PRS": Origin.SEARCH,
    "CH2": Origin.EXAMINER,
    "EXA": Origin.EXAMINER,
    "APP": Origin.APPLICANT,
    "OPP": Origin.OPPOSITION,
    "FOP": Origin.OPPOSITION,
}
"""Who cites, by ``category``; the letters of the search report (X, Y, A) are in ``type``."""
_LETTERS = re.compile(r"[A-Z0-9&](?:[,;/ ]?[A-Z0-9&])*\Z")
_NO_FAMILY = frozenset({"0", "-1"})


def sniff(head: bytes) -> int:
    keys = read_keys(head)
    return 60 if "publication_number" in keys and not _LOCALISED.isdisjoint(keys) else 0


def read(document: bytes, source: Source) -> Patent:
    """One row; raises `ParseError`."""
    record = Fields(load(document))
    number = record.text("publication_number")
    publication = read_publication(number)
    if publication is None:
        raise explain_unread_number("publication_number", number)
    titles = make_local_texts(_read_localised(record, "title"))
    filed = record.day("filing_date")
    patent = Patent(
        publication=publication,
        source=source,
        published=record.day("publication_date"),
        application=read_application(record.text("application_number"), filed),
        filed=filed,
        language=_read_language(record, titles),
        titles=titles,
        abstracts=make_local_texts(_read_localised(record, "abstract")),
        claims=tuple(_pick_claims(record)),
        description=tuple(_read_description(record)),
        classes=symbols.unique(_read_classes(record)),
        citations=tuple(_read_citations(record)),
        parties=tuple(dict.fromkeys(_read_parties(record))),
        priorities=tuple(_read_priorities(record, filed)),
        related=tuple(_read_related(record, filed)),
        family=family if (family := record.text("family_id")) not in _NO_FAMILY else "",
    )
    return require_text(patent, record.record)


def read_application(text: str, filed: date | None) -> PublicationNumber | None:
    """``US-201514643719-A``, ``EP-13191234-A``: an application in the exchange spelling, without its kind."""
    country, _, rest = text.strip().upper().partition("-")
    number, _, kind = rest.partition("-")
    if len(country) != 2 or not number:
        return None
    return exchange_numbers.normalise_application(country, number, kind, filed)


def _read_localised(record: Fields, part: str) -> Iterator[tuple[str, str]]:
    """The texts of a part with their languages; HTML only if there is no plain text."""
    found = [(item.text("text"), item.text("language")) for item in record.objects(f"{part}_localized")]
    if any(text for text, _ in found):
        yield from found
        return
    html = [(item.text("text"), item.text("language")) for item in record.objects(f"{part}_localized_html")]
    if html:
        yield from html
        return
    for value in record.items(part):  # a query may rename the columns
        item = Fields(value if isinstance(value, dict) else {"text": value}, part)
        yield item.text("text"), item.text("language") or "en"


def _pick_claims(record: Fields) -> Iterator[Claim]:
    plain = [(item.text("text"), item.text("language")) for item in record.objects("claims_localized")]
    # The HTML repeats the plain text.
    if any(text for text, _ in plain):
        for text, language in plain:
            yield from read_claims(text, language.lower()[:2])
        return
    for item in record.objects("claims_localized_html"):
        html, language = item.text("text"), item.text("language").lower()[:2]
        try:
            # Some HTML is the office's XML, whose nesting and links are kept; any other is read as text.
            found = read_xml_claims(parse(html.encode(errors="replace")), language) if html else ()
        except ParseError:
            found = ()
        yield from found or read_claims(html, language)


def _read_description(record: Fields) -> Iterator[Paragraph]:
    for text, language in _read_localised(record, "description"):
        yield from read_description(text, language.lower()[:2])


def _read_language(record: Fields, titles: tuple[LocalText, ...]) -> str:
    """The language of the claims or description, which are in the original; else of the title."""
    for part in ("claims", "description", "abstract"):
        for text, language in _read_localised(record, part):
            if text and language:
                return language.lower()[:2]
    return titles[0].language if titles else ""


def _read_classes(record: Fields) -> Iterator[ClassSymbol | None]:
    for key, scheme in (("cpc", Scheme.CPC), ("ipc", Scheme.IPC)):
        for item in record.objects(key):
            inventive, first = item.value("inventive"), item.value("first") is True
            if symbol := symbols.read_symbol(item.text("code")):
                known = inventive if isinstance(inventive, bool) else None
                yield ClassSymbol(scheme, symbol, known, first)
    for item in record.objects("uspc"):
        if code := item.text("code"):
            spelled = f"USPC {code}" if "/" in code else symbols.read_national_us(code)
            yield ClassSymbol(Scheme.OTHER, spelled)
    for item in record.objects("locarno"):
        if code := item.text("code"):
            yield ClassSymbol(Scheme.OTHER, f"LOC {code}")


def _read_citations(record: Fields) -> Iterator[Citation]:
    for item in record.objects("citation"):
        number = read_publication(item.text("publication_number"))
        text = "" if number else normalise(item.first("npl_text", "publication_number", "application_number"))
        letters = item.text("type").upper()
        if number or text:
            yield Citation(
                number,
                text,
                letters if _LETTERS.match(letters) else "",
                _ORIGINS.get(item.text("category").upper(), Origin.OTHER),
            )


def _read_parties(record: Fields) -> Iterator[Party]:
    for key, role in (("assignee", Role.ASSIGNEE), ("inventor", Role.INVENTOR)):
        names = record.texts(key)
        same = record.objects(f"{key}_harmonized")
        for place in range(max(len(names), len(same))):
            other = same[place] if len(same) > place else Fields({})
            # The two lists match by position, and only if they are of equal length.
            country = other.text("country_code").upper() if len(names) in {0, len(same)} else ""
            name = names[place] if names and place < len(names) else "" if names else other.text("name")
            if name := normalise(name):
                yield Party(role, name, country)
    for item in record.items("examiner"):
        name = Fields({"examiner": item}).text("examiner") if isinstance(item, str) else item.get("name")
        if isinstance(name, str) and normalise(name):
            yield Party(Role.EXAMINER, normalise(name))


def _read_claimed_applications(record: Fields) -> Iterator[tuple[PublicationNumber | None, str, date | None]]:
    for item in record.objects("priority_claim"):
        text, day = item.first("application_number", "publication_number"), item.day("filing_date")
        yield read_application(text, day), text, day


def _read_priorities(record: Fields, filed: date | None) -> Iterator[Priority]:
    for number, text, day in _read_claimed_applications(record):
        country, _, rest = text.partition("-")
        plain, _, kind = rest.rpartition("-")
        # Without a second hyphen what follows the country is the number.
        kind = kind if plain else ""
        if number is not None:
            if not numbers.is_own_filing(number, day, filed):
                yield Priority(number.country, number.number, day, kind)
        elif text:
            yield Priority(country, plain or rest, day, kind)


def _read_related(record: Fields, filed: date | None) -> Iterator[Related]:
    """Parents and children; the table does not distinguish continuations from divisions."""
    for item in [*record.items("parent"), *record.items("child")]:
        fields = Fields(item if isinstance(item, dict) else {})
        number = read_publication(fields.text("publication_number"))
        if number is not None:
            yield Related(Relation.OTHER, number)
    pct = numbers.read_international(record.text("pct_number"))
    if pct is not None:
        yield Related(Relation.PCT, pct)
    for number, _, day in _read_claimed_applications(record):
        if number is not None and numbers.is_own_filing(number, day, filed):
            yield Related(Relation.PCT, number, day)


FORMAT = Format(
    "google-patents",
    sniff,
    read,
    office="Google",
    kind="JSON",
    about="Google Patents in BigQuery (patents-public-data.patents.publications)",
)
