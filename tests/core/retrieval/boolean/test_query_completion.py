"""Ways to go on with a line."""

from __future__ import annotations

import pytest

from claimlight.retrieval.boolean.complete import complete
from claimlight.retrieval.boolean.parser import parse
from tests.core.store.invented import patent, week


@pytest.fixture
def some(library_of):
    with library_of([patent(1), *week(3)]) as store:
        yield store


def _texts(store, line: str, place: int | None = None) -> list[str]:
    return [item.text for item in complete(store, line, len(line) if place is None else place)]


def test_words_come_with_their_counts(some) -> None:
    (first, *others) = [item for item in complete(some, "rim AND dam", 11) if item.text.startswith("dam")]
    assert (first.text, first.start) == ("damper", 8)
    assert first.help.startswith("in ")
    assert [item.text for item in others] == ["damped", "dampfer"]
    assert [item.help for item in others] == ["in 4 passages", "in 4 passages"]
    assert _texts(some, "Däm") == ["damper", "damped", "dampfer"]
    assert _texts(some, "xyz") == []


def test_the_rest_of_the_line_is_left(some) -> None:
    found = complete(some, "whe AND rim", 3)
    assert [(item.text, item.start) for item in found] == [("wheel", 0), ("wheels", 0)]


def test_fields_after_a_point(some) -> None:
    assert _texts(some, "damper.c") == [".clm.", ".cpc."]
    found = complete(some, "(a OR b).ti,a", 13)
    assert [(item.text, item.start, item.help) for item in found] == [
        (".ti,ab.", 8, "abstract"),
        (".ti,as.", 8, "applicants and assignees"),
    ]
    assert ".ti,ti." not in _texts(some, "a.ti,")
    assert _texts(some, "@p") == ["@PD>=", "@PRAD>="]


def test_operators_after_an_operand(some) -> None:
    assert _texts(some, "damper a") == ["AND", "ADJ", "AB:", "AS:", "AP:"]
    assert "NOT WITH" in _texts(some, "damper n")
    assert _texts(some, "damper ")[:3] == ["AND", "OR", "NOT"]
    assert "AND" not in _texts(some, "damper AND a")
    assert "LIKE(" in _texts(some, "l")
    assert '~"' in _texts(some, "")
    assert _texts(some, "ci") == ["CITED(", "CITING("]


def test_in_quotes_only_words(some) -> None:
    assert _texts(some, '"fluid and') == []
    assert _texts(some, '"fluid dam') == ["damper", "damped", "dampfer"]


def test_what_is_offered_can_be_read(some) -> None:
    for line in ("damper a", "damper.t", "da", "@", "c", "damper n"):
        for item in complete(some, line, len(line)):
            whole = line[: item.start] + item.text
            tails = {'~"': 'x"', "LIKE(": "EP1)", "COVERS(": "F1)", "CITED(": "L3)", "CITING(": "EP1)"}
            if item.text.endswith(":"):
                tail = {"CPC:": "H04L", "IPC:": "H04L", "PD:": "2010", "FD:": "2010", "PRAD:": "2010"}.get(
                    item.text, "5"
                )
            elif item.text.startswith("@"):
                tail = "2010"
            elif item.text in tails:
                tail = tails[item.text]
            else:
                tail = " x" if item.text[0].isupper() else ""
            parse(whole + tail)
