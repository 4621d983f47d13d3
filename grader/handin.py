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
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from grader import intake, packing, seat
from grader.files import read_plain
from grader.work import Evidence, Finding
from labs.errors import RecordError
from labs.journal import FILE_NAME as JOURNAL
from labs.journal import LARGEST_JOURNAL, MEDIA_TYPE
from labs.spec import Lab
from labs.words import some

TIMESTAMP = "timestamp.txt"
#: By which nbgrader's exchange gives feedback back to whoever handed in.
SECRET = "submission_secret.txt"
#: Folders inside folders, and files in all, that are looked at for one student.
DEEPEST = 4
MOST_FILES = 500
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


def look(submitted: Path, student: str, lab: str, known: frozenset[str]) -> Handin:
    """Return what a student handed in for a lab; never raises for anything a student did.

    Args:
        submitted: The class's folder of submissions.
        student: Whose.
        lab: The lab's slug.
        known: The ids of the master's cells, by which a notebook is recognised whatever its name is.
    """
    remarks: list[Finding] = []
    files = dict(_unpacked(_files(submitted, student, lab, remarks), lab, remarks))
    notebooks: list[tuple[bool, int, str, dict[str, Any]]] = []
    for name, data in files.items():
        if name.endswith(".ipynb"):
            parsed = _parsed(name, data, remarks)
            if parsed is None:
                continue
            score = len(known & {seat.grade_id(cell) for cell in seat.cells_of(parsed)}) + _carries(parsed, lab)
            if score or _own(name, lab):
                notebooks.append((PurePosixPath(name).name == f"{lab}.ipynb", score, name, parsed))
    chosen: bytes | None = None
    if notebooks:
        notebooks.sort(key=lambda one: (not one[0], -one[1], one[2]))
        exact, _, name, parsed = notebooks[0]
        if not exact:
            remarks.append(
                Finding("renamed", f"the notebook is called {PurePosixPath(name).name!r}; it was taken for {lab}.ipynb")
            )
        if len(notebooks) > 1:
            more = ", ".join(repr(PurePosixPath(one[2]).name) for one in notebooks[1:])
            remarks.append(Finding("more-notebooks", f"there are further notebooks, which are not read: {more}"))
        remarks += _cells(parsed, known)
        chosen = _cleaned(parsed, remarks)
    # In no lab's folder, a journal says itself whose it is.
    journals = [
        data
        for name, data in files.items()
        if PurePosixPath(name).name == JOURNAL and (_own(name, lab) or _is_loose(name) and _is_journal(data, lab))
    ]
    if len(set(journals)) > 1:
        remarks.append(Finding("more-journals", f"{len(journals)} journals lie here; the longest is read"))
    journal = max(journals, key=len, default=None)
    stamps = [data for name, data in files.items() if name == f"{lab}/{TIMESTAMP}"]
    secrets = [
        text
        for name, data in files.items()
        if name == f"{lab}/{SECRET}" and _HEX.fullmatch(text := data[:200].decode("latin-1"))
    ]
    if chosen is None and journal is None and (remarks or (submitted / student / lab).exists()):
        remarks.append(Finding("nothing", "nothing was handed in that can be read"))
    return Handin(student, lab, chosen, journal, _time(stamps, remarks), next(iter(secrets), None), tuple(remarks))


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


def _files(submitted: Path, student: str, lab: str, remarks: list[Finding]) -> Iterator[tuple[str, bytes]]:
    """Yield (path below the student's folder, content) of every file that may be evidence, the lab's own folder first."""
    for suffix in (".ipynb", *packing.SUFFIXES):
        yield from _read(submitted / f"{student}{suffix}", f"{student}{suffix}", remarks)
    top = submitted / student
    if top.is_symlink():
        remarks.append(Finding("link", "the student's folder is a link; it was not followed"))
        return
    count = 0
    for place, folders, names in os.walk(top):
        here = Path(place).relative_to(top)
        # Other labs' folders are not this lab's business.
        folders[:] = sorted(
            name for name in folders
            if not name.startswith(".") and len(here.parts) < DEEPEST and (here.parts or name == lab or not _is_lab(name))
        )  # fmt: skip
        for name in list(folders):
            if (Path(place) / name).is_symlink():
                remarks.append(Finding("link", f"{name!r} is a link; it was not followed"))
        for name in sorted(names):
            count += 1
            if count > MOST_FILES:
                remarks.append(
                    Finding("too-many", f"more than {MOST_FILES} files lie here; the rest was not looked at")
                )
                return
            if name.endswith((".ipynb", *packing.SUFFIXES)) or name in (JOURNAL, TIMESTAMP, SECRET):
                yield from _read(Path(place) / name, str(here / name), remarks)


def _is_lab(name: str) -> bool:
    from labs import catalog

    return name in catalog.CURRICULUM


def _read(path: Path, name: str, remarks: list[Finding]) -> Iterator[tuple[str, bytes]]:
    try:
        data = read_plain(path, LARGEST_JOURNAL)
    except RecordError as problem:
        remarks.append(Finding("not-read", str(problem)))
        return
    except OSError as problem:
        remarks.append(Finding("not-read", f"{path.name} cannot be read: {problem.strerror}"))
        return
    if data is not None:
        yield name, data


def _unpacked(files: Iterator[tuple[str, bytes]], lab: str, remarks: list[Finding]) -> Iterator[tuple[str, bytes]]:
    for name, data in files:
        if not name.endswith(packing.SUFFIXES):
            yield name, data
            continue
        try:
            inside, odd = packing.unpack(data)
        except RecordError as problem:
            remarks.append(Finding("not-read", f"{PurePosixPath(name).name}: {problem}"))
            continue
        remarks += [Finding(one.code, f"{PurePosixPath(name).name}: {one.text}") for one in odd]
        ours = any(PurePosixPath(path).name == f"{lab}.ipynb" for path in inside)
        for path, content in inside.items():
            # A packed journal belongs to the notebook beside it; without one it says itself whose it is.
            alone = PurePosixPath(path).name == JOURNAL and _is_journal(content, lab)
            place = f"{lab}/{path}" if ours or alone else path
            if path.endswith((".ipynb", JOURNAL)) and not any(
                part.startswith(".") for part in PurePosixPath(path).parts
            ):
                yield f"{name}/{place}", content


def _is_loose(name: str) -> bool:
    """Return whether a file lies in no lab's folder."""
    return not any(_is_lab(part) for part in PurePosixPath(name).parts[:-1])


def _is_journal(data: bytes, lab: str) -> bool:
    """Return whether a journal begins with an entry of the lab."""
    try:
        first = json.loads(data.split(b"\n", 1)[0])
    except (ValueError, RecursionError):
        return False
    return isinstance(first, dict) and first.get("lab") == lab


def _own(name: str, lab: str) -> bool:
    """Return whether a file lies in the lab's folder or carries its name."""
    path = PurePosixPath(name)
    return lab in path.parts[:-1] or path.name.startswith(lab)


def _parsed(name: str, data: bytes, remarks: list[Finding]) -> dict[str, Any] | None:
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
    names = [name for cell in seat.cells_of(notebook) if (name := seat.grade_id(cell)) in known and name is not None]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        yield Finding("copied-cells", f"cells stand there more than once; the first counts: {some(twice)}")
    if missing := sorted(known - set(names)):
        of = f"{len(missing)} of {len(known)}"
        yield Finding(
            "missing-cells", f"{of} cells are gone or lost their names; the master's stand in: {some(missing)}"
        )


def _clean(notebook: Mapping[str, Any]) -> bytes:
    """Return a notebook with each cell's kind, text and id and the evidence in its outputs; nothing else comes along."""
    cells = []
    for cell in seat.cells_of(notebook):
        kind = cell.get("cell_type") if cell.get("cell_type") in ("code", "markdown") else "raw"
        name = seat.grade_id(cell)
        clean: dict[str, Any] = {"cell_type": kind, "metadata": {"nbgrader": {"grade_id": name}} if name else {}}
        clean["source"] = seat.text_of(cell.get("source"))
        if kind == "code":
            clean |= {"execution_count": None, "outputs": [
                {"output_type": "display_data", "metadata": {}, "data": {MEDIA_TYPE: carried}} for carried in _outputs(cell)
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
