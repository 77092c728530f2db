"""Engines in memory that share their indexes, as connections to one server do."""

from __future__ import annotations

import threading

from claimlight.engines.exact import ExactBackend
from claimlight.errors import EngineError


class Server:
    """What the connections of `open` share; it answers no search while it is not ``running``."""

    def __init__(self, made=ExactBackend):
        self.made, self.indexes, self.running = made, {}, True

    def open(self):
        server = self

        class Connection(server.made):
            def ensure(self, schema, *, create=False):
                self._schema, self._blocks, self._lock = server.indexes.get(
                    schema.name, (None, {True: [], False: []}, threading.RLock())
                )
                super().ensure(schema, create=create)
                server.indexes[schema.name] = self._schema, self._blocks, self._lock

            def search(self, *asked):
                if not server.running:
                    raise EngineError("The engine does not answer.")
                return super().search(*asked)

        return Connection()
