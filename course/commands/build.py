"""``fourthreads build``: the notebooks from their masters, and recorded runs without the scripts that earn points."""

from __future__ import annotations

import sys

import click


@click.command("build", short_help="Build the notebooks from their masters (for authors).")
@click.option("--check", is_flag=True, help="Change nothing; exit 1 where something would be changed.")
def command(check: bool) -> None:
    """Build course/source/SLUG/SLUG.ipynb from course/notebooks/NN_slug.py, and take solutions out of labs/SLUG/replay."""
    from course import build, recorded
    from labs import catalog

    if check:
        old = list(build.stale())
        for path in old:
            click.echo(f"{path.relative_to(build.ROOT.parent)} is not what its master says. Run: fourthreads build")
        told = [path for slug in catalog.slugs() for path in recorded.telling(catalog.load(slug))]
        for path in told:
            click.echo(f"{path.name} holds the text of a script that earns points. Run: fourthreads build")
        sys.exit(1 if old or told else 0)
    for path in build.build():
        click.echo(f"built {path.relative_to(build.ROOT.parent)}")
    for path in recorded.silence():
        click.echo(f"took the script out of {path.name}, the recorded run: it earns points")
