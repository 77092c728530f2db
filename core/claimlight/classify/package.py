"""Classifier packages: folders of data files only, as those of encoders, each verified by its hash."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from claimlight import paths
from claimlight.classify import manifest as manifests
from claimlight.classify.classifier import Classifier
from claimlight.classify.heads import Neighbours, dimensions_of, read_head
from claimlight.classify.labels import LabelSpace
from claimlight.classify.manifest import ARRAYS_FILE, DOCUMENTS_FILE, LABELS_FILE, ClassifierManifest
from claimlight.classify.mixture import Mixture
from claimlight.encoders import licences
from claimlight.encoders.package_files import (
    MANIFEST_FILE,
    Package,
    Role,
    list_packages,
    locate_package,
    record_file,
)
from claimlight.errors import InputError, ResourceError
from claimlight.files import Access, open_atomically, parse_json, write_atomically
from claimlight.tensors import pack, unpack

NO_CLASSIFIER = "none"
"""Value of the setting ``classifier.package`` for no classifier at all."""


@dataclass(frozen=True, slots=True)
class ClassifierPackage(Package[ClassifierManifest]):
    """A verified package of a classifier."""

    @staticmethod
    def load(folder: Path) -> ClassifierPackage:
        """Read the manifest and verify every file against it.

        Raises `ResourceError` for missing or changed files, `InputError` for files that are not plain data.
        """
        package = ClassifierPackage(folder, manifests.read(folder / MANIFEST_FILE))
        package.verify("", (ARRAYS_FILE, LABELS_FILE))
        return package

    @staticmethod
    def resolve(name: str) -> ClassifierPackage:
        """Load a package for use, by the setting ``classifier.package``: empty (shipped), a name, a folder.

        Raises `licences.LicenceError` if its licence has to be accepted first.
        """
        package = ClassifierPackage.load(locate(name))
        licences.require_accepted(package.manifest)
        return package

    def labels(self) -> LabelSpace:
        """The classes that it knows."""
        return LabelSpace(_texts(self.read(LABELS_FILE), self.folder / LABELS_FILE))

    def open(self) -> Classifier:
        """The classifier; `ResourceError` for files whose contents do not fit each other."""
        arrays = unpack(self.read(ARRAYS_FILE), self.folder / ARRAYS_FILE)
        votes = any(record.name == DOCUMENTS_FILE for record in self.manifest.files)
        documents = _texts(self.read(DOCUMENTS_FILE), self.folder / DOCUMENTS_FILE) if votes else ()
        try:
            return _assemble(self.manifest, arrays, self.labels(), documents)
        except (KeyError, ValueError, IndexError, TypeError, OverflowError) as error:
            raise ResourceError(
                f"{self.folder} is a damaged classifier ({error}); install it again"
            ) from error


def write_package(classifier: Classifier, manifest: ClassifierManifest, folder: Path) -> ClassifierPackage:
    """Write a classifier into a folder, which must be there; the same bytes for the same classifier.

    ``files`` of the manifest are filled in. Other files of the folder, such as its licence, are listed too.
    """
    arrays: dict[str, NDArray[Any]] = {
        f"{number}.{name}": array
        for number, head in enumerate(classifier.heads)
        for name, array in head.arrays().items()
    }
    arrays["slopes"] = classifier.mixture.slopes.astype(np.float32)
    arrays["offsets"] = classifier.mixture.offsets.astype(np.float32)
    arrays["thresholds"] = classifier.thresholds.astype(np.float32)
    with open_atomically(folder / ARRAYS_FILE, Access.USUAL) as stream:
        stream.write(pack(arrays))
    _write_texts(folder / LABELS_FILE, classifier.space.labels)
    if classifier.documents:
        _write_texts(folder / DOCUMENTS_FILE, classifier.documents)
    listed = sorted(path for path in folder.iterdir() if path.name != MANIFEST_FILE)
    manifest = replace(
        manifest,
        heads=tuple(head.kind for head in classifier.heads),
        combination=classifier.mixture.combination,
        files=tuple(record_file(path) for path in listed),
    )
    manifests.write(manifests.validate(manifest), folder / MANIFEST_FILE)
    return ClassifierPackage(folder, manifest)


def list_folders() -> list[Path]:
    """Folders of all installed classifiers, the shipped one first, not verified."""
    return list_packages(Role.CLASSIFIER, find_shipped_folder())


def locate(name: str) -> Path:
    """Folder of a classifier by the setting ``classifier.package``: empty (shipped), a name, or a folder."""
    if name == NO_CLASSIFIER:
        raise InputError("no classifier is in use: the setting classifier.package is none")
    if name:
        return locate_package(name, list_folders())
    found = find_shipped_folder()
    if found is None:
        raise ResourceError(
            "the program comes without a classifier; train one on a library with `claimlight classify train`"
        )
    return found


def find_shipped_folder() -> Path | None:
    """Folder of the shipped classifier, named in ``models/DEFAULT_CLASSIFIER``; None if none is shipped."""
    base = paths.shipped_models_dir()
    try:
        name = (base / "DEFAULT_CLASSIFIER").read_text(encoding="utf-8").strip()
    except FileNotFoundError:
        return None
    return base / name if (base / name / MANIFEST_FILE).is_file() else None


def _assemble(
    manifest: ClassifierManifest,
    arrays: Mapping[str, NDArray[Any]],
    space: LabelSpace,
    documents: tuple[str, ...],
) -> Classifier:
    """The classifier of a package's contents; `ValueError` or `KeyError` if they do not fit each other."""
    if not len(space) or space != LabelSpace.of(space.labels):
        raise ValueError("labels that are not in order")
    heads = tuple(
        read_head(kind, _part(arrays, f"{number}."), len(space)) for number, kind in enumerate(manifest.heads)
    )
    if any(dimensions_of(head) != manifest.dim for head in heads):
        raise ValueError(f"experts that do not read {manifest.dim} dimensions")
    slopes, offsets = arrays["slopes"].astype(np.float64), arrays["offsets"].astype(np.float64)
    if slopes.shape != (len(space.levels), len(heads)) or offsets.shape != slopes.shape:
        raise ValueError("a mixture that does not fit the experts")
    thresholds = arrays["thresholds"].astype(np.float64)
    if thresholds.shape != (len(space),):
        raise ValueError("thresholds that do not fit the labels")
    rows = next((len(head.vectors) for head in heads if isinstance(head, Neighbours)), 0)
    if documents and len(documents) != rows:
        raise ValueError("documents that do not fit the rows that vote")
    return Classifier(
        space, heads, Mixture(manifest.combination, slopes, offsets), thresholds, documents=documents
    )


def _part(arrays: Mapping[str, NDArray[Any]], prefix: str) -> dict[str, NDArray[Any]]:
    """The arrays whose names begin with a prefix, under the rest of their names."""
    return {name.removeprefix(prefix): array for name, array in arrays.items() if name.startswith(prefix)}


def _texts(data: bytes, path: Path) -> tuple[str, ...]:
    try:
        found = parse_json(data)
    except ValueError as error:
        raise ResourceError(f"{path} is not JSON ({error}); install the package again") from error
    if not isinstance(found, list) or not all(isinstance(item, str) for item in found):
        raise ResourceError(f"{path} is not a list of texts; install the package again")
    return tuple(found)


def _write_texts(path: Path, texts: Sequence[str]) -> None:
    write_atomically(path, json.dumps(list(texts), ensure_ascii=False, indent=0) + "\n", Access.USUAL)
