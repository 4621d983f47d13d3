"""The files in which a student's work in one lab may lie: read as data, never through a link, within bounds for all together."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path, PurePosixPath

from grader import packing
from grader.files import LARGEST, read_plain
from grader.work import Finding
from labs.errors import RecordError
from labs.journal import FILE_NAME as JOURNAL

TIMESTAMP = "timestamp.txt"
#: By which nbgrader's exchange gives feedback back to whoever handed in.
SECRET = "submission_secret.txt"
#: Folders inside folders, files, and packed files in all, that are looked at for one student.
DEEPEST = 4
MOST_FILES = 500
MOST_PACKED = 50
#: In so many bytes a journal says whose it is.
_FIRST = 1 << 20


@dataclass
class _Left:
    """What may still be read of one student."""

    size: int = LARGEST
    packed: int = MOST_PACKED


def files(submitted: Path, student: str, lab: str, remarks: list[Finding]) -> dict[str, bytes]:
    """Return path below the student's folder -> content of every file that may be evidence, as far as the bounds allow.

    Args:
        submitted: The class's folder of submissions.
        student: Whose.
        lab: The lab's slug; what lies in its own folder is read first.
        remarks: What was left alone is added here.
    """
    left = _Left()
    found: dict[str, bytes] = {}
    for path, name in sorted(_paths(submitted, student, lab, remarks), key=lambda one: folder_of(one[1]) != lab):
        data = _read(path, left, remarks)
        if data is None:
            continue
        if name.endswith(packing.SUFFIXES):
            found.update(_unpacked(name, data, lab, left, remarks))
        else:
            found[name] = data
    return found


def names(submitted: Path, student: str) -> tuple[str, ...]:
    """Return the paths of all files of a student, as far as they are looked at, whatever they are."""
    beside = [
        name for suffix in (".ipynb", *packing.SUFFIXES) if os.path.lexists(submitted / (name := f"{student}{suffix}"))
    ]
    top = submitted / student
    if _is_link(top):
        return (*beside, student)
    found = (str((Path(place) / name).relative_to(top)) for place, _, names in os.walk(top) for name in sorted(names))
    return (*beside, *islice((name for name in found if not PurePosixPath(name).name.startswith(".")), MOST_FILES))


def folder_of(name: str) -> str | None:
    """Return the lab in whose folder a file lies, None where it lies in none; of folders inside each other the inner counts."""
    from labs import catalog

    return next((part for part in reversed(PurePosixPath(name).parts[:-1]) if part in catalog.CURRICULUM), None)


def own(name: str, lab: str) -> bool:
    """Return whether a file lies in the lab's folder or carries its name."""
    return folder_of(name) == lab or PurePosixPath(name).name.startswith(lab)


def is_journal(name: str, data: bytes, lab: str) -> bool:
    """Return whether a file is a journal of the lab. Under another name, or in no lab's folder, it says itself whose it is."""
    if not _called_journal(PurePosixPath(name).name) or folder_of(name) not in (lab, None):
        return False
    return PurePosixPath(name).name == JOURNAL and folder_of(name) == lab or _begins_as(data, lab)


def _called_journal(name: str) -> bool:
    """Return whether a file's name is that of a journal or of a browser's second download of one."""
    return name.startswith("journal") and name.endswith(".jsonl")


def _begins_as(data: bytes, lab: str) -> bool:
    """Return whether a journal begins with an entry of the lab."""
    try:
        first = json.loads(data[:_FIRST].split(b"\n", 1)[0])
    except (ValueError, RecursionError):
        return False
    return isinstance(first, dict) and first.get("lab") == lab


def _wanted(name: str) -> bool:
    return name.endswith((".ipynb", *packing.SUFFIXES)) or _called_journal(name)


def _paths(submitted: Path, student: str, lab: str, remarks: list[Finding]) -> Iterator[tuple[Path, str]]:
    """Yield every file that may be evidence: where it is, and its path below the student's folder."""
    for suffix in (".ipynb", *packing.SUFFIXES):
        yield submitted / f"{student}{suffix}", f"{student}{suffix}"
    top = submitted / student
    if _is_link(top):
        remarks.append(Finding("link", "the student's folder is a link; it was not followed"))
        return

    def refused(problem: OSError) -> None:
        if not isinstance(problem, FileNotFoundError):  # somebody handed in one file and has no folder
            name = Path(str(problem.filename)).name
            remarks.append(Finding("not-read", f"the folder {name!r} cannot be read: {problem.strerror}"))

    count = 0
    for place, folders, names in os.walk(top, onerror=refused):
        here = Path(place).relative_to(top)
        # Other labs' folders are not this lab's business.
        folders[:] = sorted(
            name for name in folders
            if not name.startswith(".") and len(here.parts) < DEEPEST and (here.parts or folder_of(f"{name}/x") in (lab, None))
        )  # fmt: skip
        for name in folders:
            if _is_link(Path(place) / name):
                remarks.append(Finding("link", f"{name!r} is a link; it was not followed"))
        for name in sorted(names):
            count += 1
            if count > MOST_FILES:
                remarks.append(
                    Finding("too-many", f"more than {MOST_FILES} files lie here; the rest was not looked at")
                )
                return
            if _wanted(name) or name in (TIMESTAMP, SECRET):
                yield Path(place) / name, str(here / name)


def _is_link(path: Path) -> bool:
    try:
        return stat.S_ISLNK(os.lstat(path).st_mode)
    except OSError:
        return False


def _read(path: Path, left: _Left, remarks: list[Finding]) -> bytes | None:
    try:
        data = read_plain(path, left.size)
    except RecordError as problem:
        remarks.append(Finding("not-read", str(problem)))
        return None
    except OSError as problem:
        remarks.append(Finding("not-read", f"{path.name} cannot be read: {problem.strerror}"))
        return None
    left.size -= len(data or b"")
    return data


def _unpacked(
    name: str, data: bytes, lab: str, left: _Left, remarks: list[Finding], deeper: bool = True
) -> Iterator[tuple[str, bytes]]:
    """Yield what may be evidence in a packed file, and in packed files inside it (``deeper``)."""
    title = PurePosixPath(name).name
    if not left.packed:
        remarks.append(
            Finding("too-many", f"{title}: more than {MOST_PACKED} packed files lie here; it was left alone")
        )
        return
    left.packed -= 1
    try:
        inside, odd = packing.unpack(data, left.size, _wanted)
    except RecordError as problem:
        remarks.append(Finding("not-read", f"{title}: {problem}"))
        return
    left.size -= sum(map(len, inside.values()))
    remarks += [Finding(one.code, f"{title}: {one.text}") for one in odd]
    loose = {path for path in inside if folder_of(path) is None}
    ours = any(PurePosixPath(path).name == f"{lab}.ipynb" for path in loose)
    for path, content in inside.items():
        if any(part.startswith(".") for part in PurePosixPath(path).parts):
            continue
        if path.endswith(packing.SUFFIXES):
            if deeper:
                yield from _unpacked(f"{name}/{path}", content, lab, left, remarks, deeper=False)
            continue
        # What lies in no lab's folder belongs to the notebook beside it; a journal without one says itself whose it is.
        beside = path in loose and (ours or is_journal(path, content, lab))
        yield f"{name}/{lab}/{path}" if beside else f"{name}/{path}", content
