import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from claimlight.text.phrases import MOST_WORDS, noun_phrases
from tests.core.text.phrase_labels import SEEN, UNSEEN


def phrases(text):
    return [text[found.start : found.end] for found in noun_phrases(text)]


def labelled(sentence):
    """The plain text and its marked ranges."""
    text, ranges, begin = "", set(), 0
    for part in re.split(r"([\[\]])", sentence):
        if part == "[":
            begin = len(text)
        elif part == "]":
            ranges.add((begin, len(text)))
        else:
            text += part
    return text, ranges


def precision_and_recall(sentences):
    found, wanted, both = 0, 0, 0
    for sentence in sentences:
        text, ranges = labelled(sentence)
        mine = {(item.start, item.end) for item in noun_phrases(text)}
        found, wanted, both = found + len(mine), wanted + len(ranges), both + len(mine & ranges)
    return both / found, both / wanted


@pytest.mark.parametrize(("sentences", "least"), [(SEEN, 100), (UNSEEN, 100)])
def test_hand_labelled_sentences(sentences, least):
    """Exact agreement of both ends; the floors lie two points below what was reached."""
    assert sum(len(labelled(sentence)[1]) for sentence in sentences) >= least
    precision, recall = precision_and_recall(sentences)
    assert precision >= 0.96
    assert recall >= 0.97


@pytest.mark.parametrize(
    ("text", "found"),
    [
        # What the reference's filter drops whole.
        ("a plurality of storage tanks", ["storage tanks"]),
        ("at least one sensor", ["sensor"]),
        ("the device housing", ["device housing"]),
        ("curve approach control device", ["curve approach control device"]),
        ("rubber, polymer and diene", ["rubber", "polymer", "diene"]),
        ("the method", ["method"]),
        # One word, four readings.
        ("the rotating shaft", ["rotating shaft"]),
        ("rotating the shaft", ["shaft"]),
        ("for rotating shafts", ["shafts"]),
        ("the coating of the plate", ["coating", "plate"]),
        ("a curved plate", ["curved plate"]),
        ("the plate is curved", ["plate"]),
        ("the valve controls the flow", ["valve", "flow"]),
        ("the flow controls", ["flow controls"]),
        ("to control the motor", ["motor"]),
        ("connected to control units", ["control units"]),
        ("an adjacent tooth", ["adjacent tooth"]),
        ("a tooth adjacent a gap", ["tooth", "gap"]),
        # Numbers, units, references.
        ("the lever 14a and the pin 16", ["lever", "pin"]),
        ("a layer 5 mm thick", ["layer"]),
        ("heated to 80 °C in 20 wt% acid", ["acid"]),
        ("the valve of claim 3 shown in FIG. 2", ["valve"]),
        ("a type 2 bearing", ["type 2 bearing"]),
        ("two rotating rolls and 20 \u00b5l water", ["rotating rolls", "water"]),
        ("the octane number of a number of fuels", ["octane number", "fuels"]),
        ("valves such as flaps, for example", ["valves", "flaps"]),
        ("the valve set forth in order to form it", ["valve"]),
        # Chemistry and signs inside words.
        ("a solution of 1,2-dichloroethane in N,N-dimethylformamide",
         ["solution", "1,2-dichloroethane", "N,N-dimethylformamide"]),
        ("(meth)acrylate resin", ["(meth)acrylate resin"]),
        ("the sensor(s) detect(s) a TCP/IP packet", ["sensor(s)", "TCP/IP packet"]),
        ("an α-amylase", ["α-amylase"]),
        ("a soft, elastic pad", ["soft, elastic pad"]),
        ("X and Y", []),
        ("it is what they are", []),
        ("", []),
    ],
)  # fmt: skip
def test_rules(text, found):
    assert phrases(text) == found


def test_german_nouns_are_known_by_their_capital():
    text = "Stoßdämpfer mit einem Zylinder, wobei der bewegliche Kolben in der zähen Flüssigkeit und das Öl"
    assert phrases(text) == ["Stoßdämpfer", "Zylinder", "bewegliche Kolben", "zähen Flüssigkeit", "Öl"]


def test_french_is_cut_at_its_small_words():
    assert phrases("un piston mobile dans le cylindre de la pompe hydraulique") == [
        "piston mobile",
        "cylindre",
        "pompe hydraulique",
    ]


def test_scripts_without_rules_give_their_runs():
    assert phrases("השסתום מחובר, המשאבה") == ["השסתום מחובר", "המשאבה"]
    assert phrases("\U0001d6fc\U0001d6fd valve \U0001f600 rod") == ["\U0001d6fc\U0001d6fd valve", "rod"]


def test_a_long_phrase_keeps_its_last_words():
    words = [f"part{letter}" for letter in "abcdefghijkl"]
    (found,) = phrases(" ".join(words))
    assert found.split() == words[-MOST_WORDS:]


@pytest.mark.parametrize(
    "piece",
    ["very ", "blue ", "1,", "a,", "rotating ", "curved ", "(", "x-", "the blue, ", "controls ", "-1"],
)
def test_endless_repetition_is_read_in_linear_time(piece):
    """Backtracking would take hours here, were it quadratic."""
    found = phrases(piece * 100_000 + " valve")
    assert found[-1].endswith("valve")


def test_lines_are_not_joined():
    assert phrases("a valve\nspring") == ["valve", "spring"]


WORDS = """the a of said valve piston rods rotating curved controls comprising to is substantially first 12
    FIG. , ; (12) ( ) two-part 1,2- mm and valve-side plurality which adjacent type \u200f שסתום 日本 Größe
    \U0001d6fc der die les - ' _ °C % . (meth) sensor(s)"""
PIECES = st.sampled_from(WORDS.split())


@given(st.lists(PIECES | st.text(max_size=5), max_size=40), st.sampled_from([" ", "", "\n"]))
def test_phrases_are_disjoint_trimmed_and_always_the_same(pieces, between):
    text = between.join(pieces)
    found = noun_phrases(text)
    assert found == noun_phrases(text)
    assert all(0 <= item.start < item.end <= len(text) for item in found)
    assert all(left.end <= right.start for left, right in pairwise(found))
    for item in found:
        words = text[item.start : item.end]
        assert words == words.strip()
        assert "\n" not in words
        assert sum(map(str.isalpha, words)) > 1


@given(st.lists(PIECES, min_size=1, max_size=12).map(" ".join), st.lists(PIECES, max_size=12).map(" ".join))
def test_what_stands_in_another_line_changes_nothing(line, other):
    """Offsets are those of the stored text, whatever stands before; the languages must agree."""
    english = "the valve of the pump is on the rod and to"
    alone = [(item.start, item.end) for item in noun_phrases(f"{english}\n{line}")]
    before = f"{english}\n{other}\n\U0001d6fc\n"
    shifted = [
        (item.start - len(before), item.end - len(before))
        for item in noun_phrases(f"{before}{english}\n{line}")
    ]
    assert [item for item in shifted if item[0] >= 0] == alone
