"""The family, the citations in both directions and the records of one document."""

from __future__ import annotations

from claimlight.errors import InputError
from claimlight.retrieval.representatives import BEST, choose_representative
from claimlight.services.library.library import Library
from claimlight.store import document_relations, repository
from claimlight.store.document_relations import StoredLink
from claimlight.text.kind_codes import explain_kind
from claimlight.types import (
    CitationLink,
    CitationView,
    FamilyMember,
    FamilyView,
    HistoryEntry,
    PartOrigin,
    PatentId,
    PatentSummary,
)

__all__ = ["citations", "family", "origins"]

_chosen = choose_representative


def family(library: Library, patent: PatentId, *, representative: str = "") -> FamilyView:
    """The members of a document's simple family in the library; `InputError` for an unknown id.

    ``representative`` is a preference as in the setting ``search.representative``; with an empty one or
    ``best`` the document itself represents its family.
    """
    with library.store.read() as connection:
        ids = repository.read_family(connection, patent)
        if not ids:
            raise InputError(f"There is no document {patent} in {library.name}.")
        found = repository.read_summaries_in(connection, ids)
        priorities = document_relations.read_shared_priorities(connection, ids)
        history = document_relations.read_history(connection, patent)
        found |= repository.read_summaries_in(
            connection, [other for _, other in history if other is not None]
        )
    members = sorted((found[PatentId(item)] for item in ids), key=_by_date)
    own_first = sorted(members, key=lambda member: member.id != patent)
    chosen = _chosen(own_first, representative or BEST)
    return FamilyView(
        label=found[patent].family,
        priorities=priorities,
        members=tuple(_member(member, representative=member is chosen) for member in members),
        history=tuple(
            HistoryEntry(item, None if other is None else found.get(PatentId(other)))
            for item, other in history
        ),
    )


def citations(library: Library, patent: PatentId) -> CitationView:
    """What a document cites, and what cites it or another publication of its application."""
    with library.store.read() as connection:
        out = document_relations.read_citations(connection, patent)
        back = document_relations.read_citing(connection, patent)
        ends = {link.other for link in (*out, *back) if link.other is not None}
        found = repository.read_summaries_in(connection, sorted(ends))
    return CitationView(
        cites=tuple(_link(link, found) for link in out), cited_by=tuple(_link(link, found) for link in back)
    )


def origins(library: Library, patent: PatentId) -> tuple[PartOrigin, ...]:
    """The record that each part of a document was taken from."""
    with library.store.read() as connection:
        return document_relations.read_origins(connection, patent)


def _by_date(member: PatentSummary) -> tuple[str, str]:
    return (member.published.isoformat() if member.published else "9999", str(member.publication))


def _member(patent: PatentSummary, *, representative: bool) -> FamilyMember:
    publication = patent.publication
    kind = explain_kind(publication.country, publication.kind, patent.published)
    return FamilyMember(patent, kind, representative)


def _link(link: StoredLink, found: dict[PatentId, PatentSummary]) -> CitationLink:
    return CitationLink(
        publication=link.publication,
        patent=None if link.other is None else found.get(PatentId(link.other)),
        text=link.text,
        category=link.category,
        origin=link.origin,
        claims=link.claims,
        passage=link.passage,
        date=link.date,
    )
