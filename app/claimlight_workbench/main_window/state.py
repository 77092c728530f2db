"""What the window shows and what it is about to show: the state that several parts of the wiring share."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from claimlight_workbench.models.desk import Left

if TYPE_CHECKING:
    from claimlight.types import PublicationNumber
    from claimlight_workbench.ui_state import Session
    from claimlight_workbench.values import ClaimSet, SampleCase


@dataclass(slots=True)
class WindowState:
    """One object for each window, changed by its wiring and written to the session file."""

    session: Session
    """As it was at the start: what has not been restored yet is kept from here."""
    theme: str = "system"
    scale: float = 1.0
    case: int = 0
    """Number of the open case; 0 for none."""
    case_name: str = ""
    dated: int = 0
    """The case whose dates are on the screen."""
    seen_before: tuple[str, ...] = ()
    """Read documents of a session of an earlier version; the case takes them over once."""
    publication: str = ""
    """The open document, or the one to open."""
    by_hand: str = ""
    """A document that was opened by its number and is in no list."""
    beside: str = ""
    """The document beside the open one, or the one to show there; empty for none."""
    linked: bool = True
    """Whether the two are linked by feature."""
    scroll_once: int = 0
    """Where in the open document the last session ended."""
    reopen: int = 0
    """The last session's set, shown as soon as library and case are open."""
    stay: bool = False
    """The next set is the last session's: it opens at the document that was open."""
    shown_set: int = 0
    """Number of the set on the screen; 0 for a claim search."""
    search_number: int = 0
    """Number of the last claim search."""
    searched: tuple[ClaimSet | None, PublicationNumber | None] = (None, None)
    """The claims of the last search, and whose family it left out."""
    relative: tuple[ClaimSet | None, PublicationNumber | None] = (None, None)
    """The same of the last search that left one out, in whatever library: for the next start."""
    waiting_line: str = ""
    """A query line to run after the first search, or without claims when the library is open."""
    examine: str = ""
    """The document whose claims are read as soon as the library is open."""
    sample: SampleCase | None = None
    checked: tuple[str, ...] = ()
    """Computers that were checked, as in the session."""

    @classmethod
    def of(cls, session: Session) -> WindowState:
        """The state a session is restored from."""
        return cls(
            session,
            theme=session.theme,
            scale=session.text_scale,
            case=session.case,
            seen_before=session.seen,
            publication=session.publication,
            beside=session.beside,
            linked=session.linked,
            scroll_once=session.scroll,
            reopen=session.shown_set,
            checked=session.checked,
        )

    def clear_out(self, left: Left) -> None:
        """Forget what belongs to the library or case that is left."""
        self.publication = ""
        if left is Left.LIST:
            return
        self.by_hand, self.scroll_once, self.beside = "", 0, ""
        self.reopen = self.shown_set = self.search_number = 0
        self.stay = False
        self.searched = (None, None)
        if left is Left.CASE:
            self.case = self.dated = 0
            self.case_name = ""

    def forget_claims(self) -> None:
        """The claims of the last session must not come back at the next start."""
        self.session = replace(self.session, claims_text="", claims_source="", own_family=())

    def own_family(self, claims: ClaimSet | None) -> PublicationNumber | None:
        """Whose family is left out: of the application itself, or of its relative in the library."""
        if claims is None:
            return None
        searched, relative = self.searched
        return relative if searched is claims else claims.publication

    def family_to_keep(self, claims: ClaimSet | None) -> PublicationNumber | None:
        """A library without a relative must not make the next start forget the one of another library."""
        of, relative = self.relative
        return relative if of is not None and of is claims else self.own_family(claims)
