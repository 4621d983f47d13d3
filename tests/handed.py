"""Submissions for tests of grading: learners who did the lab on the model's machine, and notebooks with their outputs."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from course import build
from course.folder import Course
from course.session import Session
from labs.journal import MEDIA_TYPE, Entry
from tests import classroom, gates_people

Cell = dict[str, Any]
#: Which cell of the notebook of ``gates`` carries the entries of which thing.
CARRIES = {
    "gates-02-ready": "", "gates-04-predict-start": "start", "gates-05-measure-start": "start",
    "gates-07-predict-one-gate": "one gate", "gates-08-measure-one-gate": "one gate", "gates-09-explain-why": "why",
    "gates-11-script": "canary", "gates-13-measure-canary": "canary", "gates-14-measure-state": "state",
    "gates-15-explain-cannot": "cannot", "gates-16-explain-service": "service",
}  # fmt: skip


def release() -> dict[str, Any]:
    """Return the notebook of ``gates`` as it is handed out."""
    found: dict[str, Any] = json.loads((build.SOURCE / "gates" / "gates.ipynb").read_text("utf-8"))
    return found


def learner(
    folder: Path, rules: Course, name: str = "mira", does: Callable[[Session], Any] = gates_people.knows
) -> Session:
    """Let a learner of a class do the lab in a folder, and save the notebook with its outputs there."""
    it = classroom.session(folder, course=rules, learner=f"id-of-{name}")
    opened(it)
    does(it)
    save(folder, notebook(it))
    return it


def opened(it: Session) -> None:
    """Run the first cell."""
    from course import keeping

    keeping.greet(it, "Node 24.19.0 (libuv 1.52.1)")


def notebook(it: Session) -> dict[str, Any]:
    """Return the notebook with the outputs that the learner's cells have."""
    found = release()
    for cell in found["cells"]:
        name = cell["metadata"]["nbgrader"]["grade_id"]
        if name in CARRIES:
            cell["outputs"] = [output(it.about(CARRIES[name]))]
    return found


def output(entries: Iterable[Entry], **more: Any) -> dict[str, Any]:
    """Return a cell's output that carries entries."""
    data = {"text/plain": "said", MEDIA_TYPE: classroom.plain(tuple(entries)), **more}
    return {"output_type": "display_data", "metadata": {}, "data": data}


def save(folder: Path, whole: object, name: str = "gates.ipynb") -> Path:
    """Write a notebook."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_text(json.dumps(whole), "utf-8")
    return path


def cell(whole: dict[str, Any], name: str) -> Cell:
    """Return the cell of that id."""
    found: Cell = next(one for one in whole["cells"] if one["metadata"]["nbgrader"]["grade_id"] == name)
    return found


def code(source: str, outputs: Iterable[dict[str, Any]] = ()) -> Cell:
    """Return a further code cell of a student's own."""
    return {"cell_type": "code", "id": f"own-{abs(hash(source)) % 10**8}", "metadata": {}, "source": source, "outputs": list(outputs),
            "execution_count": None}  # fmt: skip


def text(source: str, **more: Any) -> Cell:
    """Return a further markdown cell of a student's own."""
    return {"cell_type": "markdown", "id": f"own-{abs(hash(source)) % 10**8}", "metadata": {}, "source": source, **more}
