"""``fourthreads labs``: what there is to learn."""

from __future__ import annotations

import click

from course.commands._say import json_option, say_json


@click.command("labs", short_help="List the labs, their questions and honest minutes.")
@json_option
def command(as_json: bool) -> None:
    """List the labs in the order of the course: the question each answers, how long it takes, where it can run."""
    from labs import catalog

    found = [catalog.load(slug) for slug in catalog.slugs()]
    if as_json:
        keys = ("slug", "number", "title", "minutes", "rooms", "max_points")
        say_json([{key: getattr(lab, key) for key in keys} for lab in found])
        return
    for lab in found:
        click.echo(f"{lab.number:>2}  {lab.slug:<11}{lab.title}  ({lab.minutes} min; runs in: {', '.join(lab.rooms)})")
