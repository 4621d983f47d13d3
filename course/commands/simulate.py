"""``fourthreads simulate``: what libuv would do, without running anything."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import click

from course.commands._say import json_option, say_json

if TYPE_CHECKING:
    from labs.simulate import WhatIf

KINDS = ("cpu", "file", "name")
SAYS = {"cpu": "hashes", "file": "file requests", "name": "name lookups"}
#: At most so many tasks are drawn, one a line.
MOST_LINES = 40
WIDTH = 60


@click.command("simulate", short_help="What if? Predict a pool's schedule, or be asked to.")
@click.option("--tasks", type=click.IntRange(1, 100_000), help="Equal tasks, all asked for at once.  [default: 8]")
@click.option("--pool", type=click.IntRange(1, 1024), help="Slots of the pool.  [default: 4]")
@click.option("--cores", type=click.IntRange(1, 4096), help="Cores, for tasks that compute.  [default: 2]")
@click.option("--kind", type=click.Choice(KINDS), help="cpu computes; file and name only wait.  [default: cpu]")
@click.option("--seed", type=int, help="Draw what is not given, and ask instead of answering.")
@click.option("--answer", is_flag=True, help="With --seed: give the answer too.")
@json_option
def command(
    tasks: int | None,
    pool: int | None,
    cores: int | None,
    kind: str | None,
    seed: int | None,
    answer: bool,
    as_json: bool,
) -> None:
    """Play a program through the model of libuv's pool. Times are in service times of one task, alone on a core.

    Where more tasks compute than there are cores, the operating system decides who runs; the answer is then an interval.

    With --seed the numbers you leave out are drawn and you are asked; --answer shows the answer. JSON always has it.
    """
    from labs.simulate import what_if
    from labs.words import counted

    drawn = random.Random(seed)
    usual: dict[str, Any] = {"tasks": 8, "pool": 4, "cores": 2, "kind": "cpu"}
    if seed is not None:
        usual = {
            "pool": (slots := drawn.randint(2, 6)),
            "tasks": drawn.randint(slots + 1, 3 * slots),
            "cores": drawn.choice((1, 2, 4, 8)),
            "kind": drawn.choice(KINDS),
        }
    tasks, pool = tasks or usual["tasks"], pool or usual["pool"]
    cores, kind = cores or usual["cores"], kind or usual["kind"]
    found = what_if(tasks, pool, cores, kind)  # type: ignore[arg-type]  # one of the three, by click's Choice
    if as_json:
        asked = {"pool": pool, "cores": cores, "kind": kind, "count": tasks}
        keys = ("makespan", "peak", "waves", "tasks", "certainty")
        say_json({**{key: getattr(found, key) for key in keys}, "asked": asked})
        return
    one = {"cpu": "hash", "file": "file request", "name": "name lookup"}[kind]
    click.echo(f"{counted(tasks, one, SAYS[kind])} at once, {counted(pool, 'slot')}, {counted(cores, 'core')}.")
    if seed is not None and not answer:
        click.echo("How many run at once at most? After how many service times is the last one done?")
        click.echo("Write your numbers down, then run it again with --answer.")
        return
    click.echo(describe(found))


def describe(found: WhatIf) -> str:
    """Return the schedule as text: one line a task, ``.`` waits, ``#`` runs for sure, ``-`` may run."""
    low, high = found.makespan
    span = f"{low:.2f}" if low == high else f"{low:.2f} to {high:.2f}"
    lines = [f"At most {found.peak} at once; the last one is done after {span} service times."]
    scale = WIDTH / high if high else 0.0
    for task in found.tasks[:MOST_LINES]:
        if task.started is None or task.finished is None:
            lines.append(f"{task.name:>4} (never)")
            continue
        at = [
            round(scale * moment)
            for moment in (task.started.low, task.started.high, task.finished.low, task.finished.high)
        ]
        sure = max(at[2], at[1])
        bar = "." * at[0] + "-" * (at[1] - at[0]) + "#" * (sure - at[1]) + "-" * (at[3] - sure)
        lines.append(f"{task.name:>4} {bar}")
    if len(found.tasks) > MOST_LINES:
        lines.append(f"     ... and {len(found.tasks) - MOST_LINES} more")
    lines.append(
        "  .  waits for a slot      #  is at work"
        + ("      -  may be at work, or done, or not begun" if low != high else "")
    )
    if low != high:
        lines.append(
            "More tasks compute than there are cores: who runs when is the scheduler's, so times are intervals."
        )
    return "\n".join(lines)
