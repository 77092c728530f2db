"""What is found by words only: sequences, figures, lists and formulas of a description, and never prose."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from claimlight.text.words_only import WordsOnly, find_words_only
from claimlight.types import Section

DESCRIPTION = (
    Section.BACKGROUND,
    Section.SUMMARY,
    Section.DRAWINGS,
    Section.DETAILED,
    Section.DESCRIPTION,
)

FOUND = {
    WordsOnly.SEQUENCE: (
        "atgcctgaag ctgaccttgg aacctgacct ttgacgatca 40\nggctaacctg aatcgatcga tacgatcgat ttaacgcgta 80",
        "ATGCCTGAAGCTGACCTTGGAACCTGACCTTTGACGATCAGGCTAACCTGAATCG",
        "AUGCCUGAAGCUGACCUUGG AACCUGACCUUUGACGAUCA GGCUAACCUG (SEQ ID NO: 7)",
        "Met Ala Gly Thr Lys Leu Val Pro Ser Asp\n1 5 10\nGlu Phe Trp Cys Asn Gln His Ile Arg Tyr\n15 20",
        "1 MKTAYIAKQR QISFVKSHFS RQLEERLGLI EVQAPILSRV GDGTQDNLSG 50",
        "MKTAYIAKQRQISFVKSHFSRQLEERLGLIEVQAPILSRVGDGTQDNLSG",
        "TABLE 4\nGene | Primer\nABX1 | gtggacagtgacaccatttggaacc\nABX2 | ggagaaagaagtaccaacctgaatg",
        "<110> Example AG\n<120> The enzyme is new\n<210> 1\n<211> 12\n<212> DNA\n<400> 1\nacgtacgtacgt",
    ),
    WordsOnly.FIGURES: (
        "TABLE 2\nExample | Viscosity | Density\n1 | 12.5 | 1.08\n2 | 13.1 | 1.09\n3 | 14.9 | 1.11\n4 | 15",
        "1 0.28\n2 0.44\n3 2.9\n4 1.7\n5 0.59\n6 1.03\n7 4.4\nIC50 values",
        "1H NMR (400 MHz, CDCl3) δ 7.26 (s, 1H), 6.91 (d, J=8.2 Hz, 2H), 4.12 (t, J=6.5 Hz, 2H), "
        "3.80 (s, 3H), 2.47 (m, 2H), 1.75 (m, 2H), 1.32 (s, 6H), 0.91 (t, J=7.1 Hz, 3H)",
    ),
    WordsOnly.REFERENCE_SIGNS: (
        "1 housing 2 lid 3 spring 4 locking bolt 5 spindle",
        "10: base; 12: arm; 12a: tip of arm; 14: gripper; 16, 18: motors",
        "Reference numerals\n10 base\n12 arm\n14 gripper\n16 control unit\n18 lock nut",
        "10 - base; 12 - arm; 14 - gripper; 16 - motor.",
        "1 … housing, 2 … lid, 3 … spring, 4 … bolt",
        "1 | housing\n2 | lid\n3 | spring\n4 | locking bolt",
        "1 Gehäuse\n2 Deckel\n3 Feder\n4 Verriegelungsbolzen\n5 Spindel",
        "1 boîtier\n2 couvercle\n3 ressort\n4 boulon",
        "10 image sensor\n10a image sensor\n10b image sensor\n12 lens\n14 shutter\n16 processor",
    ),
    WordsOnly.FORMULA: (
        "[0012]",
        "- 17 -",
        "y = ax2 + bx + c (3)",
        r"\(\frac{1}{\sqrt{k}}\begin{matrix} x_{1} & x_{2} \end{matrix}\)",
        "R1 = H, R2 = CH3, X = N",
    ),
    WordsOnly.PICTURE: (
        "[chemical formula 6: US00000001-C00006.TIF]",
        "[table: picture] [table 2: picture]",
    ),
}

PROSE = (
    # A sentence with many numbers.
    "Lines 10, 12, 14, 16, 18, 20, 22, 24, 26, 28 and 30 of the converter are closed at 2, 4 and 8 bar.",
    "Values of 1.2, 1.3, 1.4, 1.5, 1.6, 1.7, 1.8, 1.9, 2.0, 2.1, 2.2, 2.3 or 2.4 mm are preferred.",
    "Housing 10 receives lid 12, spring 14 presses bolt 16 against stop 18, and arm 20 turns shaft 22.",
    # Chemical names.
    "Suitable monomers are 2-vinyl-2-oxazoline, 2-isopropenyl-2-oxazoline and 2-(5-hexenyl)-2-oxazoline.",
    "Examples include 1,2-ethanediol, 1,3-propanediol, 1,4-butanediol, 1,5-pentanediol and 1,6-hexanediol.",
    "2-(4-chlorophenyl)-N-methylacetamide",
    # Lists with verbs, numbered clauses and steps.
    "1. A device comprising a housing. 2. The device of clause 1, wherein a lid pivots. 3. A kit of 1 or 2.",
    "1. Mixing flour with water\n2. Kneading dough\n3. Baking bread\n4. Cooling bread",
    "1) weigh sample 2) add buffer 3) shake 4) incubate 5) read absorbance",
    "(a) a housing (10); (b) a lid (12) that closes the housing; (c) a spring (14); (d) a bolt (16)",
    "FIG. 1 perspective view; FIG. 2 side view; FIG. 3 front view; FIG. 4 section; FIG. 5 detail",
    # Measured values in prose.
    "Example 7: 12.5 g of the amine and 8.1 g (20 mmol) of acid chloride gave 15.2 g of product, mp 155 °C.",
    "By using 5.8 g, 25.0 mmol, of acid with 14.2 g, 54.0 mmol, of amine, 15.6 g were obtained: δ 7.57.",
    "The primer atgcctgaagctgaccttggaacctgacctttgacgatcaggctaacctg binds to exon 3.",
    "Sequence listing fields <210>, <211>, <212>, <213> and <400> identify an entry.",
    # Amounts, and tables of words.
    "Recipe\nnatural rubber | 50\ncarbon black | 50\nzinc white | 3\nstearic acid | 2\nsulfur | 1.5",
    "1H-NMR: 6.15 (dd, 1H, olefin), 5.96 (dd, 1H, olefin), 1.59 (m, 6H, adamantyl)",
    "10 hours, 12 hours, 18 hours, 24 hours, 36 hours, 48 hours",
    "Symbol | Meaning\nA | inlet valve\nB | outlet valve\nC | bypass",
    # Headings and short passages.
    "4. Conclusion",
    "Wear Resistance",
    "CHARACTERISTICS MATERIALS PARTIAL DEFECTS ASSESSMENT",
    "(CD)",
    "**SMAD2**",
    "IL-6",
    "TABLE 6",
    # Without articles, and in other languages.
    "Remaining samples rest overnight under nitrogen.",
    "Der Deckel 2 schließt das Gehäuse 1, die Feder 3 drückt den Bolzen 4 gegen Anschlag 5.",
    "Le couvercle 2 ferme le boîtier 1 et le ressort 3 pousse le boulon 4.",
    "Крышка 2 закрывает корпус 1, пружина 3 толкает болт 4 к упору 5.",
    "1 筐体 2 蓋 3 ばね 4 ボルト",
    "実施例1では10gの粉末を20℃で30分間混合した。",
)


@pytest.mark.parametrize(("reason", "text"), [(reason, text) for reason in FOUND for text in FOUND[reason]])
def test_it_is_found(reason, text):
    assert find_words_only(text, Section.DETAILED) is reason


@pytest.mark.parametrize("text", PROSE)
def test_prose_and_short_texts_are_encoded(text):
    assert find_words_only(text, Section.DETAILED) is None


@pytest.mark.parametrize("section", Section)
def test_only_descriptions_lose_passages(section):
    found = {find_words_only(text, section) for texts in FOUND.values() for text in texts}
    assert found == (set(WordsOnly) if section in DESCRIPTION else {None})


@given(
    st.sampled_from([text for reason in WordsOnly for text in FOUND[reason] if "<210>" not in text]),
    st.sampled_from(["The lid is closed.", "A valve opens when pressure rises.", "Feder 3 ist gespannt."]),
    st.booleans(),
)
def test_a_sentence_saves_the_passage(text, sentence, before):
    assert (
        find_words_only(f"{sentence}\n{text}" if before else f"{text}\n{sentence}", Section.DETAILED) is None
    )


WORDS = st.sampled_from(
    ("valve", "opens", "pump", "drives", "shaft", "near", "inlet", "while", "oil", "flows")
)
NUMBERS = st.integers(0, 9999).map(str)


@given(
    st.lists(st.tuples(st.lists(NUMBERS, max_size=30), st.lists(WORDS, min_size=6, max_size=12)), min_size=1)
)
def test_words_in_succession_are_prose(parts):
    # Nothing that marks a sentence in any one language: the run of words alone decides.
    text = " ".join(" ".join((*numbers, *words)) for numbers, words in parts)
    assert find_words_only(text, Section.DETAILED) is None


@given(st.text())
def test_any_text_is_read(text):
    assert find_words_only(text, Section.DETAILED) in {None, *WordsOnly}
    assert find_words_only(text, Section.CLAIMS) is None
