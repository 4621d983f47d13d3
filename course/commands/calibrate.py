"""``fourthreads calibrate``: how much work this machine gets done at once."""

from __future__ import annotations

import click

from course.commands._say import json_option, progress, say_json


@click.command("calibrate", short_help="Measure how much work this machine gets done at once.")
@click.option("--cores", type=click.IntRange(min=1), help="On so many cores only, by affinity.")
@click.option("--cached", is_flag=True, help="Take the last calibration, if it still holds.")
@json_option
def command(cores: int | None, cached: bool, as_json: bool) -> None:
    """Measure the capacity curve (the work that k threads get done together, in units of one alone) and the noise floor.

    Takes about five seconds. The result is kept for six hours, and void when the machine changes.
    """
    from labs import machine

    with progress("calibrating") as advance:
        found = machine.calibrated(cores, on_progress=advance, fresh=not cached)
    if as_json:
        say_json(found)
        return
    seen = found.machine
    click.echo(f"Cores: {seen.cores}" + (f", CPU quota: {seen.quota:g} cores" if seen.quota is not None else ""))
    click.echo("Threads   work done at once (one alone = 1)")
    for threads, capacity in enumerate(seen.capacity, 1):
        click.echo(f"{threads:>7}   {capacity:5.2f}  {'=' * round(8 * capacity)}")
    if found.noise.floor is not None:
        click.echo(f"Noise floor: the same measurement twice differs by up to {found.noise.floor:.2f} times.")
    for warning in found.warnings:
        click.echo(f"Mind: {warning}")
