"""A library: opened, filled, searched, read. Threads may share one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from os import PathLike
from pathlib import Path
from types import TracebackType

from claimlight.api import conversion
from claimlight.api.documents import Documents
from claimlight.api.running import (
    AnyPath,
    Changes,
    Day,
    Report,
    day_of,
    parse_choice,
    path_of,
    settings_of,
    task_of,
)
from claimlight.api.values import (
    Document,
    DocumentEvidence,
    Matrix,
    QueryResults,
    SearchResults,
)
from claimlight.errors import InputError
from claimlight.services import sample as samples
from claimlight.services.indexing import indexing
from claimlight.services.library import documents
from claimlight.services.library import library as libraries
from claimlight.services.library.export import export, kind_of
from claimlight.services.search import combining, queries, search_input
from claimlight.services.search import matrix as matrices
from claimlight.services.search.dates import find_statuses
from claimlight.services.search.requests import claim_search
from claimlight.services.search.search import SearchEngine
from claimlight.services.sets.sets import SetSearch
from claimlight.services.sharing import opening
from claimlight.services.sharing.addresses import is_address
from claimlight.services.sharing.state import read_info
from claimlight.settings import Settings
from claimlight.store import repository
from claimlight.tasks import TaskContext
from claimlight.types import (
    SEARCH_RANKERS,
    TOP,
    DefaultOperator,
    ExportKind,
    ImportReport,
    IndexDepth,
    IndexReport,
    LibraryInfo,
    Pairs,
    PatentId,
    Ranker,
    RuleSet,
    SetRequest,
)

_PAIRS = 5


def open_library(
    path: AnyPath, *, create: bool = False, read_only: bool = False, settings: Changes | None = None
) -> Library:
    """Open the library in the folder ``path``; ``create`` makes an empty one if there is none.

    ``path`` may be the address of a shared library (docs/guide/shared-libraries.md), which is read-only; its
    password comes from the environment or the keyring.

    ``settings`` change the user's own for this library, by key: ``{"search.depth": 500}``. A folder without
    a library is an `InputError`, one made by a newer version or damaged a `ResourceError`. Close it, or use
    it in a ``with`` block.
    """
    if create and read_only:
        raise InputError("create and read_only exclude each other: a new library must be written.")
    place = path if isinstance(path, str) and is_address(path) else path_of(path)
    own = settings_of(settings)
    return Library(opening.open_library(place, create=create, read_only=read_only), own)


def sample(
    path: AnyPath | None = None, *, settings: Changes | None = None, progress: Report | None = None
) -> Library:
    """Open the sample library: 68 invented patents, imported and indexed.

    If needed it is made first, in the folder ``path`` or in the folder of the user's libraries.
    """
    own = settings_of(settings)
    folder = None if path is None else path_of(path)
    return Library(samples.ensure(task_of(progress), own, folder), own)


def sample_application() -> Path:
    """The file of an application to examine against the sample library, in which it is not."""
    return samples.application_file()


class Library:
    """An open library; made by `open` and `sample`.

    Every call sees what was imported and indexed before it, by this program or another one.
    """

    def __init__(self, library: libraries.Library, settings: Settings) -> None:
        self._held: libraries.Library | None = library
        self._settings = settings
        self._engine = SearchEngine.open(library, settings)
        self._sets = SetSearch(library, settings, self._engine)
        self._folder = library.folder
        self._name = library.name

    @property
    def path(self) -> Path:
        """Its folder; that of a shared library is a private one of this computer, without documents."""
        return self._folder

    @property
    def name(self) -> str:
        """Its folder or address, which `open` opens again."""
        return self._name

    @property
    def read_only(self) -> bool:
        """Whether it can be searched only."""
        return self._opened().read_only

    def info(self) -> LibraryInfo:
        """Sizes and state: documents, indexed documents, offices, years, classes, languages, bytes.

        Of a shared library its servers too, which are asked.
        """
        return read_info(self._opened())

    def __len__(self) -> int:
        """How many documents it holds."""
        return repository.count_documents(self._opened().store)

    def __bool__(self) -> bool:
        """True, of an empty library too."""
        return True

    def __contains__(self, publication: object) -> bool:
        """Whether it holds a publication, in any usual spelling of its number."""
        return isinstance(publication, str) and repository.find(self._opened().store, publication) is not None

    def __repr__(self) -> str:
        return f"<Library {self._name}{'' if self._held else ', closed'}>"

    def __enter__(self) -> Library:
        return self

    def __exit__(
        self, _type: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the library; closing twice is no error, any other use afterwards is an `InputError`."""
        if self._held is not None:
            self._held.close()
            self._held = None

    def search(
        self,
        text: str | None = None,
        *,
        file: AnyPath | None = None,
        like: str | None = None,
        claim: int | None = None,
        before: Day = None,
        filed: Day = None,
        priority: Day = None,
        priority_valid: bool = False,
        no_priority: bool = False,
        rules: RuleSet | str | None = None,
        exclude_family_of: str | None = None,
        keep_own_family: bool = False,
        legs: Iterable[Ranker | str] = SEARCH_RANKERS,
        top: int = TOP,
    ) -> SearchResults:
        """The documents of the library for a claim or text, best first, with the evidence of their scores.

        Give exactly one of ``text`` (a claim, several claims, or any text), ``file`` (XML of an office or
        plain text with claims) and ``like`` (a publication of the library); ``claim`` selects one of several
        claims, the first by default, and those it depends on are included.

        Each hit has a date status where the application's dates are known: those of the file or document, or
        ``filed`` and ``priority``; ``priority_valid`` says that the priority was found valid, ``no_priority``
        that there is none, and ``rules`` is ``epc`` (the default) or ``us``. ``before`` leaves out what was
        published on that day or later; no other argument leaves out by date. The family of the file or
        document asked about is left out unless ``keep_own_family``, or that of ``exclude_family_of`` instead.
        ``legs`` are the rankers to combine: ``bm25``, ``dense``, ``centers``; ``splade`` and ``colbert`` if
        their indexes were made.

        `InputError` for an empty query, an unknown claim or publication, or contradictory dates. Without an
        index keywords still find documents, and `SearchResults.notes` says so.
        """
        context = TaskContext()
        about = self._read_input(text, file=file, like=like, claim=claim, context=context)
        own = search_input.read_publication(exclude_family_of) or (None if keep_own_family else about.own)
        request = claim_search(
            about.query,
            claim=about.claim,
            dates=search_input.merge_dates(
                about.dates,
                filed=day_of(filed, "filed"),
                priority=day_of(priority, "priority"),
                valid=priority_valid,
                none=no_priority,
                rules=_rules(rules),
            ),
            before=day_of(before, "before"),
            own_family=own,
            legs=_legs(legs),
            top=top,
        )
        reading = self._settings.search.reading_seconds
        return conversion.results_of(self._engine.run(request, context, reading=reading))

    def query(
        self,
        line: str,
        *,
        file: AnyPath | None = None,
        claim: int = 1,
        before: Day = None,
        filed: Day = None,
        priority: Day = None,
        priority_valid: bool = False,
        no_priority: bool = False,
        rules: RuleSet | str | None = None,
        exclude_family_of: str | None = None,
        default_operator: DefaultOperator | str = DefaultOperator.AND,
        depth: int = 1000,
        top: int | None = None,
    ) -> QueryResults:
        """The documents of a line of the query language (docs/reference/query.md).

        By score if a semantic operator gave any, else newest first. ``file`` and ``claim`` are the
        application that ``COVERS(F1)`` refers to; dates are those of `search`. ``depth`` is how many
        documents a semantic operator finds at most, ``top`` how many are listed (None: all). A line
        that can't be read or answered is a `QueryError` with its column; numbered sets (``L1``) belong to
        cases and are not known here.
        """
        context = TaskContext()
        examined = queries.read_application(path_of(file), context) if file is not None else None
        reference = search_input.merge_dates(
            examined.dates if examined is not None else None,
            filed=day_of(filed, "filed"),
            priority=day_of(priority, "priority"),
            valid=priority_valid,
            none=no_priority,
            rules=_rules(rules),
        )
        request = SetRequest(
            expression=line,
            query=queries.query_from_claims(examined.claims, claim) if examined is not None else None,
            before=day_of(before, "before"),
            exclude_family_of=search_input.read_publication(exclude_family_of),
            default_operator=parse_choice(DefaultOperator, default_operator, "default_operator"),
            depth=_positive(depth, "depth"),
            reference=reference,
            claim=claim,
        )
        self._opened()
        found = self._sets.run(request, {}, context)
        listed = found.patents if top is None else found.patents[: _positive(top, "top")]
        shown = self._sets.summaries(listed)
        dates = find_statuses(reference, shown, claim) if reference is not None else [None] * len(shown)
        return conversion.set_of(found, shown, dates)

    def evidence(
        self,
        publication: str,
        text: str | None = None,
        *,
        file: AnyPath | None = None,
        like: str | None = None,
        claim: int | None = None,
    ) -> DocumentEvidence:
        """All passages of one document that match a claim or text, with their evidence.

        The query is given as in `search`. `InputError` if the document is not in the library.
        """
        context = TaskContext()
        about = self._read_input(text, file=file, like=like, claim=claim, context=context)
        patent = documents.identify(self._opened(), publication)
        number = repository.read_publications(self._opened().store, [patent])[patent]
        found = self._engine.document_evidence(about.query, patent, context)
        return conversion.evidence_of(found, about.query, about.claim, publication=str(number))

    def matrix(
        self,
        text: str | None = None,
        *,
        file: AnyPath | None = None,
        like: str | None = None,
        claim: int | None = None,
        documents: Iterable[str] | None = None,
        top: int = 10,
        pairs: int = _PAIRS,
        all_pairs: bool = False,
        filed: Day = None,
        priority: Day = None,
        priority_valid: bool = False,
        no_priority: bool = False,
        rules: RuleSet | str | None = None,
        exclude_family_of: str | None = None,
        judge: str = "",
    ) -> Matrix:
        """What each document has of each feature of a claim, and which pairs have most of it together.

        The claim and the dates are given as in `search`. Documents that do not count for inventive
        step or obviousness are in no pair unless ``all_pairs`` is set. ``documents`` are
        publications, in the order of the rows; without them the best ``top`` of a search. ``judge`` names
        a plug-in that rules on the cells, ``none`` asks for match strengths alone. A library without a
        fitting index is a `ResourceError`.
        """
        context = TaskContext()
        about = self._read_input(text, file=file, like=like, claim=claim, context=context)
        own = search_input.read_publication(exclude_family_of) or about.own
        reference = search_input.merge_dates(
            about.dates,
            filed=day_of(filed, "filed"),
            priority=day_of(priority, "priority"),
            valid=priority_valid,
            none=no_priority,
            rules=_rules(rules),
        )
        if documents is None:
            request = claim_search(about.query, claim=about.claim, dates=reference, own_family=own, top=top)
            shown = [hit.patent.id for hit in self._engine.run(request, context).hits]
        else:
            shown = list(self._ids(documents))
        made = matrices.coverage_matrix(
            self._engine,
            self._opened(),
            self._settings,
            about.query,
            shown,
            context,
            exclude_family_of=own,
            reference=reference,
            claim=about.claim,
            judge=judge,
            reading=self._settings.search.reading_seconds,
        )
        found = combining.pairs(made, limit=pairs, every_status=all_pairs) if pairs else Pairs(())
        return conversion.matrix_of(made, found, about.claim)

    def document(self, publication: str) -> Document:
        """A whole document, by its number in any usual spelling; `InputError` if it is not in the library."""
        (found,) = self.documents([publication])
        return found

    def documents(self, publications: Iterable[str] | None = None, *, description: bool = True) -> Documents:
        """Whole documents, read while they are gone through: those named, or all in the order they came.

        Without ``description`` its paragraphs are left out, which is quicker. `InputError` where one
        of ``read_publications`` is not held; what is removed meanwhile is left out.
        """
        some = self._ids(publications) if publications is not None else documents.all_ids(self._opened())
        return Documents(self._opened(), some, description=description)

    def import_files(
        self,
        paths: AnyPath | Iterable[AnyPath],
        *,
        columns: AnyPath | None = None,
        progress: Report | None = None,
    ) -> ImportReport:
        """Take in patent files, archives and folders (docs/reference/formats.md); twice adds nothing.

        A document that can't be read is in `ImportReport.quarantined` with its reason and stops nothing.
        ``columns`` is a file that names the fields of a table. After a stop or kill, the same call
        resumes after what was committed. `InputError` for a missing path, `ResourceError` for a library
        that is read-only, locked, or a full disk.
        """
        given = [paths] if isinstance(paths, (str, PathLike)) else list(paths)
        files = [path_of(path) for path in given]
        for path in files:
            if not path.exists():
                raise InputError(f"There is no file or folder {path}.")
        mapping = None if columns is None else path_of(columns)
        return libraries.import_paths(
            self._opened(), files, task_of(progress), self._settings, columns=mapping
        )

    def remove(self, publications: Iterable[str]) -> tuple[str, ...]:
        """Take documents out; all or, where one is not held, none (`InputError`). Their numbers."""
        return tuple(map(str, libraries.remove_documents(self._opened(), list(publications))))

    def index(
        self, *, rebuild: bool = False, descriptions: bool = True, progress: Report | None = None
    ) -> IndexReport:
        """Index what is not indexed yet; resumes where it was stopped.

        Titles, abstracts and claims come first, so that another process finds every document after a fraction
        of the time; ``descriptions=False`` ends there.

        `ResourceError` where another process is indexing, the disk is full, or the index is damaged or of
        another model: ``rebuild`` makes a new one then.
        """
        depth = IndexDepth.FULL if descriptions else IndexDepth.CLAIMS
        return indexing.build(self._opened(), task_of(progress), self._settings, rebuild=rebuild, depth=depth)

    def export(
        self,
        path: AnyPath,
        publications: Iterable[str] | None = None,
        *,
        kind: ExportKind | str | None = None,
        text: bool = False,
        front_page: bool = False,
        progress: Report | None = None,
    ) -> int:
        """Write documents, those named or all, as a table (docs/reference/export.md); the number of rows.

        ``kind`` is ``csv``, ``jsonl`` or ``parquet``, by default what ``path`` ends in. ``text`` adds a
        column with title, abstract and claims, ``front_page`` leaves out claims and description. A file of
        that name is replaced when the new one is whole.
        """
        target = path_of(path)
        ending = kind_of(target) if kind is None else parse_choice(ExportKind, kind, "kind")
        return export(
            self._opened(),
            None if publications is None else self._ids(publications),
            target,
            kind=ending,
            context=task_of(progress),
            text=text,
            front_page=front_page,
        )

    def _opened(self) -> libraries.Library:
        """The library underneath; `InputError` once it was closed."""
        if self._held is None:
            raise InputError(f"The library {self._name} was closed; open it again.")
        return self._held

    def _ids(self, publications: Iterable[str]) -> Sequence[PatentId]:
        # A text is an iterable of texts, too: of its letters.
        if isinstance(publications, str):
            publications = [publications]
        return tuple(documents.identify(self._opened(), item) for item in publications)

    def _read_input(
        self,
        text: str | None,
        *,
        file: AnyPath | None,
        like: str | None,
        claim: int | None,
        context: TaskContext,
    ) -> search_input.SearchInput:
        if sum(source is not None for source in (text, file, like)) != 1:
            raise InputError("Give one of text, file and like: that is what is searched for.")
        library = self._opened()
        if text is not None:
            return search_input.input_from_text(text, claim)
        if file is not None:
            return search_input.input_from_file(library, path_of(file), claim, context)
        assert like is not None
        return search_input.input_from_document(library, like, claim)


def _rules(value: RuleSet | str | None) -> RuleSet | None:
    return None if value is None else parse_choice(RuleSet, value, "rules")


def _legs(values: Iterable[Ranker | str]) -> tuple[Ranker, ...]:
    given = [values] if isinstance(values, str) else list(values)
    return tuple(dict.fromkeys(parse_choice(Ranker, value, "legs") for value in given))


def _positive(value: int, name: str) -> int:
    if value < 1:
        raise InputError(f"{name}={value} is too little; it is at least 1.")
    return value
