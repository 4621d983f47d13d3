"""``fourthreads start``: the workspace, then JupyterLab in it."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click


@click.command("start", short_help="Open the course in JupyterLab.")
@click.option(
    "--workspace", type=click.Path(file_okay=False, path_type=Path), help="Your folder.  [default: ~/four-threads]"
)
@click.option("--browser/--no-browser", default=True, help="Open a browser, or only print the address.")
@click.option("--port", type=click.IntRange(1, 65535), help="Where JupyterLab listens.  [default: the first free one]")
@click.option("--no-lab", is_flag=True, help="Make or update the workspace only.")
def command(workspace: Path | None, browser: bool, port: int | None, no_lab: bool) -> None:
    """Make your workspace (what you did in it is never overwritten) and open it."""
    from course import jupyter
    from course import workspace as workspaces

    folder = (workspace or workspaces.default()).resolve()
    for placed in workspaces.update(folder):
        if placed.sentence:
            click.echo(placed.sentence)
    click.echo(f"Your workspace is {folder}")
    if no_lab:
        return
    click.echo("JupyterLab opens in it. Ctrl-C, twice, ends it; your work is kept.")
    first = next((name for name in _open_first(folder)), "")
    argv = jupyter.argv(folder, first, browser, port)
    sys.stdout.flush()
    os.chdir(folder)
    os.execve(argv[0], argv, jupyter.environment(folder))  # JupyterLab takes our place, so Ctrl-C and signals reach it


def _open_first(folder: Path) -> list[str]:
    """Return where to start: the course home if there is one, else the first notebook."""
    home = folder / "home.ipynb"
    if home.is_file():
        return ["/tree/home.ipynb"]
    from labs import catalog

    return [f"/tree/{slug}/{slug}.ipynb" for slug in catalog.CURRICULUM if (folder / slug / f"{slug}.ipynb").is_file()]
