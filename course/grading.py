"""Grading a class: look at every submission, let nbgrader keep the marks, and report one row a student and lab."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from course import folder as folders
from course import histograms
from course.classroom import Classroom, ask, prove, reason
from grader import between, handin, judge, overview, report, seat, verdict
from grader.handin import read_evidence
from grader.work import Evidence
from labs import catalog, plain
from labs.errors import SetupError

Row = dict[str, Any]
Progress = Callable[[int, int, str], None]
REPORTS = histograms.REPORTS
#: What nbgrader said about submissions that it could not grade, below the class's hidden folder.
FAILED = "failed.log"


def grade(
    folder: Path,
    labs: Iterable[str] = (),
    students: Iterable[str] = (),
    on_progress: Progress = lambda done, total, what: None,
) -> list[Row]:
    """Grade what was handed in, renew the feedback, and write the reports; marks set by hand stay beside.

    Raises:
        SetupError: The folder, its configuration or its release is not what it must be; then no mark was changed.
    """
    room = prove(folder)
    chosen, wanted = tuple(labs) or room.labs, set(students)
    if unknown := sorted(set(chosen) - set(room.labs)):
        raise SetupError(
            f"{unknown[0]!r} was not released here. Released: {', '.join(room.labs)}. No mark was changed."
        )
    if missing := sorted(wanted - {*handin.students(room.submitted)}):
        raise SetupError(
            f"There is nothing of {missing[0]!r} in {room.submitted}. A submission is STUDENT/LAB/ there. No mark was changed."
        )
    from filelock import FileLock, Timeout

    (folder / folders.HIDDEN).mkdir(exist_ok=True)
    try:
        with FileLock(str(folder / folders.HIDDEN / "grading.lock"), timeout=0):
            return _grade(room, chosen, wanted, on_progress)
    except Timeout:
        raise SetupError(
            "Somebody else is grading in this folder right now. Try again when that is done. No mark was changed."
        ) from None


def _grade(room: Classroom, labs: tuple[str, ...], wanted: set[str], on_progress: Progress) -> list[Row]:
    rows: list[Row] = []
    orders: list[tuple[str, str]] = []
    for lab in labs:
        known = frozenset(name for cell in seat.cells_of(room.master(lab)) if (name := seat.grade_id(cell)))
        for student in handin.students(room.submitted):
            if wanted and student not in wanted:
                continue
            if not handin.is_name(student):
                rows.append(
                    _row(
                        student,
                        lab,
                        "not graded",
                        remarks=["odd-name: the folder's name cannot be a student's id; rename it"],
                    )
                )
                continue
            handed = handin.look(room.submitted, student, lab, known)
            if handed.empty and not handed.remarks:
                rows.append(_row(student, lab, "nothing handed in"))
                continue
            handin.stage(room.staged / student / lab, handed)
            remarks = [f"{one.code}: {one.text}" for one in handed.remarks]
            rows.append(_row(student, lab, "nothing handed in" if handed.empty else "handed in", remarks=remarks))
            orders.append((student, lab))
    problems: dict[tuple[str, str], str] = {}
    log: list[str] = []
    count = 0

    def noted(answer: Row) -> None:
        nonlocal count
        if "success" not in answer:
            return
        count += 1
        on_progress(count, 2 * len(orders), f"{answer['student']} {answer['lab']}")
        if not answer["success"]:
            problems.setdefault((answer["student"], answer["lab"]), reason(answer))
            log.append(f"{answer['student']} {answer['lab']}\n{answer['log']}\n{answer['error']}\n")

    order = {"grade": orders, "submitted": str(room.staged.relative_to(room.folder)), "marks": True}
    answers = ask(room.folder, order, noted)
    (room.folder / folders.HIDDEN / FAILED).write_text("\n".join(log), "utf-8")
    for row in rows:
        if problem := problems.get((row["student"], row["lab"])):
            row["state"] = "not graded"
            row["remarks"].append(
                f"failed: {problem}; more in {folders.HIDDEN}/{FAILED}. The mark it had before stands."
            )
    return renew(room, answers, rows)


def again(room: Classroom) -> list[Row]:
    """Write feedback and reports anew from the gradebook, with what was set by hand since; nothing is graded.

    Raises:
        SetupError: The class's configuration is not what it must be.
    """
    orders = [(row["student"], row["lab"]) for row in _last(room) if row["state"] == "graded"]
    return renew(room, ask(room.folder, {"feedback": orders, "marks": True}))


def renew(room: Classroom, answers: list[Row], rows: list[Row] | None = None) -> list[Row]:
    """Write the reports anew, with every student the gradebook knows; return the rows.

    Args:
        room: The class.
        answers: What the gradebook holds (see :func:`grader.autograde.main`).
        rows: What was seen just now; what was seen earlier is taken from the last report.
    """
    kept = [answer for answer in answers if "success" not in answer]
    fresh = {(row["student"], row["lab"]): row for row in rows or ()}
    seen = {(row["student"], row["lab"]): row for row in _last(room)} | fresh
    everybody = {answer["student"] for answer in kept if "lab" not in answer} | {student for student, _ in seen}
    for student in sorted(everybody):
        for lab in room.labs:
            seen.setdefault((student, lab), _row(student, lab, "nothing handed in"))
    for answer in kept:
        row = seen.get((answer["student"], answer.get("lab", "")))
        if row is not None and row["state"] != "not graded":
            late = float(answer["late_penalty"])
            row |= {
                "points": round(max(0.0, answer["score"] - late), 4),
                "max_points": answer["max_score"],
                "late_penalty": late,
            }
            row["by_hand"] = answer["by_hand"]
            row["state"] = row["state"] if row["state"] == "nothing handed in" else "graded"
    there = overview.handed_in(seen.values())
    pages: dict[str, str] = {}
    for lab in (lab for lab in room.labs if lab in there):
        graded = _judged(room, lab, {student: row for (student, one), row in seen.items() if one == lab})
        if graded:
            pages[lab] = histograms.write(room.folder, lab, graded).name
    found = [
        seen[key]
        for key in sorted(seen, key=lambda key: (key[0], room.labs.index(key[1]) if key[1] in room.labs else -1))
        if key[1] in there
    ]
    write(room, found, pages)
    return found


def left_out(folder: Path, rows: Iterable[Row]) -> tuple[str, ...]:
    """Return the released labs of a class of which there are no rows, since nobody handed anything in."""
    seen = {row["lab"] for row in rows}
    released = (slug for slug in catalog.slugs() if (folder / "release" / slug / f"{slug}.ipynb").is_file())
    return tuple(slug for slug in released if slug not in seen)


def write(room: Classroom, rows: list[Row], pages: dict[str, str]) -> None:
    """Write ``class.json``, ``class.csv`` and ``class.html``, each whole or not at all.

    Args:
        room: The class.
        rows: One a student and lab.
        pages: Lab -> the name of the page with its bets, in the same folder.
    """
    folder = room.folder / REPORTS
    folder.mkdir(exist_ok=True)
    texts = {
        "class.json": json.dumps(rows, indent=1),
        "class.csv": report.class_csv(rows),
        "class.html": report.class_page(rows, f"Class {room.rules.course}", room.labs, pages),
    }
    for name, text in texts.items():
        plain.write(folder / name, (text + "\n" * (not text.endswith("\n"))).encode())


def _row(student: str, lab: str, state: str, remarks: Iterable[str] = ()) -> Row:
    most = catalog.load(lab).max_points
    return {
        "student": student, "lab": lab, "state": state, "points": 0.0 if state != "not graded" else None, "max_points": most,
        "late_penalty": 0.0, "evidence": "", "by_hand": [], "verdicts": [], "findings": [], "remarks": list(remarks),
    }  # fmt: skip


def _last(room: Classroom) -> list[Row]:
    try:
        found = json.loads((room.folder / REPORTS / "class.json").read_bytes())
    except (OSError, ValueError):
        return []
    return [row for row in found if row.get("lab") in room.labs and set(row) == set(_row("", row["lab"], ""))]


def _judged(room: Classroom, lab: str, rows: dict[str, Row]) -> tuple[Evidence, ...]:
    """Add to each row what the judge found, and what only shows when the class's work lies side by side.

    Returns what those handed in who were graded.
    """
    definition, rules = catalog.load(lab), room.rules
    everybody: dict[str, Evidence] = {}
    nothing = json.loads(verdict.to_json(judge.judge(definition, Evidence(lab, ()))))
    for student, row in rows.items():
        path = room.folder / "autograded" / student / lab / f"{lab}.ipynb"
        if row["state"] != "graded" or not path.is_file():
            row["verdicts"] = row["verdicts"] or nothing
            continue
        kept = json.loads(path.read_bytes())["metadata"].get("fourthreads", {})
        everybody[student] = read_evidence(definition, room.staged / student / lab, lab)
        broken = between.rules(definition, everybody[student], rules.course, rules.key, rules.rooms, rules.version)
        row |= {"verdicts": kept.get("verdicts", []), "evidence": kept.get("evidence", "")}
        row["findings"] = [*kept.get("findings", []), *(f"{one.code}: {one.text}" for one in broken)]
    for student, found in between.shared(definition, everybody).items():
        rows[student]["findings"] += [f"{one.code}: {one.text}" for one in found]
    return tuple(everybody.values())
