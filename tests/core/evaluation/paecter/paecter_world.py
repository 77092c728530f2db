"""An invented office: applications with search reports, what they cite, and what stands beside it."""

from __future__ import annotations

import random
from dataclasses import replace
from datetime import date

from core.types import Citation, ClassSymbol, LocalText, Origin, PublicationNumber, Scheme
from tests.fakes import patent

TOPICS = ("damper", "kettle", "lamp", "bicycle", "spout", "brake")
CLASSES = ("A61B 5/00", "A61C 1/00", "F21S 2/00", "B62K 3/00")


def cited(target, category="X", origin=Origin.SEARCH):
    return Citation(PublicationNumber(*target), category=category, origin=origin)


def made(target, text, *, citations=(), classes=CLASSES[:1], scheme=Scheme.CPC, language="en", **more):
    """A publication; ``target`` is country, number and kind."""
    country, number, kind = target
    built = patent(number, f"{text} {number}", country=country, kind=kind, **more)
    abstract = (LocalText(f"A {text} with part {number}.", language),) if text else ()
    return replace(
        built,
        abstracts=abstract,
        titles=(LocalText(text.capitalize(), language),),
        language=language,
        citations=tuple(citations),
        classes=tuple(ClassSymbol(scheme, symbol) for symbol in classes),
    )


def random_world(seed, *, queries=8, layer=60):
    """EP applications of 2015 over two layers of older patents that cite one another at random."""
    rng = random.Random(seed)
    far = [("US", str(5_000_000 + n), "A") for n in range(layer)]
    near = [("EP", str(1_000_000 + n), "A1") for n in range(layer)]
    top = [("EP", str(3_000_000 + n), "A1") for n in range(queries)]
    patents = [
        made(
            target,
            rng.choice(TOPICS) if rng.random() > 0.1 else "",
            classes=rng.sample(CLASSES, rng.randrange(3)),
            published=date(rng.randrange(2006, 2016), rng.randrange(1, 13), 1),
            priority=f"far{rng.randrange(layer)}",
        )
        for target in far
    ]
    patents += [
        made(
            target,
            rng.choice(TOPICS),
            citations=[cited(item, "") for item in rng.sample(far, rng.randrange(6))],
            classes=rng.sample(CLASSES, rng.randrange(1, 3)),
            published=date(rng.randrange(2006, 2016), rng.randrange(1, 13), 1),
            language=rng.choice(["en", "en", "de"]),
            priority=f"near{rng.randrange(layer)}",
        )
        for target in near
    ]
    patents += [
        made(
            target,
            rng.choice(TOPICS),
            citations=[
                cited(item, rng.choice(["X", "Y", "I", "A", "D", "X,P"]))
                for item in (*rng.sample(near, rng.randrange(2, 14)), *rng.sample(far, 4))
            ],
            classes=rng.sample(CLASSES, rng.randrange(1, 3)),
            published=date(2015, rng.randrange(1, 13), 1),
        )
        for target in top
    ]
    # Others that cite at random, so that there is a universe of what was ever cited.
    patents += [
        made(
            ("EP", str(4_000_000 + n), "A1"), "lamp", citations=[cited(item) for item in rng.sample(far, 25)]
        )
        for n in range(2)
    ]
    return patents
