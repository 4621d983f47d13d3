"""Tables that are read and not bet on: what each way to a host costs and loses, and the half for every size."""

from __future__ import annotations

from labs.answers import Count
from labs.measurement import Run
from labs.model import names_in_flight, waves
from labs.names import drawing as see
from labs.names.setting import WAYS
from labs.poolsize import DEFAULT
from labs.spec import Blank, Lines, Scene
from labs.words import counted, number

VISITS = Blank("visits", Count(1, 20), lambda answer: f"{answer} visits", "visits of one name, by each way")

_WAYS = {
    "lookup": "dns.lookup, as it is",
    "keep-alive": "kept connections (an http.Agent)",
    "own lookup": "own lookup with a cache",
    "dispatcher": "the same in fetch's dispatcher",
    "resolve4": "own lookup over resolve4",
}
_ROW = "{:<34}{:>9}{:>13}{:>20}{:>19}"


def ask(scene: Scene) -> str:
    """Return what is to be chosen."""
    return (
        "Each way visits one name several times, one visit after the other. How many visits? From 1 to 20, as you like."
    )


def _found(run: Run, count: str) -> str:
    return "found" if run.counts[count] else "not found"


def ways(scene: Scene) -> Lines:
    """Return the table of ways, a line each, and what it says."""
    assert scene.record is not None
    runs = {run.name: run for run in scene.record.runs}
    lines = [_ROW.format("way", "lookups", "connections", "in the hosts file", "by search domain")]
    for way in WAYS:
        if (run := runs.get(way)) is not None:
            lines.append(
                _ROW.format(
                    _WAYS[way],
                    run.counts["lookups"],
                    run.counts["connections"],
                    _found(run, "hosts_file_found"),
                    _found(run, "search_domain_found"),
                )  # fmt: skip
            )
    visited = max((run.counts.get("visits", 0) for run in runs.values()), default=0)
    lines.append(
        f"For {visited} visits of one name. The last two columns: a name that only /etc/hosts has, and a short one."
    )
    if (plain := runs.get("lookup")) is not None and not plain.counts["search_domain_found"]:
        lines.append(
            "The last column says nothing here: this system's C library takes no search domain from LOCALDOMAIN."
        )
    lookup, resolve = runs.get("lookup at once"), runs.get("resolve4 at once")
    if lookup is not None and resolve is not None:
        threads = resolve.counts["pool_threads"]
        lines.append(
            f"{scene.parameters['names']} names at once: lookup has {number(see.flying(lookup))} in flight, resolve4 {see.flying(resolve)}, on "
            f"{'no thread' if threads == 0 else counted(threads, 'thread')} of the pool."
        )
    lines.append(
        "Kept connections find what lookup finds. resolve4 frees the slots, and loses what getaddrinfo knew besides."
    )
    lines.append("Next: somebody else's way (the cell below).")
    return tuple(lines)


_SIZE = "{:>9}{:>12}{:>12}{:>9}{:>16}{:>20}"


def sizes(scene: Scene) -> Lines:
    """Return the table of sizes: in flight as counted and by the rule, rounds, and the time they took."""
    assert scene.record is not None
    lines = [_SIZE.format("size", "in flight", "(P + 1) / 2", "rounds", "rounds x hold", "took")]
    for run in scene.record.runs:
        pool = int(run.parameters["pool"] or DEFAULT)  # type: ignore[arg-type]  # this lab's own numbers
        asked, hold = int(run.parameters["names"]), float(run.parameters["hold"])  # type: ignore[arg-type]  # as above
        rounds = waves(asked, pool, "name")
        lines.append(
            _SIZE.format(
                run.parameters["pool"] or "not set",
                see.flying(run),
                names_in_flight(asked, pool),
                rounds,
                f"{rounds * hold * 1000:.0f} ms",
                f"{run.claims['total'] * 1000:.0f} ms",
            )  # fmt: skip
        )
    lines.append(
        "From 1 to 2, from 3 to 4: the second of each pair adds nothing to names. Load can only add to the time."
    )
    return tuple(lines)
