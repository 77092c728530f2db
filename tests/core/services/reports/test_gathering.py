"""A report has what the examiner confirmed and marked, and nothing else."""

from __future__ import annotations

import pytest
from report_fakes import CLAIMS, MADE, number

from claimlight.services.reports.gathering import gather_report
from claimlight.types import (
    Category,
    Decision,
    Mark,
    MarkedPassage,
    PassageNote,
    PublicationNumber,
    RuleSet,
    WarningKind,
    effective_mark,
)


def kinds(report, claim=None):
    return [item.kind for item in report.warnings if claim is None or item.claim == claim]


def chart(report, claim=1):
    """Citations by feature text and publication."""
    found = next(item for item in report.charts if item.claim == claim)
    return {
        (row.text, str(report.document(name).publication)): [item.label for item in cell]
        for row in found.rows
        for name, cell in zip(found.documents, row.cells, strict=True)
    }


def cited(report, claim):
    found = next(item for item in report.claims if item.number == claim)
    return [
        (str(report.document(item.document).publication), item.category.value) for item in found.citations
    ]


def test_categories_are_gathered_claim_by_claim_with_the_data_of_the_documents(desk):
    desk.mark("1000002", Category.A)
    desk.mark("1000001", Category.X)
    desk.mark("1000001", Category.Y, claim=2)
    report = desk.report()
    assert cited(report, 1) == [("EP1000001A1", "X"), ("EP1000002A1", "A")]
    assert cited(report, 2) == [("EP1000001A1", "Y")]
    assert cited(report, 3) == []
    assert [item.independent for item in report.claims] == [True, False, True]
    first = report.documents[0]
    assert (first.label, first.title, first.applicants) == (
        "D1",
        "Damper for bicycles",
        ("Δέλτα Räder GmbH",),
    )
    assert (first.held, first.dates.label, str(first.published)) == (True, "Full prior art", "2010-05-04")
    assert str(report.application.relevant) == "2018-10-01"
    assert report.application.applicant == "Applicant Ltd"
    assert [str(item) for item in report.fields.accepted] == ["CPC B62K 25/04", "IPC B62L 1/00"]
    assert [str(item) for item in report.fields.restricted] == ["CPC B62K"]


def test_the_chart_has_confirmed_passages_only(desk):
    desk.decide("1000001", "damper", "[0001]", comment="as drawn")
    desk.decide("1000001", "frame", "claim 1")
    desk.decide("1000002", "frame", "[0001]")
    desk.decide("1000002", "damper", "[0001]", Decision.REJECTED)
    desk.decide("1000004", "brake", "[0001]", Decision.REJECTED)
    report = desk.report()
    found = chart(report)
    assert {place: labels for place, labels in found.items() if labels} == {
        ("a viscous damper", "EP1000001A1"): ["[0001]"],
        ("a frame", "EP1000001A1"): ["claim 1"],
        ("a frame", "EP1000002A1"): ["[0001]"],
    }
    assert {text for text, _ in found} >= {"a brake"}, "a feature that nothing discloses is shown as well"
    assert "EP1000004A1" not in {str(item.publication) for item in report.documents}
    damper = next(row for row in report.charts[0].rows if "damper" in row.text)
    (passage,) = (item for cell in damper.cells for item in cell)
    assert (passage.text, passage.comment) == ("A viscous damper of a bicycle.", "as drawn")


def test_a_passage_confirmed_for_two_features_is_cited_once_with_both(desk):
    desk.mark("1000001", Category.X)
    desk.decide("1000001", "frame", "claim 1")
    desk.decide("1000001", "brake", "claim 1")
    ((passage,),) = (item.passages for item in desk.report().claims[0].citations)
    assert passage.label == "claim 1"
    assert len(passage.features) == 2


def test_what_is_marked_irrelevant_is_left_out_with_a_warning(desk):
    desk.decide("1000001", "damper", "[0001]")
    desk.mark("1000001", Category.IRRELEVANT)
    report = desk.report()
    assert (report.documents, report.charts) == ((), ())
    (warning,) = (item for item in report.warnings if item.kind is WarningKind.LEFT_OUT)
    assert warning.text == "EP 1 000 001 A1 is marked irrelevant (0): 1 confirmed passage left out."


def test_the_mark_of_a_claim_comes_before_that_of_the_application():
    at = PublicationNumber("EP", "1", "A1")
    whole, own = Mark(at, Category.X), Mark(at, Category.IRRELEVANT, claim=2)
    feature = Mark(at, Category.Y, claim=3, feature="F1")
    note = Mark(at, Category.NONE, "only a note", 1)
    marks = (whole, own, feature, note)
    assert [effective_mark(marks, claim) for claim in (1, 2, 3)] == [whole, own, feature]
    assert effective_mark((note,), 1) is None


def test_a_category_for_the_whole_application_counts_for_every_claim(desk):
    desk.mark("1000001", Category.A, claim=0)
    report = desk.report()
    assert [cited(report, claim) for claim in (1, 2, 3)] == [[("EP1000001A1", "A")]] * 3


def test_notes_and_tags_are_in_it_on_request_only(desk):
    desk.mark("1000001", Category.X, note="my own thoughts")
    desk.book.tag(desk.id, number("1000001"), ("frame",))
    without, report = desk.report(), desk.report(notes=True)
    assert (without.notes, without.documents[0].tags, without.claims[0].citations[0].note) == ("", (), "")
    assert (report.notes, report.documents[0].tags) == ("careful with claim 2", ("frame",))
    assert report.claims[0].citations[0].note == "my own thoughts"


def test_passages_of_an_edited_feature_are_shown_as_such(desk):
    made = desk.decide("1000001", "damper", "[0001]")
    about = "1. A bicycle comprising a frame; a viscous oil damper; and a brake."
    desk.edit(application=about)
    report = desk.report()
    (row,) = (row for row in report.charts[0].rows if row.earlier)
    assert (row.text, row.label) == (made.feature, made.feature_label)
    assert WarningKind.EARLIER_WORDING in kinds(report)


def test_a_claim_chart_is_made_of_every_claim_with_a_passage(desk):
    desk.decide("1000001", "damper", "[0001]")
    desk.edit(claim=3)
    desk.decide("1000004", "hub", "[0001]")
    report = desk.report()
    assert [item.claim for item in report.charts] == [1, 3]
    assert chart(report, 3)["a hub", "EP1000004A1"] == ["[0001]"]
    assert chart(report, 1)["a viscous damper", "EP1000001A1"] == ["[0001]"]


def test_the_strategy_has_every_set_as_it_was_run(desk):
    line, search = desk.report().strategy.steps
    assert (line.label, line.query, line.parsed) == ("L1", "damper AND oil", "(damper AND oil)")
    assert (line.documents, line.terms, line.model) == (1, (("damper", 1),), "")
    assert (str(line.before), list(map(str, line.classes))) == ("2018-10-01", ["CPC B62K"])
    assert (search.label, search.claim, search.model, search.index) == ("L2", 1, "general-small-4-abc", "g7")
    assert search.query.startswith("Claim 1: A bicycle comprising")
    assert any(item.endswith("a viscous damper") for item in search.features)


# Warnings


def test_a_complete_report_has_no_warning(desk):
    desk.mark("1000001", Category.X)
    desk.mark("1000002", Category.A, claim=3)
    desk.decide("1000001", "damper", "[0001]")
    assert desk.report().warnings == ()


def test_claims_categories_and_passages_are_checked_against_each_other(desk):
    desk.mark("1000001", Category.Y)
    desk.decide("1000002", "frame", "[0001]")
    report = desk.report()
    told = [item.text for item in report.warnings]
    assert told == [
        "Claim 1: D1 EP 1 000 001 A1 is marked Y without a confirmed passage.",
        "Claim 1: D1 EP 1 000 001 A1 is the only document marked Y; Y needs a second document.",
        "Claim 3 is independent and no document has a category for it.",
        "D2 EP 1 000 002 A1 has confirmed passages but no category.",
    ]


@pytest.mark.parametrize(
    ("verified", "category", "expected"),
    [
        (True, "X", WarningKind.LATE),
        (False, "X", WarningKind.LATE),
        (True, "P,X", None),
        (True, "P", WarningKind.NO_RELEVANCE),
        (True, "E,X", WarningKind.WRONG_LETTER),
        (True, "E,P,X", WarningKind.WRONG_LETTER),
        (True, "O,P,X", None),
        (True, "L", None),
        (True, "L,P,A", None),
    ],
)
def test_a_category_is_checked_against_the_date_status(desk, verified, category, expected):
    """Published between priority and filing: P."""
    desk.date(verified=verified)
    desk.mark("1000003", category)
    desk.decide("1000003", "brake", "[0001]")
    found = set(kinds(desk.report(), claim=1))
    assert WarningKind.NO_PRIOR_ART in found, "nothing is cited for claim 1 that was published before"
    assert found - {WarningKind.NO_PRIOR_ART} == ({expected} if expected else set())


def test_a_later_document_of_earlier_filing_counts_for_novelty_only(desk):
    from datetime import date

    desk.date(priority=date(2012, 1, 1), filed=date(2013, 1, 1))
    desk.mark("1000003", Category.Y)
    desk.mark("1000001", Category.Y)
    report = desk.report()
    late = next(
        item for item in report.claims[0].citations if report.document(item.document).title == "Late brake"
    )
    assert late.dates.label == "E"
    assert {WarningKind.LATE, WarningKind.NOVELTY_ONLY} <= set(kinds(report, 1))


def test_e_beside_y_and_t_for_an_earlier_document_are_checked(desk):
    from datetime import date

    desk.date(priority=date(2012, 1, 1), filed=date(2013, 1, 1))
    desk.mark("1000003", "E,Y")
    desk.mark("1000001", "T,A")
    desk.decide("1000003", "brake", "[0001]")
    found = desk.report()
    told = [item.text for item in found.warnings if item.kind is WarningKind.NOVELTY_ONLY]
    assert len(told) == 1
    assert "is marked E,Y" in told[0]
    assert WarningKind.LATE not in kinds(found, 1)
    assert ["T is for a later" in item.text for item in found.warnings].count(True) == 1
    desk.date(rules=RuleSet.US)
    assert WarningKind.NOVELTY_ONLY not in kinds(desk.report(), 1)


def test_a_report_cites_the_passages_that_a_mark_names(desk):
    from claimlight.services.reports.layout import cited_words

    made = desk.decide("1000001", "damper", "[0001]")
    desk.mark("1000001", "D,X")
    mark = desk.book.marks(desk.id)[0]
    confirmed = MarkedPassage(made.label, made.passage, made.passage_digest)
    desk.book.cite(desk.id, mark, MarkedPassage("[0002]", "An invented text.", "d"))
    report = desk.report()
    assert cited_words(report, report.documents[0]) == [("D,X", "1", "[0001]-[0002]")]
    desk.book.cite(desk.id, mark, confirmed)
    report = desk.report()
    assert cited_words(report, report.documents[0]) == [("D,X", "1", "[0002]")]
    for label in ("claim 10", "claim 2"):
        desk.book.cite(desk.id, mark, MarkedPassage(label, f"The text of {label}.", label))
    again = desk.report()
    assert cited_words(again, again.documents[0]) == [("D,X", "1", "[0002], claim 2, claim 10")]
    for figure in ("3", "2A"):
        desk.book.cite(desk.id, mark, MarkedPassage.of_figure(figure))
    drawn = desk.report()
    assert cited_words(drawn, drawn.documents[0])[0][2] == "[0002], claim 2, claim 10, figures 2A, 3"
    assert report.charts[0].confirmed(), "the chart has every confirmed cell"


def test_notes_on_passages_are_written_only_where_notes_are_asked_for(desk):
    made = desk.decide("1000001", "damper", "[0001]")
    note = PassageNote(made.publication, made.label, made.passage, made.passage_digest, "see fig. 3", MADE)
    desk.book.note_passage(desk.id, note)
    desk.book.mark(desk.id, Mark(made.publication, note="a near one"))
    assert desk.report().documents[0].notes == ()
    assert desk.report(notes=True).documents[0].notes == ("a near one", "[0001]: see fig. 3")


def test_categories_of_a_claim_that_was_amended_since_are_named(desk):
    desk.mark("1000001", "X")
    desk.mark("1000002", "A", claim=3)
    desk.book.add_version(desk.id, CLAIMS.replace("a viscous damper", "a hollow damper"))
    report = desk.report()
    told = [item.text for item in report.warnings if item.kind is WarningKind.EARLIER_CLAIM]
    assert len(told) == 1
    assert told[0].startswith("EP 1 000 001 A1 is marked X for claim 1 of an earlier version")
    assert report.application.version == "amended"
    desk.mark("1000001", "X", note="a note is no new category")
    assert WarningKind.EARLIER_CLAIM in kinds(desk.report())
    desk.mark("1000001", "Y")
    assert WarningKind.EARLIER_CLAIM not in kinds(desk.report())
    desk.book.use_version(desk.id, "as filed")
    assert WarningKind.EARLIER_CLAIM in kinds(desk.report())


def test_missing_dates_are_named(desk):
    desk.mark("1000004", Category.X)
    assert WarningKind.NO_DATE in kinds(desk.report(), 1)
    desk.edit(dates=None)
    assert WarningKind.NO_DATES in kinds(desk.report())


def test_an_unverified_priority_is_named_with_the_day_that_counts(desk):
    desk.date(verified=False)
    (warning,) = (item for item in desk.report().warnings if item.kind is WarningKind.PRIORITY_OPEN)
    assert "2018-10-01 is not verified" in warning.text
    assert warning.text.endswith("2019-10-01.")


def test_a_document_that_is_not_in_the_library_is_named(desk):
    desk.mark("2222222", Category.X)
    report = desk.report()
    assert (report.documents[0].held, report.documents[0].title) == (False, "")
    assert WarningKind.NOT_HELD in kinds(report)


def test_without_the_library_marks_and_passages_are_there(desk):
    desk.mark("1000001", Category.X)
    desk.decide("1000001", "damper", "[0001]")
    report = gather_report(desk.book, desk.id, None, made=MADE)
    assert kinds(report)[0] is WarningKind.NO_LIBRARY
    assert WarningKind.NOT_HELD not in kinds(report)
    assert chart(report)["a viscous damper", "EP1000001A1"] == ["[0001]"]


def test_a_text_that_has_changed_in_the_library_is_named_and_the_confirmed_one_quoted(desk):
    from tests.fakes import add, patent

    desk.mark("1000002", Category.A)
    desk.decide("1000002", "frame", "[0001]")
    add(desk.library, [patent("1000002", "Frame", paragraphs=["A tricycle with a frame of steel."])])
    report = desk.report()
    assert WarningKind.TEXT_CHANGED in kinds(report)
    assert report.claims[0].citations[0].passages[0].text == "A bicycle with a frame."
