"""The learner's program: mended so that the pool has the wanted size, and the operator has the last word."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from labs import poolsize
from labs.answers import Answer, shown
from labs.birth import drawing as see
from labs.birth import expect
from labs.birth.draw import DEFAULT
from labs.birth.rehearse import STARTER, Findings
from labs.measurement import Record, Run
from labs.rehearsed import broken, refused
from labs.spec import CountCheck, Lines, Rehearsed, Scene, ScriptTask
from labs.words import counted

NO_TOKEN = "token.cjs is not loaded"
NO_READY = "ready was not called"
HINTS = (
    "Who hands in the first job of this program, and in which line? Your line must have run by then.",
    "For the operator's word: set the variable only where it is not set yet. JavaScript has ??= for that.",
)


def _one(run: Run) -> int | str:
    if not run.counts.get("token_loaded"):
        return NO_TOKEN
    return run.counts.get("pool_threads", NO_READY)


def unset(record: Record) -> Answer | None:
    """Return the pool's threads with nothing set outside, or in words what is the matter."""
    found = see.run(record, "nothing set")
    return _one(found) if found else None


def both(record: Record) -> Answer | None:
    """Return the pool's threads with nothing set, and with the operator's size, or in words what is the matter."""
    runs = [see.run(record, name) for name in ("nothing set", "set outside")]
    found = [_one(run) for run in runs if run is not None]
    if len(found) < len(runs):
        return None
    odd = [one for one in found if isinstance(one, str)]
    return odd[0] if odd else tuple(one for one in found if isinstance(one, int))


def wanted(scene: Scene) -> tuple[int, int]:
    """Return what is wanted: with nothing set, and the operator's own."""
    return scene.parameters["size"], scene.parameters["given"]


def ask(scene: Scene) -> str:
    """Return what the program is to do, in the draw's numbers."""
    size, given = wanted(scene)
    return (
        f"Wanted at ready(): {size} threads where nothing is set outside; {given} where the operator has set {given}. "
        "token.cjs stays."
    )


def _told(scene: Scene, record: Record) -> Lines:
    size, given = wanted(scene)
    for run in record.runs:
        want, got = (given if run.name == "set outside" else size), _one(run)
        if got == NO_TOKEN:
            return ("token.cjs was not loaded. The service needs it: keep it, but think of when.",)
        if got == NO_READY:
            return ("ready() was not called. Call it when an answer of the pool is there, as the last line did.",)
        if got == want:
            continue
        if got == 0:
            return ("No pool yet: ready() was called before anybody had handed in a job.",)
        if run.name == "set outside":
            return (
                f"The operator said {given}, and your program made it {got}. Whoever runs a service may know its machine better.",
            )
        return (_why(run, int(got), size, expect.uv(scene)),)
    if len(record.runs) == 1:
        return ("Your line ran before the first job was handed in: what you set is what was read.",)
    return ("Your size where nobody has said anything, the operator's where somebody has.",)


def _promised(run: Run, uv: str) -> int | None:
    """Return the size that libuv would make of what process.env showed at ready(); None where it showed nothing."""
    text = run.claims.get("shown")
    return None if text is None else poolsize.in_force(str(text), uv)


def _why(run: Run, got: int, size: int, uv: str) -> str:
    """Say how a size came about that is not wanted: of what process.env shows, or in spite of it."""
    said, promised = shown(run.claims.get("shown")), _promised(run, uv)
    if promised is None:
        return (
            f"Nobody has set it; then it is {DEFAULT}."
            if got == DEFAULT
            else f"{size} are wanted. Who had asked for {got}?"
        )
    if promised == got:
        return f"process.env shows {said}, and libuv makes {got} of it; {size} are wanted."
    return (
        f"process.env shows {said}, and there are {got}: at the first job C saw no {said}. Either the line came later, or it "
        "changed something that C does not read."
    )


def look(slug: str, scene: Scene) -> Lines:
    """Say what was counted, then speak about it."""
    record = see.record_of(scene)
    size, given = wanted(scene)
    told = "   ".join(
        f"{run.name}: {counted(one, 'thread') if isinstance(one := _one(run), int) else one} "
        f"(wanted {given if run.name == 'set outside' else size})"
        for run in record.runs
    )
    reached = (unset(record) == size) if slug == "unset" else (both(record) == (size, given))
    after = {
        "unset": "Next: and if the operator has set it? (the cell below).",
        "both": "Next: what cannot be (the cell below).",
    }[slug]
    again = f'Next: change the program, run its cell, then this one; birth.hint("{slug}") helps.'
    return (f"POOL   {told}", *_told(scene, record), after if reached else again)


def _said(answer: Answer | None) -> str:
    return ", ".join(map(str, answer)) if isinstance(answer, tuple) else str(answer)


def _check(slug: str) -> CountCheck:
    def expected(scene: Scene) -> Answer:
        size, given = wanted(scene)
        return size if slug == "unset" else (size, given)

    def wrong(scene: Scene) -> Mapping[str, Answer]:
        run = see.run(see.record_of(scene), "nothing set")
        if run is None or _promised(run, expect.uv(scene)) in (None, DEFAULT):
            return {}  # nothing was printed that could have been taken for another size
        return {"printed": DEFAULT if slug == "unset" else (DEFAULT, scene.parameters["given"])}

    measured = unset if slug == "unset" else both

    def because(scene: Scene) -> str:
        return f"Counted at ready(): {_said(measured(see.record_of(scene)))}; wanted was {_said(expected(scene))}."

    return CountCheck(
        slug=f"birth-{slug}",
        measure=slug,
        measured=measured,
        expected=expected,
        wrong=wrong,
        because=because,
        next_step=f'Set the size before the first job is handed in; then birth.measure("{slug}").',
        sanity=lambda record: None if measured(record) is not None else "The program was not run in every way.",
    )


CHECK_UNSET, CHECK_BOTH = _check("unset"), _check("both")


def rehearsed(findings: Mapping[str, Any], scene: Scene) -> Rehearsed:
    """Say what the dry run saw; how many threads there were is for the measurement to show."""
    seen = msgspec.convert(findings, Findings)
    if seen.problem is not None:
        return broken(seen.problem, seen.message, seen.text)
    lines = [ask(scene)]
    if not seen.changed:
        lines.append(
            f"This is the program as it was given: process.env shows {seen.shown}. Mend it, then run this cell again."
        )
        return refused("\n".join(lines))
    if not seen.loaded:
        lines.append("Kept, but token.cjs is not loaded. The service needs it.")
    elif not seen.ready:
        lines.append("Kept, but ready() was not called. Call it when an answer of the pool is there.")
    else:
        lines.append(
            f"Kept. It was run with nothing set outside: token.cjs is loaded, and at ready() process.env shows {seen.shown or 'nothing'}."
        )
        lines.append('Next: birth.measure("unset") counts the threads.')
    return Rehearsed("\n".join(lines), kept=True, complete=seen.loaded and seen.ready)


TASK = ScriptTask(starter=STARTER, rehearse=rehearsed, module="cjs")
