"""Numbered sets in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from claimlight.services.search.feedback import describe_feedback
from claimlight.types import SetRequest, format_publication
from claimlight_workbench.language import number, tell, tr, trn

if TYPE_CHECKING:
    from claimlight.types import QuerySet, SearchRequest

_SHOWN_WORDS = 90


def expression_of(record: QuerySet) -> str:
    """The query line, or the query of a claim search."""
    if isinstance(record.request, SetRequest):
        return record.request.expression
    return claim_text(record.request)


def claim_text(request: SearchRequest) -> str:
    """``claim 1 search: A damper comprising …``; for a residual search, the features searched for."""
    if request.only:
        asked = [each.text for each in request.query.features if each.label in request.only]
        beginning = " ".join("; ".join(asked).split())
    else:
        beginning = " ".join(request.query.text.split())
    if len(beginning) > _SHOWN_WORDS:
        beginning = beginning[: _SHOWN_WORDS - 1] + "…"
    number = tr("claim {claim}", claim=request.claim) if request.claim else tr("claim")
    only = tr(", only {only}", only=", ".join(request.only)) if request.only else ""
    only += tr(" over {over}", over=format_publication(str(request.over))) if request.over is not None else ""
    marks = (
        tr(
            " with your marks ({describe_feedback})",
            describe_feedback=tell(describe_feedback(request.feedback)),
        )
        if request.feedback
        else ""
    )
    return tr(
        "{number} search{only}{marks}: {beginning}",
        number=number,
        only=only,
        marks=marks,
        beginning=beginning,
    )


def documents_text(record: QuerySet) -> str:
    """The number of documents; ``best 50`` for a claim search, which ranks and keeps no more."""
    request = record.request
    full = not isinstance(request, SetRequest) and len(record.hits) >= request.top
    return f"{(tr('best ') if full else '')}{number(len(record.hits), ',')}"


def model_text(record: QuerySet) -> str:
    """Model and index that answered."""
    name = record.provenance.encoder.rpartition("-")[0] or record.provenance.encoder or tr("Boolean")
    return (
        tr("{name}, index {generation}", name=name, generation=record.provenance.generation)
        if record.provenance.generation
        else name
    )


def tip_of(record: QuerySet) -> str:
    """Everything about how the set was made."""
    request, origin = record.request, record.provenance
    lines = [expression_of(record)]
    if record.parsed is not None:
        lines.append(tr("parsed as: {canonical}", canonical=record.parsed.canonical))
        lines.append(
            tr("default operator: {default_operator}", default_operator=record.parsed.default_operator)
        )
        lines += [f"{term.text}: {tell(term.rule)}" for term in record.parsed.terms if term.rule]
    if request.before is not None:
        lines.append(tr("published before {before}", before=request.before.isoformat()))
    if request.exclude_family_of is not None:
        lines.append(tr("family excluded: {exclude_family_of}", exclude_family_of=request.exclude_family_of))
    if request.classes:
        lines.append(tr("only documents of {classes}", classes=tr(" or ").join(map(str, request.classes))))
    lines.append(
        tr(
            "library of {documents}, {model_text}, on {device}",
            documents=trn("{n:,} document", "{n:,} documents", origin.documents),
            model_text=model_text(record),
            device=origin.device,
        )
    )
    lines += [f"{name} = {value}" for name, value in origin.parameters]
    lines += map(tell, record.notes)
    return "\n".join(lines)


def row_text(record: QuerySet) -> str:
    """One line for the clipboard: number, query, documents, time, model and index."""
    when = record.created.isoformat(timespec="seconds")
    parts = (record.label, expression_of(record), f"{len(record.hits)}", when, model_text(record))
    return "\t".join(parts)
