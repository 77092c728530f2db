"""Installing and removing model packages, from a folder or an archive, completely or not at all.

Nothing here needs the training extra: a package is data, and is checked before it is installed.
"""

from __future__ import annotations

import os
import re
import shutil
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

import psutil

from claimlight import paths
from claimlight import settings as settings_module
from claimlight.classify import manifest as classifier_manifests
from claimlight.classify import package as classifier_package
from claimlight.classify.package import ClassifierPackage
from claimlight.encoders import ModelPackage, licences, open_encoder, package, probes
from claimlight.encoders import manifest as manifests
from claimlight.encoders.manifest import EncoderKind
from claimlight.encoders.package_files import Manifest, Package, Role, read_role
from claimlight.errors import AppError, InputError, ParseError, ResourceError
from claimlight.formats.containers import archives
from claimlight.index import manifest as indexes
from claimlight.judging import manifest as judge_manifests
from claimlight.judging import package as judge_package
from claimlight.judging.nearness import NEARNESS_FILE
from claimlight.judging.package import JudgePackage
from claimlight.services.library.compared_rankers import comparison_folder
from claimlight.settings import EncoderSettings, Settings
from claimlight.tasks import TaskContext
from claimlight.types import COMPARED_RANKERS, Progress

_NAME = re.compile(r"\w[\w.-]{0,99}")
_CHUNK = 1 << 20
_KEYS = {
    Role.ENCODER: ("encoder.package",),
    Role.JUDGE: ("judge.package", "judge.second"),
    Role.CLASSIFIER: ("classifier.package",),
}
"""Settings that name packages of a role."""
_OF_ALL_DIMENSIONS = frozenset(
    ("centers.json", "centers.safetensors", "anchors.jsonl", NEARNESS_FILE, probes.FILE_NAME)
)
"""Files that are invalid for vectors of fewer dimensions."""


@dataclass(frozen=True, slots=True)
class AddedModel:
    """A package that was installed."""

    name: str
    """Value for the setting ``encoder.package``, ``judge.package`` or ``classifier.package``."""
    folder: str
    model: str
    dim: int
    """0 for other roles than an encoder."""
    licence: str
    commercial: bool
    bytes: int
    fingerprint: str
    role: Role = Role.ENCODER


@dataclass(frozen=True, slots=True)
class RemovedModel:
    """A package that was removed."""

    name: str
    bytes: int
    was_in_use: bool
    """Whether a setting of its role named it (``encoder.package``, …)."""
    libraries: tuple[str, ...]
    """Libraries whose index was made with it; shared ones by their address."""
    role: Role = Role.ENCODER
    unchecked: tuple[str, ...] = ()
    """Addresses of shared libraries that could not be asked whether theirs was."""
    keys: tuple[str, ...] = ()
    """The settings that named it; the caller empties them."""


def is_package(source: Path) -> bool:
    """Whether ``source`` looks like a package: a folder with a manifest, or a zip."""
    return (source / manifests.FILE_NAME).is_file() or (source.is_file() and zipfile.is_zipfile(source))


AnyPackage = ModelPackage | JudgePackage | ClassifierPackage


def load_package(folder: Path) -> AnyPackage:
    """Load the package in a folder, whatever its role."""
    match read_role(folder):
        case Role.JUDGE:
            return JudgePackage.load(folder)
        case Role.CLASSIFIER:
            return ClassifierPackage.load(folder)
        case Role.ENCODER:
            return ModelPackage.load(folder)


def add(
    source: Path,
    context: TaskContext,
    *,
    check: Callable[[Path], None],
    name: str = "",
    dimension: int = 0,
    accept_licence: bool = False,
) -> AddedModel:
    """Install the package in the folder or zip ``source`` under ``name`` (empty: its own).

    ``dimension`` keeps the leading ones, normalised again; ``check`` raises for a folder that must not be
    installed. Raises `InputError` for an invalid package, a name in use, or a licence that must be accepted
    first (`licences.LicenceError`).
    """
    if name:
        check_free_name(name)
    with open_staging("package") as folder:
        if source.is_file():
            _unpack(source, folder, context)
        else:
            _copy(load_package(source), folder, context)
        found = load_package(folder)
        wanted = check_free_name(name or (source.name if source.is_dir() else found.manifest.id))
        agree(found.manifest, accept=accept_licence)
        if dimension:
            if not isinstance(found, ModelPackage):
                role = read_role(found.folder)
                raise InputError(f"{found.manifest.id} is a {role}; it has no dimensions to truncate")
            found = shorten(found, dimension)
        check(found.folder)
        return put(found, wanted)


def put(found: AnyPackage, name: str) -> AddedModel:
    """Move a checked package to the folder of installed packages."""
    target = paths.models_dir() / check_free_name(name)
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        found.folder.replace(target)
    except OSError as error:
        raise ResourceError(f"{target} can't be made: {error.strerror}") from error
    manifest: Manifest = found.manifest
    return AddedModel(
        name=name,
        folder=str(target),
        model=f"{manifest.id} {manifest.version}",
        dim=found.manifest.dim if isinstance(found, ModelPackage) else 0,
        licence=manifest.licence,
        commercial=manifest.commercial,
        bytes=sum(item.size for item in manifest.files),
        fingerprint=manifest.fingerprint,
        role=read_role(target),
    )


def agree(manifest: Manifest, *, accept: bool) -> None:
    """Record that the licence was accepted, or require that it was (`licences.LicenceError`)."""
    if accept and not manifest.commercial:
        licences.accept(manifest)
    licences.require_accepted(manifest)


def accept(name: str) -> str:
    """Accept the licence of an installed package, by name or folder; returns the licence."""
    folder = package.locate(name)
    path = folder / manifests.FILE_NAME
    readers: Mapping[Role, Callable[[Path], Manifest]] = {
        Role.ENCODER: manifests.read,
        Role.JUDGE: judge_manifests.read,
        Role.CLASSIFIER: classifier_manifests.read,
    }
    manifest = readers[read_role(folder)](path)
    licences.accept(manifest)
    return manifest.licence


def remove(
    name: str,
    settings: Settings,
    *,
    libraries: Sequence[Path] = (),
    shared: Mapping[str, Callable[[], str]] = MappingProxyType({}),
    force: bool = False,
) -> RemovedModel:
    """Delete an installed package.

    ``shared`` has, by address, what asks a shared library for the fingerprint of its index's encoder, and
    raises `ResourceError` where it gives no answer. `InputError` for the shipped package and, unless
    ``force``, for the one in use and one that an index was made with, of ``libraries``, ``shared`` and those
    in the program's own folder, or may have been made with.
    """
    folder = paths.models_dir() / name
    if not _NAME.fullmatch(name) or not (folder / manifests.FILE_NAME).is_file():
        shipped = _shipped_folders()
        if any(item is not None and name in (item.name, str(item)) for item in shipped):
            raise InputError(f"{name} comes with the program and can't be removed")
        package.locate(name)
        raise InputError(f"{name} is not in {paths.models_dir()}; remove its folder yourself")
    role = read_role(folder)
    keys = tuple(key for key in _KEYS[role] if settings_module.get(settings, key) in (name, str(folder)))
    used = bool(keys)
    fingerprint = _read_fingerprint(folder)
    here = tuple(str(library) for library in _find_dependents(fingerprint, libraries))
    far, unchecked = _ask(fingerprint, shared)
    reasons = [f"it is in use (setting {key})" for key in keys]
    reasons += [f"the index of {library} was made with it" for library in (*here, *far)]
    reasons += [f"{address} could not be asked ({fault.rstrip('.')})" for address, fault in unchecked.items()]
    if reasons and not force:
        # Nobody indexes a shared library again to be rid of a package.
        advice = (
            "Choose another package and index again, or use --force"
            if used or here
            else "Use --force to do so"
        )
        raise InputError(f"{name} was not removed: {', and '.join(reasons)}. {advice}.")
    size = sum(path.stat().st_size for path in folder.iterdir() if path.is_file())
    _delete(folder)
    return RemovedModel(name, size, used, (*here, *far), role, tuple(unchecked), keys)


def shorten(found: ModelPackage, dimension: int) -> ModelPackage:
    """Truncate a package in place to the first ``dimension`` dimensions of its graph.

    Removes its centers and records its reference vectors again; `InputError` if it has no more dimensions.
    """
    manifest = found.manifest
    if manifest.kind is not EncoderKind.DENSE or not 0 < dimension < manifest.dim:
        raise InputError(f"{manifest.id} has {manifest.dim} dimensions; it can't be truncated to {dimension}")
    files = tuple(item for item in manifest.files if item.name not in _OF_ALL_DIMENSIONS)
    for item in manifest.files:
        if item not in files:
            (found.folder / item.name).unlink()
    graph = manifest.graph_dim or manifest.dim
    manifest = replace(manifest, dim=dimension, graph_dim=0 if graph == dimension else graph, files=files)
    manifests.write(manifest, found.folder / manifests.FILE_NAME)
    encoder = open_encoder(ModelPackage(found.folder, manifest), EncoderSettings(device="cpu"))
    (found.folder / probes.FILE_NAME).write_text(probes.record_probes(encoder), encoding="utf-8")
    package.add_files(found.folder, [probes.FILE_NAME])
    return ModelPackage.load(found.folder)


def check_free_name(name: str) -> str:
    """``name`` itself; `InputError` if it is in use or not a valid folder name on every system."""
    # Windows drops a dot at the end of a name.
    if not _NAME.fullmatch(name) or archives.find_name_fault(name) or name.endswith("."):
        raise InputError(f"{name!r} can't be the name of a package: use letters, digits, dots, - and _")
    taken = {judge_package.NO_JUDGE, classifier_package.NO_CLASSIFIER}
    taken |= {folder.name for folder in _shipped_folders() if folder is not None}
    if (paths.models_dir() / name).exists() or name in taken:
        raise InputError(
            f"there is already a package {name}; give another name with --name, or remove that package"
        )
    return name


def _shipped_folders() -> tuple[Path | None, ...]:
    """Folders of the packages that come with the program."""
    return (
        package.find_shipped_folder(),
        judge_package.find_shipped_folder(),
        judge_package.find_shipped_second(),
        classifier_package.find_shipped_folder(),
    )


@contextmanager
def open_staging(name: str) -> Iterator[Path]:
    """Give an empty folder on the disk of the packages; it is removed afterwards."""
    for left in paths.incoming_dir().glob("*.making"):
        # Left by a command that was killed.
        if not psutil.pid_exists(int(left.stem.rpartition("-")[2])):
            shutil.rmtree(left, ignore_errors=True)
    folder = paths.incoming_dir() / f"{name}-{os.getpid()}.making"
    try:
        folder.mkdir(parents=True)
        yield folder
    except OSError as error:
        raise ResourceError(
            f"{folder} can't be written: {error.strerror}. Free some space and try again"
        ) from error
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _copy(found: Package[Any], folder: Path, context: TaskContext) -> None:
    sizes = [item.size for item in found.manifest.files]
    for number, item in enumerate(found.manifest.files):
        _report(context, sum(sizes[:number]), sum(sizes))
        shutil.copyfile(found.path(item.name), folder / item.name)
    shutil.copyfile(found.folder / manifests.FILE_NAME, folder / manifests.FILE_NAME)
    _report(context, sum(sizes), sum(sizes))


def _unpack(source: Path, folder: Path, context: TaskContext) -> None:
    """Unpack a zip with one package, at its root or in one folder."""
    try:
        with zipfile.ZipFile(source) as archive:
            archives.check_archive(archive)
            members = list(archives.list_members(archive))
            names = _plain_names(members, source)
            total, done = sum(item.file_size for item in members), 0
            for member, name in zip(members, names, strict=True):
                with archive.open(member) as stream, (folder / name).open("wb") as target:
                    while chunk := stream.read(_CHUNK):
                        done += len(chunk)
                        _report(context, done, total)
                        target.write(chunk)
    except (zipfile.BadZipFile, zipfile.LargeZipFile, NotImplementedError, EOFError, ParseError) as error:
        raise InputError(f"{source} can't be unpacked: {error}") from error
    if not (folder / manifests.FILE_NAME).is_file():
        raise InputError(f"{source} is not a model package: it has no {manifests.FILE_NAME}")


def _plain_names(members: Sequence[zipfile.ZipInfo], source: Path) -> list[str]:
    tops = {member.filename.rpartition("/")[0] for member in members}
    if len(tops) != 1 or "/" in next(iter(tops)):
        raise InputError(f"{source} contains more than one folder; a package has one")
    for member in members:
        if fault := archives.find_member_fault(member):
            raise InputError(f"{source}, {member.filename}: {fault}")
    return [member.filename.rpartition("/")[2] for member in members]


def _read_fingerprint(folder: Path) -> str:
    """Fingerprint of an encoder; empty for a package that no index needs.

    That is one of another role, or too damaged to have a fingerprint.
    """
    try:
        return manifests.read(folder / manifests.FILE_NAME).fingerprint
    except AppError:
        return ""


def _find_dependents(fingerprint: str, libraries: Sequence[Path]) -> Iterator[Path]:
    if not fingerprint:
        return
    own = paths.libraries_dir()
    there = sorted(own.iterdir()) if own.is_dir() else []
    for library in dict.fromkeys([*libraries, *there]):
        compared = any(comparison_folder(library, leg, fingerprint).is_dir() for leg in COMPARED_RANKERS)
        if compared or _read_encoder(library / "index") == fingerprint:
            yield library


def _ask(fingerprint: str, shared: Mapping[str, Callable[[], str]]) -> tuple[tuple[str, ...], dict[str, str]]:
    """The shared libraries that need an encoder, and by address why others gave no answer."""
    needing: list[str] = []
    unchecked: dict[str, str] = {}
    for address, ask in shared.items() if fingerprint else ():
        try:
            if ask() == fingerprint:
                needing.append(address)
        except ResourceError as error:
            unchecked[address] = str(error)
    return tuple(needing), unchecked


def _read_encoder(index: Path) -> str:
    """Fingerprint of the encoder of an index; empty for no index or a damaged one."""
    try:
        pointer = indexes.read_pointer(index)
        return indexes.read(index, pointer, old=True).recipe.encoder if pointer else ""
    except AppError:
        return ""  # a damaged index must be rebuilt anyway


def _delete(folder: Path) -> None:
    """Rename the folder first, so that a kill never leaves an incomplete package; then delete it."""
    # Only the link: the folder that it leads to is the user's.
    if folder.is_symlink():
        folder.unlink()
        return
    hidden = paths.incoming_dir() / f"{folder.name}.removed"
    hidden.parent.mkdir(parents=True, exist_ok=True)
    shutil.rmtree(hidden, ignore_errors=True)
    try:
        folder.replace(hidden)
    except OSError as error:
        raise ResourceError(f"{folder} can't be removed: {error.strerror}") from error
    shutil.rmtree(hidden, ignore_errors=True)


def _report(context: TaskContext, done: int, total: int) -> None:
    context.report(Progress("Copying", done, total, "bytes", rate=0.0, seconds_left=None))
