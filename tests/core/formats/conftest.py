"""A file of the given bytes."""

import pytest


@pytest.fixture
def write(tmp_path):
    def writer(data, name="file.xml"):
        path = tmp_path / name
        path.write_bytes(data)
        return path

    return writer
