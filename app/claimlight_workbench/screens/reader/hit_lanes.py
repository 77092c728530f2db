"""The ticks of the strip beside the document: find matches, query words, and passages by their features."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QObject, QTimer, Signal

from claimlight.types import strength_figure
from claimlight_workbench import theme
from claimlight_workbench.language import tr
from claimlight_workbench.models.spread import NOWHERE, Spread
from claimlight_workbench.screens.reader.document_text import SLICE_CHARACTERS
from claimlight_workbench.widgets.hit_strip import HitStrip, Lane
from claimlight_workbench.wording import SUGGESTED

if TYPE_CHECKING:
    import numpy.typing as npt

    from claimlight.types import FeatureStrength, PassageId
    from claimlight_workbench.models.links import LinkBoard
    from claimlight_workbench.screens.reader.document_text import DocumentText

FINDS, WORDS, PASSAGES = tr("find matches"), tr("query words"), tr("passages with a match")
_NARROW, _WIDE = 4, 9
WIDTH = 2 * _NARROW + _WIDE + 2
_SIDE_BY_SIDE = 3
"""Features of one passage that have a tick beside each other; the tool tip names all."""
_WAIT_MS = 120
"""A window that is being resized is waited for."""


class HitLanes(QObject):
    """Measures where the passages are, in slices, and fills the strip whenever the hits change."""

    chosen = Signal(str, int)
    """Lane, and number of the hit in it."""

    def __init__(self, board: LinkBoard, strip: HitStrip, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._board = board
        self._strip = strip
        self._text: DocumentText | None = None
        self._tops: list[float] = []
        self._bottoms: list[float] = []
        self.measured = False
        """Whether the place of every passage is known."""
        self.passages: tuple[PassageId, ...] = ()
        """The passages of the lane of features, in its order."""
        self._slices = QTimer(self)
        self._slices.setInterval(0)
        self._slices.timeout.connect(self._measure_slice)
        self._later = QTimer(self)
        self._later.setSingleShot(True)
        self._later.setInterval(_WAIT_MS)
        self._later.timeout.connect(self._start)
        for signal in (
            board.document_changed,
            board.query_changed,
            board.hidden_changed,
            board.focus_changed,
            board.words.changed,
            board.finds.changed,
        ):
            signal.connect(self.show_hits)

    def show_text(self, text: DocumentText | None) -> None:
        """Another document, or none."""
        self.stop()
        self._text, self.measured = text, False
        self._strip.show_lanes((), width=WIDTH)
        if text is None:
            return
        if text.done:
            self._start()
        else:
            text.finished.connect(self._start)

    def measure_again(self) -> None:
        """The text has another width."""
        if self.measured or self._slices.isActive():
            self._slices.stop()
            self._later.start()

    def stop(self) -> None:
        """Measure no more."""
        self._slices.stop()
        self._later.stop()

    def _start(self) -> None:
        self._later.stop()
        self._tops, self._bottoms = [], []
        self._measure_slice()
        if not self.measured or len(self._tops) < self._count:
            self._slices.start()

    @property
    def _count(self) -> int:
        return len(self._text.placed) if self._text is not None else 0

    def _measure_slice(self) -> None:
        """Asking where a passage is makes Qt lay out everything before it: a part at a time."""
        text = self._text
        if text is None:
            self._slices.stop()
            return
        layout, document = text.document.documentLayout(), text.document
        end = 0
        for placed in text.placed[len(self._tops) :]:
            end = end or placed.start + SLICE_CHARACTERS
            first = layout.blockBoundingRect(document.findBlock(placed.start))
            last = layout.blockBoundingRect(document.findBlock(placed.end))
            self._tops.append(first.top())
            self._bottoms.append(last.bottom())
            if placed.end > end:
                return
        self._slices.stop()
        self.measured = True
        self.show_hits()

    def show_hits(self) -> None:
        """Fill the strip with what is found."""
        if not self.measured or self._text is None or len(self._tops) < self._count:
            return
        board, colours = self._board, theme.active()
        words, finds = board.words, board.finds
        lanes = [
            self._plain(FINDS, finds.found.spread if finds.found is not None else NOWHERE, colours.accent),
            self._plain(WORDS, words.spread, colours.outline),
            self._features(self._text),
        ]
        self._strip.show_lanes(lanes, width=WIDTH)

    def _plain(self, name: str, spread: Spread, colour: str) -> Lane:
        return Lane(name, self._places(spread), _NARROW, (colour,), lambda _number: "")

    def _features(self, text: DocumentText) -> Lane:
        """A tick for each feature of the passages that N and P go through."""
        board = self._board
        ids: list[PassageId] = []
        each_of: list[FeatureStrength] = []
        parts: list[tuple[int, int]] = []
        labels: dict[PassageId, str] = {}
        starts: list[tuple[PassageId, int]] = []
        for passage in board.steps:
            placed = text.of(passage)
            found = self._strengths(passage)[:_SIDE_BY_SIDE]
            if placed is None:
                continue
            labels[passage] = placed.passage.label
            for place, item in enumerate(found):
                ids.append(passage)
                each_of.append(item)
                parts.append((place, len(found)))
                starts.append((passage, 0))
        self.passages = tuple(ids)
        colours = theme.active()

        def say(number: int) -> str:
            everything = ", ".join(
                f"{item.feature} {strength_figure(item.strength)}" for item in self._strengths(ids[number])
            )
            return f"{labels[ids[number]]}: {everything}"

        return Lane(
            tr("passages with a match of {focus}", focus=board.focus) if board.focus else PASSAGES,
            self._places(Spread.of(text.view, starts)),
            _WIDE,
            tuple(theme.feature_colour(colours, item.feature) for item in each_of) or (colours.muted,),
            say,
            tuple(parts),
        )

    def _strengths(self, passage: PassageId) -> list[FeatureStrength]:
        """The features that a passage matches at the threshold, or the one in focus."""
        board = self._board
        found = board.links.strengths(passage) if board.links is not None else ()
        if board.focus:
            return [each for each in found if each.feature == board.focus]
        return [each for each in found if each.verdict in SUGGESTED and each.feature not in board.hidden]

    def _places(self, spread: Spread) -> npt.NDArray[np.float64]:
        text = self._text
        if text is None or not len(spread.rows):
            return np.empty(0)
        height = max(text.document.size().height(), 1.0)
        tops, bottoms = np.array(self._tops), np.array(self._bottoms)
        first = tops[spread.rows]
        return np.asarray((first + spread.shares * (bottoms[spread.rows] - first)) / height, dtype=np.float64)
