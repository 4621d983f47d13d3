"""``fourthreads check``: judge a record."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from course.commands._say import json_option

if TYPE_CHECKING:
    from grader.verdict import Verdict
    from labs.measurement import Record

#: What is said of a record that no check and no law is about: no verdict, and no hint that something is missing.
NOTHING = (
    "The record can be read and nothing in it is judged: of what this measure counts the model expects no one value (times, say, or "
    "what differs between releases of Node)."
)


@click.command("check", short_help="Judge a record against the model.")
@click.argument("slug")
@click.argument("record", type=click.Path(dir_okay=False, path_type=Path, allow_dash=True))
@json_option
def command(slug: str, record: Path, as_json: bool) -> None:
    """Judge a RECORD of the lab SLUG (a file as `measure --json` writes it, or - for standard input).

    \b
    Exit code: 0 nothing contradicts, 1 something does, 2 the record is refused.
    """
    from grader import judge, verdict
    from labs import catalog

    lab = catalog.load(slug)
    verdicts = judge.judge_record(lab, read(record, slug))
    click.echo(verdict.to_json(verdicts) if as_json else describe(verdicts))
    sys.exit(verdict.exit_code(verdicts))


def read(path: Path, slug: str) -> Record:
    """Return the record in a file, strictly read.

    Raises:
        RecordError: It is no record, or one of another lab; the text starts with the field's path.
    """
    from grader.files import read_plain
    from labs.errors import RecordError
    from labs.measurement import LARGEST_RECORD, decode

    if str(path) == "-":
        data: bytes | None = sys.stdin.buffer.read(LARGEST_RECORD + 1)
    else:
        data = read_plain(path)
    if data is None:
        raise RecordError(str(path), "does not exist; a file written by `fourthreads measure --json` was looked for")
    found = decode(data)
    if found.lab != slug:
        raise RecordError("$.lab", f"is {found.lab!r}; this judges records of {slug!r}")
    return found


def describe(verdicts: tuple[Verdict, ...]) -> str:
    """Return the verdicts as text: outcome, check, what was measured and expected, why, what to do."""
    lines: list[str] = []
    for found in verdicts:
        lines.append(f"{found.outcome.value:<14}{found.check}")
        if found.measured is not None:
            lines.append(f"  measured {show(found.measured)}, expected {show(found.expected)}")
        if found.wrong_models:
            lines.append(f"  fits: {', '.join(found.wrong_models)}")
        lines += [f"  {text}" for text in (found.because, found.next_step and f"Next: {found.next_step}") if text]
    return "\n".join(lines) or NOTHING


def show(value: Any) -> str:
    """Return a measured or expected value as people write it."""
    if isinstance(value, float):
        return f"{value:.3g}"
    if isinstance(value, list | tuple):
        shown = [show(item) for item in value]
        return ("; " if any(" " in item for item in shown) else " ").join(shown) or "none"
    return str(value)
