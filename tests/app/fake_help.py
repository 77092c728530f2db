"""The part of the fake engine that is about the program itself: the real manual, read once."""

from __future__ import annotations

from functools import cache

from claimlight.services.manual import ManualPage, read_manual
from claimlight.tasks import TaskContext
from claimlight.types.about import About, LibraryState, LicenceGroup, LicenceInfo, ModelInUse, PartVersion

pages = cache(read_manual)

ABOUT = About(
    version="1.2.3",
    encoder=ModelInUse("small 4", "Apache-2.0", "small-4-0123456789abcdef", 384),
    judge=ModelInUse("judge 1", "Apache-2.0"),
    classifier=None,
    library=LibraryState("Pumps", 3, 9, "g1/2", 2, 1, 0),
    device="cpu",
    parts=(PartVersion("Python", "3.11.7"), PartVersion("onnxruntime", "1.20.0")),
    licences=(
        LicenceInfo(LicenceGroup.PROGRAM, "Claimlight", "1.2.3", "Apache-2.0", "Apache License"),
        LicenceInfo(LicenceGroup.SHIPPED, "Lucide icons", "", "ISC", "Permission to use"),
        LicenceInfo(LicenceGroup.LIBRARY, "numpy", "2.4.6", "BSD-3-Clause", ""),
    ),
)


class FakeHelp:
    """Says what the program is."""

    def manual(self, context: TaskContext) -> tuple[ManualPage, ...]:
        return pages()

    def about(self, context: TaskContext) -> About:
        return ABOUT
