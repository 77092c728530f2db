"""Every reading function gives the same on a server as on a file that has the same documents."""

from __future__ import annotations

import inspect
import io
import zipfile
from collections.abc import Callable
from dataclasses import dataclass, fields, is_dataclass
from datetime import date

import numpy as np
import pytest

pytest.importorskip("psycopg")

from claimlight.retrieval import catalogue
from claimlight.retrieval.boolean import lookups
from claimlight.retrieval.boolean.fields import Field
from claimlight.retrieval.boolean.nodes import ClassRange, DayRange, Number
from claimlight.services.classes import counts
from claimlight.services.classes import statistics as class_statistics
from claimlight.services.classes.schemes import Schemes
from claimlight.services.library import counting, documents, relations
from claimlight.services.library.export import export
from claimlight.services.library.library import Library, import_paths
from claimlight.services.maps.library_map import map_library
from claimlight.services.sample import shipped_library
from claimlight.services.search.added_rankers import LibraryReader
from claimlight.services.sets.set_members import SetMembers, find_documents
from claimlight.settings import Settings
from claimlight.store import (
    citation_graph,
    document_relations,
    document_view,
    front_pages,
    import_runs,
    pictures,
    postgres,
    register,
    repository,
    soundness,
    statistics,
    stored_records,
    subclasses,
)
from claimlight.store.postgres import writing
from claimlight.store.postgres.writing import NewIds
from claimlight.tasks import TaskContext
from claimlight.types import (
    ClassLevel,
    CountBy,
    ExportKind,
    LocalText,
    Picture,
    PictureKind,
    PublicationNumber,
    Related,
    Relation,
    Scheme,
    SetHit,
    Source,
)
from tests.core.store import invented
from tests.core.store.postgres.conftest import all_ids

pytestmark = pytest.mark.loopback
CONTEXT = TaskContext()


@dataclass(frozen=True)
class Pair:
    """The same documents, under the same ids, in a file and on a server."""

    file: Library
    server: Library
    ids: list[int]

    @property
    def some(self) -> list[int]:
        """A few documents of the files, and all odd ones: for functions that read one at a time."""
        return [*self.ids[: -ODD : len(self.ids) // 8], *self.ids[-ODD:]]

    def same(self, ask: Callable[[Library], object]) -> object:
        """The answer of both."""
        answer = plain(ask(self.file))
        assert plain(ask(self.server)) == answer
        return answer


def plain(value: object) -> object:
    """Something that can be compared, arrays included."""
    if isinstance(value, np.ndarray):
        return value.tolist()
    if is_dataclass(value) and not isinstance(value, type):
        return type(value), [plain(getattr(value, item.name)) for item in fields(value)]
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    return [plain(item) for item in value] if isinstance(value, (list, tuple)) else value


ODD = 6
"""Number of documents that `odd_documents` makes: two records are of one."""


def odd_documents() -> list:
    """What the files of the sample don't have."""
    earlier = Related(Relation.PREVIOUSLY_PUBLISHED, PublicationNumber("WO", "1999012345", "A1"), None)
    pct = Related(Relation.PCT, PublicationNumber("WO", "PCT/EP1998/000123"), date(1998, 3, 5))
    other = Source("/files/other.zip", "inside/é.xml", 3, 9, "invented")
    merged = invented.patent(5000004, titles=(), description=())
    return [
        invented.patent(5000001, published=None, filed=None, language="", family="99"),
        invented.patent(5000002, titles=(LocalText("", "en"),), related=(earlier, pct)),
        invented.patent(
            5000003,
            titles=(LocalText("100 % \\ ' \" ? {} %s ﬁn \U0001f6de \uffee", "en"), LocalText("Ω", "de")),
            pictures=(Picture("a.tif", PictureKind.DRAWING, ("1", "2a"), 100, 200, landscape=True),),
            classes=(),
            citations=(),
            publication=PublicationNumber("EP", "5000003", ""),
        ),
        merged,
        invented.patent(5000004, source=other, claims=(), abstracts=()),
        invented.patent(5000005, published=None, publication=PublicationNumber("EP", "5000004", "B1")),
        invented.patent(
            5000006,
            publication=PublicationNumber("US", "20010000001", "A1"),
            application=PublicationNumber("US", "09999999"),
        ),
    ]


@pytest.fixture(scope="module", params=["sample", pytest.param("real", marks=pytest.mark.data)])
def pair(request, postgres_server, tmp_path_factory, shared_data):
    folder = tmp_path_factory.mktemp("pair")
    if request.param == "sample":
        with zipfile.ZipFile(shipped_library()) as packed:
            packed.extractall(folder / "file")
        file = Library.open(folder / "file")
    else:
        file = Library.create(folder / "file")
        paths = [shared_data / "xml" / name for name in ("ep", "marec")]
        import_paths(file, paths, TaskContext(), Settings())
    for each in odd_documents():
        invented.write(file.store, each)
    url = postgres_server.empty_library(folder / "made")
    server = Library(file.folder, postgres.connect(url, folder / "server", read_only=False))
    ids = all_ids(file.store)
    for start in range(0, len(ids), 100):
        batch = writing.read_batch(file.store, ids[start : start + 100])
        kept = {item.id: NewIds(item.id, item.placed[3]) for item in batch.documents}
        with server.store.write() as connection:
            writing.write_documents(connection, batch, kept, writing.begin_change(connection))
    yield Pair(file, server, ids)
    server.close()
    file.close()


@pytest.fixture(scope="module")
def publications(pair) -> dict:
    return repository.read_publications(pair.file.store, pair.ids)


def within(ask: Callable) -> Callable[[Library], object]:
    """A function of a connection as one of a library."""

    def run(library: Library) -> object:
        with library.store.read() as connection:
            found = ask(connection)
            return list(found) if inspect.isgenerator(found) else found

    return run


def test_texts_and_summaries(pair):
    passages = list(repository.read_passages_of(pair.file.store, pair.ids[-3:]).values())
    some = [item.id for each in passages for item in each] + [10**9]
    assert pair.same(lambda library: repository.count_documents(library.store)) == len(pair.ids) > 20
    pair.same(lambda library: repository.read_documents_after(library.store, 0, 10_000))
    pair.same(lambda library: repository.read_documents_after(library.store, pair.ids[5], 3))
    pair.same(lambda library: repository.read_summaries(library.store, pair.ids))
    pair.same(within(lambda connection: repository.read_summaries_in(connection, pair.ids)))
    pair.same(lambda library: repository.read_passages(library.store, some))
    pair.same(lambda library: repository.read_passages_of(library.store, np.array(pair.ids)))
    pair.same(within(lambda connection: repository.read_passages_between(connection, some[0], 7)))
    pair.same(lambda library: repository.find_passages_not_in(library.store, some, ["de"]))
    pair.same(lambda library: repository.find_with_full_text(library.store, pair.ids))
    pair.same(lambda library: repository.read_publications(library.store, pair.ids))


def test_numbers_and_families(pair, publications):
    spelled = [*map(str, publications.values()), "EP5000004", "EP 5000004 B1", "EP1", "nonsense", "EP5000003"]
    pair.same(lambda library: [repository.find(library.store, each) for each in spelled])
    labels = {item.family for item in repository.read_summaries(pair.file.store, pair.ids).values()}
    pair.same(lambda library: [repository.find_family(library.store, [each]) for each in sorted(labels)[:9]])
    aliases = [
        row[0] for row in within(lambda c: c.exec_driver_sql("SELECT key FROM family_alias").all())(pair.file)
    ]
    pair.same(lambda library: repository.find_family(library.store, aliases))
    pair.same(within(lambda c: [repository.read_family(c, each) for each in pair.some]))


def test_relations(pair, publications):
    ids, some = pair.ids, pair.some
    for ask in (
        lambda c: [document_relations.read_citations(c, each) for each in ids[:5]],
        lambda c: document_relations.read_citations_of_many(c, ids),
        lambda c: [document_relations.read_history(c, each) for each in some],
        lambda c: [document_relations.read_citing(c, each) for each in some],
        lambda c: document_relations.read_cited_documents(c, ids),
        lambda c: document_relations.read_citing_documents(c, ids),
        lambda c: [
            document_relations.read_citing_number(c, each) for each in list(publications.values())[::9]
        ],
        lambda c: document_relations.read_citing_number(c, PublicationNumber("US", "4000000", "A")),
        lambda c: document_relations.read_shared_priorities(c, ids[-4:]),
        lambda c: [document_relations.read_origins(c, each) for each in some],
    ):
        pair.same(within(ask))
    pair.same(lambda library: [relations.family(library, each) for each in some])
    pair.same(lambda library: [relations.citations(library, each) for each in some])
    pair.same(lambda library: [relations.origins(library, each) for each in some])
    pair.same(lambda library: citation_graph.CitationGraph.read(library.store, CONTEXT).documents)
    graphs = [citation_graph.CitationGraph.read(each.store, CONTEXT) for each in (pair.file, pair.server)]
    assert [graphs[0].cites(each) for each in ids] == [graphs[1].cites(each) for each in ids]


def test_whole_documents(pair):
    some = pair.some
    pair.same(lambda library: [document_view.read_document_view(library.store, each) for each in some])
    pair.same(within(lambda c: front_pages.read_front_pages(c, pair.ids, description=True)))
    pair.same(within(lambda c: front_pages.read_front_pages(c, pair.ids[::-1])))
    pair.same(lambda library: list(documents.pages(library, pair.ids)))
    pair.same(documents.all_ids)
    pair.same(lambda library: documents.view(library, "EP5000001A1"))
    pair.same(lambda library: documents.identify(library, "EP5000001A1"))
    pair.same(lambda library: list(LibraryReader(library.store, library.folder).documents(after=3)))


def test_pictures(pair):
    pair.same(lambda library: [pictures.read_named_pictures(library.store, each) for each in pair.some])
    named = pair.same(lambda library: list(pictures.read_of_sources(library.store)))
    assert named
    pair.same(lambda library: list(pictures.read_of_sources(library.store, [invented.PATH])))


def test_figures_and_checks(pair):
    counted = statistics.count_all(pair.server.store)
    here = statistics.count_all(pair.file.store)
    # Documents that could not be read stay where they were imported.
    assert [getattr(counted, item.name) for item in fields(counted) if item.name != "quarantined"] == [
        getattr(here, item.name) for item in fields(here) if item.name != "quarantined"
    ]
    assert counted.quarantined == 0
    assert statistics.read_quarantined(pair.server.store) == ()
    assert import_runs.read_runs(pair.server.store) == ()
    pair.same(lambda library: statistics.read_languages(library.store))
    assert pair.same(lambda library: soundness.find_changed_documents(library.store, CONTEXT)) == []
    assert soundness.find_page_faults(pair.server.store, CONTEXT) == []
    before = (pair.file.folder / register.FILE_NAME).exists()
    register.update(pair.server.store)
    assert (pair.file.folder / register.FILE_NAME).exists() == before


def test_stored_records(pair, publications):
    keys = [item.key[0] for item in writing.read_batch(pair.file.store, pair.some).documents]

    def read(connection) -> object:
        sources: dict[str, int] = {}
        heads = stored_records.read_heads(connection, keys, sources)
        stored = {key: stored_records.load_stored(connection, head, sources) for key, head in heads.items()}
        return sorted(sources), heads, stored

    pair.same(within(read))
    pair.same(within(lambda c: [stored_records.read_children(c, each) for each in pair.some]))


def test_classes(pair, tmp_path):
    schemes = Schemes(tmp_path / "editions")
    for scheme in (Scheme.CPC, Scheme.IPC):
        pair.same(lambda library, scheme=scheme: counts.count_classes(library, schemes, scheme, "", CONTEXT))
        for symbol in ("B60B", "B60B 1/00", "F16F 15/12", "A"):
            pair.same(lambda library, s=scheme, t=symbol: counts.count_documents_below(library, s, t))
        pair.same(lambda library, scheme=scheme: schemes.expand("B60B", scheme=scheme, library=library))
        for level in ClassLevel:
            for patents in (None, pair.ids[::2], []):
                if patents == []:
                    continue
                pair.same(
                    lambda library, scheme=scheme, level=level, patents=patents: (
                        class_statistics.count_at_level(
                            library, schemes, CONTEXT, scheme=scheme, level=level, patents=patents, top=0
                        )
                    )
                )
        pair.same(
            lambda library, scheme=scheme: class_statistics.count_subclasses(
                library, schemes, CONTEXT, scheme=scheme
            )
        )
    pair.same(counts.choose_scheme)
    often = pair.same(lambda library: subclasses.read_frequent_subclasses(library.store, pair.ids, 5))
    pair.same(lambda library: subclasses.find_in_subclasses(library.store, often))


@pytest.mark.parametrize("by", [CountBy.YEAR, CountBy.OFFICE, CountBy.APPLICANT])
def test_counts(pair, by):
    pair.same(lambda library: counting.count_documents(library, by, CONTEXT))
    pair.same(lambda library: counting.count_documents(library, by, CONTEXT, patents=pair.ids[1::2], top=0))


@pytest.mark.parametrize("kind", list(ExportKind))
def test_exports(pair, kind):
    if kind is ExportKind.PARQUET:
        pytest.importorskip("pyarrow")

    def written(library: Library) -> bytes:
        stream = io.BytesIO()
        export(library, None, stream, kind=kind, context=CONTEXT, text=kind is ExportKind.CSV)
        return stream.getvalue()

    pair.same(written)


def test_catalogue(pair):
    read = [catalogue.load(library.store) for library in (pair.file, pair.server)]
    for name in ("ids", "published", "filed", "priority", "first_passage", "passages", "office"):
        assert (getattr(read[0], name) == getattr(read[1], name)).all()
        assert getattr(read[0], name).dtype == getattr(read[1], name).dtype
    # Families have other numbers; which documents they are of is the same.
    for row in range(len(read[0])):
        one, other = (each.family == each.family[row] for each in read)
        assert (one == other).all()


LEAVES = (
    DayRange(Field.PUBLISHED, 19990101, 20051231),
    DayRange(Field.FILED, 19990101, 20051231, outside=True),
    DayRange(Field.PRIORITY, 0, 99999999),
    ClassRange(Field.CPC, "B60B"),
    ClassRange(Field.CPC, "F16F 15/12", exact=True),
    ClassRange(Field.IPC, "B60B 1/00"),
    ClassRange(Field.CPC, "B60B 1/00", "F16F 15/12"),
    ClassRange(Field.CPC, "B60B 1", truncated=True),
    Number(Field.PUBLICATION, "EP5000004"),
    Number(Field.PUBLICATION, "EP5000004B1"),
    Number(Field.PUBLICATION, "EP", truncated=True),
    Number(Field.PUBLICATION, "5000", truncated=True),
    Number(Field.APPLICATION, "EP95000001"),
    Number(Field.APPLICATION, "EP9500", truncated=True),
)


@pytest.mark.parametrize("leaf", LEAVES, ids=str)
def test_lookups(pair, leaf):
    found = pair.same(within(lambda c: sorted(lookups.look_up(c, leaf).tolist())))
    held = pair.same(within(lambda c: [each for each in pair.some if lookups.holds(c, leaf, each)]))
    assert sorted(set(found) & set(pair.some)) == sorted(held)
    assert found or leaf.field in (Field.CPC, Field.APPLICATION)


def test_lookups_of_symbols(pair):
    symbols = ["B60B 1/02", "F16F 15/12", *(f"H04L {n}/00" for n in range(1, 40_000))]
    found = pair.same(within(lambda c: sorted(lookups.find_by_symbols(c, Field.CPC, symbols).tolist())))
    assert found
    pair.same(within(lambda c: [lookups.has_symbol(c, Field.CPC, symbols, each) for each in pair.some]))
    pair.same(within(lambda c: lookups.find_by_symbols(c, Field.CPC, []).tolist()))


def test_sets(pair, publications):
    hits = [SetHit(each, 1.0) for each in publications.values()]
    hits.append(SetHit(PublicationNumber("XX", "1", ""), 0.5))
    pair.same(lambda library: SetMembers(library.store).members(hits, 1))
    ids = np.array(pair.ids[::3])
    pair.same(lambda library: list(SetMembers(library.store).hits(ids, [1.0] * len(ids), 1)))
    pair.same(lambda library: find_documents(library.store, hits))


def test_map(pair, request):
    if "real" in request.node.callspec.id:
        pytest.skip("it is made from an index, which only the sample has")
    # Both have the index of the sample beside them.
    pair.same(lambda library: map_library(library, CONTEXT))


READING = (
    citation_graph, document_relations, document_view, front_pages, import_runs, pictures, repository,
    soundness, statistics, stored_records, subclasses, lookups, documents, relations,
)  # fmt: skip
NOT_OF_DOCUMENTS = {
    "begin_run", "add_tally", "finish_run",  # write the history of imports
    "read_run",  # by a number that only a file has
    "check_words",  # of the full text
    # What was written, not what is there: test_writing.
    "read_version", "read_library_version", "read_removed_since",
}  # fmt: skip


def test_no_reading_function_is_left_out():
    here = inspect.getsource(inspect.getmodule(test_no_reading_function_is_left_out))
    for module in READING:
        for name, function in inspect.getmembers(module, inspect.isfunction):
            asked = next(iter(inspect.signature(function).parameters), "")
            public = not name.startswith("_") and function.__module__ == module.__name__
            if public and asked in ("store", "connection", "library") and name not in NOT_OF_DOCUMENTS:
                assert f"{module.__name__.rpartition('.')[2]}.{name}" in here, (module.__name__, name)
