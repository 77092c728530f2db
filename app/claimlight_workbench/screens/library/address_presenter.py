"""Tries the address of a shared library, and hands on what opens it; nothing waits for the network here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from PySide6.QtCore import QObject, Signal

if TYPE_CHECKING:
    from claimlight.services.sharing.addresses import SharedAddress
    from claimlight.services.sharing.credentials import Secrets
    from claimlight.tasks import TaskContext
    from claimlight.types import SharedState
    from claimlight_workbench.jobs.runner import JobRunner

_TRY = "address"


class AddressService(Protocol):
    """What the presenter asks of the engine; every call blocks and runs in a worker."""

    def can_keep_secrets(self, context: TaskContext) -> bool:
        """Whether this system has a keyring for passwords."""
        ...

    def try_address(self, address: SharedAddress, secrets: Secrets, context: TaskContext) -> SharedState:
        """Ask both servers of a shared library; `ResourceError` if its database refuses."""
        ...

    def give_secrets(
        self, address: SharedAddress, secrets: Secrets, context: TaskContext, *, keep: bool
    ) -> None:
        """Use secrets in this session, and ``keep`` them in the keyring."""
        ...


class AddressPresenter(QObject):
    """One address at a time; a newer try cancels the older one."""

    keyring_known = Signal(bool)
    """Whether passwords can be kept."""
    tried = Signal(object)
    """`SharedState` of servers that answered."""
    accepted = Signal(object)
    """A `SharedAddress` whose servers answered, and whose secrets the engine has now."""
    refused = Signal(Exception)

    def __init__(self, services: AddressService, runner: JobRunner, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._services = services
        self._runner = runner

    def look_for_keyring(self) -> None:
        """Emit whether passwords can be kept."""
        job = self._runner.submit(self._services.can_keep_secrets, supersedes="keyring", free=True)
        job.succeeded.connect(lambda usable: self.keyring_known.emit(bool(usable)))
        job.failed.connect(lambda _error: self.keyring_known.emit(False))

    def attempt(self, address: SharedAddress, secrets: Secrets) -> None:
        """Ask the servers, and emit how they answered."""

        def ask(context: TaskContext) -> SharedState:
            return self._services.try_address(address, secrets, context)

        job = self._runner.submit(ask, supersedes=_TRY, free=True)
        job.succeeded.connect(self.tried)
        job.failed.connect(self.refused)

    def accept(self, address: SharedAddress, secrets: Secrets, *, keep: bool) -> None:
        """Ask the servers; if they answer, give the engine the secrets, and emit that it can be opened."""

        def ask(context: TaskContext) -> None:
            self._services.try_address(address, secrets, context)
            self._services.give_secrets(address, secrets, context, keep=keep)

        job = self._runner.submit(ask, supersedes=_TRY, free=True)
        job.succeeded.connect(lambda _none: self.accepted.emit(address))
        job.failed.connect(self.refused)

    def leave(self) -> None:
        """Nobody waits for the answer any more."""
        self._runner.cut_off(_TRY)
