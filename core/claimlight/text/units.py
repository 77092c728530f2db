"""Span units by name: the built-in ones, and those of a spaCy pipeline the user has installed.

    encoder_token, word, noun_phrase, hybrid       built in
    spacy:en_core_sci_lg                           noun phrases of that pipeline
    spacy-hybrid:en_core_sci_lg                    those, and every whole word outside them

A vocabulary records the unit under its full name, which says what the spans depend on: the revision of the
rules (``noun_phrase@1``) or the version of the pipeline (``spacy:en_core_sci_lg@0.5.4``). The name is part of
the vocabulary's fingerprint, so an index never mixes spans of two versions.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from claimlight.errors import InputError, ResourceError
from claimlight.text import phrases
from claimlight.text.pipelines import Pipeline
from claimlight.text.spans import SPAN_UNITS, SpanUnit, TokenSpans, phrase_spans

PHRASES = "spacy:"
HYBRID = "spacy-hybrid:"
REVISIONS = {"noun_phrase": phrases.REVISION, "hybrid": phrases.REVISION}
"""Units whose spans depend on rules that may change."""


@dataclass(frozen=True, slots=True)
class NamedUnit:
    """A span unit and the full name under which a vocabulary records it."""

    name: str
    unit: SpanUnit


class PipelinePhrases:
    """Every noun chunk of a spaCy pipeline; with ``words``, every whole word outside them too."""

    def __init__(self, pipeline: Pipeline, *, words: bool) -> None:
        self._pipeline = pipeline
        self._words = words

    def spans(self, text: str, offsets: NDArray[np.int32]) -> TokenSpans:
        return phrase_spans(text, self._pipeline.noun_phrases(text), offsets, words=self._words)


def open_unit(name: str) -> NamedUnit:
    """The unit of a short or full name, ready for use.

    `InputError` for a name nobody knows; `ResourceError` where the pipeline or the revision that it
    asks for is not the installed one.
    """
    plain, _, wanted = name.partition("@")
    if plain in SPAN_UNITS:
        return _built_in(name, plain, wanted)
    for prefix in (PHRASES, HYBRID):
        if plain.startswith(prefix):
            return _of_pipeline(prefix, plain.removeprefix(prefix), wanted)
    known = ", ".join((*sorted(SPAN_UNITS), f"{PHRASES}PIPELINE", f"{HYBRID}PIPELINE"))
    raise InputError(f"there is no span unit {name!r}; known: {known}")


def _built_in(name: str, plain: str, wanted: str) -> NamedUnit:
    revision = REVISIONS.get(plain, "")
    if wanted not in {"", revision}:
        raise ResourceError(
            f"The span unit {name} is not that of this program, whose revision is "
            f"{revision or 'without number'}. Use the program it was made with, or build new centers with "
            "`claimlight models centers build`."
        )
    return NamedUnit(f"{plain}@{revision}" if revision else plain, SPAN_UNITS[plain])


def _of_pipeline(prefix: str, pipeline: str, wanted: str) -> NamedUnit:
    opened = Pipeline(pipeline)
    if wanted not in {"", opened.version}:
        raise ResourceError(
            f"The spaCy pipeline {pipeline} is installed in version {opened.version}, but version {wanted} "
            f"is asked for, and another version finds other phrases. Install {pipeline} {wanted}, or build "
            "new centers with `claimlight models centers build`."
        )
    unit = PipelinePhrases(opened, words=prefix == HYBRID)
    return NamedUnit(f"{prefix}{pipeline}@{opened.version}", unit)
