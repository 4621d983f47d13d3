"""What speaks against a story: an observation in the record at hand."""

from __future__ import annotations

from collections.abc import Sequence

from labs.measurement import Run
from labs.places import paths
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
    if found == "LK" and "L" not in said:
        return "child runs at once"
    if found == "L":
        return "there at once"
    if "P" in said and "P" not in found:
        return "needs no slot"
    if "K" in found and "K" not in said:
        return "waits for the other end"
    return "other order"


def _said(reason: str, places: Sequence[int]) -> str:
    names = listed([LETTERS[place] for place in places])
    many = len(places) > 1
    match reason:
        case "waits for a slot":
            return f"{names} stayed away while every slot was held"
        case "child runs at once":
            return f"when {names} returned, the child was running already"
        case "there at once":
            return f"{names} {'were' if many else 'was'} done before the loop turned once"
        case "needs no slot":
            return f"{names} came back with every slot held"
        case "waits for the other end":
            return f"{names} stayed away while the other end was silent"
        case _:
            return f"{names} {'take' if many else 'takes'} the two places in the other order"


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


def own_free(scene: Scene) -> Lines:
    """Speak to "three answered while every slot is held"."""
    return (
        "Off the loop is not out of the world: somebody else does the work, in a thread.",
        "But every one of those threads was inside a gate. So the routes waited, and /health did not.",
    )


def own_all_wait(scene: Scene) -> Lines:
    """Speak to "health waits too"."""
    return (
        "A route that waits for a slot keeps nobody waiting but its own caller.",
        "But /health was answered each time, before the route was: it needs the loop, and the loop was free.",
    )
