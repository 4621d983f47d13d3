"""Paths: how they are typed, and how they are read from a record."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from labs.answers import Refusal, shown
from labs.measurement import Record, Run

#: What the runs of a record are called.
FULL, SILENT, ALONE = "every slot held", "every other end silent", "alone"
_WORDS = {"loop": "L", "pool": "P", "kernel": "K", "l": "L", "p": "P", "k": "K"}
_HELP = "A path is made of L (loop), P (pool) and K (kernel), in their order: such as P."


def read(typed: object) -> str:
    """Return the path that was meant: ``P``, ``pool``, ``P then K``, ``["P", "K"]``.

    Raises:
        Refusal: It is none.
    """
    parts = typed if isinstance(typed, list | tuple) else [typed]
    text = " ".join(part if isinstance(part, str) else shown(part) for part in parts)
    found = ""
    for word in re.findall(r"[a-z]+", text.lower()):
        if word in {"then", "and", "the", "to"}:
            continue
        if word in _WORDS:
            found += _WORDS[word]
        elif set(word) <= set("lpk"):
            found += word.upper()
        else:
            raise Refusal(f"{shown(text)} is no path. {_HELP}")
    if not found or len(found) != len(set(found)):
        raise Refusal(f"{shown(text)} is no path. {_HELP}")
    return found


@dataclass(frozen=True)
class Path:
    """One path."""

    def read(self, typed: object, parameters: Mapping[str, Any]) -> str:
        return read(typed)

    def say(self, answer: Any) -> str:
        return str(answer)


@dataclass(frozen=True)
class Paths:
    """A path for each of the draw's calls, in their order; a text of them, with spaces between, is taken too."""

    noun: ClassVar[str] = "path"

    def read(self, typed: object, parameters: Mapping[str, Any]) -> tuple[str, ...]:
        wanted = len(parameters["calls"])
        parts = re.split(r"[\s,;]+", typed.strip()) if isinstance(typed, str) else typed
        if not isinstance(parts, list | tuple) or len(parts) != wanted:
            raise Refusal(f"{wanted} paths, please, one for each call, in their order.")
        return tuple(read(part) for part in parts)

    def say(self, answer: Any) -> str:
        return " ".join(answer) if isinstance(answer, tuple) else str(answer)


def run_of(record: Record, name: str) -> Run | None:
    """Return the run of that name, None where the record has none."""
    return next((run for run in record.runs if run.name == name), None)


def back(record: Record, name: str) -> tuple[str, ...]:
    """Return the calls that came back in a run in which something was taken away."""
    return _claimed(record, name, "back")


def reached(record: Record) -> tuple[str, ...]:
    """Return the calls of which their other end had heard while every slot was held."""
    return _claimed(record, FULL, "reached")


def tells_who_was_reached(record: Record) -> bool:
    """Return whether a record says that at all; an older one does not."""
    run = run_of(record, FULL)
    return run is not None and "reached" in run.claims


def _claimed(record: Record, name: str, what: str) -> tuple[str, ...]:
    run = run_of(record, name)
    found = run.claims.get(what) if run else None
    return tuple(str(call) for call in found) if isinstance(found, list | tuple) else ()


def seen(record: Record, call: str) -> str | None:
    """Return the path that a record shows for a call; None where the call is not in it, or what was counted for it is not.

    ``L``: what was asked for was there before the loop turned. ``P``: it did not come back while every slot was held. ``K``: it
    did not come back while every other end was silent. P stands before K where the other end had heard nothing while the slots were
    held.
    """
    alone = run_of(record, f"{ALONE}: {call}")
    if alone is None or run_of(record, FULL) is None or run_of(record, SILENT) is None:
        return None
    if not {"at_once", "turns"} <= alone.counts.keys():
        return None
    needs = {
        "L": alone.counts["at_once"] or alone.counts["turns"] == 0,
        "P": call not in back(record, FULL),
        "K": call not in back(record, SILENT),
    }
    return "".join(place for place in ("LKP" if call in reached(record) else "LPK") if needs[place])


def calls(record: Record) -> tuple[str, ...]:
    """Return the calls that a record is about, in their order."""
    found = record.parameters.get("calls")
    return tuple(str(call) for call in found) if isinstance(found, list) else ()


def all_seen(record: Record) -> tuple[str, ...] | None:
    """Return the path of each call of a record, None where one is missing."""
    found = [seen(record, call) for call in calls(record)]
    whole = tuple(path for path in found if path is not None)
    return whole if whole and len(whole) == len(found) else None


def threads(record: Record, call: str) -> int:
    """Return how many pool threads there were after the call had been made alone."""
    run = run_of(record, f"{ALONE}: {call}")
    return run.counts.get("pool_threads", 0) if run else 0
