"""Node's own trace of the loop: which callback ran when, asked for in which other one, and in which phase.

Two witnesses, both written by Node itself and read after its end: ``node.environment`` has a span for each look at
the timers (``RunTimers``) and at the immediates (``CheckImmediate``); ``node.async_hooks`` has begin and end of each callback and
where it was asked for. What lies in neither span is the script itself, the closing of a handle (which the trace shows: the handle
is gone as soon as that callback has ended), or else a callback of the poll.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from labs.claims import Claim
from labs.errors import NoisyError
from labs.measurement import Callback, Phase

_FILE = "loop.trace"
#: Options for Node that make it write the trace into the folder it starts in.
OPTIONS = (
    "--trace-event-categories", "node.async_hooks,node.environment", "--trace-event-file-pattern", _FILE,
)  # fmt: skip
_LARGEST = 32 * 1024 * 1024
_CALLBACK = "_CALLBACK"
_SPANS: dict[str, Phase] = {"RunTimers": "timers", "CheckImmediate": "check"}
#: What Node calls a thing -> what we call its callback; others keep Node's name in small letters.
KINDS = {
    "TickObject": "tick", "PROMISE": "promise", "Microtask": "promise", "Timeout": "timeout", "Immediate": "immediate",
    "FSREQCALLBACK": "file", "FSREQPROMISE": "file", "MESSAGEPORT": "close",
}  # fmt: skip
#: Node's handles: what is open until it is closed. A request is gone after its one callback, wherever that runs.
_HANDLES = frozenset({
    "FSEVENTWRAP", "MESSAGEPORT", "PIPESERVERWRAP", "PIPEWRAP", "PROCESSWRAP", "SIGNALWRAP", "STATWATCHER", "TCPSERVERWRAP", "TCPWRAP",
    "TTYWRAP", "UDPWRAP",
})  # fmt: skip
#: They have no phase of their own.
_BETWEEN = frozenset({"tick", "promise"})


class _Event(Struct, frozen=True):
    tid: int
    ts: int
    ph: str
    name: str
    id: str = ""
    dur: int = 0
    args: dict[str, Any] = {}


class _File(Struct, frozen=True):
    traceEvents: tuple[_Event, ...]  # noqa: N815 - Chrome's name


class Seen(Struct, frozen=True):
    """One callback, by the trace's number of the thing that asked for it."""

    kind: str
    phase: Phase
    at: float
    asked_in: str
    asked_id: int


def read(folder: Path) -> dict[int, Seen]:
    """Return every callback of the loop's thread that ran, by its number, in the order in which they began.

    Raises:
        NoisyError: The trace was not written to its end.
    """
    path = folder / _FILE
    try:
        data = path.read_bytes() if path.stat().st_size <= _LARGEST else b""
        events = msgspec.json.decode(data, type=_File).traceEvents
    except (OSError, msgspec.MsgspecError, ValueError) as problem:
        raise NoisyError(
            "Node ended before it had written its trace. Nothing is lost; run the cell again."
        ) from problem
    return seen(events)


def seen(events: Sequence[_Event]) -> dict[int, Seen]:
    """Return the callbacks in a list of events; see :func:`read`."""
    main = next((event.tid for event in events if event.name == "Environment"), 0)
    here = [event for event in events if event.tid == main]
    spans = [(event.ts, event.ts + event.dur, _SPANS[event.name]) for event in here if event.name in _SPANS]
    kinds: dict[int, str] = {}
    asked: dict[int, int] = {}
    open_ones: list[tuple[int, Phase]] = []
    found: dict[int, Seen] = {}
    for place, event in enumerate(here):
        if not event.id or event.ph not in "be" or event.name == "Environment":
            continue
        number = int(event.id, 16)
        if event.ph == "b" and not event.name.endswith(_CALLBACK):
            kinds[number] = KINDS.get(event.name, event.name.lower())
            asked[number] = int(event.args.get("data", {}).get("executionAsyncId", 0))
        elif event.ph == "b":
            phase = _phase(here, place, spans, open_ones, kinds.get(number, ""))
            open_ones.append((number, phase))
            if number not in found and number in kinds:
                asker = asked[number]
                within = kinds.get(asker, "main") if asker in found else "main"
                found[number] = Seen(kinds[number], phase, event.ts / 1e6, within, asker)
        elif event.name.endswith(_CALLBACK) and open_ones:
            open_ones = [one for one in open_ones if one[0] != number]
    return found


def _phase(
    here: Sequence[_Event], place: int, spans: Sequence[tuple[int, int, Phase]], open_ones: Sequence[tuple[int, Phase]], kind: str,
) -> Phase:  # fmt: skip
    at = here[place].ts
    if (span := next((phase for start, end, phase in spans if start <= at <= end), None)) is not None:
        return span
    if open_ones:
        return open_ones[0][1]
    if kind in _BETWEEN or not kind:
        return "main"
    return "closing" if _is_closing(here, place) else "poll"


def _is_closing(here: Sequence[_Event], place: int) -> bool:
    """Say whether the callback that begins at this place is the closing of a handle: the handle is gone as soon as it has ended."""
    begun = here[place]
    handle = begun.name.removesuffix(_CALLBACK)
    if handle not in _HANDLES:
        return False
    for at in range(place + 1, len(here) - 1):
        if (here[at].ph, here[at].id, here[at].name) == ("e", begun.id, begun.name):
            after = here[at + 1]
            return (after.ph, after.id, after.name) == ("e", begun.id, handle)
    return False


def callbacks(claims: Sequence[Claim], traced: dict[int, Seen], since_start: Any) -> tuple[Callback, ...]:
    """Return what the script logged, each in the callback it was logged in: names are claimed, the rest is Node's trace.

    In the order in which those callbacks ran; what the script itself logged is in ``main``.
    """
    begun = min((claim.at for claim in claims if claim.kind == "begin"), default=0.0)
    places = {number: place for place, number in enumerate(traced)}
    found: list[tuple[tuple[int, int], Callback]] = []
    for index, claim in enumerate(claim for claim in claims if claim.kind == "report"):
        said = claim.value if isinstance(claim.value, dict) else {}
        name, number, turn = said.get("log"), said.get("id"), said.get("turn")
        if not isinstance(name, str) or not isinstance(number, int):
            continue
        one = traced.get(number)
        at = one.at if one else begun
        made = Callback(
            name=name, kind=one.kind if one else "main", phase=one.phase if one else "main",
            asked_in=one.asked_in if one else "main", asked_id=one.asked_id if one else 0, at=since_start(at),
            turn=turn if isinstance(turn, int) and turn >= 0 else None,
        )  # fmt: skip
        found.append(((places.get(number, -1), index), made))
    return tuple(made for _, made in sorted(found, key=lambda pair: pair[0]))
