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
from grader.handin import Handin, read_evidence
from grader.verdict import Outcome
from grader.work import Evidence
from labs import catalog, plain
from labs.errors import SetupError
from labs.journal import MEDIA_TYPE

Row = dict[str, Any]
Progress = Callable[[int, int, str], None]
REPORTS = histograms.REPORTS
#: What nbgrader said about submissions that it could not grade, below the class's hidden folder.
FAILED = "failed.log"
#: States of a row in which nothing was marked now; what the gradebook holds from before counts.
OPEN = ("not graded", "not looked at")
#: What a row says of the files its mark rests on; see `grader.autograde.Seat`.
RESTS_ON = ("handed_in", "files", "revision")
NO_JOURNAL = "no-journal: the notebook came without its journal, so what was taken out of it does not show"
GONE = "gone: nothing of it lies in submitted/ now; the mark it had before stands"


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
    last = _last(room)
    for lab in labs:
        known = _known(room, lab)
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
            handed = handin.look(room.submitted, student, lab, known, room.labs)
            if _is_nothing(handed):
                rows.append(_row(student, lab, "nothing handed in"))
                continue
            remarks = _remarks(handed)
            if handed.empty and _marked(room, student, lab, last.get((student, lab))):
                kept = f"kept: {handed.remarks[0].text}; the mark it had before stands"
                rows.append(_row(student, lab, "not graded", remarks=[*remarks, kept]))
                continue
            handin.stage(room.staged / student / lab, handed)
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
    orders = [(row["student"], row["lab"]) for row in _last(room).values() if row["state"] == "graded"]
    return renew(room, ask(room.folder, {"feedback": orders, "marks": True}))


def renew(room: Classroom, answers: list[Row], rows: list[Row] | None = None) -> list[Row]:
    """Write the reports anew, with every student the gradebook knows; return the rows.

    Args:
        room: The class.
        answers: What the gradebook holds (see :func:`grader.autograde.main`).
        rows: What was seen just now; what was seen earlier is taken from the last report.
    """
    kept = [answer for answer in answers if "success" not in answer]
    last = _last(room)
    seen = _seen(
        room, last, {(row["student"], row["lab"]): row for row in rows or ()}, {one["student"] for one in kept}
    )
    for answer in kept:
        key = (answer["student"], answer.get("lab", ""))
        if key in seen:
            _count(room, seen[key], answer, last.get(key), fresh=rows is not None)
    there = overview.handed_in(seen.values())
    pages: dict[str, str] = {}
    marks: dict[between.Place, frozenset[tuple[object, ...]]] = {}
    for lab in (lab for lab in room.labs if lab in there):
        graded = _judged(room, lab, {student: row for (student, one), row in seen.items() if one == lab})
        marks |= {(student, lab): between.marks(catalog.load(lab), work) for student, work in graded.items()}
        if graded:
            pages[lab] = histograms.write(room.folder, lab, tuple(graded.values())).name
    for place, found_there in between.shared(marks).items():
        seen[place]["findings"] += [f"{one.code}: {one.text}" for one in found_there]
    found = [
        seen[key]
        for key in sorted(seen, key=lambda key: (key[0], room.labs.index(key[1]) if key[1] in room.labs else -1))
        if key[1] in there
    ]
    for row in found:
        row["changed"] = _changed(row, last.get((row["student"], row["lab"])))
    write(room, found, pages)
    return found


def _seen(
    room: Classroom, last: dict[between.Place, Row], fresh: dict[between.Place, Row], book: set[str]
) -> dict[between.Place, Row]:
    """Return a row for each lab of everybody who handed in or stands in the gradebook; who is in neither has none any more."""
    there = {*handin.students(room.submitted)}
    for key, row in fresh.items():
        if row["state"] == "not graded" and key in last:
            row |= {name: last[key][name] for name in RESTS_ON}
    stay = (key for key, row in last.items() if key[0] in there or (key[0] in book and row["state"] not in OPEN))
    seen = {key: dict(last[key]) for key in stay} | fresh
    for lab in room.labs:
        known = _known(room, lab)
        for student in sorted({*book, *there, *(student for student, _ in seen)}):
            if (student, lab) not in seen:
                lies = student in there and not _is_nothing(handin.look(room.submitted, student, lab, known, room.labs))
                seen[student, lab] = _row(student, lab, "not looked at" if lies else "nothing handed in")
    return seen


def _count(room: Classroom, row: Row, answer: Row, before: Row | None, fresh: bool) -> None:
    """Put into a row what the gradebook holds, whoever graded it: we, or nbgrader's own command or button."""
    if row["state"] == "nothing handed in" and (
        not row["remarks"] or _marked(room, row["student"], row["lab"], before)
    ):
        row["state"] = "graded" if _autograded(room, row["student"], row["lab"]) else "not looked at"
        row["remarks"] += [GONE] if fresh and not row["remarks"] and row["state"] == "graded" else []
    elif row["state"] == "not looked at" and _autograded(room, row["student"], row["lab"]):
        row["state"] = "graded"
    elif row["state"] == "handed in":
        row["state"] = "graded"
    late = float(answer["late_penalty"])
    points = round(max(0.0, answer["score"] - late), 4)
    had = before is not None and before["points"] is not None
    if row["state"] in OPEN and not (points or answer["by_hand"] or had):
        return  # nbgrader notes a submission before it grades it: there is no mark yet
    row |= {
        "points": points, "max_points": answer["max_score"] or row["max_points"], "late_penalty": late,
        "by_hand": answer["by_hand"],
    }  # fmt: skip
    if row["state"] != "not graded":
        row["handed_in"] = answer.get("handed_in", "")


def _changed(row: Row, before: Row | None) -> str:
    """Say how a mark changed since the last report; nothing where it did not, or where there was none."""
    if before is None or before["state"] not in ("graded", "not graded") or None in (before["points"], row["points"]):
        return ""
    if abs(row["points"] - before["points"]) < 1e-6:
        return ""
    known = before["files"] and row["files"]
    files = "the same files" if before["files"] == row["files"] else "other files"
    by_hand = ", with points set by hand" if row["by_hand"] else ""
    return f"{before['points']:g} -> {row['points']:g}, {files if known else 'files not known'}{by_hand}"


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
        "student": student, "lab": lab, "state": state, "points": None if state in OPEN else 0.0,
        "max_points": most, "late_penalty": 0.0, "evidence": "", "by_hand": [], "verdicts": [], "findings": [],
        "remarks": list(remarks), "handed_in": "", "files": {}, "revision": "", "changed": "",
    }  # fmt: skip


def _last(room: Classroom) -> dict[between.Place, Row]:
    """Return the rows of the last report; those of an earlier release know less."""
    try:
        found = json.loads((room.folder / REPORTS / "class.json").read_bytes())
    except (OSError, ValueError):
        return {}
    rows = [row for row in found if row.get("lab") in room.labs and {"student", "state", "points"} <= set(row)]
    return {(row["student"], row["lab"]): _row(row["student"], row["lab"], row["state"]) | row for row in rows}


def _known(room: Classroom, lab: str) -> frozenset[str]:
    """Return the ids of a released notebook's cells."""
    return frozenset(name for cell in seat.cells_of(room.master(lab)) if (name := seat.grade_id(cell)))


def _is_nothing(handed: Handin) -> bool:
    """Return whether nothing lies there, not even something that cannot be read."""
    return handed.empty and not handed.remarks


def _remarks(handed: Handin) -> list[str]:
    """Return what was unusual, as sentences."""
    alone = handed.journal is None and MEDIA_TYPE.encode() in (handed.notebook or b"")
    return [*(f"{one.code}: {one.text}" for one in handed.remarks), *([NO_JOURNAL] if alone else [])]


def _autograded(room: Classroom, student: str, lab: str) -> Row | None:
    """Return what grading noted in a graded notebook, None where there is none of ours."""
    try:
        whole = json.loads((room.folder / "autograded" / student / lab / f"{lab}.ipynb").read_bytes())
    except (OSError, ValueError):
        return None
    found: Row | None = whole["metadata"].get("fourthreads")
    return found


def _marked(room: Classroom, student: str, lab: str, before: Row | None) -> bool:
    """Return whether there is a mark for work that could be read: what lies there now, unreadable, must not take it away."""
    if before is not None and before["state"] in ("graded", "not graded") and before["points"]:
        return True
    verdicts = (_autograded(room, student, lab) or {}).get("verdicts", ())
    return any(one["outcome"] != Outcome.NOT_ATTEMPTED.value for one in verdicts)


def _judged(room: Classroom, lab: str, rows: dict[str, Row]) -> dict[str, Evidence]:
    """Add to each row what the judge found, and where the work does not follow the class's rules.

    Returns the evidence of those who have a mark.
    """
    definition, rules = catalog.load(lab), room.rules
    everybody: dict[str, Evidence] = {}
    nothing = json.loads(verdict.to_json(judge.judge(definition, Evidence(lab, ()))))
    for student, row in rows.items():
        kept = _autograded(room, student, lab) if row["state"] in ("graded", "not graded") else None
        if kept is None:
            row["verdicts"] = row["verdicts"] or (nothing if row["state"] == "nothing handed in" else [])
            continue
        staged = room.staged / student / lab  # not there where nbgrader's own command or button graded
        work = read_evidence(definition, staged if staged.is_dir() else room.submitted / student / lab, lab)
        everybody[student] = work
        row |= {name: kept.get(name, row[name]) for name in ("verdicts", "evidence", "files", "revision")}
        broken = [
            *between.rules(definition, work, rules.course, rules.key, rules.rooms, rules.version),
            *between.after(definition, work, row["handed_in"]),
        ]
        row["findings"] = [*kept.get("findings", []), *(f"{one.code}: {one.text}" for one in broken)]
    return everybody
