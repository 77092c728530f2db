"""What the dialog says, in rows of a name and a value."""

from __future__ import annotations

from claimlight.types.about import RUNTIMES, About, LibraryState, ModelInUse
from claimlight_workbench.language import tr, trn

_BETWEEN = "  ·  "
Rows = tuple[tuple[str, str], ...]


def rows_of(about: About, own: Rows) -> Rows:
    """Versions, models in use and the library, ``own`` those of the window; no path is among them."""
    rows = [("Claimlight", about.version or tr("unknown"))]
    if about.build is not None:
        rows.append(
            (
                tr("Build"),
                _BETWEEN.join(filter(None, (about.build.variant, about.build.commit, about.build.date))),
            )
        )
    rows += _models(about)
    rows += _library(about.library)
    for part in about.parts:
        device = about.device if part.name in RUNTIMES else ""
        rows.append((part.name, _BETWEEN.join(filter(None, (part.version, device)))))
    return (*rows, *own)


def plain_text(rows: Rows) -> str:
    """The rows as lines to paste into a message."""
    return "\n".join(f"{name}: {value}" for name, value in rows)


def _models(about: About) -> list[tuple[str, str]]:
    rows = [(tr("Encoder"), _model(about.encoder))]
    if about.encoder is not None:
        rows.append((tr("Encoder version"), about.encoder.fingerprint))
    rows.append((tr("Judge"), _model(about.judge)))
    if about.second_judge is not None:
        rows.append((tr("Second judge"), _model(about.second_judge)))
    rows.append((tr("Classifier"), _model(about.classifier)))
    return rows


def _model(model: ModelInUse | None) -> str:
    if model is None:
        return tr("none in use")
    dim = trn("{n:,} dimension", "{n:,} dimensions", model.dim) if model.dim else ""
    return _BETWEEN.join(filter(None, (model.name, dim, model.licence)))


def _library(library: LibraryState | None) -> list[tuple[str, str]]:
    if library is None:
        return [(tr("Library"), tr("none open"))]
    documents = trn("{n:,} document", "{n:,} documents", library.documents)
    depth = (
        tr("{count:,} full text", count=library.full_text),
        tr("{count:,} claims and abstract only", count=library.claims_only),
        tr("{count:,} not indexed", count=library.waiting),
    )
    return [
        (tr("Library"), f"{library.name}{_BETWEEN}{documents}"),
        (tr("Library schema"), str(library.schema)),
        (tr("Index version"), library.index or tr("not indexed")),
        (tr("Index depth"), _BETWEEN.join(depth)),
    ]
