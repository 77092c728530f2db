"""A judge whose model is opened when it first rules."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path

from claimlight.encoders.package_files import MANIFEST_FILE
from claimlight.errors import InputError, ResourceError
from claimlight.judging import manifest as manifests
from claimlight.judging.base import Pair, Ruling
from claimlight.judging.calibration import UNCALIBRATED, Calibration
from claimlight.judging.session import PackagedJudge, open_judge_package
from claimlight.settings import JudgeSettings
from claimlight.tasks import TaskContext


class LateJudge:
    """The judge of a package, of which only the manifest is read before it rules; threads may share it.

    Making it raises `InputError` or `ResourceError` for a manifest that can't be read.
    """

    def __init__(self, folder: Path, settings: JudgeSettings) -> None:
        self.manifest = manifests.read(folder / MANIFEST_FILE)
        self._folder, self._settings = folder, settings
        self._lock = threading.Lock()
        self._judge: PackagedJudge | None = None
        self._fault = ""

    @property
    def name(self) -> str:
        """See `Judge.name`."""
        return f"{self.manifest.id} {self.manifest.version}"

    @property
    def fingerprint(self) -> str:
        """See `Judge.fingerprint`."""
        return self.manifest.fingerprint

    @property
    def languages(self) -> frozenset[str]:
        """See `Judge.languages`."""
        return frozenset(self.manifest.languages)

    @property
    def reads_parts(self) -> bool:
        """See `Judge.reads_parts`."""
        return self.manifest.kind.reads_parts

    @property
    def calibration(self) -> Calibration:
        """How its scores are read; `UNCALIBRATED` if the package does not say."""
        return self.manifest.calibration or UNCALIBRATED

    @property
    def fault(self) -> str:
        """Why its model could not be opened; empty if it could, or nobody has asked yet."""
        return self._fault

    def rule(self, pairs: Sequence[Pair], context: TaskContext) -> list[Ruling]:
        """See `Judge.rule`; `ResourceError` also if the model can't be opened, which is tried once only."""
        context.check()
        return self._open().rule(pairs, context)

    def _open(self) -> PackagedJudge:
        # Under the lock: two threads must not open the model twice.
        with self._lock:
            if self._judge is None and not self._fault:
                try:
                    self._judge = self._open_unchanged()
                except (InputError, ResourceError) as error:
                    self._fault = str(error)
            if self._judge is None:
                raise ResourceError(self._fault)
            return self._judge

    def _open_unchanged(self) -> PackagedJudge:
        judge = open_judge_package(self._folder, self._settings)
        if judge.package.manifest != self.manifest:
            # Its scores would be read by the calibration in the manifest that was read before.
            raise ResourceError(f"{self._folder} was replaced while it was in use; open the library again")
        return judge
