"""``fourthreads build``: the notebooks from their masters."""

from __future__ import annotations

import sys

import click


@click.command("build", short_help="Build the notebooks from their masters (for authors).")
@click.option("--check", is_flag=True, help="Change nothing; exit 1 where a notebook is not what its master says.")
def command(check: bool) -> None:
    """Build course/source/SLUG/SLUG.ipynb from course/notebooks/NN_slug.py."""
    from course import build

    if check:
        old = list(build.stale())
        for path in old:
            click.echo(f"{path.relative_to(build.ROOT.parent)} is not what its master says. Run: fourthreads build")
        sys.exit(1 if old else 0)
    for path in build.build():
        click.echo(f"built {path.relative_to(build.ROOT.parent)}")
