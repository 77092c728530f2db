"""The session: collected from the presenters and views for its file, and restored from it."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import date
from typing import TYPE_CHECKING, Any, Protocol

from PySide6.QtCore import QByteArray, QObject, QSize, SignalInstance

from claimlight.errors import InputError
from claimlight.services.cases.case_encryption import is_encrypted
from claimlight.services.sharing.addresses import read_place
from claimlight.types import (
    SEARCH_RANKERS,
    ClaimPriority,
    ClassFilter,
    PublicationNumber,
    ReferenceDates,
    RuleSet,
    Scheme,
    Span,
)
from claimlight_workbench.language import tr
from claimlight_workbench.main_window.panels import Place
from claimlight_workbench.models.drawings import Showing
from claimlight_workbench.models.results_model import Order
from claimlight_workbench.screens.case.presenter import NO_CLAIMS
from claimlight_workbench.ui_state import Session
from claimlight_workbench.values import ClaimSet

if TYPE_CHECKING:
    from collections.abc import Callable

    from PySide6.QtWidgets import QMainWindow

    from claimlight.tasks import TaskContext
    from claimlight_workbench.jobs.collector import Collector
    from claimlight_workbench.jobs.runner import JobRunner
    from claimlight_workbench.main_window.appearance import Appearance
    from claimlight_workbench.main_window.docks import Panels
    from claimlight_workbench.main_window.keeper import SessionKeeper
    from claimlight_workbench.main_window.notices import Notices
    from claimlight_workbench.main_window.screens import Presenters, Views
    from claimlight_workbench.main_window.state import WindowState
    from claimlight_workbench.main_window.wiring.library import RecentLibraries
    from claimlight_workbench.models.links import LinkBoard
    from claimlight_workbench.values import LibraryPlace

FIRST_SIZE = QSize(1600, 1000)
FRAME = QSize(4, 36)
"""What the title bar and borders of the desktop may take; they are not known before the window is up."""
LINES_KEPT = 200
"""Query lines in the session file."""


def _last_place(session: Session) -> LibraryPlace | None:
    """The library of the last session; None for none, and for an address that can't be read."""
    try:
        return read_place(session.library) if session.library else None
    except InputError:
        return None


def collect(
    window: QMainWindow,
    do: Presenters,
    see: Views,
    *,
    board: LinkBoard,
    panels: Panels,
    recent: RecentLibraries,
    state: WindowState,
) -> Session:
    """The session as it is now; what has not been restored yet stays as it was."""
    query, old = do.query, state.session
    claims, info, view = query.claims, do.library.info, do.reader.view
    # Claims are read in a worker: a session saved before they are there must not lose them.
    restored = claims is not None
    return Session(
        geometry=_text(window.saveGeometry()),
        docks=_text(panels.arrangement()),
        layout=panels.place.value if panels.place is not Place.ADMINISTER else panels.worked.value,
        layouts=tuple(
            f"{place.value}={_text(saved)}"
            for place, saved in panels.arrangements().items()
            if place is not Place.SEARCH
        ),
        panel_titles=panels.titled,
        library=info.folder if info is not None else old.library,
        libraries=recent.folders,
        index_plans=do.library.plans,
        case=state.case,
        of_encrypted=is_encrypted(),
        claims_text=claims.plain() if claims is not None else old.claims_text,
        claims_source=claims.source if claims is not None else old.claims_source,
        claim=query.claim if restored else old.claim,
        **_features(do, old),
        limit=day_text(query.before) if restored else old.limit,
        classes=class_texts(query.within) if restored else old.classes,
        **_lines_and_dates(do, see, state),
        legs=tuple(leg.value for leg in query.legs),
        order=see.results.model.order.value,
        publication=str(view.summary.publication) if view is not None else state.publication,
        scroll=see.reader.text.visible_range()[0] if view is not None else state.scroll_once,
        showing=see.reader.wanted.value,
        showing_beside=see.beside.reader.wanted.value,
        beside=state.beside,
        linked=state.linked,
        hidden_features=tuple(sorted(board.hidden)),
        seen=state.seen_before,
        theme=state.theme,
        text_scale=state.scale,
        welcomed=old.welcomed or (state.sample is not None and see.welcome.isHidden()),
        checked=state.checked,
    )


def _features(do: Presenters, old: Session) -> dict[str, Any]:
    """The features as edited, by their words and their places."""
    query = do.query
    if query.claims is None or query.query is None:
        return {"feature_lines": old.feature_lines, "feature_ranges": old.feature_ranges}
    return {
        "feature_lines": query.feature_lines if query.edited else (),
        "feature_ranges": tuple(f"{at.start}-{at.end}" for at in query.ranges) if query.edited else (),
    }


def _lines_and_dates(do: Presenters, see: Views, state: WindowState) -> dict[str, Any]:
    old, query, editor = state.session, do.query, see.expression.editor
    restored = query.claims is not None
    kept = date_values(query.dates)
    family = publication_parts(state.family_to_keep(query.claims))
    return {
        "own_family": family if restored else old.own_family,
        **(kept if restored else {name: getattr(old, name) for name in kept}),
        "line": editor.text(),
        "lines": tuple(editor.history[-LINES_KEPT:]),
        "operator": do.expression.scope.default_operator.value,
        "shown_set": state.reopen or state.shown_set,
        "hidden_columns": see.results.columns.names(),
    }


def _changes(do: Presenters, see: Views, board: LinkBoard) -> tuple[SignalInstance, ...]:
    """The signals after which the session is written."""
    return (
        do.query.query_changed,
        do.query.before_changed,
        do.query.within_changed,
        do.query.legs_changed,
        do.reader.shown,
        do.beside.shown,
        see.beside.closed,
        see.beside.linked_changed,
        do.case.changed,
        do.library.opened,
        do.library.plans_changed,
        see.reader.scrolled,
        see.reader.showing_changed,
        see.beside.reader.showing_changed,
        see.results.order_changed,
        see.results.columns.changed,
        see.expression.editor.textChanged,
        do.expression.operator_changed,
        board.hidden_changed,
        see.welcome.close_button.clicked,
    )


def _beginnings(do: Presenters, see: Views) -> tuple[SignalInstance, ...]:
    """The signals after which collecting garbage waits: the user works, and would notice the pause."""
    return (
        do.results.started,
        do.reader.shown,
        do.query.query_changed,
        see.expression.editor.edited,
        see.reader.scrolled,
    )


def watch(
    do: Presenters,
    see: Views,
    board: LinkBoard,
    *,
    panels: Panels,
    keeper: SessionKeeper,
    collector: Collector,
) -> None:
    """Write the session after every change; put collecting garbage off while the user works."""
    for signal in _changes(do, see, board):
        signal.connect(keeper.changed)
    for signal in _beginnings(do, see):
        signal.connect(collector.put_off)
    panels.changed.connect(keeper.changed)
    for dock in panels.docks.values():
        for signal in (dock.visibilityChanged, dock.topLevelChanged, dock.dockLocationChanged):
            signal.connect(keeper.changed)
            signal.connect(panels.tidy)


class ClaimReader(Protocol):
    """Reads the claims of the last session again."""

    def claims_of_text(self, text: str, source: str, context: TaskContext) -> ClaimSet:
        """Claims of pasted text."""
        ...


class Restorer(QObject):
    """Restores the last session; at the first start, opens the sample."""

    def __init__(
        self,
        window: QMainWindow,
        *,
        do: Presenters,
        see: Views,
        board: LinkBoard,
        panels: Panels,
        appearance: Appearance,
        reader: ClaimReader,
        runner: JobRunner,
        open_sample: Callable[[], None],
        state: WindowState,
        notices: Notices,
    ) -> None:
        super().__init__(window)
        self._window = window
        self._do = do
        self._see = see
        self._board = board
        self._panels = panels
        self._appearance = appearance
        self._reader = reader
        self._runner = runner
        self._open_sample = open_sample
        self._state = state
        self._notices = notices
        self.placed = False
        """The panels are where the last session left them."""

    def restore(self, *, library: LibraryPlace | None = None, like: str = "", line: str = "") -> None:
        """Restore the last session.

        ``like``: a document of the library whose claims are examined instead of the session's. ``line``: a
        query line that is run as soon as it can be.
        """
        self.arrange()
        self.reopen(library=library, like=like, line=line)

    def arrange(self) -> None:
        """Restore what is known without reading anything but the session.

        A window that is closed before `reopen` keeps all the rest as the last session had it.
        """
        self._restore_arrangement()
        self._restore_views()
        self._do.library.restore_plans(self._state.session.index_plans)

    def reopen(
        self, *, library: LibraryPlace | None = None, like: str = "", line: str = "", cases: bool = True
    ) -> None:
        """Open library, case and document of the last session, in the background; see `restore`.

        Without ``cases`` the case book is locked, and nothing of a case is opened.
        """
        state, session = self._state, self._state.session
        state.waiting_line = line
        if line or like:
            state.reopen = 0
        folder = library or _last_place(session)
        state.examine = like if folder is not None else ""
        if folder is not None:
            (self._do.library.open if library is not None else self._do.library.reopen)(folder)
        if state.examine:
            return
        if not cases:
            self._see.claim.enter_claims()
        elif session.of_encrypted and session.case:
            self._do.case.resume(session.case)
        elif session.claims_text:
            self._restore_claims()
        elif folder is None:
            self._open_sample()
        else:
            if session.case:
                self._do.case.open(session.case, ClaimSet((), NO_CLAIMS, name=NO_CLAIMS))
            self._see.claim.enter_claims()

    def fit_screen(self) -> None:
        """Make the first window as large as it is good for, and never larger than its screen."""
        room = self._window.screen().availableGeometry()
        self._window.resize(FIRST_SIZE.boundedTo(room.size() - FRAME))
        self._window.move(room.topLeft())

    def _restore_arrangement(self) -> None:
        session, window = self._state.session, self._window
        if not session.geometry or not window.restoreGeometry(_bytes(session.geometry)):
            self.fit_screen()
        if session.docks:
            parts = (each.partition("=") for each in session.layouts)
            known = {Place(name): _bytes(text) for name, _, text in parts if name in list(Place)}
            place = Place(session.layout) if session.layout in list(Place) else Place.SEARCH
            self.placed = self._panels.restore(
                {**known, Place.SEARCH: _bytes(session.docks)}, place, titled=session.panel_titles
            )

    def _restore_views(self) -> None:
        session, editor, results = self._state.session, self._see.expression.editor, self._see.results
        self._board.set_hidden(session.hidden_features)
        for reader, showing in (
            (self._see.reader, session.showing),
            (self._see.beside.reader, session.showing_beside),
        ):
            reader.show_parts(Showing(showing) if showing in list(Showing) else Showing.TEXT)
        results.set_order(Order(session.order) if session.order in list(Order) else Order.SCORE)
        results.model.set_seen(session.seen)
        self._appearance.show_scale()
        results.columns.set_hidden(session.hidden_columns)
        self._do.query.set_legs(tuple(leg for leg in SEARCH_RANKERS if leg.value in session.legs))
        self._do.expression.set_operator(session.operator)
        editor.show_text(session.line)
        editor.set_history(session.lines)

    def _restore_claims(self) -> None:
        session = self._state.session
        job = self._runner.submit(
            lambda context: self._reader.claims_of_text(session.claims_text, session.claims_source, context),
            supersedes="claims",
            free=True,
        )
        job.succeeded.connect(self._open_claims)
        job.failed.connect(lambda error: self._notices.fail(error, tr("The last claims could not be read")))

    def _open_claims(self, read: ClaimSet) -> None:
        session = self._state.session
        claims = replace(read, publication=own_family_of(session))
        self._do.case.open(session.case, claims)
        self._do.query.load(
            claims,
            claim=session.claim,
            ranges=ranges_of(session),
            lines=session.feature_lines,
            before=limit_of(session),
            within=classes_of(session),
            dates=dates_of(session),
            run=not self._state.reopen,
        )


_PUBLICATION = re.compile(r"([A-Z]{2})([A-Z]{0,2}\d+)([A-Z]\d?|)")


def dates_of(session: Session) -> ReferenceDates | None:
    """The dates a session holds; None where it holds none. A day that is no date counts as missing."""
    filed, priority = _day(session.filed), _day(session.priority)
    if filed is None and priority is None:
        return None
    claims = []
    for text in session.claim_priorities:
        claim, _, own = text.partition("=")
        if claim.isdigit():
            claims.append(ClaimPriority(int(claim), _day(own)))
    # The file may be of another version of the program, or edited.
    rules = RuleSet(session.rules) if session.rules in list(RuleSet) else RuleSet.EPC
    return ReferenceDates(
        filed,
        priority,
        session.priority_valid,
        tuple(claims),
        rules,
        session.applicant,
        session.dates_confirmed,
    )


def date_values(dates: ReferenceDates | None) -> dict[str, Any]:
    """The fields of a session that hold the dates."""
    known = dates or ReferenceDates()
    return {
        "filed": day_text(known.filed),
        "priority": day_text(known.priority),
        "priority_valid": known.verified,
        "claim_priorities": claim_texts(dates),
        "rules": known.rules.value,
        "applicant": known.applicant,
        "dates_confirmed": known.confirmed,
    }


def limit_of(session: Session) -> date | None:
    """The date limit; None where it was off."""
    return _day(session.limit)


def classes_of(session: Session) -> tuple[ClassFilter, ...]:
    """The class filter; what is no class of a known scheme is left out."""
    schemes = {each.value: each for each in Scheme}
    parts = (text.partition(" ") for text in session.classes)
    return tuple(
        ClassFilter(schemes[scheme], symbol) for scheme, _, symbol in parts if symbol and scheme in schemes
    )


def class_texts(classes: tuple[ClassFilter, ...]) -> tuple[str, ...]:
    """The class filter as a session keeps it."""
    return tuple(f"{each.scheme.value} {each.symbol}" for each in classes)


def claim_texts(dates: ReferenceDates | None) -> tuple[str, ...]:
    """Priorities of single claims as a session keeps them."""
    claims = dates.claims if dates is not None else ()
    return tuple(f"{each.claim}={day_text(each.priority)}" for each in claims)


def day_text(day: date | None) -> str:
    """ISO; empty for none."""
    return day.isoformat() if day is not None else ""


def own_family_of(session: Session) -> PublicationNumber | None:
    """The document whose family is left out."""
    return PublicationNumber(*session.own_family) if len(session.own_family) == 3 else None


def publication_parts(publication: PublicationNumber | None) -> tuple[str, ...]:
    """A publication number as a session keeps it."""
    return (publication.country, publication.number, publication.kind) if publication is not None else ()


def publication_of(text: str) -> PublicationNumber | None:
    """``EP1234567A1`` as a number; None for anything else."""
    found = _PUBLICATION.fullmatch(text)
    return PublicationNumber(*found.groups()) if found is not None else None


def _day(text: str) -> date | None:
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None


def ranges_of(session: Session) -> tuple[Span, ...]:
    """The ranges of the features in the text of the claim; empty if they are not known."""
    parts = [item.split("-") for item in session.feature_ranges]
    if not all(len(pair) == 2 and all(map(str.isdecimal, pair)) for pair in parts):
        return ()
    return tuple(Span(int(start), int(end)) for start, end in parts)


def _text(data: QByteArray) -> str:
    return bytes(data.toBase64().data()).decode()


def _bytes(text: str) -> QByteArray:
    return QByteArray.fromBase64(text.encode())
