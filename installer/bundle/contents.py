"""What belongs into the program folder, and what must not be in it."""

from __future__ import annotations

import runpy
import tomllib
from collections.abc import Iterator
from pathlib import Path

from variants import CUDA, Variant

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = {"claimlight": ROOT / "core", "claimlight_workbench": ROOT / "app"}
# The laboratory reproduces papers; it is no part of the examiner's program.
LABORATORY = "claimlight.lab"
# Whatever the environment holds: hooks of other packages and imports inside functions would take it along.
_EXCLUDED = (
    LABORATORY, "accelerate", "attr", "attrs", "defusedxml", "huggingface_hub", "IPython", "ir_measures",
    "jupyter", "matplotlib", "onnx", "onnxscript", "pandas", "pyarrow", "pytest", "scipy", "setuptools",
    "sklearn", "spacy", "sympy", "tkinter", "torch", "transformers", "trove_classifiers",
    # Clients of the servers of shared libraries, and their passwords.
    "grpc", "keyring", "portalocker", "psycopg", "psycopg_binary", "pymilvus", "qdrant_client", "qdrant_edge",
    # They compile the kernels, which are compiled when the folder is built.
    "llvmlite", "numba",
    # Of Python; the library behind it is under the GPL 3, and no command reads lines with it.
    "readline",
)  # fmt: skip
# The GTK theme of Qt needs libraries that PyInstaller would take from this machine; fonts and file dialogs
# are Qt's own without it. AVIF pictures are in no patent file.
UNUSED_FILES = (
    "platformthemes/libqgtk3",
    "plugins/tls/",
    "plugins/networkinformation/",
    "libavif",
    "libatk-",
    "libcairo",
    "libgdk",
    "libgtk",
    "libpango",
    # The computer's, in every variant.
    *CUDA,
)
KERNELS = "claimlight/index/kernels"
"""Folder of the compiled kernels in the program folder; `claimlight.index.compiled` reads it."""
LANGUAGES = ("de", "en", "fr")


def excluded(variant: Variant) -> list[str]:
    """Packages that must not go into a variant, whatever its environment holds."""
    return [name for name in _EXCLUDED if name not in variant.taken]


def modules(variant: Variant) -> Iterator[str]:
    """All modules of both packages: commands and readers are imported by their names."""
    for package, base in PACKAGES.items():
        for path in sorted((base / package).rglob("*.py")):
            place = path.relative_to(base).with_suffix("")
            name = ".".join(place.parts[:-1] if place.name == "__init__" else place.parts)
            if "migrations" in place.parts or (_is_laboratory(place) and LABORATORY not in variant.taken):
                continue
            yield name


def files(variant: Variant) -> Iterator[tuple[str, str]]:
    """Files and the folders they go to.

    Grammars, migrations (which Alembic reads as files), and the resources and the manual of the wheel.
    """
    for package, base in PACKAGES.items():
        for path in sorted((base / package).rglob("*")):
            place = path.relative_to(base)
            if path.is_dir() or "__pycache__" in place.parts:
                continue
            if _is_laboratory(place) and LABORATORY not in variant.taken:
                continue
            if path.suffix != ".py" or "migrations" in place.parts:
                yield str(path), str(place.parent)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    taken = project["tool"]["hatch"]["build"]["targets"]["wheel"]["force-include"]
    for source, target in taken.items():
        # PyInstaller names the folder that a file goes into, and the folder that a folder becomes.
        yield str(ROOT / source), target if (ROOT / source).is_dir() else str(Path(target).parent)
    wheel = runpy.run_path(str(ROOT / "docs" / "hatch_build.py"))
    for source, name in wheel["list_files"](ROOT / "docs").items():
        yield source, str(Path(wheel["TARGET"], name).parent)


def is_used(name: str) -> bool:
    """Whether the program needs a file that PyInstaller collected, by its name in the folder."""
    place = name.replace("\\", "/")
    if place.endswith(".qm"):
        return place.removesuffix(".qm").rpartition("_")[2] in LANGUAGES
    # Both depend on the folder on the machine that the program was built in: the second by its start scripts.
    if place.endswith(("/direct_url.json", ".dist-info/RECORD")):
        return False
    return not any(unused in place for unused in UNUSED_FILES)


def _is_laboratory(place: Path) -> bool:
    return ".".join(place.parts[:2]) == LABORATORY
