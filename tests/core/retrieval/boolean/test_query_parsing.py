"""Reading query lines: precedence, fields, values, canonical form, and columns of what is wrong."""

from __future__ import annotations

import string

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from claimlight.errors import QueryError
from claimlight.retrieval.boolean.canonical import format_canonical
from claimlight.retrieval.boolean.nodes import Node, Phrase, leaves
from claimlight.retrieval.boolean.parser import parse
from claimlight.types import DefaultOperator
from tests.core.retrieval.boolean.query_cases import bare


@pytest.mark.parametrize(
    ("line", "meant"),
    [
        ("a b c", "a AND b AND c"),
        ("a OR b c", "a OR (b AND c)"),
        ("a XOR b AND c", "a XOR (b AND c)"),
        ("a OR b XOR c", "a OR (b XOR c)"),
        ("a AND b SAME c", "a AND (b SAME c)"),
        ("a SAME b WITH c", "a SAME (b WITH c)"),
        ("a WITH b ADJ c", "a WITH (b ADJ1 c)"),
        ("a NEAR b ADJ2 c", "(a NEAR1 b) ADJ2 c"),
        ("a AND b NOT c", "(a AND b) NOT c"),
        ("a NOT b AND c", "(a NOT b) AND c"),
        ("a and not b", "a NOT b"),
        ("not a or b", "(NOT a) OR b"),
        ("a not\n with b", "a NOT WITH b"),
        ("a NOT ADJ3 b", "a NOT ADJ3 b"),
        ("a with3 b", "a WITH3 b"),
        ("(a OR b).ti.", "a.ti. OR b.ti."),
        ("(a.ab. OR b).ti.", "a.ab. OR b.ti."),
        ("TI,AB:(a b)", "a.ti,ab. AND b.ti,ab."),
        ("a.ab,ti.", "a.ti,ab."),
        ("a.spec.", "a.de."),
        ("Dämpfer", "dämpfer"),
        ("damp*", "damp$"),
        ("dam$1$2p$$", "dam$3p$"),
        ("damp$0", "damp"),
        ("state-of-the-art.clm.", '"state of the art".clm.'),
        ('"AND"', '"and"'),
        ("“fluid  damper”", '"fluid damper"'),
        ('"L1" OR l1', '"l1" OR L1'),
        ("3.5", '"3 5"'),
        ("U.S.C", '"u s c"'),
        ("H04L 9/32.cpc.", "CPC=H04L9/32"),
        ("cpc:h04l", "CPC=H04L"),
        ("H04L9/$.ipc.", "IPC=H04L9/00"),
        ("CPC=H04L9", "CPC=H04L9/00"),
        ("cpc:h04l9/06+", "CPC=H04L9/06+"),
        ("H04L 9/06+.cpc.", "CPC=H04L9/06+"),
        ("IPC=H04L9+", "IPC=H04L9/00+"),
        ("CPC=H04L+", "CPC=H04L"),
        ("CPC=H04L0009061800", "CPC=H04L9/0618"),
        ("CPC=H04L0009060000+", "CPC=H04L9/06+"),
        ("CPC=H04L9/3$", "CPC=H04L9/3$"),
        ('CPC="H04L 9/00"', 'CPC="H04L 9/00"'),
        ("(H04L7/00-H04L9/40 OR G06F).cpc.", "CPC=H04L7/00-H04L9/40 OR CPC=G06F"),
        ("@PD>=2010<2012", "PD>=20100101<=20111231"),
        ("pd>20091231", "PD>=20100101"),
        ("pd<2010-03", "PD<=20100228"),
        ("20100305.pd.", "PD=20100305"),
        ("2010..2012.fd.", "FD>=20100101<=20121231"),
        ("ad=2010-02", "FD>=20100201<=20100228"),
        ("prad<>2010", "PRAD<>20100101..20101231"),
        ("EP 1 000.pn.", "ep AND 1 AND PN=000"),
        ('"EP 1 000 000 A1".pn.', "PN=EP1000000A1"),
        ("us13/123,456.ap.", "AP=US13123456"),
        ("L12 and (L2 not L3)", "L12 AND (L2 NOT L3)"),
        ('~"a  wheel" b', '~"a wheel" AND b'),
        ("like(ep1000000a1) covers(f3)", "LIKE(EP1000000A1) AND COVERS(F3)"),
        ("like(ep1 , “a  (small) wheel, turning”)", 'LIKE(EP1, "a (small) wheel, turning")'),
        ('LIKE(EP1 "x")', 'LIKE(EP1, "x")'),
        ("cited(l3) NOT citing(ep1000000a1)", "CITED(L3) NOT CITING(EP1000000A1)"),
        ("L7 AND damper$2 family(L7)", "L7 AND damper$2 AND FAMILY(L7)"),
        ("cited citing family (x)", "cited AND citing AND family AND x"),
        ("near-field within liked android", '"near field" AND within AND liked AND android'),
    ],
)
def test_how_a_line_is_read(line: str, meant: str) -> None:
    assert format_canonical(parse(line)) == meant
    assert bare(parse(meant)) == bare(parse(line))


@pytest.mark.parametrize(
    ("default", "meant"),
    [
        (DefaultOperator.AND, "(a AND b) OR c"),
        (DefaultOperator.OR, "a OR b OR c"),
        (DefaultOperator.ADJ, "(a ADJ1 b) OR c"),
    ],
)
def test_default_operator(default: DefaultOperator, meant: str) -> None:
    assert format_canonical(parse("a b OR c", default=default)) == meant


def test_the_default_operator_binds_as_the_one_it_stands_for() -> None:
    assert format_canonical(parse("a b WITH c", default=DefaultOperator.ADJ)) == "(a ADJ1 b) WITH c"
    assert format_canonical(parse("a b WITH c", default=DefaultOperator.OR)) == "a OR (b WITH c)"


@pytest.mark.parametrize(
    ("line", "column", "told"),
    [
        ("", 1, "line is empty"),
        ("  \n", 1, "line is empty"),
        ("a AND", 6, "ends after AND"),
        ("a AND ", 6, "ends after AND"),
        ("AND a", 1, 'To search for the word itself, put it in quotes: "and"'),
        ("a (OR b)", 4, "needs a word"),
        ("a OR AND b", 6, "OR is followed by AND"),
        ("(a OR b", 1, "not closed"),
        ("a AND (b OR (c)", 7, "not closed"),
        ("a) b", 2, "no opening one"),
        ("a OR ()", 7, "These brackets are empty"),
        ("(a OR )", 7, "OR is last in these brackets"),
        ("a.xx.", 2, 'no field "xx"'),
        ("XX:a", 1, 'no field "xx"'),
        ("e.g.", 2, "put the text in quotes"),
        ("a.ti,cpc.", 2, "cpc can't be in a list"),
        ("a.ti.ab.", 1, "two lists of fields"),
        (".ti. a", 1, "must follow a word or bracket"),
        ('valve "fluid', 7, "not closed"),
        ("a ~wheel", 3, "must be followed by a text in quotes"),
        ("a @", 3, "followed by a date field"),
        ("$", 1, "would match every word"),
        ("a AND ???", 7, "would match every word"),
        ("a AND §", 7, "no letter or digit"),
        ('a ""', 3, "no letter or digit"),
        ("a ADJ0 b", 3, "from 1 to 1000"),
        ("a NEAR1001 b", 3, "from 1 to 1000"),
        ("a SAME2 b", 3, "takes no number"),
        ("a SAME (b AND c)", 11, "AND combines documents"),
        ("a ADJ (NOT b)", 8, "NOT combines documents"),
        ("a ADJ (b OR (c XOR d))", 16, "XOR combines documents"),
        ("a WITH L3", 8, "L3 has no position in a text"),
        ("a WITH CPC=H04L", 12, "H04L has no position in a text"),
        ('~"x y" SAME a', 1, "has no position in a text"),
        ("a.as. SAME b.ti.", 7, "different fields"),
        ("L1.ti.", 1, "L1 is not a word"),
        ("(a OR L1).ti.", 7, "L1 is not a word"),
        ("TI>5", 1, "can't be compared"),
        ("pd>x", 4, "is not a date"),
        ("pd=20101301", 4, "no month 13"),
        ("pd=20100231", 4, "28 days"),
        ("pd=2012..2010", 4, "is reversed"),
        ("pd>2012<2010", 9, "No date satisfies"),
        ("pd>", 4, "ends after >"),
        ("pd<>2010<2011", 10, "can't be combined"),
        ("CPC=X99", 5, "is not a class"),
        ("CPC=X99+", 5, "is not a class"),
        ("CPC=H04L9/00-H04L9/40+", 5, "is not a class"),
        ("CPC=H04L9/06x", 5, "is not a class"),
        ('CPC="H04L9/06+"', 5, "is not a class"),
        ("CPC=H04L9/00-H04L7/00", 5, "is reversed"),
        ("CPC=H04L-H04M-H04N", 5, "not a range of classes"),
        ("a AND §§§.pn.", 7, "is not a number"),
        ("LIKE( )", 1, "LIKE(EP1000000A1)"),
        ('LIKE(, "x")', 1, 'LIKE(EP1000000A1, "a passage of it")'),
        ('LIKE(EP1, "")', 1, 'LIKE(EP1000000A1, "a passage of it")'),
        ("FAMILY( )", 1, "FAMILY(EP1000000A1) or FAMILY(L3)"),
        ("a AND CITED((b OR c))", 7, "To use the documents of another line, run that line first"),
        ('CITING("b")', 1, "CITING( ) takes a publication number or a set"),
        ("CITED(", 1, "CITED( ) takes a publication number or a set"),
        ("a SAME CITED(L1)", 8, "CITED(L1) has no position in a text"),
        ("CITED(L1).ti.", 1, "CITED(L1) is not a word"),
        ("a = b", 1, 'no field "a"'),
        ("U.S.C.", 4, 'no field "c"'),
        ("(" * 200 + "a" + ")" * 200, 81, "are nested here"),
        ("a AND 5 : 6", 9, "A field must come before"),
        ("damp$99999999999er", 1, "up to 1000 letters"),
        ("a damp$600$600er", 3, "up to 1000 letters"),
        ("damp$" + "9" * 5000 + "er", 6, "5,000 digits"),
        ("a ADJ" + "9" * 5000 + " b", 6, "5,000 digits"),
        ("L" + "9" * 5000, 2, "5,000 digits"),
        ("a " * 25_001, 50_001, "50,002 characters"),
    ],
)
def test_what_is_wrong_and_where(line: str, column: int, told: str) -> None:
    with pytest.raises(QueryError) as error:
        parse(line)
    assert told in str(error.value)
    assert error.value.column == column


def test_long_chains_are_read() -> None:
    node = parse(" OR ".join(f"w{n}" for n in range(3000)))
    assert len(list(leaves(node))) == 3000
    with pytest.raises(QueryError, match="are nested here"):
        parse(" ADJ ".join(f"w{n}" for n in range(3000)))
    assert len(list(leaves(parse(" ADJ ".join(f"w{n}" for n in range(100)))))) == 100


def test_columns_of_terms() -> None:
    found = [(leaf.text, leaf.column) for leaf in leaves(parse('damp$2 AND ("fluid x" OR L3).'.rstrip(".")))]
    assert found == [("damp$2", 1), ('"fluid x"', 13), ("L3", 26)]


def _read(line: str, default: DefaultOperator = DefaultOperator.AND) -> Node | QueryError:
    try:
        return parse(line, default=default)
    except QueryError as error:
        return error


_SIGNS = string.ascii_letters + string.digits + " ()\"~.,:$?*<>=@-/äΩ𝛼弁§'“”\n"


@given(st.text(st.sampled_from(_SIGNS), max_size=30))
@settings(max_examples=1500, deadline=None)
def test_any_text_is_read_or_refused_inside_the_line(line: str) -> None:
    found = _read(line)
    if isinstance(found, QueryError):
        assert 1 <= found.column <= len(line) + 1
        assert str(found)
    else:
        assert bare(parse(format_canonical(found))) == bare(found)


_PIECES = [
    *("a", "damp$2", '"b c"', "(", ")", "AND", "or", "NOT", "ADJ2", "with", "SAME", "xor", ".ti.", ".cpc."),
    *(
        "TI:",
        "H04L9/00",
        "pd",
        ">=",
        "2010",
        "L1",
        '~"x"',
        "LIKE(EP1)",
        'LIKE(EP1, "x")',
        "CITED(L1)",
        "FAMILY(EP1)",
        "-",
        ".ab,clm.",
        "CPC=",
        "20100101.pd.",
    ),
]


@given(st.lists(st.sampled_from(_PIECES), max_size=9), st.sampled_from(DefaultOperator))
@settings(max_examples=1500, deadline=None)
def test_any_pieces_are_read_or_refused(pieces: list[str], default: DefaultOperator) -> None:
    line = " ".join(pieces)
    found = _read(line, default)
    if isinstance(found, QueryError):
        assert 1 <= found.column <= len(line) + 1
        return
    assert bare(parse(format_canonical(found), default=default)) == bare(found)
    for leaf in leaves(found):
        if isinstance(leaf, Phrase):
            assert line[leaf.column - 1 :].startswith(leaf.text)
