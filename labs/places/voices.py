"""What speaks against a story: an observation in the record at hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from labs.measurement import Run
from labs.places import paths
from labs.places.orders import ROUTES
from labs.spec import Lines, Scene
from labs.words import WIDTH, listed

LETTERS = "abcdefgh"


def against(scene: Scene) -> str:
    """Return the observation that does not fit the paths that were said, for the calls where they differ from Node's."""
    assert scene.record is not None
    said = scene.answers.get("paths")
    found = paths.all_seen(scene.record) or ()
    if not isinstance(said, tuple) or len(said) != len(found):
        return ""
    reasons: dict[str, list[int]] = {}
    for place, (one, other) in enumerate(zip(said, found, strict=True)):
        if one != other:
            reasons.setdefault(_reason(str(one), other), []).append(place)
    # What most calls speak of comes first, and a second observation where the line has room for it.
    first, *more = [
        _said(reason, reasons[reason]) for reason in sorted(reasons, key=lambda one: (-len(reasons[one]), reasons[one]))
    ] or ["nothing differs"]
    both = [f"But {first}; and {other}." for other in more[:1]]
    return next((line for line in both if len(line) <= WIDTH), f"But {first}.")


def _reason(said: str, found: str) -> str:
    if "P" in found and "P" not in said:
        return "waits for a slot"
    if found == "LK" and not said.startswith("L"):
        return "child runs at once"
    if found == "L":
        return "there at once"
    if "P" in said and "P" not in found:
        return "needs no slot"
    if "K" in found and "K" not in said:
        return "waits for the other end"
    if "K" in said and "K" not in found:
        return "needs no other end"
    if "L" in said and "L" not in found:
        return "not there at once"
    return "slot comes first"


def _said(reason: str, places: Sequence[int]) -> str:
    names = listed([LETTERS[place] for place in places])
    were = "were" if len(places) > 1 else "was"
    match reason:
        case "waits for a slot":
            return f"{names} stayed away while every slot was held"
        case "child runs at once":
            return f"when {names} returned, the child was running already"
        case "there at once":
            return f"{names} {were} done before the loop turned once"
        case "needs no slot":
            return f"{names} came back with every slot held"
        case "waits for the other end":
            return f"{names} stayed away while the other end was silent"
        case "needs no other end":
            return f"{names} came back while every other end was silent"
        case "not there at once":
            return f"{names} {were} not done before the loop turned"
        case _:
            return f"with every slot held the other end had heard nothing of {names}: the slot comes first"


# victim


def hashes(scene: Scene) -> tuple[Run, Run]:
    """Return the runs of the hash: with ``Sync``, and with a callback."""
    assert scene.record is not None
    sync, callback = (paths.run_of(scene.record, name) for name in ("pbkdf2Sync", "pbkdf2"))
    assert sync is not None and callback is not None, "a look is only asked for where both runs are there"
    return sync, callback


def victim_one_thread(scene: Scene) -> Lines:
    """Speak to "both wait, in either form"."""
    _, callback = hashes(scene)
    return (
        "With one thread for everything a callback could not change who waits.",
        f"But beside the callbacks {callback.counts['ticks']} ticks of the timer arrived: the hashes ran in other threads.",
    )


def victim_frees_all(scene: Scene) -> Lines:
    """Speak to "with a callback nobody waits"."""
    _, callback = hashes(scene)
    return (
        "The loop was freed by it, that much is so.",
        f"But the hashes took every slot: {callback.counts['stat_after']} of {callback.counts['jobs']} had to end before the stat had "
        "its turn.",
    )


def victim_goes_on(scene: Scene) -> Lines:
    """Speak to "the stat is back beside a loop that stands still"."""
    sync, _ = hashes(scene)
    return (
        "A slot was free for the stat, and it would have had its answer at once.",
        f"But it was asked for when all {sync.counts['jobs']} hashes were through: a loop that stands still cannot ask.",
    )


def victim_caller(scene: Scene) -> Lines:
    """Speak to "Sync stops only whoever called it"."""
    sync, _ = hashes(scene)
    return (
        "Whoever calls it stops; but that is the thread that serves everybody.",
        f"During the Sync hashes {sync.counts['ticks']} ticks of the timer arrived.",
    )


# own


def fared(counts: Mapping[str, int]) -> str:
    """Return how the routes fared that have left the loop, with every slot held: who waited, whom the script's own answered."""
    waited = [route for route in ROUTES if not counts[f"{route}_early"]]
    said = [f"{listed(waited)} waited for a slot"] if waited else []
    for whose in ("thread", "process"):
        if beside := [route for route in ROUTES if counts[f"{route}_early"] and _whose(counts, route) == whose]:
            said.append(f"{listed(beside)} {'were' if len(beside) > 1 else 'was'} answered by a {whose} of your own")
    return "; ".join(said)


def _whose(counts: Mapping[str, int], route: str) -> str:
    """Return who did most of what a script's own thread or process did for a route."""
    return "process" if counts.get(f"{route}_children_us", 0) > counts[f"{route}_others_us"] else "thread"


def own_free(scene: Scene) -> Lines:
    """Speak to "three answered while every slot is held"."""
    assert scene.record is not None
    return (
        "Off the loop is not out of the world: somebody else does the work, in a thread.",
        f"But every thread of the pool was inside a gate: {fared(scene.record.runs[0].counts)}. /health did not wait.",
    )


def own_all_wait(scene: Scene) -> Lines:
    """Speak to "health waits too"."""
    return (
        "A route that waits for a slot keeps nobody waiting but its own caller.",
        "But /health was answered each time, before the route was: it needs the loop, and the loop was free.",
    )
