"""The safetensors reader agrees with the format and refuses everything else."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from claimlight import tensors
from claimlight.errors import ResourceError

DTYPES = st.sampled_from([np.float32, np.float16, np.int8, np.uint8, np.int32, np.int64])
ARRAYS = DTYPES.flatmap(
    lambda d: hnp.arrays(d, hnp.array_shapes(min_dims=1, max_dims=3, min_side=0, max_side=4))
)


@given(st.dictionaries(st.text("abc_", min_size=1, max_size=5), ARRAYS, max_size=4))
@settings(deadline=None)
def test_round_trip(arrays):
    found = tensors.unpack(tensors.pack(arrays), Path("x"))
    assert found.keys() == arrays.keys()
    for name, array in arrays.items():
        assert found[name].dtype == array.dtype
        assert found[name].tobytes() == array.tobytes()


def test_others_read_what_we_write():
    reader = pytest.importorskip("safetensors.numpy")
    arrays = {"b": np.arange(6, dtype=np.int8).reshape(2, 3), "a": np.array([1.5], dtype=np.float32)}
    found = reader.load(tensors.pack(arrays))
    assert all(np.array_equal(found[name], arrays[name]) for name in arrays)
    ours = tensors.unpack(reader.save(arrays), Path("x"))
    assert all(np.array_equal(ours[name], arrays[name]) for name in arrays)


def header(**changes):
    entry = {"dtype": "I8", "shape": [2], "data_offsets": [0, 2]} | changes
    text = json.dumps({"a": entry}).encode()
    return len(text).to_bytes(8, "little") + text + b"\x01\x02"


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\x01",
        (1 << 40).to_bytes(8, "little") + b"{}",
        (2).to_bytes(8, "little") + b"[]",
        (2).to_bytes(8, "little") + b"{",
        header(dtype="OBJ"),
        header(shape=[3]),
        header(shape=[-2]),
        header(shape=None),
        header(data_offsets=[0, 9]),
        header(data_offsets=[-2, 0]),
        header(data_offsets=[2, 0]),
        header(shape=[1], data_offsets=[0, 1]),
        header() + b"left over",
        header()[:-1],
    ],
)
def test_malformed_files_are_refused(data):
    with pytest.raises(ResourceError, match="safetensors"):
        tensors.unpack(data, Path("x"))
