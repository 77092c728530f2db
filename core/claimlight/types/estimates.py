"""What indexing will take, before it begins."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PassEstimate:
    """What one pass of indexing has to do."""

    documents: int
    passages: int
    seconds: float
    bytes: int
    """On disk, when it is done."""


@dataclass(frozen=True, slots=True)
class IndexEstimate:
    """What is still to be indexed, and what that takes on this machine."""

    claims: PassEstimate
    """Titles, abstracts and claims."""
    descriptions: PassEstimate
    sampled: int
    """Documents whose passages were counted for the others too; 0 if all were counted."""
    needed_bytes: int
    """Most bytes of disk needed at a time: segments are merged beside the old ones."""
    free_bytes: int
    device: str

    @property
    def seconds(self) -> float:
        """Time of both passes."""
        return self.claims.seconds + self.descriptions.seconds

    @property
    def enough_space(self) -> bool:
        """Whether the disk has room for it."""
        return self.needed_bytes <= self.free_bytes


@dataclass(frozen=True, slots=True)
class DroppedDescriptions:
    """What the removal of the indexed descriptions did, or would do."""

    documents: int
    """Documents whose whole description was indexed after their claims."""
    bytes: int
    """Freed on disk; of unfinished work too, so it may be above 0 without documents."""
    partly: int = 0
    """Other documents, of whose description searches had read passages."""
