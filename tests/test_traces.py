"""What real Node did, against the model and against models that break one rule."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from labs.libuv import Threadpool
from labs.pool import held
from tests.mutants import EVERY_MUTANT
from tests.programs import Program, Step, predicted
from tests.traces import Trace, recorded

TRACES = recorded().traces


@pytest.mark.parametrize("trace", TRACES, ids=[str(i) for i in range(len(TRACES))])
def test_the_model_says_what_node_did(trace: Trace) -> None:
    """Held and finished after every step."""
    assert trace.seen == predicted(trace.program)


@pytest.mark.parametrize("mutant", EVERY_MUTANT, ids=lambda mutant: mutant.__name__)
def test_a_model_that_breaks_one_rule_is_found_out(mutant: Callable[[int], Threadpool]) -> None:
    """By several recorded traces each, so that one odd trace is not all that stands between us and the fault."""
    assert 3 <= sum(trace.seen != predicted(trace.program, mutant) for trace in TRACES)


def test_the_recorded_programs_meet_every_part_of_the_rule() -> None:
    """Sizes from one to eight, names at the threshold, gates opened early, callbacks, several trips."""
    programs = [trace.program for trace in TRACES]
    jobs = [job for program in programs for step in program.steps for job in step.submit]
    assert {1, 2, 3, 4, 5, 6, 8} == {program.pool for program in programs}
    assert {"cpu", "file", "name"} == {job.kind for job in jobs}
    assert any(job.after for job in jobs)
    assert any(job.trips > 1 for job in jobs)
    assert any(opens_early(program) for program in programs)


def opens_early(program: Program) -> bool:
    """Say whether a gate is opened while its task waits."""
    seen = predicted(program)
    return any(
        step.release is not None and index and step.release not in seen[index - 1].held
        for index, step in enumerate(program.steps)
    )


def test_a_step_is_a_burst_or_a_release() -> None:
    """The two kinds of step leave the traces that they should."""
    steps = (Step(submit=(held("g1"), held("g2"))), Step(release="g1"))
    assert [("g1",), ("g2",)] == [seen.held for seen in predicted(Program(1, steps))]
