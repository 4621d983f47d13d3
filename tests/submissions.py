"""Thirty students and what each hands in: honest work in every form, accidents, and attempts to get more than was earned."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

from course import classroom as classes
from course.folder import Course
from grader import packing
from labs import journal
from labs.journal import FILE_NAME, START
from tests import classroom, gates_people, handed, personas

#: Student -> what they hand in, given their folder below ``submitted`` (not made yet) and the class.
HANDS_IN: dict[str, Callable[[Path, classes.Classroom], None]] = {}


def hands_in(does: Callable[[Path, classes.Classroom], None]) -> Callable[[Path, classes.Classroom], None]:
    """Register a student: what they hand in. The function's name is theirs."""
    HANDS_IN[does.__name__] = does
    return does


def worked(
    place: Path, room: classes.Classroom, name: str, does: Callable[[Any], Any] = gates_people.knows
) -> dict[str, Any]:
    """Do the lab in the student's folder and return the notebook."""
    handed.learner(place / "gates", room.rules, name, does)
    found: dict[str, Any] = json.loads((place / "gates" / "gates.ipynb").read_text())
    return found


@hands_in
def folder(place: Path, room: classes.Classroom) -> None:
    """The whole folder, everything right."""
    worked(place, room, "folder")


@hands_in
def lone(place: Path, room: classes.Classroom) -> None:
    """The notebook alone."""
    worked(place, room, "lone")
    (place / "gates" / FILE_NAME).unlink()


@hands_in
def lone_file(place: Path, room: classes.Classroom) -> None:
    """The notebook alone, no folder."""
    whole = worked(place.parent.parent / "elsewhere", room, "lone_file")
    handed.save(place.parent, whole, "lone_file.ipynb")


@hands_in
def packed(place: Path, room: classes.Classroom) -> None:
    """What ``fourthreads pack`` made."""
    there = place.parent.parent / "packs"
    worked(there, room, "packed")
    files = {name: (there / "gates" / name).read_bytes() for name in ("gates.ipynb", FILE_NAME)}
    place.mkdir()
    (place / "homework.zip").write_bytes(packing.pack(files))


@hands_in
def journal_only(place: Path, room: classes.Classroom) -> None:
    """The journal without a notebook."""
    worked(place, room, "journal_only")
    (place / "gates" / "gates.ipynb").unlink()


@hands_in
def renamed(place: Path, room: classes.Classroom) -> None:
    """A browser's second download."""
    worked(place, room, "renamed")
    (place / "gates" / "gates.ipynb").rename(place / "gates" / "gates (1).ipynb")


@hands_in
def starter(place: Path, room: classes.Classroom) -> None:
    """The release, untouched."""
    handed.save(place / "gates", handed.release())


@hands_in
def empty(place: Path, room: classes.Classroom) -> None:
    """A folder and nothing in it."""
    (place / "gates").mkdir(parents=True)


@hands_in
def damaged(place: Path, room: classes.Classroom) -> None:
    """A notebook cut off in the middle; the journal is there."""
    worked(place, room, "damaged")
    path = place / "gates" / "gates.ipynb"
    path.write_text(path.read_text()[:5000])


@hands_in
def damaged_lone(place: Path, room: classes.Classroom) -> None:
    """No journal, and the notebook is cut off."""
    damaged(place, room)
    (place / "gates" / FILE_NAME).unlink()


@hands_in
def strange(place: Path, room: classes.Classroom) -> None:
    """Valid JSON that is no notebook at all."""
    handed.save(
        place / "gates", {"cells": [1, None, {"cell_type": 5, "source": {"a": 1}, "metadata": 3}], "metadata": []}
    )


@hands_in
def deep(place: Path, room: classes.Classroom) -> None:
    """JSON nested as deeply as the parser allows, and half a surrogate pair as text."""
    whole = worked(place, room, "deep")
    whole["cells"].append(handed.code("print('\ud800')"))
    nested: Any = []
    for _ in range(900):
        nested = [nested]
    whole["cells"].append(handed.code("x", [handed.output((), **{journal.MEDIA_TYPE: nested})]))
    handed.save(place / "gates", whole)


@hands_in
def links(place: Path, room: classes.Classroom) -> None:
    """A notebook that is a link to somebody else's, a journal too."""
    (place / "gates").mkdir(parents=True)
    (place / "gates" / "gates.ipynb").symlink_to(room.submitted / "folder" / "gates" / "gates.ipynb")
    (place / "gates" / FILE_NAME).symlink_to(room.submitted / "folder" / "gates" / FILE_NAME)


@hands_in
def bomb(place: Path, room: classes.Classroom) -> None:
    """A zip that unpacks to far more than it is."""
    place.mkdir()
    (place / "gates.zip").write_bytes(packing.pack({"gates.ipynb": b" " * (80 << 20)}))


@hands_in
def no_zip(place: Path, room: classes.Classroom) -> None:
    """Something called zip."""
    place.mkdir()
    (place / "gates.zip").write_bytes(b"PK\x03\x04 nothing")


@hands_in
def huge(place: Path, room: classes.Classroom) -> None:
    """A notebook of more bytes than are read (a hole in the file, so it costs nothing here)."""
    (place / "gates").mkdir(parents=True)
    with (place / "gates" / "gates.ipynb").open("wb") as file:
        file.truncate(1 << 30)


@hands_in
def copied_cells(place: Path, room: classes.Classroom) -> None:
    """Every cell twice: the input that stops stock nbgrader for the whole class."""
    whole = worked(place, room, "copied_cells")
    whole["cells"] = [cell for cell in whole["cells"] for _ in (1, 2)]
    handed.save(place / "gates", whole)


@hands_in
def deleted_cells(place: Path, room: classes.Classroom) -> None:
    """No graded cell is left."""
    whole = worked(place, room, "deleted_cells")
    whole["cells"] = [cell for cell in whole["cells"] if not cell["metadata"]["nbgrader"]["grade"]]
    handed.save(place / "gates", whole)


@hands_in
def stripped(place: Path, room: classes.Classroom) -> None:
    """All metadata is gone, as some tools leave a notebook."""
    whole = worked(place, room, "stripped")
    for cell in whole["cells"]:
        cell["metadata"] = {}
    handed.save(place / "gates", whole)


@hands_in
def retyped(place: Path, room: classes.Classroom) -> None:
    """Graded cells became markdown, markdown became code; points in them were raised."""
    whole = worked(place, room, "retyped", gates_people.blanks)
    for cell in whole["cells"]:
        if cell["metadata"]["nbgrader"].get("grade"):
            cell["metadata"]["nbgrader"]["points"] = 1000
            cell["cell_type"] = "markdown"
        elif cell["cell_type"] == "markdown":
            cell["cell_type"] = "code"
    handed.save(place / "gates", whole)


@hands_in
def typed_results(place: Path, room: classes.Classroom) -> None:
    """Nothing was done; every output says full marks."""
    whole = handed.release()
    for cell in whole["cells"]:
        if cell["cell_type"] == "code":
            cell["source"] = "10.0"
            full = {
                "output_type": "execute_result",
                "execution_count": 1,
                "metadata": {},
                "data": {"text/plain": "10.0"},
            }
            cell["outputs"] = [full]
    handed.save(place / "gates", whole)


@hands_in
def edited_records(place: Path, room: classes.Classroom) -> None:
    """A solid learner's bets and a record of the puzzle in which the numbers were changed by hand."""

    def some(it: Any) -> None:
        personas.bet(it, "start", {"held": 1})
        personas.look(it, "start")
        personas.look(it, "state", open=[1])

    worked(place, room, "edited_records", some)
    path = place / "gates" / FILE_NAME
    lines = path.read_text().splitlines()
    path.write_text("\n".join(line.replace('"open 1"', '"open 2"') for line in lines))
    whole = json.loads((place / "gates" / "gates.ipynb").read_text())
    handed.save(place / "gates", json.loads(json.dumps(whole).replace('"open 1"', '"open 2"')))


@hands_in
def contradicting(place: Path, room: classes.Classroom) -> None:
    """The chain was made anew, but the records belong to other numbers than were drawn."""
    worked(place, room, "contradicting")
    path = place / "gates" / FILE_NAME

    def change(kind: str, body: dict[str, Any]) -> None:
        if kind == "record":
            body["record"]["parameters"]["tasks"] = 40

    path.write_bytes(rewritten(path.read_bytes(), change))
    handed.save(place / "gates", handed.release())


@hands_in
def forged(place: Path, room: classes.Classroom) -> None:
    """Nothing was measured: a program wrote a journal in which everything fits together."""
    worked(place, room, "forged")


@hands_in
def copied_folder(place: Path, room: classes.Classroom) -> None:
    """Somebody else's folder, handed in as one's own."""
    shutil.copytree(room.submitted / "folder", place)


@hands_in
def foreign_seed(place: Path, room: classes.Classroom) -> None:
    """Work that was begun outside the class: other numbers."""
    handed.learner(place / "gates", Course(), "foreign_seed")


@hands_in
def asleep(place: Path, room: classes.Classroom) -> None:
    """All buttons pressed, constant answers."""
    worked(place, room, "asleep", gates_people.asleep)


@hands_in
def late_time(place: Path, room: classes.Classroom) -> None:
    """nbgrader's own stamp beside it."""
    worked(place, room, "late_time")
    (place / "gates" / "timestamp.txt").write_text("2100-01-31 12:00:00.000000 UTC")


@hands_in
def odd_time(place: Path, room: classes.Classroom) -> None:
    """A stamp that nbgrader cannot read would fail the whole submission."""
    worked(place, room, "odd_time")
    (place / "gates" / "timestamp.txt").write_text("yesterday\x00")


@hands_in
def clutter(place: Path, room: classes.Classroom) -> None:
    """Own modules, pages and pictures beside the notebook."""
    worked(place, room, "clutter")
    for name in ("json.py", "grader.py", "evil.html", "evil.svg", "nbgrader_config.py", "labs/__init__.py"):
        (place / "gates" / name).parent.mkdir(exist_ok=True)
        (place / "gates" / name).write_text("raise SystemExit('run')")


def rewritten(data: bytes, change: Callable[[str, dict[str, Any]], None]) -> bytes:
    """Return the journal with the bodies changed and the whole chain made anew."""
    previous, lines = START, []
    for number, entry in enumerate(journal.decode(data)):
        body = json.loads(json.dumps(entry.body))
        change(entry.kind, body)
        made = journal.make(number, entry.kind, entry.lab, body, previous, entry.clock)
        previous = made.digest
        lines.append(json.dumps(classroom.plain(made)).encode())
    return b"\n".join(lines)
