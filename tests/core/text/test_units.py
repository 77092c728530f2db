"""Units by name; spaCy's with a pipeline package that is made here, of rules, and installed on the path."""

import re
import subprocess
import sys
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from claimlight.errors import InputError, ResourceError
from claimlight.text import pipelines, units
from claimlight.text.pipelines import Pipeline
from claimlight.text.spans import SPAN_UNITS
from claimlight.text.units import open_unit
from tests.core.text.pipeline_fakes import install

pytest.importorskip("spacy", reason="needs claimlight[phrases]")

PIECE = re.compile(r"\w{1,4}|[^\w\s]")


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    install(folder)
    return folder


@pytest.fixture(scope="module")
def toy(site):
    sys.path.insert(0, str(site))
    yield "xx_toy"
    sys.path.remove(str(site))


def found(unit, text):
    places = np.array([match.span() for match in PIECE.finditer(text)], dtype=np.int32).reshape(-1, 2)
    spans = unit.spans(text, places)
    return [text[start:end] for start, end in zip(spans.start.tolist(), spans.end.tolist(), strict=True)]


def test_built_in_units_have_full_names():
    names = {name: open_unit(name).name for name in SPAN_UNITS}
    assert names == {
        "encoder_token": "encoder_token",
        "word": "word",
        "noun_phrase": "noun_phrase@1",
        "hybrid": "hybrid@1",
    }
    for name, full in names.items():
        assert open_unit(full).unit is open_unit(name).unit is SPAN_UNITS[name]


def test_another_revision_of_the_rules_is_refused():
    with pytest.raises(
        ResourceError, match=r"noun_phrase@2 is not that of this program, whose revision is 1"
    ):
        open_unit("noun_phrase@2")
    with pytest.raises(ResourceError, match="without number"):
        open_unit("word@1")


def test_unknown_units_name_the_known_ones():
    with pytest.raises(InputError, match=r"no span unit 'sentence'; known: encoder_token, .*spacy:PIPELINE"):
        open_unit("sentence")


def test_a_missing_pipeline_is_said():
    with pytest.raises(
        ResourceError, match=r"pipeline en_core_sci_lg is not installed\. Install it with pip"
    ):
        open_unit("spacy:en_core_sci_lg")


@pytest.mark.parametrize("name", ["../evil", "/tmp/pipeline", "", "a b", "en-core"])
def test_a_pipeline_is_never_a_path(name):
    with pytest.raises(InputError, match="not the name of a spaCy pipeline"):
        open_unit(f"spacy:{name}")


def test_missing_spacy_is_said(toy, monkeypatch):
    monkeypatch.setitem(sys.modules, "spacy", None)
    with pytest.raises(ResourceError, match=r"install claimlight\[phrases\]"):
        open_unit("spacy:xx_toy")


def test_a_pipeline_without_a_parser_is_refused(toy):
    with pytest.raises(ResourceError, match="xx_bare finds no noun chunks"):
        open_unit("spacy:xx_bare")


def test_a_pipeline_that_finds_nothing_is_refused(toy, monkeypatch):
    monkeypatch.setattr(pipelines, "_PROBE", "Nothing here.")
    with pytest.raises(ResourceError, match=r"finds no noun chunk in 'Nothing here\.'"):
        open_unit("spacy:xx_toy")


def test_phrases_of_a_pipeline_are_tidied(toy):
    text = "At least one sensor and a plurality of the valves: it opens said inner chamber; the first rod 12"
    assert found(open_unit("spacy:xx_toy").unit, text) == ["sensor", "valves", "inner chamber", "rod"]


def test_the_pipelines_hybrid_adds_the_other_words(toy):
    text = "the inner valve opens it"
    assert found(open_unit("spacy-hybrid:xx_toy").unit, text) == ["the", "inner valve", "opens", "it"]


def test_the_version_is_part_of_the_name(toy):
    assert open_unit("spacy:xx_toy").name == "spacy:xx_toy@1.2.3"
    assert open_unit("spacy-hybrid:xx_toy@1.2.3").name == "spacy-hybrid:xx_toy@1.2.3"
    with pytest.raises(
        ResourceError, match=r"installed in version 1\.2\.3, but version 1\.2\.4 is asked for"
    ):
        open_unit("spacy:xx_toy@1.2.4")


@pytest.fixture(scope="module")
def opened(toy):
    return Pipeline(toy)


WORDS = st.sampled_from(
    ["a", "valve", "\U0001d6fc", "of", ",", "it", "inner", "\n", "12", "שסתום", "Valves", "\u200f"]
)


@given(words=st.lists(WORDS | st.text(max_size=3), max_size=30), between=st.sampled_from([" ", ""]))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60, deadline=None)
def test_phrases_of_a_pipeline_are_disjoint_trimmed_and_always_the_same(opened, words, between):
    # The toy takes 12 for a noun, as it does "it"; both are trimmed, and "inner" before them is left alone.
    assume("inner" not in words or not {"12", "it"} & set(words))
    text = between.join(words)
    phrases = opened.noun_phrases(text)
    assert phrases == opened.noun_phrases(text)
    assert all(left.end <= right.start for left, right in pairwise(phrases))
    for phrase in phrases:
        surface = text[phrase.start : phrase.end]
        assert surface == surface.strip()
        # The toy knows three nouns of these; a letter alone is no phrase, "inner" before it makes one.
        assert re.search("valve|rod|\U0001d6fc", surface, re.IGNORECASE)
    if between and "\U0001d6fc" not in text:
        assert len(phrases) == sum(word.casefold() in {"valve", "valves", "rod"} for word in text.split())


def test_pieces_end_after_white_space(monkeypatch):
    monkeypatch.setattr(pipelines, "_PIECE", 8)
    text = "one two three fourteencharacters\nfive"
    pieces = list(pipelines._pieces(text))
    assert pieces == [
        (0, "one two "),
        (8, "three "),
        (14, "fourteen"),
        (22, "characte"),
        (30, "rs\nfive"),
    ]
    assert all(text[begin : begin + len(piece)] == piece for begin, piece in pieces)


def test_cut_texts_keep_their_offsets(toy, monkeypatch):
    monkeypatch.setattr(pipelines, "_PIECE", 20)
    text = "the \U0001d6fc valve, the inner chamber; a spring and the rod"
    assert found(open_unit("spacy:xx_toy").unit, text) == ["valve", "inner chamber", "spring", "rod"]


def test_spacy_is_not_imported_for_the_built_in_units():
    code = "import sys; from claimlight.text.units import open_unit; "
    code += "open_unit('hybrid'); sys.exit('spacy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
    assert units.PHRASES == "spacy:"
