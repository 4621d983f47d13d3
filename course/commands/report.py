"""``fourthreads report``: the class's table anew, a class's bets for the projector, or a learner's own card as a page."""

from __future__ import annotations

from pathlib import Path

import click

from course.commands._say import json_option, say_json


@click.command("report", short_help="Write a class's table or its bets, or your own card, as a page.")
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path), default=".")
@click.option("--bets", "slug", metavar="SLUG", default="",
              help="Count the bets of one lab in what lies in FOLDER, graded or not; before anybody measures.")  # fmt: skip
@json_option
def command(folder: Path, slug: str, as_json: bool) -> None:
    """Write the reports of FOLDER anew; nothing is graded.

    In a class's folder: the table and every feedback page, with what was set by hand in formgrader since. In a learner's
    workspace, or a lab's folder in it: card.html in the workspace, a page that works offline.

    With --bets: histograms-SLUG.html, for the projector. FOLDER is a class's folder, or any folder with hand-ins in it (packed
    files, notebooks, a folder a learner). It shows no names, and what Node did only when you open it.
    """
    folder = folder.resolve()
    if slug:
        _bets(folder, slug, as_json)
        return
    from course import classroom, grading
    from course import folder as folders
    from course.commands.grade import show

    if (
        (folder / classroom.CONFIG).is_file()
        or (folder / folders.CLASS_FILE).is_file()
        and (folder / "submitted").is_dir()
    ):
        room = classroom.prove(folder)
        show(grading.again(room), folder / grading.REPORTS, as_json)
        return
    from course import cardpage, workspace

    click.echo(f"Your card: {cardpage.write(workspace.around(folder))}")


def _bets(folder: Path, slug: str, as_json: bool) -> None:
    from course import histograms
    from labs import catalog

    catalog.load(slug)
    everybody = histograms.collected(folder, slug)
    page = histograms.write(folder, slug, everybody)
    found = histograms.count(slug, everybody)
    if as_json:
        say_json({"lab": slug, "handed_in": len(everybody), "bets": found, "page": str(page)})
        return
    for one in found:
        changed = f", {one.changed} changed before looking" if one.changed else ""
        click.echo(f"step {one.step:<4}{one.bet:<16}{one.learners} of {len(everybody)}{changed}")
    click.echo(f"For the projector: {page}")
