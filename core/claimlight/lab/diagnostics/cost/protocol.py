"""The cost protocol on judged files: every setting against the same queries, what it scans and finds."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from claimlight.errors import InputError
from claimlight.evaluation.judged_library import JudgedCorpus, JudgedLibrary, open_judged_library
from claimlight.evaluation.judgements import (
    JudgedFamilies,
    JudgedText,
    Judgements,
    read_families,
    read_judgements,
    read_texts,
)
from claimlight.evaluation.measures import check_measures
from claimlight.evaluation.report import ProtocolReport
from claimlight.evaluation.systems import OWN_SYSTEMS
from claimlight.index.generation import Generation
from claimlight.lab.diagnostics.cost import spent
from claimlight.lab.diagnostics.cost.spent import Asked, CostPoint, Yardstick
from claimlight.retrieval.base import RetrievalQuery
from claimlight.retrieval.bm25 import Bm25Retriever
from claimlight.retrieval.catalogue import DocumentFilter
from claimlight.retrieval.centers import CenterRetriever
from claimlight.retrieval.dense import DenseRetriever
from claimlight.services.search.query_encoding import encode_query
from claimlight.services.search.search_state import open_shipped_stack
from claimlight.settings import Settings
from claimlight.tasks import TaskContext
from claimlight.text.normalise import normalise
from claimlight.types import Progress, Query, Section

if TYPE_CHECKING:
    from claimlight.services.models.encoding_stack import EncodingStack


@dataclass(frozen=True, slots=True)
class CostPlan:
    """Which settings are measured on which files."""

    corpus: Path
    queries: Path
    judgements: Path
    families: Path | None
    folder: Path
    """One library for each package and each K of documents is made here, or was."""
    measured: str = "R@100"
    depth: int = 1000
    query_ks: tuple[int, ...] = (5,)
    document_ks: tuple[int, ...] = (5,)
    packages: tuple[str, ...] = ("",)
    """Model packages, each with its own centers; empty for the one of the settings."""
    efs: tuple[int, ...] = (200,)
    """Widths of the search in the dense graph."""


@dataclass(frozen=True, slots=True)
class Measured:
    """The points, and their table."""

    points: tuple[CostPoint, ...]
    report: ProtocolReport


def evaluate_cost(
    plan: CostPlan,
    settings: Settings,
    context: TaskContext,
    *,
    stack: Callable[[Settings], EncodingStack] = open_shipped_stack,
) -> Measured:
    """Measure every setting of a plan; each package and each K of documents is indexed once.

    Files that can't be read, and a folder that holds another corpus, are an `InputError`.
    """
    check_measures()
    judgements = read_judgements(plan.judgements)
    texts = {text.name: text for text in read_texts(plan.queries)}
    wanted = [texts[name] for name in judgements.queries if name in texts]
    wanted = [text for text in wanted if any(map(str.isalnum, text.text))]
    if not wanted:
        raise InputError(
            f"No query of {plan.queries} with words has a relevant document in {plan.judgements}."
        )
    families = read_families(plan.families) if plan.families else JudgedFamilies({})
    points: list[CostPoint] = []
    documents = 0
    for package in plan.packages:
        for number, k in enumerate(plan.document_ks):
            made = _settings(settings, package, k)
            corpus = JudgedCorpus(plan.corpus, plan.families, plan.folder / _folder(package, k))
            with open_judged_library(
                corpus, families, OWN_SYSTEMS, settings=made, context=context, stack=stack
            ) as held:
                run = _Run(plan, held, made, judgements, wanted, context)
                documents = len(held.documents)
                points += run.centers(package, k)
                if not number:
                    points += run.dense(package)
                    points += run.words() if package == plan.packages[0] else ()
    left_out = len(judgements.queries) - len(wanted)
    notes = (f"Judged queries without words, left out: {left_out:,}.",) if left_out else ()
    return Measured(tuple(points), spent.report(points, documents=documents, notes=notes))


def _settings(settings: Settings, package: str, k: int) -> Settings:
    encoder = replace(settings.encoder, package=package) if package else settings.encoder
    return replace(settings, encoder=encoder, centers=replace(settings.centers, top_k_document=k))


def _folder(package: str, k: int) -> str:
    return f"{Path(package).name or 'model'}-k{k}"


class _Run:
    """All that is measured on one library."""

    def __init__(
        self,
        plan: CostPlan,
        held: JudgedLibrary,
        settings: Settings,
        judgements: Judgements,
        wanted: Sequence[JudgedText],
        context: TaskContext,
    ) -> None:
        self._plan, self._held, self._settings = plan, held, settings
        self._context = context
        self._wanted = wanted
        state = held.engine.state(context)
        if not isinstance(state.generation, Generation) or state.encoder is None:
            raise InputError(f"Nothing could be indexed: {' '.join(state.notes)}")
        self._generation: Generation = state.generation
        self._machinery = state.encoder.stack
        self._catalogue = state.catalogue
        self._yardstick = Yardstick(judgements, held.name, plan.depth, plan.measured)

    def centers(self, package: str, k: int) -> Iterator[CostPoint]:
        """Every K of the query."""
        settings = self._settings.centers
        for query_k in self._plan.query_ks:
            asked = self._read_query(query_k)
            yield self._yardstick.measure(
                CenterRetriever(self._generation, settings=settings),
                asked,
                self._context,
                series=self._name_series(f"centers, K {k}", package),
                setting=f"query {query_k}",
                size=spent.center_bytes(self._generation),
                scanned=spent.postings_read(self._generation, asked, settings),
            )

    def dense(self, package: str) -> Iterator[CostPoint]:
        """The graph at every width, and all vectors compared."""
        asked = self._read_query(self._plan.query_ks[0])
        for ef in self._plan.efs:
            yield self._yardstick.measure(
                DenseRetriever(self._generation, ef=ef),
                asked,
                self._context,
                series=self._name_series("dense, graph", package),
                setting=f"ef {ef:,}",
                size=spent.dense_bytes(self._generation, graph=True),
            )
        yield self._yardstick.measure(
            DenseRetriever(self._generation, ef=1, exact=True),
            asked,
            self._context,
            series=self._name_series("dense, exact", package),
            setting="",
            size=spent.dense_bytes(self._generation, graph=False),
            scanned=[spent.dense_compared(self._generation)] * len(asked),
        )

    def words(self) -> Iterator[CostPoint]:
        """BM25 as the search asks it."""
        store = self._held.library.store
        retriever = Bm25Retriever(store, terms=self._settings.search.query_terms)
        asked = [
            Asked(text.name, RetrievalQuery(text=normalise(text.text)), self._filter_documents(text.name))
            for text in self._wanted
        ]
        words = [retriever.words(item.query.text, item.allowed) for item in asked]
        yield self._yardstick.measure(
            retriever,
            asked,
            self._context,
            series="bm25",
            setting="",
            size=spent.word_bytes(store),
            scanned=spent.word_postings(store, words),
        )

    def _read_query(self, k: int) -> list[Asked]:
        made = []
        for number, text in enumerate(self._wanted):
            self._context.report(Progress("queries", number, len(self._wanted), "queries", 0.0, None))
            query = Query(normalise(text.text), (), Section.ABSTRACT)
            encoded = encode_query(query, self._machinery, top_k=k, context=self._context)
            made.append(Asked(text.name, encoded.retrieval, self._filter_documents(text.name)))
        return made

    def _filter_documents(self, query: str) -> DocumentFilter:
        relative = self._held.relative(query)
        return DocumentFilter.of(self._catalogue, without=() if relative is None else (relative,))

    def _name_series(self, series: str, package: str) -> str:
        return f"{series}, {Path(package).name}" if len(self._plan.packages) > 1 and package else series
