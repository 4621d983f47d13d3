"""The command: verbs, their exit codes, and every problem in words."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

from course import cli
from course.commands import measure
from labs import node_binary
from labs.errors import SetupError


def call(*arguments: str, given: str | None = None) -> Result:
    """Run the command in this process."""
    return CliRunner().invoke(cli.main, arguments, input=given)


def data(result: Result) -> object:
    """Return what a verb printed as JSON."""
    return json.loads(result.stdout)


def test_help_lists_the_verbs_in_the_order_in_which_they_are_met() -> None:
    """Every verb stands there with one line, the learner's first."""
    listed = [
        line.split()[0] for line in call("--help").stdout.split("Commands:")[1].splitlines() if line.startswith("  ")
    ]
    assert list(cli.Verbs().list_commands(click.Context(cli.main))) == listed
    assert [verb for verb in cli.ORDER if verb in listed] == listed
    assert {"doctor", "labs", "calibrate", "measure", "check", "simulate", "audit"} <= {*listed}


def test_the_readme_names_every_verb_and_no_other() -> None:
    """Its table is the command's own list."""
    readme = (Path(__file__).parent.parent / "README.md").read_text("utf-8")
    rows = [line.split("|")[1] for line in readme.splitlines() if line.startswith("| `")]
    named = {told.split()[0] for row in rows for told in row.split("`")[1::2]}
    assert {*cli.Verbs().list_commands(click.Context(cli.main))} == named


@pytest.mark.parametrize("verb", cli.Verbs().list_commands(click.Context(cli.main)))
def test_every_verb_explains_itself(verb: str) -> None:
    """``--help`` of each verb works and says more than its usage."""
    result = call(verb, "--help")
    assert 0 == result.exit_code
    assert 3 < len(result.stdout.splitlines())


def test_help_imports_nothing_heavy() -> None:
    """Listing the verbs imports click and the standard library, so it is there at once."""
    code = (
        "import sys; from course.cli import main; main(['--help'], standalone_mode=False); print(sorted(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    heavy = {"msgspec", "rich", "IPython", "matplotlib", "nbgrader", "jupyterlab", "dask", "labs.rooms", "asyncio"}
    assert set() == heavy & {*eval(done.stdout.splitlines()[-1])}


def test_an_unknown_verb_is_wrong_use() -> None:
    """Exit code 2, and the name that was not known."""
    result = call("mesure")
    assert (2, True) == (result.exit_code, "mesure" in result.stderr)


def test_a_problem_of_ours_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the floors below raise is said on standard error, without a traceback; exit code 2."""

    def missing() -> Path:
        raise SetupError("The pinned Node is not installed. Run `make setup`.")

    monkeypatch.setattr(node_binary, "pinned", missing)
    result = call("calibrate")
    assert (2, "", "The pinned Node is not installed. Run `make setup`.\n") == (
        result.exit_code,
        result.stdout,
        result.stderr,
    )


def test_a_fault_of_ours_is_owned(monkeypatch: pytest.MonkeyPatch) -> None:
    """A bug is called ours, names how to see more, and is no verdict."""

    def broken(self: object, context: object) -> None:
        raise ZeroDivisionError("division by zero")

    monkeypatch.delenv("FOURTHREADS_TRACE", raising=False)
    monkeypatch.setattr(click.Group, "invoke", broken)
    result = call("labs")
    assert 2 == result.exit_code
    assert "Four Threads itself failed here (ZeroDivisionError" in result.stderr
    assert "FOURTHREADS_TRACE=1" in result.stderr


class TestSimulate:
    """``fourthreads simulate``."""

    def test_json_has_the_keys_other_programs_rely_on(self) -> None:
        """Makespan as [low, high] in service times, peak, waves, and each task."""
        found = data(call("simulate", "--tasks", "8", "--pool", "4", "--cores", "4", "--kind", "cpu", "--json"))
        assert isinstance(found, dict)
        assert ([2.0, 2.0], 4, 2, 8) == (found["makespan"], found["peak"], found["waves"], len(found["tasks"]))
        assert [1.0, 1.0] == found["tasks"][4]["started"]

    def test_waiting_needs_no_core(self) -> None:
        """File requests on one core take as long as on many."""
        found = data(call("simulate", "--tasks", "6", "--pool", "3", "--cores", "1", "--kind", "file", "--json"))
        assert isinstance(found, dict)
        assert [2.0, 2.0] == found["makespan"]

    def test_short_cores_give_an_interval(self) -> None:
        """Where the scheduler decides, no single number is claimed."""
        text = call("simulate", "--tasks", "5", "--pool", "4", "--cores", "2").stdout
        assert " to " in text.splitlines()[1]

    def test_a_seed_asks_before_it_answers(self) -> None:
        """The same seed asks the same question; the answer comes with ``--answer`` only."""
        asked, answered = call("simulate", "--seed", "7").stdout, call("simulate", "--seed", "7", "--answer").stdout
        assert asked.splitlines()[0] == answered.splitlines()[0]
        assert "done after" not in asked
        assert "done after" in answered

    def test_a_long_schedule_is_cut(self) -> None:
        """A thousand tasks do not print a thousand lines."""
        text = call("simulate", "--tasks", "1000", "--kind", "file").stdout
        assert "... and 960 more" in text

    @pytest.mark.parametrize("numbers", [("--tasks", "0"), ("--pool", "1025"), ("--cores", "x"), ("--kind", "disk")])
    def test_numbers_that_cannot_be_are_wrong_use(self, numbers: tuple[str, str]) -> None:
        """Exit code 2."""
        assert 2 == call("simulate", *numbers).exit_code


class TestParsed:
    """``KEY=VALUE`` of ``fourthreads measure``."""

    @pytest.mark.parametrize(
        ("text", "value"),
        [
            *(("pool=8", 8), ("pool=0", 0), ("pool=-1", -1), ("pool=1025", 1025), ("pool=unset", None)),
            *(("pool=8abc", "8abc"), ("pool=abc", "abc"), ("pool=1e3", "1e3"), ("pool=", ""), ("pool=007", "007")),
            *(("pool= 4", " 4"), ("pool=4.0", "4.0"), ("tasks=12", 12), ("open=[2,3]", [2, 3]), ("share=0.5", 0.5)),
            *(("text=NaN", "NaN"), ("on=true", True), ("name=a=b", "a=b"), ("what={}", "{}")),
        ],
    )
    def test_values_are_what_they_look_like(self, text: str, value: object) -> None:
        """An odd size of the pool stays the text that the environment gets."""
        assert (text.partition("=")[0], value) == measure.parsed(text)

    @pytest.mark.parametrize("text", ["pool", "=8", "two words=3", ""])
    def test_no_pair_is_wrong_use(self, text: str) -> None:
        """A word without a name or a value is refused with an example."""
        with pytest.raises(click.UsageError, match="KEY=VALUE"):
            measure.parsed(text)


class TestCheck:
    """``fourthreads check`` refuses what is no record; what it says of records is the judge's (tests of grader)."""

    @pytest.mark.parametrize(
        ("content", "path"),
        [
            (b"", "$ "),
            (b"[" * 100_000, "$ "),
            (b'{"schema": 1, "lab": "gates", "oh": 1}', "$ "),
            (b'{"schema": 99}', "$.schema "),
            (b"\xff\xfe", "$ "),
        ],
    )
    def test_damage_is_refused_with_the_path_of_the_field(self, tmp_path: Path, content: bytes, path: str) -> None:
        """Exit code 2; the message starts with where the damage is."""
        (tmp_path / "record.json").write_bytes(content)
        result = call("check", "gates", str(tmp_path / "record.json"))
        assert (2, "") == (result.exit_code, result.stdout)
        assert result.stderr.startswith(path)

    def test_a_missing_file_is_named(self, tmp_path: Path) -> None:
        """Exit code 2, with what was looked for."""
        result = call("check", "gates", str(tmp_path / "none.json"))
        assert (2, True) == (result.exit_code, "none.json does not exist" in result.stderr)

    def test_a_link_is_refused(self, tmp_path: Path) -> None:
        """A record is a plain file."""
        (tmp_path / "link.json").symlink_to("/dev/zero")
        assert 2 == call("check", "gates", str(tmp_path / "link.json")).exit_code

    def test_an_unknown_lab_lists_the_labs(self, tmp_path: Path) -> None:
        """Exit code 2, and what there is."""
        result = call("check", "gats", "-", given="{}")
        assert (2, True) == (result.exit_code, "There is no lab 'gats'" in result.stderr)


class TestMeasureUse:
    """``fourthreads measure`` refuses what it was not asked for in a way it knows."""

    @pytest.mark.parametrize(
        ("arguments", "said"),
        [
            (("gates", "pools=8"), "has no 'pools'; it takes: "),
            (("gates", "--measure", "all"), "has no measure 'all'; it has: start"),
            (("gates", "pool"), "'pool' is not KEY=VALUE"),
            (("gats",), "There is no lab 'gats'"),
            (("gates", "--room", "cellar"), "There is no room 'cellar'"),
        ],
    )
    def test_wrong_use_is_told_before_anything_runs(self, arguments: tuple[str, ...], said: str) -> None:
        """Exit code 2, and what there is instead."""
        result = call("measure", *arguments)
        assert (2, "") == (result.exit_code, result.stdout)
        assert said in result.stderr


@pytest.mark.node
class TestMeasure:
    """``fourthreads measure`` and ``check`` on a real Node."""

    def test_a_record_goes_through_a_file_to_the_judge(self, tmp_path: Path) -> None:
        """What ``measure --json`` prints is what ``check`` reads; three gates on two slots hold two."""
        result = call("measure", "gates", "pool=2", "tasks=3", "--json")
        (tmp_path / "record.json").write_text(result.stdout)
        record = data(result)
        assert isinstance(record, dict)
        assert (0, 2, "observed") == (
            result.exit_code, record["runs"][0]["counts"]["held_slots"], record["runs"][0]["sources"]["held_slots"],
        )  # fmt: skip
        assert 0 == call("check", "gates", str(tmp_path / "record.json")).exit_code

    def test_what_contradicts_ends_with_one(self, tmp_path: Path) -> None:
        """Gate 1 alone never leads to a drawn target: exit code 1 from both verbs, with what was seen and expected."""
        result = call("measure", "gates", "--measure", "state", "open=[1]", "--json")
        (tmp_path / "record.json").write_text(result.stdout)
        judged = call("check", "gates", str(tmp_path / "record.json"), "--json")
        assert [1, 1] == [result.exit_code, judged.exit_code]
        verdicts = data(judged)
        assert isinstance(verdicts, list)
        assert ["CONTRADICTS"] == [verdict["outcome"] for verdict in verdicts]

    def test_a_record_of_another_lab_is_refused(self, tmp_path: Path) -> None:
        """The path of the field comes first."""
        record = data(call("measure", "gates", "pool=1", "tasks=1", "--json"))
        assert isinstance(record, dict)
        (tmp_path / "record.json").write_text(json.dumps({**record, "lab": "waves"}))
        result = call("check", "gates", str(tmp_path / "record.json"))
        assert (2, True) == (result.exit_code, result.stderr.startswith("$.lab is 'waves'"))

    def test_people_get_lanes_and_counts(self) -> None:
        """One line a step: slots in brackets, who waits; then what was counted and by whom."""
        text = call("measure", "gates", "pool=2", "tasks=4").stdout
        assert "start     [1] [2]   waiting 3 4" in text
        assert "observed  held_slots 2" in text

    def test_a_large_pool_is_cut_in_its_middle(self) -> None:
        """Of 1,024 slots and the 1,100 requests for them the first ones and the last stand in the line."""
        text = call("measure", "gates", "pool=9000", "tasks=1100").stdout
        start = next(line for line in text.splitlines() if line.startswith("  start"))
        assert "[1] [2] " in start and "... [1024]   waiting 1025 1026 " in start and start.endswith("... 1100")
        assert len(start) < 300

    def test_the_doctor_tries_this_machine(self) -> None:
        """``here`` works where the tests run, and a class gets one line without names."""
        found = data(call("doctor", "--json", "--quick"))
        assert isinstance(found, dict)
        assert "here" in found["rooms"]
        line = call("doctor", "--share", "--quick").stdout.strip()
        assert 6 == len(line.split(","))
        assert not {Path.home().name, socket.gethostname()} & {*line.split(",")}


@pytest.mark.node
class TestTry:
    """``fourthreads try``."""

    def test_two_bets_two_measurements_in_the_terminal(self) -> None:
        """A bet that cannot be is asked for again; then both bets are measured and what fits them is said."""
        result = call("try", given="many\n12\n4\n[1]\n")
        assert 0 == result.exit_code
        assert "Between 0 and 12, please" in result.stdout
        assert "HELD  4 of 12" in result.stdout
        assert "BEFORE  slots [1] [2] [3]" in result.stdout
        assert "make start" in result.stdout.splitlines()[-1]

    def test_it_ends_where_nobody_answers(self) -> None:
        """An end of input is no fault of ours, and nothing that contradicts (that would be 1)."""
        result = call("try", given="")
        assert (2, "\nStopped. Nothing is lost.\n") == (result.exit_code, result.stderr)


@pytest.fixture
def node(tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    """Start a Node whose three slots are used by two opens that nobody answers; it says when it asked for them."""
    import os

    os.mkfifo(tmp_path / "gate")
    code = "for (let i = 0; i < 2; i++) require('fs').open(process.argv[1], () => {}); console.log('asked'); setInterval(() => {}, 1e6)"
    running = subprocess.Popen(
        [node_binary.pinned(), "-e", code, str(tmp_path / "gate")],
        env={"UV_THREADPOOL_SIZE": "3"},
        stdout=subprocess.PIPE,
        text=True,
    )
    assert running.stdout is not None
    running.stdout.readline()
    yield running
    running.kill()
    running.communicate()


@pytest.mark.node
class TestAudit:
    """``fourthreads audit`` on a real Node."""

    def test_it_counts_the_pool_from_outside(self, node: subprocess.Popen[str], tmp_path: Path) -> None:
        """Three slots, two of them inside an open of the gate; the loop waits for something to do."""
        found: dict[str, object] = {}
        for _ in range(500):  # the workers take the requests in a moment of their own choice
            result = data(call("audit", str(node.pid), "--json"))
            assert isinstance(result, dict)
            found = result
            if (found["held_slots"], found["loop"]) == (2, "polls"):
                break
        assert (3, 2, "3", 3, "polls") == tuple(
            found[key] for key in ("pool_threads", "held_slots", "size_set", "size_expected", "loop")
        )
        slots = found["slots"]
        assert isinstance(slots, list)
        assert 2 == sum(slot["path"] == str(tmp_path / "gate") for slot in slots)
        assert "3 slots: 2 held, 1 parked, 0 running" in call("audit", str(node.pid)).stdout

    def test_a_process_that_is_no_node_is_refused(self) -> None:
        """Another program has no pool to look at."""
        sleeper = subprocess.Popen(["sleep", "1000"])
        try:
            result = call("audit", str(sleeper.pid))
        finally:
            sleeper.kill()
            sleeper.wait()
        assert (2, True) == (result.exit_code, "is no Node" in result.stderr)


@pytest.mark.root
def test_audit_by_a_root_that_may_not_look_does_not_send_it_to_root() -> None:
    """A root without CAP_SYS_PTRACE, as in a container, and a process that has it: refused, with what helps then."""
    argv = ["setpriv", "--bounding-set", "-sys_ptrace", sys.executable, "-m", "course", "audit", str(os.getpid())]
    seen = subprocess.run(argv, capture_output=True, text=True, timeout=60)
    assert (2, True) == (seen.returncode, "does not let even root look" in seen.stderr)
    assert "or as root" not in seen.stderr


def test_audit_of_nobody_is_told() -> None:
    """A process id that is not there; exit code 2."""
    result = call("audit", str(2**22 + 1))
    assert (2, True) == (result.exit_code, "There is no process" in result.stderr)


def test_lint_knows_its_labs() -> None:
    """A misspelled name is not a lab without findings."""
    result = call("lint", "nosuch")
    assert 2 == result.exit_code and "There is no lab 'nosuch'" in result.stderr


def test_try_says_what_keeps_it_from_running_before_it_asks() -> None:
    """Nobody bets on what cannot be measured."""
    result = call("try", "--room", "moon", given="4\n")
    assert (
        2 == result.exit_code and "There is no room 'moon'" in result.stderr and "inside a thread" not in result.stdout
    )


def test_the_room_that_shows_recorded_runs_measures_nothing() -> None:
    """It is a room of the notebook's, and the command says so."""
    result = call("measure", "gates", "--room", "replay")
    assert 2 == result.exit_code and "shows recorded runs" in result.stderr


def test_simulate_says_what_its_marks_mean() -> None:
    """And counts as people do."""
    assert "1 slot," in call("simulate", "--pool", "1").stdout
    assert "waits for a slot" in call("simulate").stdout


def test_a_class_without_such_a_student_or_date_is_said(tmp_path: Path) -> None:
    """Nothing is made for a date that is none, so that the next try begins afresh."""
    result = call("grade", str(tmp_path / "net"), "--prepare", "--course", "net", "--due", "tomorrow")
    assert 2 == result.exit_code and "no date" in result.stderr
    assert not (tmp_path / "net" / "class.toml").exists()
