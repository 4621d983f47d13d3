"""``fourthreads trial``: how often do the checks err?"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

from course.commands._say import json_option, progress, say_json

if TYPE_CHECKING:
    from grader.shapes import MachineShape


@click.command("trial", short_help="Try every check, and say how often it errs (for authors).")
@click.argument("slugs", nargs=-1, metavar="[SLUG ...]")
@click.option("--cores", default="", help="Numbers of cores, by affinity, such as 1,2.  [default: all]")
@click.option(
    "--load", default="idle", show_default=True, help="idle, busy (processes of ours compute beside), or both."
)
@click.option(
    "--quota", multiple=True, type=click.FloatRange(0.05, 1024), help="A CPU quota too, such as 0.5, on most cores."
)
@click.option(
    "--runs",
    type=click.IntRange(0),
    default=10,
    show_default=True,
    help="Live runs of right ways, and of wrong, a check.",
)
@click.option(
    "--pairs", type=click.IntRange(0), help="Pairs of runs to record for each ratio.  [default: as many as runs]"
)
@click.option("--room", help="Where: here, namespace or container.  [default: the lab's first that works]")
@click.option("--resume", type=click.Path(dir_okay=False, path_type=Path), help="Go on with this file of results.")
@click.option(
    "--page", type=click.Path(dir_okay=False, path_type=Path), help="Write the tables there, as Markdown, too."
)
@json_option
def command(
    slugs: tuple[str, ...],
    cores: str,
    load: str,
    quota: tuple[float, ...],
    runs: int,
    pairs: int | None,
    room: str | None,
    resume: Path | None,
    page: Path | None,
    as_json: bool,
) -> None:
    """Try every check of the labs SLUGS (all by default) on the reference solution and on wrong ways.

    Results are appended to a file as they come: stop whenever you like, and go on with --resume FILE.

    \b
    fourthreads trial gates --runs 20
    fourthreads trial gates waves --cores 1,2 --load idle,busy --quota 0.5 --runs 250 --resume trial.jsonl

    \b
    Exit code: 0 no check erred, 1 one did (the table says which), 2 wrong use or setup.
    """
    from grader import trial, trial_log, trial_page, trial_table
    from labs import catalog, trials

    chosen = slugs or tuple(slug for slug in catalog.slugs() if trials.of(slug) is not None)
    for slug in chosen:
        catalog.load(slug)
        if trials.of(slug) is None:
            raise click.UsageError(f"{slug} has nothing to try: labs/{slug}/reference/trial.py is not there.")
    path = resume or Path(f"fourthreads-trial-{time.strftime('%Y%m%d-%H%M%S')}.jsonl")
    units = trial.plan(chosen, shapes(cores, load, quota), runs, runs if pairs is None else pairs)
    try:
        with progress("trial") as advance:
            trial.run(units, path, room, advance, shown(chosen, cores, load, quota, runs, pairs, room))
    finally:
        click.echo(f"Results: {path}. Go on, or add to it, with --resume {path}", err=True)
    lines = trial_log.read(path)
    rows = trial_table.rows(lines)
    if page is not None:
        page.write_text(trial_page.page(lines, rows), encoding="utf-8")
    if as_json:
        say_json(rows)
    else:
        click.echo(trial_page.text(rows))
    sys.exit(int(any(row.false_fail.errors or row.false_pass.errors or row.wrong_name.errors for row in rows)))


def shapes(cores: str, load: str, quota: tuple[float, ...]) -> tuple[MachineShape, ...]:
    """Return the machine shapes that were asked for: cores x load, then each quota on the most cores, idle.

    Raises:
        UsageError: A word is no number of cores, or no load.
    """
    from grader.shapes import MachineShape
    from labs import machine

    try:
        counts = [int(part) for part in cores.split(",")] if cores else [machine.cores()]
    except ValueError as problem:
        raise click.UsageError(f"--cores takes whole numbers such as 1,2, not {cores!r}.") from problem
    loads = load.split(",")
    if strange := sorted({*loads} - {"idle", "busy"}):
        raise click.UsageError(f"--load takes idle and busy, not {strange[0]!r}.")
    found = [MachineShape(count, name == "busy") for count in counts for name in loads]
    return (*found, *(MachineShape(max(counts), False, limit) for limit in quota))


def shown(
    slugs: tuple[str, ...], cores: str, load: str, quota: tuple[float, ...], runs: int, pairs: int | None, room: str | None,
) -> str:  # fmt: skip
    """Return the command as it would be typed, without the files of one machine."""
    words = ["fourthreads trial", *slugs, *([f"--cores {cores}"] if cores else []), f"--load {load}"]
    words += [f"--quota {limit:g}" for limit in quota]
    words += [
        f"--runs {runs}",
        *([f"--pairs {pairs}"] if pairs is not None else []),
        *([f"--room {room}"] if room else []),
    ]
    return " ".join(words)
