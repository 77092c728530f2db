"""Model packages: an attacker's package has digests that fit, so whatever is behind them is read."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from claimlight.digests import sha256
from tests.fuzz.making import Made
from tests.fuzz.mutating import JSON


def _put(folder: Path, name: str, data: bytes) -> None:
    """Change one file of a package and its record in the manifest."""
    (folder / name).write_bytes(data)
    path = folder / "manifest.json"
    manifest = json.loads(path.read_bytes())
    manifest["files"][name] = {"sha256": sha256(data), "size": len(data)}
    path.write_text(json.dumps(manifest))


def _encoder(folder: Path) -> Path:
    """A package of the shipped manifest with small files of its own."""
    from claimlight import paths
    from claimlight.encoders import manifest as manifests
    from claimlight.encoders.package import find_shipped_folder

    target = paths.models_dir() / "fuzzed"
    target.mkdir(parents=True, exist_ok=True)
    (target / "encoder.onnx").write_bytes(_graph())
    (target / "tokenizer.json").write_bytes(json.dumps(_tokenizer()).encode())
    raw = json.loads((find_shipped_folder() / manifests.FILE_NAME).read_bytes())
    raw |= {"files": {}, "dim": 4, "graph_dim": 0}
    (target / manifests.FILE_NAME).write_text(json.dumps(raw))
    for name in ("encoder.onnx", "tokenizer.json"):
        _put(target, name, (target / name).read_bytes())
    return target


def _tokenizer() -> dict[str, Any]:
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "a", "damper", "kettle", "##s", ";"]
    special = [
        {"id": n, "content": words[n], "single_word": False, "lstrip": False, "rstrip": False,
         "normalized": False, "special": True}
        for n in range(5)
    ]  # fmt: skip
    return {
        "version": "1.0", "truncation": None, "padding": None, "added_tokens": special,
        "normalizer": {"type": "BertNormalizer", "clean_text": True, "handle_chinese_chars": True,
                       "strip_accents": None, "lowercase": True},
        "pre_tokenizer": {"type": "BertPreTokenizer"},
        "post_processor": {"type": "BertProcessing", "sep": ["[SEP]", 3], "cls": ["[CLS]", 2]},
        "decoder": {"type": "WordPiece", "prefix": "##", "cleanup": True},
        "model": {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
                  "max_input_chars_per_word": 100, "vocab": {word: n for n, word in enumerate(words)}},
    }  # fmt: skip


def _graph() -> bytes:
    """A graph that gives every token a vector of four numbers."""
    import numpy as np
    import onnx
    from onnx import TensorProto, helper, numpy_helper

    weights = numpy_helper.from_array(np.eye(10, 4, dtype=np.float32) + 0.5, "table")
    ids = helper.make_tensor_value_info("input_ids", TensorProto.INT64, ["batch", "length"])
    mask = helper.make_tensor_value_info("attention_mask", TensorProto.INT64, ["batch", "length"])
    out = helper.make_tensor_value_info("tokens", TensorProto.FLOAT, ["batch", "length", 4])
    node = helper.make_node("Gather", ["table", "input_ids"], ["tokens"])
    graph = helper.make_graph([node], "encoder", [ids, mask], [out], [weights])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.checker.check_model(model)
    return model.SerializeToString()


def _encode(folder: Path) -> object:
    from claimlight.encoders.base import EncoderInput
    from claimlight.encoders.package import ModelPackage
    from claimlight.encoders.runtime import open_encoder
    from claimlight.settings import EncoderSettings
    from claimlight.tasks import TaskContext
    from claimlight.types import Section

    encoder = open_encoder(ModelPackage.load(folder), EncoderSettings(threads=1))
    texts = [EncoderInput("a damper; kettles ä " * 3, Section.CLAIMS), EncoderInput("", Section.TITLE)]
    return [item.pooled.tolist() for item in encoder.encode(texts, TaskContext())]


def _manifest_of(make: Callable[[Path], Path], load: Callable[[Path], object]) -> Callable[[Path], Made]:
    def made(folder: Path) -> Made:
        package = make(folder)
        path = package / "manifest.json"
        seeds = [path.read_bytes()]

        def read(data: bytes) -> object:
            path.write_bytes(data)
            return load(package)

        return seeds, read

    return made


def _file_of(
    make: Callable[[Path], Path], name: str, load: Callable[[Path], object]
) -> Callable[[Path], Made]:
    def made(folder: Path) -> Made:
        package = make(folder)

        def read(data: bytes) -> object:
            _put(package, name, data)
            return load(package)

        return [(package / name).read_bytes()], read

    return made


def _load_encoder(folder: Path) -> object:
    from claimlight.encoders import licences
    from claimlight.encoders.package import ModelPackage
    from claimlight.encoders.package_files import read_role
    from claimlight.errors import InputError

    role = read_role(folder)
    package = ModelPackage.load(folder)
    try:
        licences.require_accepted(package.manifest)
    except InputError as error:
        return str(error)
    return role, package.manifest.fingerprint


def _shipped_judge(folder: Path) -> Path:
    from claimlight import paths
    from claimlight.judging.package import find_shipped_folder

    shipped = paths.shipped_models_dir() / "claim-judge-1"
    assert find_shipped_folder() in (None, shipped)
    target = folder / "judge"
    target.mkdir(exist_ok=True)
    raw = json.loads((shipped / "manifest.json").read_bytes()) | {"files": {}}
    (target / "manifest.json").write_text(json.dumps(raw))
    for name, body in (("judge.onnx", b"\x08\x08graph"), ("tokenizer.json", b"{}")):
        _put(target, name, body)
    return target


def _load_judge(folder: Path) -> object:
    from claimlight.judging.package import JudgePackage

    return JudgePackage.load(folder).manifest.fingerprint


def _classifier(folder: Path) -> Path:
    """A classifier of three labels with an expert of each form."""
    import numpy as np

    from claimlight.classify.classifier import Classifier
    from claimlight.classify.heads import HeadKind, read_head
    from claimlight.classify.labels import LabelSpace
    from claimlight.classify.manifest import ClassifierManifest
    from claimlight.classify.mixture import Combination, Mixture
    from claimlight.classify.package import write_package
    from claimlight.types import Scheme

    space = LabelSpace.of(("B", "B62K", "B62K 25/00"))
    small = np.arange(12, dtype=np.float16).reshape(4, 3) / np.float16(12)
    bias = np.zeros(3, dtype=np.float16)
    neighbours = {"vectors": small.reshape(3, 4), "starts": np.arange(4, dtype=np.int64),
                  "codes": np.arange(3, dtype=np.int32),
                  "shape": np.array([3, 2], dtype=np.int64)}  # fmt: skip
    layers = {
        "first": small,
        "bias": bias,
        "second": small[:3],
        "offsets": bias,
        "scale": np.ones(1, np.float32),
    }
    heads = (
        read_head(HeadKind.NEIGHBOURS, neighbours, 3),
        read_head(HeadKind.LOGISTIC, {"normals": small, "offsets": bias.astype(np.float32)}, 3),
        read_head(HeadKind.TWO_LAYERS, layers, 3),
    )
    ones = np.ones((len(space.levels), len(heads)))
    mixture = Mixture(Combination.GATE, ones, ones * 0)
    documents = ("EP1000000A1", "EP1000001A1", "EP1000002A1")
    target = folder / "classifier"
    target.mkdir(exist_ok=True)
    manifest = ClassifierManifest(
        id="fuzzed", version="1", licence="CC0-1.0", source="tests", scheme=Scheme.CPC, encoder="fake",
        encoder_name="fake 1", dim=4, heads=(), combination=Combination.GATE, documents=3,
    )  # fmt: skip
    classifier = Classifier(space, heads, mixture, np.full(3, 0.5), documents=documents)
    write_package(classifier, manifest, target)
    return target


def _load_classifier(folder: Path) -> object:
    import numpy as np

    from claimlight.classify.package import ClassifierPackage

    opened = ClassifierPackage.load(folder).open()
    with np.errstate(all="ignore"):
        return opened.probabilities(np.full((2, 4), 0.5, dtype=np.float32)).tolist()


def _arrays_of(
    make: Callable[[Path], Path], name: str, load: Callable[[Path], object]
) -> Callable[[Path], Made]:
    """The arrays of a file as JSON, so that they are changed in kind, shape and values and still a file."""

    def made(folder: Path) -> Made:
        from claimlight import tensors

        package = make(folder)
        arrays = tensors.unpack((package / name).read_bytes(), package / name)
        plain = {
            key: {"kind": str(item.dtype), "shape": list(item.shape), "values": item.ravel().tolist()}
            for key, item in arrays.items()
        }

        def read(data: bytes) -> object:
            packed = _pack(data)
            if packed is None:
                return None
            _put(package, name, packed)
            return load(package)

        return [json.dumps(plain).encode()], read

    return made


def _pack(data: bytes) -> bytes | None:
    """The file that changed JSON describes; None where it describes none."""
    import numpy as np

    from claimlight import tensors

    try:
        found = {}
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for key, item in json.loads(data).items():
                values = np.asarray(item["values"])
                if values.size > 100_000:
                    return None
                found[str(key)] = values.astype(item["kind"]).reshape(item["shape"])
        return tensors.pack(found)
    except Exception:  # noqa: BLE001 - what can't be written is no input
        return None


def _ngrams(folder: Path) -> Path:
    import numpy as np

    from claimlight.encoders.ngrams import Grams, NgramTable

    target = folder / "ngrams"
    target.mkdir(exist_ok=True)
    (target / "manifest.json").write_text('{"files": {}}')
    grams = Grams(10, 4, 1.5)
    rng = np.random.default_rng(1)
    table = NgramTable.of(grams, rng.standard_normal((grams.rows, 4)), rng.standard_normal((4, 8)))
    table.write(target / "ngrams.safetensors")
    return target


def _load_ngrams(folder: Path) -> object:
    import numpy as np

    from claimlight.encoders.ngrams import NgramTable

    path = folder / "ngrams.safetensors"
    table = NgramTable.read(path.read_bytes(), path)
    with np.errstate(all="ignore"):
        return table.joined(np.ones(table.pooled), np.array([1, 2, 3], dtype=np.int64)).tolist()


def _nearness(folder: Path) -> Path:
    import numpy as np

    from claimlight.judging.nearness import Nearness

    target = folder / "nearness"
    target.mkdir(exist_ok=True)
    (target / "manifest.json").write_text('{"files": {}}')
    matrices = np.random.default_rng(1).standard_normal((2, 6, 2)).astype(np.float32)
    Nearness("fake", matrices[0], matrices[1]).write(target / "nearness.safetensors")
    return target


def _load_nearness(folder: Path) -> object:
    import numpy as np

    from claimlight.judging.nearness import read_nearness

    path = folder / "nearness.safetensors"
    found = read_nearness(path.read_bytes(), path, encoder="fake", dim=6)
    with np.errstate(all="ignore"):
        return found.score(np.ones((1, 6)), np.ones((2, 6))).tolist()


def _centers(folder: Path) -> Path:
    import numpy as np

    from claimlight.index import center_vocabulary
    from claimlight.index.center_vocabulary import CenterVocabulary

    target = folder / "centers"
    target.mkdir(exist_ok=True)
    vocabulary = CenterVocabulary(
        quantised=np.arange(12, dtype=np.int8).reshape(3, 4) + np.int8(1), radii=np.full(3, 0.4, np.float32),
        anchors=("damper", "kettle", "wheel"), unit="word", encoder="fake", parameters=(("k", "1"),),
    )  # fmt: skip
    center_vocabulary.save(vocabulary, target)
    return target


def _load_centers(folder: Path) -> object:
    from claimlight.index import center_vocabulary

    found = center_vocabulary.load(folder)
    return len(found), found.dim, found.anchors


def _center_files(name: str) -> Callable[[Path], Made]:
    """The files of centers have a manifest of their own, with digests that are made to fit."""

    def made(folder: Path) -> Made:
        package = _centers(folder)

        def read(data: bytes) -> object:
            _centers(folder)
            path = package / "centers.json"
            manifest = json.loads(path.read_bytes())
            if name == path.name:
                path.write_bytes(data)
            else:
                (package / name).write_bytes(data)
                manifest["sha256"][name] = sha256(data)
                path.write_text(json.dumps(manifest))
            return _load_centers(package)

        return [(package / name).read_bytes()], read

    return made


def _accepted(folder: Path) -> Made:
    from claimlight import paths
    from claimlight.encoders import licences

    path = paths.models_dir() / licences.FILE_NAME
    path.parent.mkdir(parents=True, exist_ok=True)

    def read(data: bytes) -> object:
        path.write_bytes(data)
        return sorted(licences.read_accepted())

    return [b'{"accepted": [{"model": "a", "licence": "b"}, {"model": "c", "licence": "d"}]}'], read


def _raw_arrays(folder: Path) -> Made:
    import numpy as np

    from claimlight import tensors

    def read(data: bytes) -> object:
        found = tensors.unpack(data, folder / "arrays")
        return {name: (str(item.dtype), item.shape) for name, item in found.items()}

    arrays = {"a": np.ones((2, 3), np.float32), "b": np.zeros(4, np.int8), "c": np.arange(3, dtype=np.int64)}
    return [tensors.pack(arrays), tensors.pack({})], read


Row = tuple[str, Callable[[Path], Made], tuple[bytes, ...], float, bool]
TARGETS: Sequence[Row] = (
    ("encoder manifest", _manifest_of(_encoder, _load_encoder), JSON, 1, False),
    ("encoder tokenizer", _file_of(_encoder, "tokenizer.json", _encode), JSON, 0.5, True),
    ("encoder graph", _file_of(_encoder, "encoder.onnx", _encode), (b"location", b"Gather"), 0.5, True),
    ("encoder n-grams", _arrays_of(_ngrams, "ngrams.safetensors", _load_ngrams), JSON, 1, False),
    ("encoder nearness", _arrays_of(_nearness, "nearness.safetensors", _load_nearness), JSON, 1, False),
    ("centers manifest", _center_files("centers.json"), JSON, 0.5, False),
    ("centers words", _center_files("anchors.jsonl"), JSON, 0.5, False),
    ("centers vectors", _center_files("centers.safetensors"), JSON, 0.5, False),
    ("judge manifest", _manifest_of(_shipped_judge, _load_judge), JSON, 1, False),
    ("classifier manifest", _manifest_of(_classifier, _load_classifier), JSON, 1, False),
    ("classifier labels", _file_of(_classifier, "labels.json", _load_classifier), JSON, 0.5, False),
    ("classifier documents", _file_of(_classifier, "documents.json", _load_classifier), JSON, 0.5, False),
    (
        "classifier arrays",
        _arrays_of(_classifier, "classifier.safetensors", _load_classifier),
        JSON,
        1,
        False,
    ),
    ("accepted licences", _accepted, JSON, 0.5, False),
    ("safetensors", _raw_arrays, JSON, 1, False),
)
