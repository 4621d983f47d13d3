"""What this machine can show: cores, quota, load, the calibrated capacity curve and the noise floor."""

from __future__ import annotations

import itertools
import math
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from statistics import median

from msgspec import Struct

from labs import affinity, cache, cgroup, journal, node_binary, ratio
from labs.calibrate import ROUNDS, Timing, Work, Workers, timing
from labs.measurement import Machine, Noise

Progress = Callable[[int, int], None]

#: The curve is measured up to twice the cores, and never with more workers than this; beyond, the last value holds.
MOST_WORKERS = 64
#: Up to here every k is measured; between the further points the curve is a straight line.
EVERY_K = 8
#: Times each point is measured, in alternating order.
REPEATS = 7
#: A calibration may take about this long (seconds); with many points, or a quota's long windows, it repeats less often.
BUDGET = 4.0
#: How long a calibration holds (seconds), and one that was disturbed.
HOLDS, HOLDS_DISTURBED = 6 * 3600.0, 300.0
#: Part of the processor time that a hypervisor may take away, or that a lone worker may miss, before it is mentioned.
STEAL, LONE = 0.02, 0.90

#: A machine so busy that nothing got done still has a curve; its noise floor says what it is worth.
_LEAST = 0.01

_TICK = os.sysconf("SC_CLK_TCK")


class Moment(Struct, frozen=True):
    """Counters that tell what happened between two moments.

    Attributes:
        steal: Processor seconds that a hypervisor gave to somebody else, over all cores.
        busy: Processor seconds of all cores in total, idle or not.
        throttled: Seconds that the control group stopped us.
    """

    steal: float
    busy: float
    throttled: float


class Calibration(Struct, frozen=True):
    """A calibrated machine.

    Attributes:
        machine: Cores, quota and the capacity curve.
        noise: The A/A floor: 9 of 10 repeats of a point differ from the one before by less than this factor; and no less
            than what a thread alone missed of its core, for then the unit itself was measured under load.
        rate: Rounds of pbkdf2 (sha512) per processor second of one thread alone.
        warnings: What disturbed it, in sentences; empty is good.
    """

    machine: Machine
    noise: Noise
    rate: float
    warnings: tuple[str, ...] = ()

    def rounds(self, seconds: float) -> int:
        """Return the rounds of a hash that takes so many processor seconds alone, at least 1."""
        return max(1, round(self.rate * seconds))


def cores() -> int:
    """Return how many cores this process may run on (affinity mask)."""
    return len(affinity.mask())


def quota() -> cgroup.Quota | None:
    """Return the CPU quota that binds first, of this control group and its ancestors."""
    return cgroup.quota()


def moment(root: Path = Path("/")) -> Moment:
    """Read the counters now; zero where the system does not tell."""
    try:
        fields = [int(field) for field in (root / "proc/stat").read_text().split("\n", 1)[0].split()[1:9]]
    except (OSError, ValueError):
        fields = []
    steal = fields[7] / _TICK if len(fields) > 7 else 0.0
    return Moment(steal, sum(fields) / _TICK, cgroup.throttled(root))


def disturbances(before: Moment, after: Moment, throttling_expected: bool = False) -> tuple[str, ...]:
    """Say what happened between two moments that a measurement should mention."""
    said = []
    passed = after.busy - before.busy
    if passed > 0 and (part := (after.steal - before.steal) / passed) > STEAL:
        said.append(f"The host took {part:.0%} of this machine's processor time away meanwhile (steal).")
    if (stopped := after.throttled - before.throttled) > 0 and not throttling_expected:
        said.append(f"The control group stopped this measurement for {stopped:.2f} s (CPU quota).")
    return tuple(said)


def load(root: Path = Path("/")) -> float | None:
    """Return how many threads are running or ready beside ours at this moment; None where the system does not tell."""
    try:
        for line in (root / "proc/stat").read_text().splitlines():
            if line.startswith("procs_running "):
                return max(0.0, float(line.split()[1]) - 1)
    except (OSError, ValueError):
        pass
    return None


def plain(count: int | None = None) -> Machine:
    """Return this machine without a calibration, at all cores or at so many of them."""
    limit = quota()
    return Machine(
        cores=cores() if count is None else len(affinity.narrowed(count)),
        quota=limit.cores if limit else None,
        quota_period=limit.period if limit else None,
        load=load(),
    )


def points(most: int) -> tuple[int, ...]:
    """Return the k at which the curve is measured: each up to EVERY_K, then doubling, the last one always."""
    doubling = itertools.takewhile(lambda k: k < most, (EVERY_K * 2**step for step in itertools.count(1)))
    return tuple(sorted({*range(1, min(EVERY_K, most) + 1), *doubling, most}))


def curve(measured: Mapping[int, Sequence[float]], cores: int) -> tuple[float, ...]:
    """Return the capacity for k = 1, 2, ... from repeats at some k: medians, and straight lines between.

    One thread alone is the unit, so the curve starts at exactly 1, and k threads on so many cores cannot do more than k times,
    nor more than cores times as much: what lies above is an error of the unit.
    """
    found = {k: max(_LEAST, min(float(k), float(cores), median(values))) for k, values in measured.items()} | {1: 1.0}
    known = sorted(found)
    whole = [found[1]]
    for low, high in itertools.pairwise(known):
        step = (found[high] - found[low]) / (high - low)
        whole += [found[low] + step * (k - low) for k in range(low + 1, high + 1)]
    return tuple(round(value, 4) for value in whole)


def floor(measured: Mapping[int, Sequence[float]]) -> float:
    """Return the A/A noise floor: the 9th decile of how far a repeat differs from the one before, as a factor.

    A single value, such as one in-situ control, is as far from its median as two repeats are from each other, or nearer.
    """
    apart = sorted(
        abs(math.log(after / before))
        for values in measured.values()
        for before, after in itertools.pairwise(values)
        if before > 0 and after > 0
    )
    return round(math.exp(apart[math.ceil(0.9 * len(apart)) - 1]), 4) if apart else 1.0


def calibrate(count: int | None = None, on_progress: Progress | None = None, node: Path | None = None) -> Calibration:
    """Measure this machine now: capacity(k) up to twice the cores, and the noise floor.

    A calibration that was disturbed is made once more; the one with the lower floor counts.

    Args:
        count: On so many cores, by affinity; None for all.
        on_progress: Called with (done, total).
        node: Which Node; None for the pinned one.

    Raises:
        SetupError: There is no Node, or there are fewer cores.
    """
    chosen = affinity.mask() if count is None else affinity.narrowed(count)
    limit = quota()
    when = timing(limit, len(chosen))
    wanted = points(min(2 * len(chosen), MOST_WORKERS))
    repeats = max(3, min(REPEATS, int(BUDGET / (len(wanted) * (when.lead + when.window)))))
    with Workers(when, node, sorted(chosen)) as workers:
        workers.work(wanted[-1], Timing(lead=0.0, window=0.02))  # hires the workers and warms up their code

        def once() -> Calibration:
            before, beside = moment(), load()
            together: dict[int, list[Work]] = {k: [] for k in wanted}
            for turn in range(repeats):
                for k in wanted if turn % 2 == 0 else reversed(wanted):
                    together[k].append(workers.work(k))
                    if on_progress:
                        on_progress(sum(map(len, together.values())), repeats * len(wanted))
            happened = disturbances(before, moment(), throttling_expected=limit is not None)
            return summary(len(chosen), limit, when, together, beside, happened)

        made = once()
        # Under a quota one calibration takes the whole budget.
        if made.warnings and when == Timing():
            made = min(made, once(), key=lambda one: one.noise.floor or 1.0)
        return made


def summary(
    cores: int,
    limit: cgroup.Quota | None,
    when: Timing,
    together: Mapping[int, Sequence[Work]],
    beside: float | None,
    happened: Sequence[str] = (),
) -> Calibration:
    """Return what the windows say: ``together[k]`` are the repeats with k workers, those with one give the unit."""
    unit = median(work.unit for work in together[1])
    capacity = {k: [work.speed / unit / when.share for work in works] for k, works in together.items()}
    lone = median(capacity[1])
    warnings = [*happened]
    if lone < LONE:
        warnings.append(
            f"One thread alone got {lone:.0%} of a core: something else was running. Calibrate again when it is quiet."
        )
    apart = max(floor(capacity), round(1 / max(lone, 1e-3), 4), 1.0)
    if apart > ratio.MOST_TOLERANCE:
        warnings.append(f"This machine differed from itself by {apart:.2f} times. Calibrate again when it is quiet.")
    return Calibration(
        machine=Machine(
            cores=cores,
            capacity=curve(capacity, cores),
            quota=limit.cores if limit else None,
            quota_period=limit.period if limit else None,
            load=beside,
        ),
        noise=Noise(floor=apart),
        rate=unit * ROUNDS,
        warnings=tuple(warnings),
    )


def calibrated(
    count: int | None = None,
    room: str = "here",
    measure: Callable[[], Calibration] | None = None,
    on_progress: Progress | None = None,
    fresh: bool = False,
) -> Calibration:
    """Return the machine's calibration, from the cache while it holds.

    Args:
        count: On so many cores, by affinity; None for all.
        room: The room's name (and image); each is calibrated in itself.
        measure: How to calibrate in that room; None for here.
        on_progress: Called with (done, total) while measuring.
        fresh: Measure again in any case.
    """
    mark, name = fingerprint(count, room), _name(count, room)
    if not fresh and (found := cache.kept(name, Calibration, mark, HOLDS)) is not None:
        return found
    made = measure() if measure else calibrate(count, on_progress)
    cache.keep(name, made, mark, HOLDS_DISTURBED if made.warnings else HOLDS)
    return made


def forget(count: int | None = None, room: str = "here") -> None:
    """Keep the calibration no longer: a measurement showed that it does not describe this machine as it is now."""
    cache.forget(_name(count, room))


def _name(count: int | None, room: str) -> str:
    return f"calibration-{cache.fingerprint(room, count)[:12]}"


def fingerprint(count: int | None, room: str, root: Path = Path("/")) -> str:
    """Return a digest of everything that makes a calibration void when it changes."""
    limit = quota()
    node = node_binary.pinned()
    seen = node.stat()
    return cache.fingerprint(
        sorted(affinity.mask()),
        count,
        room,
        processor(root),
        limit and [limit.cores, limit.period],
        journal.now().boot,
        [os.fspath(node), seen.st_size, seen.st_mtime_ns],
    )


def processor(root: Path = Path("/")) -> str:
    """Return the processor's model, as far as the kernel names it."""
    try:
        lines = (root / "proc/cpuinfo").read_text().splitlines()
    except OSError:
        return "unknown"
    names = ("model name", "cpu model", "CPU implementer", "CPU part", "Hardware")
    found = {line.split(":")[0].strip(): line.split(":", 1)[1].strip() for line in lines if ":" in line}
    return ", ".join(found[name] for name in names if name in found) or "unknown"
