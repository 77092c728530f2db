"""Packages are data, and exactly the data their manifest lists."""

import json
import os
import pickle
from contextlib import nullcontext
from dataclasses import replace

import pytest

from claimlight import paths
from claimlight.encoders import manifest as manifests
from claimlight.encoders import open_encoder, package_files
from claimlight.encoders.manifest import ENCODER_FILE, TOKENIZER_FILE
from claimlight.encoders.package import ModelPackage, add_files, find_shipped_folder, list_folders, locate
from claimlight.errors import InputError, ResourceError
from claimlight.settings import EncoderSettings
from tests.core.encoders.encoder_fakes import relist, variant


def edit(folder, change):
    """Change the manifest as JSON."""
    path = folder / manifests.FILE_NAME
    body = json.loads(path.read_text(encoding="utf-8"))
    change(body)
    path.write_text(json.dumps(body), encoding="utf-8")


def test_the_shipped_package_is_small_licensed_and_free(package):
    manifest = package.manifest
    assert manifest.licence == "Apache-2.0"
    assert manifest.commercial
    assert (package.folder / "LICENSE").is_file()
    assert sum(record.size for record in manifest.files) <= 40_000_000
    assert manifest.source in (package.folder / "NOTICE").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", [ENCODER_FILE, TOKENIZER_FILE, "NOTICE"])
def test_a_flipped_bit_is_refused(tmp_path, name):
    folder = variant(tmp_path / "p")
    body = bytearray((folder / name).read_bytes())
    body[len(body) // 2] ^= 1
    (folder / name).write_bytes(body)
    with pytest.raises(ResourceError, match=rf"{name} is damaged or changed.*install the package again"):
        ModelPackage.load(folder)


@pytest.mark.parametrize("name", [ENCODER_FILE, TOKENIZER_FILE, "NOTICE"])
def test_a_missing_file_is_named(tmp_path, name):
    folder = variant(tmp_path / "p")
    (folder / name).unlink()
    with pytest.raises(ResourceError, match=rf"{name} is missing"):
        ModelPackage.load(folder)


def test_a_truncated_file_is_refused(tmp_path):
    folder = variant(tmp_path / "p")
    os.truncate(folder / ENCODER_FILE, 1000)
    with pytest.raises(ResourceError, match="damaged or changed"):
        ModelPackage.load(folder)


def test_a_file_exchanged_after_the_check_is_noticed(tmp_path):
    folder = variant(tmp_path / "p")
    package = ModelPackage.load(folder)
    (folder / TOKENIZER_FILE).write_text("{}", encoding="utf-8")
    with pytest.raises(ResourceError, match="changed while it was in use"):
        open_encoder(package, EncoderSettings(device="cpu"))


class Evil:
    def __reduce__(self):
        return (os.mkdir, (os.environ["EVIL_MARK"],))


@pytest.mark.parametrize("protocol", [2, 3, 4, 5])
def test_a_pickle_is_refused_by_its_content_and_never_opened(tmp_path, monkeypatch, protocol):
    mark = tmp_path / "opened"
    monkeypatch.setenv("EVIL_MARK", str(mark))
    folder = variant(tmp_path / "p")
    (folder / "heads.safetensors").write_bytes(pickle.dumps(Evil(), protocol))
    relist(folder)
    with pytest.raises(InputError, match="is a pickle"):
        ModelPackage.load(folder)
    assert not mark.exists()


@pytest.mark.parametrize("name", ["model.bin", "weights.pkl", "model.pt", "run.py", "lib.so", "x"])
def test_files_that_are_not_data_are_refused_even_when_unlisted(tmp_path, name):
    folder = variant(tmp_path / "p")
    (folder / name).write_bytes(b"nothing")
    with pytest.raises(InputError, match=f"{name} does not belong"):
        ModelPackage.load(folder)


def test_an_archive_of_torch_is_refused(tmp_path):
    folder = variant(tmp_path / "p")
    (folder / "heads.npy").write_bytes(b"PK\x03\x04rest")
    with pytest.raises(InputError, match="an archive"):
        ModelPackage.load(folder)


def test_folders_links_and_pipes_are_refused(tmp_path):
    for number, make in enumerate((os.mkdir, os.mkfifo, lambda path: path.symlink_to("NOTICE"))):
        folder = variant(tmp_path / str(number))
        make(folder / "more.txt")
        with pytest.raises(InputError, match=r"more\.txt does not belong"):
            ModelPackage.load(folder)


def test_unlisted_text_is_left_alone(tmp_path):
    folder = variant(tmp_path / "p")
    (folder / "README.md").write_text("mine", encoding="utf-8")
    assert ModelPackage.load(folder).manifest.id == "general-small"


@pytest.mark.parametrize(
    "name", ["../outside.txt", "/etc/passwd", "sub/x.txt", "..\\outside.txt", "C:x.txt", ".."]
)
def test_paths_out_of_the_folder_are_refused(tmp_path, name):
    (tmp_path / "outside.txt").write_text("x", encoding="utf-8")
    folder = variant(tmp_path / "p")
    edit(folder, lambda body: body["files"].update({name: {"sha256": "0" * 64, "size": 1}}))
    with pytest.raises(InputError, match="outside the package folder"):
        ModelPackage.load(folder)


def varint_field(number, body):
    return bytes([number << 3 | 2, len(body)]) + body


@pytest.mark.parametrize("location", ["weights.bin", "../weights.bin", "/etc/passwd", "/proc/self/mem"])
@pytest.mark.parametrize("length", [b"\x08", b"\x88\x00", b"\x88\x80\x00"], ids=["plain", "long", "longer"])
@pytest.mark.parametrize("tag", [b"\x0a", b"\x8a\x00"], ids=["", "long tag"])
def test_weights_in_other_files_are_refused(tmp_path, location, length, tag):
    """TensorProto.external_data, appended to the graph as protobuf merges it."""
    folder = variant(tmp_path / "p")
    entry = tag + length + b"location" + varint_field(2, location.encode())
    tensor = (
        b"\x08\x01\x10\x01" + varint_field(8, b"w") + bytes([13 << 3 | 2, len(entry)]) + entry + b"\x70\x01"
    )
    with (folder / ENCODER_FILE).open("ab") as stream:
        stream.write(varint_field(7, varint_field(5, tensor)))
    relist(folder)
    with pytest.raises(InputError, match="weights in other files"):
        ModelPackage.load(folder)


def test_the_key_of_another_file_is_found_wherever_chunks_end(tmp_path, monkeypatch):
    path = tmp_path / "graph.onnx"
    entry = b"\x8a\x80\x00\x88\x80\x00location"
    # Weights may hold the word without what protobuf writes before a key.
    for body, refused in ((b"location" + bytes(100) + entry + bytes(300), True), (b"location" * 40, False)):
        path.write_bytes(body)
        for size in range(100, 130):
            monkeypatch.setattr(package_files, "_CHUNK", size)
            with pytest.raises(InputError, match="other files") if refused else nullcontext():
                package_files._check_self_contained(path)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda body: body.pop("dim"), "dim"),
        (lambda body: body.update(schema=9), "schema 9, this program reads 1"),
        (lambda body: body.update(pooling="max"), "pooling 'max'"),
        (lambda body: body.update(dim=0), "0 dimensions"),
        (lambda body: body.update(dim=400, graph_dim=384), "the first 400 of 384 dimensions"),
        (lambda body: body.update(dim=384, graph_dim=384), "the first 384 of 384 dimensions"),
        (lambda body: body.update(templates={"claim": "{text}"}), "the sections are abstract"),
        (lambda body: body.update(templates={"claims": "[claim]"}), "leaves out the text"),
        (lambda body: body.update(templates={"abstract": "{title}"}), "leaves out the text"),
        (lambda body: body.update(prompts={"document": "x"}), "a prompt for 'document'"),
        (lambda body: body.update(languages=["eng"]), "a language 'eng'; expected a code of ISO 639-1"),
        (lambda body: body.update(languages=["EN"]), "a language 'EN'"),
        (lambda body: body.update(files=[]), "is not the manifest"),
    ],
)
def test_a_manifest_that_can_not_be_true_is_refused(tmp_path, change, said):
    folder = variant(tmp_path / "p")
    edit(folder, change)
    with pytest.raises(InputError, match=said):
        ModelPackage.load(folder)


def test_what_is_no_package_is_said(tmp_path):
    with pytest.raises(ResourceError, match="is not a model package"):
        ModelPackage.load(tmp_path)
    (tmp_path / manifests.FILE_NAME).write_text("<xml/>", encoding="utf-8")
    with pytest.raises(InputError, match="not valid JSON"):
        ModelPackage.load(tmp_path)


@pytest.mark.parametrize(
    ("name", "said"),
    [(ENCODER_FILE, "the model can't be loaded"), (TOKENIZER_FILE, "tokenizer.json can't be used")],
)
def test_a_package_that_lists_garbage_fails_in_words(tmp_path, name, said):
    folder = variant(tmp_path / "p")
    (folder / name).write_text("garbage", encoding="utf-8")
    relist(folder)
    with pytest.raises(ResourceError, match=said):
        open_encoder(ModelPackage.load(folder), EncoderSettings(device="cpu"))


def test_packages_are_found_by_name_and_by_folder(tmp_path):
    assert locate("") == find_shipped_folder()
    assert locate(find_shipped_folder().name) == find_shipped_folder()
    own = variant(paths.models_dir() / "mine")
    assert locate("mine") == own
    assert list_folders() == [find_shipped_folder(), own]
    elsewhere = variant(tmp_path / "elsewhere")
    assert ModelPackage.resolve(str(elsewhere)).folder == elsewhere
    with pytest.raises(
        InputError, match=f"no model package 'other'; installed: {find_shipped_folder().name}, mine"
    ):
        locate("other")


def test_the_fingerprint_changes_with_what_changes_a_vector(tmp_path, package):
    manifest = package.manifest
    same = (
        replace(manifest, licence="MIT"),
        replace(manifest, parity={"x": 1}),
        replace(manifest, source="y"),
        replace(manifest, languages=("de",)),
    )
    assert {item.fingerprint for item in same} == {manifest.fingerprint}
    other = [
        replace(manifest, templates={"claims": "[claim] {text}"}),
        replace(manifest, prompts={"query": "q: "}),
        replace(manifest, markers=("[claim]",)),
        replace(manifest, pooling="cls"),
        replace(manifest, max_length=128),
        replace(manifest, version="next"),
        replace(manifest, files=tuple(replace(item, sha256=64 * "0") for item in manifest.files)),
    ]
    assert len({item.fingerprint for item in (manifest, *other)}) == len(other) + 1
    folder = variant(tmp_path / "p")
    before = ModelPackage.load(folder).manifest.fingerprint
    (folder / "more.txt").write_text("x", encoding="utf-8")
    assert add_files(folder, ["more.txt"]).fingerprint == before
    assert "more.txt" in {item.name for item in ModelPackage.load(folder).manifest.files}


def test_a_manifest_is_written_as_it_is_read(tmp_path, package):
    manifest = replace(
        package.manifest,
        templates={"abstract": "{title} [SEP] {body}", "claims": "[claim] {text}"},
        prompts={"query": "q: "},
        markers=("[claim]",),
        commercial=False,
        languages=("en", "de"),
    )
    path = tmp_path / "manifest.json"
    manifests.write(manifest, path)
    first = path.read_bytes()
    assert manifests.read(path) == manifest
    manifests.write(manifests.read(path), path)
    assert path.read_bytes() == first
