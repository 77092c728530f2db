"""A graph whose weights are in another file is refused before ONNX Runtime sees it, and reads nothing."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

from claimlight.encoders import package_files
from claimlight.encoders.manifest import ENCODER_FILE
from claimlight.encoders.package import ModelPackage
from claimlight.encoders.package_files import MANIFEST_FILE
from claimlight.encoders.session import Session
from claimlight.errors import AppError, InputError
from claimlight.judging.manifest import JUDGE_FILE
from claimlight.judging.package import JudgePackage
from claimlight.judging.package import add_files as list_judge_files
from tests.core.encoders.encoder_fakes import relist, variant

SECRET = np.arange(40, dtype=np.float32)
PLACES = {
    "absolute": ("{secret}", {}),
    "parent": ("../secret.bin", {}),
    "deep parent": ("a/../../secret.bin", {}),
    "proc": ("/proc/self/mem", {"offset": "4096"}),
    "link": ("link.bin", {}),
    "past the end": ("beside.bin", {"offset": "1000000", "length": "160"}),
    "false length": ("beside.bin", {"offset": "0", "length": "-160"}),
}
"""The location, and what else the entry of the tensor states."""


def graph(location: str, more: dict[str, str]) -> bytes:
    """A graph that would return the weights from ``location`` as the vectors of the tokens."""
    weights = TensorProto(name="w", data_type=TensorProto.FLOAT, dims=[10, 4])
    weights.data_location = TensorProto.EXTERNAL
    for key, value in {"location": location, **more}.items():
        weights.external_data.add(key=key, value=value)
    ids = helper.make_tensor_value_info("input_ids", TensorProto.INT64, ["b", "n"])
    mask = helper.make_tensor_value_info("attention_mask", TensorProto.INT64, ["b", "n"])
    out = helper.make_tensor_value_info("tokens", TensorProto.FLOAT, ["b", "n", 4])
    node = helper.make_node("Gather", ["w", "input_ids"], ["tokens"])
    made = helper.make_graph([node], "g", [ids, mask], [out], [weights])
    opset = [helper.make_opsetid("", 17)]
    return onnx.helper.make_model(made, opset_imports=opset, ir_version=8).SerializeToString()


@pytest.fixture
def hostile(tmp_path):
    """Writes a graph, and what it refers to, into a folder."""
    secret = tmp_path / "secret.bin"
    secret.write_bytes(SECRET.tobytes())

    def make(folder: Path, name: str, *, beside: bool = True) -> bytes:
        location, more = PLACES[name]
        if beside:
            # As data files of a package, so that their names are not what refuses them.
            (folder / "beside.bin").write_bytes(SECRET.tobytes())
            (folder / "link.bin").symlink_to(secret)
        return graph(location.format(secret=secret), more)

    return make


@pytest.mark.parametrize("name", PLACES)
def test_an_encoder_with_weights_elsewhere_is_refused_before_it_is_loaded(
    tmp_path, hostile, name, monkeypatch
):
    monkeypatch.setattr(Session, "__init__", lambda *_: pytest.fail("a session was opened"))
    folder = variant(tmp_path / "p")
    (folder / ENCODER_FILE).write_bytes(hostile(folder, name, beside=False))
    relist(folder)
    with pytest.raises(InputError, match="weights in other files"):
        ModelPackage.load(folder)


@pytest.mark.parametrize("name", ["absolute", "link"])
def test_a_judge_with_weights_elsewhere_is_refused(tmp_path, hostile, name):
    from claimlight import paths

    shipped = paths.shipped_models_dir() / "claim-judge-1"
    folder = tmp_path / "judge"
    folder.mkdir()
    for path in shipped.iterdir():
        if path.name != JUDGE_FILE:
            (folder / path.name).write_bytes(path.read_bytes())
    (folder / JUDGE_FILE).write_bytes(hostile(folder, name, beside=False))
    list_judge_files(folder, [JUDGE_FILE])
    with pytest.raises(InputError, match="weights in other files"):
        JudgePackage.load(folder)


@pytest.mark.parametrize("name", PLACES)
def test_the_runtime_reads_nothing_either(tmp_path, hostile, name, monkeypatch):
    """The second wall: from bytes, as packages are loaded, nothing outside the working folder is read."""
    folder, elsewhere = tmp_path / "p", tmp_path / "work"
    folder.mkdir()
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    model = hostile(folder, name)
    with pytest.raises(AppError):
        Session(model).run(np.array([[1]]), np.array([[1]]))


def test_without_the_check_the_weights_of_the_working_folder_would_be_read(tmp_path, hostile, monkeypatch):
    """What the first wall is for: the runtime takes files that are beside whatever is the working folder."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "beside.bin").write_bytes(SECRET.tobytes())
    model = graph("beside.bin", {"offset": "0", "length": "160"})
    (tmp_path / "encoder.onnx").write_bytes(model)
    with pytest.raises(InputError, match="weights in other files"):
        package_files._check_self_contained(tmp_path / "encoder.onnx")
    found = Session(model).run(np.array([[1]]), np.array([[1]]))
    assert found.ravel().tolist() == SECRET[4:8].tolist()


@pytest.mark.parametrize("make", [os.mkfifo, lambda path: path.symlink_to("/dev/zero"), os.mkdir])
def test_a_manifest_that_is_no_file_is_refused_without_waiting(tmp_path, make):
    folder = variant(tmp_path / "p")
    (folder / MANIFEST_FILE).unlink()
    make(folder / MANIFEST_FILE)
    with pytest.raises(InputError, match="is no file"):
        ModelPackage.load(folder)
