"""Judged queries against a corpus: the product's own library, index and search rank, this measures.

The corpus becomes a library by the ordinary import and an index by the ordinary indexing, and every query
goes through the search engine, so what is measured is what an examiner gets. A document is known to the
library by its place in the corpus (``XX1``, ``XX2``, …), because names in judged data need not be
publication numbers; its family comes from the judged families, and the engine leaves the query's own out.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from core.errors import InputError
from core.evaluation.judgements import (
    JudgedFamilies,
    JudgedText,
    Judgements,
    read_families,
    read_judgements,
    read_texts,
)
from core.evaluation.measures import Measured, measure
from core.evaluation.runs import RankedList, Run
from core.services.indexing import build_index, index_folder
from core.services.library import Library, import_paths
from core.services.search import SearchEngine
from core.services.search_state import shipped_machinery
from core.settings import Settings
from core.store import repository
from core.tasks import TaskContext
from core.text.normalise import normalise
from core.types import Leg, PatentId, Progress, PublicationNumber, Query, SearchRequest, Section

if TYPE_CHECKING:
    from core.services.machinery import Machinery

DEPTH = 1000
"""Documents ranked for each query."""
_OFFICE = "XX"
_CORPUS = "corpus.jsonl"
_MADE_OF = "made_of.json"
_CHUNK = 1 << 20


class System(StrEnum):
    """What ranks."""

    BM25 = "bm25"
    DENSE = "dense"
    CENTERS = "centers"
    HYBRID = "hybrid"

    @property
    def legs(self) -> tuple[Leg, ...]:
        """The legs of the search engine; hybrid is all of them, fused as the settings say."""
        return tuple(Leg) if self is System.HYBRID else (Leg(self.value),)


@dataclass(frozen=True, slots=True)
class RetrievalPlan:
    """What is measured on which files."""

    corpus: Path
    queries: Path
    judgements: Path
    families: Path | None
    system: System
    folder: Path
    """Where the library of the corpus is made, or was by an earlier measurement of the same corpus."""


@dataclass(frozen=True, slots=True)
class Evaluated:
    """A run with its measures."""

    run: Run
    measured: Measured
    notes: tuple[str, ...]
    """What the engine told of itself, and what is odd in the files."""


def evaluate(
    plan: RetrievalPlan,
    settings: Settings,
    context: TaskContext,
    *,
    machinery: Callable[[Settings], Machinery] = shipped_machinery,
) -> Evaluated:
    """Rank every judged query of a plan and measure the run.

    Files that can't be read, and a folder that holds another corpus, are an `InputError`.
    """
    judgements = read_judgements(plan.judgements)
    queries = {text.name: text for text in read_texts(plan.queries)}
    families = read_families(plan.families) if plan.families else JudgedFamilies({})
    wanted = [queries[name] for name in judgements.queries if name in queries]
    if not wanted:
        raise InputError(f"No query of {plan.queries} has a relevant document in {plan.judgements}.")
    names = _corpus(plan, families)
    with Library.open_or_create(plan.folder) as library:
        import_paths(library, [plan.folder / _CORPUS], context, settings)
        if plan.system is not System.BM25:
            _index(library, settings, context, machinery)
        engine = SearchEngine.open(library, settings, machinery=machinery)
        ranker = _Ranker(library, engine, names, families=families, system=plan.system, context=context)
        rankings = []
        for number, query in enumerate(wanted):
            context.report(Progress("queries", number, len(wanted), "queries", 0.0, None))
            rankings.append(ranker.rank(query))
    run = Run(plan.system.value, tuple(rankings))
    measured = measure(run, Judgements({query.name: judgements.grades[query.name] for query in wanted}))
    notes = (*ranker.notes, *_missing(judgements, wanted, set(names)))
    return Evaluated(run, measured, tuple(dict.fromkeys(notes)))


def _index(
    library: Library, settings: Settings, context: TaskContext, machinery: Callable[[Settings], Machinery]
) -> None:
    from core.services.corpus import LibraryCorpus

    build_index(
        index_folder(library.folder),
        LibraryCorpus(library.store),
        machinery=machinery(settings),
        settings=settings,
        context=context,
    )


class _Ranker:
    """Asks the engine as a search does, and answers with the names of the judged data."""

    def __init__(
        self,
        library: Library,
        engine: SearchEngine,
        names: Sequence[str],
        *,
        families: JudgedFamilies,
        system: System,
        context: TaskContext,
    ) -> None:
        self._system = system
        self._families = families
        self._documents = {name: _publication(place) for place, name in enumerate(names, 1)}
        self._relatives = {label: name for name in reversed(names) if (label := families.label(name))}
        """A member in the corpus for each family."""
        self._names = dict(_by_id(engine.state(context).catalogue.ids, names, library))
        self._engine = engine
        self._context = context
        self.notes: list[str] = []

    def rank(self, query: JudgedText) -> RankedList:
        """The best documents for a query; one without words finds nothing."""
        text = normalise(query.text)
        if not any(map(str.isalnum, text)):
            self.notes.append(f"The query {query.name} has no words; it found nothing.")
            return RankedList(query.name, (), ())
        request = SearchRequest(
            Query(text, (), Section.ABSTRACT),
            exclude_family_of=self._own(query.name),
            top=DEPTH,
            legs=self._system.legs,
        )
        found = self._engine.rank(request, self._context)
        if self._system is not System.BM25:
            self.notes += found.notes
        # One leg's own scores say more than those of its ranks.
        best = found.fused if self._system is System.HYBRID else next(iter(found.rankings), found.fused)
        documents = tuple(self._names[PatentId(int(item))] for item in best.ids[:DEPTH])
        return RankedList(query.name, documents, tuple(float(item) for item in best.scores[:DEPTH]))

    def _own(self, query: str) -> PublicationNumber | None:
        """A document of the query's own family, the query itself where it is in the corpus."""
        own = query if query in self._documents else self._relatives.get(self._families.label(query))
        return self._documents[own] if own else None


def _by_id(ids: NDArray[np.int64], names: Sequence[str], library: Library) -> Iterator[tuple[PatentId, str]]:
    patents = [PatentId(item) for item in ids.tolist()]
    for patent, number in repository.publications(library.store, patents).items():
        yield patent, names[int(number.number) - 1]


def _publication(place: int) -> PublicationNumber:
    return PublicationNumber(_OFFICE, str(place))


def _missing(judgements: Judgements, wanted: Sequence[JudgedText], corpus: set[str]) -> Iterator[str]:
    """What the files lack of one another."""
    unasked = len(judgements.queries) - len(wanted)
    if unasked:
        yield f"Judged queries without a text, left out: {unasked:,}."
    absent = sum(len(judgements.relevant(query.name) - corpus) for query in wanted)
    if absent:
        yield f"Relevant documents that are not in the corpus, and count as not found: {absent:,}."


def _corpus(plan: RetrievalPlan, families: JudgedFamilies) -> list[str]:
    """Names of the corpus in order; its documents lie in the folder as the import takes them afterwards.

    A folder made of other files is an `InputError`: its index would answer for another corpus.
    """
    plan.folder.mkdir(parents=True, exist_ok=True)
    made_of = {"corpus": _digest(plan.corpus), "families": _digest(plan.families)}
    marker, target = plan.folder / _MADE_OF, plan.folder / _CORPUS
    if marker.exists():
        if json.loads(marker.read_text(encoding="utf-8")) != made_of:
            raise InputError(
                f"{plan.folder} holds the library of another corpus or other families; name another folder."
            )
        if target.exists():
            return [text.name for text in read_texts(plan.corpus)]
    elif any(plan.folder.iterdir()):
        raise InputError(f"{plan.folder} holds something else; name an empty folder or a new one.")
    marker.write_text(json.dumps(made_of), encoding="utf-8")
    return list(_converted(read_texts(plan.corpus), families, target))


def _converted(texts: Iterable[JudgedText], families: JudgedFamilies, target: Path) -> Iterator[str]:
    """Write the documents as the import takes them; their names."""
    temporary = target.with_name(target.name + ".tmp")
    with temporary.open("w", encoding="utf-8") as stream:
        for place, text in enumerate(texts, 1):
            row = {
                "publication_number": str(_publication(place)),
                "title": text.title,
                "abstract": text.body,
                "family": families.label(text.name),
            }
            stream.write(json.dumps(row, ensure_ascii=False) + "\n")
            yield text.name
    temporary.replace(target)


def _digest(path: Path | None) -> str:
    """SHA-256 of a file, unpacked or not as it lies; empty for none."""
    if path is None:
        return ""
    digest = hashlib.sha256()
    try:
        with path.open("rb") as stream:
            while chunk := stream.read(_CHUNK):
                digest.update(chunk)
    except OSError as error:
        raise InputError(f"{path} can't be read: {error.strerror}.") from error
    return digest.hexdigest()
