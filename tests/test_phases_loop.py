"""The model of the loop by itself, the reader of traces, and what is typed into the blanks of ``phases``."""

from __future__ import annotations

from pathlib import Path

import pytest

from labs.answers import Refusal
from labs.errors import NoisyError
from labs.phases import loop, loop_trace, programs
from labs.phases.draw import KINDS, nested
from labs.phases.kinds import Some


def test_the_table_of_the_facts() -> None:
    """With 3 ms of work: who is first, from where (facts 1.3), and the two formats of a main file (facts 1.5)."""
    firsts = {source: loop.order(programs.four(source, ("timeout", "immediate")))[0] for source in loop.PHASE_OF}

    assert {
        "file": "immediate", "timer": "immediate", "immediate": "timeout", "close": "timeout", "cjs": "timeout", "mjs": "timeout",
    } == firsts  # fmt: skip
    assert ("tick", "promise") == loop.order(programs.four("cjs", ("promise", "tick")))
    assert ("promise", "tick") == loop.order(programs.four("mjs", ("tick", "promise")))


def test_ticks_run_between_two_callbacks_of_one_phase_and_did_not_in_node_10() -> None:
    """t1 n1 t2 n2, and under the old rule t1 t2 n1 n2 (facts 1.4)."""
    program = programs.between("timers", "A")

    assert ("A", "tickA", "B", "tickB", "C") == loop.order(program)
    assert ("A", "B", "tickA", "tickB", "C") == loop.order(program, loop.Rules(empties="phase"))


def test_all_ticks_then_all_promises_until_both_are_empty() -> None:
    """A promise's tick waits for the other promises; a tick's promise comes before the phase goes on."""
    tick = loop.Ask("tick", "t1", (loop.Ask("promise", "p3"), loop.Ask("tick", "t2")))
    promise = loop.Ask("promise", "p1", (loop.Ask("tick", "t3"),))
    program = loop.Program("file", (promise, tick, loop.Ask("promise", "p2")))

    assert ("t1", "t2", "p1", "p2", "p3", "t3") == loop.order(program)


def test_what_is_asked_for_in_a_phase_waits_for_its_next_time() -> None:
    """A timer's timer and an immediate's immediate do not run in the same pass."""
    inner = (loop.Ask("immediate", "i2"), loop.Ask("timeout", "t2"))
    program = loop.Program("file", (loop.Ask("immediate", "i1", inner), loop.Ask("timeout", "t1")))

    assert ("i1", "t1", "t2", "i2") == loop.order(program)


def test_inside_a_promise_the_promise_comes_before_the_tick() -> None:
    """The queue that is being emptied is emptied to its end."""
    assert ("outer", "promise", "tick", "immediate", "timeout") == loop.order(nested("file"))


@pytest.mark.parametrize(
    ("typed", "expected"),
    [("tick, promise", ("tick", "promise")), (["promise", "tick"], ("tick", "promise")), ("none", ()), (None, ()), ("tick and timeout", ("tick", "timeout")), ({"immediate"}, ("immediate",))],
)  # fmt: skip
def test_some_labels_in_any_form(typed: object, expected: tuple[str, ...]) -> None:
    """Text, list, set; always in the labels' own order."""
    assert expected == Some(KINDS).read(typed, {})


@pytest.mark.parametrize("typed", ["microtask", 7, 3.5])
def test_an_unknown_label_is_refused_with_those_there_are(typed: object) -> None:
    """Nothing is guessed."""
    with pytest.raises(Refusal, match="tick, promise, immediate, timeout"):
        Some(KINDS).read(typed, {})


def test_an_unfinished_trace_is_no_fault_of_the_learner(tmp_path: Path) -> None:
    """INCONCLUSIVE, and nothing is lost."""
    (tmp_path / "loop.trace").write_text('{"traceEvents":[')
    with pytest.raises(NoisyError):
        loop_trace.read(tmp_path)
