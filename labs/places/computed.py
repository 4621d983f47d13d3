"""Records as the table of facts has them: what a recorded run shows for other calls, and what tests hold texts against."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from labs.measurement import Run, Source, Step
from labs.places.facts import path
from labs.places.paths import ALONE, FULL, SILENT


def runs(calls: Sequence[str], slots: int) -> tuple[Run, ...]:
    """Return the runs that trying these calls gives, by the table; every count is marked as claimed."""
    alone = [
        _run(
            f"{ALONE}: {call}",
            {
                "pool_threads": slots if "P" in path(call) else 0,
                "turns": 0 if path(call) == "L" else 1,
                "at_once": int("L" in path(call)),
            },
        )
        for call in calls
    ]
    full = [call for call in calls if "P" not in path(call)]
    reached = [call for call in calls if path(call) == "K" and call != "watch"]
    silent = [call for call in calls if "K" not in path(call)]
    held = tuple(str(number) for number in range(1, slots + 1))
    waiting = tuple(call for call in calls if call not in full)
    steps = (
        Step(action="start", slots=held, waiting=waiting, finished=tuple(full)),
        Step(action="all gates open", slots=(None,) * slots, finished=tuple(calls)),
    )
    return (
        *alone,
        _run(
            FULL,
            {"held_slots": slots, "pool_threads": slots, "back": len(full)},
            {"back": full, "reached": reached},
            steps,
        ),
        _run(SILENT, {"pool_threads": slots, "back": len(silent)}, {"back": silent}),
    )


def _run(
    name: str, counts: dict[str, int], claims: Mapping[str, list[str]] | None = None, steps: tuple[Step, ...] = ()
) -> Run:
    sources: dict[str, Source] = dict.fromkeys(counts, "claimed")
    return Run(name=name, counts=counts, sources=sources, steps=steps, claims=dict(claims or {}))
