"""Scripts that mean harm, in the room ``here``: each has its own message, nothing of it is left, the next run is unaffected."""

from __future__ import annotations

from pathlib import Path

import pytest

from labs import rooms
from labs.errors import FourThreadsError, NoisyError, ScriptError
from tests.room import ASK, gates, held, left

pytestmark = pytest.mark.node

#: Keeps the script from coming to rest before its children are many.
STAY = "\nconst end = Date.now() + 1200; while (Date.now() < end);"
SPAWN = "import { spawn } from 'node:child_process';\n"

#: What it does -> (the script, what its message must say: one of these).
ENDED: dict[str, tuple[str, ...]] = {
    "loops for ever": (ASK + "for (;;);", "a loop in it seems never to end"),
    "never lets the loop rest": (
        ASK + "(function again() { setImmediate(again); })();",
        "a loop in it seems never to end",
    ),
    "floods with lines": (
        ASK + "for (;;) fs.writeSync(1, 'flood\\n'.repeat(1000));",
        "printed more than 524,288 bytes",
    ),
    "floods without lines": (
        ASK + "for (;;) fs.writeSync(2, 'flood '.repeat(1000));",
        "printed more than 524,288 bytes",
    ),
    "forks": (
        SPAWN
        + ASK
        + "for (let i = 0; i < 200; i++) spawn('/bin/sleep', ['1000'], { detached: true }).on('error', () => {});"
        + STAY,
        "started more than 24 processes",
    ),
    "forks without end": (
        SPAWN + ASK + "spawn('/bin/sh', ['-c', 'f() { f | f & }; f'], { detached: true, stdio: 'ignore' });" + STAY,
        "started more than 24 processes",
    ),
    "exits without a result": ("process.exit(0);", "ended itself (exit 0)"),
    "exits with its slots held": (ASK + "process.exit(3);", "ended itself (exit 3)"),
    "exits with some slots held": ("fs.open(gate(1), 'r', () => done(1)); process.exit(3);", "ended itself (exit 3)"),
    "throws, and takes its time to end": (
        ASK
        + "process.on('exit', () => { for (const end = Date.now() + 1000; Date.now() < end; ); }); throw new Error('so it goes');",
        "so it goes",
    ),
    "throws": (ASK + "throw new Error('so it goes');", "so it goes"),
    "does not parse": (ASK + "fs.stat('.' () => 1);", "SyntaxError"),
    "writes the result early": (
        "fs.appendFileSync('claims.jsonl', JSON.stringify({ token: '0', kind: 'done', value: 'stat', at: 0 }) + '\\n');\n"
        + ASK,
        "wrote into the result file itself",
    ),
    "makes the result a link": (
        "fs.unlinkSync('claims.jsonl'); fs.symlinkSync('/etc/passwd', 'claims.jsonl');\n" + ASK,
        "replaced the file its results are written to",
    ),
    "reports without end": (ASK + "for (;;) done('x'.repeat(10000));", "reported more than"),
    "names its threads like workers": (
        "import { Worker } from 'node:worker_threads';\nfor (let i = 0; i < 4; i++) "
        "new Worker('setInterval(() => {}, 1000)', { eval: true, name: 'libuv-worker' });\n" + ASK,
        "named like workers of the pool",
    ),
    "changes the size itself": ("process.env.UV_THREADPOOL_SIZE = '7';\n" + ASK, "changes UV_THREADPOOL_SIZE"),
    "dies": (ASK + "process.kill(process.pid, 'SIGSEGV');", "ended by signal 11 (SIGSEGV)"),
    "waits on its own thread": ("fs.openSync(gate(2));", "inside openat at gate 2"),
    "stops its watcher": (ASK + "process.kill(process.ppid, 'SIGSTOP');", "was told to stop"),
    "says a shut gate is done": (ASK + "done(9);", "done(9) while gate 9 was shut"),
    "takes too much memory": (
        "const kept = []; for (let i = 0; i < 4096; i++) kept.push(Buffer.alloc(1 << 20, 1));\n" + ASK,
        "MB of memory",
        "of processor time",  # where each new page takes long: it never lets its loop turn
    ),
    "writes a huge file": (
        "const part = Buffer.alloc(1 << 24, 1); const big = fs.openSync('big', 'w');\n"
        "for (let i = 0; i < 640; i++) fs.writeSync(big, part);",
        "EFBIG",
    ),
}


@pytest.fixture
def scratch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A place of its own for scratch folders, so that what is left can be told from other measurements."""
    folder = tmp_path / "scratch"
    folder.mkdir()
    monkeypatch.setenv("FOURTHREADS_SCRATCH_DIR", str(folder))
    return folder


@pytest.mark.parametrize("what", ENDED)
def test_a_script_that_ends_the_run_is_told_so_and_leaves_nothing(what: str, scratch: Path) -> None:
    """Its own clear message; no process and no folder is left."""
    script, *messages = ENDED[what]
    with pytest.raises(ScriptError) as problem:
        rooms.measure(gates(script=script))
    assert any(message in str(problem.value) for message in messages)
    assert [] == left(scratch)


def test_no_two_kinds_of_harm_share_a_message_by_accident() -> None:
    """Every message looked for above is distinct but for those that are the same harm."""
    assert 16 <= len({messages[0] for _, *messages in ENDED.values()})


def test_the_next_measurement_is_unaffected(scratch: Path) -> None:
    """After the worst of them the same count comes out."""
    for what in ("forks without end", "loops for ever"):
        with pytest.raises(ScriptError):
            rooms.measure(gates(script=ENDED[what][0]))
        assert 3 == held(rooms.measure(gates()))
    assert [] == left(scratch)


def test_a_child_in_a_session_of_its_own_ends_with_the_run(scratch: Path) -> None:
    """Detached, with another folder and an empty environment: it is adopted, and ended."""
    told = scratch.parent / "pid"
    script = (
        SPAWN + f"const child = spawn('/usr/bin/setsid', ['-f', '/bin/sh', '-c', 'echo $$ > {told}; exec sleep 1000'], "
        "{ detached: true, stdio: 'ignore', env: {}, cwd: '/' });\nchild.unref();\n"
        "await new Promise((done) => child.on('exit', done));\n"
        f"while (!fs.existsSync('{told}') || !fs.readFileSync('{told}', 'utf8')) await null;\n" + ASK
    )
    assert 3 == held(rooms.measure(gates(script=script)))
    assert not Path(f"/proc/{int(told.read_text())}").exists()


def test_a_printed_result_is_text_and_nothing_else() -> None:
    """What looks like a record or a report on stdout counts for nothing."""
    fake = ASK + 'console.log(JSON.stringify({ counts: { held_slots: 9 }, token: "x", kind: "done", value: "stat" }));'
    run = rooms.measure(gates("canary", fake)).runs[0]
    assert 3 == run.counts["held_slots"]
    assert "canary_openings" not in run.counts
    assert "held_slots" in run.text


def test_a_script_that_opens_its_own_gate_is_noticed() -> None:
    """A gate that we did not open and that is no longer held: something else opened it, and it is said which."""
    script = ASK + "fs.openSync(gate(2), 'r+');"
    with pytest.raises(NoisyError, match="Gate 2 was opened by something other than us"):
        rooms.measure(gates("state", script, open=[1]))


def test_a_killed_watcher_leaves_nothing(scratch: Path) -> None:
    """The script ends the process that watches it: the caller cleans up, and says what happened."""
    with pytest.raises(FourThreadsError, match="ended by force"):
        rooms.measure(gates(script=ASK + "process.kill(process.ppid, 'SIGKILL');"))
    assert [] == left(scratch)


def test_a_hostile_environment_does_not_reach_node(monkeypatch: pytest.MonkeyPatch) -> None:
    """Our own variables stay here: no option, no size, no ring (libuv 1.45 to 1.48 would leave the pool)."""
    for name, value in {
        "UV_THREADPOOL_SIZE": "7",
        "NODE_OPTIONS": "--bad",
        "UV_USE_IO_URING": "1",
        "LD_DEBUG_NOT": "1",
    }.items():
        monkeypatch.setenv(name, value)
    script = "console.log(Object.keys(process.env).sort().join());\n" + ASK
    run = rooms.measure(gates(script=script, pool=None)).runs[0]
    assert 4 == run.counts["pool_threads"]
    assert "FOURTHREADS_MEASUREMENT,HOME,LANG,NO_COLOR,PATH,TMPDIR,TZ" == run.text.strip()


def test_a_bound_that_runs_out_names_itself() -> None:
    """Time, the last resort: what does nothing at all is stopped too."""
    from labs.supervise import Bounds
    from tests.room import stage

    with (
        stage() as made,
        pytest.raises(ScriptError, match=r"still running after 0\.5 s"),
        made.launch("", name="idle", parameters={}, pool=1, keep=True, bounds=Bounds(wall=0.5)) as run,
    ):
        run.wait_exit()


def test_the_time_that_node_takes_to_start_is_none_of_the_scripts() -> None:
    """A bound shorter than any start: the run begins all the same, and is then held to it."""
    from labs.supervise import Bounds
    from tests.room import stage

    with (
        stage() as made,
        made.launch("", name="idle", parameters={}, pool=1, keep=True, bounds=Bounds(wall=0.001)) as run,
        pytest.raises(ScriptError, match="still running"),
    ):
        run.wait_exit()
