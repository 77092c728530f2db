"""A report of an evaluation, as the child of the window would hand it over."""

from __future__ import annotations

from claimlight.types import (
    Advantage,
    EvaluatedGroup,
    EvaluationReport,
    GroupKind,
    MissedCitations,
    SystemRecall,
)


def group(
    kind: GroupKind, name: str, queries: int, *recalls: tuple[float, float], ends: bool
) -> EvaluatedGroup:
    systems = tuple(
        SystemRecall(
            system,
            recall,
            tuple(value - 0.1 for value in recall) if ends else (),
            tuple(value + 0.1 for value in recall) if ends else (),
        )
        for system, recall in zip(("bm25", "hybrid"), recalls, strict=True)
    )
    return EvaluatedGroup(kind, name, queries, 2 * queries, systems)


REPORT = EvaluationReport(
    library="/somewhere/L",
    systems=("bm25", "hybrid"),
    depths=(10, 100),
    main_depth=100,
    groups=(
        group(GroupKind.ALL, "all", 7, (0.25, 0.5), (0.4, 0.75), ends=True),
        group(GroupKind.YEAR, "2010", 5, (0.2, 0.3), (0.4, 0.6), ends=True),
        group(GroupKind.YEAR, "2011", 2, (0.5, 1.0), (0.5, 1.0), ends=False),
        group(GroupKind.SECTION, "F", 7, (0.25, 0.5), (0.4, 0.75), ends=True),
        group(GroupKind.SUBCLASS, "F16F", 7, (0.25, 0.5), (0.4, 0.75), ends=True),
    ),
    advantages=(Advantage("hybrid", "bm25", 0.25, 0.1, 0.4, 0.01),),
    missed=(MissedCitations("EP1A1", "A damper", ("EP2A1",), 2),),
    missed_citations=1,
    facts=(("Asked with", "the first claim"),),
    notes=("Something is missing.",),
    page="/nowhere/library.html",
    data="/nowhere/library.json",
)
