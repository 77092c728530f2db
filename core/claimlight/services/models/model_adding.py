"""Adding a model: a package, a checkpoint that is converted to one, or a model of a hub.

A checkpoint needs the training extra; the network is used only with `Addition.from_hub`.
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from claimlight import paths
from claimlight.encoders import ModelPackage, licences, package
from claimlight.encoders import manifest as manifests
from claimlight.encoders.manifest import EncoderKind
from claimlight.encoders.presets import Preset, find_by_source, find_preset
from claimlight.errors import AppError, InputError
from claimlight.judging import presets as judge_presets
from claimlight.judging.package import JudgePackage
from claimlight.judging.presets import JudgePreset
from claimlight.services.models import hub as hubs
from claimlight.services.models import judge_packages, model_checks, model_export, model_packages
from claimlight.services.models.model_export import ModelExport
from claimlight.services.models.model_packages import AddedModel
from claimlight.settings import Settings
from claimlight.tasks import TaskContext
from claimlight.types import Note

_FREE = frozenset(
    ("apache-2.0", "mit", "bsd-2-clause", "bsd-3-clause", "cc0-1.0", "cc-by-4.0", "cc-by-sa-4.0", "unlicense")
)


@dataclass(frozen=True, slots=True)
class Addition:
    """What to add; for a checkpoint, empty fields are taken from its preset or the checkpoint."""

    source: str
    """Folder or zip of a package, folder of a checkpoint, installed package, or name on the hub."""
    name: str = ""
    from_hub: bool = False
    revision: str = "main"
    accept_licence: bool = False
    dimension: int = 0
    kind: str = ""
    preset: str = ""
    licence: str = ""
    non_commercial: bool = False
    languages: tuple[str, ...] = ()
    precision: str = "int8"
    max_length: int = 0
    pooling: str = ""
    task: str = ""
    adapter: Path | None = None
    version: str = "1"
    templates: Mapping[str, str] = field(default_factory=dict)
    markers: tuple[str, ...] = ()
    prompt: str = ""
    answers: tuple[str, ...] = ()
    """Template and answers of a judge."""


def add(wanted: Addition, settings: Settings, context: TaskContext) -> AddedModel:
    """Install a model.

    Raises `InputError` for what can't be added or needs a licence to be accepted, `ResourceError` if the hub,
    the disk or the training extra fails. Incomplete packages are removed; a partial download is kept.
    """
    if wanted.name:
        model_packages.check_free_name(wanted.name)
    try:
        manifests.check_languages(wanted.languages)
    except ValueError as error:
        raise InputError(f"The package can't be described like that: {error}.") from error
    if wanted.from_hub:
        return _from_hub(wanted, settings, context)
    source = _locate(wanted.source)
    if model_packages.is_package(source):
        return _as_package(source, wanted, settings, context)
    if (source / "config.json").is_file():
        if judge_packages.recognise(wanted.kind, wanted.preset, ""):
            return _as_judge(source, wanted, settings, context)
        known = find_preset(wanted.preset) if wanted.preset else None
        return _as_checkpoint(source, wanted, known, settings, context)
    raise InputError(
        f"{source} is neither a model package (manifest.json, or a zip with it) nor a checkpoint "
        "(config.json)"
    )


def _locate(name: str) -> Path:
    path = Path(name).expanduser()
    if path.exists():
        return path
    try:
        return package.locate(name)
    except AppError as error:
        hint = "; to download it from the model hub, use --from-hub" if name.count("/") == 1 else ""
        raise InputError(f"There is no file, folder or installed package {name}{hint}") from error


def _as_package(source: Path, wanted: Addition, settings: Settings, context: TaskContext) -> AddedModel:
    return model_packages.add(
        source,
        context,
        check=lambda folder: _require_sound(folder, wanted, settings, context),
        name=wanted.name,
        dimension=wanted.dimension,
        accept_licence=wanted.accept_licence,
    )


def _require_sound(folder: Path, wanted: Addition, settings: Settings, context: TaskContext) -> None:
    """`InputError` if `models.check` would find a fault after the installation."""
    for finding in model_checks.check_folder(folder, settings, context).findings:
        if not finding.ok:
            raise InputError(
                f"{wanted.source} is not installed. {finding.subject.capitalize()}: {finding.state}. "
                "Get the package again from its source, or export it again."
            )


def _from_hub(wanted: Addition, settings: Settings, context: TaskContext) -> AddedModel:
    hub = hubs.Hub(settings.hub)
    judge = judge_packages.recognise(wanted.kind, wanted.preset, wanted.source)
    known = _find_known(wanted, judge=judge)
    name, adapter = wanted.source, ""
    if isinstance(known, Preset) and known.adapter and wanted.adapter is None:
        name, adapter = known.source, known.adapter
    found = hub.model(name, wanted.revision, context)
    if not any(item.name.endswith((".safetensors", ".onnx")) for item in found.files):
        hint = " except pickles, which are never opened" if found.pickled else ""
        raise InputError(
            f"{name} has no weights at {hub.endpoint}{hint}: its makers publish none as safetensors. Look "
            "for another revision (--revision), or convert a trusted copy to safetensors and add that."
        )
    wanted = replace(
        wanted,
        licence=wanted.licence or (known.licence if known else found.licence),
        languages=wanted.languages or (known.languages if known else found.languages),
    )
    _require_licence(wanted, known, found)
    folder = _fetch(hub, found, context)
    if adapter:
        wanted = replace(wanted, adapter=_fetch(hub, hub.model(adapter, "main", context), context))
    if model_packages.is_package(folder):
        wanted = replace(wanted, name=wanted.name or name.rpartition("/")[2])
        added = _as_package(folder, wanted, settings, context)
    elif judge:
        preset = wanted.preset or (known.name if known else "")
        added = _as_judge(folder, replace(wanted, source=name, preset=preset), settings, context)
    else:
        encoder = known if isinstance(known, Preset) else None
        added = _as_checkpoint(folder, replace(wanted, source=name), encoder, settings, context)
    for there in (folder, wanted.adapter if adapter else None):
        if there is not None:
            shutil.rmtree(there, ignore_errors=True)
    return added


def _find_known(wanted: Addition, *, judge: bool) -> Preset | JudgePreset | None:
    """The preset of a model of the hub, by name or source."""
    if judge:
        if wanted.preset:
            return judge_presets.require_preset(wanted.preset)
        return judge_presets.find_by_source(wanted.source)
    return find_preset(wanted.preset) if wanted.preset else find_by_source(wanted.source)


def _fetch(hub: hubs.Hub, found: hubs.HubModel, context: TaskContext) -> Path:
    folder = paths.incoming_dir() / "hub" / found.id.replace("/", "--") / found.commit
    hubs.announce(hub, found, context)
    hub.fetch(found, folder, context)
    return folder


def _require_licence(wanted: Addition, known: Preset | JudgePreset | None, found: hubs.HubModel) -> None:
    """Require a licence, and its acceptance if it forbids commercial use, before the download."""
    if not wanted.licence:
        raise InputError(
            f"{found.id} does not state its licence; read its page and give the licence with --licence"
        )
    if not _commercial(wanted, known) and not wanted.accept_licence:
        raise licences.LicenceError(
            f"{found.id} is licensed under {wanted.licence}, which does not allow commercial use. Read the "
            "licence on its page; accept it with --accept-licence. Nothing was downloaded."
        )


def _commercial(wanted: Addition, known: Preset | JudgePreset | None) -> bool:
    if known is not None and wanted.licence == known.licence:
        return known.commercial and not wanted.non_commercial
    licence = wanted.licence.lower()
    # A licence from a model card counts as free only if it is known to be free, one that the user gives
    # unless it is non-commercial (NC).
    free = licence in _FREE if wanted.from_hub else "nc" not in licence.split("-")
    return free and not wanted.non_commercial


def _as_checkpoint(
    folder: Path, wanted: Addition, known: Preset | None, settings: Settings, context: TaskContext
) -> AddedModel:
    """Export a checkpoint and install the resulting package."""
    licence = wanted.licence or (known.licence if known else "")
    if licence and not _commercial(replace(wanted, licence=licence), known) and not wanted.accept_licence:
        raise licences.LicenceError(
            f"{wanted.source} is licensed under {licence}, which does not allow commercial use; "
            "accept it with --accept-licence."
        )
    fallback = known.name if known and known.name else Path(wanted.source).name.lower()
    name = model_packages.check_free_name(wanted.name or fallback)
    with model_packages.open_staging(name) as staging:
        plan = ModelExport(
            checkpoint=folder,
            out=staging / "package",
            name=name,
            version=wanted.version,
            kind=wanted.kind or (known.kind.value if known else ""),
            preset=known.name if known else "",
            licence=licence,
            source=wanted.source if wanted.from_hub else "",
            commercial=_commercial(replace(wanted, licence=licence), known) if licence else None,
            languages=wanted.languages,
            precision=wanted.precision,
            max_length=wanted.max_length or (known.max_length if known else 0),
            pooling=wanted.pooling or (known.pooling if known else ""),
            templates=wanted.templates or (known.templates if known else {}),
            markers=wanted.markers or (known.markers if known else ()),
            task=wanted.task,
            adapter=wanted.adapter,
            dimension=wanted.dimension,
        )
        model_export.export(plan, context)
        made = ModelPackage.load(staging / "package")
        model_packages.agree(made.manifest, accept=wanted.accept_licence)
        _require_sound(made.folder, wanted, settings, context)
        added = model_packages.put(made, name)
    if made.manifest.kind is EncoderKind.DENSE:
        build = f"`claimlight models centers build --package {added.folder} …`"
        context.report(Note(f"It has no centers yet; make them with {build}."))
    return added


def _as_judge(folder: Path, wanted: Addition, settings: Settings, context: TaskContext) -> AddedModel:
    """Export the checkpoint of a judge and install the resulting package."""
    known = judge_presets.require_preset(wanted.preset) if wanted.preset else None
    licence = wanted.licence or (known.licence if known else "")
    fallback = known.name if known else Path(wanted.source).name.lower()
    name = model_packages.check_free_name(wanted.name or fallback)
    with model_packages.open_staging(name) as staging:
        plan = judge_packages.JudgeExport(
            checkpoint=folder,
            out=staging / "package",
            name=name,
            version=wanted.version,
            kind=wanted.kind,
            preset=wanted.preset,
            licence=licence,
            source=wanted.source if wanted.from_hub else "",
            commercial=_commercial(replace(wanted, licence=licence), known) if licence else None,
            languages=wanted.languages,
            precision=wanted.precision,
            max_length=wanted.max_length,
            template=wanted.prompt,
            answers=wanted.answers,
        )
        judge_packages.export(plan, context)
        made = JudgePackage.load(staging / "package")
        model_packages.agree(made.manifest, accept=wanted.accept_licence)
        _require_sound(made.folder, wanted, settings, context)
        return model_packages.put(made, name)
