"""The index on PostgreSQL: the contract, merging and purging, several clients, and servers that fail."""

import shutil
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from backend_contract import BackendContract

from claimlight.engines.checks import FILTERS, QUERIES, compare
from claimlight.engines.exact import ExactBackend
from claimlight.engines.invented import make_batch, make_schema
from claimlight.engines.postgres import PostgresBackend, scoring, sessions, views, writing
from claimlight.errors import EngineError
from claimlight.index.backend import ALL, Leg, PartFilter, documents_of
from tests import postgres_server as servers

pytestmark = pytest.mark.loopback
NAME = "claimlight_test"


@pytest.fixture(scope="module")
def open_backend(postgres_server):
    url = postgres_server.url(postgres_server.empty_database())
    return lambda: PostgresBackend(url)


class TestPostgres(BackendContract):
    pass


@pytest.fixture
def url(postgres_server):
    return postgres_server.url(postgres_server.empty_database())


@pytest.fixture
def opened(url):
    """Opens a client of a new index."""
    clients = []

    def open_client(**given):
        client = PostgresBackend(url, **given)
        clients.append(client)
        client.ensure(make_schema(NAME), create=True)
        return client

    yield open_client
    for client in clients:
        client.close()


@pytest.fixture
def small_blocks(monkeypatch):
    """Blocks so small that a few documents fill one, as some 10,000 do."""
    monkeypatch.setattr(writing, "capacity", lambda *, sections: 40 if sections else 100)
    monkeypatch.setattr(writing, "_PURGE_TERMS", 150)


def assert_same(client, exact):
    for leg, query in QUERIES.items():
        for name, allowed in FILTERS.items():
            compare(client.search(leg, query, allowed, 30), exact.search(leg, query, allowed, 30), name)
            assert client.count(leg, allowed) == exact.count(leg, allowed)


def rows(url, query):
    import psycopg

    with psycopg.connect(url, options=f"-c search_path={NAME}") as connection:
        return connection.execute(query).fetchall()


@pytest.mark.parametrize("cache_bytes", [3000, 1 << 20])
def test_clients_find_what_others_stored_removed_merged_and_purged(small_blocks, opened, url, cache_bytes):
    clients = [opened(cache_bytes=cache_bytes), opened(cache_bytes=cache_bytes)]
    exact = ExactBackend()
    exact.ensure(make_schema(NAME), create=True)
    rng = np.random.default_rng(3)
    for step in range(27):
        client, other = clients if step % 2 else clients[::-1]
        some = np.unique(rng.integers(1, 60, 4)).tolist()
        if step % 3 == 2:
            for each in (client, exact):
                each.delete(some)
        else:
            # Parts that the new batch lacks stay; the caller removes a document first.
            for each in (client, exact):
                each.delete(some)
                each.upsert(make_batch(some, seed=step))
        for leg, query in QUERIES.items():
            compare(other.search(leg, query, ALL, 50), exact.search(leg, query, ALL, 50), f"{step} {leg}")
        if step % 13 == 12:
            assert_same(other, exact)
    # All of it has happened: blocks were filled, merged, and written anew without what was removed.
    shares = rows(url, "SELECT removed::float / filled FROM block WHERE filled = 100")
    assert all(share < 0.4 for (share,) in shares)
    (many,) = rows(url, "SELECT count(*), min(block) FROM block WHERE NOT sections")
    assert many[0] > 1
    assert many[1] > 1
    full = "SELECT max(n) FROM (SELECT count(*) n FROM fragment JOIN block USING (sections, block)"
    assert rows(url, f"{full} WHERE block.filled = 100 GROUP BY sections, block) counted") == [(1,)]


def test_merging_keeps_the_answers(opened, url):
    client, exact = opened(), ExactBackend()
    exact.ensure(make_schema(NAME), create=True)
    for number in range(1, 8):
        for each in (client, exact):
            each.upsert(make_batch([number]))
    assert rows(url, "SELECT count(*) FROM fragment WHERE NOT sections") == [(7,)]
    before = {leg: client.search(leg, query, ALL, 100) for leg, query in QUERIES.items()}
    for each in (client, exact):
        each.upsert(make_batch([8]))
    assert rows(url, "SELECT count(*) FROM fragment WHERE NOT sections") == [(1,)]
    assert_same(client, exact)
    for leg, query in QUERIES.items():
        compare(client.search(leg, query, PartFilter(without=np.array([8])), 100), before[leg], str(leg))


def test_what_is_emptied_takes_no_room(small_blocks, opened, url):
    client = opened()
    client.upsert(make_batch(range(1, 60)))
    client.delete(range(1, 60))
    for table in ("posting", "fragment", "block", "facts"):
        assert rows(url, f"SELECT count(*) FROM {table}") == [(0,)]
    client.upsert(make_batch([3]))
    for leg in Leg:
        found = client.search(leg, QUERIES[leg], ALL, 10)
        assert set(documents_of(found.parts).tolist()) == {3}


def test_what_is_left_of_a_block_outlives_the_removal_of_the_last_one(small_blocks, opened, url):
    client, exact = opened(), ExactBackend()
    exact.ensure(make_schema(NAME), create=True)
    for each in (client, exact):
        each.upsert(make_batch(range(1, 26)))
    sections = "SELECT filled FROM block WHERE sections ORDER BY block"
    assert [filled for (filled,) in rows(url, sections)][:-1] == [40]
    for each in (client, exact):
        # Half of the first block, and all of the last one, which has room.
        each.delete(range(9, 26))
    assert_same(client, exact)
    assert_same(opened(), exact)


def test_what_to_merge():
    assert writing.run_to_merge([5] * 7, 100) == 0
    assert writing.run_to_merge([5] * 8, 100) == 8
    assert writing.run_to_merge([60, *[5] * 8], 200) == 8
    assert writing.run_to_merge([*[60] * 7, 5, 60], 1000) == 9
    assert writing.run_to_merge([70, *[5] * 7], 200) == 0
    assert writing.run_to_merge([60, 40], 100) == 2
    assert writing.run_to_merge([100], 100) == 0
    assert writing.run_to_merge([], 100) == 0
    sizes = []
    for _ in range(3000):
        sizes.append(3)
        if many := writing.run_to_merge(sizes, 65536):
            sizes[-many:] = [sum(sizes[-many:])]
    assert sum(sizes) == 9000
    assert len(sizes) < 35
    sizes, written = [], 0
    for _ in range(4096):
        sizes.append(1)
        if many := writing.run_to_merge(sizes, 65536):
            sizes[-many:] = [sum(sizes[-many:])]
            written += sizes[-1]
    assert written <= 4 * 4096
    assert len(sizes) < 35


def test_a_few_vectors_are_fetched_alone(opened, monkeypatch):
    opened().upsert(make_batch(range(1, 301)))
    reading, kept = opened(), []
    monkeypatch.setattr(scoring.SectionVectors, "_all", lambda *_: kept.append(1))
    found = reading.search(Leg.DENSE, QUERIES[Leg.DENSE], PartFilter(documents=np.array([7, 9])), 10)
    assert set(documents_of(found.parts).tolist()) == {7, 9}
    assert not kept


def test_writers_take_turns_and_lose_nothing(opened):
    exact = ExactBackend()
    exact.ensure(make_schema(NAME), create=True)
    batches = [make_batch(range(begin, begin + 10), seed=begin) for begin in range(1, 161, 10)]
    again = make_batch(range(1, 41), seed=99)

    def store(some):
        with closing(opened()) as client:
            for each in some:
                client.upsert(each)

    with ThreadPoolExecutor(4) as threads:
        list(threads.map(store, [batches[0::2], batches[1::2], [again], [again]]))
    client = opened()
    client.delete(range(1, 41))
    client.upsert(again)
    for each in (*batches[4:], again):
        exact.upsert(each)
    assert_same(client, exact)


def test_a_search_sees_a_batch_whole_or_not_at_all(opened):
    both = [make_batch(range(1, 31)), make_batch(range(1, 31))]
    writer, reader = opened(), opened()
    writer.upsert(both[0])
    counts = {leg: reader.count(leg, ALL) for leg in Leg}
    best = {leg: reader.search(leg, query, ALL, 20) for leg, query in QUERIES.items()}

    def replace():
        for turn in range(12):
            writer.upsert(both[turn % 2])

    with ThreadPoolExecutor(1) as threads:
        replacing = threads.submit(replace)
        asked = 0
        while not replacing.done():
            for leg, query in QUERIES.items():
                assert reader.count(leg, ALL) == counts[leg]
                compare(reader.search(leg, query, ALL, 20), best[leg], str(leg))
                asked += 1
        replacing.result()
    assert asked > 5


def test_a_map_without_bytes_has_no_bits():
    for many in range(1, 200):
        used = np.full(many, 255, np.uint8)
        del used
        assert not views.bits(b"", many).any()
    given = np.random.default_rng(1).random(77) < 0.5
    assert (views.bits(views.packed(given), 77) == given).all()
    assert (views.bits(views.packed(given), 60) == given[:60]).all()
    assert views.bits(views.packed(given), 99).sum() == given.sum()


def test_a_search_that_began_before_a_removal_sees_what_there_was(opened):
    client, other = opened(), opened()
    client.upsert(make_batch(range(1, 31)))
    expected = client.count(Leg.WORDS, ALL)
    with client._sessions.reading(NAME) as early:
        (version,) = early.row("SELECT version FROM state")
        other.delete(range(1, 11))
        # Another thread has seen the removal meanwhile.
        assert client.count(Leg.WORDS, ALL) < expected
        for many in range(1, 400):
            used = np.full(many, 255, np.uint8)
            del used
        view = client._views.at(early, version, sections=False)
    assert view.live.sum() == expected


def test_a_server_that_was_started_anew_is_found_again(opened, postgres_server):
    client = opened()
    client.upsert(make_batch(range(1, 11)))
    before = client.count(Leg.WORDS, ALL)
    postgres_server.stop()
    try:
        with pytest.raises(EngineError, match=r"127\.0\.0\.1:\d+ can't be reached"):
            client.count(Leg.WORDS, ALL)
    finally:
        postgres_server.start()
    assert client.count(Leg.WORDS, ALL) == before
    assert client.health().notes  # the server of the tests does not sync its files


def test_a_silent_server_ends_with_a_message(opened, postgres_server, monkeypatch):
    monkeypatch.setattr(sessions, "ENGINE_SECONDS", 2.0)
    client, other = opened(), opened()
    client.upsert(make_batch(range(1, 11)))
    with postgres_server.silence():
        for ask in (client.health, lambda: other.upsert(make_batch([1]))):
            # The seconds are of the limit that ended the wait.
            with pytest.raises(EngineError, match="did not answer within 2 seconds"):
                ask()
    assert client.count(Leg.DENSE, ALL) > 0


def test_messages_say_what_is_refused_and_no_password(opened, postgres_server, url):
    opened()
    with postgres_server.require_password():
        address = url.replace("owner@", f"{servers.OWNER}@")
        for password in ("wr0ng", None):
            with pytest.raises(EngineError, match="refused the user name or the password") as caught:
                PostgresBackend(address, password=password).ensure(make_schema(NAME))
            assert "wr0ng" not in str(caught.value)
        client = PostgresBackend(address, password=servers.PASSWORD)
        client.ensure(make_schema(NAME))
        client.close()
    with pytest.raises(EngineError, match=r"refused: .*does not exist"):
        PostgresBackend(f"{url}_absent").ensure(make_schema(NAME))
    postgres_server.run("CREATE ROLE outsider LOGIN")
    with pytest.raises(EngineError, match=r"does not allow the user to use the index\. .*--readers"):
        PostgresBackend(url.replace("owner@", "outsider@")).ensure(make_schema(NAME))
    with pytest.raises(EngineError, match=r"has no TLS, or its certificate is not trusted: .*SSL"):
        PostgresBackend(f"{url}?sslmode=require").ensure(make_schema(NAME))
    with pytest.raises(EngineError, match="address of the PostgreSQL server can't be read") as caught:
        PostgresBackend("postgresql://a:s3cret@host:port:x/?nonsense=1")
    assert "s3cret" not in str(caught.value)


def test_a_connection_that_can_not_be_set_up_is_closed(url, monkeypatch):
    monkeypatch.setattr(sessions, "_OPTIONS", "SET no_such_setting = 1")
    with pytest.raises(EngineError, match=r"refused: .*no_such_setting") as caught:
        PostgresBackend(url).ensure(make_schema(NAME))
    # The error still holds the connection that it is of.
    assert caught.value.__cause__ is not None
    end = time.monotonic() + 20
    while left := rows(
        url,
        "SELECT pid FROM pg_stat_activity WHERE application_name = 'claimlight'"
        " AND datname = current_database()",
    ):
        assert time.monotonic() < end, left
        time.sleep(0.02)


def test_a_client_that_opens_another_index_forgets_the_first(opened):
    client, exact = opened(), ExactBackend()
    exact.ensure(make_schema(f"{NAME}_other"), create=True)
    client.upsert(make_batch(range(1, 31)))
    for leg, query in QUERIES.items():
        client.search(leg, query, ALL, 10)
    client.ensure(make_schema(f"{NAME}_other"), create=True)
    for each in (client, exact):
        each.upsert(make_batch(range(1, 31), seed=4))
    assert_same(client, exact)


def test_what_was_acknowledged_survives_the_death_of_the_server(postgres_server, monkeypatch):
    monkeypatch.setitem(servers._OPTIONS, "fsync", "on")
    folder = Path(tempfile.mkdtemp(prefix="claimlight-postgres-"))
    user = postgres_server._user
    shutil.chown(folder, user, user)
    server = servers.PostgresServer(servers.find_programs(), folder, user)
    done = []

    def load():
        client = PostgresBackend(server.url("postgres"))
        client.ensure(make_schema(NAME), create=True)
        with closing(client):
            # 20,000 parts
            for begin in range(1, 2500, 50):
                client.upsert(make_batch(range(begin, begin + 50), seed=begin))
                done.append(begin)

    try:
        server.make_cluster()
        server.start()
        with ThreadPoolExecutor(1) as threads:
            loading = threads.submit(load)
            while len(done) < 8 and not loading.done():
                time.sleep(0.01)
            server.kill()
            with pytest.raises(EngineError):
                loading.result()
        server.start()
        exact = ExactBackend()
        exact.ensure(make_schema(NAME), create=True)
        for begin in done:
            exact.upsert(make_batch(range(begin, begin + 50), seed=begin))
        with closing(PostgresBackend(server.url("postgres"))) as client:
            client.ensure(make_schema(NAME))
            unsure = done[-1] + 50
            if client.count(Leg.DENSE, PartFilter(documents=np.arange(unsure, unsure + 50))):
                # Stored, but the answer was lost.
                exact.upsert(make_batch(range(unsure, unsure + 50), seed=unsure))
            assert_same(client, exact)
            # The load goes on.
            client.upsert(make_batch(range(unsure, unsure + 50), seed=unsure))
            assert client.count(Leg.DENSE, PartFilter(documents=np.arange(unsure, unsure + 50)))
        server.stop()
    finally:
        server.kill() if server._process.poll() is None else None
        shutil.rmtree(folder, ignore_errors=True)
