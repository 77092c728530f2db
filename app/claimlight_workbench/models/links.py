"""The matches between claim and document, and which of them are highlighted.

Claim panel, reader and evidence panel share one board: each reports what the user points at and repaints
from the board, so a highlight always shows on both sides.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from heapq import merge
from types import MappingProxyType
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from claimlight.types import CellVerdict, FeatureCoverage, MatrixCell
from claimlight_workbench.highlighting import Run, passage_runs, query_runs
from claimlight_workbench.models.class_marks import ClassBoard
from claimlight_workbench.models.drawings import DrawingBoard
from claimlight_workbench.models.finds import FindBoard
from claimlight_workbench.models.lamps import NO_LAMPS, Lamps, find_unshared
from claimlight_workbench.models.words import WordBoard

if TYPE_CHECKING:
    from collections.abc import Iterable

    from claimlight.types import (
        CellRuling,
        CenterId,
        DocumentEvidence,
        FeatureStrength,
        Match,
        PassageHit,
        PassageId,
        Query,
        Span,
    )

NO_CELLS: Mapping[str, MatrixCell] = MappingProxyType({})
HITS_SHOWN = 12
"""Number of best passages that N and P go through, besides the best one of each feature."""


@dataclass(frozen=True, slots=True)
class Link:
    """One match, its passage, and the concept that contributes most to it."""

    passage: PassageId
    match: Match
    center: CenterId
    anchor: str


class DocumentLinks:
    """The evidence of one document, indexed for pointing and painting; built off the GUI thread."""

    def __init__(self, evidence: DocumentEvidence) -> None:
        self.evidence = evidence
        self.passages: dict[PassageId, PassageHit] = {hit.passage: hit for hit in evidence.passages}
        self._alone = {
            (item.feature.label, hit.passage): hit for item in evidence.features for hit in item.passages
        }
        self._of_passage = {hit.passage: _links(hit) for hit in evidence.passages}
        self._by_query_span: dict[Span, list[Link]] = {}
        self.strongest = 0.0
        """Weight of the heaviest run of any passage: full intensity."""
        for hit in evidence.passages:
            for link in self._of_passage[hit.passage]:
                self._by_query_span.setdefault(link.match.query, []).append(link)
            self.strongest = max([self.strongest, *(run.weight for run in passage_runs(hit.matches))])
        for links in self._by_query_span.values():
            links.sort(key=_strength)
        self.hits = _hits(evidence)
        self.best = next(
            (hit.passage for hit in evidence.passages if hit.passage in self.hits), None
        ) or next((hit.passage for hit in evidence.passages), None)
        """The passage at which a document is opened; None if nothing matches."""
        # A cache on the class would keep every document alive.
        self._runs = lru_cache(maxsize=512)(self._visible_runs)

    def at_query(self, position: int, hidden: frozenset[str]) -> tuple[Link, ...]:
        """Matches of the whole document whose claim term covers a position."""
        lists = [links for span, links in self._by_query_span.items() if span.start <= position < span.end]
        # Sorted already, and seldom more than one list: this runs at every move of the mouse.
        found = merge(*lists, key=_strength)
        return tuple(link for link in found if link.match.feature not in hidden)

    def at_passage(self, passage: PassageId, position: int, hidden: frozenset[str]) -> tuple[Link, ...]:
        """Matches whose term in one passage covers a position, strongest first."""
        return tuple(
            link
            for link in self._of_passage.get(passage, ())
            if link.match.passage.start <= position < link.match.passage.end
            and link.match.feature not in hidden
        )

    def runs(self, passage: PassageId, hidden: frozenset[str], *, weak: bool = False) -> tuple[Run, ...]:
        """The runs to paint in one passage; ``weak`` includes the weak matches."""
        return self._runs(passage, hidden, weak)

    def hit(self, passage: PassageId, feature: str = "") -> PassageHit | None:
        """A passage with its evidence: of one feature alone, if it is one of the feature's best."""
        alone = self._alone.get((feature, passage)) if feature else None
        return alone or self.passages.get(passage)

    def links(self, passage: PassageId, feature: str = "") -> tuple[Link, ...]:
        """The matches of a passage, strongest first; of one feature alone if one is given."""
        if not feature:
            return self._of_passage.get(passage, ())
        if (alone := self._alone.get((feature, passage))) is not None:
            return _links(alone)
        return tuple(link for link in self.links(passage) if link.match.feature == feature)

    def strongest_of(self, passage: PassageId, feature: str) -> Link | None:
        """The strongest match of one feature in one passage, by the feature's own query."""
        # A word that another feature says more plainly is that feature's match in the passage as a whole.
        return next(iter(self.links(passage, feature)), None)

    def strengths(self, passage: PassageId) -> tuple[FeatureStrength, ...]:
        """How strongly a passage matches each feature, strongest first."""
        hit = self.passages.get(passage)
        found = hit.strengths if hit is not None else ()
        return tuple(sorted(found, key=lambda item: -item.strength))

    def _visible_runs(
        self,
        passage: PassageId,
        hidden: frozenset[str],
        weak: bool,  # noqa: FBT001 - the cache before it takes arguments by position
    ) -> tuple[Run, ...]:
        hit = self.passages.get(passage)
        matches = hit.matches if hit is not None else ()
        return passage_runs(
            [item for item in matches if item.feature not in hidden and (weak or not item.weak)]
        )


class LinkBoard(QObject):
    """What is open, current and highlighted."""

    query_changed = Signal()
    document_changed = Signal()
    passage_changed = Signal()
    lit_changed = Signal()
    lamps_changed = Signal()
    cells_changed = Signal()
    """What is known of the features in the open document: a judge has ruled on them."""
    hidden_changed = Signal()
    """Highlights of a feature were switched off or on, or weak matches shown or hidden."""
    focus_changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.query: Query | None = None
        self.links: DocumentLinks | None = None
        self.passage: PassageId | None = None
        self.lit: tuple[Link, ...] = ()
        self.hidden: frozenset[str] = frozenset()
        self.weak = False
        """Whether weak matches are painted and listed; pointing highlights them in any case."""
        self.focus = ""
        """The feature that was jumped to: the evidence of the current passage is that of this feature."""
        self.lamps: Lamps = NO_LAMPS
        """Warnings about the features in the whole document; loaded after its matches."""
        self.cells: Mapping[str, MatrixCell] = NO_CELLS
        self.first_only = False
        """Whether these are of first passages only, where the judge reads on in others."""
        """The features in the open document, by label; loaded after its matches."""
        self.pinned = False
        """Highlighted by key in the evidence panel: moving the mouse off a word keeps it highlighted."""
        self._jumped: tuple[str, PassageId | None] = ("", None)
        self.words = WordBoard(self)
        """What the query line of the shown set matched; separate from all matches of the claim."""
        self.finds = FindBoard(self)
        """What the user looks for in the document."""
        self.drawings = DrawingBoard(self)
        """The pages of drawings of the document, and whether they are shown."""
        self.classes = ClassBoard(self)
        """What speaks for a class; shown instead of the matches of the claim."""

    def set_query(self, query: Query | None) -> None:
        """Another query: every match is gone."""
        self.query = query
        self.set_document(None)
        self.query_changed.emit()

    def set_document(self, links: DocumentLinks | None) -> None:
        """Another document, or none; its best passage becomes the current one."""
        self.links = links
        self.passage = None
        self.lit = ()
        self.lamps = NO_LAMPS
        self.cells, self.first_only = NO_CELLS, False
        self.pinned = False
        self._set_focus("")
        self.document_changed.emit()
        self.set_passage(links.best if links is not None else None)

    def renew(self, links: DocumentLinks | None) -> None:
        """The same document, of which more is indexed now: the current passage and the focus stay."""
        if links is None or self.links is None or links.evidence.patent != self.links.evidence.patent:
            return
        self.links = links
        self._light((), pinned=False)
        self.document_changed.emit()
        if self.passage is None:
            self.set_passage(links.best)

    def set_lamps(self, lamps: Lamps) -> None:
        """Warnings about the features in the open document."""
        if lamps != self.lamps:
            self.lamps = lamps
            self.lamps_changed.emit()

    def set_cells(self, cells: Iterable[MatrixCell], *, first_only: bool = False) -> None:
        """What is known of the features in the open document, by its first passages only or not."""
        found = {cell.feature: cell for cell in cells}
        if found != self.cells or first_only != self.first_only:
            self.cells, self.first_only = found, first_only
            self.cells_changed.emit()

    def ruling(self, label: str) -> CellRuling | None:
        """The ruling of a judge on a feature in the open document; None if there is none."""
        cell = self.cells.get(label)
        return cell.ruling if cell is not None else None

    @property
    def stated(self) -> CellRuling | None:
        """The ruling whose terms are marked in the claim: of the feature in focus, in the current passage."""
        ruling = self.ruling(self.focus) if self.focus else None
        return ruling if ruling is not None and ruling.passage == self.passage else None

    def passage_lamps(self) -> Lamps:
        """Warnings about the features in the current passage: matched there without a shared word."""
        hit = self.links.passages.get(self.passage) if self.links is not None and self.passage else None
        if hit is None:
            return NO_LAMPS
        below = {each.feature for each in hit.strengths if each.verdict is CellVerdict.BELOW}
        return {label: lamp for label, lamp in find_unshared(hit.matches).items() if label not in below}

    def set_passage(self, passage: PassageId | None, *, focus: str = "") -> None:
        """The passage whose matches claim and evidence show; ``focus`` for those of one feature alone."""
        moved = passage != self.passage
        self.passage = passage
        self._set_focus(focus)
        if moved:
            self._light((), pinned=False)
            self.passage_changed.emit()

    @property
    def hit(self) -> PassageHit | None:
        """The current passage with its evidence, or that of the feature in focus; None if it has none."""
        if self.links is None or self.passage is None:
            return None
        return self.links.hit(self.passage, self.focus)

    @property
    def shown_links(self) -> tuple[Link, ...]:
        """Matches of the current passage, strongest first, without those of hidden features."""
        if self.links is None or self.passage is None:
            return ()
        found = self.links.links(self.passage, self.focus)
        return tuple(link for link in found if link.match.feature not in self.hidden)

    @property
    def strong_links(self) -> tuple[Link, ...]:
        """The matches of `shown_links` that are listed: all of them while weak ones are shown."""
        return tuple(link for link in self.shown_links if self.weak or not link.match.weak)

    def query_marks(self) -> tuple[Run, ...]:
        """Runs to paint in the query: the matches of the current passage."""
        return query_runs([link.match for link in self.strong_links])

    def passage_marks(self, passage: PassageId) -> tuple[Run, ...]:
        """Runs to paint in a passage."""
        return self.links.runs(passage, self.hidden, weak=self.weak) if self.links is not None else ()

    def point_at_query(self, position: int) -> None:
        """The pointer is at a position of the query; -1 for none."""
        if self.links is None or (position < 0 and self.pinned):
            return
        found = self.links.at_query(position, self.hidden) if position >= 0 else ()
        # Matches of the passage on view come first: they are the ones the user can compare.
        here = tuple(link for link in found if link.passage == self.passage)
        there = tuple(link for link in found if link.passage != self.passage)
        self._light(here + there, pinned=False)

    def point_at_passage(self, passage: PassageId | None, position: int) -> None:
        """The pointer is at a position of a passage; -1 for none."""
        if self.links is None or (position < 0 and self.pinned):
            return
        found = () if passage is None else self.links.at_passage(passage, position, self.hidden)
        self._light(found, pinned=False)

    def pick(self, link: Link | None) -> None:
        """One match was chosen by key or click and stays highlighted."""
        self._light(() if link is None else (link,), pinned=link is not None)

    def toggle_feature(self, label: str) -> None:
        """Switch the highlights of one feature on or off."""
        self.set_hidden(self.hidden ^ {label})

    def set_hidden(self, labels: Iterable[str]) -> None:
        """Features whose highlights are off."""
        self.hidden = frozenset(labels)
        self._light((), pinned=False)
        self.hidden_changed.emit()

    def set_weak(self, *, shown: bool) -> None:
        """Show the weak matches too, or hide them."""
        if shown != self.weak:
            self.weak = shown
            self.hidden_changed.emit()

    def leave_focus(self) -> bool:
        """Show the evidence of all features again; returns whether one was in focus."""
        left = bool(self.focus)
        self._set_focus("")
        return left

    def _set_focus(self, label: str) -> None:
        if label != self.focus:
            self.focus = label
            self._light((), pinned=False)
            self.focus_changed.emit()

    def jump(self, label: str) -> PassageId | None:
        """Go to the best passage of a feature; repeated, to its next best, cyclic.

        The passages that a judge has read come before those of the matches.
        """
        order = self.passages_of(label)
        if not order:
            return None
        again = self._jumped == (label, self.passage) and self.passage in order
        at = order.index(self.passage) + 1 if again and self.passage is not None else 0
        target = order[at % len(order)]
        self._jumped = (label, target)
        self.set_passage(target, focus=label)
        return target

    @property
    def steps(self) -> tuple[PassageId, ...]:
        """The passages of the feature in focus, else of all, in reading order: N and P go through them."""
        if self.focus:
            return tuple(sorted(self.passages_of(self.focus)))  # ids are in reading order
        return self.links.hits if self.links is not None else ()

    def passages_of(self, label: str) -> list[PassageId]:
        """The passages of a feature in the open document, best first: the order of its key."""
        features = self.links.evidence.features if self.links is not None else ()
        matched = [hit.passage for item in features if item.feature.label == label for hit in item.passages]
        ruling = self.ruling(label)
        return list(dict.fromkeys((*(ruling.candidates if ruling is not None else ()), *matched)))

    def _light(self, links: tuple[Link, ...], *, pinned: bool) -> None:
        self.pinned = pinned
        if links != self.lit:
            self.lit = links
            self.lit_changed.emit()


def coverage_of(evidence: DocumentEvidence) -> tuple[FeatureCoverage, ...]:
    """The features of a document as a row of the results shows them."""
    return tuple(
        FeatureCoverage(
            item.feature.label,
            item.strength,
            item.verdict,
            item.passages[0].passage if item.passages else None,
            item.passages[0].label if item.passages else "",
            item.cause,
        )
        for item in evidence.features
    )


def _strength(link: Link) -> float:
    return -link.match.contribution


def _links(hit: PassageHit) -> tuple[Link, ...]:
    """The matches of a passage, strongest first."""
    firsts = [(match, hit.evidence[match.evidence[0]]) for match in hit.matches]
    return tuple(Link(hit.passage, match, first.center, first.anchor) for match, first in firsts)


def _hits(evidence: DocumentEvidence) -> tuple[PassageId, ...]:
    """The passages N and P go through, in reading order: the best of all, and the best of each feature."""
    marked = [hit.passage for hit in evidence.passages if not all(match.weak for match in hit.matches)]
    chosen = set(marked[:HITS_SHOWN])
    chosen |= {item.passages[0].passage for item in evidence.features if item.passages} & set(marked)
    return tuple(sorted(chosen))  # the ids of a document's passages are in reading order
