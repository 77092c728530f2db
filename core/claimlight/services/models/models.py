"""The model packages of this machine: list, check and choose them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from time import perf_counter

from claimlight import paths
from claimlight import settings as settings_module
from claimlight.encoders import EncoderInput, ModelPackage, licences, package, probes
from claimlight.encoders import manifest as manifests
from claimlight.encoders.base import Encoder
from claimlight.encoders.manifest import EncoderKind
from claimlight.encoders.runtime import open_encoder
from claimlight.errors import AppError, InputError, ResourceError
from claimlight.index import center_vocabulary
from claimlight.registry import Registry
from claimlight.settings import EncoderSettings, Settings
from claimlight.tasks import TaskContext
from claimlight.types import Progress, Section, plural
from claimlight.types.health import Finding

OPENERS: Registry[EncoderKind, Callable[[ModelPackage, EncoderSettings], Encoder]] = Registry(
    {EncoderKind.DENSE: open_encoder}, "claimlight.lab.rivals:ENCODERS"
)
"""How to open a package of each kind for a check."""
_CENTERS = "centers.json"
_PROBE = EncoderInput("1. A device comprising a housing and a lid.", Section.CLAIMS)


@dataclass(frozen=True, slots=True)
class ModelInfo:
    """A package as described by its manifest; unchecked."""

    name: str
    """Value for the setting ``encoder.package``."""
    folder: str
    shipped: bool
    """Whether it comes with the program; else the user installed it."""
    in_use: bool
    model: str = ""
    dim: int = 0
    max_length: int = 0
    precision: str = ""
    licence: str = ""
    commercial: bool = True
    source: str = ""
    bytes: int = 0
    centers: bool = False
    kind: str = "dense"
    """``splade`` and ``colbert`` rank for comparison only."""
    accepted: bool = True
    """False if the licence must be accepted before the package can be used."""
    languages: tuple[str, ...] = ()
    """Languages it reads, ISO 639-1; empty if unknown."""
    fault: str = ""
    """Why the manifest can't be read; the fields after ``in_use`` are then invalid."""


@dataclass(frozen=True, slots=True)
class ModelCheck:
    """The findings of a check of a package."""

    name: str
    folder: str
    device: str
    note: str
    """Note for the user on the device."""
    findings: tuple[Finding, ...]

    @property
    def ok(self) -> bool:
        """Whether no finding is a fault."""
        return all(item.ok for item in self.findings)


def list_installed(settings: Settings) -> tuple[ModelInfo, ...]:
    """Every package, the shipped one first; damaged ones with their fault."""
    try:
        used = package.locate(settings.encoder.package)
    except AppError:
        used = None
    found = package.list_folders()
    if used is not None and used not in found:
        found.append(used)
    return tuple(_info(folder, in_use=folder == used) for folder in found)


def install_folder() -> Path:
    """Folder of the installed packages."""
    return paths.models_dir()


def check(name: str, settings: Settings, context: TaskContext) -> ModelCheck:
    """Hash every file, open the model, encode, and compare with the vectors recorded at the export.

    ``name`` is empty for the package in use. `InputError` if there is no such package; a fault of the package
    itself is a finding.
    """
    return check_folder(package.locate(name or settings.encoder.package), settings, context)


def check_folder(folder: Path, settings: Settings, context: TaskContext) -> ModelCheck:
    """As `check`, for a package in any folder."""
    work = _Check(settings, context)
    findings = tuple(work.look(folder))
    encoder = work.encoder
    return ModelCheck(
        name=folder.name,
        folder=str(folder),
        device=encoder.device if encoder else "",
        note=encoder.note if encoder else "",
        findings=findings,
    )


class _Check:
    """One check of a package, step by step; the first fault ends it."""

    def __init__(self, settings: Settings, context: TaskContext) -> None:
        self._settings = settings
        self._context = context
        self.encoder: Encoder | None = None

    def look(self, folder: Path) -> Iterator[Finding]:
        steps: tuple[tuple[str, Callable[[ModelPackage], Finding]], ...] = (
            ("model", self._open),
            ("encoding", self._encode),
            ("recorded vectors", self._compare),
            ("centers", self._centers),
        )
        self._context.report(_progress(0, len(steps) + 1))
        try:
            loaded = ModelPackage.load(folder)
        except AppError as error:
            yield Finding("files", str(error), ok=False)
            return
        count = len(loaded.manifest.files)
        yield Finding("files", f"{plural(count, 'file')}, {_megabytes(loaded)}, all match the manifest")
        for number, (subject, step) in enumerate(steps, 1):
            self._context.report(_progress(number, len(steps) + 1))
            try:
                yield step(loaded)
            except AppError as error:
                yield Finding(subject, str(error), ok=False)
                return

    def _open(self, loaded: ModelPackage) -> Finding:
        # Only here, after the files were checked: the fingerprint of a damaged package would mislead.
        self.encoder = encoder = _open_encoder(loaded, self._settings.encoder)
        note = f" {encoder.note}" if encoder.note else ""
        return Finding("model", f"{encoder.fingerprint}, runs on {encoder.device}.{note}")

    def _encode(self, _loaded: ModelPackage) -> Finding:
        assert self.encoder is not None
        begin = perf_counter()
        (found,) = self.encoder.encode([_PROBE], self._context)
        seconds = perf_counter() - begin
        if not found.length:
            raise ResourceError(f"no token of {_PROBE.text!r} reached the model: its tokenizer must be wrong")
        dims = f"{found.length} tokens of {found.tokens.shape[1]} dimensions, a text of {self.encoder.dim}"
        return Finding("encoding", f"{dims}, in {1000 * seconds:.0f} ms")

    def _compare(self, loaded: ModelPackage) -> Finding:
        assert self.encoder is not None
        if not probes.has_record(loaded):
            return Finding("recorded vectors", "the package has none to compare with")
        cosine = probes.least_cosine(loaded, self.encoder)
        ok = cosine >= probes.AGREEMENT
        state = f"minimum cosine {cosine:.6f} with the vectors of the export"
        if not ok:
            state += (
                f", below {probes.AGREEMENT}: this machine computes different vectors; do not index with it"
            )
        return Finding("recorded vectors", state, ok=ok)

    def _centers(self, loaded: ModelPackage) -> Finding:
        from claimlight.index import center_vocabulary

        assert self.encoder is not None
        if loaded.manifest.kind is not EncoderKind.DENSE:
            return Finding("centers", f"none; a {loaded.manifest.kind} package needs none")
        if not _has_centers(loaded.manifest):
            return Finding("centers", "none; make them with `claimlight models centers build`")
        vocabulary = center_vocabulary.load(loaded.folder)
        vocabulary.check_encoder(self.encoder.fingerprint)
        return Finding("centers", f"{len(vocabulary):,}, made for this encoder, unit {vocabulary.unit}")


def _open_encoder(loaded: ModelPackage, settings: EncoderSettings) -> Encoder:
    kind = loaded.manifest.kind
    if kind not in OPENERS:
        raise ResourceError(
            f"a {kind} package is for comparison only and needs the Python package claimlight[lab]"
        )
    return OPENERS[kind](loaded, settings)


def _info(folder: Path, *, in_use: bool) -> ModelInfo:
    info = ModelInfo(
        name=folder.name,
        folder=str(folder),
        shipped=folder.parent == package.find_shipped_folder().parent,
        in_use=in_use,
    )
    try:
        manifest = manifests.read(folder / manifests.FILE_NAME)
    except AppError as error:
        return replace(info, fault=str(error))
    return replace(
        info,
        model=f"{manifest.id} {manifest.version}",
        dim=manifest.dim,
        max_length=manifest.max_length,
        precision=manifest.precision,
        licence=manifest.licence,
        commercial=manifest.commercial,
        languages=manifest.languages,
        source=manifest.source,
        bytes=sum(item.size for item in manifest.files),
        centers=_has_centers(manifest),
        kind=manifest.kind.value,
        accepted=licences.is_accepted(manifest),
    )


def _progress(done: int, total: int) -> Progress:
    return Progress("Checking", done, total, "steps", rate=0.0, seconds_left=None)


def _has_centers(manifest: manifests.PackageManifest) -> bool:
    return manifest.has(_CENTERS)


def _megabytes(loaded: ModelPackage) -> str:
    return f"{sum(item.size for item in loaded.manifest.files) / 1e6:.1f} MB"


def use_package(name: str) -> Settings:
    """Set the package in the settings and return them; empty means the shipped one.

    It is checked first: with a damaged package, one whose licence was not accepted, or one without centers,
    every search would be by keywords only. Raises what is wrong with it.
    """
    package = ModelPackage.resolve(name)
    if not package.manifest.has(center_vocabulary.MANIFEST):
        raise InputError(
            f"The model package {package.folder.name} has no centers yet and can't index without them: "
            "make them with `claimlight models centers build`."
        )
    center_vocabulary.load(package.folder).check_encoder(package.manifest.fingerprint)
    changed = settings_module.change(settings_module.load().settings, "encoder.package", name)
    settings_module.save(changed)
    return changed
