"""The lab ``phases`` on real Node: the trace against the model, the learner's parts, what is free."""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from grader.checks import judge_check
from grader.verdict import Outcome
from labs import catalog, rooms
from labs.acts import freeze
from labs.errors import ScriptError, SetupError
from labs.measurement import Record
from labs.phases import conduct, further, loop, parts, programs, rehearse, stories
from labs.phases import drawing as see
from labs.phases.draw import draw
from labs.phases.reference import trial
from labs.request import Request
from labs.spec import Scene, Shape
from labs.trials import Case
from tests.busy import busy
from tests.room import stage

pytestmark = pytest.mark.node
LAB = catalog.load("phases")
SHAPE = Shape(2)


def scene(slug: str, seed: int) -> Scene:
    """Return a thing's scene at one draw."""
    return Scene(freeze(dict(draw(random.Random(seed), SHAPE)[slug])), SHAPE)


def dry(seed: int) -> Scene:
    """Return the scene of a dry run at one draw."""
    return dataclasses.replace(scene("A", seed), scripted={part: scene(part, seed).parameters for part in ("A", "B")})


def request(slug: str, seed: int = 0, script: str | None = None, **more: Any) -> Request:
    """Return a request for a measure with the numbers of a draw."""
    numbers = msgspec.to_builtins(dict(LAB.measure(slug).parameters(scene(slug, seed))))
    return Request(lab="phases", measure=slug, parameters={**numbers, **more}, script=script)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("slug", [bet.slug for bet in LAB.bets])
def test_node_does_what_the_model_says(slug: str, seed: int) -> None:
    """Every bet, at several draws: the trace shows the order and the phases of the model."""
    record = rooms.measure(request(slug, seed))

    assert stories.node(scene(slug, seed))[slug] == LAB.bet(slug).actual(record)
    if slug in ("four", "two"):
        for run in record.runs:
            program = programs.four(run.name, tuple(record.parameters["lines"]))  # type: ignore[arg-type]
            assert [one.phase for one in loop.run(program)] == [one.phase for one in run.callbacks]


def programs_at_random(count: int) -> Iterator[loop.Program]:
    """Yield programs: three to five callbacks in any source's, some of which ask for more themselves."""
    chance = random.Random(20241)
    kinds: tuple[loop.Kind, ...] = ("tick", "promise", "timeout", "immediate")
    for number in range(count):
        names = iter(f"c{place}" for place in range(40))

        def asks(depth: int, names: Iterator[str] = names) -> tuple[loop.Ask, ...]:
            some = chance.randint(2, 4) if depth == 0 else chance.choice([0, 0, 1, 2])
            return tuple(
                loop.Ask(chance.choice(kinds), next(names), asks(depth + 1) if depth < 2 else ()) for _ in range(some)
            )

        sources: tuple[loop.Source, ...] = ("file", "timer", "immediate", "close", "cjs", "mjs")
        yield loop.Program(sources[number % len(sources)], asks(0))


def _plain(program: loop.Program) -> str:
    """Return a program in which every callback that asks for a timer works on until it is due, however deep."""

    def text(asks: tuple[loop.Ask, ...]) -> str:
        return programs.text(loop.Program("cjs", asks), busy=0)

    def deep(one: loop.Ask) -> str:
        body = f"log('{one.name}'); " + " ".join(deep(inner) for inner in one.asks)
        body += " busy(3);" if any(inner.kind == "timeout" for inner in one.asks) else ""
        return text((loop.Ask(one.kind, "_"),)).strip().replace("log('_')", f"{{ {body} }}")

    lines = [deep(one) for one in program.asks] + ["busy(3);"]
    whole = programs.text(loop.Program(program.source, ()), busy=0).splitlines()
    at = next((place for place, line in enumerate(whole) if line.endswith("{")), -1) + 1
    return "\n".join([*whole[:at], *lines, *whole[at:]])


@pytest.mark.parametrize("number", range(4))
def test_random_programs_run_in_the_models_order(number: int) -> None:
    """Callbacks that ask for callbacks, from every source, in every kind: order and phase of Node are the model's."""
    with stage(request("four")) as here:
        for program in list(programs_at_random(24))[number::4]:
            module: Any = "mjs" if program.source == "mjs" else "cjs"
            run = conduct.traced(here, _plain(program), "random", {}, module)
            expected = [(one.name, one.phase) for one in loop.run(program)]
            assert expected == [(one.name, one.phase) for one in run.callbacks], _plain(program)


def judged(case: Case, seed: int) -> tuple[Record, list[Any]]:
    """Run one way to do a part, and judge it."""
    record = rooms.measure(request(case.measure, seed, case.script))
    checks = [check for item in LAB.items for check, _ in item.checks if check.measure == case.measure]
    here = scene(case.measure, seed)
    return record, [judge_check(check, Scene(here.parameters, SHAPE, record)) for check in checks]


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("case", trial.TRIALS.cases, ids=lambda case: f"{case.measure} {case.slug}")
def test_the_solution_passes_and_every_other_way_contradicts_under_its_name(case: Case, seed: int) -> None:
    """The reference at both targets; what people write instead, and the story it comes from."""
    _, (verdict,) = judged(case, seed)

    if case.contradicts is None:
        assert Outcome.PASS == verdict.outcome, verdict.because
        return
    names = case.contradicts[verdict.check]
    assert Outcome.CONTRADICTS == verdict.outcome, verdict.because
    assert bool(names) == bool({*verdict.wrong_models} & {*names}) and {*verdict.wrong_models} <= {*names}


def test_the_solution_passes_beside_a_busy_machine() -> None:
    """Load changes no order."""
    with busy(2):
        for part in "AB":
            solution = next(case for case in trial.TRIALS.cases if case.measure == part and case.slug == "solution")
            _, (verdict,) = judged(solution, 1)
            assert Outcome.PASS == verdict.outcome, verdict.because


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ("fs.stat('.', four);", ("immediate", "timeout")),
        ("setTimeout(four, 5);", ("immediate", "timeout")),
        ("setImmediate(four);", ("timeout", "immediate")),
        ("fs.promises.stat('.').then(four);", ("immediate", "timeout")),
        ("setTimeout(async () => { await null; four(); }, 5);", ("immediate", "timeout")),
        ("four();", ("timeout", "immediate")),
    ],
)
def test_honest_ways_to_write_a_part_are_seen_as_what_they_are(lines: str, expected: tuple[str, ...]) -> None:
    """Other sources, promises, await and the module's own body: one callback asks, and the order is certain."""
    four = trial._BUSY.split("const late")[0]
    record = rooms.measure(request("A", 0, f"{four}part('A', () => {{ {lines} }});\npart('B', () => {{}});"))
    came = parts.came(record)

    assert isinstance(came, tuple), came
    assert expected == tuple(name for name in came if name in expected)


@pytest.mark.parametrize(
    ("script", "expected"),
    [("part('A', () => {", "SyntaxError"), ("part('A', () => { throw new Error('mine'); });", "Error: mine"), ("part('A', () => { process.exit(3); });", "exit 3")],
)  # fmt: skip
def test_a_script_that_fails_is_told_in_its_own_words(script: str, expected: str) -> None:
    """Node's message, without our frames and paths."""
    with pytest.raises(ScriptError, match=expected) as raised:
        rooms.measure(request("A", 0, script))

    assert "recorder.cjs" not in str(raised.value)


def rehearsed(script: str) -> rehearse.Findings:
    """Return what a dry run finds."""
    asked = request("A", 0, script)
    with stage(asked) as here:
        return conduct.rehearse(asked, here)


def test_the_dry_run_of_the_solution_finds_two_sound_parts() -> None:
    """Each of the four in a callback of its own kind, all asked for in one; the answer says so and not in which order."""
    solution = next(case.script for case in trial.TRIALS.cases if case.slug == "solution")
    found = rehearsed(solution or "")
    told = parts.rehearsed(msgspec.to_builtins(found), dry(0))

    assert (True, True) == (told.kept, told.complete)
    assert ["A", "B"] == [part.name for part in found.parts]


@pytest.mark.parametrize(
    ("script", "problem", "kept"),
    [
        (parts.STARTER, None, False),
        ("part('A', () => {", "syntax", False),
        ("part('A', () => { nothing(); });", "error", False),
        ("process.exit(2);", "exit", False),
        ("part('A', () => { while (true); });", "endless", False),
        ("part('A', () => { setInterval(() => {}, 5); });", "endless", False),
    ],
)
def test_the_dry_run_says_what_keeps_a_script_from_its_end(script: str, problem: str | None, kept: bool) -> None:
    """A sentence for each; what does not run is not kept."""
    found = rehearsed(script)
    told = parts.rehearsed(msgspec.to_builtins(found), dry(0))

    assert problem == found.problem
    assert (kept, False) == (told.kept, told.complete)


@pytest.mark.parametrize("slug", [measure.slug for measure in LAB.measures])
def test_every_measure_has_a_small_form(slug: str) -> None:
    """In a smoke run each measure brings its record home."""
    script = next(case.script for case in trial.TRIALS.cases if case.slug == "solution")
    asked = request(slug, 0, script if LAB.measure(slug).script else None)

    assert rooms.measure(msgspec.structs.replace(asked, smoke=True)).runs


def test_shares_are_shares_only_where_luck_decides() -> None:
    """After 3 ms of work each cell is all or nothing; from a poll and from a timer it is so at once."""
    record = rooms.measure(msgspec.structs.replace(request("shares"), smoke=True))
    first = {run.name: {name for name, count in run.counts.items() if count} for run in record.runs}

    assert {"immediate"} == first["file 0"] == first["timer 0"] == first["file 3"] == first["timer 3"]
    assert {"timeout"} == first["immediate 3"] == first["close 3"] == first["cjs 3"] == first["mjs 3"]


@pytest.mark.parametrize(
    ("slug", "parameters"),
    [("four", {"lines": ["tick", "tick"]}), ("four", {"lines": ["x"]}), ("between", {"pair": "x"}), ("starve", {"most": 0}), ("nothing", {})],
)  # fmt: skip
def test_impossible_parameters_are_refused(slug: str, parameters: dict[str, Any]) -> None:
    """A line twice, an unknown pair, no steps, no such measure."""
    with pytest.raises(SetupError):
        rooms.measure(Request(lab="phases", measure=slug, parameters=parameters))


def test_a_millisecond_of_work_is_certain_at_every_pace() -> None:
    """0 ms means 1 ms: behind a check a timer is due after busy(1), on a machine twice as quick too."""
    four = trial._BUSY.split("const late")[0].replace("busy(3)", "busy(1)")
    record = rooms.measure(
        request("A", 0, f"{four}part('A', () => {{ setImmediate(four); }});\npart('B', () => {{}});")
    )

    assert ("tick", "promise", "timeout", "immediate") == parts.came(record)


@pytest.mark.parametrize(
    ("closes", "expected"),
    [
        (
            "const s = net.createServer((c) => c.end()).listen(0, '127.0.0.1', () => {\n"
            "  net.connect(s.address().port, '127.0.0.1').resume().on('close', () => { four(); s.close(); });\n});",
            "[closing] tick promise [timers] timeout [check] immediate",
        ),
        (
            "const s = net.createServer((c) => { c.end(); s.close(four); }).listen(0, '127.0.0.1', () => {\n"
            "  net.connect(s.address().port, '127.0.0.1').resume();\n});",
            "[poll] tick promise [check] immediate [timers] timeout",
        ),
        (
            "const s = net.createServer().listen(0, () => s.close(four));",
            "[main] tick promise [timers] timeout [check] immediate",
        ),
    ],
    ids=["a socket", "a server whose last connection has ended", "a server without connections"],
)
def test_what_is_closed_is_seen_in_closing_only_where_it_runs_there(closes: str, expected: str) -> None:
    """The phases agree with the order, which they explain: a server's callback is a tick of whoever closed last."""
    four = trial._BUSY.split("const late")[0]
    script = f"import net from 'node:net';\n{four}part('A', () => {{ {closes} }});\npart('B', () => {{}});"
    record = rooms.measure(request("A", 0, script))

    assert expected == see.phased(record.runs[0].callbacks)


def test_the_two_lines_that_are_shown_are_the_whole_file() -> None:
    """Nobody asks for a timer there, so nothing is waited for."""
    record = rooms.measure(request("modules"))

    assert [2, 2] == [len(str(run.parameters["program"]).splitlines()) for run in record.runs]


def test_an_older_node_is_found_by_name_and_only_if_it_is_older(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """What the variable names is asked for its libuv; the pinned Node is none."""
    from labs import node_binary

    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv(further.OLDER, str(node_binary.pinned()))
    assert further.older() is None
    monkeypatch.setenv(further.OLDER, str(tmp_path / "none"))
    assert further.older() is None
    older = tmp_path / "node"
    older.write_text("#!/bin/sh\necho 1.44.2\n")
    older.chmod(0o755)
    assert older == further.older()
