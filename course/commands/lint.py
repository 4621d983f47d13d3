"""``fourthreads lint``: the course checks itself."""

from __future__ import annotations

import sys

import click


@click.command("lint", short_help="Check every lab against the rules of the course (for authors).")
@click.option("--live", is_flag=True, help="Measure each reference solution, too.")
@click.argument("slugs", nargs=-1)
def command(live: bool, slugs: tuple[str, ...]) -> None:
    """Check all labs, or those named SLUGS; exit 1 where something is found."""
    from course import lint
    from labs import catalog

    for slug in slugs:
        catalog.load(slug)
    found = [(slug, finding) for slug, finding in lint.course() if not slugs or slug in slugs]
    if live:
        for slug in slugs or catalog.slugs():
            found += [
                (slug, finding) for finding in lint.live(catalog.load(slug), lambda what: click.echo(what, err=True))
            ]
    for slug, finding in found:
        click.echo(f"{slug}: {finding}")
    sys.exit(1 if found else 0)
