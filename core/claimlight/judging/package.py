"""Judge packages: folders of data files only, as those of encoders, each verified by its hash."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from claimlight import paths
from claimlight.encoders import licences
from claimlight.encoders.manifest import TOKENIZER_FILE
from claimlight.encoders.package_files import (
    MANIFEST_FILE,
    Package,
    Role,
    list_packages,
    locate_package,
    record_file,
)
from claimlight.errors import ResourceError
from claimlight.judging import manifest as manifests
from claimlight.judging.calibration import Calibration
from claimlight.judging.manifest import JUDGE_FILE, JudgeManifest
from claimlight.types import Reliability

NO_JUDGE = "none"
"""Value of the setting ``judge.package`` for no judge at all, and of ``judge.second`` for no second one."""


@dataclass(frozen=True, slots=True)
class JudgePackage(Package[JudgeManifest]):
    """A verified model package of a judge."""

    @staticmethod
    def load(folder: Path) -> JudgePackage:
        """Read the manifest and verify every file against it.

        Raises `ResourceError` for missing or changed files, `InputError` for files that are not plain data.
        """
        package = JudgePackage(folder, manifests.read(folder / MANIFEST_FILE))
        package.verify(JUDGE_FILE, (TOKENIZER_FILE,))
        return package

    @staticmethod
    def resolve(name: str) -> JudgePackage:
        """Load a package for use, by the setting ``judge.package``: empty (shipped), a name, or a folder.

        Raises `licences.LicenceError` if its licence has to be accepted first.
        """
        package = JudgePackage.load(locate(name))
        licences.require_accepted(package.manifest)
        return package


def add_files(folder: Path, names: Iterable[str]) -> JudgeManifest:
    """Add files in the folder to the manifest, or record them again."""
    manifest = manifests.read(folder / MANIFEST_FILE)
    kept = {record.name: record for record in manifest.files} | {
        name: record_file(folder / name) for name in names
    }
    manifest = replace(manifest, files=tuple(kept[name] for name in sorted(kept)))
    manifests.write(manifest, folder / MANIFEST_FILE)
    return manifest


def write_calibration(
    folder: Path,
    calibration: Calibration | None,
    *,
    measured: Mapping[str, float],
    measured_on: str,
    reliability: Reliability | None = None,
) -> JudgeManifest:
    """Replace the calibration and all figures of a package; fingerprint and rulings stay the same.

    Without ``reliability`` the package keeps none: that of another calibration says nothing about this one.
    """
    manifest = replace(
        manifests.read(folder / MANIFEST_FILE),
        calibration=calibration,
        measured=measured,
        reliability=reliability,
        measured_on=measured_on,
    )
    manifests.write(manifest, folder / MANIFEST_FILE)
    return manifest


def list_folders() -> list[Path]:
    """Folders of all installed judges, the shipped one first, not verified."""
    return list_packages(Role.JUDGE, find_shipped_folder())


def locate_second(name: str, second: str) -> Path | None:
    """Folder of the second judge by the settings ``judge.package`` and ``judge.second``.

    None: the judge reads on itself. Raises `InputError` if there is no such package.
    """
    if NO_JUDGE in (name, second):
        return None
    if second:
        found: Path | None = locate_package(second, list_folders())
    else:
        # The one that ships was measured beside the judge that ships, and beside no other.
        found = None if name else find_shipped_second()
    return None if found is None or found.resolve() == locate(name).resolve() else found


def locate(name: str) -> Path:
    """Folder of a judge by the setting ``judge.package``: empty (shipped), a name, or a folder."""
    if name:
        return locate_package(name, list_folders())
    found = find_shipped_folder()
    if found is None:
        raise ResourceError(
            "the program comes without a judge; add one with `claimlight models add` and name it in the "
            "setting judge.package"
        )
    return found


def find_shipped_folder() -> Path | None:
    """Folder of the shipped judge, named in ``models/DEFAULT_JUDGE``; None if none is shipped."""
    return _find_shipped("DEFAULT_JUDGE")


def find_shipped_second() -> Path | None:
    """Folder of the shipped second judge, named in ``models/DEFAULT_SECOND_JUDGE``; None if there is none."""
    return _find_shipped("DEFAULT_SECOND_JUDGE")


def _find_shipped(named_in: str) -> Path | None:
    base = paths.shipped_models_dir()
    try:
        name = (base / named_in).read_text(encoding="utf-8").strip()
    except FileNotFoundError:
        return None
    return base / name if (base / name / MANIFEST_FILE).is_file() else None
