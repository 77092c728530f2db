"""From stored text to model input: templates, tokens with offsets, windows of long texts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from claimlight.encoders.base import EncoderInput
from claimlight.encoders.manifest import TOKENIZER_FILE, PackageManifest
from claimlight.encoders.package import ModelPackage
from claimlight.encoders.package_files import Package
from claimlight.errors import AppError, InputError, ResourceError
from claimlight.text.encoder_text import to_encoder_text

if TYPE_CHECKING:
    from tokenizers import Encoding, Tokenizer

_SPACE = re.compile(r"\s")
_FIELD = re.compile(r"\{(title|body|text)\}")


@dataclass(frozen=True, slots=True, eq=False)
class TokenWindow:
    """One input of the model: a whole text, or a part of a long one."""

    text: int
    """Index of its text among the inputs."""
    ids: NDArray[np.int64]
    """Token ids, including special tokens and prompt."""
    content: NDArray[np.int64]
    """Positions in ``ids`` of the tokens of the stored text."""


@dataclass(frozen=True, slots=True, eq=False)
class Reading:
    """A text as the model reads it."""

    windows: tuple[TokenWindow, ...]
    offsets: NDArray[np.int32]
    """[n, 2] half-open ranges in the stored text, in code points, of the content tokens of all windows."""


class TokenReader:
    """Tokenises texts with the tokenizer and the templates of a package."""

    def __init__(self, package: ModelPackage) -> None:
        self._manifest = package.manifest
        self._tokenizer = open_tokenizer(package)
        # Published tokenizers often pad and truncate by themselves; here windows are cut.
        self._tokenizer.no_padding()
        self._tokenizer.no_truncation()
        register_markers(self._tokenizer, self._manifest)
        # Tried out: how special tokens are put around a text depends on the tokenizer's post-processor.
        probe = self._tokenizer.encode("a")
        content = [i for i, special in enumerate(probe.special_tokens_mask) if not special]
        if not content:
            raise ResourceError(
                f"{package.folder / TOKENIZER_FILE} can't be used: it makes no token of a letter"
            )
        self._before = probe.ids[: content[0]]
        self._after = probe.ids[content[-1] + 1 :]
        self._room = self._manifest.max_length - len(self._before) - len(self._after)
        self._first_window = False

    def otherwise(self, *, prompt: str | None, first_window: bool) -> TokenReader:
        """The same tokenizer with other prompts; see `AdaptableEncoder.otherwise`."""
        other = copy(self)
        if prompt is not None:
            lead = f"{prompt.rstrip()} " if prompt.strip() else ""
            other._manifest = replace(self._manifest, prompts={"query": lead, "passage": lead})
        other._first_window = first_window
        return other

    @property
    def fingerprint(self) -> str:
        """That of the manifest, and whether texts are truncated."""
        return self._manifest.fingerprint + ("-first-window" if self._first_window else "")

    def token(self, text: str) -> int | None:
        """Id of the token with exactly this text; None if the vocabulary lacks it."""
        found: int | None = self._tokenizer.token_to_id(text)
        return found

    def read(self, inputs: Sequence[EncoderInput]) -> list[Reading]:
        """Tokenise ``inputs``; long texts are split into windows without losing tokens."""
        shown = [_fill_template(item, self._manifest) for item in inputs]
        encodings = self._tokenizer.encode_batch([item.text for item in shown], add_special_tokens=False)
        return [
            self._reading(number, text, encoding)
            for number, (text, encoding) in enumerate(zip(shown, encodings, strict=True))
        ]

    def _reading(self, number: int, text: _FilledTemplate, encoding: Encoding) -> Reading:
        ids = np.array(encoding.ids, dtype=np.int64)
        stands, offsets = text.stored(np.array(encoding.offsets, dtype=np.int64).reshape(-1, 2))
        first = int(stands.argmax()) if stands.any() else len(ids)
        windows = tuple(self._windows(number, ids, encoding.word_ids, stands=stands, prompt=first))
        return Reading(windows, offsets)

    def _windows(
        self,
        number: int,
        ids: NDArray[np.int64],
        words: Sequence[int | None],
        *,
        stands: NDArray[np.bool_],
        prompt: int,
    ) -> Iterator[TokenWindow]:
        """Windows of about equal length, split between words, each with the prompt in front."""
        room = self._room - prompt
        if room < 1:
            raise InputError(
                f"model package {self._manifest.id}: its prompt takes up all {self._manifest.max_length} "
                "tokens of a window"
            )
        lead = np.array([*self._before, *ids[:prompt]], dtype=np.int64)
        tail = np.array(self._after, dtype=np.int64)
        if self._first_window:
            # Filled to the last token, as a truncating tokenizer does.
            cuts: Iterable[tuple[int, int]] = ((prompt, min(len(ids), prompt + room)),)
        else:
            cuts = cut_windows(prompt, len(ids), room=room, words=words)
        for begin, end in cuts:
            content = np.flatnonzero(stands[begin:end]) + len(lead)
            yield TokenWindow(number, np.concatenate((lead, ids[begin:end], tail)), content)


_UNUSUAL = "a valve, \u00e4\u2603\u4e2d\U0001f680 0.5"
"""Words and signs, some of which no vocabulary has."""


def open_tokenizer(package: Package[Any]) -> Tokenizer:
    """The tokenizer of a package; `ResourceError` if its file is damaged."""
    from tokenizers import Tokenizer

    try:
        tokenizer: Tokenizer = Tokenizer.from_str(package.read(TOKENIZER_FILE).decode("utf-8"))
        # Some files are read without a fault and fail at the first text they do not know.
        tokenizer.encode(_UNUSUAL)
    except AppError:
        raise
    except Exception as error:
        # tokenizers raises plain Exception for a file it can't parse; the fault is the package's.
        raise ResourceError(f"{package.folder / TOKENIZER_FILE} can't be used: {error}") from error
    return tokenizer


def register_markers(tokenizer: Tokenizer, manifest: PackageManifest) -> None:
    """Register every marker as one token; `InputError` if the tokenizer does not have it."""
    for marker in manifest.markers:
        if tokenizer.token_to_id(marker) is None:
            raise InputError(f"model package {manifest.id}: its tokenizer has no token {marker!r}")
    tokenizer.add_special_tokens(list(manifest.markers))


def cut_windows(begin: int, end: int, *, room: int, words: Sequence[int | None]) -> Iterator[tuple[int, int]]:
    """Ranges of about equal length, at most ``room`` tokens, cut between words.

    ``words`` has the number of the word of each token.
    """
    if begin >= end:
        yield begin, end
    while begin < end:
        left = end - begin
        cut = begin + -(-left // -(-left // room))
        if cut < end:
            moved = cut
            while moved > begin and words[moved] is not None and words[moved] == words[moved - 1]:
                moved -= 1
            # A word longer than a window is cut inside.
            cut = moved if moved > begin else cut
        yield begin, cut
        begin = cut


@dataclass(frozen=True, slots=True, eq=False)
class _FilledTemplate:
    """The input text, and for each character its range in the stored text (-1: from the template)."""

    text: str
    start: NDArray[np.int32]
    end: NDArray[np.int32]

    def stored(self, places: NDArray[np.int64]) -> tuple[NDArray[np.bool_], NDArray[np.int32]]:
        """Which tokens at ``places`` [n, 2] of the input are from the stored text, and their ranges in it."""
        # Byte-level tokenizers attach the preceding space to a word, and that space may belong to the
        # template: such a token gets the range of its letters.
        telling = self.start >= 0
        telling[[found.start() for found in _SPACE.finditer(self.text)]] = False
        size = len(self.text)
        at = np.arange(size)
        following = np.full(size + 1, size)
        following[:size] = np.minimum.accumulate(np.where(telling, at, size)[::-1])[::-1]
        leading = np.full(size + 1, -1)
        leading[1:] = np.maximum.accumulate(np.where(telling, at, -1))
        first, last = following[places[:, 0]], leading[places[:, 1]]
        stands = (first <= last) & (first < places[:, 1])
        start, end = self.start[first[stands]], self.end[last[stands]]
        return stands, np.stack((start, np.maximum(end, start + 1)), axis=1).astype(np.int32)


def _fill_template(item: EncoderInput, manifest: PackageManifest) -> _FilledTemplate:
    template = manifest.template(item.section)
    title, newline, body = item.text.partition("\n")
    if item.section.front and not (newline and body.strip() and title.strip()):
        # Without title or body: what the template has before the title (a marker), then the text.
        template = _FIELD.sub("", template.split("{title}", maxsplit=1)[0]) + "{text}"
    fields = {"text": (item.text, 0), "title": (title, 0), "body": (body, len(title) + len(newline))}
    pieces: list[str] = []
    ranges: list[NDArray[np.int32]] = []

    def literal(text: str) -> None:
        pieces.append(text)
        ranges.append(np.full((len(text), 2), -1, dtype=np.int32))

    literal(manifest.prompt(is_query=item.is_query))
    # re.split with one capturing group alternates literals and field names.
    for number, part in enumerate(_FIELD.split(template)):
        if number % 2 == 0:
            literal(part)
            continue
        text, base = fields[part]
        prepared = to_encoder_text(text)
        pieces.append(prepared.text)
        ranges.append(np.stack((prepared.origin[:-1], prepared.origin[1:]), axis=1) + np.int32(base))
    both = np.concatenate(ranges)
    return _FilledTemplate("".join(pieces), both[:, 0], both[:, 1])
