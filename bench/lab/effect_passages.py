"""Real claims: does the first claim of an application find the passages of its own description?

    claimlight import us_applications_full.jsonl.gz --library LIB; claimlight index --library LIB
    python -m bench.lab.effect_passages --library LIB --queries 300 --out passages.json

For a seeded draw of documents the first claim is the query. Its own claims and abstract, and other members of
its family, are taken away; the paragraphs of its own description then stand against those, the claims and the
abstracts of all other documents. A proxy: an own paragraph need not disclose a feature, and the words of an
applicant are the applicant's own. Measured are passages, and documents by their best passage.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import replace
from pathlib import Path

import numpy as np

from bench.lab.effect_index import Index
from bench.lab.effect_scoring import DEPTH, Options
from claimlight.evaluation.judgements import Judgements
from claimlight.evaluation.measures import RunMeasures, measure
from claimlight.evaluation.runs import RankedList, Run
from claimlight.evaluation.significance import compare_paired
from claimlight.retrieval import Catalogue, DocumentFilter
from claimlight.retrieval import catalogue as catalogues
from claimlight.retrieval.bm25 import Bm25Retriever
from claimlight.retrieval.passage_scores import score_passages
from claimlight.services.library.library import Library
from claimlight.services.models.encoding_stack import open_encoding_stack
from claimlight.services.search import queries
from claimlight.services.search.query_encoding import EncodedQuery, encode_query
from claimlight.settings import Settings
from claimlight.tasks import TaskContext
from claimlight.types import Query, Section

SEED = 7
_STEP = 25
PASSAGE_MEASURES = ("RR", "P@10", "R@100", "AP")
DOCUMENT_MEASURES = ("RR", "R@1", "R@10")
BASE = Options()
OPTIONS = {
    "centers": BASE,
    "no length floor (the paper)": replace(BASE, floor=1),
    **{f"idf exponent {x:g}": replace(BASE, idf=x) for x in (0.0, 1.0, 1.5, 2.5, 3.0, 4.0)},
    **{f"length exponent {x:g}": replace(BASE, length=x) for x in (0.0, 0.25, 0.75, 1.0)},
    **{f"length floor {n}": replace(BASE, floor=n) for n in (32, 64)},
    **{f"stop share {x:g}": replace(BASE, stop=x) for x in (0.0, 0.02, 0.05)},
    **{f"K query {k}": replace(BASE, k_query=k) for k in (3, 8, 16)},
    "radius-relative weights": replace(BASE, kernel="radius"),
    "coverage: min(1, w_d / w_q)": replace(BASE, coverage=True),
    "coverage, no length norm": replace(BASE, coverage=True, length=0.0),
}
FEATURES = "features: sum of the best coverage of each"
"""`centers.documents = features`, as in `claimlight.retrieval.centers`."""
SATURATIONS = (0.1, 0.25, 0.5, 1.0, 2.0)
"""Tried beside it: m_f s_f / (s_f + kappa s_f*), s_f the best score of a feature with its length norm, s_f*
that of all documents, m_f the share of the feature in all that is asked."""


class Experiment:
    """One query at a time through every system."""

    def __init__(self, library: Library, settings: Settings) -> None:
        self.library, self.settings = library, settings
        self.index = Index(library, open_encoding_stack(settings))
        self.catalogue: Catalogue = catalogues.load(library.store, TaskContext())
        self.words = Bm25Retriever(library.store, terms=settings.search.query_terms)
        self.passage_runs: dict[str, list[RankedList]] = {}
        self.document_runs: dict[str, list[RankedList]] = {}
        self.own_passages: dict[str, dict[str, int]] = {}
        self.own_document: dict[str, dict[str, int]] = {}

    def ask(self, document: int, publication: str) -> None:
        claims = queries.claims_of_document(self.library, publication)
        query = queries.query_from_claims(claims, claims[0].number)
        name, passages = str(document), self.index.passages
        family = self.index.families[document]
        relatives = [n for n, label in self.index.families.items() if label == family and n != document]
        own = passages.document == document
        gone = np.isin(passages.document, relatives) | (own & ~passages.described)
        self.own_passages[name] = {str(item): 1 for item in passages.ids[own & passages.described]}
        self.own_document[name] = {name: 1}
        encoded = {
            k: encode_query(query, self.index.stack, top_k=k, context=TaskContext())
            for k in sorted({options.k_query for options in OPTIONS.values()})
        }
        kept: dict[Options, np.ndarray] = {}
        for system, options in OPTIONS.items():
            found = self.index.scores(encoded[options.k_query].terms, options, kept)
            self._keep(system, name, found, gone)
        self._documents(FEATURES, name, self._by_feature(query, encoded[BASE.k_query], gone))
        for saturation, found in self._saturated(query, encoded[BASE.k_query], gone).items():
            self._documents(f"features, saturation {saturation:g}", name, found)
        self._keep("bm25", name, self._bm25(query), gone)
        self._documents("dense", name, self._dense(encoded[BASE.k_query], document, relatives))

    def _keep(self, system: str, query: str, scores: np.ndarray, gone: np.ndarray) -> None:
        scores = np.where(gone, 0.0, scores)
        best = np.argpartition(-scores, DEPTH)[:DEPTH]
        best = best[np.lexsort((best, -scores[best]))]
        best = best[scores[best] > 0]
        names = tuple(map(str, self.index.passages.ids[best]))
        ranked = RankedList(query, names, tuple(scores[best].tolist()))
        self.passage_runs.setdefault(system, []).append(ranked)
        self._documents(system, query, self._maxima(scores))

    def _maxima(self, scores: np.ndarray) -> dict[int, float]:
        document = self.index.passages.document
        starts = np.flatnonzero(np.diff(document, prepend=-1))
        return dict(zip(document[starts].tolist(), np.maximum.reduceat(scores, starts).tolist(), strict=True))

    def _documents(self, system: str, query: str, scores: dict[int, float]) -> None:
        best = sorted((item for item in scores if scores[item] > 0), key=lambda n: (-scores[n], n))[:DEPTH]
        ranked = RankedList(query, tuple(map(str, best)), tuple(scores[item] for item in best))
        self.document_runs.setdefault(system, []).append(ranked)

    def _by_feature(self, query: Query, encoded: EncodedQuery, gone: np.ndarray) -> dict[int, float]:
        options = replace(BASE, coverage=True, length=0.0)
        total: dict[int, float] = {}
        for feature in query.features:
            covered = np.where(gone, 0.0, self.index.scores(encoded.terms_of_feature(feature), options, {}))
            for document, value in self._maxima(covered).items():
                total[document] = total.get(document, 0.0) + value
        return total

    def _saturated(
        self, query: Query, encoded: EncodedQuery, gone: np.ndarray
    ) -> dict[float, dict[int, float]]:
        terms = [found for feature in query.features if len(found := encoded.terms_of_feature(feature))]
        best, mass = [], []
        for asked in terms:
            maxima = self._maxima(np.where(gone, 0.0, self.index.scores(asked, BASE, {})))
            best.append(np.array(list(maxima.values())))
            mass.append(self.index.mass(asked, BASE))
        documents, scores = list(maxima), np.array(best)
        shares = np.array(mass) / np.sum(mass)
        half = np.maximum(scores.max(axis=1), 1e-12)[:, None]
        return {
            kappa: dict(zip(documents, (shares @ (scores / (scores + kappa * half))).tolist(), strict=True))
            for kappa in SATURATIONS
        }

    def _bm25(self, query: Query) -> np.ndarray:
        everything = DocumentFilter.of(self.catalogue)
        words = self.words.words(query.text, everything)
        found = np.zeros(len(self.index.passages.ids))
        passages, scores = score_passages(self.library.store, words, context=TaskContext())
        found[np.searchsorted(self.index.passages.ids, passages)] = scores
        return found

    def _dense(self, encoded: EncodedQuery, document: int, relatives: list[int]) -> dict[int, float]:
        vector = encoded.retrieval.vector
        assert vector is not None
        best: dict[int, float] = {}
        for hit in self.index.generation.search_dense(vector, 3 * len(self.catalogue), exact=True):
            owns = hit.document == document and hit.section in (Section.ABSTRACT, Section.CLAIMS)
            if not owns and hit.document not in relatives:
                best[int(hit.document)] = max(best.get(int(hit.document), 0.0), hit.score)
        return best

    def tables(self) -> dict[str, object]:
        """Both levels; differences are against the default scoring of centers."""
        return {
            "queries": len(self.own_document),
            "passages": len(self.index.passages.ids),
            "own passages": float(np.mean([len(item) for item in self.own_passages.values()])),
            "ranking passages": _rows(self.passage_runs, self.own_passages, PASSAGE_MEASURES, "AP"),
            "ranking documents": _rows(self.document_runs, self.own_document, DOCUMENT_MEASURES, "RR"),
        }


def _rows(
    runs: dict[str, list[RankedList]],
    relevant: dict[str, dict[str, int]],
    names: tuple[str, ...],
    tested: str,
) -> list[dict[str, object]]:
    judged = Judgements(relevant)
    measured: dict[str, RunMeasures] = {
        system: measure(Run(system, tuple(lists)), judged, names) for system, lists in runs.items()
    }
    base = measured["centers"].of(tested)
    rows = []
    for system, found in measured.items():
        difference = compare_paired(found.of(tested), base)
        rows.append(
            {
                "system": system,
                **{name: round(found.mean(name), 4) for name in names},
                f"{tested} against default": [
                    round(item, 4)
                    for item in (difference.mean, difference.low, difference.high, difference.p)
                ],
            }
        )
    return rows


def _write(experiment: Experiment, path: Path | None) -> None:
    text = json.dumps(experiment.tables(), indent=1)
    path.write_text(text + "\n", encoding="utf-8") if path else print(text)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--library", type=Path, required=True)
    parser.add_argument("--queries", type=int, default=300)
    parser.add_argument("--out", type=Path)
    arguments = parser.parse_args()
    with Library.open(arguments.library, read_only=True) as library:
        experiment = Experiment(library, Settings())
        with library.store.read() as connection:
            rows = connection.exec_driver_sql(
                "SELECT id, publication FROM document WHERE EXISTS (SELECT 1 FROM passage WHERE "
                "document_id = document.id AND section = 'claims') ORDER BY id"
            ).fetchall()
        drawn = np.random.default_rng(SEED).permutation(len(rows))[: arguments.queries]
        for number, place in enumerate(drawn.tolist(), 1):
            experiment.ask(*rows[place])
            if number % _STEP == 0 and arguments.out:
                _write(experiment, arguments.out)  # of a run that is cut off something stays
    _write(experiment, arguments.out)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
