"""The words about reference signs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from claimlight_workbench.language import tell, tr, trn

if TYPE_CHECKING:
    from claimlight.types import PassageView, ReferenceSign, Span

READING_SIGNS = tr("Reading the reference signs…")
NO_SIGNS = tr("No reference signs were found in the description.")
NONE_FITS = tr("No reference sign fits the filter.")
_AROUND = 60
"""Letters before and behind a mention."""
LIST_HELP = tr("Ctrl+click on a sign lists all.")


def sign_line(sign: ReferenceSign) -> str:
    """``12: lever · 14 mentions · probably in Fig. 2, 3``."""
    count = trn("{n:,} mention", "{n:,} mentions", len(sign.places))
    return " · ".join(filter(None, (f"{sign.sign}: {sign.name}", count, guess_words(sign))))


def step_line(sign: ReferenceSign, at: int) -> str:
    """``12: lever · mention 2 of 14 · probably in Fig. 2, 3``."""
    where = tr("mention {at:,} of {total:,}", at=at + 1, total=len(sign.places))
    return " · ".join(filter(None, (f"{sign.sign}: {sign.name}", where, guess_words(sign))))


def guess_words(sign: ReferenceSign) -> str:
    """In which figures a sign is probably drawn; empty if no passage with it names one."""
    if not sign.figures:
        return ""
    return tr("probably in Fig. {labels} (guessed from the text)", labels=", ".join(sign.figures))


def mention_words(passage: PassageView, span: Span) -> str:
    """``[0012] … the piston (16) is carried by the rod …``: a mention, where the text is not shown."""
    text = passage.text
    start, end = max(0, span.start - _AROUND), min(len(text), span.end + _AROUND)
    # Whole words.
    start = text.rfind(" ", 0, start) + 1 if start else 0
    end = len(text) if (found := text.find(" ", end)) < 0 else found
    before, after = "… " if start else "", " …" if end < len(text) else ""
    return f"{tell(passage.label)}  {before}{' '.join(text[start:end].split())}{after}"
