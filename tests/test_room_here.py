"""labs.rooms, labs.helper, labs.lock, labs.marker, labs.scratch: the room ``here``, and that nothing of it is left."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path

import pytest

from labs import line, lock, marker, proc, request, rooms, scratch
from labs.errors import NoisyError, RecordError, RoomError, SetupError
from tests.room import ASK, gates, held, left

SPAWN_AWAY = (
    "import { spawn } from 'node:child_process';\n"
    "spawn('/bin/sleep', ['1000'], { detached: true, stdio: 'ignore' }).unref();\n" + ASK
)


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A place of its own for scratch folders."""
    folder = tmp_path / "scratch"
    folder.mkdir()
    monkeypatch.setenv("FOURTHREADS_SCRATCH_DIR", str(folder))
    return folder


def helper(asked: request.Request) -> subprocess.Popen[bytes]:
    """Start a helper as a room does, and wait until it measures."""
    process = rooms.HERE.start("measure")
    assert process.stdin is not None and process.stderr is not None
    process.stdin.write(request.encode(asked) + b"\n")
    process.stdin.flush()
    assert b"progress" in process.stderr.readline()
    return process


#: A script that keeps a measurement going for a while, with a child that tries to get away.
LONG = SPAWN_AWAY + "const end = Date.now() + 1500; while (Date.now() < end); setTimeout(() => process.exit(0), 60000);"


def close(process: subprocess.Popen[bytes]) -> None:
    """Let go of a process's pipes."""
    for stream in (process.stdin, process.stdout, process.stderr):
        assert stream is not None
        stream.close()


@pytest.mark.node
@pytest.mark.parametrize("how", ["stdin", "SIGTERM", "SIGINT", "SIGHUP"])
def test_a_helper_that_is_told_to_stop_leaves_nothing(how: str, place: Path) -> None:
    """Whether its caller vanishes or a signal comes: it cleans up and says that the run was interrupted."""
    process = helper(gates(script=LONG))
    if how == "stdin":
        assert process.stdin is not None
        process.stdin.close()
    else:
        process.send_signal(getattr(signal, how))
    assert 2 == process.wait(30)
    assert process.stdout is not None
    assert "cancelled" == json.loads(process.stdout.read())["error"]
    assert [] == left(place)
    close(process)


@pytest.mark.node
def test_what_a_killed_helper_leaves_is_removed_before_the_next_measurement(place: Path) -> None:
    """SIGKILL: Node dies with the helper; its detached child and the folder are swept by the next one."""
    process = helper(gates(script=LONG))
    process.kill()
    process.wait(30)
    close(process)
    assert 3 == held(rooms.measure(gates()))
    assert [] == left(place)


@pytest.mark.node
def test_a_killed_caller_leaves_nothing(place: Path) -> None:
    """The kernel of the notebook is killed: its helper notices and ends everything."""
    program = (
        "import sys; from labs import request, rooms\n"
        "rooms.measure(request.decode(sys.stdin.buffer.read()), on_progress=lambda *told: print(told, flush=True))"
    )
    caller = subprocess.Popen(
        [sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True
    )
    assert caller.stdin is not None and caller.stdout is not None
    caller.stdin.write(request.encode(gates(script=LONG)))
    caller.stdin.close()
    assert b"waiting" in caller.stdout.readline()
    (child,) = proc.children(caller.pid)
    caller.kill()
    caller.wait()
    caller.stdout.close()
    with suppress(*proc.GONE):
        while proc.stat(child).state not in "ZX":
            pass
    assert [] == left(place)


@pytest.mark.node
def test_an_interrupt_reaches_the_learner_after_everything_is_gone(place: Path) -> None:
    """Pressing stop raises KeyboardInterrupt in the caller; nothing of the run is left by then."""

    def interrupt(*_told: object) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        rooms.measure(gates(script=LONG), on_progress=interrupt)
    assert [] == left(place)


@pytest.mark.node
def test_the_command_answers_a_plain_pipe_too() -> None:
    """`echo REQUEST | python -m labs measure`: without --attached the end of the input is no reason to stop."""
    ended = subprocess.run(
        [sys.executable, "-m", "labs", "measure"], input=request.encode(gates()), capture_output=True, check=False
    )
    assert 0 == ended.returncode
    assert "gates" == json.loads(ended.stdout)["lab"]
    assert all("progress" in json.loads(line) for line in ended.stderr.splitlines())


@pytest.mark.parametrize(
    ("expected", "text"),
    [
        ("bad-record", b"{}"), ("bad-record", b"\xff"), ("bad-record", b"[" * 100000), ("bad-record", b""),
        ("setup", b'{"lab": "no such lab", "measure": "x"}'), ("setup", b'{"lab": "nowhere", "measure": "x"}'),
    ],
)  # fmt: skip
def test_a_bad_request_is_one_line_and_exit_2(expected: str, text: bytes) -> None:
    """A machine reads the code, a person the sentence."""
    ended = subprocess.run([sys.executable, "-m", "labs", "measure"], input=text, capture_output=True, check=False)
    answer = json.loads(ended.stdout)
    assert (2, expected) == (ended.returncode, answer["error"])
    assert answer["message"]
    assert b"Traceback" not in ended.stderr


def test_a_wrong_verb_shows_the_usage() -> None:
    """Exit 2, nothing on stdout."""
    ended = subprocess.run([sys.executable, "-m", "labs", "dance"], capture_output=True, check=False)
    assert (2, b"") == (ended.returncode, ended.stdout)
    assert b"usage" in ended.stderr


def test_an_unknown_room_is_refused_with_the_known_ones() -> None:
    """Also by `choose`, which says why for each."""
    with pytest.raises(RoomError, match="here, namespace, container"):
        rooms.find("garden")
    with pytest.raises(RoomError, match="garden: "):
        rooms.choose(["garden"])
    assert "here" == rooms.choose(["garden", "here"]).name


class Pretender:
    """A room whose helper answers what it was given."""

    name = "here"

    def __init__(self, program: str) -> None:
        self.program = program
        self.removed = False

    def problem(self) -> str | None:
        return None

    def start(self, verb: str) -> subprocess.Popen[bytes]:
        return rooms.popen([sys.executable, "-c", self.program])

    def remove(self, process: subprocess.Popen[bytes]) -> None:
        self.removed = True


@pytest.mark.parametrize(
    ("error", "program"),
    [
        (RecordError, "print('{}')"),
        (RoomError, "import sys; [sys.stdout.write('x' * 1000000) for _ in range(9)]"),
        (SetupError, "import sys; sys.exit('something broke')"),
        (NoisyError, 'print(\'{"error": "noise", "message": "busy"}\'); raise SystemExit(2)'),
        (NoisyError, "import os; os.kill(os.getpid(), 9)"),
    ],
)
def test_what_a_room_answers_is_checked(error: type[Exception], program: str) -> None:
    """A damaged record, a flood, silence, a problem, a violent end."""
    with pytest.raises(error):
        rooms.measure(gates(), room=Pretender(program))


def test_a_room_is_told_to_remove_what_a_killed_helper_left() -> None:
    """Only where it did not end by itself."""
    room = Pretender("import os; os.kill(os.getpid(), 9)")
    with pytest.raises(NoisyError):
        rooms.measure(gates(), room=room)
    assert room.removed


def test_the_second_measurement_hears_for_whom_it_waits() -> None:
    """Which lab, and since when; then it goes on."""
    told: list[str] = []
    first, heard = threading.Event(), threading.Event()

    def hold() -> None:
        with lock.measuring("waves"):
            first.set()
            heard.wait(60)

    def listen(sentence: str) -> None:
        told.append(sentence)
        heard.set()

    thread = threading.Thread(target=hold)
    thread.start()
    first.wait(60)
    with lock.measuring("gates", listen):
        pass
    thread.join()
    assert re.match(r"Another measurement is running \(waves, since \d+ s\)\. Yours starts after it\.", told[0])


def test_who_waits_is_not_overtaken_by_who_comes_later(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A newcomer that asks in the very moment in which the machine comes free stands behind who was there."""
    monkeypatch.setenv("FOURTHREADS_RUNTIME_DIR", str(place))
    order: list[str] = []
    waits = threading.Event()

    def wait() -> None:
        with lock.measuring("waves", lambda sentence: waits.set()):
            order.append("who waited")

    thread = threading.Thread(target=wait)
    with lock.measuring("gates"):
        thread.start()
        assert waits.wait(60)
    with lock.measuring("gates"):
        order.append("who came later")
    thread.join()
    assert ["who waited", "who came later"] == order


def test_everybody_in_line_has_a_turn_in_the_order_of_coming(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Four wait; who is behind others is told how many. Nothing is left of the line."""
    monkeypatch.setenv("FOURTHREADS_RUNTIME_DIR", str(place))
    order: list[int] = []
    told: dict[int, str] = {}
    waits = [threading.Event() for _ in range(4)]

    def wait(number: int) -> None:
        def listen(sentence: str) -> None:
            told.setdefault(number, sentence)
            waits[number].set()

        with lock.measuring("waves", listen):
            order.append(number)

    threads = [threading.Thread(target=wait, args=[number]) for number in range(4)]
    with lock.measuring("gates"):
        for number, thread in enumerate(threads):
            thread.start()
            assert waits[number].wait(60)
    for thread in threads:
        thread.join()
    assert [0, 1, 2, 3] == order
    assert told[0].endswith("Yours starts after it.")
    assert told[3].endswith("Yours starts after it and after 3 more that came first.")
    assert [] == [one.name for one in place.iterdir() if "place" in one.name]


def test_who_died_in_the_line_keeps_nobody_waiting(tmp_path: Path) -> None:
    """A place whose holder was killed is nobody's; a living one counts."""
    code = f"from pathlib import Path\nfrom labs import line\nwith line.standing(Path({str(tmp_path)!r}), 'x'): print(flush=True); input()"
    other = subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert other.stdin is not None and other.stdout is not None
    assert b"\n" == other.stdout.readline()
    with line.standing(tmp_path, "x") as ahead:
        assert 1 == ahead()
        assert 2 == len(list(tmp_path.iterdir()))
        other.kill()
        other.wait()
        assert 0 == ahead()
        assert 1 == len(list(tmp_path.iterdir()))
    other.stdin.close()
    other.stdout.close()


def test_who_is_stopped_in_the_line_is_passed_by(tmp_path: Path) -> None:
    """It has not looked for long; when it looks again, it is where it was."""
    with line.standing(tmp_path, "x") as first:
        (its,) = tmp_path.iterdir()
        with line.standing(tmp_path, "x") as second:
            assert 1 == second()
            os.utime(its, (0, 0))
            assert 0 == second()
            assert its.exists()
            assert 0 == first()
            assert 1 == second()


def test_who_waits_keeps_the_place_when_the_clock_is_set(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A laptop wakes up, or hears what time it is: the order of coming is the same."""
    with line.standing(tmp_path, "x") as first, line.standing(tmp_path, "x") as second:
        assert 0 == first()
        monkeypatch.setattr(time, "time", lambda: 4e9)
        assert 1 == second()


def test_waiting_has_an_end() -> None:
    """A measurement that never ends is not waited for without end."""
    first, over = threading.Event(), threading.Event()

    def hold() -> None:
        with lock.measuring("waves"):
            first.set()
            over.wait(60)

    thread = threading.Thread(target=hold)
    thread.start()
    first.wait(60)
    try:
        with pytest.raises(NoisyError, match="waves"), lock.measuring("gates", within=0.0):
            pass
    finally:
        over.set()
        thread.join()


def test_a_scratch_folder_is_private_and_gone_afterwards(tmp_path: Path) -> None:
    """Also where something in it took our rights away."""
    with scratch.scratch(marker.own(), (tmp_path,)) as made:
        assert 0o700 == made.path.stat().st_mode & 0o777
        inner = made.folder() / "inner"
        inner.mkdir()
        (inner / "file").touch()
        inner.chmod(0)
    assert [] == [*tmp_path.iterdir()]


def test_a_folder_that_cannot_hold_fifos_is_left_for_the_next_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A shared drive: it goes on elsewhere and says so."""
    make = os.mkfifo
    shared, good = tmp_path / "shared", tmp_path / "good"
    shared.mkdir()
    good.mkdir()

    def refuse(path: Path, mode: int) -> None:
        if path.is_relative_to(shared):
            raise PermissionError(1, "Operation not permitted")
        make(path, mode)

    monkeypatch.setattr(os, "mkfifo", refuse)
    with scratch.scratch(marker.own(), (shared, good)) as made:
        assert made.path.is_relative_to(good)
        assert (f"Gates cannot be made in {shared} (Operation not permitted); we use {good} instead.",) == made.warnings
    assert [] == [*shared.iterdir()]
    with pytest.raises(SetupError, match="no folder here can hold one"), scratch.scratch(marker.own(), (shared,)):
        pass


def test_a_mark_tells_the_living_from_the_dead() -> None:
    """Ours is alive; the same id with another start is somebody else; text that is no mark is left alone."""
    own = marker.own()
    pid, start, rest = own.split(".", 2)
    assert not marker.is_dead(own)
    assert marker.is_dead(f"{pid}.{int(start) + 1}.{rest}")
    assert not marker.is_dead("something else")


@pytest.mark.node
def test_a_module_of_the_learners_is_not_taken_for_ours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The working folder is the learner's: a ``json.py`` or a ``labs`` there changes nothing of a measurement."""
    (tmp_path / "json.py").write_text("raise SystemExit('the learner\\'s json')")
    (tmp_path / "labs").mkdir()
    (tmp_path / "labs" / "__init__.py").write_text("raise SystemExit('the learner\\'s labs')")
    monkeypatch.chdir(tmp_path)

    record = rooms.measure(request.Request(lab="gates", measure="free", parameters={"pool": 2, "tasks": 3}))

    assert 2 == record.runs[0].counts["held_slots"]
