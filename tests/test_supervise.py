"""labs.supervise, labs.run, labs.process, labs.family: one Node per parameter set, watched and ended."""

from __future__ import annotations

import os
import subprocess
import sys
import types
from pathlib import Path

import pytest

from labs import helper, marker, proc
from labs.errors import ScriptError, SetupError
from labs.measurement import Step, Task
from labs.said import Restless
from labs.supervise import Bounds, Conducted, Stage
from tests.room import ASK, gates, stage

pytestmark = pytest.mark.node


def test_a_run_carries_what_was_given_and_what_was_seen() -> None:
    """Parameters with the pool, counts with their sources, tasks and steps, times, and how it ended."""
    with stage() as made, made.launch(ASK, name="one", parameters={"tasks": 2}, pool=2, gates=2, keep=True) as run:
        run.settle()
        seen = run.finish(
            counts={"held_slots": 2, "told": 1}, sources={"told": "claimed"}, tasks=[Task(name="1", kind="file")],
            steps=[Step(action="start")], claims={"said": [1]},
        )  # fmt: skip
    assert ("one", {"tasks": 2, "pool": 2}) == (seen.name, seen.parameters)
    assert {"held_slots": "observed", "told": "claimed"} == seen.sources
    assert ("stopped", None) == (seen.ended, seen.exit_code)
    assert 0 < seen.cpu
    assert 0 < seen.wall
    assert made.node is not None
    assert "24.19.0" == made.node.version


def test_a_script_reports_values_and_ends_by_itself() -> None:
    """What it reports is claimed, in order; its exit code is kept. Both ways of reading a script."""
    text = "report(parameters.answer); report({ n }); setTimeout(() => report('late'), 5);"
    with stage() as made:
        for module in ("mjs", "cjs"):
            with made.launch(text, name=module, parameters={"answer": 42, "tasks": 3}, pool=None, module=module) as run:
                assert run.wait_exit(30)
                assert [42, {"n": 3}, "late"] == [claim.value for claim in run.claims() if claim.kind == "report"]
                assert ("exited", 0) == (run.finish().ended, run.exit_code)


@pytest.mark.parametrize(
    ("ended", "code", "text"), [("died", 1, "throw new Error('x')"), ("exited", 7, "process.exit(7)")]
)
def test_an_uncaught_error_is_a_death_and_an_exit_is_not(ended: str, code: int, text: str) -> None:
    """Both may end with code 1; the harness tells them apart."""
    with stage() as made, made.launch(text, name="ends", parameters={}, pool=1) as run:
        assert run.wait_exit(30)
        assert (ended, code) == (run.finish().ended, run.exit_code)


def test_a_signal_is_a_death_without_an_exit_code() -> None:
    """Its number is in the message, not in the record."""
    with (
        stage() as made,
        made.launch("process.kill(process.pid, 'SIGKILL')", name="dies", parameters={}, pool=1) as run,
    ):
        assert run.wait_exit(30)
        assert ("died", None) == (run.finish().ended, run.exit_code)
        assert "SIGKILL" in str(run.failure())


def test_runs_side_by_side_do_not_end_each_other() -> None:
    """Each has its own pool, folder and end."""
    with stage() as made, made.launch(ASK, name="a", parameters={"tasks": 4}, pool=1, gates=4, keep=True) as first:
        with made.launch(ASK, name="b", parameters={"tasks": 4}, pool=2, gates=4, keep=True) as second:
            assert ("1", "2") == second.slots(second.settle())
        assert second.ending is not None
        assert first.ending is None
        assert ("1",) == first.slots(first.settle())
        first.open_gate(1)
        assert ("2",) == first.slots(first.settle())


def test_what_lives_beside_the_runs_is_left_alone() -> None:
    """A control that measures through several runs is neither counted nor ended by any of them."""
    with stage() as made:
        control = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(100)"])
        made.beside.add(control.pid)
        try:
            with made.launch(ASK, name="a", parameters={"tasks": 1}, pool=1, gates=1, keep=True) as run:
                run.settle()
            assert control.poll() is None
        finally:
            control.kill()
            control.wait()


def test_a_run_may_be_bound_to_cores() -> None:
    """By affinity, from its start."""
    core = min(os.sched_getaffinity(0))
    with (
        stage() as made,
        made.launch(ASK, name="a", parameters={"tasks": 1}, pool=1, gates=1, keep=True, cores=[core]) as run,
    ):
        run.settle()
        assert {core} == os.sched_getaffinity(run.pid)


def test_every_process_of_a_run_carries_the_mark() -> None:
    """So that a later measurement can tell leftovers."""
    with stage() as made, made.launch(ASK, name="a", parameters={"tasks": 1}, pool=1, gates=1, keep=True) as run:
        run.settle()
        assert made.mark == proc.environment(run.pid)[marker.VARIABLE.encode()].decode()
        assert not marker.is_dead(made.mark)


def test_an_option_node_does_not_know_is_told() -> None:
    """Node says it, and so do we."""
    with (
        stage() as made,
        pytest.raises(SetupError, match="--no-such-option"),
        made.launch("", name="a", parameters={}, pool=1, node_args=["--no-such-option"]),
    ):
        pass


def test_a_bound_is_noticed_while_waiting_for_something_else() -> None:
    """Waiting for a report that never comes ends when the output is too much."""
    text = "setInterval(() => console.log('x'.repeat(4000)), 1);"
    with (
        stage() as made,
        pytest.raises(ScriptError, match="printed more than 20,000 bytes"),
        made.launch(text, name="a", parameters={}, pool=1, bounds=Bounds(output=20_000)) as run,
    ):
        run.wait_until(lambda: False, within=60)


def test_names_of_slots_stay_where_they_were() -> None:
    """The order of lanes is fixed at the first look, by the tasks that were held then."""
    with stage() as made, made.launch(ASK, name="a", parameters={"tasks": 5}, pool=3, gates=5, keep=True) as run:
        assert ("1", "2", "3") == run.slots(run.settle())
        for gate, expected in ((3, ("1", "2", "4")), (1, ("5", "2", "4")), (2, ("5", None, "4"))):
            run.open_gate(gate)
            assert expected == run.slots(run.settle())
        assert {"1", "2", "3"} == {*run.opened()}


def test_a_restless_machine_is_tried_again_and_then_told() -> None:
    """Twice by itself; what stays restless is told to the learner."""
    tries: list[int] = []

    def conduct(_request: object, _stage: Stage) -> Conducted:
        tries.append(1)
        if len(tries) < enough:
            raise Restless("still busy")
        return Conducted(runs=())

    lab, enough = types.SimpleNamespace(conduct=conduct), 3
    with stage() as made:
        assert () == helper._conduct(lab, gates(), made).runs
        assert 3 == len(tries)
        tries.clear()
        enough = 4
        with pytest.raises(Restless, match="still busy"):
            helper._conduct(lab, gates(), made)
        assert 3 == len(tries)


def test_nothing_is_left_in_the_scratch_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not even after an error inside the block."""
    monkeypatch.setenv("FOURTHREADS_SCRATCH_DIR", str(tmp_path))

    class Broken(Exception):
        """Ours."""

    with pytest.raises(Broken), stage() as made:
        with made.launch(ASK, name="a", parameters={"tasks": 1}, pool=1, gates=1, keep=True):
            raise Broken
    assert [] == [*tmp_path.glob("fourthreads-*")]
    assert [] == [pid for pid in proc.children(os.getpid()) if b"node" in Path(f"/proc/{pid}/cmdline").read_bytes()]
