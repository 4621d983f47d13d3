"""How often does a check err? Every check, on the reference solution and on wrong ways, on machines of several shapes.

Structural checks are tried live. Ratios are judged from pairs that are recorded once (grader.trial_table), since
neighbouring pairs are correlated and a verdict takes 9 to 25 of them.
"""

from __future__ import annotations

import itertools
import os
import subprocess
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from grader import revision, shapes, stories, trial_log, work
from grader.checks import judge_check
from grader.shapes import Load, MachineShape
from grader.trial_log import Block, Call, Head, Judged, Live
from grader.verdict import Outcome
from labs import acts, catalog, lock, machine, node_binary, rooms, trials
from labs.calibration import Wanted
from labs.errors import NoisyError, ScriptError, SetupError
from labs.machine import Calibration
from labs.measurement import Record
from labs.request import Request
from labs.spec import CountCheck, Lab, Parameters, RatioCheck, Scene, Shape
from labs.trials import Case, Series, Trials

Check = CountCheck | RatioCheck
OnProgress = Callable[[int, int, str], None]

#: Pairs of one line of the file, and of one calibration and draw: two lines. A verdict takes 9 to 25 pairs and a calibration some
#: seconds, so this gives twice the calibrations of 100 pairs in hardly more time, and still more than one verdict on each.
BLOCK, SERIES = 25, 50
#: Seeds that are looked at for the different draws of a ratio's check.
SEEDS = 64


@dataclass(frozen=True)
class Unit:
    """One thing to do: ``what`` is a case (live), a row of bets (live), or a series (one block of pairs).

    ``number`` is that of the live run or of the series, ``count`` the pairs of a block.
    """

    name: str
    lab: Lab
    trials: Trials
    shape: MachineShape
    what: Case | tuple[str, ...] | Series
    number: int
    count: int = 0


@dataclass
class Place:
    """Where units of one shape are done: the load beside them, and what was calibrated so far.

    A machine is calibrated once for all live runs and afresh for each series, always while nothing computes beside it.
    """

    load: Load
    room: str
    calibrations: dict[tuple[int | None, str], Calibration] = field(default_factory=dict)

    def calibrated(self, count: int | None, what: str = "") -> Calibration:
        """Return the calibration for so many cores, made when it is first asked for."""
        if (count, what) not in self.calibrations:
            with self.load.paused(), lock.measuring("calibration"):
                answer = rooms.ask(rooms.find(self.room), "calibrate", msgspec.json.encode(Wanted(count)))
            self.calibrations[count, what] = msgspec.json.decode(answer, type=Calibration)
        return self.calibrations[count, what]


def plan(slugs: Sequence[str], machines: Sequence[MachineShape], runs: int, pairs: int) -> tuple[Unit, ...]:
    """Return all units: for each shape and lab so many live runs of right and of wrong ways a check, so many pairs a series case."""
    return tuple(itertools.chain.from_iterable(
        _units(catalog.load(slug), found, shape, runs, pairs)
        for shape in machines for slug in slugs if (found := trials.of(slug)) is not None
    ))  # fmt: skip


def _units(lab: Lab, found: Trials, shape: MachineShape, runs: int, pairs: int) -> Iterator[Unit]:
    ways: dict[tuple[str, bool], list[Case]] = {}
    for case in found.cases:
        ways.setdefault((case.measure, case.contradicts is None), []).append(case)
    rows = rows_of(lab, found)
    turns = [list(_turns(cases, runs)) for cases in ways.values()]
    for number in range(max([runs if rows else 0, *map(len, turns)])):
        for turn in (turn for turn in turns if number < len(turn)):
            at, case = turn[number]
            yield Unit(f"{lab.slug}|{shape}|{case.measure}|{case.slug}|{at}", lab, found, shape, case, at)
        for row in rows if number < runs else ():
            yield Unit(f"{lab.slug}|{shape}|row|{'+'.join(row)}|{number}", lab, found, shape, row, number)
    # Cases take turns, so that a trial that was stopped has as many series of one as of another.
    for number, series in itertools.product(range(-(-pairs // SERIES)), found.series):
        whole = min(SERIES, pairs - number * SERIES)
        for block in range(-(-whole // BLOCK)):
            yield Unit(
                f"{lab.slug}|{shape}|{series.check}|{series.slug}|{SERIES} pairs|{number}|{block}", lab, found, shape, series,
                number, min(BLOCK, whole - block * BLOCK),
            )  # fmt: skip


def _turns(cases: Sequence[Case], runs: int) -> Iterator[tuple[int, Case]]:
    """Yield ways in turn, so that each has as many runs as another, with their numbers.

    A wrong way may speak against one check and not against another: beyond ``runs`` those go on that still lack some.
    """
    left = Counter({check: runs for case in cases for check in case.contradicts or ()})
    for number in itertools.count():
        case = cases[number % len(cases)]
        if number < runs or any(left[check] > 0 for check in case.contradicts or ()):
            left.subtract(list(case.contradicts or ()))
            yield number, case
        elif not any(count > 0 for count in left.values()):
            return


def draws(lab: Lab, measure: str, shape: Shape) -> dict[int, Parameters]:
    """Return the different draws of a measure on one machine, by the first seed that gives each, in the order of the seeds."""
    found: dict[int, Parameters] = {}
    for seed in range(1, SEEDS + 1):
        drawn = work.draw(lab, measure, seed, shape)
        if drawn not in found.values():
            found[seed] = drawn
    return found


def rows_of(lab: Lab, found: Trials) -> tuple[tuple[str, ...], ...]:
    """Return the rows of bets that can be tried: what Node does in all of them is said, whatever the machine."""
    some = Shape(2)
    return tuple(
        row for row in lab.rows if all(slug in found.node(Scene(work.draw(lab, slug, 0, some), some)) for slug in row)
    )


def head() -> Head:
    """Return what the first line of a file says of this machine."""
    program = [str(node_binary.pinned()), "-p", "`${process.versions.node} (libuv ${process.versions.uv})`"]
    said = subprocess.run(program, capture_output=True, text=True, check=True, timeout=60)
    today = time.strftime("%Y-%m-%d", time.gmtime())
    return Head(1, today, machine.processor(Path("/")), os.cpu_count() or machine.cores(), said.stdout.strip())


def run(
    units: Sequence[Unit], path: Path, room: str | None = None, on_progress: OnProgress | None = None, command: str = ""
) -> None:
    """Do what is not done yet and append it to the file, a line a unit; before it a line that says by which command.

    Args:
        units: What is to be done.
        path: The file.
        room: Where; None for the first of the lab's that works.
        on_progress: Called with (done, total, what).
        command: As typed; empty leaves its line out.

    Raises:
        SetupError: The file is of another machine or Node, or this machine does not have a shape.
        Occupied: Somebody else measured for so long that it was no use to wait.
        RecordError: The file is no trial's.
    """
    lines, here = trial_log.read(path), head()
    if lines:
        before = lines[0]
        assert isinstance(before, Head)  # read() refuses others
        if msgspec.structs.replace(before, began=here.began) != here:
            raise SetupError(
                f"{path} was begun with {before.node} on {before.cores} cores ({before.processor}); this is {here.node} on "
                f"{here.cores} ({here.processor}). Figures of two machines do not go into one table: take another file."
            )
    else:
        trial_log.append(path, here)
    blocks = [line for line in lines if isinstance(line, Block)]
    left = _left(units, lines)
    made = len(units) - len(left)
    if command and left:
        trial_log.append(path, Call(time.strftime("%Y-%m-%d", time.gmtime()), command, revision.ours()))
    for shape, group in itertools.groupby(left, key=lambda unit: unit.shape):
        with shapes.on(shape) as load:
            first, *others = group
            place = Place(load, room or rooms.choose(first.lab.rooms).name)
            for unit in (first, *others):
                if on_progress is not None:
                    on_progress(made, len(units), f"{unit.lab.slug} on {shape}")
                seen = {"beside": machine.load(), "load": len(load.processes), "loads": shapes.loads()}
                if isinstance(unit.what, Series):
                    block = msgspec.structs.replace(_block(unit, unit.what, place, blocks), **seen)
                    blocks.append(block)
                    trial_log.append(path, block)
                else:
                    live = Live(unit.name, unit.lab.slug, shape, _live(unit, place))
                    trial_log.append(path, msgspec.structs.replace(live, **seen))
                made += 1


def _left(units: Sequence[Unit], lines: Sequence[trial_log.Line]) -> list[Unit]:
    """Return what is not done yet. A live run counts whatever its number was when the lab had fewer ways that took turns."""
    done = {line.unit for line in lines if isinstance(line, Live | Block)}
    live = {line.unit for line in lines if isinstance(line, Live)}
    spare = Counter(name.rpartition("|")[0] for name in live - {unit.name for unit in units})
    left = []
    for unit in units:
        way = unit.name.rpartition("|")[0]
        if unit.name in done:
            continue
        if spare[way]:
            spare[way] -= 1
        else:
            left.append(unit)
    return left


def _live(unit: Unit, place: Place) -> tuple[Judged, ...]:
    if isinstance(unit.what, Case):
        return _case(unit, unit.what, place)
    assert isinstance(unit.what, tuple)  # a row
    return _row(unit, unit.what, place)


# a case: one record, all count checks of its measure


def _case(unit: Unit, case: Case, place: Place) -> tuple[Judged, ...]:
    checks = {
        check.slug: check
        for item in unit.lab.items
        for check, _ in item.checks
        if isinstance(check, CountCheck) and check.measure == case.measure
    }
    if case.contradicts is not None:
        checks = {slug: checks[slug] for slug in case.contradicts}
    seen = _measured(unit, case, place)
    return tuple(_judged(check, case, seen) for check in checks.values())


def _judged(check: CountCheck, case: Case, seen: Record | Judged) -> Judged:
    right = case.contradicts is None
    wanted = () if case.contradicts is None else case.contradicts[check.slug]
    if isinstance(seen, Judged):
        return msgspec.structs.replace(seen, check=check.slug, right=right, wanted=wanted)
    said = judge_check(check, work.alone(seen))
    expected = said.outcome is (Outcome.PASS if right else Outcome.CONTRADICTS)
    return Judged(
        check.slug, right, said.outcome, said.wrong_models, wanted,
        "" if expected else f"{case.slug}: measured {said.measured}, expected {said.expected}. {said.because}",
    )  # fmt: skip


def _measured(unit: Unit, case: Case, place: Place) -> Record | Judged:
    """Return a record, or why there is none: to be run again is INCONCLUSIVE, a script that ended it is an ERROR."""
    lab, measure = unit.lab, unit.lab.measure(case.measure)
    plain = machine.plain()
    shape = Shape(plain.cores)
    if any(one.calibrated for one in lab.measures):
        found = place.calibrated(None).machine
        shape = Shape(found.cores, found.capacity)
    scene = Scene(work.draw(lab, case.measure, unit.number + 1, shape), shape)
    scene = Scene(scene.parameters, shape, answers=case.typed(scene))
    asked: Any = msgspec.to_builtins(dict(measure.parameters(scene)))
    request = Request(
        lab=lab.slug, measure=case.measure, parameters=asked, seed=unit.number + 1, script=case.script,
        smoke=measure.calibrated, times=False,
    )  # fmt: skip
    if measure.calibrated:
        # Times are tried from series; here only what is counted matters.
        count = asked.get("cores")
        made = place.calibrated(count if isinstance(count, int) else None)
        request = msgspec.structs.replace(request, machine=made.machine, noise=made.noise)
    try:
        return rooms.measure(request, rooms.find(place.room))
    except lock.Occupied:
        raise  # says nothing about a check; the trial is gone on with later
    except NoisyError as problem:
        return Judged("", False, Outcome.INCONCLUSIVE, because=f"{case.slug}: {problem}")
    except ScriptError as problem:
        return Judged("", False, Outcome.ERROR, because=f"{case.slug}: {problem}")


# a row of bets: Node's own answers, and the answers of everybody who holds a story


def _row(unit: Unit, row: tuple[str, ...], place: Place) -> tuple[Judged, ...]:
    lab = unit.lab
    before: list[tuple[str, Mapping[str, Any], Scene]] = []
    found: list[Judged] = []
    for slug in row:
        bet = lab.bet(slug)
        solutions = (one for one in unit.trials.cases if one.measure == bet.measure and one.contradicts is None)
        seen = _measured(unit, next(solutions, Case("solution", bet.measure)), place)
        if isinstance(seen, Judged):
            return (*found, msgspec.structs.replace(seen, check=f"bet {slug}", right=True))
        scene = work.alone(seen)
        node, actual = unit.trials.node(scene)[slug], bet.actual(seen)
        if actual is None or dict(actual) != dict(node):
            because = f"{slug}: the record says {actual}, the model {dict(node)}"
            return (*found, Judged(f"bet {slug}", True, Outcome.CONTRADICTS, because=because))
        found.append(Judged(f"bet {slug}", True, Outcome.PASS))
        missed: list[str] = []
        extra: list[str] = []
        for story in lab.stories:
            predicted = story.rows(scene).get(slug)
            if predicted is None or {**actual, **predicted} == dict(actual):
                continue
            said = tuple(
                stories.Said(name, did if story.local else {**did, **story.rows(then).get(name, {})}, did, then)
                for name, did, then in before
            )
            now = stories.Said(slug, {**actual, **predicted}, actual, scene)
            named = stories.named(lab.stories, (*said, now), work.group(lab, slug))
            if story not in named:
                missed.append(story.slug)
            extra += [
                f"{one.slug} beside {story.slug}"
                for one in named
                if one is not story and dict(one.rows(scene)[slug]) != dict(predicted)
            ]
        odd = [*(f"not named by its own row: {one}" for one in missed), *(f"named, too: {one}" for one in extra)]
        found.append(Judged(
            f"bet {slug}", False, Outcome.CONTRADICTS, tuple(missed), because=f"{slug}: {'; '.join(odd)}" if odd else "",
            extra=tuple(extra),
        ))  # fmt: skip
        before.append((slug, actual, scene))
    return tuple(found)


# a series: pairs, recorded and kept


def _block(unit: Unit, series: Series, place: Place, blocks: Sequence[Block]) -> Block:
    check = ratio_check(unit.lab, series.check)
    mark = (unit.lab.slug, unit.shape, series.check, series.slug, SERIES, unit.number)
    before = next((one for one in blocks if trial_log.series(one) == mark), None)
    whole = place.calibrated(None).machine
    seeds = draws(unit.lab, check.measure, Shape(whole.cores, whole.capacity))
    seed = tuple(seeds)[unit.number % len(seeds)]
    if before is None:
        drawn = seeds[seed]
        count = drawn.get("cores")
        made = place.calibrated(count if isinstance(count, int) else None, "|".join(map(str, mark)))
        known, noise = made.machine, made.noise
    else:
        drawn, known, noise = acts.freeze(before.scene), before.machine, before.noise
    scene: Any = msgspec.to_builtins(dict(drawn))
    block = Block(
        unit.name, unit.lab.slug, unit.shape, series.slug, series.check, unit.number, scene, known, noise, length=SERIES
    )
    asked = series.parameters(Scene(drawn, Shape(known.cores, known.capacity)), known)
    if asked is None:
        return block
    parameters: Any = msgspec.to_builtins({**asked, "count": unit.count})
    request = Request(
        lab=unit.lab.slug, measure=series.measure, parameters=parameters, seed=seed, machine=known, noise=noise
    )
    try:
        record = rooms.measure(request, rooms.find(place.room))
    except lock.Occupied:
        raise
    except (NoisyError, ScriptError) as problem:
        return msgspec.structs.replace(block, because=str(problem))
    return msgspec.structs.replace(block, pairs=record.pairs)


def ratio_check(lab: Lab, slug: str) -> RatioCheck:
    """Return a lab's ratio check.

    Raises:
        KeyError: There is none of that name.
    """
    found = {check.slug: check for item in lab.items for check, _ in item.checks}[slug]
    assert isinstance(found, RatioCheck)
    return found
