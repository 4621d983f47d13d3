"""A class's folder: what stands in it, how it is made, and the proof that grading in it can be trusted."""

from __future__ import annotations

import json
import os
import re
import secrets
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from course import build
from course import folder as folders
from grader import seat
from labs import catalog
from labs.errors import SetupError

CONFIG = "nbgrader_config.py"
#: Set in every process of nbgrader that we start: a configuration that cannot be read stops it (see course/nbgrader_config.py).
RAISE = "TRAITLETS_APPLICATION_RAISE_CONFIG_FILE_ERROR"
PASSED_ON = (
    "PATH HOME LANG LC_ALL TMPDIR USER VIRTUAL_ENV FOURTHREADS_RUNTIME_DIR FOURTHREADS_TRACE XDG_RUNTIME_DIR".split()
)

CONFIG_TEXT = '''\
"""nbgrader's configuration for this class. Add your own lines at the end; what is loaded here must stay."""

import sys
import tomllib
from importlib.util import find_spec
from pathlib import Path

c = get_config()
try:
    load_subconfig(find_spec("course.nbgrader_config").origin)
    c.CourseDirectory.course_id = tomllib.loads(Path(__file__).with_name("class.toml").read_text("utf-8"))["course"]
    loaded = c.Autograde.sanitize_preprocessors[0] == "grader.autograde.Seat"
except Exception as problem:
    loaded = problem
if loaded is not True:
    # nbgrader would go on without it, run student code and give full marks (measured). So it ends here.
    sys.exit(f"The course's nbgrader configuration cannot be loaded ({loaded!r}). No mark was changed.")
'''

CLASS_TEXT = """\
# The rules of this class. Students get this file with each lab; their numbers are drawn from the first two lines.
course = "{course}"
salt = "{salt}"
version = "{version}"       # the release of Four Threads that everybody uses
rooms = []                  # rooms that may be used, such as ["container"] (recorded runs: "replay"); empty: all
solutions = "{solutions}"   # "never", "after due" or "always"
due = "{due}"               # such as "2027-01-31 23:59"; empty: none
"""


@dataclass(frozen=True)
class Classroom:
    """A class's folder that can be graded.

    Attributes:
        folder: Where it is.
        rules: Its ``class.toml``.
        labs: The labs that were released.
    """

    folder: Path
    rules: folders.Course
    labs: tuple[str, ...]

    @property
    def submitted(self) -> Path:
        """Where submissions are put."""
        return self.folder / "submitted"

    @property
    def staged(self) -> Path:
        """What nbgrader gets to see of them."""
        return self.folder / folders.HIDDEN / "checked"

    def master(self, lab: str) -> dict[str, Any]:
        """Return the released notebook of a lab."""
        found: dict[str, Any] = json.loads(self.released(lab).read_bytes())
        return found

    def released(self, lab: str) -> Path:
        """Return the path of the released notebook."""
        return self.folder / "release" / lab / f"{lab}.ipynb"


def environment() -> dict[str, str]:
    """Return the environment of a process of nbgrader: an allowlist, our programs first, and the flag that makes it fail closed."""
    kept = {name: os.environ[name] for name in PASSED_ON if name in os.environ}
    # nbgrader starts alembic by its name; without an activated environment that would not be found.
    path = os.pathsep.join([str(Path(sys.executable).parent), kept.get("PATH", os.defpath)])
    return kept | {"PATH": path, RAISE: "1", "MPLBACKEND": "agg"}


def ask(
    folder: Path, order: dict[str, Any], on_answer: Callable[[dict[str, Any]], None] = lambda answer: None
) -> list[dict[str, Any]]:
    """Give an order to nbgrader in a process of its own (:func:`grader.autograde.main`) and return its answers.

    A submission that brings the process down is answered for (``success`` is False), and another process does the rest.

    Raises:
        SetupError: It could not begin; nothing was changed then. Or it ended early at nobody's submission; the text says after how
            many answers.
    """
    log = folder / folders.HIDDEN / "nbgrader.log"
    log.parent.mkdir(parents=True, exist_ok=True)
    log.write_bytes(b"")
    answers: list[dict[str, Any]] = []
    rest: dict[str, Any] | None = order
    while rest is not None:
        before = len(answers)
        for answer in _answers(folder, rest, log):
            if "ended" in answer:
                break
            answers.append(answer)
            on_answer(answer)
        else:
            return answers
        at, rest = _behind(rest, answers[before:], answer["ended"])
        if at is not None:
            text = f"nbgrader's process ended here (exit code {answer['ended']}), and another one did the others"
            answers.append({"student": at[0], "lab": at[1], "success": False, "error": text, "log": ""})
            on_answer(answers[-1])
    tail = log.read_text("utf-8", "replace").strip().splitlines()[-1:]
    raise SetupError(
        f"nbgrader ended (exit code {answer['ended']}) after {len(answers)} answers, before its work was done"
        f"{': ' + tail[0] if tail else ''}. Its log is {log}."
    )


def _answers(folder: Path, order: dict[str, Any], log: Path) -> Iterator[dict[str, Any]]:
    """Yield the answers of one process; the last is ``{"ended": exit code}`` where it ended before it was done."""
    argv = [sys.executable, "-P", "-m", "grader.autograde"]  # -P: nothing in the class folder can stand in for a module
    with log.open("ab") as said:
        process = subprocess.Popen(
            argv, cwd=folder, env=environment(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=said
        )
        assert process.stdin is not None and process.stdout is not None
        with process:
            process.stdin.write(json.dumps(order).encode())
            process.stdin.close()
            for line in process.stdout:
                answer = json.loads(line)
                if "done" in answer:
                    return
                if "error" in answer and "success" not in answer:
                    process.wait()
                    raise SetupError(answer["error"])
                yield answer
    yield {"ended": process.returncode}


def _behind(
    order: dict[str, Any], answers: list[dict[str, Any]], code: int
) -> tuple[tuple[str, str] | None, dict[str, Any] | None]:
    """Return at whose submission (student, lab) a process ended, and the order for what is behind it; None where it was nobody's."""
    if (
        order.get("release") or not answers and code >= 0
    ):  # what is not killed, and has not begun, is not a submission's doing
        return None, None
    grade, feedback = order.get("grade", []), order.get("feedback", [])
    graded, renewed = answers[: len(grade)], answers[len(grade) :]
    feedback = [*feedback, *((one["student"], one["lab"]) for one in graded if one["success"])]
    if len(graded) < len(grade):
        at, grade = grade[len(graded)], grade[len(graded) + 1 :]
    elif len(renewed) < len(feedback):
        at, grade, feedback = feedback[len(renewed)], [], feedback[len(renewed) + 1 :]
    else:
        return None, None
    return (at[0], at[1]), {**order, "grade": grade, "feedback": feedback}


def make(folder: Path, course: str, labs: Iterable[str] = (), solutions: str = "never", due: str = "") -> Classroom:
    """Make a class's folder, or renew what it hands out; ``class.toml`` and ``nbgrader_config.py`` are kept where they are.

    Raises:
        SetupError: There is no such lab, or nbgrader could not make the release; the text says why.
    """
    chosen = tuple(labs) or tuple(slug for slug in catalog.slugs() if (build.SOURCE / slug / f"{slug}.ipynb").is_file())
    for slug in chosen:
        catalog.load(slug)
    folder.mkdir(parents=True, exist_ok=True)
    rules = folder / folders.CLASS_FILE
    if not rules.exists():
        if not course or not course.replace("-", "").replace("_", "").isalnum():
            raise SetupError(
                f"A class needs a short name of letters, digits and -, such as net-2027; {course!r} is none (--course)."
            )
        try:
            datetime.fromisoformat(due or "2027-01-31")
        except ValueError:
            raise SetupError(f"{due!r} is no date such as 2027-01-31 23:59 (--due).") from None
        given = {
            "course": course,
            "salt": secrets.token_hex(8),
            "version": version("fourthreads"),
            "solutions": solutions,
            "due": due,
        }
        rules.write_text(CLASS_TEXT.format(**given), "utf-8")
    folders.course(folder)
    if not (folder / CONFIG).exists():
        (folder / CONFIG).write_text(CONFIG_TEXT, "utf-8")
    for slug in chosen:
        source = folder / "source" / slug
        source.mkdir(parents=True, exist_ok=True)
        (source / f"{slug}.ipynb").write_bytes((build.SOURCE / slug / f"{slug}.ipynb").read_bytes())
        (source / folders.CLASS_FILE).write_bytes(rules.read_bytes())
    (folder / "submitted").mkdir(exist_ok=True)
    for answer in ask(folder, {"release": list(chosen)}):
        if not answer["success"]:
            raise SetupError(f"nbgrader could not make the release of {answer['lab']}: {reason(answer)}")
    return prove(folder)


def prove(folder: Path) -> Classroom:
    """Return the classroom, after everything was looked at that could turn a mark into something else.

    Raises:
        SetupError: With what is missing or does not fit, and what to do. No mark was changed.
    """
    for name in (folders.CLASS_FILE, CONFIG):
        if not (folder / name).is_file():
            raise SetupError(
                f"{folder} has no {name}, so it is no class's folder. Make one: fourthreads grade FOLDER --prepare --course NAME. "
                "No mark was changed."
            )
    rules = folders.course(folder)
    ours = version("fourthreads")
    if rules.version and rules.version != ours:
        raise SetupError(
            f"The class uses Four Threads {rules.version}; this is {ours}. Grade with the class's release. No mark was changed."
        )
    labs = tuple(slug for slug in catalog.slugs() if (folder / "release" / slug / f"{slug}.ipynb").is_file())
    if not labs:
        raise SetupError(
            f"Nothing was released in {folder}. Run: fourthreads grade FOLDER --prepare. No mark was changed."
        )
    room = Classroom(folder, rules, labs)
    for slug in labs:
        for problem in unlike(room, slug):
            raise SetupError(f"The release of {slug} and this version of the lab differ: {problem}. Run: fourthreads grade FOLDER --prepare. "
                             "No mark was changed.")  # fmt: skip
    return room


def unlike(room: Classroom, slug: str) -> Iterator[str]:
    """Yield how the released notebook differs from the lab in what marks rest on: the graded cells and their points."""
    try:
        cells = seat.cells_of(room.master(slug))
    except ValueError:
        yield "it is no notebook"
        return
    graded = {name: cell["metadata"]["nbgrader"].get("points") for cell in cells
              if (name := seat.grade_id(cell)) and cell["metadata"]["nbgrader"].get("grade")}  # fmt: skip
    items = {item.grade_id: item.points for item in catalog.load(slug).items}
    for name in sorted(graded.keys() | items.keys(), key=str):
        if graded.get(name) != items.get(str(name)):
            yield f"{name} has {graded.get(name, 'no')} points there and {items.get(str(name), 'no')} here"


def reason(answer: dict[str, Any]) -> str:
    """Return why an order did not succeed: the exception that nbgrader logged, else its last word."""
    whole = [line.strip() for line in (answer["log"] + "\n" + answer["error"]).splitlines() if line.strip()]
    raised = [line for line in whole if re.match(r"[A-Za-z_]\w*(\.\w+)*: \S", line) and "NbGraderException" not in line]
    return str((raised or whole or ["it gave no reason"])[-1])
