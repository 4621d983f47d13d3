"""The four bets: six calls, six more, who is the victim, and what becomes of one's own service."""

from __future__ import annotations

from labs.answers import Count
from labs.measurement import Record
from labs.places import drawing as see
from labs.places import paths, voices
from labs.places.facts import CALLS
from labs.places.own import ROUTES, all_moved, look_at_own, overtaken
from labs.places.waits import Waits, told, waited
from labs.spec import Bet, Blank, Lines, Row, Scene
from labs.words import counted, listed


def _sure(scene: Scene) -> str:
    return f" ({scene.sure})" if scene.sure else ""


# six, six more

PATHS = Blank(
    "paths",
    paths.Paths(),
    lambda answer: " ".join(answer) if isinstance(answer, tuple) else str(answer),  # type: ignore[arg-type]  # texts by its kind
    "the path of each call, from a to f: L, P, K, or two of them in their order",
    each=lambda parameters: tuple(CALLS[str(call)].code for call in parameters["calls"]),
)


def _calls_ask(scene: Scene) -> str:
    return "\n".join(
        ("Where does each of these wait, or where is it worked on?", *see.listing(scene.parameters["calls"]))
    )


def _calls_actual(record: Record) -> Row | None:
    found = paths.all_seen(record)
    return {"paths": found} if found is not None else None


def _calls_look(scene: Scene) -> Lines:
    assert scene.record is not None
    return see.results(scene.record, scene.answers.get("paths"))


def _calls_because(scene: Scene) -> Lines:
    """Say what decides, from this record."""
    assert scene.record is not None
    found = dict(zip(paths.calls(scene.record), paths.all_seen(scene.record) or (), strict=False))
    pooled, kernel = (
        [voices.LETTERS[place] for place, path in enumerate(found.values()) if one in path] for one in "PK"
    )
    both = [voices.LETTERS[place] for place, path in enumerate(found.values()) if path == "LK"]
    started = f"; so too with {listed(both)}, whose child ran when it returned" if both else ""
    return (
        f"With every slot held {listed(pooled) or 'none'} stayed away; with every other end silent {listed(kernel) or 'none'}.",
        f"What was done before the loop turned, the loop did itself{started}.",
    )


def _calls_otherwise(scene: Scene) -> Lines:
    return ("None of the usual stories gives your row.", voices.against(scene))


# victim


def _victim_ask(scene: Scene) -> str:
    pool = scene.parameters["pool"]
    return (
        f"{pool} slots. {pool} hashes are asked for, and right behind them the state of a file; beside them runs a timer of 1 ms. "
        'Until at least one hash is done: who has to wait, "timer", "stat", "both" or "none"? Once with pbkdf2Sync, once with a '
        "callback."
    )


def _victim_actual(record: Record) -> Row | None:
    sync, callback = (paths.run_of(record, name) for name in ("pbkdf2Sync", "pbkdf2"))
    if sync is None or callback is None or not (told(sync) and told(callback)) or callback.counts["ticks"] == 0:
        return None
    return {"sync": waited(sync), "callback": waited(callback)}


def _victim_look(scene: Scene) -> Lines:
    sync, callback = voices.hashes(scene)
    lines = [see.work_line(sync), see.work_line(callback)]
    if callback.counts["ticks"] == 0:
        return (*lines, "Your machine was too busy: no tick came through beside the callbacks. Run this cell again.")
    if scene.answers:
        kind = Waits()
        lines.append(
            f"you said{_sure(scene)}: with Sync {kind.say(scene.answers['sync'])}, with a callback {kind.say(scene.answers['callback'])}"
        )
    return tuple(lines)


def _victim_because(scene: Scene) -> Lines:
    return (
        "With Sync nobody can even ask. With a callback the loop is free, and whoever needs a slot waits.",
        "The wait is not gone: the victim has moved from the loop into the pool's line.",
    )


def _victim_otherwise(scene: Scene) -> Lines:
    sync, callback = voices.hashes(scene)
    return (
        f"With Sync {counted(sync.counts['ticks'], 'tick')} came through, and the stat was back after all "
        f"{sync.counts['jobs']}: both waited.",
        f"With a callback {callback.counts['ticks']} did, and the stat was back after {callback.counts['stat_after']}: it waited for "
        "a slot, and the timer did not.",
    )


# own


def _own_ask(scene: Scene) -> str:
    return (
        f"{scene.parameters['pool']} slots, all of them held. Your {len(ROUTES)} routes are asked, one after the other, and right behind "
        "each one /health, which only says that all is well. early: how many routes are answered while the slots are held? "
        "health: how many times is /health answered before the route?"
    )


def _own_actual(record: Record) -> Row | None:
    if not all_moved(record) or overtaken(counts := record.runs[0].counts):
        return None
    return {
        "early": sum(counts[f"{route}_early"] for route in ROUTES),
        "health": sum(counts[f"{route}_health_first"] for route in ROUTES),
    }


def _own_because(scene: Scene) -> Lines:
    return (
        f"{voices.fared(see.own_run(scene).counts)}, and nobody else waits for the routes. That is all it buys: not less work, but a "
        "loop that serves the others meanwhile.",
    )


def _own_otherwise(scene: Scene) -> Lines:
    counts = see.own_run(scene).counts
    early, health = (sum(counts[f"{route}_{what}"] for route in ROUTES) for what in ("early", "health_first"))
    return (
        f"Node: {counted(early, 'route')} early, /health first {counted(health, 'time')}. Look at the lines above: which differs?",
    )


SIX = Bet(
    slug="six",
    measure="six",
    blanks=(PATHS,),
    ask=_calls_ask,
    actual=_calls_actual,
    look=_calls_look,
    because=_calls_because,
    otherwise=_calls_otherwise,
    next_step="Next: how we know (the cell below).",
)

SIX_MORE = Bet(
    slug="six more",
    measure="six more",
    blanks=(PATHS,),
    ask=_calls_ask,
    actual=_calls_actual,
    look=_calls_look,
    because=_calls_because,
    otherwise=_calls_otherwise,
    next_step="Next: how we know (the cell below).",
)

VICTIM = Bet(
    slug="victim",
    measure="victim",
    blanks=(
        Blank("sync", Waits(), lambda answer: f"with Sync {Waits().say(answer)}", "with pbkdf2Sync: who waits?"),
        Blank(
            "callback", Waits(), lambda answer: f"with a callback {Waits().say(answer)}", "with a callback: who waits?"
        ),
    ),
    ask=_victim_ask,
    actual=_victim_actual,
    look=_victim_look,
    because=_victim_because,
    otherwise=_victim_otherwise,
    next_step="Next: your own service (the cell below).",
)

OWN = Bet(
    slug="own",
    measure="own",
    blanks=(
        Blank(
            "early",
            Count(0, len(ROUTES), "routes"),
            lambda answer: f"{answer} early",
            "routes answered while every slot is held",
        ),
        Blank(
            "health",
            Count(0, len(ROUTES), "routes"),
            lambda answer: f"/health first {answer} times",
            "times /health comes before the route",
        ),
    ),
    ask=_own_ask,
    actual=_own_actual,
    look=look_at_own,
    because=_own_because,
    otherwise=_own_otherwise,
    next_step="Next: eight lines to read (the cell below).",
)

BETS = (SIX, SIX_MORE, VICTIM, OWN)
