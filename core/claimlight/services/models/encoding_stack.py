"""The encoder, centers and span unit of a model package, opened together."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from claimlight.encoders import ModelPackage, open_encoder
from claimlight.errors import InputError, ResourceError
from claimlight.index import center_vocabulary, span_entries
from claimlight.index.manifest import IndexRecipe
from claimlight.judging.nearness import NEARNESS_FILE, Nearness, read_nearness
from claimlight.settings import Settings
from claimlight.text.normalise import FINGERPRINT as NORMALISER
from claimlight.text.span_units import NamedUnit, open_unit

if TYPE_CHECKING:
    from claimlight.encoders import Encoder
    from claimlight.index.center_vocabulary import CenterVocabulary


@dataclass(frozen=True, slots=True)
class EncodingStack:
    """Encoder, center vocabulary and span unit: turns text into index entries."""

    encoder: Encoder
    vocabulary: CenterVocabulary
    unit: span_entries.SpanUnit
    languages: tuple[str, ...] = ()
    """Languages the encoder reads, ISO 639-1; empty if unknown."""
    nearness: Nearness | None = None
    """How near its passages are to features; None: by cosine."""

    def recipe(self, settings: Settings) -> IndexRecipe:
        """The recipe that an index is bound to."""
        return _recipe(self.encoder.fingerprint, self.vocabulary, settings)


def recipe_of(settings: Settings) -> IndexRecipe:
    """The recipe an index made now would be bound to; does not load the encoder."""
    package = ModelPackage.resolve(settings.encoder.package)
    vocabulary = center_vocabulary.load(package.folder)
    return _recipe(package.manifest.fingerprint, vocabulary, settings)


def _recipe(encoder: str, vocabulary: CenterVocabulary, settings: Settings) -> IndexRecipe:
    return IndexRecipe(
        encoder=encoder,
        normaliser=NORMALISER,
        centers=vocabulary.fingerprint,
        unit=vocabulary.unit,
        top_k=settings.centers.top_k_document,
    )


def open_encoding_stack(settings: Settings) -> EncodingStack:
    """The encoder, center vocabulary and span unit of the package that the settings name."""
    package = ModelPackage.resolve(settings.encoder.package)
    vocabulary = center_vocabulary.load(package.folder)
    unit = _unit(package, vocabulary)
    encoder = open_encoder(package, settings.encoder)
    vocabulary.check_encoder(encoder.fingerprint)
    # Spans are compared with centers on the device of the encoder, which saves copying.
    vocabulary = replace(vocabulary, device=encoder.device)
    return EncodingStack(
        encoder=encoder,
        vocabulary=vocabulary,
        unit=unit.unit,
        languages=package.manifest.languages,
        nearness=_nearness(package),
    )


def _nearness(package: ModelPackage) -> Nearness | None:
    """Of packages that have one; not part of the recipe, as no index depends on it."""
    manifest = package.manifest
    if not manifest.has(NEARNESS_FILE):
        return None
    path = package.path(NEARNESS_FILE)
    return read_nearness(package.read(NEARNESS_FILE), path, encoder=manifest.fingerprint, dim=manifest.dim)


def _unit(package: ModelPackage, vocabulary: CenterVocabulary) -> NamedUnit:
    """The span unit of the centers."""
    try:
        return open_unit(vocabulary.unit)
    except InputError as error:
        raise ResourceError(
            f"The centers of {package.folder} were made for the span unit {vocabulary.unit!r}, which this "
            f"program does not know ({error}). Update the program or install another model package."
        ) from error
