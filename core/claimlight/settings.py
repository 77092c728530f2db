"""Every setting of the program: one declaration each, with its type, default, label and help.

The file is JSON with a schema version. An unreadable file is kept beside it as ``.bad`` and the
defaults are used; `Loaded.note` says so.
"""

from __future__ import annotations

import difflib
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any, get_type_hints

from claimlight import codec, files, paths
from claimlight.errors import InputError
from claimlight.files import parse_json

SCHEMA_VERSION = 2
_SWITCHES = {"true": True, "yes": True, "false": False, "no": False}


def setting(default: Any, label: str, help_text: str, **limits: Any) -> Any:
    """Declare one setting: ``limits`` are ``minimum``, ``maximum`` or ``choices``.

    ``names`` says what choices are called in the window; ``points``: it shows a share as points of 100;
    ``advanced``: the window does not show it, as only measurements can tell a better value.
    """
    return field(default=default, metadata={"label": label, "help": help_text, **limits})


@dataclass(frozen=True, slots=True)
class EncoderSettings:
    """Which model encodes, and where."""

    package: str = setting(
        "", "Model package", "Name or folder of the model package; empty means the shipped one."
    )
    device: str = setting(
        "auto",
        "Device",
        "Where the encoder runs.",
        choices=("auto", "cpu", "cuda"),
        names=("automatic", "processor (CPU)", "graphics card (CUDA)"),
    )
    threads: int = setting(
        0,
        "Threads",
        "Processor threads of the encoder; 0: all cores.",
        minimum=0,
        maximum=256,
        advanced=True,
    )
    batch_tokens: int = setting(
        1024,
        "Tokens per batch",
        "Padded tokens per forward pass on the processor; it is slower if they exceed its caches.",
        minimum=64,
        maximum=1 << 20,
        advanced=True,
    )


@dataclass(frozen=True, slots=True)
class ClassifierSettings:
    """Which classifier suggests classes of CPC or IPC."""

    # Advanced: in the window it is in the panel *Classes*.
    package: str = setting(
        "",
        "Classifier",
        "Name or folder of the classifier that suggests classes; empty means the shipped one, none means no "
        "classifier.",
        advanced=True,
    )


@dataclass(frozen=True, slots=True)
class JudgeSettings:
    """Which model judges whether a passage discloses a feature, and where."""

    # Advanced, all: in the window they are in the panel *Models*, not among the settings of the dialog.
    package: str = setting(
        "",
        "Judge",
        "Name or folder of the judge; empty means the shipped one, none means no judge.",
        advanced=True,
    )
    second: str = setting(
        "",
        "Second judge",
        "Name or folder of the judge that reads on in the best documents of a matrix; empty means the "
        "shipped one if judge.package is empty too, else the judge itself; none means the judge itself.",
        advanced=True,
    )
    device: str = setting(
        "auto",
        "Device of the judge",
        "Where the judge runs.",
        choices=("auto", "cpu", "cuda"),
        names=("automatic", "processor (CPU)", "graphics card (CUDA)"),
        advanced=True,
    )
    threads: int = setting(
        0,
        "Threads of the judge",
        "Processor threads of the judge; 0: all cores.",
        minimum=0,
        maximum=256,
        advanced=True,
    )
    batch_tokens: int = setting(
        1024,
        "Tokens per batch of the judge",
        "Padded tokens per forward pass on the processor; it is slower if they exceed its caches.",
        minimum=64,
        maximum=1 << 20,
        advanced=True,
    )
    read_on: int = setting(
        4,
        "Documents the judge reads on in",
        "Number of documents of a matrix, the first one and those that disclose most alone or together, of "
        "which the judge reads more than the first passages; 0: none.",
        minimum=0,
        maximum=1000,
        advanced=True,
    )


@dataclass(frozen=True, slots=True)
class CenterSettings:
    """Sparse Coverage: activation and scoring (paper, section 3)."""

    # 8 was no better, and the index is larger (docs/adr/0004).
    top_k_document: int = setting(
        5,
        "Concepts per term of a document",
        "Number of nearest concepts (centers) that each term is assigned to: K of Eq. 4 of the paper.",
        minimum=1,
        maximum=64,
        advanced=True,
    )
    top_k_query: int = setting(
        5,
        "Concepts per term of the claim",
        "Number of nearest concepts (centers) that each term is assigned to: K of Eq. 4 of the paper.",
        minimum=1,
        maximum=64,
        advanced=True,
    )
    idf_exponent: float = setting(
        2.0,
        "Weight of rare concepts",
        "How much more rare concepts weigh than frequent ones: alpha, the exponent of idf; 0: not at all.",
        minimum=0.0,
        maximum=6.0,
        advanced=True,
    )
    length_exponent: float = setting(
        0.5,
        "Penalty of long passages",
        "How strongly long passages are penalised: gamma, the exponent of their length; 0: not at all.",
        minimum=0.0,
        maximum=2.0,
        advanced=True,
    )
    # About one sentence; 32 would also penalise short claims (docs/adr/0010).
    length_floor: int = setting(
        16,
        "Shortest passage",
        "Passages of fewer terms count as this long, so that a heading is no better evidence than the "
        "paragraph below it; 1 is the paper's formula.",
        minimum=1,
        maximum=1000,
        advanced=True,
    )
    stop_share: float = setting(
        0.01,
        "Frequent concepts left out",
        "Share of the most frequent concepts (centers), which do not score.",
        minimum=0.0,
        maximum=0.5,
        points=True,
        advanced=True,
    )


@dataclass(frozen=True, slots=True)
class SearchSettings:
    """Ranking and fusion."""

    depth: int = setting(
        1000,
        "Documents of each ranking",
        "Number of documents taken from each of the keyword, semantic and concept rankings before they are "
        "combined.",
        minimum=10,
        maximum=100_000,
        advanced=True,
    )
    # Weights of docs/adr/0017; keywords had 0.7 until the vectors knew words (docs/adr/0018).
    weight_bm25: float = setting(
        0.3,
        "Weight of keyword search",
        "Weight of keyword ranking (BM25) in the combined ranking; 0 turns it off.",
        minimum=0.0,
        maximum=10.0,
    )
    weight_dense: float = setting(
        1.0,
        "Weight of semantic search",
        "Weight of semantic ranking (dense vectors) in the combined ranking; 0 turns it off.",
        minimum=0.0,
        maximum=10.0,
    )
    weight_centers: float = setting(
        0.3,
        "Weight of concept search",
        "Weight of concept ranking (centers) in the combined ranking; 0 turns it off.",
        minimum=0.0,
        maximum=10.0,
    )
    weight_plugins: str = setting(
        "",
        "Weights of plug-in rankers",
        "Weights of plug-in rankers in the combined score: NAME=WEIGHT, separated by commas; 1 if not given.",
        advanced=True,
    )
    query_terms: int = setting(
        48,
        "Keywords of a claim",
        "Maximum number of query terms for keyword ranking (BM25), the most distinctive first.",
        minimum=4,
        maximum=512,
        advanced=True,
    )
    reading_seconds: float = setting(
        2.0,
        "Reading while you wait",
        "Seconds that a search or a matrix may spend on reading passages of the best documents whose "
        "description is not indexed yet; 0: none.",
        minimum=0.0,
        maximum=600.0,
    )
    passages_per_hit: int = setting(
        3, "Passages per hit", "Best passages shown with each document.", minimum=1, maximum=50
    )
    # This and the next were chosen on the sample: conventions, no probabilities (docs/adr/0022).
    least_match: float = setting(
        0.35,
        "Match threshold",
        "Match strength from which a match is medium: suggested and highlighted. Weaker matches are below "
        "the threshold.",
        minimum=0.01,
        maximum=1.0,
        points=True,
    )
    strong_match: float = setting(
        0.5,
        "Strong match",
        "Match strength from which a match is strong: in the matrix, in pairs, in the features a document "
        "lacks, and for COVERS(F1).",
        minimum=0.01,
        maximum=1.0,
        points=True,
    )
    meaning_cut: float = setting(
        1.0,
        "Semantic cut-off",
        'Minimum similarity of a document for ~"text" and LIKE, in standard deviations above the mean of '
        "the library.",
        minimum=-5.0,
        maximum=10.0,
        advanced=True,
    )
    ef_search: int = setting(
        200,
        "Accuracy of the semantic search",
        "Candidates that a semantic search examines: more find more, and take longer (hnswlib ef).",
        minimum=10,
        maximum=10_000,
        advanced=True,
    )
    representative: str = setting(
        "best",
        "Family represented by",
        "Member that represents its family: best (ranked), earliest, granted, or offices and languages in "
        "order of preference, such as EP,US,de.",
    )


@dataclass(frozen=True, slots=True)
class IndexSettings:
    """How an index is built."""

    documents_per_segment: int = setting(
        64,
        "Documents per segment",
        "Documents committed to disk at a time, which is the most that a kill can lose.",
        minimum=1,
        maximum=100_000,
        advanced=True,
    )
    hnsw_m: int = setting(
        16,
        "Neighbours of a vector",
        "Links from each vector of the semantic index: more find more, and take more space (hnswlib M).",
        minimum=2,
        maximum=128,
        advanced=True,
    )
    ef_construction: int = setting(
        200,
        "Accuracy of the semantic index",
        "Candidates examined for each link: more make a better index, and take longer (hnswlib "
        "ef_construction).",
        minimum=10,
        maximum=10_000,
        advanced=True,
    )
    # 0.75 costs six points among the first ten where no text is missing (docs/adr/0021).
    section_level: float = setting(
        0.5,
        "Balance section types",
        "How strongly the average offset of each section type (abstract, claims, description) is removed "
        "from its vectors, 0 to 1; with 0 whole documents rank before those with an abstract only.",
        minimum=0.0,
        maximum=1.0,
        points=True,
        advanced=True,
    )
    low_priority: bool = setting(
        default=False,
        label="Index with low priority",
        help_text="Whether `claimlight index` leaves the processor to other programs, which takes longer.",
        # The window has its own: it indexes beside the examiner's work.
        advanced=True,
    )


@dataclass(frozen=True, slots=True)
class ImportSettings:
    """How files are imported."""

    batch_documents: int = setting(
        1000,
        "Documents per commit",
        "Documents written in one transaction.",
        minimum=1,
        maximum=100_000,
        advanced=True,
    )
    workers: int = setting(
        0,
        "Parallel import processes",
        "Processes that read files in parallel; 0 = automatic, 1 = no parallel reading.",
        minimum=0,
        maximum=64,
    )
    drawings: str = setting(
        "keep",
        "Drawings",
        "keep: pictures are copied into the library at import (about 30 KB a page of drawings), so that it "
        "stays whole when the files are gone; link: they are read from the files of the documents.",
        choices=("keep", "link"),
        advanced=True,
    )


@dataclass(frozen=True, slots=True)
class HubSettings:
    """Where models are downloaded from; used only by `claimlight models add --from-hub`."""

    endpoint: str = setting(
        "https://huggingface.co",
        "Model hub",
        "Address of the hub, or of a mirror; overridden by the environment variable HF_ENDPOINT.",
    )
    proxy: str = setting(
        "",
        "Proxy",
        "Address of the proxy for the hub; empty: that of the system; none: no proxy.",
    )


@dataclass(frozen=True, slots=True)
class PluginSettings:
    """Third-party programs that add formats, rankers, encoders and judges (docs/developers/plugins.md)."""

    load: str = setting(
        "auto",
        "Plug-ins",
        "Plug-ins are third-party programs that run with your permissions. auto: loaded in a Python "
        "environment, not in the installed program; always; never.",
        choices=("auto", "always", "never"),
    )


@dataclass(frozen=True, slots=True)
class WindowSettings:
    """How the workbench looks and what it does by itself."""

    theme: str = setting("system", "Theme", "Colours of the window.", choices=("system", "light", "dark"))
    language: str = setting(
        "system",
        "Language",
        "Language of the window; documents, query lines and reports stay as they are. Takes effect at the "
        "next start.",
        choices=("system", "en", "fr", "de"),
        names=("as the system", "English", "Français", "Deutsch"),
    )
    text_scale: float = setting(
        1.0, "Text size", "Scale of the text in the reader.", minimum=0.5, maximum=3.0
    )
    reduce_motion: bool = setting(
        default=False,
        label="Reduce motion",
        help_text="The reader marks the passage that a jump arrives at without fading. On Windows the "
        "setting of the system does the same. Takes effect at the next start.",
    )
    check_days: int = setting(
        7,
        "Days between checks for damage",
        "The window checks the open library and the case book in the background if they were not found "
        "undamaged within this number of days. 0: never. Takes effect at the next start.",
        minimum=0,
        maximum=365,
        advanced=True,
    )


@dataclass(frozen=True, slots=True)
class Settings:
    """All settings, by group."""

    encoder: EncoderSettings = EncoderSettings()
    judge: JudgeSettings = JudgeSettings()
    classifier: ClassifierSettings = ClassifierSettings()
    centers: CenterSettings = CenterSettings()
    search: SearchSettings = SearchSettings()
    index: IndexSettings = IndexSettings()
    imports: ImportSettings = ImportSettings()
    hub: HubSettings = HubSettings()
    plugins: PluginSettings = PluginSettings()
    window: WindowSettings = WindowSettings()


@dataclass(frozen=True, slots=True)
class Declared:
    """The declaration of one setting, for lists and dialogs."""

    key: str
    type: type
    default: Any
    label: str
    help: str
    minimum: float | None
    maximum: float | None
    choices: tuple[str, ...]
    names: tuple[str, ...]
    """The window's names of the choices."""
    points: bool
    """Whether the window shows a share of 0 to 1 as points of 100, like match strengths."""
    advanced: bool = False
    """Not in the window: set by `claimlight settings set`, or in the file."""


@dataclass(frozen=True, slots=True)
class Loaded:
    """The settings in force, and a note for the user about the file."""

    settings: Settings
    note: str = ""


def _strong_match(raw: dict[str, Any]) -> dict[str, Any]:
    """``covers_share`` became ``strong_match``; 0 meant the default."""
    share = raw.pop("search.covers_share", 0.0)
    return raw | {"search.strong_match": share} if share else raw


MIGRATORS: dict[int, Callable[[dict[str, Any]], dict[str, Any]]] = {1: _strong_match}
"""From schema version n to n + 1."""


def list_declared() -> Iterator[Declared]:
    """Every setting, in declaration order."""
    for group, group_type in get_type_hints(Settings).items():
        hints = get_type_hints(group_type)
        for item in fields(group_type):
            meta = item.metadata
            yield Declared(
                key=f"{group}.{item.name}",
                type=hints[item.name],
                default=item.default,
                label=meta["label"],
                help=meta["help"],
                minimum=meta.get("minimum"),
                maximum=meta.get("maximum"),
                choices=meta.get("choices", ()),
                names=meta.get("names", meta.get("choices", ())),
                points=meta.get("points", False),
                advanced=meta.get("advanced", False),
            )


def get(settings: Settings, key: str) -> Any:
    """The value of ``group.name``; unknown keys raise `InputError`."""
    _find(key)
    group, name = key.split(".")
    return getattr(getattr(settings, group), name)


def change(settings: Settings, key: str, value: Any) -> Settings:
    """A copy with one value replaced; it is converted and checked against its declaration."""
    found = _find(key)
    group, name = key.split(".")
    checked = _check(found, value)
    return replace(settings, **{group: replace(getattr(settings, group), **{name: checked})})


def load(path: Path | None = None) -> Loaded:
    """Read the settings file; a missing one means defaults."""
    path = path or paths.config_dir() / "settings.json"
    try:
        raw = parse_json(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return Loaded(Settings())
    # Not set aside: the file may be sound, and readable again later.
    except OSError as error:
        note = f"The settings in {path} can't be read ({error.strerror}); defaults are used."
        return Loaded(Settings(), note)
    except ValueError:
        return _set_aside(path, "is not valid JSON")
    try:
        return _from_json(raw, path)
    except InputError as error:
        return _set_aside(path, str(error))


def save(settings: Settings, path: Path | None = None) -> None:
    """Write the settings file atomically."""
    path = path or paths.config_dir() / "settings.json"
    files.private_folder(path.parent)
    body: dict[str, Any] = {"schema": SCHEMA_VERSION}
    for item in list_declared():
        value = get(settings, item.key)
        # Defaults are left out, so a better default of a later version reaches everybody.
        if value != item.default:
            body[item.key] = value
    files.write_atomically(path, json.dumps(body, indent=2))


def _set_aside(path: Path, reason: str) -> Loaded:
    bad = path.with_suffix(".json.bad")
    try:
        path.replace(bad)
    except OSError:
        # A read-only folder: the file stays where it is.
        bad = path
    return Loaded(Settings(), f"The settings file {reason}; it is kept as {bad} and defaults are used.")


def _from_json(raw: Any, path: Path) -> Loaded:
    if not isinstance(raw, dict) or not isinstance(raw.get("schema"), int):
        raise InputError("has no schema version")
    version = int(raw.pop("schema"))
    if version < 1:
        raise InputError(f"has schema {version}")
    if version > SCHEMA_VERSION:
        raise InputError(f"has schema {version}, newer than {SCHEMA_VERSION}")
    while version < SCHEMA_VERSION:
        raw = MIGRATORS[version](raw)
        version += 1
    known = {item.key for item in list_declared()}
    settings = Settings()
    for key in raw.keys() & known:
        settings = change(settings, key, raw[key])
    return Loaded(settings, _unknown(sorted(raw.keys() - known), path))


def _unknown(keys: Sequence[str], path: Path) -> str:
    """The note on settings that another version wrote."""
    if not keys:
        return ""
    return (
        f"{path} has settings unknown to this version, which are ignored: {', '.join(keys)}. "
        "The next change of a setting removes them from the file."
    )


def _find(key: str) -> Declared:
    for item in list_declared():
        if item.key == key:
            return item
    near = difflib.get_close_matches(key, [item.key for item in list_declared()], n=1)
    meant = f"; did you mean {near[0]}?" if near else "."
    raise InputError(f"There is no setting {key!r}{meant} `claimlight settings list` names them all.")


def _check(item: Declared, value: Any) -> Any:
    try:
        converted = _read_switch(value) if item.type is bool else item.type(value)
    except (KeyError, OverflowError, TypeError, ValueError) as error:
        raise InputError(f"{item.key}: {value!r} is not {codec.WORDS[item.type]}") from error
    rule = codec.Rule(item.minimum, item.maximum, item.choices)
    try:
        return codec.check(converted, rule, item.key)
    except codec.MisfitError as error:
        raise InputError(str(error)) from error


def _read_switch(value: Any) -> bool:
    """``true`` or ``yes``, ``false`` or ``no``: `bool` takes every text for true."""
    if isinstance(value, bool):
        return value
    return _SWITCHES[str(value).strip().lower()]
