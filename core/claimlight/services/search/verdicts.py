"""Verdicts on match strengths, by the two thresholds of the settings and the languages of the model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from claimlight.services.search.languages import can_read
from claimlight.settings import SearchSettings
from claimlight.types import CellVerdict, Thresholds, Unjudged, strength_figure

if TYPE_CHECKING:
    from claimlight.services.models.encoding_stack import EncodingStack

_SILENT = {CellVerdict.BELOW, CellVerdict.NONE}


def thresholds_of(settings: SearchSettings) -> Thresholds:
    """The thresholds in force; the one for strong is never below the least one."""
    return Thresholds(settings.least_match, max(settings.strong_match, settings.least_match))


def reaches(strengths: NDArray[np.float64], threshold: float) -> NDArray[np.bool_]:
    """Which match strengths reach a threshold, compared as the rounded figures shown."""
    figures: NDArray[np.float64] = np.rint(100.0 * strengths)
    return figures >= strength_figure(threshold)


@dataclass(frozen=True, slots=True, eq=False)
class Judge:
    """Gives verdicts for one model and one pair of thresholds."""

    thresholds: Thresholds
    model: EncodingStack

    @classmethod
    def of(cls, model: EncodingStack, settings: SearchSettings) -> Judge:
        """The judge for these settings."""
        return cls(thresholds_of(settings), model)

    def passage(self, strength: float, language: str) -> CellVerdict:
        """Verdict on a passage in ``language``; not judged if the model does not read it."""
        return self.thresholds.verdict(strength) if can_read(self.model, language) else CellVerdict.UNREAD

    def document(
        self, strength: float, passage: str, document: str, *, whole: bool = True
    ) -> tuple[CellVerdict, Unjudged]:
        """Verdict on the best passage of a document, and why it is not judged; both by language.

        If the claims were compared but not the description, because the model does not read its language or
        because it is not indexed yet (not ``whole``), a missing match is not judged: the description may
        disclose what the claims do not. Without a figure nothing that the model reads was compared.
        """
        verdict, cause = self.passage(strength, passage or document), Unjudged.NONE
        if verdict is CellVerdict.UNREAD:
            cause = Unjudged.LANGUAGE
        elif verdict in _SILENT and not can_read(self.model, document):
            cause = Unjudged.PART
        elif verdict in _SILENT and not whole:
            cause = Unjudged.DEPTH
        if cause is Unjudged.NONE:
            return verdict, cause
        return CellVerdict.UNREAD if strength > 0.0 else CellVerdict.UNCOMPARED, cause
