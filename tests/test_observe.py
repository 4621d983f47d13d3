"""labs.observe, labs.proc, labs.syscalls: what threads are in, read from outside."""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from labs import node_binary, observe, proc, syscalls
from labs.errors import NoisyError, RoomError, ScriptError, SetupError
from labs.observe import Look, Seen
from tests.room import ASK, stage


@pytest.mark.parametrize(
    ("expected", "call"),
    [((True, False), "openat"), ((True, False), "poll"), ((False, True), "futex"), ((False, False), None)],
)
def test_a_worker_is_held_or_parked_or_runs(expected: tuple[bool, bool], call: str | None) -> None:
    """Asleep in the pool's own wait is parked, asleep in anything else is held, awake is neither."""
    seen = Seen(7, call)
    assert expected == (seen.held, seen.parked)


def test_a_look_is_asleep_only_if_every_worker_is() -> None:
    """One running worker is enough."""
    main = Seen(1, "epoll_pwait")
    assert Look(0.0, (Seen(2, "futex"), Seen(3, "openat")), main).asleep
    assert not Look(0.0, (Seen(2, "futex"), Seen(3, None)), main).asleep
    assert not Look(0.0, (), Seen(1, "read")).polling
    assert not Look(0.0, (Seen(2, "futex"), Seen(3, "write", disk=True)), main).asleep


#: Makes a child and waits in the kernel, as for a disk, until that one ends (clone with CLONE_VFORK, as spawn does).
UNINTERRUPTIBLE = """
import ctypes, os, signal, sys
if not ctypes.CDLL(None).syscall(int(sys.argv[1]), 0x4000 | signal.SIGCHLD, 0, 0, 0, 0):
    os.read(0, 1)
    os._exit(0)
"""


def test_a_wait_that_only_the_kernel_ends_is_no_rest() -> None:
    """State D has a system call too, as a held slot has; but nobody has to do anything for it to end."""
    clone = {"x86_64": "56", "aarch64": "220"}[os.uname().machine]
    child = subprocess.Popen([sys.executable, "-c", UNINTERRUPTIBLE, clone], stdin=subprocess.PIPE)
    try:
        while proc.stat(child.pid).state != "D":
            assert child.poll() is None
        observer = observe.Observer(child.pid, "1.50", ())
        seen = observer.thread(child.pid)
        assert (f"call {clone}", True) == (seen.call, seen.disk)
        assert not observer.is_idle()
    finally:
        child.communicate()


def test_a_worker_that_ends_during_a_look_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """`process.exit` ends the parked ones while a held one keeps the process: that is no fault of ours."""
    ended = threading.Thread(target=int)
    ended.start()
    ended.join()
    there = proc.tids
    while ended.native_id in there(os.getpid()):
        pass
    monkeypatch.setattr(proc, "tids", lambda pid: [*there(pid), ended.native_id])
    look = observe.Observer(os.getpid(), "1.0", there(os.getpid())).look()
    assert ((), os.getpid()) == (look.workers, look.main.tid)


@pytest.mark.parametrize(("expected", "architecture"), [((257, 202, 281), "x86_64"), ((56, 98, 22), "aarch64")])
def test_numbers_depend_on_the_architecture(expected: tuple[int, ...], architecture: str) -> None:
    """openat, futex, epoll_pwait on both architectures (from the kernel's tables)."""
    numbers = {name: number for number, name in syscalls.names(architecture).items()}
    assert expected == tuple(numbers[name] for name in ("openat", "futex", "epoll_pwait"))


def test_an_unknown_architecture_is_refused() -> None:
    """With its name, and what works instead."""
    with pytest.raises(RoomError, match="mips64"):
        syscalls.names("mips64")


def test_text_is_read_from_another_process_up_to_its_end() -> None:
    """Also where it ends right before unmapped memory; an address that is not mapped gives nothing."""
    buffer = ctypes.create_string_buffer(b"a path" + b"\0" + b"more")
    assert b"a path" == proc.text_at(os.getpid(), ctypes.addressof(buffer))
    assert proc.text_at(os.getpid(), 16) is None
    assert proc.text_at(os.getpid(), 2**63) is None


def test_a_family_is_found_without_its_zombies_and_without_what_is_kept() -> None:
    """Children and grandchildren; a process to keep is left out with all below it."""
    child = subprocess.Popen([sys.executable, "-c", "import subprocess; subprocess.run(['sleep', '100'])"])
    try:
        while len([*proc.family(child.pid)]) < 1:
            pass
        assert {child.pid, *proc.family(child.pid)} <= {*proc.family(os.getpid())}
        assert not {child.pid, *proc.family(child.pid)} & {*proc.family(os.getpid(), frozenset({child.pid}))}
    finally:
        for pid in [*proc.family(child.pid), child.pid]:
            os.kill(pid, 9)
        child.wait()
    assert child.pid not in {*proc.family(os.getpid())}


def test_threads_report_their_name_state_and_times() -> None:
    """Of this very process, as an ordinary user could."""
    done = threading.Event()
    thread = threading.Thread(target=done.wait, name="waits")
    thread.start()
    try:
        assert thread.native_id in proc.tids(os.getpid())
        spent = proc.schedule(os.getpid(), os.getpid())
        assert spent is None or spent.cpu > 0
        assert proc.stat(os.getpid()).parent == os.getppid()
        assert proc.resident(os.getpid()) > 0
    finally:
        done.set()
        thread.join()


def test_an_emulated_processor_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """A process known to read shows a call of another number: the numbers are those of another architecture."""
    read = next(number for number, name in syscalls.names().items() if name == "read")
    numbers = {number + 1000: name for number, name in syscalls.names().items()}
    monkeypatch.setattr(syscalls, "names", lambda: numbers)
    reader, writer = os.pipe()
    child = subprocess.Popen([shutil.which("cat") or "cat"], stdin=reader, stdout=subprocess.DEVNULL)
    try:
        while (call := proc.call(child.pid, child.pid)) is None or (call.number, call.arguments[0]) != (read, 0):
            pass
        with pytest.raises(RoomError, match="emulated"):
            observe.check_processor(child.pid, 0, within=1.0)
    finally:
        os.close(writer)
        os.close(reader)
        child.wait()


def test_a_process_that_never_rests_is_noise_not_emulation() -> None:
    """Without one look at a sleeping main thread nothing can be said about the processor."""
    child = subprocess.Popen(
        [sys.executable, "-S", "-c", "print(flush=True)\nwhile True: pass"], stdout=subprocess.PIPE
    )
    assert child.stdout is not None
    try:
        assert b"\n" == child.stdout.readline()
        with pytest.raises(NoisyError):
            observe.check_processor(child.pid, 0, within=0.05)
    finally:
        child.kill()
        child.communicate()


def test_a_program_for_another_processor_is_refused(tmp_path: Path) -> None:
    """The header of the program says what it was built for."""
    alien = tmp_path / "node"
    alien.write_bytes(b"\x7fELF" + bytes(14) + (243).to_bytes(2, "little"))  # 243: RISC-V
    alien.chmod(0o755)
    with pytest.raises(SetupError, match="another processor"):
        node_binary.checked(alien)


def test_a_missing_node_says_what_to_do(tmp_path: Path) -> None:
    """No guessing from PATH."""
    with pytest.raises(SetupError, match="make setup"):
        node_binary.checked(tmp_path / "node")


@pytest.mark.node
def test_threads_with_the_pools_name_beyond_its_size_are_refused() -> None:
    """A script can give its own threads that name; then no count can be trusted."""
    fake = (
        "import { Worker } from 'node:worker_threads';\nfor (let i = 0; i < 4; i++) "
        "new Worker('setInterval(() => {}, 1000)', { eval: true, name: 'libuv-worker' });\n"
    )
    with (
        stage() as made,
        pytest.raises(ScriptError, match="named like workers"),
        made.launch(fake + ASK, name="fake", parameters={"tasks": 3}, pool=3, gates=3, keep=True) as run,
    ):
        run.wait_until(lambda: len(run.look().workers) > 3, within=30)


@pytest.mark.node
def test_an_older_line_is_counted_by_difference() -> None:
    """Node 20 does not name its workers: new threads are counted against those before the script."""
    older = shutil.which("node")
    if older is None or not subprocess.check_output([older, "--version"]).startswith(b"v20."):
        pytest.skip("no Node 20 here: sudo apt install nodejs")
    with stage() as made:
        for module in ("mjs", "cjs"):
            with made.launch(
                ASK, name="old", parameters={"tasks": 9}, pool=3, gates=9, keep=True, module=module, node=Path(older)
            ) as run:
                look = run.settle()
                assert "1.46.0" == run.node.uv
                assert ("1", "2", "3") == run.slots(look)
                assert {"new thread"} == {t.name for t in run.finish().threads if t.role == "worker"}
