"""Pages for people: a learner's feedback and a class's table. They work offline, run no script and fetch nothing.

Everything shown is escaped by the template engine; pictures stand inside the page. A page says what recorded evidence is,
and never the answer of a draw that is still open: only reasons and next steps of verdicts are shown, no expected value.
"""

from __future__ import annotations

import base64
import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from grader import overview
from grader.histogram import Histogram
from grader.marks import Mark
from grader.verdict import Outcome
from labs.measurement import Record
from labs.spec import Lab

EVIDENCE = {
    "recorded": (
        "evidence: recorded. The marks rest on what was measured and noted on the learner's own machine. Whoever owns a machine "
        "can write records that fit together, so this shows what was measured there; it cannot show by whom."
    ),
    "remeasured": "evidence: remeasured. The learner's script was run again in a sealed room, and that run was judged.",
}
#: What an outcome means, in words for the learner, where the verdict itself gives no reason.
MEANING = {
    Outcome.PASS: "",
    Outcome.CONTRADICTS: "What was measured and what the model says differ.",
    Outcome.INCONCLUSIVE: "The machine was too busy to judge this. That costs nothing where the counts can be judged.",
    Outcome.NOT_SEPARABLE: "This machine cannot tell the explanations apart. That costs nothing where the counts can be judged.",
    Outcome.NOT_ATTEMPTED: "There is no evidence for this yet.",
    Outcome.ERROR: "A fault of the course or the setup, not yours; please report it.",
}
SECOND_TRY = "The first try earns all, the second half, a new draw half of that."


@dataclass(frozen=True)
class Line:
    """One line of a card: what was earned, and where not all of it, why."""

    title: str
    state: str
    points: float
    most: float
    because: str = ""
    next_step: str = ""
    comment: str = ""


@dataclass(frozen=True)
class Sheet:
    """One lab on a learner's page.

    Attributes:
        slug: The lab.
        title: Its question.
        lines: Its card.
        evidence: ``recorded`` or ``remeasured``.
        late: Points taken off for handing in late.
        picture: A PNG of the learner's own records.
        described: The same in words.
    """

    slug: str
    title: str
    lines: tuple[Line, ...]
    evidence: str = "recorded"
    late: float = 0.0
    picture: bytes | None = None
    described: str = ""

    @property
    def points(self) -> float:
        """What counts: the sum of the lines less what lateness costs, never below zero."""
        return round(max(0.0, sum(line.points for line in self.lines) - self.late), 2)

    @property
    def most(self) -> float:
        """The maximum, from the master."""
        return round(sum(line.most for line in self.lines), 2)

    @property
    def source(self) -> str:
        """The picture as a data address."""
        return f"data:image/png;base64,{base64.b64encode(self.picture).decode()}" if self.picture else ""


def line(lab: Lab, mark: Mark, points: float | None = None, comment: str = "") -> Line:
    """Return a mark as a line for its learner.

    Args:
        lab: The lab.
        mark: What the judge says.
        points: What counts instead, where a person has set it.
        comment: A person's comment.
    """
    verdict = mark.verdict
    if points is not None and abs(points - verdict.points) > 1e-6:
        because = f"Set by your instructor; the evidence gives {verdict.points:g}."
        return Line(mark.title, "set by hand", points, verdict.max_points, because, "", comment)
    if verdict.points >= verdict.max_points:
        return Line(mark.title, mark.state, verdict.points, verdict.max_points, "", "", comment)
    titles = {story.slug: story.title for story in lab.stories}
    fits = [titles[name] for name in verdict.wrong_models if name in titles]
    reasons = [verdict.because or MEANING[verdict.outcome], *[f"It fits the idea “{title}”." for title in fits]]
    if verdict.outcome is Outcome.PASS and mark.item.question:
        reasons.append(SECOND_TRY)
    step = verdict.next_step or (f"Step {mark.item.step} opens it." if verdict.outcome is not Outcome.PASS else "")
    state = mark.state if mark.state != "-" else verdict.outcome.value.replace("_", " ").lower()
    return Line(
        mark.title, state, verdict.points, verdict.max_points, " ".join(part for part in reasons if part), step, comment
    )


def sheet(lab: Lab, marks: Sequence[Mark], records: Mapping[str, Record], **more: Any) -> Sheet:
    """Return a lab's sheet from the judge's marks and the learner's newest records."""
    picture, described = drawn(lab, records)
    lines = more.pop("lines", None) or tuple(line(lab, mark) for mark in marks)
    return Sheet(lab.slug, lab.title, tuple(lines), picture=picture, described=described, **more)


def drawn(lab: Lab, records: Mapping[str, Record]) -> tuple[bytes | None, str]:
    """Return the lab's picture of these records as a PNG, and what it shows in words; None where it cannot be drawn."""
    if lab.picture is None or not records:
        return None, ""
    try:
        figure = lab.picture(records)
        file = io.BytesIO()
        figure.savefig(file, format="png", dpi=80, bbox_inches="tight", metadata={"Software": None})
        told = lab.picture_text(records) if lab.picture_text else ()
    except Exception:  # a record that passed the strict reading can still be one that nobody can draw
        return None, ""
    words = f"A picture of the records {', '.join(records)}: a lane is a slot, a column a moment of rest."
    return file.getvalue(), "\n".join([words, *told])


def page(sheets: Sequence[Sheet], heading: str = "Your card") -> str:
    """Return a learner's page as one HTML file."""
    words = {kind: EVIDENCE[kind] for kind in sorted({one.evidence for one in sheets})}
    return _render("learner.html", sheets=sheets, heading=heading, words=words)


def class_page(
    rows: Sequence[Mapping[str, Any]],
    heading: str,
    released: Sequence[str] = (),
    pages: Mapping[str, str] | None = None,
) -> str:
    """Return the class's page as one HTML file: who is missing, what needs a human, what was found, then everybody.

    Args:
        rows: One a student and lab.
        heading: Its title.
        released: All labs of the class; those nobody handed in are named in one line.
        pages: Lab -> the page with its bets, relative to this one.
    """
    seen = overview.overview(rows, released)
    ids = {student.name: number for number, student in enumerate(seen.students, 1)}
    return _render(
        "class.html", seen=seen, ids=ids, heading=heading, words=EVIDENCE["recorded"], pages=dict(pages or {})
    )


def histogram_page(lab: Lab, found: Sequence[Histogram], handed_in: int) -> str:
    """Return a class's bets in one lab as one HTML file for the projector; it names nobody."""
    return _render("histograms.html", found=found, heading=f"{lab.slug}: what the class bets", handed_in=handed_in)


COLUMNS = (
    "student",
    "lab",
    "state",
    "points",
    "max_points",
    "late_penalty",
    "evidence",
    "outcomes",
    "findings",
    "remarks",
    "handed_in",
    "files",
    "revision",
    "changed",
)


def class_csv(rows: Iterable[Mapping[str, Any]]) -> str:
    """Return the class's table as CSV, one row a student and lab; cells that a spreadsheet would compute are disarmed."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(COLUMNS)
    for row in rows:
        outcomes = [f"{verdict['check']}={verdict['outcome']}" for verdict in row["verdicts"]]
        files = [f"{name}={digest}" for name, digest in row["files"].items()]
        flat = {**row, "outcomes": "; ".join(outcomes), "files": "; ".join(files)}
        for name in ("findings", "remarks"):
            flat[name] = "; ".join(row[name])
        writer.writerow([_plain(flat[name]) for name in COLUMNS])
    return file.getvalue()


def _plain(value: object) -> object:
    return f"'{value}" if isinstance(value, str) and value[:1] in tuple("=+-@\t\r") else value


def _render(template: str, **what: Any) -> str:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    pages = Environment(
        loader=FileSystemLoader(Path(__file__).parent / "pages"), autoescape=True, undefined=StrictUndefined,
        trim_blocks=True, lstrip_blocks=True,
    )  # fmt: skip
    pages.filters["short"] = lambda points: f"{points:.2f}".rstrip("0").rstrip(".") or "0"
    pages.filters["lost"] = overview.lost
    pages.filters["titled"] = overview.title
    pages.filters["outcome"] = overview.outcome
    return pages.get_template(template).render(**what)
