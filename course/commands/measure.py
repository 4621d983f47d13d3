"""``fourthreads measure``: one measurement, from the command line."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from course.commands._say import json_option, progress, say_json

if TYPE_CHECKING:
    from labs.measurement import Record, Run
    from labs.spec import Lab, Measure

#: Slots, waiting tasks and finished ones of one line; --json has them all.
_MOST = 24


@click.command("measure", short_help="Run one experiment and print what was measured.")
@click.argument("slug")
@click.argument("parameters", nargs=-1, metavar="[KEY=VALUE ...]")
@click.option("--measure", "name", help="Which measure of the lab.  [default: the free one]")
@click.option("--room", help="Where to run it: here, namespace or container.  [default: the lab's first that works]")
@click.option(
    "--script", type=click.Path(exists=True, dir_okay=False, path_type=Path), help="Run this JavaScript instead."
)
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Draws what is not given.")
@click.option("--smoke", is_flag=True, help="At the smallest size; such a record earns nothing.")
@json_option
def command(
    slug: str,
    parameters: tuple[str, ...],
    name: str | None,
    room: str | None,
    script: Path | None,
    seed: int,
    smoke: bool,
    as_json: bool,
) -> None:
    """Run one experiment of the lab SLUG. Values: numbers, texts, [1,2] for lists, unset for none.

    \b
    fourthreads measure gates pool=8 tasks=16
    fourthreads measure gates pool=unset tasks=12 --json > record.json

    \b
    Exit code: 0 nothing contradicts, 1 something does, 2 wrong use, setup, or a script that ended the measurement.
    """
    from grader import judge, verdict
    from labs import catalog

    lab = catalog.load(slug)
    measure = find(lab, name)
    given = dict(parsed(text) for text in parameters)
    with progress(f"measuring {slug}") as advance:
        record = run(lab, measure, given, room, source(script) if script else None, seed, smoke, advance)
    verdicts = judge.judge_record(lab, record)
    if as_json:
        say_json(record)
    else:
        from course.commands.check import describe as describe_verdicts

        click.echo(describe(record))
        if verdicts:
            click.echo(describe_verdicts(verdicts))
    sys.exit(verdict.exit_code(verdicts))


def source(script: Path) -> str:
    """Return a script as text.

    Raises:
        SetupError: It is no plain file, or not UTF-8.
    """
    from labs import plain
    from labs.errors import SetupError

    try:
        return plain.read(script).decode()
    except plain.NotPlain as problem:  # it was named by hand: nothing is to be moved
        raise SetupError(f"{problem.what} Nothing was run.") from problem
    except UnicodeDecodeError as problem:
        raise SetupError(f"{script} is not UTF-8 text: {problem.reason} at byte {problem.start}.") from problem


def find(lab: Lab, name: str | None) -> Measure:
    """Return the measure of that name; without a name the free one, else the first.

    Raises:
        UsageError: The lab has no such measure.
    """
    if name is None:
        return next((measure for measure in lab.measures if measure.free), lab.measures[0])
    for measure in lab.measures:
        if measure.slug == name:
            return measure
    raise click.UsageError(
        f"{lab.slug} has no measure {name!r}; it has: {', '.join(one.slug for one in lab.measures)}."
    )


def parsed(text: str) -> tuple[str, Any]:
    """Return name and value of ``key=value``. What is no plain number, list or truth value stays the text it is.

    ``pool`` is what the environment gets, so only a plain whole number is one: ``1e3`` and ``007`` stay texts.

    Raises:
        UsageError: There is no ``=``, or no name before it.
    """
    key, equals, value = text.partition("=")
    if not equals or not key.isidentifier():
        raise click.UsageError(f"{text!r} is not KEY=VALUE, such as pool=8.")
    if value in ("unset", "null", "none"):
        return key, None
    if key == "pool":
        return key, int(value) if re.fullmatch(r"-?(0|[1-9][0-9]{0,17})", value) and value != "-0" else value
    try:
        found = json.loads(value, parse_constant=str)
    except (ValueError, RecursionError):
        return key, value
    return key, found if isinstance(found, int | float | bool | list) else value


def run(
    lab: Lab,
    measure: Measure,
    given: dict[str, Any],
    room: str | None,
    script: str | None,
    seed: int,
    smoke: bool,
    advance: Any,
) -> Record:
    """Draw what is not given and have it measured.

    Raises:
        UsageError: The measure does not know a name, or needs one that is not given.
        FourThreadsError: As the room said it.
    """
    import msgspec

    from grader import work
    from labs import fitting, machine, rooms
    from labs.request import Request
    from labs.spec import Scene, Shape

    where = rooms.find(room) if room else rooms.choose(lab.rooms)
    here = machine.calibrated(on_progress=advance).machine if measure.calibrated else machine.plain()
    shape = Shape(here.cores, here.capacity)
    drawn = dict(work.draw(lab, measure.slug, seed, shape))
    known = {*drawn, *(blank.name for blank in measure.typed)}
    if strange := sorted(given.keys() - known):
        raise click.UsageError(
            f"{lab.slug} {measure.slug} has no {strange[0]!r}; it takes: {', '.join(sorted(known))}."
        )
    scene = Scene({**drawn, **given}, shape, answers={key: value for key, value in given.items() if value is not None})
    try:
        asked = {**measure.parameters(scene), **given}
    except KeyError as missing:
        raise click.UsageError(f"{lab.slug} {measure.slug} needs {missing.args[0]}=..., too.") from missing
    request = Request(
        lab=lab.slug, measure=measure.slug, parameters=msgspec.to_builtins(asked), seed=seed, script=script, smoke=smoke,
    )  # fmt: skip
    if measure.calibrated:
        request = fitting.fitted(request, where, advance)
    record = rooms.measure(request, where, advance)
    fitting.settle(request, record, where)
    return record


def describe(record: Record) -> str:
    """Return a record as text: where and what, then the steps, counts and ratios of every run."""
    head = (
        f"{record.lab} · {record.measure} · {record.room} · Node {record.node.version} (libuv {record.node.uv}) · "
        f"{record.machine.cores} core{'s' if record.machine.cores > 1 else ''}"
    )
    lines = [head, *(line for one in record.runs for line in _run_lines(one))]
    lines += _pair_lines(record)
    lines += [f"Mind: {warning}" for warning in record.warnings]
    return "\n".join(lines)


def _run_lines(one: Run) -> list[str]:
    from labs.words import spaced

    shown = "  ".join(f"{key}={'unset' if value is None else value}" for key, value in one.parameters.items())
    lines = [f"{one.name}:  {shown}" if shown else f"{one.name}:"]
    for step in one.steps:
        held = spaced([task or " " for task in step.slots], _MOST, "[{}]") or "no slot yet"
        waits = f"   waiting {spaced(step.waiting, _MOST)}" if step.waiting else ""
        done = f"   done {spaced(step.finished, _MOST)}" if step.finished else ""
        lines.append(f"  {step.action:<10}{held}{waits}{done}")
    for source in ("observed", "claimed"):
        counts = [f"{name} {count}" for name, count in one.counts.items() if one.sources[name] == source]
        if counts:
            lines.append(f"  {source:<10}{', '.join(counts)}")
    lines.append(f"  {'took':<10}{one.wall:.2f} s, {one.cpu:.2f} s of CPU; {one.ended}")
    return lines


def _pair_lines(record: Record) -> list[str]:
    from statistics import median

    lines = []
    for name in dict.fromkeys(pair.name for pair in record.pairs):
        ratios = sorted(
            pair.numerator / pair.denominator for pair in record.pairs if pair.name == name and pair.denominator
        )
        if ratios:
            lines.append(
                f"{name}: ratio {median(ratios):.2f} ({ratios[0]:.2f} to {ratios[-1]:.2f}, {len(ratios)} pairs)"
            )
    return lines
