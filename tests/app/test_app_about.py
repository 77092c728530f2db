"""*Help → About Claimlight*: versions to copy, licences to find."""

from __future__ import annotations

from PySide6.QtGui import QGuiApplication


def test_versions_are_copied_and_licences_are_found(qtbot, window):
    window.wiring.about.open()
    qtbot.waitUntil(lambda: window.wiring.about.dialog is not None)
    dialog = window.wiring.about.dialog
    dialog.copy.click()
    lines = QGuiApplication.clipboard().text().splitlines()
    assert lines[0] == "Claimlight: 1.2.3"
    assert lines[1] == "Build: 0123456789ab  ·  2026-03-01"
    assert "Encoder version: small-4-0123456789abcdef" in lines
    assert "Classifier: none in use" in lines
    assert "onnxruntime: 1.20.0  ·  cpu" in lines
    assert any(line.startswith("Library: Pumps") for line in lines)
    assert "/" not in "".join(line for line in lines if not line.startswith("Index version"))
    assert lines[-1].startswith("PySide6: 6.")
    assert dialog.text.toPlainText() == "Apache License"
    dialog.line.setText("bsd NUM")
    assert dialog.list.currentItem().text(0) == "numpy 2.4.6"
    assert "without the text" in dialog.text.toPlainText()
    dialog.line.setText("nothing of this name")
    assert not dialog.nothing.isHidden()
    dialog.close()
