"""``fourthreads doctor``: what this machine can run, and why not."""

from __future__ import annotations

import sys

import click

from course.commands._say import json_option, progress, say_json


@click.command("doctor", short_help="Say what this machine can run, why not, and what to do.")
@click.option("--share", is_flag=True, help="One line for a table of the class; names nobody.")
@click.option("--quick", is_flag=True, help="Look only; do not open each room once.")
@json_option
def command(share: bool, quick: bool, as_json: bool) -> None:
    """Look at Node, at what may be watched, at the notebooks, and open each room once.

    \b
    Exit code: 0 where at least one room works, else 2.
    """
    from course import doctor

    with progress("trying the rooms") as advance:
        report = doctor.look(not quick, advance)
    if as_json:
        say_json(doctor.as_data(report))
    else:
        click.echo(doctor.share(report) if share else doctor.describe(report))
    sys.exit(0 if report.rooms and report.node else 2)
