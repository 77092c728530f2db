"""The shipped sample with the shipped model: the case must come out as `case.toml` says."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib

import pytest

from claimlight import paths
from claimlight.services import sample
from claimlight.services.search import queries
from claimlight.services.search.combining import pairs as find_pairs
from claimlight.services.search.matrix import coverage_matrix
from claimlight.services.search.search import SearchEngine
from claimlight.settings import Settings, change
from claimlight.store import repository
from claimlight.tasks import TaskContext
from claimlight.types import ChartVerdict, SearchRequest

BLOCKED = ("torch", "transformers", "sentence_transformers", "onnx", "safetensors")
GUARD = f"""
import sys
class Guard:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {BLOCKED!r}:
            raise ImportError(name + " must not be needed to search")
sys.meta_path.insert(0, Guard())
from claimlight.cli.__main__ import run
code = run(sys.argv[1:])
heavy = ("torch", "transformers", "claimlight.training")
loaded = sorted(name for name in sys.modules if name.startswith(heavy))
print("loaded:", loaded)
sys.exit(code)
"""


@pytest.fixture(scope="module")
def case():
    return tomllib.loads((paths.resources() / "sample" / "case.toml").read_text(encoding="utf-8"))


@pytest.fixture
def engine(sample_engine):
    return sample_engine


def ask(engine, claim, *, before=None, top=60):
    library, searcher = engine
    examined = sample.read_application(TaskContext())
    request = SearchRequest(
        query=queries.query_from_claims(examined.claims, claim),
        before=before,
        exclude_family_of=queries.own_family(library, examined),
        top=top,
    )
    return searcher.run(request, TaskContext())


def plain(text):
    """A feature without reference signs, as the case quotes it."""
    return re.sub(r" \(\d+\w*\)", "", " ".join(text.split()))


def found(results):
    return [str(hit.patent.publication) for hit in results.hits]


def test_ready_after_ensure_and_quick_to_open_again(engine):
    library, _ = engine
    assert sample.ready(library.folder)
    info = library.info()
    assert info.documents >= 60
    assert info.indexed_documents == info.documents
    assert info.quarantined == 0
    reports = []
    sample.ensure(TaskContext(reports.append), Settings(), library.folder).close()
    assert reports == []


def test_an_index_of_another_model_is_noticed(engine):
    library, _ = engine
    assert not sample.stale(Settings(), library.folder)
    assert sample.stale(change(Settings(), "centers.top_k_document", 4), library.folder)


def test_nothing_is_left_to_be_said(engine):
    assert ask(engine, 1).notes == ()


def test_the_anticipating_document_is_among_the_first(engine, case):
    results = ask(engine, 1, before=case["priority"])
    assert case["anticipates"]["publication"] in found(results)[:3]


def test_both_documents_that_are_combined_are_among_the_first(engine, case):
    first = found(ask(engine, 3, before=case["priority"]))[:5]
    assert case["combine_x"]["publication"] in first
    assert case["combine_y"]["publication"] in first


def test_each_of_the_two_covers_its_own_feature_better(engine, case):
    results = ask(engine, 3, before=case["priority"])
    hits = {str(hit.patent.publication): hit for hit in results.hits}
    x, y = hits[case["combine_x"]["publication"]], hits[case["combine_y"]["publication"]]
    labels = [feature.label for feature in results.request.query.features]
    texts = [feature.text for feature in results.request.query.features]
    shorten = next(n for n, text in enumerate(texts) if "shorten the hold time" in text)
    generator = next(n for n, text in enumerate(texts) if "electromagnetic generator" in text)
    assert x.coverage[shorten].strength > y.coverage[shorten].strength, labels[shorten]
    assert y.coverage[generator].strength > x.coverage[generator].strength, labels[generator]


@pytest.mark.slow
def test_by_its_judges_the_anticipating_document_is_first_and_nothing_of_it_is_nothing_near(
    engine, case, shipped_judge
):
    library, searcher = engine
    judged = SearchEngine.open(
        library, Settings(), stack=lambda _: searcher.state(TaskContext()).encoder.stack
    )

    def compare(claim):
        results = ask(engine, claim, before=case["priority"], top=10)
        query = queries.query_from_claims(sample.read_application(TaskContext()).claims, claim)
        patents = [hit.patent.id for hit in results.hits]
        made = coverage_matrix(judged, library, Settings(), query, patents, TaskContext())
        return made, sorted(made.rows, key=lambda row: -row.strength)

    made, (first, second, *_) = compare(1)
    assert str(first.patent.publication) == case["anticipates"]["publication"]
    assert first.strength - second.strength > 1.0 / len(first.cells), "it leads by more than a feature"
    assert {row.patent.id for row in made.rows if row.read_on} >= {first.patent.id, second.patent.id}
    assert {cell.ruling.judge for cell in first.cells} == {"claim-judge 4"}
    verdicts = [cell.ruling.verdict for cell in first.cells]
    assert ChartVerdict.NOTHING not in verdicts
    assert verdicts.count(ChartVerdict.DISCLOSED) >= 3
    assert sum(cell.likely for cell in first.cells) >= len(first.cells) - 1
    assert find_pairs(made).pairs[0].first == first.patent.id
    labels = {
        passage.id: passage.label.strip("[]")
        for passage in repository.read_passages_of(library.store, [first.patent.id])[first.patent.id]
    }
    features = {plain(feature.text): feature.label for feature in made.features}
    cells = {cell.feature: cell for cell in first.cells}
    rulings = [cells[features[item["feature"]]].ruling for item in case["anticipates"]["features"]]
    claims = {f"claim {number}" for number in case["anticipates"]["claims"]}
    listed = [claims | set(item["paragraphs"]) for item in case["anticipates"]["features"]]
    named = [labels[ruling.passage] in own for ruling, own in zip(rulings, listed, strict=True)]
    assert sum(named) >= len(named) - 2, "a listed passage is named for nearly all"
    # Of claim 3 it discloses less, and the two that are combined come next.
    made, best = compare(3)
    names = [str(row.patent.publication) for row in best[:3]]
    assert set(names[1:]) == {case["combine_x"]["publication"], case["combine_y"]["publication"]}
    paired = find_pairs(made).pairs[0]
    # Not yet that of these two: the judge finds too few of the basic features in their words.
    assert paired.first == best[0].patent.id
    assert paired.second in {row.patent.id for row in best[1:3]}


@pytest.mark.slow
def test_claims_that_state_features_in_few_words_are_not_nothing_near(engine, case, shipped_judge):
    library, searcher = engine
    judged = SearchEngine.open(
        library, Settings(), stack=lambda _: searcher.state(TaskContext()).encoder.stack
    )
    query = queries.query_from_claims(sample.read_application(TaskContext()).claims, 1)
    (late,) = [
        hit.patent.id
        for hit in ask(engine, 1).hits
        if str(hit.patent.publication) == case["late"]["publication"]
    ]
    made = coverage_matrix(judged, library, Settings(), query, [late], TaskContext())
    rulings = [cell.ruling for cell in made.rows[0].cells]
    assert ChartVerdict.NOTHING not in {ruling.verdict for ruling in rulings}
    assert sum(ruling.label == "claim 1" for ruling in rulings) >= 3


def test_the_own_family_is_left_out(engine, case):
    assert case["own_family"]["publication"] not in found(ask(engine, 1))


def test_the_late_document_needs_the_date_to_be_left_out(engine, case):
    assert case["late"]["publication"] in found(ask(engine, 1))[:2]
    assert case["late"]["publication"] not in found(ask(engine, 1, before=case["priority"]))


def test_contributions_sum_to_scores_with_the_real_model(engine):
    for hit in ask(engine, 1).hits:
        for passage in hit.passages:
            assert sum(e.contribution for e in passage.evidence) + passage.other_words == pytest.approx(
                passage.score
            )


def test_searching_never_imports_torch(engine):
    library, _ = engine
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    claims = str(sample.application_file())
    command = ["search", "--library", str(library.folder), "--claims", claims, "--top", "2"]
    done = subprocess.run(
        [sys.executable, "-c", GUARD, *command], env=environment, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    assert "loaded: []" in done.stdout
    assert "↔" in done.stdout
