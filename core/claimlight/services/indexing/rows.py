"""What the index keeps of encoded pieces of passages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from claimlight.index import span_entries
from claimlight.index.builder import PassageRow
from claimlight.index.sections import kind_of

if TYPE_CHECKING:
    from claimlight.encoders import Encoded
    from claimlight.index.span_entries import PassageEntries
    from claimlight.services.indexing.encoding import Piece
    from claimlight.services.models.encoding_stack import EncodingStack


def make_rows(
    pieces: Sequence[Piece], encoded: Sequence[Encoded], stack: EncodingStack, *, top_k: int
) -> tuple[list[PassageRow], PassageEntries]:
    """A row and a forward list for each piece; ``top_k`` centers for each of its spans at most.

    Spans have places in the pieces: `claimlight.index.span_entries.shift_spans` moves them to the passages.
    """
    entries = span_entries.make_entries(
        [piece.text for piece in pieces],
        encoded,
        unit=stack.unit,
        vocabulary=stack.vocabulary,
        top_k=top_k,
    )
    rows = [
        PassageRow(
            document=piece.passage.patent,
            passage=piece.passage.id,
            kind=kind_of(piece.passage.section),
            pooled=item.pooled,
            length=item.length,
        )
        for piece, item in zip(pieces, encoded, strict=True)
    ]
    return rows, entries
