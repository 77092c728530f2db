"""What the servers of a shared library are, and how they answer."""

from __future__ import annotations

from dataclasses import replace
from time import monotonic
from typing import TYPE_CHECKING, Any

from claimlight.engines.addresses import host_text, is_loopback
from claimlight.errors import AppError, ResourceError
from claimlight.index.backend import EngineHealth
from claimlight.services.sharing.addresses import SharedAddress
from claimlight.services.sharing.opening import open_shared
from claimlight.types import LibraryInfo, SharedState
from claimlight.types.health import Finding

if TYPE_CHECKING:
    from claimlight.services.library.library import Library


def read_info(library: Library) -> LibraryInfo:
    """Sizes and state of a library, and the servers of a shared one."""
    info = library.info()
    return replace(info, shared=read_state(library)) if library.shared is not None else info


def read_shared_encoder(address: SharedAddress) -> str:
    """Fingerprint of the encoder that the index of a shared library was made with; empty without an index.

    Asks the database alone; `ResourceError` if it can't be reached or refuses.
    """
    with open_shared(address) as library:
        assert library.shared is not None
        schema = library.shared.source.schema()
    return "" if schema is None else schema.recipe.encoder


def describe_encryption(state: SharedState) -> str:
    """Whether others on the network can read what is asked and found."""
    if state.unencrypted:
        return f"The connection to {' and '.join(state.unencrypted)} is not encrypted."
    return "Encrypted." if state.encrypted else "On this computer, not encrypted."


def examine_servers(address: SharedAddress) -> Finding:
    """Whether database and engine of a shared library answer."""
    subject = "shared library"
    try:
        with open_shared(address) as library:
            state = read_state(library)
    except AppError as error:
        return Finding(subject, str(error), ok=False)
    found = f"{state.database}, {1000 * state.database_seconds:.0f} ms"
    if state.engine_fault:
        return Finding(subject, f"{found}; {state.engine_fault}", ok=False)
    found += f"; {state.engine or 'its index'}, {1000 * state.engine_seconds:.0f} ms; as {state.user}"
    if state.unencrypted:
        return Finding(
            subject,
            found,
            why=describe_encryption(state),
            advice="Let the servers offer TLS, and take sslmode=disable out of the address.",
        )
    return Finding(subject, f"{found}. {describe_encryption(state)}")


def read_state(library: Library) -> SharedState:
    """Ask both servers of a shared library; the state names the fault of an engine that does not answer."""
    assert library.shared is not None
    address = SharedAddress.parse(library.address)
    with library.store.read() as connection:
        # The second question is timed: the first may have had to connect.
        user = str(connection.exec_driver_sql("SELECT current_user").scalar_one())
        begun = monotonic()
        version = str(connection.exec_driver_sql("SHOW server_version").scalar_one())
        seconds = monotonic() - begun
        raw: Any = connection.connection.driver_connection
        encrypted = bool(raw.pgconn.ssl_in_use)
    health, fault = EngineHealth("", 0.0, 0, 0), ""
    try:
        health = library.shared.backend.health()
    except ResourceError as error:
        fault = str(error)
    plain = [] if encrypted else [address.host]
    engine = address.engine
    if engine is not None and engine.port and not engine.tls:
        plain.append(engine.host)
    return SharedState(
        title=address.title,
        user=user,
        database=f"PostgreSQL {version.partition(' ')[0]}",
        database_seconds=seconds,
        engine=health.engine if engine is not None else "",
        engine_seconds=health.seconds,
        engine_fault=fault,
        encrypted=not plain,
        hosts=tuple(f"{host_text(host)}:{port}" for host, port in address.hosts),
        unencrypted=tuple(dict.fromkeys(host for host in plain if not is_loopback(host))),
        notes=health.notes,
    )
