"""What a child process does, in a few words, by its command line."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from claimlight_workbench.language import tr

_LIBRARY = "--library"


def kind_of(arguments: Sequence[str]) -> str:
    """The command without what it is given: ``evaluate library``; never a name that the user chose."""
    first, second = (*arguments, "", "")[:2]
    return f"{first} {second}" if first in _GROUPS else first


def title_of(arguments: Sequence[str]) -> str:
    """``Index Patents 2020``; for a command that is not known here, the command."""
    kind = kind_of(arguments)
    title = _TITLES.get(kind)
    if title is None:
        return kind
    words = tuple(arguments)
    place = words.index(_LIBRARY) + 1 if _LIBRARY in words else len(words)
    return title(words, Path(words[place]).name if place < len(words) else "")


def _index(words: tuple[str, ...], library: str) -> str:
    if "--estimate" in words:
        return tr("Estimate how long indexing {library} takes", library=library)
    if "--drop-descriptions" in words:
        return tr("Remove the indexed descriptions of {library}", library=library)
    if "--rebuild" in words:
        return tr("Rebuild the index of {library}", library=library)
    return tr("Index {library}", library=library)


def _given(words: tuple[str, ...]) -> str:
    return Path(words[2]).name if len(words) > 2 else ""


_GROUPS = {"classes", "classify", "evaluate", "library", "models", "adapt-judge"}
_TITLES: dict[str, Callable[[tuple[str, ...], str], str]] = {
    "import": lambda _words, library: tr("Import files into {library}", library=library),
    "index": _index,
    "library remove": lambda _words, library: tr("Remove documents from {library}", library=library),
    "evaluate library": lambda _words, library: tr("Evaluate the search of {library}", library=library),
    "adapt": lambda _words, library: tr("Adapt the encoder to {library}", library=library),
    "train": lambda words, _library: tr("Train an encoder: {recipe}", recipe=Path(words[1]).stem),
    "models add": lambda words, _library: tr("Add the model package {name}", name=_given(words)),
    "models check": lambda words, _library: tr("Check the model package {name}", name=_given(words)),
    "models accept": lambda words, _library: tr("Accept the licence of {name}", name=_given(words)),
    "models remove": lambda words, _library: tr("Remove the model package {name}", name=_given(words)),
    "classes import": lambda _words, _library: tr("Import an edition of classes"),
    "doctor": lambda _words, _library: tr("Check for damage"),
    "classify train": lambda _words, _library: tr("Train a classifier"),
}
