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
    """A value of the setting ``judge.package`` or ``judge.second``, as a list of judges shows it."""

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
"""Value of the setting ``judge.package`` for no judge, and of ``judge.second`` for no second one."""
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
    found = [_choice(info, _value_of(info, named)) for info in judges]
    gone = _gone(named, found)
    return (*found, *gone, JudgeChoice(_NO_JUDGE, tr("no judge: match strengths alone")))


def second_choices(judges: Sequence[JudgeInfo], named: str, beside: str = "") -> tuple[JudgeChoice, ...]:
    """The judges that the setting ``judge.second`` can name, and the judge itself.

    ``named`` is its value, and ``beside`` that of ``judge.package``.
    """
    shipped = next((info for info in judges if info.second), None)
    itself = tr("the judge itself")
    if shipped is None or beside:
        usual = [JudgeChoice(named if named == _NO_JUDGE else "", itself)]
    else:
        both = tr("{model}, beside the judge that comes with the program", model=shipped.model)
        usual = [JudgeChoice("", both, shipped.fault), JudgeChoice(_NO_JUDGE, itself)]
    found = [_choice(info, _second_value_of(info, named)) for info in judges]
    return (*usual, *found, *_gone(named, found))


def _value_of(info: JudgeInfo, named: str) -> str:
    # A judge in a folder of its own is named by its path.
    if info.shipped:
        return ""
    return named if info.in_use else info.folder if info.reads_on and not info.second else info.name


def _second_value_of(info: JudgeInfo, named: str) -> str:
    if named and (info.reads_on or named in {info.name, info.folder}):
        return named
    return info.folder if info.in_use and not info.shipped else info.name


def _gone(named: str, found: Sequence[JudgeChoice]) -> list[JudgeChoice]:
    """The judge that the setting names, if it is none of those found."""
    if named in {"", _NO_JUDGE, *(choice.value for choice in found)}:
        return []
    gone = tr("There is no judge {named} on this machine.", named=named)
    return [JudgeChoice(named, tr("{named}, can't be used", named=named), gone)]


def _choice(info: JudgeInfo, value: str) -> JudgeChoice:
    if info.fault:
        return JudgeChoice(value, tr("{name}, can't be used", name=info.name), info.fault)
    if not info.accepted:
        how = tr(
            "Its licence is {licence}. To accept it: “claimlight models accept {name}”.",
            licence=info.licence,
            name=info.name,
        )
        return JudgeChoice(value, tr("{model}, licence not accepted yet", model=info.model), how)
    ships = info.shipped or info.second
    return JudgeChoice(
        value, tr("{model}, comes with the program", model=info.model) if ships else info.model
    )
