"""The data of a front page, and the patent made from it."""

from __future__ import annotations

from datetime import date

from claimlight.formats.parts import symbols
from claimlight.formats.parts.body import Body
from claimlight.formats.parts.parties import dedupe
from claimlight.formats.parts.related_documents import unique_priorities, unique_relations
from claimlight.types import (
    Citation,
    ClassSymbol,
    LocalText,
    Party,
    Patent,
    Picture,
    Priority,
    PublicationNumber,
    Related,
    Relation,
    Source,
)


class FrontPageData:
    """The data of a front page; a dialect fills it group by group, in file order."""

    def __init__(self, language: str = "") -> None:
        self.language = language
        self.publication: PublicationNumber | None = None
        self.published: date | None = None
        self.application: PublicationNumber | None = None
        self.filed: date | None = None
        self.titles: list[LocalText] = []
        self.classes: list[ClassSymbol] = []
        self.citations: list[Citation] = []
        self.parties: list[Party | None] = []
        self.priorities: list[Priority] = []
        self.related: list[Related] = []

    def relate(
        self,
        relation: Relation,
        number: PublicationNumber | None,
        *,
        day: date | None = None,
        of: PublicationNumber | None = None,
    ) -> None:
        """Add a document of the same filing history, if its number could be read."""
        if number is not None:
            self.related.append(Related(relation, number, day, of))

    def patent(
        self,
        publication: PublicationNumber,
        source: Source,
        body: Body,
        pictures: tuple[Picture, ...] = (),
    ) -> Patent:
        """The patent, without duplicates and without relations to itself."""
        related = unique_relations(self.related, (publication, self.application))
        return Patent(
            publication=publication,
            source=source,
            published=self.published,
            application=self.application,
            filed=self.filed,
            language=self.language,
            titles=tuple(self.titles),
            abstracts=body.abstracts,
            claims=body.claims,
            description=body.description,
            classes=symbols.unique(self.classes),
            citations=tuple(self.citations),
            parties=dedupe(self.parties),
            priorities=unique_priorities(self.priorities, related),
            related=related,
            pictures=pictures,
        )
