"""The variants of the program folder: the examiner's, for graphics cards, for shared libraries, for research.

One spec file makes all of them: they differ in what the environment has, what must not be inside, and how
large the folder may become.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass

MEGABYTE = 1_000_000
EXAMINER = "examiner"
CUDA = (
    *("libcublas", "libcuda.", "libcudart", "libcudnn", "libcufft", "libcurand"),
    *("libnvinfer", "libnvonnxparser", "libnvrtc"),
)
"""Libraries that belong to the driver of a card, in the versions that the computer has."""


@dataclass(frozen=True, slots=True)
class Variant:
    """One variant."""

    name: str
    extras: tuple[str, ...]
    """Extras of ``pyproject.toml`` that its environment has; `make` installs them."""
    largest: int
    """Bytes that the folder may have."""
    taken: frozenset[str] = frozenset()
    """Packages that are excluded from the other variants, and are the purpose of this one."""
    sources: tuple[str, ...] = ()
    """Packages that read their own source while they run."""
    whole: tuple[str, ...] = ()
    """Packages that import modules of theirs by name, or from compiled code: all of them are inside."""
    replaceable: tuple[str, ...] = ()
    """Packages whose licence lets the user replace them: their modules are files of the folder."""
    missed: tuple[str, ...] = ()
    """Libraries that the computer of the user has to have, not the folder."""


VARIANTS = {
    each.name: each
    for each in (
        Variant(EXAMINER, ("app", "cpu", "encryption"), 540 * MEGABYTE),
        # CUDA and cuDNN are of the computer, as its driver is: together they have 1.2 GB, packed.
        Variant(
            "gpu",
            ("app", "gpu", "encryption"),
            880 * MEGABYTE,
            missed=CUDA,
        ),
        Variant(
            "shared",
            ("app", "cpu", "encryption", "keyring", "milvus", "postgres", "qdrant"),
            610 * MEGABYTE,
            # The client of Milvus imports pandas.
            taken=frozenset(
                {
                    "grpc",
                    "keyring",
                    "pandas",
                    "portalocker",
                    "psycopg",
                    "psycopg_binary",
                    "pymilvus",
                    "qdrant_client",
                }
            ),
            whole=("keyring.backends", "psycopg"),
            # LGPL: in the archive of the program file nobody could change it.
            replaceable=("psycopg", "psycopg_binary"),
        ),
        Variant(
            "research",
            ("app", "cpu", "encryption", "evaluate", "export", "lab", "train"),
            2_000 * MEGABYTE,
            taken=frozenset(
                {
                    "accelerate",
                    "claimlight.lab",
                    "huggingface_hub",
                    "ir_measures",
                    "llvmlite",
                    "matplotlib",
                    "numba",
                    "onnx",
                    "onnxscript",
                    "pandas",
                    "pyarrow",
                    "scipy",
                    "setuptools",
                    "sklearn",
                    "spacy",
                    "sympy",
                    "torch",
                    "transformers",
                }
            ),
            sources=("onnxscript",),
            # Another way of threading of numba, which its own takes the place of.
            missed=("libtbb",),
        ),
    )
}
"""By name."""


def main() -> None:
    """Print the extras of the variant named, as pip takes them."""
    print(",".join(VARIANTS[sys.argv[1]].extras))


if __name__ == "__main__":
    main()
