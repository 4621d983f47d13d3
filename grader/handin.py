"""What one student handed in for one lab, looked at before anything else touches it: the doctor of submissions.

Whatever lies in the student's folder is read as data and never through a link: the notebook under its own or another
name, the journal, a packed file, or a lone notebook. What nbgrader gets to see is written anew from that (:func:`stage`),
so that nothing a student did to a file can stop the run or act on the way.
"""

from __future__ import annotations

import json
import os
import re
import shutil
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path, PurePosixPath
from typing import Any

from grader import gather, intake, packing, seat
from grader.files import read_plain
from grader.gather import SECRET as SECRET
from grader.gather import TIMESTAMP as TIMESTAMP
from grader.work import Evidence, Finding
from labs.errors import RecordError
from labs.journal import FILE_NAME as JOURNAL
from labs.journal import MEDIA_TYPE
from labs.spec import Lab
from labs.words import some

#: A notebook with more cells is nobody's work; the rest is not looked at.
MOST_CELLS = 2_000
#: Evidence is nested less deeply than this.
DEEPEST_VALUE = 40
_NAME = re.compile(r"[\w@+,-][\w .@+,-]{0,99}")
_HEX = re.compile(r"[0-9a-f]{1,128}")
_TIME = re.compile(r"\s*(\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d(?:\.\d{1,6})?)(?:\s*(UTC|Z|[+-]\d\d:?\d\d))?\s*")


@dataclass(frozen=True)
class Handin:
    """One student's work in one lab as it is passed on.

    Attributes:
        student: The name of the student's folder.
        lab: The lab's slug.
        notebook: A sound notebook with the student's text and evidence and nothing else; None where none was found.
        journal: The journal's bytes; None where none was found.
        timestamp: When it was handed in, as nbgrader's own file says.
        secret: nbgrader's own, for returning feedback.
        remarks: What was unusual, for the instructor.
    """

    student: str
    lab: str
    notebook: bytes | None = None
    journal: bytes | None = None
    timestamp: str | None = None
    secret: str | None = None
    remarks: tuple[Finding, ...] = ()

    @property
    def empty(self) -> bool:
        """Whether nothing was found that could be evidence."""
        return self.notebook is None and self.journal is None


def is_name(student: str) -> bool:
    """Return whether a folder's name can be a student's id: letters, digits and ``. _ - @ + ,`` and blanks inside."""
    return bool(_NAME.fullmatch(student)) and not student.endswith(" ")


def students(submitted: Path) -> tuple[str, ...]:
    """Return who handed in anything at all: a folder, or one file named after its student."""
    found = set()
    for entry in os.scandir(submitted) if submitted.is_dir() else ():
        if entry.name.startswith("."):
            continue
        if entry.is_dir(follow_symlinks=False) or entry.is_symlink():
            found.add(entry.name)
        elif Path(entry.name).suffix in (".ipynb", *packing.SUFFIXES):
            found.add(Path(entry.name).stem)
    return tuple(sorted(found))


def look(submitted: Path, student: str, lab: str, known: frozenset[str], labs: Sequence[str] = ()) -> Handin:
    """Return what a student handed in for a lab; never raises for anything a student did.

    Args:
        submitted: The class's folder of submissions.
        student: Whose.
        lab: The lab's slug.
        known: The ids of the master's cells, by which a notebook is recognised whatever its name is.
        labs: All labs of the class: then files of which nothing can be read for any lab are remarked on once, at the first.
    """
    remarks: list[Finding] = []
    files = gather.files(submitted, student, lab, remarks)
    notebooks: list[tuple[bool, int, str, dict[str, Any]]] = []
    for name, data in files.items():
        if name.endswith(".ipynb"):
            parsed = _parsed(name, data, remarks)
            if parsed is None:
                continue
            score = len(known & {seat.grade_id(cell) for cell in seat.cells_of(parsed)}) + _carries(parsed, lab)
            if score or gather.own(name, lab):
                notebooks.append((PurePosixPath(name).name == f"{lab}.ipynb", score, name, parsed))
    chosen: bytes | None = None
    if notebooks:
        notebooks.sort(key=lambda one: (not one[0], -one[1], one[2]))
        exact, _, name, parsed = notebooks[0]
        if not exact:
            remarks.append(_renamed("notebook", name, f"{lab}.ipynb"))
        if len(notebooks) > 1:
            more = some([repr(PurePosixPath(one[2]).name) for one in notebooks[1:]])
            remarks.append(Finding("more-notebooks", f"there are further notebooks, which are not read: {more}"))
        remarks += _cells(parsed, known)
        chosen = _cleaned(parsed, remarks)
    journals = {name: data for name, data in files.items() if gather.is_journal(name, data, lab)}
    if len(set(journals.values())) > 1:
        remarks.append(Finding("more-journals", f"{len(journals)} journals lie here; the longest is read"))
    longest = max(journals, key=lambda name: len(journals[name]), default=None)
    if longest is not None and PurePosixPath(longest).name != JOURNAL:
        remarks.append(_renamed("journal", longest, JOURNAL))
    journal = journals[longest] if longest is not None else None
    stamps = [data for name, data in files.items() if name == f"{lab}/{TIMESTAMP}"]
    secrets = [
        text
        for name, data in files.items()
        if name == f"{lab}/{SECRET}" and _HEX.fullmatch(text := data[:200].decode("latin-1"))
    ]
    time = _time(stamps, remarks)
    if chosen is None and journal is None:
        remarks = _of_nothing(submitted, student, lab, labs, remarks)
    return Handin(student, lab, chosen, journal, time, next(iter(secrets), None), intake.few(remarks))


def _of_nothing(submitted: Path, student: str, lab: str, labs: Sequence[str], remarks: list[Finding]) -> list[Finding]:
    """Return what is to be said where nothing can be read for a lab: nothing, unless what lies there is this lab's business."""
    names = gather.names(submitted, student)

    def has(one: str) -> bool:
        return os.path.exists(submitted / student / one) or any(gather.own(name, one) for name in names)

    def read(one: str) -> bool:
        return not look(submitted, student, one, frozenset()).empty

    if has(lab):
        names = tuple(name for name in names if gather.own(name, lab))
    elif labs and (lab != labs[0] or any(has(one) or read(one) for one in labs[1:])) or not (names or remarks):
        return []
    of = f": {some([repr(name) for name in names])}" if names else ""
    return [*remarks, Finding("nothing", f"nothing was handed in that can be read{of}")]


def _renamed(what: str, name: str, of: str) -> Finding:
    return Finding("renamed", f"the {what} is called {PurePosixPath(name).name!r}; it was taken for {of}")


def stage(folder: Path, handed: Handin) -> None:
    """Write what nbgrader gets to see of a submission: a sound notebook, the journal, the time. Nothing else.

    Args:
        folder: ``.../STUDENT/LAB``; what was there before is taken away.
    """
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    (folder / f"{handed.lab}.ipynb").write_bytes(handed.notebook or _clean({}))
    if handed.journal is not None:
        (folder / JOURNAL).write_bytes(handed.journal)
    if handed.timestamp is not None:
        (folder / TIMESTAMP).write_text(handed.timestamp + "\n", "utf-8")
    if handed.secret is not None:
        (folder / SECRET).write_text(handed.secret, "utf-8")


def read_evidence(lab: Lab, submission: Path, name: str) -> Evidence:
    """Return the evidence in a submission's folder; a file that cannot be read is a finding."""
    files, odd = {}, []
    for file in (f"{name}.ipynb", JOURNAL):
        try:
            data = read_plain(submission / file)
        except RecordError as problem:
            odd.append(Finding("not-read", str(problem)))
            continue
        if data is not None:
            files[file] = data
    evidence = intake.evidence_of(lab, files)
    return Evidence(evidence.lab, evidence.entries, (*odd, *evidence.findings))


def _parsed(name: str, data: bytes, remarks: list[Finding]) -> dict[str, Any] | None:
    if intake.is_dense(data):
        remarks.append(Finding("too-large", f"{PurePosixPath(name).name!r} {intake.DENSE}"))
        return None
    try:
        parsed = json.loads(data)
    except (ValueError, RecursionError):
        parsed = None
    if not isinstance(parsed, dict):
        remarks.append(
            Finding("no-notebook", f"{PurePosixPath(name).name!r} is no notebook: it is damaged or something else")
        )
        return None
    return parsed


def _outputs(cell: Mapping[str, Any]) -> Iterator[object]:
    outputs = cell.get("outputs")
    for output in outputs if isinstance(outputs, list) else ():
        data = output.get("data") if isinstance(output, dict) else None
        if isinstance(data, dict) and MEDIA_TYPE in data and _shallow(data[MEDIA_TYPE]):
            yield data[MEDIA_TYPE]


def _shallow(value: object, left: int = DEEPEST_VALUE) -> bool:
    """Return whether a value is nested no deeper than evidence ever is; what is copied later would run out of stack."""
    if isinstance(value, dict):
        return left > 0 and all(_shallow(item, left - 1) for item in value.values())
    return not isinstance(value, list) or (left > 0 and all(_shallow(item, left - 1) for item in value))


def _carries(notebook: Mapping[str, Any], lab: str) -> int:
    """Return in how many outputs the notebook carries entries of the lab."""
    found = 0
    for cell in seat.cells_of(notebook):
        for carried in _outputs(cell):
            entries = carried if isinstance(carried, list) else [carried]
            found += any(isinstance(entry, dict) and entry.get("lab") == lab for entry in entries)
    return found


def _cells(notebook: Mapping[str, Any], known: frozenset[str]) -> Iterator[Finding]:
    cells = seat.cells_of(notebook)
    if len(cells) > MOST_CELLS:
        yield Finding("too-many", f"there are {len(cells)} cells; the first {MOST_CELLS} are read")
    names = Counter(name for cell in cells[:MOST_CELLS] if (name := seat.grade_id(cell)) in known and name is not None)
    if twice := sorted(name for name, count in names.items() if count > 1):
        yield Finding("copied-cells", f"cells stand there more than once; the first counts: {some(twice)}")
    if missing := sorted(known - names.keys()):
        of = f"{len(missing)} of {len(known)}"
        yield Finding(
            "missing-cells", f"{of} cells are gone or lost their names; the master's stand in: {some(missing)}"
        )


def _clean(notebook: Mapping[str, Any]) -> bytes:
    """Return a notebook with each cell's kind, text and id and the evidence in its outputs; nothing else comes along."""
    cells = []
    left = intake.MOST_ENTRIES + 1  # one too many is seen, and said, by who reads them
    for cell in seat.cells_of(notebook)[:MOST_CELLS]:
        kind = cell.get("cell_type") if cell.get("cell_type") in ("code", "markdown") else "raw"
        name = seat.grade_id(cell)
        clean: dict[str, Any] = {"cell_type": kind, "metadata": {"nbgrader": {"grade_id": name}} if name else {}}
        clean["source"] = seat.text_of(cell.get("source"))
        if kind == "code":
            carried = list(islice(_outputs(cell), left))
            left -= len(carried)
            clean |= {"execution_count": None, "outputs": [
                {"output_type": "display_data", "metadata": {}, "data": {MEDIA_TYPE: one}} for one in carried
            ]}  # fmt: skip
        cells.append(clean)
    return json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 4}).encode()


def _cleaned(notebook: Mapping[str, Any], remarks: list[Finding]) -> bytes | None:
    try:
        return _clean(notebook)
    except RecursionError:
        remarks.append(Finding("no-notebook", "the notebook is nested too deeply to be one"))
        return None


def _time(stamps: list[bytes], remarks: list[Finding]) -> str | None:
    if not stamps:
        return None
    found = _TIME.fullmatch(stamps[0][:200].decode("utf-8", "replace"))
    if found is None:
        remarks.append(Finding("timestamp", "the time of handing in cannot be read; it was left out"))
        return None
    return f"{found[1].replace('T', ' ')} {found[2] or 'UTC'}"
