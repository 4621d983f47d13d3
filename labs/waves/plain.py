"""Plain runs, made in pairs: no tracing, no watching, only how long the script took by its own report."""

from __future__ import annotations

from labs import cgroup
from labs.errors import ScriptError
from labs.measurement import Pair
from labs.waves.setting import Setting

#: One side of a pair: hashes, and the pool's size (None: unset).
Side = tuple[int, int | None]


def pair(setting: Setting, name: str, number: int, above: Side, below: Side, threads: int | None = None) -> Pair:
    """Make the ``number``-th pair (from 0): the two sides, in an order that alternates, and the control between them.

    The control has so many ``threads``, by itself as many as the run above the line keeps busy.

    Raises:
        ScriptError: The script ended the measurement, or did not report what it was asked for.
    """
    first = "numerator" if number % 2 == 0 else "denominator"
    stopped = cgroup.throttled()
    one = seconds(setting, *(above if first == "numerator" else below))
    control = setting.workers.capacity(
        _threads(setting, above) if threads is None else min(threads, 2 * len(setting.cores))
    )
    other = seconds(setting, *(below if first == "numerator" else above))
    return Pair(
        name=name,
        first="numerator" if number % 2 == 0 else "denominator",
        numerator=one if first == "numerator" else other,
        denominator=other if first == "numerator" else one,
        control=control,
        throttled=max(0.0, cgroup.throttled() - stopped),
    )


def seconds(setting: Setting, tasks: int, pool: int | None) -> float:
    """Run the script with so many hashes; return the seconds from its first line to its last report (claimed).

    Raises:
        ScriptError: It did not report each hash once.
    """
    parameters = {"tasks": tasks, "rounds": setting.rounds}
    with setting.stage.launch(
        setting.script,
        name="pair",
        parameters=parameters,
        pool=pool,
        cores=setting.cores,
        tick=0.05,
        bounds=setting.bounds,
    ) as run:
        run.wait_exit()
        if run.ending != "exited":
            raise run.failure()
        claims = run.claims()
        began = next(claim.at for claim in claims if claim.kind == "begin")
        done = [claim.at for claim in claims if claim.kind == "done"]
        if len(done) != tasks:
            raise ScriptError(
                f"With n = {tasks}, your script reported {len(done)} hashes with done(i). Report each one once, when it is back."
            )
        return max(done) - began


def _threads(setting: Setting, side: Side) -> int:
    """Return how many workers the control uses: as many as slots are busy, up to twice the cores (the calibrated curve)."""
    from labs.waves.expect import size

    return min(side[0], size(side[1]), 2 * len(setting.cores))
