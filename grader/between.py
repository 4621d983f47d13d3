"""What only shows when a class's work lies side by side. Findings for the instructor, never an automatic zero."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from datetime import datetime

import msgspec

from grader import consistency, work
from grader.work import Evidence, Finding
from labs.spec import Lab
from labs.words import some

#: A student and a lab.
Place = tuple[str, str]
#: Names that stand in one finding; the others are counted.
MOST_NAMES = 5
#: What two clocks may differ by (seconds).
APART = 120.0
SHARED = {"same-learner": "the learner's id is also that of", "same-record": "a record is also in the work of"}


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
    elif done.last is not None:
        found.append(
            Finding(
                "no-opening", "nothing says whose numbers these are: the first cell's output and journal are missing"
            )
        )
    used = {kept.record.room for records in done.records.values() for kept in records}
    if rooms and (other := sorted(used - set(rooms))):
        found.append(Finding("other-room", f"it was measured in {', '.join(other)}; the class uses {', '.join(rooms)}"))
    return tuple(found)


def after(lab: Lab, evidence: Evidence, handed_in: str) -> tuple[Finding, ...]:
    """Return whether something was written after it was handed in: a clock that was set, or a time that is not this work's.

    Args:
        lab: The lab.
        evidence: What was handed in.
        handed_in: When, as the gradebook says (``2027-01-31 22:59:00+00:00``); empty where it does not.
    """
    last = work.read(lab, evidence.entries).last
    if not handed_in or last is None:
        return ()
    ahead = last.wall - datetime.fromisoformat(handed_in).timestamp()
    if ahead <= APART:
        return ()
    return (
        Finding(
            "after-hand-in",
            f"the last entry is dated {ahead / 60:.0f} minutes after {handed_in}, the time of handing in",
        ),
    )


def marks(lab: Lab, evidence: Evidence) -> frozenset[tuple[object, ...]]:
    """Return what is nobody else's in a submission: the learner's id, and the raw clocks and the runs of each record."""
    done = work.read(lab, evidence.entries)
    found: set[tuple[object, ...]] = {("id", done.opened.learner)} if done.opened else set()
    for record in (kept.record for records in done.records.values() for kept in records):
        if record.room == "replay":
            continue
        found.add(("record", record.clock.wall, record.clock.monotonic, record.clock.boot))
        if any(run.wall for run in record.runs):  # no two processes live equally long, to the nanosecond
            found.add(("record", hashlib.sha256(msgspec.json.encode(record.runs)).hexdigest()))
    return frozenset(found)


def shared(everybody: Mapping[Place, frozenset[tuple[object, ...]]]) -> dict[Place, tuple[Finding, ...]]:
    """Return for each student and lab what is also another student's, in whatever lab (a copied folder, a shared machine).

    Args:
        everybody: (student, lab) -> its :func:`marks`.
    """
    owners: dict[tuple[object, ...], set[Place]] = {}
    for place, found in everybody.items():
        for mark in found:
            owners.setdefault(mark, set()).add(place)
    others: dict[tuple[Place, str], set[Place]] = {}
    for mark, places in owners.items():
        for place in places if len({student for student, _ in places}) > 1 else ():
            others.setdefault((place, f"same-{'learner' if mark[0] == 'id' else mark[0]}"), set()).update(places)
    texts: dict[Place, tuple[Finding, ...]] = {}
    for place, code in sorted(others):
        who = some(_named(place, others[place, code]), MOST_NAMES)
        texts[place] = (*texts.get(place, ()), Finding(code, f"{SHARED[code]} {who}"))
    return texts


def _named(place: Place, others: set[Place]) -> list[str]:
    """Return the other students by name, with their labs where it is not the same lab."""
    labs: dict[str, set[str]] = {}
    for student, lab in others:
        if student != place[0]:
            labs.setdefault(student, set()).add(lab)
    return [
        name if place[1] in there else f"{name} ({', '.join(sorted(there))})" for name, there in sorted(labs.items())
    ]
