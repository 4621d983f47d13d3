"""The histograms of a class: hand-ins read where they lie, counted, and written as a page for the projector."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from course import build
from course.folder import CLASS_FILE
from grader import handin, histogram, intake, report, seat
from grader.histogram import Histogram
from grader.work import Evidence
from labs import catalog
from labs.errors import SetupError
from labs.journal import FILE_NAME

#: Below a class's folder; a plain folder of hand-ins gets the page beside them.
REPORTS = "report"


def name(slug: str) -> str:
    """Return the page's file name."""
    return f"histograms-{slug}.html"


def collected(folder: Path, slug: str) -> tuple[Evidence, ...]:
    """Return what was handed in for a lab, read as grading reads it: as data, nothing is executed.

    Args:
        folder: A class's folder, or any folder with hand-ins in it: packed files, notebooks, or a folder a learner.
        slug: The lab.

    Raises:
        SetupError: Nothing of that lab lies there.
    """
    place = submitted(folder)
    known = _known(slug)
    lab = catalog.load(slug)
    found = []
    for student in handin.students(place):
        handed = handin.look(place, student, slug, known)
        files = {f"{slug}.ipynb": handed.notebook, FILE_NAME: handed.journal}
        evidence = intake.evidence_of(lab, {path: data for path, data in files.items() if data is not None})
        if not handed.empty:
            found.append(evidence)
    if not any(entry.lab == slug for evidence in found for entry in evidence.entries):
        raise SetupError(
            f"Nothing of the lab {slug!r} lies in {place}. Put in what learners hand in: the file that `fourthreads pack {slug}` makes, "
            "a notebook, or a folder each."
        )
    return tuple(found)


def submitted(folder: Path) -> Path:
    """Return where hand-ins lie: a class's ``submitted``, else the folder itself."""
    return folder / "submitted" if (folder / CLASS_FILE).is_file() else folder


def count(slug: str, everybody: Iterable[Evidence]) -> tuple[Histogram, ...]:
    """Return the lab's histograms."""
    return histogram.histograms(catalog.load(slug), everybody)


def write(folder: Path, slug: str, everybody: tuple[Evidence, ...]) -> Path:
    """Write the lab's page and return its path: in a class's report, or beside the hand-ins."""
    target = (folder / REPORTS if submitted(folder) != folder else folder) / name(slug)
    target.parent.mkdir(exist_ok=True)
    lab = catalog.load(slug)
    target.write_text(report.histogram_page(lab, count(slug, everybody), len(everybody)), "utf-8")
    return target


def _known(slug: str) -> frozenset[str]:
    """Return the ids of the cells of the course's own notebook, by which a renamed one is recognised."""
    whole = json.loads((build.SOURCE / slug / f"{slug}.ipynb").read_bytes())
    return frozenset(found for cell in seat.cells_of(whole) if (found := seat.grade_id(cell)))
