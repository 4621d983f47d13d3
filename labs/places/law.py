"""What the counts of this lab are by the table of facts, for records that earn nothing."""

from __future__ import annotations

from labs.law import law, observed, of_program
from labs.measurement import Record, Run
from labs.places import drawing as see
from labs.places import facts, paths
from labs.places.waits import waited
from labs.poolsize import version
from labs.spec import CountCheck
from labs.words import listed

#: Routes of our service that are answered while every slot is held: all but the one that reads in the pool.
_IN_POOL = "readInPool"
#: Work with a callback that lasts long enough for the loop to be seen turning.
_TURNS = ("pbkdf2", "gzip")
#: From this percentage of the work's time on the loop stood still for all of it; measured, idle and busy: 100, and at most 14.
_ALL = 90


def _older(record: Record) -> str | None:
    """Say why the table does not hold for a record's Node, or None (see labs.places.facts)."""
    found = version(record.node.version)
    if found >= (24, 3) or (22, 18) <= found < (23,):
        return None
    return f"The table of paths was measured on Node {listed(facts.MEASURED)}; this record is of {record.node.version}, which is older."


def _all_paths(measure: str) -> CountCheck:
    return CountCheck(
        slug="places-paths",
        measure=measure,
        measured=lambda record: paths.all_seen(record),
        expected=lambda scene: tuple(facts.CALLS[str(call)].path for call in scene.parameters["calls"]),
        wrong=lambda scene: {},
        because=lambda scene: (
            "Each call's path, in their order: L the loop, P a slot, K the kernel; nothing for a timer."
        ),
        next_step=f'Measure again: fourthreads measure places --measure "{measure}".',
        sanity=_older,
    )


def _who(run: Run) -> str:
    return waited(run)


def _by_form(run: Run, record: Record) -> str | None:
    """Return who waits for hashes: with Sync everybody; for other work it depends on how long each is."""
    return {"pbkdf2Sync": "both", "pbkdf2": "stat", "gzipSync": "both", "readFileSync": "both"}.get(run.name)


def _crowded(record: Record) -> str | None:
    """Say that the loop got no turn beside the pool: then the machine was too busy to tell who waited."""
    if any(run.counts.get("ticks") == 0 for run in record.runs if run.name in _TURNS):
        return "No tick of the timer came through beside the pool: the machine was too busy to give the loop a turn."
    return None


def _stall(run: Run) -> str | None:
    """Return whether the loop's longest stall was all of the work's own time, but for a tenth (claimed)."""
    if not {"stall_us", "work_us"} <= run.counts.keys():
        return None
    return "stood still" if see.stood_still(run) >= _ALL else "turned"


def _stall_by_form(run: Run, record: Record) -> str | None:
    """Return what the form of the work does to the loop; a readFile is over too soon to say."""
    return "stood still" if run.name.endswith("Sync") else "turned" if run.name in _TURNS else None


def _early(run: Run) -> str | None:
    routes = [name.removesuffix("_early") for name, count in run.counts.items() if name.endswith("_early") and count]
    return " ".join(routes) or None


def _early_by_model(run: Run, record: Record) -> str | None:
    routes = [name.removesuffix("_early") for name in run.counts if name.endswith("_early")]
    return " ".join(route for route in routes if route != _IN_POOL)


def _more_threads(run: Run) -> int | None:
    before, after = run.counts.get("threads_before"), run.counts.get("threads_after")
    return after - before if before is not None and after is not None else None


LAW = (
    *(_all_paths(measure) for measure in ("six", "six more", "table")),
    law("places", "waits", "victim", _who, _by_form, "Who waits: with Sync everybody, with a callback only those in the line.", sanity=_crowded),
    law("places", "stall", "victim", _stall, _stall_by_form, "The loop's longest stall against the work's own time: with Sync all of it.", sanity=_crowded),
    law("places", "stall", "parse", _stall, lambda run, record: "stood still", "The loop's longest stall against the work's own time: all of it."),
    law("places", "ticks", "parse", of_program("ticks"), lambda run, record: 0, "Ticks of a timer that came through while JSON.parse ran."),
    law("places", "early", "innocent", _early, _early_by_model, "Routes that were answered while every slot was held: all that ask the pool for nothing."),
    law("places", "threads", "sockets", _more_threads, lambda run, record: 0, "Threads that the connections cost."),
    law("places", "pool", "sockets", observed("pool_threads"), lambda run, record: 0, "Threads of the pool beside them: none was needed."),
)  # fmt: skip
