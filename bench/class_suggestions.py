"""Suggested classes: milliseconds and memory of a document, and whether the evidence led to the class.

    python -m bench.class_suggestions --documents FILE --labels ipc --test-on FILE [--classifier PACKAGE]
        [--sample 60] [--out FILE]

Faithfulness: of documents drawn at random with a fixed seed, the phrases of most weight for the first
suggestion are left out, and as many phrases drawn at random. How often is another class first then?
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
from pathlib import Path
from time import perf_counter

import psutil

from claimlight.classify.phrases import find_phrases, leave_out
from claimlight.encoders import ModelPackage, open_encoder
from claimlight.evaluation.classification.documents import Part, read_documents
from claimlight.services.classes.suggesting import PHRASES, Suggester
from claimlight.settings import Settings
from claimlight.tasks import TaskContext
from claimlight.types import ClassLevel, ClassQuestion, ClassText, Section

DEPTHS = (1, 3, 5)


def draw_texts(documents: Path, labels: str, test_on: Path, many: int) -> list[str]:
    """Title and abstract of documents that were not trained on."""
    asked = set(test_on.read_text(encoding="utf-8").split())
    parts = (Part.TITLE, Part.ABSTRACT)
    found = [
        item.input(parts).text
        for item in read_documents(documents, field=labels)
        if item.name in asked and item.symbols
    ]
    return random.Random(1).sample(found, min(many, len(found)))


def measure(texts: list[str], classifier: str) -> dict[str, object]:
    """The figures, by what they are."""
    context, process = TaskContext(), psutil.Process()
    settings = Settings()
    package = ModelPackage.resolve(settings.encoder.package)
    encoder = open_encoder(package, settings.encoder)
    before = process.memory_info().rss
    suggester = Suggester(settings, lambda: encoder)

    def first(text: str) -> str:
        question = ClassQuestion((ClassText(text, Section.ABSTRACT),), classifier=classifier, top=1)
        return suggester.suggest(question, context).suggestions[0].symbol

    first(texts[0])
    memory = process.memory_info().rss - before
    times, explained = [], []
    changed = {kind: dict.fromkeys(DEPTHS, 0) for kind in ("evidence", "random")}
    falls: list[float] = []
    drawn = random.Random(2)
    counted = 0
    for text in texts:
        begun = perf_counter()
        best = first(text)
        times.append(1000 * (perf_counter() - begun))
        begun = perf_counter()
        question = ClassQuestion(
            (ClassText(text, Section.ABSTRACT),), classifier=classifier, level=ClassLevel.SUBCLASS
        )
        evidence = suggester.explain(question, best, context)
        explained.append(1000 * (perf_counter() - begun))
        phrases = find_phrases([text], most=PHRASES)
        order: list[int] = []
        for span in evidence.spans:
            place = next(at for at, phrase in enumerate(phrases) if (0, span.span) in phrase.places)
            if place not in order:
                order.append(place)
        if len(order) < max(DEPTHS) or len(phrases) < 2 * max(DEPTHS):
            continue
        counted += 1
        falls.append(evidence.probability - evidence.without)
        for depth in DEPTHS:
            heaviest = [phrases[place] for place in order[:depth]]
            others = drawn.sample(phrases, depth)
            changed["evidence"][depth] += first(*leave_out([text], heaviest)) != best
            changed["random"][depth] += first(*leave_out([text], others)) != best
    return {
        "documents": len(texts),
        "suggest_ms": statistics.median(times),
        "suggest_ms_95": sorted(times)[int(0.95 * len(times))],
        "explain_ms": statistics.median(explained),
        "classifier_mb": memory / 1e6,
        "faithfulness": {
            "documents": counted,
            "changed": {
                kind: {str(depth): count / max(1, counted) for depth, count in found.items()}
                for kind, found in changed.items()
            },
            "probability_falls_by": statistics.mean(falls) if falls else None,
        },
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=Path, required=True)
    parser.add_argument("--labels", default="labels")
    parser.add_argument("--test-on", type=Path, required=True)
    parser.add_argument("--classifier", default="")
    parser.add_argument("--sample", type=int, default=60)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    texts = draw_texts(options.documents, options.labels, options.test_on, options.sample)
    found = measure(texts, options.classifier)
    print(json.dumps(found, indent=1))
    if options.out:
        options.out.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
