"""The class's page for somebody with a deadline: who is missing, what needs a human, what was found; for 300 students too."""

from __future__ import annotations

from typing import Any

import pytest
from bs4 import BeautifulSoup

from grader import overview, report
from labs import catalog

Row = dict[str, Any]
RELEASED = catalog.slugs()


def row(student: str, lab: str, state: str = "graded", **more: Any) -> Row:
    """Return a row with full marks, changed by what is given."""
    most = catalog.load(lab).max_points
    verdicts = [verdict(item.grade_id, "PASS", item.points, item.points) for item in catalog.load(lab).items]
    points = {"graded": most, "nothing handed in": 0.0}.get(state)
    whole: Row = {
        "student": student, "lab": lab, "state": state, "points": points, "max_points": most, "late_penalty": 0.0,
        "evidence": "recorded", "by_hand": [], "verdicts": verdicts if state == "graded" else [], "findings": [], "remarks": [],
        "handed_in": "", "files": {}, "revision": "", "changed": "",
    }  # fmt: skip
    return whole | more


def verdict(check: str, outcome: str, points: float, most: float, because: str = "") -> Row:
    """Return a verdict as class.json holds it."""
    return {"check": check, "outcome": outcome, "points": points, "max_points": most, "because": because}


def nothing(student: str, lab: str, *remarks: str) -> Row:
    """Return the row of somebody who handed in nothing, or nothing that can be read."""
    return row(student, lab, "nothing handed in", remarks=list(remarks))


def of_300() -> list[Row]:
    """Return 300 students in six labs, of which the last was handed in by nobody."""
    rows = []
    for number in range(300):
        name = f"student-{number:03d}"
        for place, lab in enumerate(RELEASED):
            if lab == RELEASED[-1] or number % 50 == 0 or (number + place) % 30 == 1:
                rows.append(nothing(name, lab))
            elif number % 97 == 3 and place == 1:
                rows.append(
                    row(name, lab, "not graded", remarks=["failed: ValueError: no. The mark it had before stands."])
                )
            elif number % 40 == 7:
                rows.append(row(name, lab, findings=["same-learner: the learner's id is also that of student-001"]))
            else:
                rows.append(row(name, lab))
    return rows


def test_a_lab_that_nobody_handed_in_is_left_out_and_named() -> None:
    """It has no column, and nobody is missing in it."""
    seen = overview.overview(
        [row("anna", "gates"), nothing("anna", "waves"), nothing("ben", "gates"), nothing("ben", "waves")]
    )
    assert (("gates",), ("waves",)) == (tuple(lab.slug for lab in seen.labs), seen.left_out)
    assert [("anna", 1), ("ben", 1)] == [(student.name, len(student.rows)) for student in seen.students]
    assert ("ben",) == seen.labs[0].missing == seen.absent


def test_a_lab_in_which_something_unreadable_lies_is_kept() -> None:
    """Somebody tried to hand in: that is the first thing an instructor wants to know."""
    seen = overview.overview([nothing("anna", "waves", "nothing: nothing was handed in that can be read")])
    assert (("waves",), (), ()) == (tuple(lab.slug for lab in seen.labs), seen.left_out, seen.absent)
    assert ["handed in, but nothing of it can be read"] == [turn.title for turn in seen.turns]


def test_released_labs_without_rows_are_named() -> None:
    """The rows of a lab that nobody handed in are not even written."""
    assert ("phases",) == overview.overview([row("anna", "gates")], ["gates", "phases"]).left_out


@pytest.mark.parametrize(
    ("outcome", "points", "by_hand", "expected"),
    [
        ("ERROR", 0.0, [], "a fault of the course or the set-up stands in it"),
        ("INCONCLUSIVE", 0.0, [], "could not be judged, and points are missing for it"),
        ("NOT_SEPARABLE", 1.0, [], "could not be judged, and points are missing for it"),
        ("INCONCLUSIVE", 2.0, [], None),  # its weight has moved: nothing is missing
        ("INCONCLUSIVE", 0.0, ["gates-own-script"], None),  # somebody has decided
        ("CONTRADICTS", 0.0, [], None),
        ("NOT_ATTEMPTED", 0.0, [], None),
    ],
)
def test_a_human_is_asked_where_nobody_has_judged(
    outcome: str, points: float, by_hand: list[str], expected: str | None
) -> None:
    """Noise and faults that cost points; what was judged, or set by hand, is settled."""
    one = row("anna", "gates", verdicts=[verdict("gates-own-script", outcome, points, 2.0, "why")], by_hand=by_hand)
    assert ([expected] if expected else []) == [turn.title for turn in overview.overview([one]).turns]


def test_what_could_not_be_graded_stands_first() -> None:
    """With its reason and its student."""
    noisy = row("ben", "gates", verdicts=[verdict("gates-state", "INCONCLUSIVE", 0.0, 2.5)])
    failed = row("zoe", "gates", "not graded", remarks=["renamed: x", "failed: ValueError: no"])
    first, second = overview.overview([noisy, failed]).turns
    assert ("could not be graded", "zoe", "failed: ValueError: no") == (
        first.title,
        first.cells[0].student,
        first.cells[0].why,
    )
    assert "ben" == second.cells[0].student


def test_findings_are_gathered_by_code_and_remarks_apart() -> None:
    """What is said of many is said once; files that were only unusual do not hide it."""
    rows = [
        row("anna", "gates", findings=["gap: x"], remarks=["renamed: a"]),
        row("ben", "gates", findings=["same-record: also in anna", "gap: y"]),
        row("cleo", "waves", "not graded", remarks=["failed: no"]),
    ]
    seen = overview.overview(rows)
    assert [("same-record", ["ben"]), ("gap", ["anna", "ben"])] == [
        (flag.code, [one.student for one in flag.cells]) for flag in seen.findings
    ]
    assert [("renamed", ["anna"])] == [(flag.code, [one.student for one in flag.cells]) for flag in seen.remarks]


def test_a_class_of_300_fits_on_one_page() -> None:
    """One line a student, columns for five labs, long lists shut, and every name leads somewhere."""
    page = BeautifulSoup(report.class_page(of_300(), "Class net", RELEASED), "html.parser")
    assert 300 == len(page.select("table.matrix tbody tr"))
    assert 7 == len(page.select("table.matrix thead th"))
    assert f"Nobody handed in, so left out here: {RELEASED[-1]}." in page.get_text(" ", strip=True)
    assert "Handed in nothing at all: student-000, student-050" in page.get_text(" ", strip=True)
    assert [] == page.find_all("details", open=True)
    targets = {tag["id"] for tag in page.select("[id]")}
    assert set() == {str(link["href"]) for link in page.select('a[href^="#"]')} - {f"#{target}" for target in targets}
    before = page.get_text().index("Everybody")
    assert all(
        0 < page.get_text().index(title) < before
        for title in ("Who is missing", "Needs a human", "To look at together")
    )


def test_a_class_of_300_is_small_enough_to_send() -> None:
    """Below a megabyte, and no script or address in it."""
    text = report.class_page(of_300(), "Class net", RELEASED)
    assert 1_000_000 > len(text.encode())
    assert "<script" not in text and "://" not in text


def test_names_and_sentences_of_students_are_text() -> None:
    """A folder may be called anything."""
    rows = [row("<b>odd", "gates", "not graded", remarks=["odd-name: <i>rename</i> it"])]
    page = BeautifulSoup(report.class_page(rows, "Class net"), "html.parser")
    assert [] == page.find_all(["b", "i"])
    assert "<b>odd" in page.get_text()


def test_an_empty_class_has_a_page() -> None:
    """Before anybody handed in."""
    text = report.class_page([], "Class net", ["gates"])
    assert "0 students" in text and "left out here: gates" in text


def test_pages_with_bets_are_linked() -> None:
    """By their names, so that the folder can be moved."""
    page = BeautifulSoup(
        report.class_page([row("anna", "gates")], "Class", ["gates"], {"gates": "histograms-gates.html"}), "html.parser"
    )
    assert ["gates"] == [link.text for link in page.select('a[href="histograms-gates.html"]')]


def test_what_is_missing_is_called_as_on_the_card() -> None:
    """The item's title and the outcome in words; so is what waits for a human."""
    lost = [verdict("gates-why", "NOT_ATTEMPTED", 0.0, 1.5), verdict("gates-cannot", "PASS", 0.5, 1.0)]
    noisy = verdict("gates-state", "INCONCLUSIVE", 0.0, 2.5, "busy")
    titles = {item.grade_id: item.title for item in catalog.load("gates").items}
    one = row("anna", "gates", verdicts=[*lost, noisy], by_hand=["gates-service"])
    text = BeautifulSoup(report.class_page([one], "Class"), "html.parser").get_text(" ", strip=True)
    for told in (
        f"{titles['gates-why']}: not attempted, 0 of 1.5",
        f"{titles['gates-cannot']}: earned in part, 0.5 of 1",
        f"{titles['gates-service']}: set by hand",
        f"{titles['gates-state']}: busy",
    ):
        assert told in text
    assert [] == [word for word in (*titles, "NOT_ATTEMPTED") if word in text]


def test_the_sum_of_a_student_is_over_the_labs_of_the_class() -> None:
    """What was not graded counts nothing yet, and still stands in the most that can be had."""
    rows = [row("anna", "gates"), row("anna", "waves", "not graded"), nothing("anna", "birth"), nothing("ben", "gates")]
    anna, ben = overview.overview(rows).students
    assert (10.0, 20.0) == (anna.points, anna.most)
    assert (0.0, 10.0) == (ben.points, ben.most)


def test_marks_that_changed_stand_first_and_lead_to_their_students() -> None:
    """Before anything else, with what they were; also where nothing is missing now."""
    rows = [row("anna", "gates", changed="9 -> 10, the same files"), row("ben", "gates")]
    page = BeautifulSoup(report.class_page(rows, "Class"), "html.parser")
    assert "Marks that changed since the last report: 1" == page.select("h2")[0].text
    (line,) = page.select("h2 + ul > li")
    assert "anna, gates: 9 -> 10, the same files" == line.text
    assert 1 == len(page.select(str(line.select("a")[0]["href"])))
    assert "changed since" not in report.class_page([row("ben", "gates")], "Class")


def test_what_was_not_looked_at_is_no_missing_hand_in() -> None:
    """It waits for a human, and nobody is told to be absent."""
    seen = overview.overview([row("anna", "gates", "not looked at"), row("ben", "gates")])
    assert ((), ()) == (seen.absent, seen.labs[0].missing)
    assert ["handed in, but not looked at yet"] == [turn.title for turn in seen.turns]
    assert "not looked at" in report.class_page([row("anna", "gates", "not looked at")], "Class")


def test_a_mark_that_stands_is_counted() -> None:
    """The one from before, beside the reason why it could not be made anew."""
    rows = [row("anna", "gates", "not graded", points=9.0, remarks=["failed: no"])]
    assert 9.0 == overview.overview(rows).students[0].points
    assert "9 (not graded)" in BeautifulSoup(report.class_page(rows, "Class"), "html.parser").get_text(" ", strip=True)
