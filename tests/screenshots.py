"""Pictures of a lab's notebook as a learner sees it, for its author: ``python -m tests.screenshots SLUG``.

Takes it in JupyterLab at 1280 pixels, light and dark: ``fresh`` (Run All with every blank blank) and ``done`` (blanks filled in,
everything measured). Look at them: wrapping, contrast, tables, what is cut. They go to ``artefacts/``, which git ignores.

Blanks are filled from the lab's own definition: what its stories module's ``node`` says Node does (else any value that the
blank takes), the right answers, the reference script. What is typed into a measure nobody can guess: give ``--fill FILE``, a
JSON object of cell id -> source; it stands above everything else.
"""

from __future__ import annotations

import ast
import importlib
import json
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import click

from course import asking, lint, machinery, warming, workspace
from course.session import Session
from grader import answering
from labs.answers import Refusal
from labs.spec import Blank, Scene
from tests import browser

ROOT = Path(__file__).resolve().parent.parent
ARTEFACTS = ROOT / "artefacts"
README = ROOT / "course" / "docs" / "gates.png"
STATES = ("fresh", "done")


def call(source: str) -> tuple[str, str] | None:
    """Return verb and thing of a cell such as ``gates.predict("start", held=...)`` that has a blank in it; else None."""
    try:
        body = ast.parse(source).body
    except SyntaxError:
        return None
    match body:
        case [ast.Expr(ast.Call(ast.Attribute(attr=verb), [ast.Constant(str(thing)), *_]))] if "..." in source:
            return verb, thing
    return None


def taken(blank: Blank, here: Scene) -> object:
    """Return any value that a blank takes."""
    for value in lint._constants(blank.kind):
        try:
            blank.kind.read(value, here.parameters)
        except Refusal:
            continue
        return value
    return ...


def filled(it: Session, notebook: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield cell id and source for each cell with blanks, filled in."""
    for cell in notebook["cells"]:
        source = "".join(cell["source"])
        if source.startswith("%%node"):
            scripts = sorted((ROOT / "labs" / it.lab.slug / "reference").glob("*.[mc]js"))
            if scripts:
                yield cell["id"], f"{source.splitlines()[0]}\n{scripts[0].read_text('utf-8')}"
        elif cell["cell_type"] == "code" and (found := call(source)):
            verb, thing = found
            values = _values(it, verb, thing)
            yield (
                cell["id"],
                f"{it.name}.{verb}({', '.join([repr(thing), *(f'{key}={value!r}' for key, value in values.items())])})",
            )


def _values(it: Session, verb: str, thing: str) -> dict[str, object]:
    work = it.work()
    if verb == "recall":
        warm = next(warm for warm in it.lab.warm_ups if warm.lab == thing)
        return {warm.blank.name: warm.solve(warming.remember(it, warm).scene)}
    here = it.scene(work, thing)
    if verb == "predict":
        known = _node(it, here).get(thing, {})
        return {blank.name: known.get(blank.name, taken(blank, here)) for blank in it.lab.bet(thing).blanks}
    if verb == "measure":
        return {blank.name: taken(blank, here) for blank in it.lab.measure(thing).typed}
    question = answering.found(it.lab, thing)
    if question is None:
        return {}
    here, seed = asking.scene(it, work, question)
    right: dict[str, object] = dict(answering.solution(question, here))
    for letter, option in answering.lettered(question, here, seed).items():
        if right.get(question.choice) == option.slug:
            right[question.choice] = letter
    return right


def _node(it: Session, here: Scene) -> Mapping[str, Mapping[str, object]]:
    """Return what a lab's ``stories.node`` says Node answers, where the lab has one."""
    try:
        found = importlib.import_module(f"labs.{it.lab.slug}.stories")
        rows: Mapping[str, Mapping[str, object]] = found.node(here)
    except (ImportError, AttributeError, LookupError, TypeError):
        return {}
    return rows


def take(slug: str, theme: str, folder: Path, own: Mapping[str, str], kind: str = "lab") -> Iterator[str]:
    """Yield the files of a lab's pictures in one theme, and what was red or what the console complained about."""
    with tempfile.TemporaryDirectory(prefix="fourthreads-look-") as temporary:
        home = Path(temporary)
        workspace.update(home / "four-threads")
        path = home / "four-threads" / slug / f"{slug}.ipynb"
        for state in STATES:
            if state == "done":
                it = machinery.session(slug, path.parent)
                browser.typed(path, {**dict(filled(it, json.loads(path.read_text("utf-8")))), **own})
            with (
                browser.served(home / state, theme, home / "four-threads") as server,
                browser.chromium(home / state / "profile") as page,
            ):
                book = browser.opened(page, server, f"{slug}/{slug}.ipynb", kind)
                book.run_all()
                yield from map(str, browser.pictures(book, folder, f"{slug}-{kind}-{theme}-{state}"))
                yield from (f"  trouble: {trouble}" for trouble in (*book.red(), *book.troubles))


def readme(path: Path) -> None:
    """Take the README's picture: in `gates`, somebody bets that slots take tasks in batches, and Node does not."""
    cells = ("gates-07-predict-one-gate", "gates-08-measure-one-gate", "gates-10-plot")
    with (
        tempfile.TemporaryDirectory(prefix="fourthreads-look-") as temporary,
        browser.served(Path(temporary)) as server,
        browser.chromium(Path(temporary) / "profile") as page,
    ):
        it = machinery.session("gates", server.workspace / "gates")
        pool = it.drawn(it.work(), "one gate").parameters["pool"]
        book = browser.opened(page, server)
        book.run("gates-02-ready")
        book.fill("gates-04-predict-start", 'gates.predict("start", held=4)')
        book.fill(cells[0], f'gates.predict("one gate", held={pool}, starts=[], sure="bet")')
        for name in ("gates-04-predict-start", "gates-05-measure-start", *cells, "gates-17-check"):
            book.run(name)
        browser.crop(book, cells, path)


@click.command()
@click.argument("slug")
@click.option("--readme", "only_readme", is_flag=True, help="Take only the README's picture, from the lab gates.")
@click.option("--theme", "themes", type=click.Choice([*browser.THEMES]), multiple=True, help="[default: both]")
@click.option("--fill", type=click.Path(exists=True, path_type=Path), help="A JSON object of cell id -> source.")
@click.option("--page", type=click.Choice([*browser.PAGES]), default="lab", help="JupyterLab or Notebook 7.")
@click.option(
    "--out", type=click.Path(path_type=Path), default=ARTEFACTS, help="Where the pictures go.  [default: artefacts]"
)
def main(slug: str, only_readme: bool, themes: tuple[str, ...], fill: Path | None, page: str, out: Path) -> None:
    """Take pictures of a lab's notebook, fresh and done, and say where they are."""
    if only_readme:
        readme(README)
        click.echo(README)
        return
    own = json.loads(fill.read_text("utf-8")) if fill else {}
    for theme in themes or browser.THEMES:
        for line in take(slug, theme, out, own, page):
            click.echo(line)


if __name__ == "__main__":
    main()
