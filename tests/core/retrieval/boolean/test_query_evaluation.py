"""The fast evaluation against the plain one, and what each operator and field means."""

from __future__ import annotations

import re
from datetime import date

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from claimlight.errors import QueryError, TaskCancelled
from claimlight.retrieval import catalogue as catalogues
from claimlight.retrieval.boolean import plan
from claimlight.retrieval.boolean import wildcards as boolean_words
from claimlight.retrieval.boolean.canonical import format_canonical
from claimlight.retrieval.boolean.evaluate import count_terms, evaluate
from claimlight.retrieval.boolean.nodes import Nearness, Phrase, Proximity
from claimlight.retrieval.boolean.parser import parse
from claimlight.tasks import TaskContext
from claimlight.types import (
    Claim,
    ClassSymbol,
    DefaultOperator,
    LocalText,
    Paragraph,
    Party,
    Patent,
    PublicationNumber,
    Role,
    Scheme,
)
from tests.core.retrieval.boolean.naive import evaluate_naively
from tests.core.retrieval.boolean.query_cases import (
    MEMBERS,
    Members,
    bare,
    close,
    corpora,
    near,
    plain,
    queries,
)
from tests.core.store.invented import patent, write

many = settings(
    max_examples=250, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much]
)


@given(corpora(), queries)
@many
def test_engine_is_naive(library_of, patents, node) -> None:
    with library_of(patents) as store:
        found = evaluate(node, store, catalogues.load(store), Members(), TaskContext())
        assert set(found.ids.tolist()) == evaluate_naively(node, plain(store), MEMBERS), format_canonical(
            node
        )
        assert found.ids.tolist() == sorted(found.ids.tolist())
        assert found.scores is None


@given(corpora(close), near)
@many
def test_nearness_is_naive(library_of, patents, node) -> None:
    with library_of(patents) as store:
        found = evaluate(node, store, catalogues.load(store), None, TaskContext())
        assert set(found.ids.tolist()) == evaluate_naively(node, plain(store), {}), format_canonical(node)


@given(corpora(), queries)
@settings(parent=many, max_examples=60)
def test_engine_is_naive_with_few_words_at_once(library_of, patents, node) -> None:
    """Patterns of more than two words are asked for in pieces, pairs not at all."""
    with library_of(patents) as store, pytest.MonkeyPatch.context() as patch:
        patch.setattr(plan, "MAX_WORDS", 1)
        patch.setattr(plan, "MAX_PAIRS", 2)
        found = evaluate(node, store, catalogues.load(store), Members(), TaskContext())
        assert set(found.ids.tolist()) == evaluate_naively(node, plain(store), MEMBERS), format_canonical(
            node
        )


@given(queries)
@settings(parent=many, max_examples=400)
@example(Phrase(("and",)))
@example(Phrase(("l1",)))
@example(Phrase(("adj3",)))
@example(Proximity(Nearness.WITH, 2, Phrase(("a",)), Phrase(("b",)), negated=True))
def test_canonical_reads_to_the_same_meaning(node) -> None:
    text = format_canonical(node)
    once = parse(text)
    assert bare(parse(format_canonical(once))) == bare(once)
    for default in DefaultOperator:
        assert bare(parse(text, default=default)) == bare(once)


@given(corpora(), queries)
@settings(parent=many, max_examples=60)
def test_canonical_finds_the_same(library_of, patents, node) -> None:
    with library_of(patents) as store:
        documents, once = plain(store), parse(format_canonical(node))
        found = evaluate_naively(once, documents, MEMBERS)
        assert evaluate_naively(parse(format_canonical(once)), documents, MEMBERS) == found
        # A word that was made up without folding its letters is another one when it has been read.
        if bare(once) == bare(node):
            assert evaluate_naively(node, documents, MEMBERS) == found


_SCRIPTS = st.text("減衰器弁を감쇠기のー", min_size=1, max_size=12)


@given(st.lists(_SCRIPTS, min_size=1, max_size=4), st.text("減衰器弁감쇠", min_size=1, max_size=3))
@settings(parent=many, max_examples=150)
def test_any_part_of_a_run_without_blanks_is_found(library_of, texts, asked) -> None:
    """As a search for the characters themselves finds it, whatever they are words of."""
    patents = [
        patent(n, claims=(Claim(1, text, "ja"),), titles=(), abstracts=(), description=())
        for n, text in enumerate(texts, 1)
    ]
    with library_of(patents) as store:
        assert _asked(store, f"{asked}.clm.") == [n for n, text in enumerate(texts, 1) if asked in text]
        once = [n for n, text in enumerate(texts, 1) if re.search(f"{asked}.器", text)]
        assert _asked(store, f"{asked}?器.clm.") == once
        near = [n for n, text in enumerate(texts, 1) if re.search(f"{asked}.{{0,2}}器", text)]
        assert _asked(store, f"{asked}.clm. ADJ3 器.clm.") == near


def _asked(store, line: str, resolver=None) -> list[int]:
    return evaluate(parse(line), store, catalogues.load(store), resolver, TaskContext()).ids.tolist()


def few_documents() -> list[Patent]:
    """Two documents that the lines of `CASES` are about."""
    return [
        patent(
            1,
            titles=(LocalText("Fluid damper", "en"),),
            abstracts=(LocalText("A damper. The fluid passes a valve, e.g. a check valve. It damps.", "en"),),
            claims=(Claim(1, "A damper, comprising:\na piston;\na valve for a fluid.", "en"),),
            description=(Paragraph("Dampers and absorbers. Valves."), Paragraph("state-of-the-art")),
            parties=(Party(Role.APPLICANT, "Wheel AG"), Party(Role.INVENTOR, "Ada Müller")),
        ),
        patent(
            2,
            published=date(2010, 3, 5),
            filed=None,
            titles=(LocalText("Valve", "en"),),
            abstracts=(LocalText("A valve is driven by a motor.", "en"),),
            claims=(Claim(1, "A valve with a motor and a fluid.", "en"),),
            description=(Paragraph("No damping at all."),),
            parties=(Party(Role.ASSIGNEE, "Motor Wheel Inc"), Party(Role.AGENT, "Wheel Agents")),
            classes=(
                ClassSymbol(Scheme.CPC, "F16F 9/00"),
                ClassSymbol(Scheme.CPC, "F16F 9/3247"),
                ClassSymbol(Scheme.IPC, "H04L 10/04"),
            ),
            application=PublicationNumber("EP", "99123456.7"),
        ),
    ]


@pytest.fixture
def few(library_of):
    with library_of(few_documents()) as store:
        yield store


CASES = [
    ('"a piston" NOT ADJ1 "$a$e$ is"', [1]),  # FTS5's NOT binds closer than AND
    ('"a piston".clm. NOT ADJ1 "$a$e$ is"', [1]),
    ('"a piston" NOT WITH "$a$e$ is".ab.', [1]),
    ('"a piston" NOT SAME ("$a$e$ is" OR motor)', [1]),
    ("damper", [1]),
    ("DÄMPER", [1]),
    ("damper valve", [1]),
    ("damper OR valve", [1, 2]),
    ("valve NOT damper", [2]),
    ("valve AND NOT damper", [2]),
    ("damper XOR valve", [2]),
    ("NOT damper", [2]),
    ("fluid ADJ damper", [1]),
    ("damper ADJ fluid", []),  # another sentence
    ("damper.ab. ADJ2 fluid", []),
    ("damper NEAR fluid", [1]),
    ("damper NEAR fluid.ti.", [1]),
    ("fluid NEAR3 fluid.ti.", []),
    ("fluid ADJ fluid.ti.", []),
    ("damp$3 NOT WITH fluid", [1, 2]),
    ("damp$3 NOT SAME fluid", [1, 2]),
    ("(d$r OR v$e) NOT ADJ2 p$n", [1, 2]),
    ("d$r ADJ3 p$n", [1]),
    ("d$r ADJ2 p$n", []),
    ("p$n ADJ2 d$r", []),
    ("f$d WITH v$e.de.", []),
    ("damper NEAR2 valve", []),
    ("piston ADJ2 valve", [1]),  # a claim is one sentence, across its lines
    ("fluid WITH valve.ab.", [1]),
    ("fluid WITH check", [1]),  # "e.g." ends no sentence
    ("damper WITH fluid.ab.", []),
    ("damper WITH2 fluid.ab.", [1]),
    ("damper SAME fluid.ab.", [1]),
    ("damper WITH fluid", [1]),
    ("fluid NOT SAME valve", [1]),
    ("fluid.clm. NOT SAME valve", []),
    ("fluid.clm. NOT ADJ3 motor", [1, 2]),
    ("(valve NOT WITH motor).clm.", [1]),
    ("valve NOT WITH motor.clm.", [1, 2]),  # in the title it stands alone
    ("damp$", [1, 2]),
    ("damp$2", [1]),
    ("damp$3", [1, 2]),
    ("damp?", [1]),
    ("d?mper?", [1]),
    ("$sorbers", [1]),
    ("va$e", [1, 2]),
    ('"fluid damper"', [1]),
    ('"damper fluid"', []),
    ("state-of-the-art", [1]),
    ('"state of the art".de.', [1]),
    ('"state of the art".clm.', []),
    ("TI:(fluid AND damper)", [1]),
    ("ti=valve", [2]),
    ("valve.ti.", [2]),
    ("(valve OR fluid).ti.", [1, 2]),
    ("(valve.ab. AND damper).ti.", [1]),
    ("wheel.as.", [1, 2]),
    ("wheel.in.", []),
    ("(motor ADJ wheel).as.", [2]),
    ('"Wheel AG".aa.', [1]),
    ("muller.in.", [1]),
    ("(damper$2 OR absorber) ADJ4 (piston SAME valve).clm.", [1]),
    ("(damper$2 OR absorber) ADJ2 (piston SAME valve).clm.", []),
    ("L1 AND fluid.ti.", [1]),
    ("L1 NOT L2", [1]),
    ("L2", [2]),
    ("CPC=F16F", [1, 2]),
    ("CPC=F16F9/00", [2]),
    ('CPC="F16F 9/00"', [2]),
    ("CPC=F16F9/32", []),
    ("CPC=F16F9/32$", [2]),
    ("F16F 9/$.cpc.", [2]),
    ("CPC=F16F9/30-F16F9/33", [2]),
    ("CPC=F16F1/00-F16F9/00", [2]),
    ("CPC=F16F9/33-F16F15/00", [1]),
    ("CPC=B", [1]),
    ("CPC=F16F9/06+", [2]),
    ("F16F 9/06+.cpc. NOT valve.ti.", []),
    ("IPC=F16F9/06+", []),
    ("CPC=F16F1$", [1]),
    ("IPC=H04L1/00", []),
    ("IPC=H04L10", [2]),
    ("IPC=H04L9/00-H04L11/00", [2]),
    ("pd<2001", [1]),
    ("PD>=20100305", [2]),
    ("@PD>20100305", []),
    ("@PD>=2000<=2009", [1]),
    ("pd=2010", [2]),
    ("201003.pd.", [2]),
    ("2000..2010.pd.", [1, 2]),
    ("pd=2000-2009", [1]),
    ("pd<>20100305", [1]),
    ("fd<>1980", [1]),
    ("NOT fd>1980", [2]),
    ("prad=1998-11-09", [1, 2]),
    ("EP1.pn.", [1]),
    ("EP1A1.pn.", [1]),
    ("EP1B1.pn.", []),
    ("PN=2", [2]),
    ("EP0$.pn.", []),
    ("AP=EP99123456", [2]),
    ("(EP1 OR EP2).pn.", [1, 2]),
]


@pytest.mark.parametrize(("line", "found"), CASES)
def test_what_a_line_finds(few, line: str, found: list[int]) -> None:
    assert _asked(few, line, Members()) == found


@pytest.mark.parametrize(("line", "found"), CASES)
def test_the_same_with_few_words_at_once(few, line: str, found: list[int], monkeypatch) -> None:
    monkeypatch.setattr(plan, "MAX_WORDS", 1)
    monkeypatch.setattr(plan, "MAX_PAIRS", 1)
    assert _asked(few, line, Members()) == found


def test_scores_come_from_semantic_operators(few) -> None:
    catalogue = catalogues.load(few)

    def run(line: str):
        return evaluate(parse(line), few, catalogue, Members(), TaskContext())

    found = run('~"damping of a wheel" AND damper')
    assert (found.ids.tolist(), found.scores.tolist()) == ([1], [0.5])
    found = run("LIKE(EP1) AND COVERS(F3)")
    assert (found.ids.tolist(), found.scores.tolist()) == ([1, 2], [1.0, 1.8])
    found = run('damper OR (~"x" NOT damper)')
    assert (found.ids.tolist(), found.scores.tolist()) == ([1, 2], [0.5, 0.9])
    assert run('damper NOT ~"x"').scores is None
    assert run("LIKE(EP1) NOT CITING(L1)").ids.tolist() == [2]
    assert run("CITING(L1) XOR CITED(EP1)").scores is None


def test_terms_are_counted(few) -> None:
    catalogue = catalogues.load(few)
    line = "(damp$2 ADJ3 valve).clm. OR L2 OR nowhere"
    found = count_terms(parse(line), few, catalogue, None, TaskContext())
    assert [(term.text, term.column, term.words, term.documents) for term in found] == [
        ("damp$2.clm.", 2, 2, 1),
        ("valve.clm.", 14, 1, 2),
        ("L2", 29, 0, 0),
        ("nowhere", 35, 0, 0),
    ]
    assert found[0].examples == ("damper", "damps")
    with_sets = evaluate(parse(line), few, catalogue, Members(), TaskContext()).terms
    assert [term.documents for term in with_sets] == [1, 2, 1, 0]


def test_too_many_words_name_their_number_and_column(few, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(boolean_words, "MAX_EXPANSION", 2)
    with pytest.raises(QueryError, match=r"damp\$ matches 4 words of this library, more than 2") as told:
        _asked(few, "valve AND damp$")
    assert told.value.column == 11
    with pytest.raises(QueryError, match=r"\$a\$ matches \d+ words"):
        _asked(few, "$a$")
    assert _asked(few, "damper") == [1]


def test_left_truncation_sees_new_words(few) -> None:
    assert _asked(few, "$nelle") == []
    write(few, patent(3, titles=(LocalText("Manivelle et nacelle", "fr"),)))
    assert _asked(few, "$celle") == [3]


def test_a_cancelled_line_stops(few) -> None:
    context = TaskContext()
    context.cancel()
    with pytest.raises(TaskCancelled):
        evaluate(parse("damper ADJ3 valve"), few, catalogues.load(few), None, context)


def test_documents_unknown_to_the_catalogue_are_left_out(few) -> None:
    before = catalogues.load(few)
    write(few, patent(3, titles=(LocalText("Damper", "en"),)))
    lines = ("damper", "damper WITH fluid", "NOT valve", "pd<2020", "wheel.as.")
    for line in lines:
        found = evaluate(parse(line), few, before, None, TaskContext()).ids
        assert found.dtype == np.int64
        assert 3 not in found.tolist()
    assert 3 in _asked(few, "damper")


def test_an_empty_library_answers(library_of) -> None:
    with library_of([]) as store:
        for line in ("damper", "a ADJ3 b", "NOT a", "$x", "CPC=H04L", "pd>2000", "a NOT WITH b", "1.pn."):
            assert _asked(store, line) == []


def _claims(library_of, *texts: str, language: str = "ja"):
    return library_of(
        [
            patent(n, claims=(Claim(1, text, language),), titles=(), abstracts=(), description=())
            for n, text in enumerate(texts, 1)
        ]
    )


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("減衰器", [1, 2]),
        ("流体減衰器", [1]),
        ("$減衰器$", [1, 2]),
        ("減衰$", [1, 2]),
        ("器", [1, 2, 3, 4]),
        ("減?器", [1, 2]),
        ("流体 NEAR 弁", [3]),
        ("流体 ADJ4 器", [1, 3, 4]),
        ("流体 ADJ5 を", [1]),
        ("阻尼器", [4]),
        ("감쇠기", [5]),
        ("ダンパー", [6, 7]),
        ("ダンパ", [6, 7]),
        ("dna配列", [8]),
        ("dn$配列", [8]),
        ("ABC12", [9]),
    ],
)
def test_scripts_without_blanks(library_of, line: str, found: list[int]) -> None:
    texts = (
        "流体減衰器を備える。", "減衰器。", "流体 弁 計器。", "一种流体阻尼器，其特征在于",
        "유체감쇠기는 있다.", "ガスダンパー", "ｶﾞｽﾀﾞﾝﾊﾟｰ", "DNA配列", "ＡＢＣ１２",
    )  # fmt: skip
    with _claims(library_of, *texts) as store:
        assert _asked(store, line) == found


def test_a_dollar_between_characters_is_refused_with_what_to_write(library_of) -> None:
    with pytest.raises(QueryError, match="減 ADJ3 器"):
        parse("減$器")


@pytest.mark.parametrize(
    "asked", ["stossdampfer", "stoßdämpfer", "Stoßdaempfer", "stossdaempfer", "stossd$fer"]
)
def test_spellings_find_one_another(library_of, asked: str) -> None:
    texts = (
        "Ein Stoßdämpfer.",
        "Ein Stossdampfer.",
        "Ein Stoßdaempfer.",
        "EIN STOSSDÄMPFER",
        "Ein Stossdampf.",
    )
    with _claims(library_of, *texts, language="de") as store:
        assert _asked(store, asked) == [1, 2, 3, 4]
        assert _asked(store, f'"ein {asked}"') == [1, 2, 3, 4]


@pytest.mark.parametrize("asked", ["R_D", "RD", '"R<sub>D</sub>"', "ＲＤ"])
def test_a_subscript_is_found_however_it_is_written(library_of, asked: str) -> None:
    with _claims(
        library_of, "value R_D of", "value RD of", "value Ｒ<sub>D</sub> of", "R or D", language="en"
    ) as store:
        assert _asked(store, asked) == [1, 2, 3]
        assert _asked(store, f"value ADJ {asked} ADJ of") == [1, 2, 3]
