"""A learner's own card as a page: every lab of the workspace, from its journal, readable offline."""

from __future__ import annotations

from pathlib import Path

from course.keeping import newest
from grader import report
from grader import work as works
from grader.marks import marks
from grader.work import Evidence
from labs import catalog, plain
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
    """Write ``card.html`` into the workspace and return its path."""
    target = workspace / NAME
    plain.write(target, report.page(sheets(workspace)).encode())
    return target
