"""Scripts that people write for ``waves``, on real Node: each slip is named by count, and a sound one by none."""

from __future__ import annotations

import pytest

from grader.judge import judge_record
from grader.verdict import Outcome
from labs import catalog, rooms
from labs.errors import ScriptError
from labs.measurement import Machine, Noise, Record
from labs.request import Request
from labs.spec import Scene, Shape
from labs.waves import conduct, script, slips
from tests.busy import busy

pytestmark = pytest.mark.node

LAB = catalog.load("waves")
PRELUDE = """
import { pbkdf2, pbkdf2Sync } from 'node:crypto';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
const hash = (back) => pbkdf2('a', 'b', parameters.rounds, 64, 'sha512', back);
const later = () => promisify(pbkdf2)('a', 'b', parameters.rounds, 64, 'sha512');
const elsewhere = `require('crypto').pbkdf2Sync('a', 'b', ${parameters.rounds}, 64, 'sha512')`;
"""
SOUND = {
    "callbacks": "for (let i = 1; i <= n; i++) hash(() => done(i));",
    "promises": "await Promise.all(Array.from({ length: n }, async (_, i) => { await later(); done(i + 1); }));",
    "collected, then awaited": "const all = []; for (let i = 1; i <= n; i++) all.push(later().then(() => done(i))); await Promise.all(all);",
}
SLIPS = {
    "awaits-in-turn": "for (let i = 1; i <= n; i++) { await later(); done(i); }",
    "one-by-one": "const next = (i) => i <= n && hash(() => { done(i); next(i + 1); }); next(1);",
    "on-the-loop": "for (let i = 1; i <= n; i++) { pbkdf2Sync('a', 'b', parameters.rounds, 64, 'sha512'); done(i); }",
    "unlimited": "for (let i = 1; i <= n; i++) execFile(process.execPath, ['-e', elsewhere], () => done(i));",
    "no-report": "for (let i = 1; i <= n; i++) hash(() => {});",
    "early-report": "for (let i = 1; i <= n; i++) { hash(() => {}); done(i); }",
    "a-few-at-a-time": "for (let i = 1; i <= n; i += 2) { await Promise.all([later(), later()]); done(i); done(i + 1); }",
    "another-number": "for (let i = 1; i < n; i++) hash(() => done(i));",
    "missing-report": "for (let i = 1; i <= n; i++) hash(() => i > 1 && done(i));",
    "own-size": "process.env.UV_THREADPOOL_SIZE = 2; for (let i = 1; i <= n; i++) hash(() => done(i));",
    "nothing": "",
}
#: What the dry run says of each; what is not here is only seen when it is measured.
DRY = {
    "awaits-in-turn": "asks for hash 2 only when hash 1 is back",
    "one-by-one": "asks for hash 2 only when hash 1 is back",
    "on-the-loop": "the pool never hears of it",
    "unlimited": "No hash is asked for yet",
    "no-report": "done(i) was never called",
    "early-report": "before any hash could be back",
    "another-number": "your script asked for two",
    "missing-report": "done(1) was never called",
    "nothing": "No hash is asked for yet",
}


def measure(code: str) -> Record:
    """Measure a script on three slots, with a smoke run's single pair."""
    return rooms.measure(
        Request(
            lab="waves", measure="own", parameters={"pool": 3, "tasks": 8, "cores": None}, script=code,
            machine=Machine(cores=2, capacity=(1.0, 1.9)), noise=Noise(floor=1.02), smoke=True,
        )
    )  # fmt: skip


@pytest.mark.parametrize("slip", SLIPS)
def test_each_slip_is_named_by_count(slip: str) -> None:
    """CONTRADICTS with its name and no other; its times are never compared."""
    record = measure(PRELUDE + SLIPS[slip])
    found = slips.find(record)
    counts = next(one for one in judge_record(LAB, record) if one.check == "waves-script-counts")

    assert found is not None and slip == found.slug
    assert (Outcome.CONTRADICTS, (slip,)) == (counts.outcome, counts.wrong_models)
    assert () == record.pairs


@pytest.mark.parametrize("load", [0, 3], ids=["idle", "loaded"])
@pytest.mark.parametrize("name", SOUND)
def test_a_sound_script_passes_by_count_also_beside_busy_processes(name: str, load: int) -> None:
    """Its counts PASS; whether its times do is no matter of a single pair."""
    with busy(load):
        record = measure(PRELUDE + SOUND[name])
    outcomes = {one.check: one.outcome for one in judge_record(LAB, record)}

    assert slips.find(record) is None
    assert Outcome.PASS is outcomes["waves-script-counts"]


def test_a_script_that_sets_a_larger_size_is_told_so() -> None:
    """More workers than the size given: the run is refused, and says why."""
    with pytest.raises(ScriptError, match="changes UV_THREADPOOL_SIZE"):
        measure(PRELUDE + "process.env.UV_THREADPOOL_SIZE = n; " + SOUND["callbacks"])


@pytest.mark.parametrize("load", [0, 3], ids=["idle", "loaded"])
def test_a_slot_that_something_else_holds_is_no_busy_machine(load: int) -> None:
    """An open that blocks holds a slot which the trace of hashes does not show: the script is told so, with the call."""
    blocks = (
        "import { open, openSync } from 'node:fs'; import { execFileSync } from 'node:child_process';"
        "execFileSync('mkfifo', ['shut']); open('shut', 'r', () => {}); let back = 0;"
        "for (let i = 1; i <= n; i++) hash(() => { done(i); if (++back === n) openSync('shut', 'r+'); });"
    )
    with busy(load), pytest.raises(ScriptError, match="held 1 slot of the pool, asleep in openat"):
        measure(PRELUDE + blocks)


@pytest.mark.parametrize("name", [*SOUND, *DRY])
def test_the_dry_run_says_within_a_second_what_it_saw(name: str) -> None:
    """A sound script is complete; each slip that shows in three short hashes gets its sentence."""
    code = PRELUDE + (SOUND.get(name) or SLIPS.get(name) or "")
    findings = rooms.rehearse(Request(lab="waves", measure="own", parameters={"pool": 3, "tasks": 8}, script=code))
    import msgspec

    found = script.rehearse(msgspec.to_builtins(findings), Scene({}, Shape(2)))
    assert DRY.get(name, "each was reported when it was back") in found.text
    assert found.complete == (name in SOUND)


def test_the_reference_solution_and_the_labs_own_script_do_the_same() -> None:
    """All at once, each reported."""
    from pathlib import Path

    reference = Path(conduct.__file__).parent / "reference" / "solution.mjs"
    for code in (reference.read_text("utf-8"), conduct.script()):
        assert slips.find(measure(code)) is None
