"""What the client of Qdrant sends to a server, and what is said of servers that are gone, slow or wrong."""

from __future__ import annotations

import shutil
import ssl
import subprocess
import sys
import time

import numpy as np
import pytest
from http_stub import closed_url, done, dripping, mute, serving

from claimlight import codec
from claimlight.engines.addresses import EngineAddress
from claimlight.engines.invented import DIM, dense_query, make_batch, make_schema
from claimlight.errors import EngineError, ShortfallError
from claimlight.index.backend import ALL, Leg, PartFilter, SparseVector
from tests.certificates import ELSEWHERE, LOOPBACK, Authority

pytest.importorskip("qdrant_client")
from claimlight.engines.qdrant import QdrantBackend

pytestmark = pytest.mark.loopback

TOKEN = "the-secret-of-the-office"
SCHEMA = make_schema("lib")
SECTIONS, PASSAGES = "/collections/lib_sections", "/collections/lib_passages"
QUERY = SparseVector(np.array([3, 9]), np.array([0.5, 2.0], dtype=np.float32))
COMPLETED = done({"operation_id": 1, "status": "completed"})


def collection(schema=SCHEMA):
    params = {"vectors": {}}
    return done(
        {
            "status": "green",
            "optimizer_status": "ok",
            "segments_count": 1,
            "points_count": 0,
            "config": {
                "params": params,
                "hnsw_config": {"m": 16, "ef_construct": 200, "full_scan_threshold": 10000},
                "optimizer_config": {
                    "deleted_threshold": 0.2,
                    "vacuum_min_vector_number": 1000,
                    "default_segment_number": 0,
                    "flush_interval_sec": 5,
                },
                "metadata": {"claimlight": codec.encode(schema)} if schema else None,
            },
            "payload_schema": {},
        }
    )


def hits(*parts):
    return done({"points": [{"id": part, "version": 1, "score": 1.0 / (1 + part)} for part in parts]})


@pytest.fixture
def stub():
    with serving() as stub:
        for path in (SECTIONS, PASSAGES):
            stub.answers |= {
                f"{path}/exists": done({"exists": True}),
                ("GET", path): collection(),
                ("PUT", path): done(result=True),
                f"{path}/index": COMPLETED,
                f"{path}/points": COMPLETED,
                f"{path}/points/delete": COMPLETED,
                f"{path}/points/count": done({"count": 3}),
                f"{path}/points/query": hits(1, 2, 3),
            }
        stub.answers["/"] = 200, {"title": "qdrant", "version": "1.18.2"}
        yield stub


@pytest.fixture
def opened(stub):
    with_backend = QdrantBackend(stub.url, token=TOKEN, seconds=0.5)
    with_backend.ensure(SCHEMA)
    stub.asked.clear()
    yield with_backend
    with_backend.close()


def test_an_index_is_made_with_its_schema_and_indexed_fields(stub):
    there = dict.fromkeys((SECTIONS, PASSAGES), False)
    for path in there:

        def make(body, path=path):
            there[path] = True
            return done(result=True)

        stub.answers[f"{path}/exists"] = lambda body, path=path: done({"exists": there[path]})
        stub.answers["PUT", path] = make
    QdrantBackend(stub.url, token=TOKEN).ensure(SCHEMA, create=True)
    (sections,), (passages,) = stub.bodies("PUT", SECTIONS), stub.bodies("PUT", PASSAGES)
    assert sections["vectors"]["dense"]["size"] == DIM
    assert sections["vectors"]["dense"]["distance"] == "Dot"
    assert sorted(passages["sparse_vectors"]) == ["centers", "words"]
    # The query carries idf: Qdrant must not multiply by its own.
    assert all(not each.get("modifier") for each in passages["sparse_vectors"].values())
    for made in (sections, passages):
        assert codec.decode(type(SCHEMA), made["metadata"]["claimlight"]) == SCHEMA
    fields = {body["field_name"]: body["field_schema"] for body in stub.bodies("PUT", f"{SECTIONS}/index")}
    assert fields == {
        "document": "integer", "published": "integer", "family": "integer", "classes": "keyword",
        "claims": "integer",
    }  # fmt: skip
    assert all(headers["api-key"] == TOKEN for _, _, headers, _ in stub.asked)


def test_an_index_that_another_machine_made_meanwhile_is_taken(stub):
    exists = iter([False, True, True])
    stub.answers[f"{SECTIONS}/exists"] = lambda body: done({"exists": next(exists)})
    stub.answers["PUT", SECTIONS] = 409, {"status": {"error": "Collection `lib_sections` already exists!"}}
    QdrantBackend(stub.url).ensure(SCHEMA, create=True)
    assert stub.bodies("PUT", SECTIONS)


def test_an_index_without_a_schema_is_refused(stub):
    stub.answers["GET", PASSAGES] = collection(schema=None)
    with pytest.raises(EngineError, match=r"Qdrant 1\.16 or later"):
        QdrantBackend(stub.url).ensure(SCHEMA)


def test_parts_are_stored_with_their_facts(stub, opened):
    some = make_batch(range(1, 9))
    opened.upsert(some)
    (_, path, _, _), *_ = stub.asked
    assert "wait=true" in path
    (sections,) = stub.bodies("PUT", f"{SECTIONS}/points")
    first, document = sections["points"][0], 1
    assert first["id"] == some.sections.parts[0]
    np.testing.assert_array_equal(np.float32(first["vector"]["dense"]), some.sections.vectors[0])
    facts = some.facts[document]
    assert first["payload"] == {
        "document": document, "published": facts.published, "family": facts.family,
        "classes": list(facts.classes), "claims": 1,
    }  # fmt: skip
    stored = {each["id"]: each["vector"] for each in stub.bodies("PUT", f"{PASSAGES}/points")[0]["points"]}
    for row, part in enumerate(some.passages.parts.tolist()):
        for leg in ("centers", "words"):
            indices, values = getattr(some.passages, leg).row(row)
            sent = stored[part].get(leg, {"indices": [], "values": []})
            assert sent["indices"] == indices.tolist()
            np.testing.assert_array_equal(np.float32(sent["values"]), values)


def test_a_large_batch_is_sent_in_several_requests(stub, opened, monkeypatch):
    monkeypatch.setattr("claimlight.engines.qdrant.NUMBERS", 500)
    some = make_batch(range(1, 30))
    opened.upsert(some)
    sent = [body["points"] for path in (SECTIONS, PASSAGES) for body in stub.bodies("PUT", f"{path}/points")]
    assert len(sent) > 4
    assert [point["id"] for points in sent for point in points] == [
        *some.sections.parts.tolist(),
        *some.passages.parts.tolist(),
    ]


def test_a_change_that_is_not_applied_is_an_error(stub, opened):
    stub.answers[f"{SECTIONS}/points"] = done({"operation_id": 1, "status": "acknowledged"})
    with pytest.raises(EngineError, match="has not applied it"):
        opened.upsert(make_batch([1]))


def test_a_search_says_what_it_wants(stub, opened):
    allowed = PartFilter(
        before=20100101,
        classes=("cpc:H04",),
        without_families=(77,),
        documents=np.array([1, 2]),
        without=np.array([3]),
        claims=True,
    )
    found = opened.search(Leg.CENTERS, QUERY, allowed, 3)
    assert found.parts.tolist() == [1, 2, 3]
    ((method, path, _, body),) = stub.asked
    assert (method, path) == ("POST", f"{PASSAGES}/points/query?timeout=1")
    assert body["query"]["nearest"] == {"indices": [3, 9], "values": [0.5, 2.0]}
    assert body["using"] == "centers"
    assert body["limit"] == 3
    assert body["with_payload"] is False
    must = {each["key"]: each for each in body["filter"]["must"]}
    assert must["published"]["range"] == {"gt": 0, "lt": 20100101}
    assert must["classes"]["match"] == {"any": ["cpc:H04"]}
    assert must["document"]["match"] == {"any": [1, 2]}
    assert must["claims"]["match"] == {"any": [1]}
    assert [(each["key"], each["match"]["any"]) for each in body["filter"]["must_not"]] == [
        ("family", [77]),
        ("document", [3]),
    ]


@pytest.mark.parametrize(
    ("given", "params"),
    [
        ({"dense": "exact"}, {"exact": True}),
        ({"dense": "hnsw", "ef": 250}, {"exact": False, "hnsw_ef": 250}),
        ({"dense": "hnsw", "ef": 2}, {"exact": False, "hnsw_ef": 3}),
    ],
)
def test_the_dense_leg_is_exact_or_by_the_graph(stub, given, params):
    backend = QdrantBackend(stub.url, **given)
    backend.ensure(SCHEMA)
    backend.search(Leg.DENSE, dense_query(), ALL, 3)
    (body,) = stub.bodies("POST", f"{SECTIONS}/points/query")
    assert {name: value for name, value in body["params"].items() if value is not None} == params
    assert body["query"]["nearest"] == dense_query().tolist()


def test_the_graph_is_used_for_many_sections(stub):
    stub.answers[f"{SECTIONS}/points/count"] = done({"count": 10_000_000})
    backend = QdrantBackend(stub.url)
    backend.ensure(SCHEMA)
    for _ in range(2):
        backend.search(Leg.DENSE, dense_query(), ALL, 3)
    assert [body["params"]["exact"] for body in stub.bodies("POST", f"{SECTIONS}/points/query")] == [
        False
    ] * 2
    # Their number is not asked for each time.
    assert len(stub.bodies("POST", f"{SECTIONS}/points/count")) == 1


def test_documents_are_removed_and_counted(stub, opened):
    opened.delete([5, 4])
    for path in (SECTIONS, PASSAGES):
        (body,) = stub.bodies("POST", f"{path}/points/delete")
        assert body["filter"]["must"][0]["match"]["any"] == [4, 5]
    assert opened.count(Leg.WORDS, PartFilter(claims=True)) == 3
    (body,) = stub.bodies("POST", f"{PASSAGES}/points/count")
    assert body["exact"] is True


def test_health_names_the_version_and_an_open_token(stub, opened):
    health = opened.health()
    assert health.engine == "Qdrant 1.18.2"
    assert (health.sections, health.passages) == (3, 3)
    assert "without encryption" in health.notes[0]
    assert TOKEN not in str(health)
    assert not QdrantBackend(stub.url).health().notes


def test_fewer_sections_than_there_are_are_an_error(stub, opened):
    stub.answers[f"{SECTIONS}/points/count"] = done({"count": 40})
    with pytest.raises(ShortfallError, match="gave 3 of at least 20 hits"):
        opened.search(Leg.DENSE, dense_query(), ALL, 20)


def test_the_graph_that_gives_too_few_is_helped_by_an_exact_search(stub):
    stub.answers[f"{SECTIONS}/points/query"] = lambda body: (
        hits(*range(5)) if body["params"]["exact"] else hits(1, 2)
    )
    stub.answers[f"{SECTIONS}/points/count"] = done({"count": 5})
    backend = QdrantBackend(stub.url, dense="hnsw")
    backend.ensure(SCHEMA)
    assert len(backend.search(Leg.DENSE, dense_query(), ALL, 20)) == 5


def test_the_numbers_of_a_shortfall_are_of_one_answer(stub, opened):
    answers = iter([hits(1, 2), hits(1, 2), hits(1, 2), hits(*range(5))])
    stub.answers[f"{SECTIONS}/points/query"] = lambda body: next(answers)
    stub.answers[f"{SECTIONS}/points/count"] = done({"count": 5})
    with pytest.raises(ShortfallError, match="gave 2 of at least 5 hits"):
        opened.search(Leg.DENSE, dense_query(), ALL, 20)


def test_fewer_passages_than_there_are_are_an_error(stub, opened):
    # The rest is asked for: without those that were found, there must be none.
    def answer(body):
        found = body["filter"]["must_not"][0]["has_id"] if body.get("filter") else None
        return hits(1, 2, 3) if found is None else hits(4)

    stub.answers[f"{PASSAGES}/points/query"] = answer
    with pytest.raises(ShortfallError, match="gave 3 of at least 4 hits"):
        opened.search(Leg.WORDS, QUERY, ALL, 20)
    stub.answers[f"{PASSAGES}/points/query"] = lambda body: hits() if body.get("filter") else hits(1, 2, 3)
    assert len(opened.search(Leg.WORDS, QUERY, ALL, 20)) == 3


def search(backend):
    backend._name = "lib"
    return backend.search(Leg.WORDS, QUERY, ALL, 3)


def fault_of(url, **given):
    """What is said of a server, and how long it takes."""
    backend = QdrantBackend(url, **{"token": TOKEN, "seconds": 0.5, **given})
    begun = time.monotonic()
    with pytest.raises(EngineError) as raised:
        search(backend)
    assert time.monotonic() - begun < 4
    said = str(raised.value)
    assert TOKEN not in said
    assert url.replace("http", "qdrant", 1) in said
    return said


def test_a_server_that_is_not_there():
    assert "can't be reached: no server is listening there." in fault_of(closed_url())


def test_a_host_without_a_name():
    backend = QdrantBackend("http://nowhere.invalid:6333", seconds=0.5)
    with pytest.raises(EngineError, match=r"can't be reached|did not answer within"):
        search(backend)


def test_a_server_that_is_slow(stub):
    stub.answers[f"{PASSAGES}/points/query"] = lambda body: None
    assert "did not answer within 0.5 seconds" in fault_of(stub.url)


def test_a_server_that_takes_the_connection_and_says_nothing():
    with mute() as url:
        assert "did not answer within 0.5 seconds" in fault_of(url)


def test_a_server_that_never_ends_its_answer():
    with dripping() as url:
        assert "did not answer within 0.5 seconds" in fault_of(url)


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ((401, "Must provide an API key"), "refused the credentials"),
        ((403, {"status": {"error": "Global access is required"}}), "refused the credentials"),
        ((500, {"status": {"error": f"no space left, {TOKEN}"}}), "refused a request: no space left, …."),
        ((404, {"status": {"error": "Not found: Collection"}}), "refused a request: Not found: Collection."),
        ((502, "<html>Bad gateway</html>"), "refused a request: HTTP status 502."),
        ((307, "", ("Location", "http://127.0.0.1:9/")), "refused a request: HTTP status 307."),
        ((408, {"status": {"error": "Timeout"}}), "did not answer within 0.5 seconds"),
        ((429, {"status": {"error": "busy"}}, ("Retry-After", "7")), "is too busy: it asks to wait 7 s."),
        ((200, "<html>Welcome</html>"), "an answer that is not Qdrant's"),
        ((200, {"result": {"hits": []}}), "an answer that is not Qdrant's"),
        ((200, {}), "an answer that is not Qdrant's"),
    ],
    ids=lambda given: str(given[0]) if isinstance(given, tuple) else "",
)
def test_a_server_that_refuses_or_is_another(stub, answer, said):
    stub.answers[f"{PASSAGES}/points/query"] = answer
    assert said in fault_of(stub.url)


def test_proxies_of_the_environment_are_not_asked(stub, monkeypatch):
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, closed_url())
    monkeypatch.delenv("NO_PROXY", raising=False)
    assert len(search(QdrantBackend(stub.url))) == 3


def test_only_the_address_is_asked_and_only_for_what_is_wanted(stub):
    search(QdrantBackend(stub.url))
    time.sleep(0.2)  # a question of the client's own would come from another thread
    assert [path for _, path, _, _ in stub.asked] == [f"{PASSAGES}/points/query?timeout=5"]


@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    openssl = shutil.which("openssl")
    if openssl is None:
        pytest.skip("no openssl to make a certificate with")
    folder = tmp_path_factory.mktemp("tls")
    subprocess.run(
        [openssl, "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=127.0.0.1",
         "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", "key.pem", "-out", "cert.pem"],
        check=True, capture_output=True, cwd=folder,
    )  # fmt: skip
    return folder


def test_certificates_are_verified_by_those_of_the_system(certificate, monkeypatch):
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(certificate / "cert.pem", certificate / "key.pem")
    with serving(tls) as stub:
        stub.answers[f"{PASSAGES}/points/query"] = hits(1, 2, 3)
        assert "certificate that can't be verified" in fault_of(stub.url, seconds=3)
        assert not stub.asked
        monkeypatch.setenv("SSL_CERT_FILE", str(certificate / "cert.pem"))
        backend = QdrantBackend(stub.url, token=TOKEN)
        assert len(search(backend)) == 3
        assert not backend._store.notes()


def test_a_private_authority_is_trusted_by_the_address(tmp_path):
    office, stranger = Authority(tmp_path, "office"), Authority(tmp_path, "stranger")
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(*office.sign(LOOPBACK))
    with serving(tls) as stub:
        stub.answers[f"{PASSAGES}/points/query"] = hits(1, 2, 3)
        place = stub.url.replace("https", "qdrants")

        def ask(authorities):
            opened = EngineAddress.parse(f"{place}?authorities={authorities}").open(TOKEN)
            return search(opened)

        with pytest.raises(
            EngineError, match="certificate that can't be verified: unable to get local"
        ) as no:
            ask(stranger.file)
        assert "_ssl.c" not in str(no.value)
        assert not stub.asked
        assert len(ask(office.file)) == 3
        assert stub.asked[0][2]["api-key"] == TOKEN
    tls.load_cert_chain(*office.sign(ELSEWHERE))
    with serving(tls) as stub:
        place = stub.url.replace("https", "qdrants")
        with pytest.raises(EngineError, match="not valid for '127"):
            ask(office.file)
        assert not stub.asked


def test_a_program_ends_while_its_engine_is_silent():
    with mute() as url:
        program = (
            "from claimlight.engines.qdrant import QdrantBackend\n"
            "from claimlight.errors import EngineError\n"
            f"try: QdrantBackend({url!r}, seconds=0.3).health()\n"
            "except EngineError as error: print(error)\n"
        )
        ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert ended.returncode == 0
    assert "did not answer within 0.3 seconds" in ended.stdout
    assert not ended.stderr
