"""``%%node SLUG``: keep the learner's script, run it dry, and say within a second what was seen."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

from course import steps
from course.reply import Reply, say
from course.session import Session
from grader.work import Work
from labs import acts
from labs.errors import ScriptError
from labs.spec import Measure, Scene

#: A longer script is not kept (bytes): it goes into the journal, and into each output that it is evidence for.
LARGEST = 256 * 1024
NO_SCRIPT = "Write your script below the line %%node {slug}, in the same cell, and run it. Nothing was changed."


def node(session: Session, text: object) -> Reply:
    """Rehearse a script and keep it, unless it does not parse: then the last working version stays."""
    lab, task = session.lab, session.lab.script
    if task is None:
        return say(f"The lab {lab.slug} has no script of yours.", state="refused")
    if not isinstance(text, str) or (size := len(text.encode("utf-8", "replace"))) > LARGEST:
        what = f"Your script has {size:,} bytes" if isinstance(text, str) else "A script is a text"
        return say(f"{what}; at most {LARGEST:,} bytes are kept. Nothing was changed.", state="refused")
    if not text.strip():
        return say(NO_SCRIPT.format(slug=lab.slug), state="refused")
    work = session.work()
    uses = _uses(lab.measures)
    known = next((made for made, _ in reversed(work.scripts) if made.text == text), None)
    if session.frozen:
        return say("Nothing is run while a notebook is graded.", state="refused")
    try:
        here = _scene(session, uses)
        findings = session.rehearse(uses, text, here)
    except ScriptError as problem:
        return say(str(problem), "The next run is not affected.", state="script", entries=session.about(uses))
    said = task.rehearse(findings, here)
    if said.kept:
        session.at_hand["script"] = text
    if known is None or (known.kept, known.complete) != (said.kept, said.complete) or not _settled(work, text):
        session.write("script", acts.Scripted(text=text, kept=said.kept, complete=said.complete))
    lines = [said.text]
    if said.complete and "Next:" not in said.text:
        lines.append(steps.after(lab, "node"))
    return say(*lines, state="script", entries=session.about(uses))


def _scene(session: Session, uses: str) -> Scene:
    """Return the scene of a dry run: one script may be for several measures, and each has its own draw in force."""
    here = session.scene(session.work(), uses)
    runs = [measure.slug for measure in session.lab.measures if measure.script and not measure.free]
    return dataclasses.replace(here, scripted={slug: session.drawn(session.work(), slug).parameters for slug in runs})


def _settled(work: Work, text: str) -> bool:
    """Say whether the journal need not be told of this script again.

    It is the last one there; or this one and that one have both been measured, each for its own step: then running all cells
    of a finished notebook goes from one to the other and back, and says nothing new.
    """
    last = work.script()
    newest = (work.latest(measure.slug) for measure in work.lab.measures if measure.script)
    return text == last or {text, last} <= {kept.record.script.text for kept in newest if kept is not None}


def _uses(measures: tuple[Measure, ...]) -> str:
    return next((measure.slug for measure in measures if measure.script), measures[0].slug)


def register(find: Callable[[str], Callable[[str], None]]) -> None:
    """Teach the running notebook the cell magic; ``find`` gives the opened lab's own ``node``. Nothing happens elsewhere."""
    from course.display import shell

    running = shell()
    if running is None:
        return

    def told(line: str, cell: str | None = None) -> None:
        find(line.strip())(cell or "")

    running.register_magic_function(told, magic_kind="line_cell", magic_name="node")
    if with_a_body not in running.input_transformers_cleanup:
        running.input_transformers_cleanup.insert(0, with_a_body)


def with_a_body(lines: list[str]) -> list[str]:
    """Return a cell's lines, and an empty one more where there is %%node alone: IPython would refuse that before we are asked."""
    alone = "".join(lines).strip()
    return [f"{alone}\n", "\n"] if alone.startswith("%%node") and "\n" not in alone else lines
