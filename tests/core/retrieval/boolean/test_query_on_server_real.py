"""Sixty lines on real documents: the same ones on a server as in a file."""

from __future__ import annotations

import pytest

pytest.importorskip("psycopg")

from claimlight.retrieval import catalogue as catalogues
from claimlight.retrieval.boolean.evaluate import evaluate
from claimlight.retrieval.boolean.parser import parse
from claimlight.services.library.library import Library, import_paths
from claimlight.settings import Settings
from claimlight.store import Store, postgres
from claimlight.tasks import TaskContext
from tests.core.store.postgres.with_words import push_words

pytestmark = [pytest.mark.data, pytest.mark.loopback]
_FOLDERS = ("us-grant-v4", "us-application-v4", "ep", "marec")
_LINES = """
valve
the
method
comprising.clm.
valve AND pump
device AND NOT method
"semiconductor device"
"control unit"
"the first"
light ADJ emitting ADJ diode
"light emitting diode"
semiconduct$ ADJ layer
damp$
vibrat$ WITH damp$
display.ti.
display.ab.
display.clm.
(display OR screen).clm.
(display ADJ panel).clm.
display NEAR3 panel
signal NEAR5 process$
memory SAME cell
memory NOT SAME cell
memory NOT WITH cell
memory NOT ADJ cell
$cycle
$phon$
electro$
micro$ ADJ electr$
data WITH transmi$
wireless ADJ2 communicat$
(battery OR cell) ADJ3 charg$
surface WITH layer
"at least one"
"a plurality of"
plurality ADJ2 of
image SAME sensor
circuit.ti. AND transistor.clm.
poly$ NEAR2 resin
optic$ NEAR fiber
h?ating
colo$1r
electrode WITH2 substrate
(gate NEAR electrode).clm.
(gate ADJ electrode).clm.
network SAME protocol
computer SAME (program OR software)
rotat$ WITH shaft
vehicle AND (wheel OR tire OR tyre)
steer$ ADJ wheel
inc.as.
corporation.as.
(motor ADJ co$).as.
john.in.
water ADJ pump
"heat exchanger"
heat NEAR2 exchang$
antenna NOT WITH array
housing NOT SAME cover
claim ADJ 1
""".strip().splitlines()


def _found(store: Store, line: str) -> tuple[list[str], list[tuple[int, int]]]:
    """Publications, and for each term its words and documents."""
    found = evaluate(parse(line), store, catalogues.load(store), None, TaskContext())
    with store.read() as connection:
        names = dict(connection.exec_driver_sql("SELECT id, publication FROM document").all())
    terms = [(term.words, term.documents) for term in found.terms]
    return sorted(names[number] for number in found.ids.tolist()), terms


def test_real_documents_are_found_alike(postgres_server, shared_data, tmp_path) -> None:
    with Library.create(tmp_path / "L") as library:
        import_paths(
            library, [shared_data / "xml" / folder for folder in _FOLDERS], TaskContext(), Settings()
        )
        address = postgres_server.empty_library(tmp_path / "made")
        with postgres.connect(address, tmp_path / "shared", read_only=False) as shared:
            push_words(library.store, shared)
            answers = {line: _found(library.store, line) for line in _LINES}
            assert len(answers) == 60
            assert sum(bool(publications) for publications, _ in answers.values()) > 50
            for line, expected in answers.items():
                assert _found(shared, line) == expected, line
