"""The engine: reading, indexing, searching, training; with no window and no network of its own.

What stands here runs before any other module of it, whichever is imported first and by whom: the program,
its worker processes (they inherit the environment), a notebook. onnxruntime 1.29 and newer look up and
connect to their maker's events host some seconds after the import, unless the environment forbids it at that
moment; its own function for it comes too late.

``import claimlight`` is the Python API as well (docs/guide/python.md): the names of ``__all__``,
each loaded when it is first used. Everything else is private and may change at any time.
"""

from __future__ import annotations

import os
import sys
import warnings
from typing import TYPE_CHECKING

SILENT = {"ORT_DISABLE_TELEMETRY": "1", "HF_HUB_DISABLE_TELEMETRY": "1", "DO_NOT_TRACK": "1"}
"""Environment that stops libraries from reporting on who uses them, whatever it said before."""
OFFLINE = {"HF_HUB_OFFLINE": "1"}
"""Environment in which a library reads models from folders alone; who sets it otherwise is left his way.

`claimlight.services.models.hub`, which fetches what the user asks for, does not go by it.
"""

if "onnxruntime" in sys.modules and os.environ.get("ORT_DISABLE_TELEMETRY") != "1":
    warnings.warn(
        "onnxruntime was imported before Claimlight, so it may be reporting to its maker from this process: "
        "import Claimlight first, or set ORT_DISABLE_TELEMETRY=1.",
        stacklevel=2,
    )
os.environ.update(SILENT)
for _name, _value in OFFLINE.items():
    os.environ.setdefault(_name, _value)

__all__ = [
    "Advantage",
    "AppError",
    "Cell",
    "CellVerdict",
    "ChartVerdict",
    "Citation",
    "Claim",
    "ClaimElement",
    "ClassChange",
    "ClassComparison",
    "ClassEntry",
    "ClassExpansion",
    "ClassHit",
    "ClassHits",
    "ClassLevel",
    "ClassNote",
    "ClassReference",
    "ClassSymbol",
    "ClassView",
    "Committed",
    "CountedEntry",
    "DateFinding",
    "DateStatus",
    "DefaultOperator",
    "Differing",
    "Document",
    "DocumentEvidence",
    "Documents",
    "Edition",
    "EditionInfo",
    "EditionReport",
    "EvaluatedGroup",
    "EvaluationReport",
    "Evidence",
    "ExportKind",
    "Feature",
    "FeatureMatch",
    "Found",
    "GroupKind",
    "Hit",
    "ImportReport",
    "IndexDepth",
    "IndexReport",
    "InputError",
    "Lamp",
    "Library",
    "LibraryInfo",
    "LocalText",
    "Matrix",
    "MatrixRow",
    "MissedCitations",
    "Note",
    "Pair",
    "Paragraph",
    "ParseError",
    "Part",
    "Party",
    "Passage",
    "Priority",
    "Progress",
    "Provenance",
    "Quarantined",
    "QuarantinedEvent",
    "Query",
    "QueryError",
    "QueryResults",
    "Ranker",
    "RankerScore",
    "ResourceError",
    "Role",
    "RuleSet",
    "Ruling",
    "Scheme",
    "SearchResults",
    "Section",
    "SharedState",
    "Source",
    "SystemRecall",
    "TaskLoss",
    "Term",
    "TrainEvent",
    "TrainReport",
    "Transfer",
    "Zone",
    "ZoneCount",
    "compare_classes",
    "encode",
    "evaluate",
    "expand_class",
    "import_classes",
    "list_editions",
    "open",
    "sample",
    "sample_application",
    "search_classes",
    "show_class",
    "train",
]

if TYPE_CHECKING:
    from claimlight.api.class_lookup import (
        compare_classes,
        expand_class,
        import_classes,
        list_editions,
        search_classes,
        show_class,
    )
    from claimlight.api.documents import (
        Documents,
    )
    from claimlight.api.encoding import (
        encode,
    )
    from claimlight.api.experiments import (
        evaluate,
        train,
    )
    from claimlight.api.library import (
        Library,
        sample,
        sample_application,
    )
    from claimlight.api.library import open_library as open  # noqa: A004
    from claimlight.api.values import (
        Cell,
        Citation,
        Document,
        DocumentEvidence,
        Evidence,
        Feature,
        FeatureMatch,
        Found,
        Hit,
        Matrix,
        MatrixRow,
        Pair,
        Paragraph,
        Passage,
        Query,
        QueryResults,
        RankerScore,
        Ruling,
        SearchResults,
        Term,
    )
    from claimlight.errors import (
        AppError,
        InputError,
        ParseError,
        QueryError,
        ResourceError,
    )
    from claimlight.types import (
        Advantage,
        CellVerdict,
        ChartVerdict,
        Claim,
        ClaimElement,
        ClassChange,
        ClassComparison,
        ClassEntry,
        ClassExpansion,
        ClassHit,
        ClassHits,
        ClassLevel,
        ClassNote,
        ClassReference,
        ClassSymbol,
        ClassView,
        Committed,
        CountedEntry,
        DateFinding,
        DateStatus,
        DefaultOperator,
        Differing,
        Edition,
        EditionInfo,
        EditionReport,
        EvaluatedGroup,
        EvaluationReport,
        ExportKind,
        GroupKind,
        ImportReport,
        IndexDepth,
        IndexReport,
        Lamp,
        LibraryInfo,
        LocalText,
        MissedCitations,
        Note,
        Part,
        Party,
        Priority,
        Progress,
        Provenance,
        Quarantined,
        QuarantinedEvent,
        Ranker,
        Role,
        RuleSet,
        Scheme,
        Section,
        SharedState,
        Source,
        SystemRecall,
        TaskLoss,
        TrainEvent,
        TrainReport,
        Transfer,
        Zone,
        ZoneCount,
    )
else:
    _HOMES = {
        "claimlight.api.class_lookup": (
            "compare_classes",
            "expand_class",
            "import_classes",
            "list_editions",
            "search_classes",
            "show_class",
        ),
        "claimlight.api.documents": ("Documents",),
        "claimlight.api.encoding": ("encode",),
        "claimlight.api.experiments": ("evaluate", "train"),
        "claimlight.api.library": ("Library", "open", "sample", "sample_application"),
        "claimlight.errors": ("AppError", "InputError", "ParseError", "QueryError", "ResourceError"),
        "claimlight.types": (
            "Advantage",
            "CellVerdict",
            "ChartVerdict",
            "Claim",
            "ClaimElement",
            "ClassChange",
            "ClassComparison",
            "ClassEntry",
            "ClassExpansion",
            "ClassHit",
            "ClassHits",
            "ClassLevel",
            "ClassNote",
            "ClassReference",
            "ClassSymbol",
            "ClassView",
            "Committed",
            "CountedEntry",
            "DateFinding",
            "DateStatus",
            "DefaultOperator",
            "Differing",
            "Edition",
            "EditionInfo",
            "EditionReport",
            "EvaluatedGroup",
            "EvaluationReport",
            "ExportKind",
            "GroupKind",
            "ImportReport",
            "IndexDepth",
            "IndexReport",
            "Lamp",
            "LibraryInfo",
            "LocalText",
            "MissedCitations",
            "Note",
            "Part",
            "Party",
            "Priority",
            "Progress",
            "Provenance",
            "Quarantined",
            "QuarantinedEvent",
            "Ranker",
            "Role",
            "RuleSet",
            "Scheme",
            "Section",
            "SharedState",
            "Source",
            "SystemRecall",
            "TaskLoss",
            "TrainEvent",
            "TrainReport",
            "Transfer",
            "Zone",
            "ZoneCount",
        ),
    }
    _HOME = {name: module for module, names in _HOMES.items() for name in names}

    _FORMER = {"Leg": "Ranker", "LegScore": "RankerScore"}
    """Names of version 0.1, still understood."""

    def __getattr__(name: str) -> object:
        """A public name, at its first use."""
        name = _FORMER.get(name, name)
        if name not in __all__:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from importlib import import_module

        home = import_module(_HOME.get(name, "claimlight.api.values"))
        found = getattr(home, "open_library" if name == "open" else name)
        globals()[name] = found
        return found

    def __dir__() -> list[str]:
        return sorted({*globals(), *__all__})
