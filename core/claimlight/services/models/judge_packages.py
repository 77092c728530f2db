"""Check and export judges."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

from claimlight.errors import AppError, InputError
from claimlight.judging import probes
from claimlight.judging.base import Pair
from claimlight.judging.manifest import JudgeKind, JudgeManifest
from claimlight.judging.package import JudgePackage
from claimlight.judging.presets import JudgePreset, find_by_source, find_preset, read_presets, require_preset
from claimlight.judging.session import PackagedJudge
from claimlight.services.models import train_extra
from claimlight.services.models.models import ModelCheck
from claimlight.settings import Settings
from claimlight.tasks import TaskContext
from claimlight.types import Note, Progress, plural
from claimlight.types.health import Finding

_PROBE = Pair("A container comprising", "a lid that closes the housing", "The cover (3) closes the body.")


@dataclass(frozen=True, slots=True)
class JudgeExport:
    """What to make of a checkpoint; empty fields are taken from the preset, then from the checkpoint."""

    checkpoint: Path
    out: Path
    name: str
    version: str = "1"
    kind: str = ""
    preset: str = ""
    licence: str = ""
    source: str = ""
    commercial: bool | None = None
    languages: tuple[str, ...] = ()
    precision: str = "int8"
    max_length: int = 0
    template: str = ""
    answers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class JudgeReport:
    """What was made."""

    folder: str
    model: str
    kind: str
    max_length: int
    precision: str
    licence: str
    fingerprint: str
    bytes: int
    parity: tuple[tuple[str, float], ...]


def list_presets() -> tuple[JudgePreset, ...]:
    """The presets, in their order."""
    return tuple(read_presets().values())


def recognise(kind: str, preset: str, source: str) -> bool:
    """Whether a kind, a preset or a source is that of a judge."""
    known = find_preset(preset) if preset else find_by_source(source)
    return kind in set(JudgeKind) or (known is not None and not kind)


def check_judge(folder: Path, settings: Settings, context: TaskContext) -> ModelCheck:
    """Hash every file, open the judge, rule on a pair, and compare with the recorded rulings.

    A fault of the package is a finding.
    """
    work = _Check(folder, settings, context)
    findings = tuple(work.look())
    judge = work.judge
    return ModelCheck(
        name=folder.name,
        folder=str(folder),
        device=judge.device if judge else "",
        note=judge.note if judge else "",
        findings=findings,
    )


class _Check:
    """One check of a judge, step by step; the first fault ends it."""

    def __init__(self, folder: Path, settings: Settings, context: TaskContext) -> None:
        self._folder, self._settings, self._context = folder, settings, context
        self.judge: PackagedJudge | None = None
        self._subject = "files"

    def look(self) -> Iterator[Finding]:
        try:
            yield from self._steps()
        except AppError as error:
            yield Finding(self._subject, str(error), ok=False)

    def _steps(self) -> Iterator[Finding]:
        self._context.report(Progress("Checking", 0, 1, "models", rate=0.0, seconds_left=None))
        loaded = JudgePackage.load(self._folder)
        size = sum(item.size for item in loaded.manifest.files) / 1e6
        count = plural(len(loaded.manifest.files), "file")
        yield Finding("files", f"{count}, {size:.1f} MB, all match the manifest")
        self._subject = "model"
        self.judge = judge = PackagedJudge(loaded, self._settings.judge)
        note = f" {judge.note}" if judge.note else ""
        yield Finding("model", f"{judge.fingerprint}, {loaded.manifest.kind}, runs on {judge.device}.{note}")
        self._subject = "ruling"
        begin = perf_counter()
        (ruling,) = judge.rule([_PROBE], self._context)
        yield Finding("ruling", f"score {ruling.score:.2f}, in {1000 * (perf_counter() - begin):.0f} ms")
        self._subject = "recorded rulings"
        yield self._compare(judge)
        yield Finding("calibration", _describe_calibration(loaded.manifest))

    @staticmethod
    def _compare(judge: PackagedJudge) -> Finding:
        if not probes.has_record(judge.package):
            return Finding("recorded rulings", "the package has none to compare with")
        difference = probes.largest_difference(judge)
        ok = difference <= probes.AGREEMENT
        state = f"largest difference {difference:.4f} from the rulings of the export"
        if not ok:
            state += f", above {probes.AGREEMENT}: this machine rules otherwise; do not use it here"
        return Finding("recorded rulings", state, ok=ok)


def _describe_calibration(manifest: JudgeManifest) -> str:
    found = manifest.calibration
    if found is None:
        return "none: its verdicts are never more than candidate"
    return f"fitted on {found.fitted_on or 'data that the package does not name'}"


def export(wanted: JudgeExport, context: TaskContext) -> JudgeReport:
    """Write a judge package; `ResourceError` if the training extra is missing."""
    train_extra.require("Exporting")
    from claimlight.training.export.judge_to_package import JudgePlan, export_judge

    known = require_preset(wanted.preset) if wanted.preset else None
    if not (wanted.licence or known):
        raise InputError("Give the licence of the checkpoint with --licence, or a --preset that knows it.")
    if not (wanted.kind or known):
        raise InputError("Give the kind of the judge with --kind, or a --preset that knows it.")
    answers = wanted.answers or (known.answers if known else ("Yes", "No"))
    if len(answers) != len(("yes", "no")):
        raise InputError("An instruction model needs two answers: the one for yes and the one for no.")
    commercial = known.commercial if known and wanted.commercial is None else wanted.commercial is not False
    context.report(Progress("Exporting", 0, 1, "models", rate=0.0, seconds_left=None))
    manifest = export_judge(
        JudgePlan(
            checkpoint=wanted.checkpoint,
            folder=wanted.out,
            id=wanted.name,
            version=wanted.version,
            licence=wanted.licence or (known.licence if known else ""),
            source=wanted.source or (known.source if known else wanted.checkpoint.name),
            precision=wanted.precision,
            max_length=wanted.max_length,
            commercial=commercial,
            languages=wanted.languages or (known.languages if known else ()),
            kind=JudgeKind(wanted.kind) if wanted.kind or known is None else known.kind,
            template=wanted.template or (known.template if known else ""),
            answers=(answers[0], answers[1]),
        )
    )
    context.report(Progress("Exporting", 1, 1, "models", rate=0.0, seconds_left=None))
    if not manifest.commercial:
        context.report(Note(f"{manifest.id}: {manifest.licence} does not allow commercial use."))
    return JudgeReport(
        folder=str(wanted.out),
        model=f"{manifest.id} {manifest.version}",
        kind=manifest.kind.value,
        max_length=manifest.max_length,
        precision=manifest.precision,
        licence=manifest.licence,
        fingerprint=manifest.fingerprint,
        bytes=sum(item.size for item in manifest.files),
        parity=tuple(sorted(manifest.parity.items())),
    )
