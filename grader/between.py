"""What only shows when a class's work lies side by side. Findings for the instructor, never an automatic zero."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from grader import consistency, work
from grader.work import Evidence, Finding
from labs.spec import Lab


def rules(
    lab: Lab, evidence: Evidence, course: str, key: str, rooms: Sequence[str], version: str
) -> tuple[Finding, ...]:
    """Return where a submission does not follow the class's rules.

    Args:
        lab: The lab.
        evidence: What was handed in.
        course: The class's id.
        key: What goes into the class's seeds.
        rooms: Rooms that may be used; empty for all.
        version: The release of the class; empty for any.
    """
    done = work.read(lab, evidence.entries)
    found: list[Finding] = []
    if done.opened is not None:
        found += consistency.foreign(lab, evidence.entries, key, done.opened.learner)
        if done.opened.course != course:
            found.append(Finding("other-class", f"it was begun in the class {done.opened.course!r}, outside this one"))
        if version and done.opened.version != version:
            found.append(
                Finding(
                    "other-version", f"it was begun with Four Threads {done.opened.version}; the class uses {version}"
                )
            )
    elif done.draws:
        found.append(
            Finding(
                "no-opening", "nothing says whose numbers these are: the first cell's output and journal are missing"
            )
        )
    used = {kept.record.room for records in done.records.values() for kept in records}
    if rooms and (other := sorted(used - set(rooms))):
        found.append(Finding("other-room", f"it was measured in {', '.join(other)}; the class uses {', '.join(rooms)}"))
    return tuple(found)


def shared(lab: Lab, everybody: Mapping[str, Evidence]) -> dict[str, tuple[Finding, ...]]:
    """Return for each student what equals another's: the learner's id, or the raw clocks of a record (a copied folder).

    Args:
        lab: The lab.
        everybody: Student -> evidence.
    """
    owners: dict[tuple[object, ...], list[str]] = {}
    for student, evidence in everybody.items():
        done = work.read(lab, evidence.entries)
        marks: set[tuple[object, ...]] = {("id", done.opened.learner)} if done.opened else set()
        for records in done.records.values():
            for kept in records:
                clock = kept.record.clock
                if kept.record.room != "replay":
                    marks.add(("record", clock.wall, clock.monotonic, clock.boot))
        for mark in marks:
            owners.setdefault(mark, []).append(student)
    found: dict[str, dict[str, Finding]] = {}
    for mark, students in owners.items():
        for student in students if len(students) > 1 else ():
            others = ", ".join(sorted(set(students) - {student}))
            code, text = (
                ("same-learner", "the learner's id is also that of")
                if mark[0] == "id"
                else ("same-record", "a record is also in the work of")
            )
            found.setdefault(student, {})[code] = Finding(code, f"{text} {others}")
    return {student: tuple(codes.values()) for student, codes in found.items()}
