"""``fourthreads report``: the class's table anew, or a learner's own card as a page."""

from __future__ import annotations

from pathlib import Path

import click

from course.commands._say import json_option


@click.command("report", short_help="Write a class's table, or your own card as a page.")
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path), default=".")
@json_option
def command(folder: Path, as_json: bool) -> None:
    """Write the reports of FOLDER anew; nothing is graded.

    In a class's folder: the table and every feedback page, with what was set by hand in formgrader since. In a learner's
    workspace: card.html, a page that works offline.
    """
    from course import classroom, grading
    from course import folder as folders
    from course.commands.grade import show

    folder = folder.resolve()
    if (
        (folder / classroom.CONFIG).is_file()
        or (folder / folders.CLASS_FILE).is_file()
        and (folder / "submitted").is_dir()
    ):
        room = classroom.prove(folder)
        show(grading.again(room), folder / grading.REPORTS, as_json)
        return
    from course import cardpage

    click.echo(f"Your card: {cardpage.write(folder)}")
