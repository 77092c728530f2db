"""Empty panels say what will stand in them and offer the next step."""

from __future__ import annotations

from dataclasses import replace

import pytest

from claimlight_workbench.widgets.empty_state import EmptyState
from tests.app.driving import settle
from tests.app.fake_services import FakeServices

pytestmark = pytest.mark.styled


def offered(state: EmptyState) -> list[str]:
    return [each.text() for each in state.offered]


def test_empty_panels_offer_the_next_step(qtbot, open_window, services: FakeServices, monkeypatch):
    full = services.info()
    monkeypatch.setattr(services, "info", lambda: replace(full, documents=0, indexed_documents=0))
    window = open_window(wait=False)
    see, do, acts = window.see, window.do, window.acts
    panels = (
        see.results,
        see.reader,
        see.evidence,
        see.matrix,
        see.pairs,
        see.sets,
        see.progress,
        see.family,
        see.citations,
        see.inspector,
    )
    qtbot.waitUntil(lambda: do.library.info is not None, timeout=5000)
    settle(qtbot, window)
    see.results.show_nothing()
    for each in panels:
        assert offered(each.empty) == ["Import files…"], each
        assert "Ctrl+I" in each.empty.offered[0].toolTip()
    for panel in (see.map, see.jobs):
        assert not panel.empty.isHidden()
        assert offered(panel.empty) == ["Import files…"]
    window.panels.raise_panel("map")
    settle(qtbot, window)
    assert see.map.state.text().startswith("The documents of the library are shown here as points")
    assert offered(see.empty.state) == ["Import files…", "Import folder…"]
    # With documents but no search, it is to search; without claims, to enter them.
    do.library.info = replace(full, folder=do.library.info.folder)
    do.library.info_changed.emit(do.library.info)
    # Map and jobs are about the library, with a claim or without.
    settle(qtbot, window)
    assert offered(see.map.empty) == ["Index new documents"]
    assert offered(see.jobs.empty) == ["Import files…", "Index new documents"]
    claims = do.query.claims
    assert claims is not None
    assert {offered(each.empty)[0] for each in panels} == {"Search claim"}
    assert not see.results.empty.isHidden()
    assert see.results.table.horizontalHeader().isHidden()
    do.query.unload()
    assert {offered(each.empty)[0] for each in panels} == {"Enter claims…"}
    pressed = []
    acts.actions["New case…"].triggered.connect(lambda: pressed.append("claims"))
    see.reader.empty.offered[0].click()
    assert pressed == ["claims"]
    assert see.claim.entering


def test_what_arrives_takes_the_place_of_the_empty_state(qtbot, window):
    see = window.see
    assert see.results.empty.isHidden()
    assert not see.results.table.horizontalHeader().isHidden()
    for each in (see.reader, see.sets, see.evidence):
        assert each.empty.isHidden(), each
    assert offered(see.inspector.empty) == ["Show concept behind this match"]
    window.panels.raise_panel("map")
    qtbot.waitUntil(lambda: see.map.canvas.plane is not None)
    assert see.map.empty.isHidden()
    assert see.map.canvas.isVisible()
    see.map.show_refused("The documents are not indexed.")
    indexed = []
    window.acts.actions["Index new documents"].triggered.connect(lambda: indexed.append(True))
    see.map.empty.offered[0].click()
    assert indexed
    settle(qtbot, window)
    window.panels.raise_panel("jobs")
    assert see.jobs.empty.isHidden() == bool(see.jobs.model.jobs)
    window.panels.raise_panel("reader")
    see.reader.show_nothing()
    assert not see.reader.empty.isHidden()
    assert offered(see.reader.empty) == ["Go to results"]
    see.reader.empty.offered[0].click()
    assert see.results.table.hasFocus()
