"""The shipped package, opened once."""

import pytest

from claimlight.encoders import ModelPackage, open_encoder
from claimlight.settings import EncoderSettings


@pytest.fixture(scope="session")
def package():
    return ModelPackage.shipped()


@pytest.fixture(scope="session")
def encoder(package):
    return open_encoder(package, EncoderSettings(device="cpu", threads=2))
