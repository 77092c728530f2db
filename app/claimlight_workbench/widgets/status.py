"""The line at the bottom: offline, library, model, device, messages, jobs, saved."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QLabel, QStatusBar, QToolButton, QWidget

from claimlight_workbench import design
from claimlight_workbench.language import tell, tr, trn
from claimlight_workbench.widgets.elided import ElidedLabel
from claimlight_workbench.wording import index_words, wrap_tip

if TYPE_CHECKING:
    from claimlight.types import LibraryInfo, SharedState

_LEAST_OF_MESSAGE = 24
"""Letters of a message that stay in sight beside the facts."""
_OFFLINE = tr("Offline")
_ABOUT_OFFLINE = tr(
    "The window opens no network connection, and nothing leaves this machine. Only the command “claimlight "
    "models add --from-hub” and shared libraries use the network, if you ask for them."
)


class StatusLine(QStatusBar):
    """Facts that are always visible."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setSizeGripEnabled(False)
        self.offline = QLabel(_OFFLINE)
        self.offline.setObjectName("badge")
        self.offline.setToolTip(_ABOUT_OFFLINE)
        self._shared: SharedState | None = None
        # A library on servers has a long name and state: they must not make the window wider than its screen.
        self.library = ElidedLabel(tr("no library"), whole=True)
        self.model = ElidedLabel(tr("model not loaded"), whole=True)
        self.device = QLabel("")
        self.jobs = QToolButton()
        self.jobs.setObjectName("fact")
        self.jobs.setAccessibleName(tr("Jobs in the background"))
        self.jobs.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.saved = QLabel("")
        self.message = ElidedLabel()
        self.message.setMinimumWidth(design.letters(self.message, _LEAST_OF_MESSAGE))
        self._until = QTimer(self)
        self._until.setSingleShot(True)
        self._until.timeout.connect(self.clearMessage)
        # All of them permanent: a message of Qt's own would hide the others.
        self.addPermanentWidget(self.offline)
        for label in (self.library, self.model, self.device):
            self.addPermanentWidget(_name_fact(label))
        self.addPermanentWidget(_name_fact(self.message), 1)
        self.addPermanentWidget(self.jobs)
        self.addPermanentWidget(_name_fact(self.saved))

    def showMessage(self, text: str, timeout: int | None = 0) -> None:
        """Show a message between the facts and the jobs, for ``timeout`` ms or until it is replaced."""
        self.message.setText(text)
        self._until.stop()
        if timeout and text:
            self._until.start(timeout)

    def clearMessage(self) -> None:
        """Clear the message."""
        self.showMessage("")

    def currentMessage(self) -> str:
        """The message."""
        return self.message.text()

    def show_library(self, info: LibraryInfo, name: str, *, paused: bool = False) -> None:
        """Name, documents, indexed; ``paused``: its indexing is."""
        state = f"{index_words(info)}{(tr(' (paused)') if paused else '')}"
        locked = tr(", read-only") if info.read_only else ""
        held = (
            f"{trn('{n:,} document', '{n:,} documents', info.documents)}, {state}"
            if info.documents
            else tr("no documents")
        )
        text = f"{name}: {held}{locked}"
        self.library.setText(text)
        self.library.setToolTip("\n".join(filter(None, (wrap_tip(text), info.folder))))

    def show_servers(self, shared: SharedState | None) -> None:
        """What the window is connected to; None for nothing."""
        self._shared = shared
        if shared is None:
            self.offline.setText(_OFFLINE)
            self.offline.setToolTip(_ABOUT_OFFLINE)
            return
        told = [tr("Not encrypted")] if shared.unencrypted else []
        told += [tr("No engine")] if shared.engine_fault else []
        self.offline.setText(" · ".join(told) or tr("Connected"))
        about = tr(
            "The open library is on servers: the window is connected to {hosts}, and to nothing else.",
            hosts=", ".join(shared.hosts),
        )
        self.offline.setToolTip(wrap_tip("\n".join(filter(None, (about, tell(shared.engine_fault))))))

    def show_engine(self, fault: str) -> None:
        """Why the engine of the open library could not be used just now; empty if it could."""
        if self._shared is not None and self._shared.engine_fault != fault:
            self.show_servers(replace(self._shared, engine_fault=fault))

    def show_loss(self) -> None:
        """The servers do not answer, until `show_return`."""
        self.offline.setText(tr("No connection"))

    def show_return(self) -> None:
        """The servers answer again."""
        self.show_servers(self._shared)

    def show_model(self, fingerprint: str, device: str) -> None:
        """The model in use, and its device."""
        name = fingerprint.rpartition("-")[0] or fingerprint
        self.model.setText(tr("model {name}", name=name) if name else tr("model not loaded"))
        self.model.setToolTip(
            "\n".join(
                filter(None, (fingerprint, tr("runs on {device}", device=device.upper()) if device else ""))
            )
        )
        # The processor is what an examiner expects; only a graphics card is worth a place in the line.
        self.device.setText("" if device == "cpu" else device.upper())

    def show_jobs(self, text: str, tip: str) -> None:
        """What runs in the background; ``tip`` says more of it."""
        self.jobs.setText(tr("Jobs: {text}", text=text))
        self.jobs.setToolTip(wrap_tip(tip))

    def show_saved(self, at: datetime | None) -> None:
        """When the open case was last changed, and so saved; empty if none is open."""
        local = at.astimezone() if at is not None else None
        today = datetime.now().astimezone().date()
        form = "%H:%M" if local is not None and local.date() == today else "%Y-%m-%d"
        self.saved.setText(tr("case saved {local}", local=local.strftime(form)) if local is not None else "")
        self.saved.setToolTip(
            tr("The case was last changed and saved on {local:%Y-%m-%d %H:%M:%S}", local=local)
            if local is not None
            else ""
        )

    def show_saved_now(self) -> None:
        """A change of the case is on disk."""
        self.show_saved(datetime.now().astimezone())


def _name_fact(label: QLabel) -> QLabel:
    # In the style sheet, not as margins: it sets those of labels to nothing where it sizes their text.
    label.setObjectName("fact")
    return label
