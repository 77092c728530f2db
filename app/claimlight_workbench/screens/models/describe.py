"""A model package in words and as a row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from claimlight.types import names_of

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


HEADINGS = ("", "Package", "Licence", "Languages", "Concepts", "Size", "Dimensions", "Tokens", "Source")
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
        return (state, info.name, "can't be used", "", "", "", "", "", info.fault)
    return (
        state,
        info.name,
        licence_of(info),
        ", ".join(info.languages),
        "yes" if info.centers else "none",
        f"{info.bytes / 1e6:.1f} MB",
        f"{info.dim}",
        f"{info.max_length}",
        info.source,
    )


def licence_of(info: ModelInfo) -> str:
    """The licence, and how it limits the use."""
    if info.commercial:
        return info.licence
    return f"{info.licence}: not for commercial use" + ("" if info.accepted else ", not accepted yet")


def is_number(column: int) -> bool:
    """Whether a column holds figures."""
    return column in _NUMBERS


def tip_of(info: ModelInfo) -> str:
    """A package as sentences."""
    where = "comes with the program" if info.shipped else f"is in {info.folder}"
    if info.fault:
        return f"{info.name} {where}. It can't be used: {info.fault}"
    used = " It is in use." if info.in_use else ""
    centers = "" if info.centers else " It has no concepts (centers) yet, so nothing can be indexed with it."
    if info.kind != _DENSE:
        centers = f" A {info.kind} model: it serves comparisons only."
    reads = f" Languages: {names_of(info.languages)}." if info.languages else ""
    made = f" Source: {info.source}." if info.source else ""
    return (
        f"{info.name} ({info.model}) {where}, licensed under {licence_of(info)}.{made} Vectors of "
        f"{info.dim} dimensions, windows of {info.max_length} tokens, weights in {info.precision}."
        f"{reads}{centers}{used}"
    )


def check_text(found: PackageCheck) -> str:
    """The result of a check, one line for each finding."""
    head = "is intact" if found.ok else "is damaged"
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
        gone = f"There is no judge {named} on this machine."
        found.append(JudgeChoice(named, f"{named}, can't be used", gone))
    return (*found, JudgeChoice(_NO_JUDGE, "no judge: match strengths alone"))


def _choice(info: JudgeInfo, named: str) -> JudgeChoice:
    # A judge in a folder of its own is named by its path.
    value = "" if info.shipped else named if info.in_use else info.name
    if info.fault:
        return JudgeChoice(value, f"{info.name}, can't be used", info.fault)
    if not info.accepted:
        how = f"Its licence is {info.licence}. To accept it: “claimlight models accept {info.name}”."
        return JudgeChoice(value, f"{info.model}, licence not accepted yet", how)
    return JudgeChoice(value, f"{info.model}, comes with the program" if info.shipped else info.model)
