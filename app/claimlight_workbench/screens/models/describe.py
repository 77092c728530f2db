"""A model package in words and as a row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from claimlight.types import names_of
from claimlight_workbench.language import tell, tr

if TYPE_CHECKING:
    from claimlight.services.models.judges import JudgeInfo
    from claimlight.services.models.models import ModelInfo
    from claimlight_workbench.jobs.process import PackageCheck


@dataclass(frozen=True, slots=True)
class JudgeChoice:
    """A value of the setting ``judge.package``, as the list of judges shows it."""

    value: str
    text: str
    fault: str = ""
    """Why it can't be used."""


HEADINGS = (
    "",
    tr("Package"),
    tr("Licence"),
    tr("Languages"),
    tr("Concepts"),
    tr("Size"),
    tr("Dimensions"),
    tr("Tokens"),
    tr("Source"),
)
_NUMBERS = frozenset((5, 6, 7))
IN_USE = "●"
_NO_JUDGE = "none"
"""Value of the setting ``judge.package`` for no judge."""
_DENSE = "dense"
"""The kind used for search; the others serve comparisons only."""


def row_of(info: ModelInfo) -> tuple[str, ...]:
    """One package by the headings."""
    state = IN_USE if info.in_use else ""
    if info.fault:
        return (state, info.name, tr("can't be used"), "", "", "", "", "", info.fault)
    return (
        state,
        info.name,
        licence_of(info),
        ", ".join(info.languages),
        tr("yes") if info.centers else tr("none"),
        tr("{bytes:.1f} MB", bytes=info.bytes / 1e6),
        f"{info.dim}",
        f"{info.max_length}",
        info.source,
    )


def licence_of(info: ModelInfo) -> str:
    """The licence, and how it limits the use."""
    if info.commercial:
        return info.licence
    return tr("{licence}: not for commercial use", licence=info.licence) + (
        "" if info.accepted else tr(", not accepted yet")
    )


def is_number(column: int) -> bool:
    """Whether a column holds figures."""
    return column in _NUMBERS


def tip_of(info: ModelInfo) -> str:
    """A package as sentences."""
    where = tr("comes with the program") if info.shipped else tr("is in {folder}", folder=info.folder)
    if info.fault:
        return tr("{name} {where}. It can't be used: {fault}", name=info.name, where=where, fault=info.fault)
    used = tr(" It is in use.") if info.in_use else ""
    centers = (
        "" if info.centers else tr(" It has no concepts (centers) yet, so nothing can be indexed with it.")
    )
    if info.kind != _DENSE:
        centers = tr(" A {kind} model: it serves comparisons only.", kind=info.kind)
    reads = tr(" Languages: {languages}.", languages=tell(names_of(info.languages))) if info.languages else ""
    made = tr(" Source: {source}.", source=info.source) if info.source else ""
    return tr(
        "{name} ({model}) {where}, licensed under {licence_of}.{made} Vectors of {dim} "
        "dimensions, windows of {max_length} tokens, weights in "
        "{precision}.{reads}{centers}{used}",
        name=info.name,
        model=info.model,
        where=where,
        licence_of=licence_of(info),
        made=made,
        dim=info.dim,
        max_length=info.max_length,
        precision=info.precision,
        reads=reads,
        centers=centers,
        used=used,
    )


def check_text(found: PackageCheck) -> str:
    """The result of a check, one line for each finding."""
    head = tr("is intact") if found.ok else tr("is damaged")
    note = (found.note,) if found.note else ()
    return "\n".join((f"{found.name} {head}.", *found.findings, *note))


def can_use(info: ModelInfo) -> bool:
    """Whether it can be used."""
    return not info.in_use and not info.fault and info.centers and info.accepted and info.kind == _DENSE


def can_remove(info: ModelInfo) -> bool:
    """Whether it can be removed: the shipped package stays."""
    return not info.shipped


def judge_choices(judges: Sequence[JudgeInfo], named: str) -> tuple[JudgeChoice, ...]:
    """The judges that the setting ``judge.package`` can name, and none; ``named`` is its value."""
    found = [_choice(info, named) for info in judges]
    if named not in {"", _NO_JUDGE, *(choice.value for choice in found)}:
        gone = tr("There is no judge {named} on this machine.", named=named)
        found.append(JudgeChoice(named, tr("{named}, can't be used", named=named), gone))
    return (*found, JudgeChoice(_NO_JUDGE, tr("no judge: match strengths alone")))


def _choice(info: JudgeInfo, named: str) -> JudgeChoice:
    # A judge in a folder of its own is named by its path.
    value = "" if info.shipped else named if info.in_use else info.name
    if info.fault:
        return JudgeChoice(value, tr("{name}, can't be used", name=info.name), info.fault)
    if not info.accepted:
        how = tr(
            "Its licence is {licence}. To accept it: “claimlight models accept {name}”.",
            licence=info.licence,
            name=info.name,
        )
        return JudgeChoice(value, tr("{model}, licence not accepted yet", model=info.model), how)
    return JudgeChoice(
        value, tr("{model}, comes with the program", model=info.model) if info.shipped else info.model
    )
