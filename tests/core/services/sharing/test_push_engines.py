"""A push into a real engine that is killed while it loads: nothing that was acknowledged is lost."""

from __future__ import annotations

import pytest
from pushing_fakes import fill, make, opened, patents

from claimlight.errors import EngineError
from claimlight.services.sharing.verifying import verify
from claimlight.tasks import TaskContext
from claimlight.types import Committed
from tests.core.engines import milvus_server

pytestmark = pytest.mark.loopback


@pytest.mark.skipif(not milvus_server.is_installed(), reason=milvus_server.REASON)
def test_milvus_is_killed_during_a_push(tmp_path, postgres_server):
    milvus = pytest.importorskip("claimlight.engines.milvus")
    address = postgres_server.empty_library(tmp_path / "made")
    made = make(tmp_path / "L", patents(range(1, 13)))
    server = milvus_server.MilvusServer(tmp_path / "milvus")

    def kill(event: object) -> None:
        if isinstance(event, Committed) and event.documents == 4:
            server.kill()

    try:
        with (
            opened(address, tmp_path / "shared", milvus.MilvusBackend(server.uri)) as target,
            pytest.raises(EngineError, match="can't be reached"),
        ):
            fill(made, target, batch=4, context=TaskContext(kill))
        server.start()
        with opened(address, tmp_path / "shared", milvus.MilvusBackend(server.uri)) as target:
            report = fill(made, target, batch=4)
            assert (report.skipped, report.new, report.cleaned) == (4, 8, 4)
            check = verify(made, target, TaskContext())
            assert (check.sound, check.same) == (True, 12)
    finally:
        server.kill()
