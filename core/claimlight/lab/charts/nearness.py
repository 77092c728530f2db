"""How near passages are to features: fitted on charts, measured on those of other authors.

Minimal pairs are not used: fitted on these too, the right passage was not found more often.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from claimlight.encoders import EncoderInput, ModelPackage, open_encoder
from claimlight.encoders.package import add_files
from claimlight.judging.candidates import contrast
from claimlight.judging.nearness import NEARNESS_FILE, Nearness
from claimlight.lab.charts.reading import Chart
from claimlight.settings import Settings
from claimlight.tasks import TaskContext
from claimlight.text.normalise import normalise
from claimlight.training.judges.nearness import NearnessRecipe, VectorBlock, fit_nearness
from claimlight.types import Section

if TYPE_CHECKING:
    from claimlight.encoders import Encoder

DEPTHS = (1, 2, 3, 4, 6, 8)
COSINE, CONTRAST, FITTED = "cosine", "contrast of cosines", "contrast of nearness"


@dataclass(frozen=True, slots=True)
class RightWithin:
    """Share of the disclosed cells with a right paragraph among the first."""

    system: str
    depths: tuple[int, ...]
    shares: tuple[float, ...]


def fit_for_package(
    package: ModelPackage,
    charts: Sequence[Chart],
    measured: Sequence[Chart],
    settings: Settings,
    context: TaskContext,
    *,
    recipe: NearnessRecipe,
    write: bool,
) -> list[RightWithin]:
    """Fit nearness for the encoder of a package and, if ``write``, add it to the package.

    The figures are of the charts ``measured``, which take no part in the fit. Raises `InputError` if nothing
    is disclosed anywhere.
    """
    encoder = open_encoder(package, settings.encoder)
    blocks = _encode(encoder, [_of_chart(chart) for chart in charts], context)
    found = fit_nearness(blocks, encoder.fingerprint, recipe, context)
    others = _encode(encoder, [_of_chart(chart) for chart in measured], context)
    if write:
        found.write(package.folder / NEARNESS_FILE)
        add_files(package.folder, [NEARNESS_FILE])
    return measure_right(others, found)


def measure_right(blocks: Sequence[VectorBlock], nearness: Nearness) -> list[RightWithin]:
    """The shares by cosine, by contrast of cosines, and by contrast of nearness."""
    ranks: dict[str, list[int]] = {name: [] for name in (COSINE, CONTRAST, FITTED)}
    for block in blocks:
        cosines = block.features @ block.passages.T
        near = contrast(nearness.score(block.features, block.passages))
        for name, scores in ((COSINE, cosines), (CONTRAST, contrast(cosines)), (FITTED, near)):
            ranks[name] += _best_ranks(scores, block.right)
    return [
        RightWithin(
            name,
            DEPTHS,
            tuple(sum(rank < depth for rank in own) / max(len(own), 1) for depth in DEPTHS),
        )
        for name, own in ranks.items()
    ]


def _best_ranks(scores: NDArray[np.floating], right: Sequence[Sequence[int]]) -> list[int]:
    """For each disclosed feature the rank, from 0, of the first paragraph that discloses it."""
    found = []
    for row, rows in zip(scores, right, strict=True):
        if rows:
            order = np.argsort(-row, kind="stable").tolist()
            found.append(min(order.index(place) for place in rows))
    return found


@dataclass(frozen=True, slots=True)
class _Texts:
    """A claim's features, the passages, and which of these disclose each feature."""

    features: tuple[str, ...]
    passages: tuple[tuple[str, Section], ...]
    right: tuple[tuple[int, ...], ...]


def _of_chart(chart: Chart) -> _Texts:
    place = {passage.n: number for number, passage in enumerate(chart.document.passages)}
    ruled = {cell.feature: cell for cell in chart.cells}
    return _Texts(
        tuple(feature.text for feature in chart.features),
        (
            *((paragraph.text, Section.DETAILED) for paragraph in chart.document.paragraphs),
            *((claim.text, Section.CLAIMS) for claim in chart.document.claims),
        ),
        tuple(tuple(place[n] for n in ruled[feature.label].paragraphs) for feature in chart.features),
    )


def _encode(encoder: Encoder, asked: Sequence[_Texts], context: TaskContext) -> list[VectorBlock]:
    """All texts at once: encoders sort them by length."""
    features = [
        EncoderInput(normalise(text), Section.CLAIMS, is_query=True)
        for item in asked
        for text in item.features
    ]
    passages = [EncoderInput(normalise(text), section) for item in asked for text, section in item.passages]
    vectors = iter([item.pooled for item in encoder.encode([*features, *passages], context)])
    left = [[next(vectors) for _ in item.features] for item in asked]
    right = [[next(vectors) for _ in item.passages] for item in asked]
    return [
        VectorBlock(np.array(own, dtype=np.float32), np.array(others, dtype=np.float32), item.right)
        for item, own, others in zip(asked, left, right, strict=True)
    ]
