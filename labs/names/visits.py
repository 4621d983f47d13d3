"""The last two bets: who gets through while names hang, and what the learner's cache asks for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from labs.answers import Answer, Count, Tasks
from labs.measurement import Record
from labs.names import drawing as see
from labs.names.setting import LATE, NEED_NO_SLOT
from labs.spec import Bet, Blank, Lines, Row, Scene
from labs.words import beside, counted, listed, number

ASKED_FOR = {
    "address": "a visit of 127.0.0.1",
    "kept": "a visit over a connection that was made before and kept open",
    "localhost": "a visit of localhost, on a new connection",
    "fresh": "a visit of a healthy host by its name, on a new connection",
    "resolve": "dns.resolve4 of a healthy host's name",
}
BRIEF = {
    "address": "127.0.0.1",
    "kept": "kept",
    "localhost": "localhost",
    "fresh": "healthy host",
    "resolve": "resolve4",
}
NONE = "none"


def listing(answer: Answer) -> str:
    """Say a set of requests: ``1, 3 and 5``."""
    return listed(answer) if isinstance(answer, tuple) and answer else NONE


# through


def places(scene: Scene, kinds: frozenset[str]) -> tuple[int, ...]:
    """Return the numbers that these kinds of requests have in the draw."""
    return tuple(place for place, kind in enumerate(scene.parameters["order"], 1) if kind in kinds)


def place(scene: Scene, kind: str) -> int:
    """Return the number of one request."""
    return int(list(scene.parameters["order"]).index(kind)) + 1


def got_through(record: Record) -> tuple[int, ...]:
    """Return who was back while the names hung."""
    runs = see.runs_of(record, 1)
    return tuple(sorted(int(name) for name in runs[0].steps[0].finished if name.isdecimal())) if runs else ()


def _through_ask(scene: Scene) -> str:
    asked = "".join(f"\n  {at}  {ASKED_FOR[kind]}" for at, kind in enumerate(scene.parameters["order"], 1))
    return (
        f"{scene.parameters['hanging']} names are asked for that nobody answers; the size is not set. Behind them:{asked}\n"
        "The name server answers healthy names at once. Which of the five are back while the others hang?"
    )


def _through_actual(record: Record) -> Row | None:
    runs = see.runs_of(record, 1)
    if not runs or runs[0].counts.get("through") != len(got_through(record)):
        return None  # what the script says and what arrived outside differ
    return {"back": got_through(record)}


def _through_look(scene: Scene) -> Lines:
    assert scene.record is not None
    back = got_through(scene.record)
    said = f"you said {listing(scene.answers['back'])}{see.sure(scene)}" if "back" in scene.answers else ""
    each = [
        f"{at} {BRIEF[kind]}: {'back' if at in back else 'waits'}"
        for at, kind in enumerate(scene.parameters["order"], 1)
    ]
    return (beside(f"BACK  {listing(back)}, while {scene.parameters['hanging']} names hang", said), "   ".join(each))


def _through_because(scene: Scene) -> Lines:
    return (
        f"Both name slots are taken, so nobody can ask for {place(scene, 'fresh')}, or read the hosts file for {place(scene, 'localhost')}.",
        "An address needs no lookup, a kept connection has had its own, and resolve4 asks from your loop.",
    )


def _through_otherwise(scene: Scene) -> Lines:
    """Take the first request that was seen differently."""
    assert scene.record is not None
    back, said = got_through(scene.record), scene.answers["back"]
    assert isinstance(said, tuple)
    reasons: Mapping[str, str] = {
        "fresh": "the host is healthy, but its question was never sent: a lookup needs a slot before it needs a server.",
        "localhost": "the hosts file has it, but a lookup reads that file, and a lookup needs a slot.",
        "kept": "the lookup belongs to the connection, and the connection was there.",
        "address": "an address is what a lookup would have found: there is nothing to ask.",
        "resolve": "resolve4 speaks with the name server from your loop; no thread has a part in it.",
    }
    lines = []
    for at, kind in enumerate(scene.parameters["order"], 1):
        if (at in said) != (at in back):
            lines.append(f"{at} {'is back' if at in back else 'waits'}: {reasons[kind]}")
    return tuple(lines[:2])


THROUGH = Bet(
    slug="through",
    measure="through",
    blanks=(
        Blank(
            "back",
            Tasks(lambda parameters: len(parameters["order"]), "request"),
            listing,
            "which of the five are back? a list; [] if none",
        ),
    ),
    ask=_through_ask,
    actual=_through_actual,
    look=_through_look,
    because=_through_because,
    otherwise=_through_otherwise,
    next_step="Next: write your own lookup (the cell below).",
)


def through(scene: Scene) -> tuple[int, ...]:
    """Return who gets through, by who needs a name slot."""
    return places(scene, NEED_NO_SLOT)


# cache


def due(parameters: Mapping[str, Any]) -> int:
    """Return how many visits of both rounds can succeed; the late host's first one cannot."""
    return 2 * int(parameters["hosts"]) * int(parameters["times"]) + 1


def every_visit(parameters: Mapping[str, Any]) -> int:
    """Return the lookups where nothing is remembered: one a visit, in both rounds."""
    return 2 * (int(parameters["hosts"]) * int(parameters["times"]) + 1)


def first_burst(parameters: Mapping[str, Any]) -> int:
    """Return the lookups where an answer is kept when it is in: all visits of the first round, and the late host again."""
    return int(parameters["hosts"]) * int(parameters["times"]) + 2


def once_a_name(parameters: Mapping[str, Any]) -> int:
    """Return the lookups where every name is asked for once, and the one that failed once more."""
    return int(parameters["hosts"]) + 2


def sound(record: Record) -> bool:
    """Say whether every visit arrived where its host lives, so that the questions can be compared."""
    counts = record.runs[0].counts if record.runs else {}
    return (
        bool(counts.get("visits_due"))
        and counts.get("visits") == counts["visits_due"]
        and counts.get("misdirected") == 0
    )


def _cache_ask(scene: Scene) -> str:
    p = scene.parameters
    return (
        f"{p['hosts']} hosts, {p['times']} visits of each at the same moment, and one visit of {LATE}, which does not exist yet. When all "
        f"are over, the same again; {LATE} exists by then. With your lookup: how many lookups reach the name server in all?"
    )


def _cache_actual(record: Record) -> Row | None:
    return {"asked": record.runs[0].counts["lookups"]} if sound(record) else None


def _cache_look(scene: Scene) -> Lines:
    counts = see.run_of(scene).counts
    said = f"you said {scene.answers['asked']}{see.sure(scene)}" if "asked" in scene.answers else ""
    assert scene.record is not None
    if not sound(scene.record):
        return _cache_unsound(counts)
    hosts = f"each host {see.times(counts['most_lookups'])}"
    if counts["least_lookups"] != counts["most_lookups"]:
        hosts = f"a host {counts['least_lookups']} to {counts['most_lookups']} times"
    return (
        beside(f"ASKED  {counts['lookups']} lookups for {counts['visits'] + 2} visits", said),
        f"{hosts}, {LATE} {see.times(counts['late_lookups'])}. With no cache at all it would be {every_visit(scene.parameters)}.",
    )


def _cache_unsound(counts: Mapping[str, int]) -> Lines:
    if counts["misdirected"]:
        return (
            f"ASTRAY  {counted(counts['misdirected'], 'visit')} arrived at another host's address.",
            "Keep what you know by name, and give each visit the answer of its own.",
            "Then run this cell again; your bet stays open.",
        )
    return (
        f"ARRIVED  {counts['visits']} of {counts['visits_due']} visits.",
        "Call the callback once for each call of lookup, with a list where options.all is set. Run the script's cell: it says what failed.",
        "Then run this cell again; your bet stays open.",
    )


def verdict_lines(scene: Scene) -> Lines:
    """Say what the cache does, by what was counted, and what to change."""
    counts, times = see.run_of(scene).counts, int(scene.parameters["times"])
    if counts["most_lookups"] >= 2 * times:
        return ("Every visit asked: nothing is remembered yet. Change your script, and run this cell again.",)
    if 1 < counts["most_lookups"] < times:
        return (
            "Who came at the same moment shared a lookup; who came later found nothing kept, and asked again.",
            "What becomes of an answer that is in? Forget failures only, and run this cell again.",
        )
    if counts["most_lookups"] > 1:
        return (
            f"The first {number(times)} visits of a host came at the same moment. No answer was in yet, so each found nothing kept.",
            "What do you have in hand before the answer is in? Keep that, change your script, and run this cell again.",
        )
    if counts["late_lookups"] != 2 or counts["late_visits"] != 1:
        return (
            f"Hosts are asked for once. But {LATE} exists by now, and was asked for {see.times(counts['late_lookups'])}: a failure is "
            "kept.",
            "Should it be? Change your script, and run this cell again.",
        )
    return ("Who came while the first lookup was out waited for its answer, and what failed was asked again.",)


def _cache_because(scene: Scene) -> Lines:
    return verdict_lines(scene)


def _cache_otherwise(scene: Scene) -> Lines:
    return verdict_lines(scene)


CACHE = Bet(
    slug="cache",
    measure="cache",
    blanks=(
        Blank(
            "asked",
            Count(0, 1000),
            lambda answer: f"{answer} lookups",
            "how many lookups reach the name server, in both rounds together?",
        ),
    ),
    ask=_cache_ask,
    actual=_cache_actual,
    look=_cache_look,
    because=_cache_because,
    otherwise=_cache_otherwise,
    next_step="When it asks once a name: what each way costs (the cell below).",
)
