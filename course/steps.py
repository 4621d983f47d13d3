"""Where a learner is: the steps of a lab, which are done, which comes next."""

from __future__ import annotations

from grader import answering
from grader import work as works
from grader.marks import skipped
from grader.work import Work
from labs.spec import Lab

#: Verbs that a step may start with.
ACTS = frozenset({"recall", "predict", "measure", "evidence", "explain", "plot", "what_if", "node", "check"})
#: Steps that may be left out without being "where you are".
OPTIONAL = frozenset({"recall", "evidence", "plot", "what_if", "check"})


def act(step: str) -> tuple[str, str]:
    """Return a step's verb and thing; a step that is only read has the verb ``read``."""
    verb, _, thing = step.partition(" ")
    return (verb, thing) if verb in ACTS else ("read", step)


def done(work: Work, step: str) -> bool:
    """Return whether a step that is an act was done, at the draw in force or an earlier one: new numbers take nothing back."""
    verb, thing = act(step)
    lab = work.lab
    if thing in lab.skips and skipped(work):
        return True
    match verb:
        case "predict":
            bet = lab.bet(thing)
            return any(works.standing(work, bet, number) is not None for number in work.numbers(thing))
        case "measure":
            return any(name == thing for name, _ in work.records)
        case "explain":
            return any(answering.is_settled(work, thing, number) for number in work.numbers(thing))
        case "node":
            return any(made.kept and made.complete for made, _ in work.scripts)
        case "evidence":
            return thing in work.looked
    return False


def stood_for(lab: Lab) -> tuple[str, ...]:
    """Return the steps that the way past stands for."""
    acts = ((step, *act(step)) for step in lab.steps)
    return tuple(step for step, verb, thing in acts if thing in lab.skips and verb not in OPTIONAL)


def position(work: Work) -> int:
    """Return the step a learner is at, from 1: right after the last one done before the first that is open."""
    steps = work.lab.steps
    at = min(3, len(steps))
    for index, step in enumerate(steps, start=1):
        verb, _ = act(step)
        if verb == "read" or verb in OPTIONAL:
            continue
        if not done(work, step):
            break
        at = index + 1
    return min(at, len(steps))


def after(lab: Lab, step: str) -> str:
    """Return the sentence that names the step after this one."""
    if step not in lab.steps:
        return "Next: the cell below."
    index = lab.steps.index(step) + 1
    if index >= len(lab.steps):
        return f"Next: {lab.slug}.check() shows your card."
    verb, thing = act(lab.steps[index])
    calls = {
        "recall": f'{lab.slug}.recall("{thing}", ...)',
        "predict": f'your bet, {lab.slug}.predict("{thing}", ...)',
        "measure": f'{lab.slug}.measure("{thing}"{", ..." if _typed(lab, thing) else ""})',
        "evidence": f'{lab.slug}.evidence("{thing}")',
        "explain": f'{lab.slug}.explain("{thing}", ...)',
        "plot": f"your records as a picture, {lab.slug}.plot()",
        "what_if": f"numbers to play with, {lab.slug}.what_if()",
        "node": f"your script, the cell with %%node {lab.slug}",
        "check": f"{lab.slug}.check()",
    }
    return f"Next: step {index + 1}, {calls.get(verb, thing)}."


def _typed(lab: Lab, thing: str) -> bool:
    return any(measure.slug == thing and measure.typed for measure in lab.measures)
