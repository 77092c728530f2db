"""What a classifier is trained on: one row for each text of a document, with its labels and its family."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from claimlight.classify.heads import Vectors


@dataclass(frozen=True, slots=True, eq=False)
class Material:
    """Rows of documents; a document with an abstract and claims has two."""

    vectors: Vectors
    """[rows, dimensions], unit rows."""
    labels: tuple[frozenset[str], ...]
    """Labels of each row at every level (`claimlight.classify.labels.labels_of`)."""
    documents: tuple[str, ...]
    """Publication number of each row."""
    families: tuple[str, ...]
    """Family of each row; empty for a document without relatives."""

    def __len__(self) -> int:
        return len(self.documents)

    @property
    def groups(self) -> tuple[str, ...]:
        """What must not be split: the family, else the document, of which there may be two rows."""
        return tuple(
            family or document for family, document in zip(self.families, self.documents, strict=True)
        )

    def rows(self, places: Sequence[int] | NDArray[np.int64]) -> Material:
        """Some of the rows, in the order given."""
        listed = [int(place) for place in places]
        return Material(
            self.vectors[listed],
            tuple(self.labels[place] for place in listed),
            tuple(self.documents[place] for place in listed),
            tuple(self.families[place] for place in listed),
        )
