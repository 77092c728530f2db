"""The links between claim and document, and which of them are lit.

One board is shared by the claim panel, the reader and the evidence panel: each tells it what the
user points at and repaints from what it says, so light always goes both ways.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from heapq import merge
from itertools import accumulate
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from app.highlighting import Run, passage_runs, query_runs
from app.models.lamps import NO_LAMPS, Lamps, unshared
from app.models.words import WordBoard

if TYPE_CHECKING:
    from collections.abc import Iterable

    from core.types import DocumentEvidence, Evidence, PassageHit, PassageId, Query, Span

HITS_SHOWN = 12
"""Best passages that N and P go through, besides the best one of each feature."""

UNFOLDED_SHARE = 2 / 3
"""The strongest links that make up this share of a passage's score are shown, the others folded."""
UNFOLDED_LEAST = 6
"""So many are shown in any case."""


@dataclass(frozen=True, slots=True)
class Link:
    """One line of evidence and the passage it stands in."""

    passage: PassageId
    evidence: Evidence


class DocumentLinks:
    """The evidence of one document, indexed for pointing and painting; built off the GUI thread."""

    def __init__(self, evidence: DocumentEvidence) -> None:
        self.evidence = evidence
        self.passages: dict[PassageId, PassageHit] = {hit.passage: hit for hit in evidence.passages}
        self._by_query_span: dict[Span, list[Link]] = {}
        self.strongest = 0.0
        """Weight of the heaviest run of any passage: full intensity."""
        self._floor: dict[PassageId, float] = {}
        for hit in evidence.passages:
            self._floor[hit.passage] = _floor(hit)
            for item in hit.evidence:
                self._by_query_span.setdefault(item.query, []).append(Link(hit.passage, item))
            self.strongest = max([self.strongest, *(run.weight for run in passage_runs(hit.evidence))])
        for links in self._by_query_span.values():
            links.sort(key=_strength)
        self.hits = _hits(evidence)
        self._runs = lru_cache(maxsize=512)(self._visible_runs)

    def at_query(self, position: int, hidden: frozenset[str]) -> tuple[Link, ...]:
        """Links of the whole document whose query span holds a position."""
        lists = [links for span, links in self._by_query_span.items() if span.start <= position < span.end]
        # Sorted already, and seldom more than one list: this runs at every move of the mouse.
        found = merge(*lists, key=_strength)
        return tuple(link for link in found if link.evidence.feature not in hidden)

    def at_passage(self, passage: PassageId, position: int, hidden: frozenset[str]) -> tuple[Link, ...]:
        """Links whose span in one passage holds a position."""
        hit = self.passages.get(passage)
        items = hit.evidence if hit is not None else ()
        return _ordered(
            Link(passage, item)
            for item in items
            if item.passage.start <= position < item.passage.end and item.feature not in hidden
        )

    def runs(self, passage: PassageId, hidden: frozenset[str], *, folded: bool = False) -> tuple[Run, ...]:
        """What is painted in one passage; its weak links are left out when they are folded."""
        return self._runs(passage, hidden, folded)

    def weak(self, link: Link) -> bool:
        """Whether a link is one of the many that add little to their passage."""
        return link.evidence.contribution < self._floor[link.passage]

    def strongest_of(self, passage: PassageId, feature: str) -> Link | None:
        """The strongest link of one feature in one passage, as the feature asks on its own; None for none."""
        alone = (item for item in self.evidence.features if item.feature.label == feature)
        asked = (hit for item in alone for hit in item.passages if hit.passage == passage)
        # A word that another feature says more plainly is that feature's link in the passage as a whole.
        hits = [*asked, *(hit for hit in (self.passages.get(passage),) if hit is not None)]
        for hit in hits:
            own = [Link(passage, item) for item in hit.evidence if item.feature == feature]
            if own:
                return _ordered(own)[0]
        return None

    def shares(self, passage: PassageId) -> tuple[tuple[str, float], ...]:
        """Contribution of each feature to a passage's score, largest first; no feature is left out."""
        hit = self.passages.get(passage)
        sums: dict[str, float] = {}
        for item in hit.evidence if hit is not None else ():
            if item.feature:
                sums[item.feature] = sums.get(item.feature, 0.0) + item.contribution
        return tuple(sorted(sums.items(), key=lambda pair: (-pair[1], pair[0])))

    def _visible_runs(
        self,
        passage: PassageId,
        hidden: frozenset[str],
        folded: bool,  # noqa: FBT001 - the cache before it takes arguments by position
    ) -> tuple[Run, ...]:
        hit = self.passages.get(passage)
        if hit is None:
            return ()
        least = self._floor[passage] if folded else 0.0
        items = [item for item in hit.evidence if item.feature not in hidden and item.contribution >= least]
        return passage_runs(items)


class LinkBoard(QObject):
    """What is open, what is current and what is lit."""

    query_changed = Signal()
    document_changed = Signal()
    passage_changed = Signal()
    lit_changed = Signal()
    lamps_changed = Signal()
    hidden_changed = Signal()
    """Marks of a feature were switched off or on, or weak links folded or unfolded."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.query: Query | None = None
        self.links: DocumentLinks | None = None
        self.passage: PassageId | None = None
        self.lit: tuple[Link, ...] = ()
        self.hidden: frozenset[str] = frozenset()
        self.folded = True
        """Weak links are neither painted nor listed one by one; pointing at them lights them all the same."""
        self.lamps: Lamps = NO_LAMPS
        """What warns of the features in the document as a whole; comes after its links."""
        self.pinned = False
        """Lit by key in the evidence panel: moving the mouse off a word leaves it lit."""
        self._jumped: tuple[str, PassageId | None] = ("", None)
        self.words = WordBoard(self)
        """What the query line of the set on show matched; apart from all links."""

    def set_query(self, query: Query | None) -> None:
        """Another query: every link is gone."""
        self.query = query
        self.set_document(None)
        self.query_changed.emit()

    def set_document(self, links: DocumentLinks | None) -> None:
        """Another document, or none; its best passage becomes the current one."""
        self.links = links
        self.passage = None
        self.lit = ()
        self.lamps = NO_LAMPS
        self.pinned = False
        self.document_changed.emit()
        self.set_passage(links.hits[0] if links is not None and links.hits else None)

    def set_lamps(self, lamps: Lamps) -> None:
        """What warns of the features in the document on view."""
        if lamps != self.lamps:
            self.lamps = lamps
            self.lamps_changed.emit()

    def passage_lamps(self) -> Lamps:
        """What warns of the features in the current passage: met there without one shared word."""
        return unshared(self.hit.evidence if self.hit is not None else ())

    def set_passage(self, passage: PassageId | None) -> None:
        """The passage whose links the claim and the evidence panel show."""
        if passage == self.passage:
            return
        self.passage = passage
        self._light((), pinned=False)
        self.passage_changed.emit()

    @property
    def hit(self) -> PassageHit | None:
        """The current passage with its evidence; None where it has none."""
        if self.links is None or self.passage is None:
            return None
        return self.links.passages.get(self.passage)

    @property
    def shown_links(self) -> tuple[Link, ...]:
        """Links of the current passage, strongest first, without those of hidden features."""
        hit = self.hit
        if hit is None:
            return ()
        return _ordered(Link(hit.passage, item) for item in hit.evidence if item.feature not in self.hidden)

    @property
    def strong_links(self) -> tuple[Link, ...]:
        """The links of `shown_links` that are shown one by one: all of them when nothing is folded."""
        links = self.links
        if links is None or not self.folded:
            return self.shown_links
        return tuple(link for link in self.shown_links if not links.weak(link))

    def query_marks(self) -> tuple[Run, ...]:
        """What is painted in the query: the links of the current passage."""
        return query_runs([link.evidence for link in self.strong_links])

    def passage_marks(self, passage: PassageId) -> tuple[Run, ...]:
        """What is painted in a passage."""
        return self.links.runs(passage, self.hidden, folded=self.folded) if self.links is not None else ()

    def point_at_query(self, position: int) -> None:
        """The mouse is over a position of the query; -1 for none."""
        if self.links is None or (position < 0 and self.pinned):
            return
        found = self.links.at_query(position, self.hidden) if position >= 0 else ()
        # Links of the passage on view come first: they are the ones the user can compare.
        here = tuple(link for link in found if link.passage == self.passage)
        there = tuple(link for link in found if link.passage != self.passage)
        self._light(here + there, pinned=False)

    def point_at_passage(self, passage: PassageId | None, position: int) -> None:
        """The mouse is over a position of a passage; -1 for none."""
        if self.links is None or (position < 0 and self.pinned):
            return
        found = () if passage is None else self.links.at_passage(passage, position, self.hidden)
        self._light(found, pinned=False)

    def pick(self, link: Link | None) -> None:
        """One link was chosen by key or click and stays lit."""
        self._light(() if link is None else (link,), pinned=link is not None)

    def toggle_feature(self, label: str) -> None:
        """Switch the marks of one feature on or off."""
        self.set_hidden(self.hidden ^ {label})

    def set_hidden(self, labels: Iterable[str]) -> None:
        """Features whose marks are off."""
        self.hidden = frozenset(labels)
        self._light((), pinned=False)
        self.hidden_changed.emit()

    def set_folded(self, *, folded: bool) -> None:
        """Fold the weak links away, or show them too."""
        if folded != self.folded:
            self.folded = folded
            self.hidden_changed.emit()

    def jump(self, label: str) -> PassageId | None:
        """Go to the best passage of a feature; asked again from there, to its next best, cyclic."""
        order = self._passages_of(label)
        if not order:
            return None
        again = self._jumped == (label, self.passage) and self.passage in order
        at = order.index(self.passage) + 1 if again and self.passage is not None else 0
        target = order[at % len(order)]
        self._jumped = (label, target)
        self.set_passage(target)
        return target

    def _passages_of(self, label: str) -> list[PassageId]:
        features = self.links.evidence.features if self.links is not None else ()
        return [hit.passage for item in features if item.feature.label == label for hit in item.passages]

    def _light(self, links: tuple[Link, ...], *, pinned: bool) -> None:
        self.pinned = pinned
        if links != self.lit:
            self.lit = links
            self.lit_changed.emit()


def _strength(link: Link) -> float:
    return -link.evidence.contribution


def _ordered(links: Iterable[Link]) -> tuple[Link, ...]:
    return tuple(sorted(links, key=_strength))


def _floor(hit: PassageHit) -> float:
    """Contribution of the weakest link that is not folded."""
    strongest_first = sorted((item.contribution for item in hit.evidence), reverse=True)
    wanted = UNFOLDED_SHARE * sum(strongest_first)
    sums = enumerate(accumulate(strongest_first), start=1)
    enough = next((count for count, total in sums if total >= wanted and count >= UNFOLDED_LEAST), None)
    return strongest_first[enough - 1] if enough is not None else 0.0


def _hits(evidence: DocumentEvidence) -> tuple[PassageId, ...]:
    """The passages N and P go through, best first: the best ones, and each feature's best."""
    chosen = {hit.passage for hit in evidence.passages[:HITS_SHOWN]}
    chosen |= {item.passages[0].passage for item in evidence.features if item.passages}
    return tuple(hit.passage for hit in evidence.passages if hit.passage in chosen)
