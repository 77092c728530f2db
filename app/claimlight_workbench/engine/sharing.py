"""Addresses and secrets of shared libraries, from the real engine."""

from __future__ import annotations

from typing import TYPE_CHECKING

from claimlight_workbench.engine.state import EngineState

if TYPE_CHECKING:
    from claimlight.services.sharing.addresses import SharedAddress
    from claimlight.services.sharing.credentials import Secrets
    from claimlight.tasks import TaskContext
    from claimlight.types import SharedState


class SharingQuestions(EngineState):
    """Part of `claimlight_workbench.engine.engine.Engine`."""

    def can_keep_secrets(self, context: TaskContext) -> bool:
        """Whether this system has a keyring for passwords."""
        from claimlight.services.sharing import credentials

        context.check()
        return credentials.can_keep()

    def try_address(self, address: SharedAddress, secrets: Secrets, context: TaskContext) -> SharedState:
        """Ask both servers of a shared library; `ResourceError` if its database refuses."""
        from claimlight.services.sharing import credentials
        from claimlight.services.sharing.opening import open_shared
        from claimlight.services.sharing.state import read_state

        context.check()
        with open_shared(address, secrets=credentials.complete(secrets, address)) as library:
            return read_state(library)

    def give_secrets(
        self, address: SharedAddress, secrets: Secrets, context: TaskContext, *, keep: bool
    ) -> None:
        """Use secrets in this session, and ``keep`` them in the keyring."""
        from claimlight.services.sharing import credentials

        context.check()
        credentials.use_in_session(address, secrets)
        if keep:
            credentials.keep(address, secrets)
