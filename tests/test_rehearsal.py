"""labs.rehearsal: a dry run says what a script asks for, in which order, and whether it reports."""

from __future__ import annotations

import msgspec
import pytest

from labs import rehearsal, rooms
from labs.errors import RecordError
from labs.rehearsal import Findings
from tests.room import ASK, gates

STAT = "fs.stat('.', () => done('stat'));\n"


def found(script: str) -> Findings:
    """Rehearse a script of the lab gates."""
    return rooms.rehearse(gates("canary", script))


@pytest.mark.node
@pytest.mark.parametrize(
    ("api", "line"),
    [
        ("fs.stat", STAT),
        ("fs.promises.stat", "fs.promises.stat('.').then(() => done('stat'));"),
        ("fs.promises.stat", "await fs.promises.stat('.'); done('stat');"),
    ],
)
def test_a_stat_behind_the_gates_that_reports(api: str, line: str) -> None:
    """Three requests are out, the stat stands behind them and is back when all gates are open; callback or promise."""
    seen = found(ASK + line)
    assert (None, 3) == (seen.problem, seen.held)
    assert ("1", "2", "3") == seen.gates_asked_shut()
    assert [(api, ".", True)] == [(call.api, call.about, call.shut) for call in seen.others()]
    assert () == seen.done_shut
    assert {"1", "2", "3", "stat"} == {*seen.done_open}


@pytest.mark.node
def test_an_import_is_seen_too() -> None:
    """The learner may import what the script is given anyway."""
    seen = found("import { stat } from 'node:fs/promises';\n" + ASK + "stat('.').then(() => done('stat'));")
    assert ["fs.promises.stat"] == [call.api for call in seen.others()]


@pytest.mark.node
def test_nothing_asks_for_a_stat() -> None:
    """Only the gates."""
    assert () == found(ASK).others()


@pytest.mark.node
def test_a_stat_that_never_reports() -> None:
    """It was asked for; `done` was never called for it."""
    seen = found(ASK + "fs.stat('.', () => {});")
    assert 1 == len(seen.others())
    assert "stat" not in seen.done_shut + seen.done_open


@pytest.mark.node
def test_a_synchronous_stat_is_told_as_such() -> None:
    """It reports while all gates are shut."""
    seen = found(ASK + "fs.statSync('.'); done('stat');")
    assert [("fs.statSync", True)] == [(call.api, call.sync) for call in seen.others()]
    assert ("stat",) == seen.done_shut


@pytest.mark.node
def test_a_stat_before_the_loop_comes_first() -> None:
    """The order of asking is the order of the calls."""
    assert ["fs.stat", "fs.open", "fs.open", "fs.open"] == [call.api for call in found(STAT + ASK).calls]


@pytest.mark.node
def test_opens_that_are_awaited_ask_for_one_gate_at_a_time() -> None:
    """With all gates shut only the first was asked for, and one slot is held."""
    seen = found("for (let i = 1; i <= n; i++) { await fs.promises.open(gate(i)); done(i); }\n" + STAT)
    assert (("1",), 1) == (seen.gates_asked_shut(), seen.held)


@pytest.mark.node
@pytest.mark.parametrize(
    ("problem", "script"),
    [
        ("syntax", ASK + "fs.stat('.' () => 1);"),
        ("syntax", "import nothing from 'nowhere';"),
        ("error", ASK + "gate(4);"),
        ("exit", ASK + "process.exit(0);"),
        ("exit", "process.exit(3);"),
        ("endless", ASK + "for (;;);"),
        ("output", ASK + "for (;;) console.log('x'.repeat(1000));"),
        ("standstill", "fs.openSync(gate(1));"),
        ("refused", "fs.unlinkSync('claims.jsonl');" + ASK),
        (
            "processes",
            "import { spawn } from 'node:child_process';\n"
            + ASK
            + "for (let i = 0; i < 60; i++) spawn('/bin/sleep', ['99']);",
        ),
    ],
)
def test_what_ends_a_script_has_a_name_and_a_sentence(problem: str, script: str) -> None:
    """So that the notebook can answer with one sentence for each."""
    seen = found(script)
    assert problem == seen.problem
    assert seen.message


@pytest.mark.node
def test_a_script_that_does_not_parse_shows_nodes_own_words() -> None:
    """Line, caret and message, and no frame or path of ours."""
    lines = found(ASK + "fs.stat('.' () => 1);").text.splitlines()
    assert ["script.mjs:4", "fs.stat('.' () => 1);"] == lines[:2]
    assert "^" == lines[2].strip()
    assert lines[-1].startswith("SyntaxError: ")


@pytest.mark.node
def test_a_script_that_throws_shows_its_own_frame_only() -> None:
    """Where it was, and nothing of Node's inside or of the harness."""
    text = found(ASK + "function mine() { throw new Error('so it goes'); }\nmine();").text
    assert "at mine (script.mjs:4:" in text
    assert "node:" not in text and "harness" not in text and "entry" not in text


@pytest.mark.parametrize("text", [b"{}x", b'{"schema": 2}', b'{"problem": "unknown"}', b'{"points": 1}', b"\xff"])
def test_findings_are_read_strictly(text: bytes) -> None:
    """Damage, another schema, an unknown problem, an unknown key."""
    with pytest.raises(RecordError):
        rehearsal.decode(text)


def test_findings_survive_the_way() -> None:
    """Out as JSON and in again."""
    made = Findings(problem="exit", message="m", calls=(rehearsal.Asked(api="fs.stat", about="."),), held=3)
    assert made == rehearsal.decode(msgspec.json.encode(made))
