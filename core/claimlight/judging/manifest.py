"""The manifest of a judge package: the model, the form of its input, its calibration, and its files."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any

from claimlight import codec
from claimlight.digests import sha256
from claimlight.encoders.manifest import SCHEMA, TOKENIZER_FILE, check_languages
from claimlight.encoders.package_files import (
    FileRecord,
    Role,
    check_records,
    find_record,
    list_records,
    plain_records,
    read_raw,
)
from claimlight.errors import InputError
from claimlight.files import Access, write_atomically
from claimlight.judging.calibration import Calibration
from claimlight.judging.reading import VERSION as READING
from claimlight.text import encoder_text
from claimlight.types import Reliability

JUDGE_FILE = "judge.onnx"


class JudgeKind(StrEnum):
    """How a model is asked, and what its graph returns for a pair."""

    DISCLOSURE = "disclosure"
    """Trained here: ``ruling`` [n] and ``terms`` [n, tokens]."""
    RERANKER = "reranker"
    """Feature as the query, passage as the text: ``logits`` [n, 1]."""
    ENTAILMENT = "entailment"
    """Passage as the premise, feature as the hypothesis: ``logits`` [n, labels]."""
    INSTRUCTION = "instruction"
    """A prompt: ``logits`` [n, 2] of the two answers, yes and no."""

    @property
    def template(self) -> str:
        """Template of packages that state none."""
        return _TEMPLATES[self]

    @property
    def reads_parts(self) -> bool:
        """Whether parts of a passage are read by themselves: their discount is in our judges' logits."""
        return self is JudgeKind.DISCLOSURE

    @property
    def fields(self) -> tuple[str, ...]:
        """What a template must contain."""
        return _FIELDS[self]


_TEMPLATES = {
    JudgeKind.DISCLOSURE: "",
    JudgeKind.RERANKER: "{subject} {feature}",
    JudgeKind.ENTAILMENT: "{feature}",
    JudgeKind.INSTRUCTION: (
        "A patent claims: {subject}\nOne of its features: {feature}\n\nA passage of an earlier document: "
        "{passage}\n\nDoes the passage disclose this feature? Answer Yes or No.\nAnswer:"
    ),
}
_FIELDS: Mapping[JudgeKind, tuple[str, ...]] = {
    JudgeKind.DISCLOSURE: (),
    JudgeKind.RERANKER: ("{feature}",),
    JudgeKind.ENTAILMENT: ("{feature}",),
    JudgeKind.INSTRUCTION: ("{feature}", "{passage}"),
}


@dataclass(frozen=True, slots=True)
class JudgeManifest:
    """Everything the program knows about a judge."""

    id: str
    version: str
    kind: JudgeKind
    licence: str
    source: str
    max_length: int
    """Tokens in one window, including special tokens."""
    precision: str
    commercial: bool = True
    languages: tuple[str, ...] = ()
    """Languages it reads (ISO 639-1); empty: any."""
    template: str = ""
    """Query, hypothesis or prompt, with ``{subject}``, ``{feature}`` and, in a prompt, ``{passage}``."""
    entailment: int = 0
    """Index of the label *entailment* among the logits."""
    answers: tuple[int, ...] = ()
    """Ids of the tokens whose logits a prompt is answered with: yes, no."""
    calibration: Calibration | None = None
    measured: Mapping[str, float] = field(default_factory=dict)
    """Figures of the judge, by name."""
    reliability: Reliability | None = None
    """Bins of probability and verdicts by wording, on the same cells as ``measured``."""
    measured_on: str = ""
    """The data of ``measured`` and ``reliability``, in a sentence."""
    parity: Mapping[str, float] = field(default_factory=dict)
    """Agreement with the checkpoint, measured at export."""
    files: tuple[FileRecord, ...] = ()

    @property
    def fingerprint(self) -> str:
        """Changes with everything that can change a ruling."""
        parts: list[Any] = [
            find_record(self, JUDGE_FILE).sha256,
            find_record(self, TOKENIZER_FILE).sha256,
            self.kind.value,
            self.max_length,
            self.template,
            self.entailment,
            self.answers,
            encoder_text.VERSION,
            READING,
        ]
        return f"{self.id}-{self.version}-{sha256(json.dumps(parts))[:16]}"


def read(path: Path) -> JudgeManifest:
    """Read a manifest; raises `ResourceError` if it is missing, `InputError` if it is invalid."""
    raw = read_raw(path)
    try:
        return validate(_from_json(raw))
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        reason = str(error) if isinstance(error, ValueError) else repr(error)
        raise InputError(f"{path} is not the manifest of a judge: {reason}") from error


def _from_json(raw: dict[str, Any]) -> JudgeManifest:
    if raw["schema"] != SCHEMA:
        raise ValueError(f"schema {raw['schema']}, this program reads {SCHEMA}")
    if raw.get("role") != Role.JUDGE:
        raise ValueError("its model is not a judge")
    return codec.read(JudgeManifest, {**raw, "files": list_records(raw)})


def validate(manifest: JudgeManifest) -> JudgeManifest:
    """Return the manifest; raises `ValueError` for values that no judge can have."""
    if manifest.max_length < 1:
        raise ValueError(f"{manifest.max_length} tokens")
    lacking = [name for name in manifest.kind.fields if name not in manifest.template]
    if lacking:
        raise ValueError(f"a template without {' and '.join(lacking)}: {manifest.template!r}")
    if manifest.kind is JudgeKind.INSTRUCTION and len(manifest.answers) != len(("yes", "no")):
        raise ValueError(f"answers {list(manifest.answers)}; expected the token ids of yes and no")
    if manifest.entailment < 0:
        raise ValueError(f"label {manifest.entailment}")
    if (manifest.measured or manifest.reliability) and not manifest.measured_on:
        raise ValueError("figures without the data that they were measured on")
    if manifest.reliability is not None:
        _check_reliability(manifest.reliability)
    check_languages(manifest.languages)
    check_records(manifest.files)
    return manifest


def _check_reliability(found: Reliability) -> None:
    for item in found.bins:
        ranges = 0 <= item.low < item.high <= 1 and 0 <= item.probability <= 1
        if not (ranges and item.cells and 0 <= item.disclosed <= item.cells):
            raise ValueError(f"a bin of reliability that no cells can have: {codec.encode(item)}")
    for figures in found.wordings:
        if min(figures.disclosed, figures.candidate, figures.nothing) < 0 or not figures.cells:
            raise ValueError(f"figures of a wording that no cells can have: {codec.encode(figures)}")


def write(manifest: JudgeManifest, path: Path) -> None:
    """Write a manifest atomically, the same bytes for the same manifest."""
    body: dict[str, Any] = {"schema": SCHEMA, "role": Role.JUDGE.value, **codec.plain(manifest)}
    body["files"] = plain_records(manifest.files)
    write_atomically(path, json.dumps(body, indent=2, ensure_ascii=False) + "\n", Access.USUAL)
