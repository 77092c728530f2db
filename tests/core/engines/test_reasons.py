"""Why an engine can't be reached, from what drivers say."""

from __future__ import annotations

import pytest

from claimlight.engines.reasons import tell_reason

_GRPC = "failed to connect to all addresses; last error: "
_UNKNOWN = "no.example:19530"


@pytest.mark.parametrize(
    ("said", "told"),
    [
        (
            f"{_GRPC}UNKNOWN: ipv4:127.0.0.1:1: Failed to connect to remote host: Connection refused",
            "no server is listening there",
        ),
        (f"{_GRPC}UNAVAILABLE: ipv4:127.0.0.1:1: Socket closed", "the connection was cut off"),
        (f"{_GRPC}UNKNOWN: ipv4:10.0.0.1:1: No route to host", "the network is unreachable"),
        (f"DNS resolution failed for {_UNKNOWN}: C-ares status", "there is no host of this name"),
        (
            f"errors resolving {_UNKNOWN}: [field:hostname lookup error:address lookup failed for "
            f"{_UNKNOWN}: Domain name not found]",
            "there is no host of this name",
        ),
        ("[Errno -2] Name or service not known", "there is no host of this name"),
        ("[Errno 111] Connection refused", "no server is listening there"),
        ("what no list has", "what no list has"),
    ],
)
def test_a_reason_of_any_driver_is_told_in_one_wording(said, told):
    assert tell_reason(said) == told
