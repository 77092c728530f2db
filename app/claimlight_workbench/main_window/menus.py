"""The commands of each menu, in menu order."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from claimlight_workbench.language import tr
from claimlight_workbench.main_window.appearance import SCALE_STEP, THEMES
from claimlight_workbench.main_window.commands import DIGITS, Command
from claimlight_workbench.main_window.panels import Place
from claimlight_workbench.models.categories import given_by_key
from claimlight_workbench.models.list_filter import FILTERS, ListFilter
from claimlight_workbench.models.results_model import Order
from claimlight_workbench.screens.relations.view import SetOf

if TYPE_CHECKING:
    from collections.abc import Callable

    from claimlight_workbench.main_window.acts import Acts
    from claimlight_workbench.main_window.appearance import Appearance
    from claimlight_workbench.main_window.docks import Panels
    from claimlight_workbench.main_window.screens import Presenters, Views
    from claimlight_workbench.main_window.wiring import Wiring
    from claimlight_workbench.models.links import LinkBoard

_LIBRARY, _QUERY, _SETS, _GO, _CASE, _VIEW, _HELP = (
    tr("&Library"),
    tr("&Query"),
    tr("&Sets"),
    tr("&Go"),
    tr("&Case"),
    tr("&View"),
    tr("&Help"),
)

PLACES = {
    Place.SEARCH: tr("Layout to search"),
    Place.READ: tr("Layout to read"),
    Place.ADMINISTER: tr("Layout to administer"),
}


def all_commands(
    do: Presenters,
    see: Views,
    board: LinkBoard,
    *,
    panels: Panels,
    acts: Acts,
    appearance: Appearance,
    wiring: Wiring,
    leave: Callable[[], object],
) -> list[Command]:
    """Every command, menu by menu."""
    return [
        *library_menu(do, see, panels, acts, wiring, leave=leave),
        *query_menu(do, see, acts),
        *residual_menu(wiring),
        *sets_menu(see, acts, wiring),
        *go_menu(see, board, panels, acts, wiring),
        *case_menu(see, acts, wiring),
        *view_menu(do, see, panels, appearance),
        *help_menu(acts, wiring),
    ]


def library_menu(
    do: Presenters, see: Views, panels: Panels, acts: Acts, wiring: Wiring, *, leave: Callable[[], object]
) -> list[Command]:
    """Opening, importing, indexing; then the panels that are not about a case."""
    view, library = see.library, do.library
    return [
        *_panels(panels, _LIBRARY, administration=False),
        Command(_LIBRARY, tr("Open library…"), view.ask_library, ("Ctrl+O",)),
        Command(_LIBRARY, tr("Open shared library…"), wiring.shared.ask),
        Command(_LIBRARY, tr("Import files…"), view.ask_files, ("Ctrl+I",), separated=True, of_folder=True),
        Command(_LIBRARY, tr("Import folder…"), view.ask_folder, ("Ctrl+Shift+I",), of_folder=True),
        Command(_LIBRARY, tr("Index new documents"), library.index, of_folder=True),
        Command(_LIBRARY, tr("Index…"), wiring.indexing.ask, of_folder=True),
        Command(_LIBRARY, tr("Pause indexing"), wiring.indexing.pause, of_folder=True),
        Command(_LIBRARY, tr("Resume indexing"), wiring.indexing.resume, of_folder=True),
        Command(_LIBRARY, tr("Remove indexed descriptions…"), library.ask_removal, of_folder=True),
        Command(_LIBRARY, tr("Rebuild index"), partial(library.index, rebuild=True), of_folder=True),
        Command(_LIBRARY, tr("Cancel import or indexing"), library.cancel),
        Command(
            _LIBRARY,
            tr("Import history"),
            acts.show_imports,
            ("Ctrl+Shift+B",),
            separated=True,
            of_folder=True,
        ),
        Command(_LIBRARY, tr("Export library…"), see.sets.ask_export_library),
        Command(
            _LIBRARY, tr("Remove document from the library…"), wiring.intake.remove_shown, of_folder=True
        ),
        *_panels(panels, _LIBRARY, administration=True),
        Command(_LIBRARY, tr("Open sample"), wiring.sample.open, separated=True),
        Command(_LIBRARY, tr("Quit"), leave, ("Ctrl+Q",), separated=True),
    ]


def query_menu(do: Presenters, see: Views, acts: Acts) -> list[Command]:
    """The query line, the claim, its features, the order of the results."""
    order = see.results.set_order
    return [
        Command(_QUERY, tr("Go to query line"), see.expression.focus_line, ("Ctrl+L",)),
        Command(
            _QUERY, tr("Open application file…"), acts.ask_application, ("Ctrl+Shift+O",), separated=True
        ),
        Command(_QUERY, tr("Search claim"), acts.run, ("Ctrl+Return", "Ctrl+Enter")),
        Command(_QUERY, tr("Choose claim"), see.bar.choose_claim, ("Ctrl+G",)),
        Command(_QUERY, tr("Dates of the application"), see.bar.dates.open_panel, ("Ctrl+Shift+D",)),
        Command(_QUERY, tr("Edit features"), acts.edit_features, ("Ctrl+Shift+F",), separated=True),
        Command(_QUERY, tr("Restore automatic split"), do.query.reset_features),
        Command(_QUERY, tr("Order by score"), partial(order, Order.SCORE), separated=True),
        Command(_QUERY, tr("Order by matched features"), partial(order, Order.FEATURES)),
        Command(_QUERY, tr("Order by date"), partial(order, Order.DATE)),
        Command(_QUERY, tr("Filter results…"), see.results.choose_filter, ("Shift+S",), separated=True),
        *(
            Command(
                f"{_QUERY}/{tr('Filter results')}",
                row.name,
                partial(see.results.set_filter, row.filter),
                ("Ctrl+Shift+S",) if row.filter is ListFilter.ALL else (),
            )
            for row in FILTERS
        ),
        Command(_QUERY, tr("Cancel search"), acts.cancel, ("Esc",), separated=True),
    ]


def residual_menu(wiring: Wiring) -> list[Command]:
    """At the end of the *Query* menu: searches from the open document."""
    residuals, likeness = wiring.residuals, wiring.likeness
    return [
        Command(_QUERY, tr("More like this document"), likeness.search_document, ("D",), separated=True),
        Command(_QUERY, tr("More like this passage"), likeness.search_passage, ("Shift+D",)),
        Command(_QUERY, tr("Search again with my marks"), likeness.search_with_marks, ("Shift+R",)),
        Command(
            _QUERY, tr("Search for the features missing from this document (D1)"), residuals.search, ("R",)
        ),
        Command(_QUERY, tr("Back to previous results"), residuals.leave, ("Backspace",)),
    ]


def sets_menu(see: Views, acts: Acts, wiring: Wiring) -> list[Command]:
    """The chosen set, what its line matched, and sets of citations and families."""
    sets, take = see.sets, wiring.likeness.take_set
    again = ("Ctrl+Shift+Return", "Ctrl+Shift+Enter")
    return [
        Command(_SETS, tr("Insert set in query"), sets.insert, ("Ctrl+Shift+L",)),
        Command(_SETS, tr("Re-run set and compare"), sets.rerun, again),
        Command(_SETS, tr("Export set…"), sets.ask_export, ("Ctrl+E",)),
        Command(_SETS, tr("Copy set"), sets.copy, ("Ctrl+Shift+C",)),
        Command(_SETS, tr("Highlight query words"), acts.toggle_words, ("Q",), separated=True),
        Command(_SETS, tr("Cited documents as a set"), partial(take, SetOf.CITED), separated=True),
        Command(_SETS, tr("Citing documents as a set"), partial(take, SetOf.CITING)),
        Command(_SETS, tr("Cited and citing documents as a set"), partial(take, SetOf.BOTH)),
        Command(_SETS, tr("Family as a set"), partial(take, SetOf.FAMILY)),
    ]


def go_menu(see: Views, board: LinkBoard, panels: Panels, acts: Acts, wiring: Wiring) -> list[Command]:
    """From document to document, passage to passage, panel to panel."""
    results, beside = see.results, wiring.beside
    jump, toggle = f"{_GO}/{tr('Best passage')}", f"{_GO}/{tr('Highlights on or off')}"
    first, *others = _panels(panels, _GO)
    return [
        Command(_GO, tr("Next document"), partial(results.step, 1), ("Alt+Down", "J")),
        Command(_GO, tr("Previous document"), partial(results.step, -1), ("Alt+Up", "K")),
        Command(_GO, tr("Next unread document"), results.next_unseen, ("S",)),
        Command(_GO, tr("Next passage with a match"), partial(beside.step_hit, 1), ("N",), separated=True),
        Command(_GO, tr("Previous passage with a match"), partial(beside.step_hit, -1), ("P",)),
        Command(_GO, tr("Find in document"), beside.open_find, ("Ctrl+F",)),
        Command(_GO, tr("Find next"), partial(beside.step_find, 1), ("F3",)),
        Command(_GO, tr("Find previous"), partial(beside.step_find, -1), ("Shift+F3",)),
        Command(_GO, tr("Text, drawings or both"), beside.turn_drawings, ("F",)),
        Command(_GO, tr("Show the figure of this passage"), beside.show_figure, ("Shift+F",)),
        Command(_GO, tr("Reference signs"), beside.toggle_signs, ("Ctrl+R",)),
        Command(_GO, tr("Next page of drawings"), partial(beside.step_page, 1), ("Ctrl+PgDown",)),
        Command(_GO, tr("Previous page of drawings"), partial(beside.step_page, -1), ("Ctrl+PgUp",)),
        *(
            Command(jump, tr("Best passage of feature {n}", n=n), partial(acts.jump, n), (str(n),))
            for n in DIGITS
        ),
        *(
            Command(
                toggle,
                tr("Turn highlights of feature {n} on or off", n=n),
                partial(acts.toggle_feature, n),
                (f"Shift+{n}",),
            )
            for n in DIGITS
        ),
        Command(_GO, tr("All highlights on"), partial(board.set_hidden, ())),
        Command(_GO, tr("Show weak matches"), acts.toggle_weak, ("W",)),
        first,
        Command(_GO, tr("Go to results"), acts.go_to_results, ("F7",)),
        *others,
        Command(_GO, tr("Suggest classes"), wiring.class_pages.suggest, ("Shift+H",)),
        Command(_GO, tr("Statistics of documents"), wiring.class_pages.show_statistics, ("Ctrl+H",)),
        Command(_GO, tr("Keep document beside"), beside.keep, ("V",), separated=True),
        Command(_GO, tr("Go to the other document"), beside.go_to_other, ("O",)),
        Command(_GO, tr("Swap the two documents"), beside.swap, ("Shift+O",)),
        Command(_GO, tr("Link the two documents by feature"), beside.toggle_link, ("Ctrl+Shift+K",)),
        Command(_GO, tr("Close the document beside"), beside.close, ("Shift+V",)),
        Command(_GO, tr("Show concept behind this match"), wiring.concepts.inspect_highlighted, ("I",)),
    ]


def case_menu(see: Views, acts: Acts, wiring: Wiring) -> list[Command]:
    """Cases, then what is done with the document on the screen."""
    cases, judge, marking = wiring.case_list, wiring.reading.judge, wiring.marking
    return [
        Command(_CASE, tr("Cases…"), cases.show_cases, ("F4",)),
        Command(_CASE, tr("New case…"), cases.enter_claims, ("Ctrl+N",)),
        Command(_CASE, tr("Case history"), cases.show_history),
        Command(_CASE, tr("Claim versions…"), cases.show_versions, ("Shift+C",)),
        Command(_CASE, tr("Restore case book…"), cases.show_backups),
        Command(_CASE, tr("Case book encryption…"), cases.show_encryption),
        Command(_CASE, tr("Export report…"), wiring.reports.ask_report, ("Ctrl+Shift+E",), separated=True),
        Command(_CASE, tr("Export search strategy…"), wiring.reports.ask_strategy),
        *(
            Command(_CASE, row.menu_label, partial(judge, row.category), (row.key,), separated=not place)
            for place, row in enumerate(given_by_key())
        ),
        Command(_CASE, tr("All letters of the category…"), marking.choose_letters, ("E",)),
        Command(_CASE, tr("Cite passage or figure with the category"), marking.cite_passage, ("Shift+X",)),
        Command(_CASE, tr("Confirm passage (Enter in the matrix)"), see.matrix.confirm, separated=True),
        Command(_CASE, tr("Reject passage (Del in the matrix)"), see.matrix.reject),
        Command(_CASE, tr("Undo"), acts.undo, ("Ctrl+Z", "U"), separated=True),
        Command(_CASE, tr("Redo"), acts.redo, ("Ctrl+Shift+Z", "Ctrl+Y")),
        Command(_CASE, tr("Edit note"), acts.write_note, ("M",)),
        Command(_CASE, tr("Note on passage…"), marking.note_passage, ("Shift+N",)),
        Command(_CASE, tr("Edit tags"), acts.edit_tags, ("T",)),
        Command(_CASE, tr("Copy with citation"), wiring.beside.copy_cited, separated=True),
    ]


def view_menu(do: Presenters, see: Views, panels: Panels, appearance: Appearance) -> list[Command]:
    """Panels, columns, colours, size of the text, settings."""
    columns = see.results.columns
    return [
        *(
            Command(f"{_VIEW}/{tr('Panels')}", panel.title, partial(panels.toggle, panel.name))
            for panel in panels.rows
        ),
        *(
            Command(
                f"{_VIEW}/{tr('Columns')}",
                tr("Column {name}", name=each.menu_name),
                partial(columns.toggle, each),
            )
            for each in columns.optional
        ),
        *(
            Command(f"{_VIEW}/{tr('Colours')}", name, partial(appearance.set_theme, key))
            for key, name in THEMES.items()
        ),
        Command(_VIEW, tr("Larger text"), partial(appearance.scale_by, SCALE_STEP), ("Ctrl++", "Ctrl+=")),
        Command(_VIEW, tr("Smaller text"), partial(appearance.scale_by, 1 / SCALE_STEP), ("Ctrl+-",)),
        *(
            Command(_VIEW, name, partial(panels.show_place, place), (f"Ctrl+{n}",), separated=n == 1)
            for n, (place, name) in enumerate(PLACES.items(), start=1)
        ),
        Command(_VIEW, tr("Reset layout"), panels.reset),
        Command(_VIEW, tr("Show or hide panel titles"), panels.show_titles),
        Command(_VIEW, tr("Settings…"), do.settings.ask, ("Ctrl+,",)),
    ]


def help_menu(acts: Acts, wiring: Wiring) -> list[Command]:
    """The manual, the key sheet, the help of the query line, the command palette, the program itself."""
    return [
        Command(_HELP, tr("Manual"), wiring.manual.open),
        Command(_HELP, tr("Manual on this panel"), wiring.manual.open_here, ("F1",)),
        Command(_HELP, tr("Keyboard shortcuts"), acts.show_keys, ("?",), separated=True),
        Command(_HELP, tr("Query help"), acts.show_query_help, ("Shift+F1",)),
        Command(_HELP, tr("Commands…"), acts.show_palette, ("Ctrl+K",)),
        Command(_HELP, tr("Check this computer"), wiring.health.check, separated=True),
        Command(_HELP, tr("Diagnostic report…"), wiring.health.report),
        Command(_HELP, tr("About Claimlight"), wiring.about.open, separated=True),
    ]


def _panels(panels: Panels, menu: str, *, administration: bool | None = None) -> list[Command]:
    """The commands that go to the panels of one menu."""
    return [
        Command(
            menu,
            row.go.text,
            partial(panels.go_to, row),
            row.go.keys,
            separated=row.go.separated,
            of_folder=row.of_folder,
        )
        for row in panels.rows
        if row.go is not None and row.go.menu == menu and administration in {None, row.administration}
    ]
