"""A learner's own card as a page: every lab of the workspace, from its journal, readable offline."""

from __future__ import annotations

from pathlib import Path

from course.keeping import newest
from grader import report
from grader import work as works
from grader.marks import marks
from grader.work import Evidence
from labs import catalog, plain
from labs.errors import SetupError
from labs.journal import Journal

NAME = "card.html"


def sheets(workspace: Path) -> tuple[report.Sheet, ...]:
    """Return a sheet for each lab that has been begun.

    Raises:
        RecordError: A journal cannot be read.
    """
    found = []
    for slug in catalog.slugs():
        entries = Journal(workspace / slug, slug).entries()
        if entries:
            lab = catalog.load(slug)
            done = marks(lab, Evidence(slug, entries))
            found.append(report.sheet(lab, done, newest(works.read(lab, entries))))
    return tuple(found)


def write(workspace: Path) -> Path:
    """Write ``card.html`` into the workspace and return its path.

    Raises:
        RecordError: A journal cannot be read.
        SetupError: No lab was begun there: it may be another folder than the learner thinks.
    """
    begun = sheets(workspace)
    if not begun:
        raise SetupError(
            f"No lab was begun in {workspace}, so there is no card to write. Name your workspace, the folder that holds a folder "
            "for each lab: fourthreads report FOLDER."
        )
    target = workspace / NAME
    plain.write(target, report.page(begun).encode())
    return target
