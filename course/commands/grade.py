"""``fourthreads grade``: a class's folder, from release to marks."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from course.commands._say import json_option, progress, say_json

#: More rows than this are not printed one by one.
MOST_LINES = 100


@click.command("grade", short_help="Grade a class (for instructors).")
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path))
@click.option("--prepare", is_flag=True, help="Make the class's folder and its releases, or renew them.")
@click.option("--course", default="", help="With --prepare: the class's short name, such as net-2027.")
@click.option("--solutions", type=click.Choice(["never", "after due", "always"]), default="never", show_default=True,
              help="With --prepare: whether students get the reference solutions.")  # fmt: skip
@click.option("--due", default="", help='With --prepare: when work is due, such as "2027-01-31 23:59".')
@click.option("--lab", "labs", multiple=True, help="Only this lab; may be given more than once.  [default: all]")
@click.option(
    "--student", "students", multiple=True, help="Only this student; may be given more than once.  [default: all]"
)
@click.option("--formgrader", is_flag=True, help="Open nbgrader's pages for grading by hand.")
@click.option("--port", type=click.IntRange(1, 65535), help="With --formgrader: where it listens.")
@click.option(
    "--browser/--no-browser", default=True, help="With --formgrader: open a browser, or only print the address."
)
@json_option
def command(
    folder: Path, prepare: bool, course: str, solutions: str, due: str, labs: tuple[str, ...], students: tuple[str, ...],
    formgrader: bool, port: int | None, browser: bool, as_json: bool,
) -> None:  # fmt: skip
    """Grade what lies in FOLDER/submitted: one row a student and lab, whatever was handed in. No code of a student's runs.

    \b
    FOLDER/release      what students get: the notebook and class.toml
    FOLDER/handout      the course itself as students install it, without the reference solutions
    FOLDER/submitted    STUDENT/LAB/..., as nbgrader collects it; or a lone STUDENT/LAB.ipynb; or one packed file
    FOLDER/feedback     a page for each student and lab
    FOLDER/report       class.html, class.csv, class.json, histograms-LAB.html

    \b
    Exit code: 0 every submission was graded, 1 some could not be (the report says which and why), 2 nothing was done.
    """
    folder = folder.resolve()
    if prepare:
        _prepare(folder, course, labs, solutions, due)
    elif formgrader:
        _formgrader(folder, port, browser)
    else:
        _grade(folder, labs, students, as_json)


def _prepare(folder: Path, course: str, labs: tuple[str, ...], solutions: str, due: str) -> None:
    from course import classroom, handout

    kept = (folder / "class.toml").exists()
    room = classroom.make(folder, course, labs, solutions, due)
    rules = room.rules
    if kept and (
        course not in ("", rules.course) or due not in ("", rules.due) or solutions not in ("never", rules.solutions)
    ):
        click.echo(f"The rules stay those of {folder / 'class.toml'}; change them there and prepare again.", err=True)
    package = handout.write(room)
    click.echo(f"Class {room.rules.course}: released {', '.join(room.labs)} in {folder / 'release'}.")
    click.echo(f"The course for students' machines: {package}")
    click.echo(f"Put submissions into {room.submitted}/STUDENT/LAB/, then: fourthreads grade {folder}")


def _formgrader(folder: Path, port: int | None, browser: bool) -> None:
    import os

    from course import classroom, jupyter

    room = classroom.prove(folder)
    classroom.ask(room.folder, {})
    argv = jupyter.argv(folder, "/formgrader", browser, port, page="")
    sys.stdout.flush()
    os.chdir(folder)
    os.execve(argv[0], argv, dict(os.environ) | {classroom.RAISE: "1"})


def _grade(folder: Path, labs: tuple[str, ...], students: tuple[str, ...], as_json: bool) -> None:
    from course import grading

    with progress("grading") as advance:
        rows = grading.grade(folder, labs, students, advance)
    show(rows, folder / grading.REPORTS, as_json)
    sys.exit(1 if any(row["state"] == "not graded" for row in rows) else 0)


def show(rows: list[dict[str, Any]], reports: Path, as_json: bool) -> None:
    """Print the rows: as JSON, or a line each with where to read more; of a large class only those that need a look."""
    from course import grading

    if as_json:
        say_json(rows)
        return
    seen = (
        rows
        if len(rows) <= MOST_LINES
        else [row for row in rows if row["state"].startswith("not ") or row["findings"] or row["remarks"]]
    )
    for row in seen:
        points = "-" if row["points"] is None else f"{row['points']:g} of {row['max_points']:g}"
        looks = len(row["findings"]) + len(row["remarks"])
        more = f"   {looks} to look at" if looks else ""
        click.echo(f"{row['student']:<20} {row['lab']:<11}{row['state']:<19}{points:<12}{more}".rstrip())
    if len(seen) < len(rows):
        click.echo(f"{len(rows) - len(seen)} more rows have nothing to look at.")
    for row in rows:
        if row["changed"]:
            click.echo(f"Changed since the last report: {row['student']} {row['lab']} {row['changed']}")
    if left_out := grading.left_out(reports.parent, rows):
        click.echo(f"Nobody handed in: {', '.join(left_out)}.")
    click.echo(f"{len(rows)} rows, with reasons, in {reports} (class.csv, class.json, class.html).")
