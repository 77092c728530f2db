"""Options that ``models add`` and ``models export`` share."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer


class ModelKind(StrEnum):
    """What a model gives for a text."""

    DENSE = "dense"
    SPLADE = "splade"
    COLBERT = "colbert"


class Precision(StrEnum):
    """How weights are kept."""

    INT8 = "int8"
    INT8_WEIGHTS = "int8-weights"
    FP16 = "fp16"
    FP32 = "fp32"


class Pooling(StrEnum):
    """How a text's vector is made of its tokens'."""

    MEAN = "mean"
    CLS = "cls"


PrecisionOption = Annotated[
    Precision,
    typer.Option(
        "--precision",
        help="How weights are kept: int8 for processors, fp16 for graphics cards; "
        "int8-weights are small and computed in fp32.",
    ),
]
Languages = Annotated[
    list[str] | None,
    typer.Option(
        "--language", metavar="CODE", help="That the model was trained on (en); for several, say it again."
    ),
]
KindOption = Annotated[
    ModelKind | None,
    typer.Option("--kind", help="splade and colbert rank for comparison; default: the preset's, or dense."),
]
PoolingOption = Annotated[
    Pooling | None, typer.Option("--pooling", help="Where the checkpoint does not say.", show_default=False)
]
Dimension = Annotated[
    int,
    typer.Option("--dimension", min=0, help="First dimensions to keep, at unit length again; 0: all."),
]
Task = Annotated[
    str, typer.Option("--task", help="Take the preset's prompts of this task, as patembed has them.")
]
Adapter = Annotated[
    Path | None,
    typer.Option(
        "--adapter", help="Folder of a bottleneck adapter that becomes part of the model.", show_default=False
    ),
]
