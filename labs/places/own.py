"""The learner's own service: what was seen of each route, and what it earns."""

from __future__ import annotations

from collections.abc import Mapping

from labs.answers import Answer
from labs.measurement import Record
from labs.places import drawing as see
from labs.places.orders import ROUTES
from labs.spec import CountCheck, Lines, Scene

__all__ = ["ROUTES", "all_moved", "look_at_own"]
#: Less processor time than this is as much the reply's as the work's (microseconds): no share is judged from it.
TELLS = 10_000
#: What it was while records did not say how long the hash takes: those are judged as they were then.
TOLD_THEN = 30_000
#: The loop's share of a route's processor time that parts work on the loop from work elsewhere; measured are 3 to 25 and 97 %.
HALF = 0.5
#: What others used of the time that a hash takes the loop parts the same; measured are 80 and 3 % (a core may be half as fast as another).
QUARTER = 0.25
#: Routes whose work can outweigh what the loop has to do for any reply. A hash may take less than copying what is hashed.
WEIGHED = ("key", "page")
MOVED = "moved"
ON_THE_LOOP = "on the loop"
WAITS_THEN_LOOP = "waits, then on the loop"
OTHER_ANSWER = "another answer"
NOT_TOLD = "cannot be told"


def is_older(counts: Mapping[str, int]) -> bool:
    """Return whether a record is of before the hash's own time was taken."""
    return "sum_work_us" not in counts


def state(counts: Mapping[str, int], route: str) -> str:
    """Return what became of a route: moved, still on the loop, both, or no longer the same work.

    With every slot held an answer before /health was made by the loop, or by a thread of the script's own that was quicker than
    our client on a busy machine; and whoever waits for something and then works on the loop lets /health through. Whose thread
    did the work shows in its processor time. Where a process of the script's own did it, only /health tells: the child may have
    been quicker than our client, or the loop may have stood still until it had ended (``execFileSync``).
    """
    if not counts.get(f"{route}_right"):
        return OTHER_ANSWER
    if not counts[f"{route}_health_first"]:
        if _elsewhere(counts, route, _by_threads(counts, route)):
            return MOVED
        by_child = not is_older(counts) and _elsewhere(counts, route, _by_others(counts, route))
        return NOT_TOLD if by_child else ON_THE_LOOP
    return WAITS_THEN_LOOP if _elsewhere(counts, route, _by_others(counts, route)) is False else MOVED


def _elsewhere(counts: Mapping[str, int], route: str, by_others: int) -> bool | None:
    """Return whether others than the loop's thread did a route's work, None where it was too short to tell.

    A hash may take less than copying what is hashed, which is the loop's: it is held against its own time, not against the loop's.
    """
    loop = counts[f"{route}_loop_us"]
    share = _share(counts, loop, by_others) if route in WEIGHED else None
    if is_older(counts):
        plainly = by_others >= TOLD_THEN / 2 and by_others > loop
        return True if plainly else False if share is not None and share > HALF else None
    if route in WEIGHED:
        return None if share is None else share <= HALF
    return by_others >= QUARTER * counts[f"{route}_work_us"]


def _by_threads(counts: Mapping[str, int], route: str) -> int:
    """Return the processor microseconds that other threads of Node than the loop's used (observed)."""
    return counts[f"{route}_pool_us"] + counts[f"{route}_others_us"]


def _by_others(counts: Mapping[str, int], route: str) -> int:
    """Return those that anybody but the loop's thread used: processes that the script started too (observed)."""
    return _by_threads(counts, route) + counts.get(f"{route}_children_us", 0)


def _share(counts: Mapping[str, int], loop: int, by_others: int) -> float | None:
    whole = loop + by_others
    return loop / whole if whole >= (TOLD_THEN if is_older(counts) else TELLS) else None


def loop_share(counts: Mapping[str, int], route: str) -> float | None:
    """Return the loop's share of a route's processor time (observed), None where it was too short to tell anything."""
    return _share(counts, counts[f"{route}_loop_us"], _by_others(counts, route)) if route in WEIGHED else None


def all_moved(record: Record) -> bool:
    """Return whether every route was moved."""
    if not record.runs:
        return False
    counts = record.runs[0].counts
    return all(state(counts, route) == MOVED for route in ROUTES)


def _line(counts: Mapping[str, int], route: str) -> str:
    answered = "answered" if counts[f"{route}_early"] else "waits"
    health = "before it" if counts[f"{route}_health_first"] else "behind it"
    share = loop_share(counts, route)
    did = f"done by the loop: {share:.0%} of it" if share is not None else ""
    if route not in WEIGHED and is_older(counts) and state(counts, route) == MOVED:
        did = "again=True tells whose thread hashed"
    return f"{route:<6}slots held: {answered:<10}/health {health:<11}{did}".rstrip()


def look_at_own(scene: Scene) -> Lines:
    """Draw each route; where one has not moved, say what to do."""
    counts = see.own_run(scene).counts
    lines = [_line(counts, route) for route in ROUTES]
    states = {route: state(counts, route) for route in ROUTES}
    route, found = next(((route, found) for route, found in states.items() if found != MOVED), (None, MOVED))
    if route is not None:
        shown = (f"{line:<84}{states[route]}" for line, route in zip(lines, ROUTES, strict=True))
        return (*shown, *_advice(counts, route, found))
    if (late := overtaken(counts)) is not None:
        return (
            *lines,
            f"A thread of your own answered {late} before our client could ask for /health. Run this cell again.",
        )
    if scene.answers:
        sure = f" ({scene.sure})" if scene.sure else ""
        lines[0] = f"{lines[0]:<84}you said {scene.answers['early']}, {scene.answers['health']}{sure}"
    return tuple(lines)


def overtaken(counts: Mapping[str, int]) -> str | None:
    """Return a route that has moved and was answered before /health was asked: so quick is only a thread of the script's own.

    An older record told its bet all the same, so it is told still: what was seen cannot be unseen.
    """
    if is_older(counts):
        return None
    return next((route for route in ROUTES if not counts[f"{route}_health_first"]), None)


def _weighed(counts: Mapping[str, int], route: str) -> str:
    used, takes = _by_others(counts, route) / 1000, counts[f"{route}_work_us"] / 1000
    return f"other threads and processes used {used:.1f} ms, and the hash takes {takes:.1f} ms"


def _advice(counts: Mapping[str, int], route: str, found: str) -> Lines:
    match found:
        case "another answer":
            said = f"{route} no longer gives the answer it gave. Move the work; keep what comes out of it."
        case "waits, then on the loop" if route == "sum":
            said = f"sum waits for something, and then the loop hashes all the same: {_weighed(counts, route)}."
        case "waits, then on the loop":
            said = f"{route} waits for something and then has the loop do the work all the same."
        case "cannot be told":
            said = quick_child(route)
        case _ if route == "sum":
            said = (
                "sum: no stream moves this hash, and no promise around it. Node has it once more, under crypto.subtle."
            )
        case _:
            said = f"{route} is still worked on by the loop: a promise around it changes who waits for the answer, not who works."
    return (said, "Next: change your script, run its cell, then this one. Your bet stays open.")


def quick_child(route: str) -> str:
    """Say why a route cannot be judged that a process of the script's own answered before /health."""
    return (
        f"A process of yours did the work of {route}, and its answer came before that of /health. Measure again: if it always does, "
        "your loop stands still until that process has ended."
    )


def _check(route: str) -> CountCheck:
    def sanity(record: Record) -> str | None:
        if (reason := not_held(record)) is not None:
            return reason
        counts: Mapping[str, int] = record.runs[0].counts if record.runs else {}
        return quick_child(route) if f"{route}_status" in counts and state(counts, route) == NOT_TOLD else None

    def measured(record: Record) -> Answer | None:
        counts: Mapping[str, int] = record.runs[0].counts if record.runs else {}
        return state(counts, route) if f"{route}_status" in counts else None

    def because(scene: Scene) -> str:
        assert scene.record is not None
        counts = scene.record.runs[0].counts
        order = "before" if counts[f"{route}_health_first"] else "behind"
        right = "right" if counts[f"{route}_right"] else "another one"
        weighed = "" if route in WEIGHED or is_older(counts) else f" For it {_weighed(counts, route)}."
        beside = state(counts, route) == MOVED and order == "behind"
        by = " It was made by a thread of your own." if beside else ""
        return f"With every slot held /health was answered {order} {route}, whose answer was {right}.{by}{weighed}"

    return CountCheck(
        slug=f"places-{route}",
        measure="own",
        measured=measured,
        expected=lambda scene: MOVED,
        wrong=lambda scene: {},
        because=because,
        next_step=f'Give {route} a form that leaves the loop; then places.measure("own", again=True).',
        sanity=sanity,
    )


def not_held(record: Record) -> str | None:
    """Say why a visit cannot be judged: not every slot was held while it was made."""
    if not record.runs or "held_slots" not in record.runs[0].counts:
        return None
    held, pool = record.runs[0].counts["held_slots"], record.parameters.get("pool")
    return (
        None
        if held == pool
        else f"Only {held} of {pool} slots were held while your routes were asked. Run the cell again."
    )


def _judged(record: Record) -> list[float]:
    """Return the loop's share in each route that still does its work and took long enough to tell.

    A loop that stands still until a child has ended uses no time either: a route that cannot be told has no share.
    """
    counts = record.runs[0].counts
    shares = [loop_share(counts, route) for route in WEIGHED if state(counts, route) not in (OTHER_ANSWER, NOT_TOLD)]
    return [share for share in shares if share is not None]


def _short(record: Record) -> str | None:
    if (reason := not_held(record)) is not None:
        return reason
    if not record.runs or not _judged(record):
        return "No route did its work, and long enough to tell whose thread it was; the order of the answers decides alone."
    return None


SHARE = CountCheck(
    slug="places-share",
    measure="own",
    measured=lambda record: "others" if max(_judged(record)) <= HALF else "the loop",
    expected=lambda scene: "others",
    wrong=lambda scene: {},
    because=lambda scene: (
        f"The loop did at most {max(_judged(scene.record)):.0%} of a route's work itself." if scene.record else ""
    ),
    next_step='Leave to the loop what only the loop can do; then places.measure("own", again=True).',
    sanity=_short,
)

CHECKS = (*((_check(route), 0.25) for route in ROUTES), (SHARE, 0.25))
