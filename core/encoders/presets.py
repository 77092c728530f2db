"""Known encoders (``resources/models/presets.json``): how each wants its text, its pooling, its licence."""

from __future__ import annotations

import json
from dataclasses import dataclass, field

from core import paths
from core.encoders import manifest as manifests
from core.encoders.manifest import Kind, Manifest
from core.errors import InputError, ResourceError


@dataclass(frozen=True, slots=True)
class Preset:
    """What a manifest must say of one published model; the weights are the user's to fetch."""

    name: str
    source: str
    licence: str
    commercial: bool
    pooling: str
    max_length: int
    templates: dict[str, str] = field(default_factory=dict)
    prompts: dict[str, str] = field(default_factory=dict)
    markers: tuple[str, ...] = ()
    note: str = ""
    kind: Kind = Kind.DENSE
    query_length: int = 0
    document_length: int = 0
    """As in `Manifest`."""


def presets() -> dict[str, Preset]:
    """All presets by name; `ResourceError` when the file is missing or says what no manifest may say."""
    path = paths.resources() / "models" / "presets.json"
    try:
        raw = json.loads(path.read_text(encoding="utf-8"))
        found = {
            name: Preset(
                name=name,
                **{
                    **item,
                    "markers": tuple(item.get("markers", ())),
                    "kind": Kind(item.get("kind", Kind.DENSE)),
                },
            )
            for name, item in raw["presets"].items()
        }
        for preset in found.values():
            _check(preset)
    except OSError as error:
        raise ResourceError(f"{path} can't be read: {error.strerror}; install the program again") from error
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise ResourceError(f"{path} is damaged: {error!r}; install the program again") from error
    return found


def preset(name: str) -> Preset:
    """One preset; `InputError` names those there are."""
    known = presets()
    if name not in known:
        raise InputError(f"there is no preset {name!r}; known: {', '.join(sorted(known))}")
    return known[name]


def _check(item: Preset) -> None:
    manifests.checked(
        Manifest(
            id=item.name,
            version="1",
            licence=item.licence,
            source=item.source,
            dim=1,
            pooling=item.pooling,
            max_length=item.max_length,
            precision="fp32",
            templates=item.templates,
            prompts=item.prompts,
            markers=item.markers,
            kind=item.kind,
            query_length=item.query_length,
            document_length=item.document_length,
        )
    )
