"""A case with recorded sets, over a small library."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pytest
from report_fakes import CLAIMS, Desk, record_sets

from claimlight.services.cases.cases import CaseBook
from claimlight.types import AcceptedClass, ReferenceDates, Scheme
from tests.fakes import library, patent


@pytest.fixture
def desk(tmp_path):
    """Claims, dates, classes and two sets; nothing marked or decided yet."""
    patents = [
        patent(
            "1000001",
            "Damper for bicycles",
            paragraphs=["A viscous damper of a bicycle.", "The damper is filled with oil."],
            claims=["A bicycle with a frame and a brake."],
            applicant="Δέλτα Räder GmbH",
        ),
        patent("1000002", "Frame", paragraphs=["A bicycle with a frame."], applicant="自転車株式会社"),
        patent("1000003", "Late brake", paragraphs=["A brake."], published=date(2019, 8, 1)),
        patent("1000004", "Rim", paragraphs=["A rim on a hub."], published=None),
    ]
    clock = iter(
        datetime(2026, 3, 1, 9, minute, second, tzinfo=UTC) for minute in range(60) for second in range(60)
    )
    with (
        library(tmp_path / "Wheels", patents) as held,
        CaseBook.open(tmp_path / "cases.db", clock=lambda: next(clock)) as book,
    ):
        dates = ReferenceDates(date(2019, 10, 1), date(2018, 10, 1), verified=True, applicant="Applicant Ltd")
        case = book.create_case("Fork <damper> & brake", application=CLAIMS, dates=dates)
        made = Desk(book, held, case.id)
        made.edit(library=str(tmp_path / "Wheels"), notes="careful with claim 2")
        book.accept_class(case.id, AcceptedClass(Scheme.CPC, "B62K 25/04", "Axle suspensions"))
        book.accept_class(case.id, AcceptedClass(Scheme.IPC, "B62L 1/00"))
        record_sets(made)
        yield made
