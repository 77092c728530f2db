"""An invented office: applications with search reports, what they cite, and what stands beside it."""

from __future__ import annotations

import random
from dataclasses import replace
from datetime import date

from claimlight.types import Citation, ClassSymbol, LocalText, Origin, PublicationNumber, Scheme
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


class World:
    """The rules once more, over publications and families as plain sets."""

    def __init__(self, patents):
        self.by_name = {str(item.publication): item for item in patents}
        self.family = {
            name: item.priorities[0].number if item.priorities else name
            for name, item in self.by_name.items()
        }
        self.links = {
            (self.family[name], self.family[str(link.publication)], link.category)
            for name, item in self.by_name.items()
            for link in item.citations
            if str(link.publication) in self.by_name
        }

    def cites(self, family):
        return {there for here, there, _ in self.links if here == family and there != family}

    def classes(self, family):
        return {
            symbol.symbol[:3]
            for name, item in self.by_name.items()
            if self.family[name] == family
            for symbol in item.classes
        }

    def ever_cited(self):
        return {t for name in self.by_name if name.startswith("EP") for t in self.cites(self.family[name])}

    def check(self, item):
        own = self.family[item.query]
        direct = self.cites(own)
        beyond = {there for family in direct for there in self.cites(family)} - direct - {own}
        letters = {
            family: {
                c for here, there, letters in self.links if (here, there) == (own, family) for c in letters
            }
            for family in direct
        }
        for name in item.positives:
            assert letters[self.family[name]] & set("XYIA")
        hard, easy = item.negatives[:3], item.negatives[3:]
        # A relative that stands in may be younger than the document that was drawn.
        for name in (*item.positives, *hard):
            relatives = [other for other, label in self.family.items() if label == self.family[name]]
            assert (
                min(self.by_name[other].published for other in relatives) < self.by_name[item.query].published
            )
        for name in hard:
            assert self.family[name] in beyond & self.ever_cited()
            assert self.classes(self.family[name])
        day = self.by_name[item.query].published
        for name in easy:
            family = self.family[name]
            assert family in self.ever_cited() - direct - beyond - {own}
            assert self.classes(family) & self.classes(own)
            days = [self.by_name[n].published for n, label in self.family.items() if label == family]
            assert any(day.replace(year=day.year - 5) <= other < day for other in days)
        families = [self.family[name] for name in (item.query, *item.candidates)]
        assert len(set(families)) == len(families) == 9
        for name in item.candidates:
            assert self.by_name[name].language == "en"
            assert self.by_name[name].abstracts
