"""Stages and units of long work in the language of the window; the core names them in English."""

from __future__ import annotations

from typing import TYPE_CHECKING

from claimlight_workbench.language import begin, number, tr

if TYPE_CHECKING:
    from claimlight.types import Progress

JUDGING, READING_ON = "judging", "reading_on"
"""Stages of a matrix: the judge rules on all documents, then reads on in the best."""
_STAGES = {
    "cells": tr("cells"),
    "centers": tr("concepts"),
    "checking": tr("checking"),
    "citations": tr("citations"),
    "copying": tr("copying"),
    "dense": tr("dense vectors"),
    "documents": tr("documents"),
    "downloading": tr("downloading"),
    "encode": tr("encode"),
    "encoding": tr("encoding"),
    "experts": tr("parts of the classifier"),
    "export": tr("exporting"),
    "exporting": tr("exporting"),
    "full text": tr("descriptions"),
    "gather tables": tr("reading tables"),
    "import": tr("importing"),
    "index": tr("index"),
    JUDGING: tr("judging"),
    "keep drawings": tr("keeping drawings"),
    "learning words and pairs of words": tr("learning words and pairs of words"),
    "map": tr("map"),
    "measuring": tr("measuring"),
    "probe": tr("trial"),
    "queries": tr("queries"),
    "read": tr("reading"),
    READING_ON: tr("reading on"),
    "reading the scheme": tr("reading the scheme"),
    "search": tr("search"),
    "sentences and terms": tr("sentences and terms"),
    "teacher": tr("vectors of the teacher"),
    "training": tr("training"),
    "writing the scheme": tr("writing the scheme"),
}
_UNITS = {
    "centers": tr("concepts"),
    "classifiers": tr("classifiers"),
    "documents": tr("documents"),
    "epochs": tr("epochs"),
    "files": tr("files"),
    "fits": tr("fits"),
    "models": tr("models"),
    "passages": tr("passages"),
    "queries": tr("queries"),
    "sections": tr("sections"),
    "steps": tr("steps"),
    "texts": tr("texts"),
    "topics": tr("topics"),
}
BYTES = "bytes"
_SIZES = (tr("B"), tr("kB"), tr("MB"), tr("GB"))
_SCALE = 1000


def stage_name(stage: str) -> str:
    """A stage as it is written within a sentence; one that is not known keeps its name."""
    return _STAGES.get(stage.lower(), stage)


def stage_heading(stage: str) -> str:
    """A stage as it begins a line."""
    return begin(stage_name(stage))


def unit_name(unit: str) -> str:
    """What is counted, of many."""
    return _UNITS.get(unit, unit)


def amount(progress: Progress) -> str:
    """How much is done, of how much if that is known: ``3 of 12 documents``, ``3.4 MB of 20 MB``."""
    if progress.unit == BYTES:
        total = tr(" of {n}", n=size(progress.total)) if progress.total else ""
        return f"{size(progress.done)}{total}"
    unit = unit_name(progress.unit)
    if progress.total:
        return tr("{done:,} of {total:,} {unit}", done=progress.done, total=progress.total, unit=unit)
    return f"{number(progress.done, ',')} {unit}"


def rate(progress: Progress) -> str:
    """Units in a second, or in the minute or hour if they take long."""
    if progress.unit == BYTES:
        return f"{size(progress.rate)}/s"
    shown, form, time = progress.speed
    return f"{number(shown, form)} {unit_name(progress.unit)}/{time}"


def size(count: float) -> str:
    """``3.4 MB``."""
    for unit in _SIZES:
        if count < _SCALE:
            return f"{number(count, '.0f' if unit is _SIZES[0] else '.1f')} {unit}"
        count /= _SCALE
    return f"{number(count, '.1f')} {tr('TB')}"
