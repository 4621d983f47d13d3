"""``fourthreads pack``: one file to hand in."""

from __future__ import annotations

from pathlib import Path

import click


@click.command("pack", short_help="Pack one lab into a single file to hand in.")
@click.argument("slug")
@click.option(
    "--workspace",
    type=click.Path(file_okay=False, path_type=Path),
    help="Your folder.  [default: the one you are in, else ~/four-threads]",
)
@click.option(
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    help="The file.  [default: SLUG.zip in the current folder]",
)
def command(slug: str, workspace: Path | None, output: Path | None) -> None:
    """Pack notebook and journal of the lab SLUG into one plain zip file, for a platform that takes single files.

    Save the notebook first. The notebook alone would do as well; with the journal nothing depends on its outputs.
    """
    from course import workspace as workspaces
    from grader import packing
    from grader.files import read_plain
    from labs import catalog
    from labs.errors import SetupError
    from labs.journal import FILE_NAME

    catalog.load(slug)
    folder = workspace / slug if workspace else workspaces.of_lab(slug, Path.cwd())
    found = {name: read_plain(folder / name) for name in (f"{slug}.ipynb", FILE_NAME)}
    files = {name: data for name, data in found.items() if data is not None}
    if not files:
        raise SetupError(
            f"There is no work in {folder}: {slug}.ipynb and {FILE_NAME} were looked for. Is --workspace right?"
        )
    target = output or Path(f"{slug}.zip")
    target.write_bytes(packing.pack(files))
    click.echo(
        f"{target}: {' and '.join(sorted(files))} of {folder}, {target.stat().st_size} bytes. Hand in this one file."
    )
