"""Encoders: model packages on disk, and the sessions that turn texts into vectors with offsets.

One forward pass yields the vectors of all tokens (for spans) and one pooled vector (for sections).
"""

from claimlight.encoders.base import AdaptableEncoder, CountingEncoder, Encoded, Encoder, EncoderInput
from claimlight.encoders.manifest import PackageManifest
from claimlight.encoders.package import ModelPackage
from claimlight.encoders.runtime import OnnxEncoder, open_encoder

__all__ = [
    "AdaptableEncoder",
    "CountingEncoder",
    "Encoded",
    "Encoder",
    "EncoderInput",
    "ModelPackage",
    "OnnxEncoder",
    "PackageManifest",
    "open_encoder",
]
