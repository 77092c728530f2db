"""What can go wrong between the program and Milvus: each is an error in words, in time, and loses nothing."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from concurrent import futures
from pathlib import Path

import pytest
from milvus_server import REASON, MilvusServer, free_port, is_installed

from claimlight.engines.addresses import EngineAddress
from claimlight.engines.checks import FILTERS, QUERIES, prepare
from claimlight.engines.invented import make_batch, make_schema
from claimlight.engines.milvus import MilvusBackend
from claimlight.errors import EngineError, InputError, MissingPackageError, ShortfallError
from claimlight.index.backend import ALL, Leg
from tests.certificates import ELSEWHERE, LOOPBACK, Authority
from tests.faults.killing_milvus import kill_while_loading
from tests.network_watch import start, ways

grpc = pytest.importorskip("grpc")
pytest.importorskip("pymilvus")
pytestmark = pytest.mark.loopback
needs_server = pytest.mark.skipif(not is_installed(), reason=REASON)
ROOT = Path(__file__).resolve().parents[3]
TOKEN = "reader:a long secret"


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    some = MilvusServer(tmp_path_factory.mktemp("milvus"))
    prepare(lambda: MilvusBackend(some.uri))
    yield some
    some.kill()


def opened(server, **options):
    backend = MilvusBackend(server.uri, **options)
    backend.ensure(make_schema("claimlight_checks"))
    return backend


class Refusing(grpc.GenericRpcHandler):
    """A server that wants other credentials, whatever it is asked."""

    def __init__(self):
        self.seen = []

    def service(self, details):
        self.seen.append(dict(details.invocation_metadata))

        def refuse(request, context):
            context.abort(grpc.StatusCode.UNAUTHENTICATED, f"auth check failure for {TOKEN}")

        return grpc.unary_unary_rpc_method_handler(refuse)


@pytest.fixture
def refusing():
    """The handler, and a function that serves it on a port."""
    handler, running = Refusing(), []

    def serve(credentials=None):
        stub = grpc.server(futures.ThreadPoolExecutor(2), handlers=(handler,))
        running.append(stub)
        if credentials is None:
            port = stub.add_insecure_port("127.0.0.1:0")
        else:
            port = stub.add_secure_port("127.0.0.1:0", credentials)
        stub.start()
        return port

    yield handler, serve
    for stub in running:
        stub.stop(None)


def test_no_server_is_an_error_that_names_the_place():
    backend = MilvusBackend(f"http://127.0.0.1:{free_port()}", token=TOKEN)
    with pytest.raises(EngineError, match=r"at 127\.0\.0\.1:\d+ can't be reached: no server") as caught:
        backend.ensure(make_schema("claimlight_checks"))
    assert TOKEN not in str(caught.value)


def test_wrong_credentials_are_an_error_without_them(refusing):
    handler, serve = refusing
    backend = MilvusBackend(f"http://127.0.0.1:{serve()}", token=TOKEN)
    with pytest.raises(EngineError, match="refused the credentials") as caught:
        backend.health()
    assert TOKEN not in str(caught.value)
    # Once: what is refused is not asked again.
    assert len(handler.seen) == 1
    assert "authorization" in handler.seen[0]


@pytest.mark.skipif(shutil.which("openssl") is None, reason="makes the certificate")
def test_a_certificate_that_nobody_vouches_for_ends_the_connection(refusing, tmp_path):
    handler, serve = refusing
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    subprocess.run(
        [
            *("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"),
            *("-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"),
            *("-keyout", key, "-out", certificate),
        ],
        check=True,
        capture_output=True,
    )
    made = grpc.ssl_server_credentials([(key.read_bytes(), certificate.read_bytes())])
    uri = f"https://localhost:{serve(made)}"
    with pytest.raises(EngineError, match="certificate that can't be verified"):
        MilvusBackend(uri, token=TOKEN).health()
    assert not handler.seen
    with pytest.raises(EngineError, match="refused the credentials"):
        MilvusBackend(uri, token=TOKEN, authorities=certificate).health()
    assert handler.seen


def test_a_private_authority_is_trusted_by_the_address(refusing, tmp_path):
    handler, serve = refusing
    office, stranger = Authority(tmp_path, "office"), Authority(tmp_path, "stranger")

    def served(names):
        certificate, key = office.sign(names)
        made = grpc.ssl_server_credentials([(key.read_bytes(), certificate.read_bytes())])
        return f"milvuss://127.0.0.1:{serve(made)}"

    def ask(place, authorities):
        EngineAddress.parse(f"{place}?authorities={authorities}").open(TOKEN).health()

    here, elsewhere = served(LOOPBACK), served(ELSEWHERE)
    for place, authorities in ((here, stranger.file), (elsewhere, office.file)):
        with pytest.raises(
            EngineError, match=r"certificate that can't be verified: .*(issuer|for another name)"
        ) as caught:
            ask(place, authorities)
        assert TOKEN not in str(caught.value)
    assert not handler.seen
    # It has come to the server, which wants other credentials.
    with pytest.raises(EngineError, match="refused the credentials"):
        ask(here, office.file)
    assert handler.seen


def test_a_host_that_names_others_is_refused():
    with pytest.raises(InputError, match="global cluster"):
        MilvusBackend("https://abc.global-cluster.example:443")


def test_a_package_that_is_missing_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "pymilvus", None)
    with pytest.raises(MissingPackageError, match=r"\[milvus\]"):
        MilvusBackend("http://127.0.0.1:1").health()
    assert "PYTHON_DOTENV_DISABLED" not in os.environ


@needs_server
def test_a_server_that_hangs_is_an_error_in_time(server):
    backend = opened(server, seconds=0.5)
    server.pause()
    try:
        with pytest.raises(EngineError, match=r"did not answer within 0\.5 seconds"):
            backend.search(Leg.DENSE, QUERIES[Leg.DENSE], ALL, 10)
        fresh = MilvusBackend(server.uri, seconds=0.5)
        with pytest.raises(EngineError, match=r"did not answer within 0\.5 seconds"):
            fresh.health()
    finally:
        server.resume()
    assert len(backend.search(Leg.DENSE, QUERIES[Leg.DENSE], ALL, 10)) == 10
    backend.close()


@needs_server
def test_searches_go_on_when_a_server_is_back(server):
    backend = opened(server)
    before = backend.search(Leg.WORDS, QUERIES[Leg.WORDS], ALL, 10)
    server.kill()
    with pytest.raises(EngineError, match="can't be reached"):
        backend.search(Leg.WORDS, QUERIES[Leg.WORDS], ALL, 10)
    server.start()
    after = backend.search(Leg.WORDS, QUERIES[Leg.WORDS], ALL, 10)
    assert after.parts.tolist() == before.parts.tolist()
    # A connection that was lost unnoticed is replaced within the call.
    server.kill()
    server.start()
    assert len(backend.search(Leg.WORDS, QUERIES[Leg.WORDS], ALL, 10)) == 10
    backend.close()


class Dropping:
    """A client whose server forgets the three best hits of long answers."""

    def __init__(self, client, least):
        self._client = client
        self._least = least
        self.widths = []

    def __getattr__(self, name):
        return getattr(self._client, name)

    def search(self, *given, search_params, **named):
        self.widths.append(search_params["params"].get("ef"))
        answers = self._client.search(*given, search_params=search_params, **named)
        for answer in answers:
            if len(answer.ids) >= self._least:
                answer.ids, answer.distances = answer.ids[3:], answer.distances[3:]
        return answers


@needs_server
@pytest.mark.parametrize("leg", list(Leg))
def test_hits_that_a_server_holds_back_are_noticed(server, monkeypatch, leg):
    backend = opened(server)
    allowed = FILTERS["class"]
    whole = len(backend.search(leg, QUERIES[leg], allowed, 5000))
    # Shorter answers, those to single indices, are whole: a server that drops all alike is not noticed.
    dropping = Dropping(backend._connection._client, whole)
    monkeypatch.setattr(backend._connection, "_client", dropping)
    with pytest.raises(ShortfallError, match=rf"gave {whole - 3} of at least \d+ hits") as caught:
        backend.search(leg, QUERIES[leg], allowed, 5000)
    if leg is Leg.DENSE:
        assert f"of at least {whole} hits" in str(caught.value)
    # What is found in full needs no check.
    dropping.widths.clear()
    backend.search(leg, QUERIES[leg], allowed, 5)
    assert len(dropping.widths) == 1
    backend.close()


@needs_server
def test_what_is_stored_meanwhile_is_no_shortfall(server, monkeypatch):
    backend = opened(server)
    real = backend._count

    def count_and_store(name, condition):
        found = real(name, condition)
        backend.upsert(make_batch([1001, 1002]))
        return found

    before = backend.count(Leg.DENSE, ALL)
    monkeypatch.setattr(backend, "_count", count_and_store)
    found = backend.search(Leg.DENSE, QUERIES[Leg.DENSE], ALL, 5000)
    assert len(found) >= before
    monkeypatch.undo()
    backend.delete([1001, 1002])
    assert backend.count(Leg.DENSE, ALL) == before
    backend.close()


@needs_server
def test_an_index_that_was_left_half_made_is_completed(server):
    # Milvus Lite has no HNSW: what is made first is a collection without an index.
    made = make_schema("claimlight_half")
    with pytest.raises(EngineError, match="HNSW"):
        MilvusBackend(server.uri, by_graph=True).ensure(made, create=True)
    with pytest.raises(EngineError, match="half made"):
        MilvusBackend(server.uri).ensure(made)
    backend = MilvusBackend(server.uri)
    backend.ensure(made, create=True)
    backend.upsert(make_batch([1, 2]))
    assert len(backend.search(Leg.DENSE, QUERIES[Leg.DENSE], ALL, 100)) == backend.count(Leg.DENSE, ALL)
    backend.close()


@needs_server
def test_a_search_before_an_index_is_opened_is_refused(server):
    backend = MilvusBackend(server.uri)
    with pytest.raises(EngineError, match="No index is open"):
        backend.search(Leg.DENSE, QUERIES[Leg.DENSE], ALL, 1)
    health = backend.health()
    assert (health.engine, health.sections) == ("Milvus Lite", 0)
    assert any("for trials" in note for note in health.notes)
    backend.close()


@needs_server
def test_what_was_acknowledged_survives_a_kill(tmp_path):
    losses = kill_while_loading(tmp_path, rounds=2, parts=1_500)
    assert losses.killed
    assert losses.acknowledged
    assert losses.lost == 0


@needs_server
@pytest.mark.skipif("strace" not in ways(), reason="strace says where a program connects to")
def test_nothing_but_the_given_address_is_reached(server, tmp_path):
    port = server.uri.rpartition(":")[2]
    work = (
        "from claimlight.engines.milvus import MilvusBackend; from claimlight.engines.checks import prepare;"
        f"prepare(lambda: MilvusBackend('{server.uri}'), 'claimlight_watched')"
    )
    environment = {
        **os.environ,
        "PYTHONPATH": str(ROOT / "core"),
        # Proxies that nobody may ask.
        "http_proxy": "http://127.0.0.1:9",
        "grpc_proxy": "http://127.0.0.1:9",
    }
    watched = start([sys.executable, "-c", work], tmp_path, "watched", way="strace", environment=environment)
    code, output = watched.ended(120)
    assert code == 0, output
    assert watched.reached() == []
    ports = set(re.findall(r"htons\((\d+)\)", watched.log.read_text(errors="replace")))
    # Port 0: how a program learns which of two addresses of a name the system prefers; nothing is sent.
    assert port in ports <= {port, "0"}
