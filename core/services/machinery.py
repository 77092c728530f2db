"""Opening a model package with everything that belongs to it: encoder, centers, span unit."""

from __future__ import annotations

from core.encoders import ModelPackage, open_encoder
from core.errors import ResourceError
from core.index import centers
from core.services.indexing import Machinery
from core.settings import Settings
from core.text.spans import SPAN_UNITS


def open_machinery(settings: Settings) -> Machinery:
    """The encoder, center vocabulary and span unit of the package that the settings name."""
    package = ModelPackage.resolve(settings.encoder.package)
    vocabulary = centers.load(package.folder)
    if vocabulary.unit not in SPAN_UNITS:
        raise ResourceError(
            f"The centers of {package.folder} were made for the span unit {vocabulary.unit!r}, which this "
            f"program does not know (it knows {', '.join(sorted(SPAN_UNITS))}). Update the program or install "
            "another model package."
        )
    encoder = open_encoder(package, settings.encoder)
    vocabulary.check_encoder(encoder.fingerprint)
    return Machinery(encoder=encoder, vocabulary=vocabulary, unit=SPAN_UNITS[vocabulary.unit])
