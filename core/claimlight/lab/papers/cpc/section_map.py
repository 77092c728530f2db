"""The map of the embedding space, coloured by section (paper, Fig. 5), and how well sections separate in it.

A point is a document, in the colour of its first section. The plane is t-SNE's, of cosines between the first
50 principal directions; it shows neighbourhoods and no distances, so the figures are of the space itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from claimlight.errors import InputError
from claimlight.evaluation.report import Figure, mean_figure
from claimlight.lab.diagnostics.boosting import principal_directions
from claimlight.lab.diagnostics.plotting import drawing, save_figure
from claimlight.lab.diagnostics.probes import Vectors, import_sklearn, nearest
from claimlight.vectors import unit_rows

NEIGHBOURS = 10
_DIRECTIONS, _PERPLEXITY, _FEWEST = 50, 30, 20
_INCHES = (6.4, 5.6)
COLOURS = {
    "A": "#d1495b",
    "B": "#3b6fb6",
    "C": "#2a9d55",
    "D": "#8c510a",
    "E": "#111111",
    "F": "#e08e0b",
    "G": "#8e5bd0",
    "H": "#17a3b8",
    "Y": "#9a9a9a",
}
_MARKERS = {"A": "o", "B": "s", "C": "^", "D": "D", "E": "P", "F": "v", "G": "o", "H": "X", "Y": "*"}


@dataclass(frozen=True, slots=True, eq=False)
class SectionMap:
    """Documents on a plane."""

    places: NDArray[np.float32]
    """[documents, 2]."""
    sections: tuple[str, ...]
    """The first section of each."""


def separation(vectors: Vectors, sections: Sequence[str]) -> tuple[Figure, ...]:
    """How well first sections separate in the space, by cosine; intervals are over documents.

    ``silhouette`` is the mean over documents of (b - a) / max(a, b): a the mean cosine distance to its own
    section, b to the nearest other one. ``purity`` is the mean share of the ten nearest other documents that
    are of the same section, ``by chance`` what it would be if neighbours were drawn at random.
    """
    labels = np.asarray(sections)
    names = sorted(set(sections))
    if len(names) < 2:
        raise InputError("A map by section needs documents of at least two sections.")
    rows = unit_rows(vectors)
    near = nearest(rows, rows, NEIGHBOURS + 1)
    own = np.arange(len(rows))[:, None]
    # The document itself is its nearest, unless another has the same vector.
    others = np.stack([row[row != place][:NEIGHBOURS] for place, row in zip(own[:, 0], near, strict=True)])
    pure = (labels[others] == labels[:, None]).mean(axis=1)
    counts = np.array([(labels == name).sum() for name in names])
    chance = float((counts * (counts - 1)).sum() / (len(rows) * (len(rows) - 1)))
    return (
        mean_figure("silhouette", _silhouettes(rows, labels, names)),
        mean_figure("purity", pure.astype(np.float64)),
        Figure("by chance", chance),
        Figure("documents", float(len(rows)), whole=True),
    )


def _silhouettes(rows: Vectors, labels: NDArray[np.str_], names: Sequence[str]) -> NDArray[np.float64]:
    """[documents]; 0 for the only one of its section."""
    member = np.stack([labels == name for name in names], axis=1)
    counts = member.sum(axis=0)
    # Cosines add up: the mean distance to a section is that to the sum of its vectors.
    sums = rows.astype(np.float64).T @ member
    cosines = rows.astype(np.float64) @ sums
    place = member.argmax(axis=1)
    each = np.arange(len(rows))
    size = counts[place]
    selves = np.square(rows, dtype=np.float64).sum(axis=1)
    inner = 1.0 - (cosines[each, place] - selves) / np.maximum(size - 1, 1)
    outer = np.where(member, np.inf, 1.0 - cosines / counts).min(axis=1)
    widths = (outer - inner) / np.maximum(np.maximum(inner, outer), 1e-12)
    return np.where(size > 1, widths, 0.0)


def lay_out(vectors: Vectors, sections: Sequence[str], *, seed: int) -> SectionMap:
    """Places of documents on a plane by t-SNE; the same seed gives the same plane on the same machine."""
    if len(vectors) < _FEWEST:
        raise InputError(f"A map needs at least {_FEWEST} documents, and there are {len(vectors):,}.")
    rows = unit_rows(vectors)
    center, directions = principal_directions(rows, min(_DIRECTIONS, len(rows)))
    model = import_sklearn("sklearn.manifold").TSNE(
        perplexity=min(_PERPLEXITY, (len(rows) - 1) / 3),
        metric="cosine",
        init="pca",
        random_state=seed,
        n_jobs=1,
    )
    places: NDArray[np.float32] = model.fit_transform((rows - center) @ directions)
    return SectionMap(places, tuple(sections))


def draw_map(found: SectionMap, folder: Path, *, name: str = "sections") -> tuple[Path, ...]:
    """Write the map as PNG and SVG into a folder; sections differ in colour and mark."""
    with drawing() as new_figure:
        figure = new_figure(_INCHES)
        axes = figure.subplots()
        _draw(axes, found)
        axes.set_title(f"{len(found.sections):,} documents by their first section (t-SNE)")
        return save_figure(figure, folder, name)


def _draw(axes: Any, found: SectionMap) -> None:
    labels = np.asarray(found.sections)
    # Common sections first, so that rare ones are drawn over them.
    names = sorted(set(found.sections), key=lambda name: -int((labels == name).sum()))
    for name in names:
        own = found.places[labels == name]
        axes.scatter(
            own[:, 0],
            own[:, 1],
            s=13,
            marker=_MARKERS.get(name, "."),
            color=COLOURS.get(name, "#9a9a9a"),
            alpha=0.75,
            linewidths=0,
            label=f"{name} ({len(own):,})",
            rasterized=True,
        )
    axes.set_xticks([])
    axes.set_yticks([])
    axes.grid(visible=False)
    axes.spines[["left", "bottom"]].set_visible(False)
    handles, texts = axes.get_legend_handles_labels()
    order = np.argsort(texts)
    axes.legend(
        [handles[place] for place in order],
        [texts[place] for place in order],
        loc="center left",
        bbox_to_anchor=(1.0, 0.5),
        frameon=False,
        title="section",
        markerscale=1.6,
    )
