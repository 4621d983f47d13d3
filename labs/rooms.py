"""Where an experiment runs. All rooms but ``replay`` run the same command inside: one request in, one record out.

A room knows how to start ``python -m labs VERB --attached`` and nothing of what is said to it. The talking is here, once.
"""

from __future__ import annotations

import contextlib
import os
import selectors
import signal
import subprocess
from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Protocol

import msgspec

from labs import errors, launch, lock, marker, measurement, request, scratch
from labs.errors import FourThreadsError, NoisyError, RoomError, SetupError
from labs.measurement import LARGEST_RECORD, Record
from labs.request import Request

if TYPE_CHECKING:
    from labs.rehearsal import Findings

OnProgress = Callable[[int, int, str], None]

#: Name -> where the room is defined, imported when it is asked for.
REGISTRY = {"here": "labs.rooms:HERE", "namespace": "labs.room_namespace:ROOM", "container": "labs.room_container:ROOM"}

#: Seconds a helper has for cleaning up after it was told to stop.
_CLEANING = 10.0


class Room(Protocol):
    """A place that can run ``python -m labs``.

    Attributes:
        name: As it stands in a record.
    """

    name: str

    def problem(self) -> str | None:
        """Say why it cannot be used on this machine and what to do, or None where it can."""

    def start(self, verb: str) -> subprocess.Popen[bytes]:
        """Start ``python -m labs VERB --attached`` in it, with pipes for stdin, stdout and stderr, in a session of its own."""

    def remove(self, process: subprocess.Popen[bytes]) -> None:
        """Remove what may be left of it after it did not end well. Harmless when nothing is."""


class Here:
    """This machine, as it is."""

    name = "here"

    def problem(self) -> str | None:
        """Say whether this system has what observing needs."""
        if not os.path.exists("/proc/self/task"):
            return (
                'This lab watches threads through Linux. Here it can run in a container: room="container". Until then '
                'you can work with a recorded run: room="replay". Bets and questions count as usual.'
            )
        return None

    def start(self, verb: str) -> subprocess.Popen[bytes]:
        """Start the helper process (see :class:`Room`)."""
        return popen(launch.python("-m", "labs", verb, "--attached"))

    def remove(self, process: subprocess.Popen[bytes]) -> None:
        """Remove what a killed helper left."""
        marker.remove_leftovers()
        scratch.remove_leftovers()


HERE = Here()


def popen(argv: Sequence[str]) -> subprocess.Popen[bytes]:
    """Start a command the way every room does: three pipes, own session, Python finds our packages."""
    here = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    path = os.pathsep.join(filter(None, (here, os.environ.get("PYTHONPATH"))))
    return subprocess.Popen(
        argv,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
        env={**os.environ, "PYTHONPATH": path},
    )


def find(name: str) -> Room:
    """Return a room by name.

    Raises:
        RoomError: There is no such room, or it cannot be used here.
        NoisyError: It did not answer in time; another try may do.
    """
    if name not in REGISTRY:
        if name == "replay":
            raise RoomError(
                'Nothing is measured in the room "replay": it shows recorded runs, in a notebook (lab(..., room="replay")).'
            )
        raise RoomError(f"There is no room {name!r}; rooms are {', '.join(REGISTRY)}, replay.")
    module, _, attribute = REGISTRY[name].partition(":")
    try:
        room: Room = getattr(import_module(module), attribute)
    except ModuleNotFoundError as problem:
        raise RoomError(f"The room {name!r} is not part of this installation.") from problem
    if (why := room.problem()) is not None:
        raise RoomError(why)
    return room


def choose(names: Sequence[str]) -> Room:
    """Return the first of the named rooms (best first) that can be used here.

    Raises:
        RoomError: None can; the text says why, room by room.
        NoisyError: None can now, and one did not answer in time.
    """
    refused: list[str] = []
    busy: NoisyError | None = None
    for name in names:
        try:
            return find(name)
        except NoisyError as problem:
            busy = problem
        except RoomError as problem:
            refused.append(f"{name}: {problem}")
    if busy is not None:
        raise busy
    raise RoomError("No room for this lab on this machine. " + " ".join(refused))


def measure(asked: Request, room: Room | str | None = None, on_progress: OnProgress | None = None) -> Record:
    """Have one request measured and return its record. Waits while another measurement runs on this machine.

    Args:
        asked: What to measure.
        room: Where; default is the room that the request names.
        on_progress: Receives done, total, what.

    Raises:
        FourThreadsError: As the room said it: ``ScriptError``, ``NoisyError``, ``RoomError``, ``SetupError``.
        KeyboardInterrupt: The learner pressed stop; nothing of the run is left.
    """
    where = find(room or asked.room) if isinstance(room, str | None) else room
    asked = msgspec.structs.replace(asked, room=where.name)
    with lock.measuring(asked.lab, None if on_progress is None else lambda sentence: on_progress(0, 0, sentence)):
        return measurement.decode(ask(where, "measure", request.encode(asked), on_progress))


def ask(room: Room, verb: str, data: bytes, on_progress: OnProgress | None = None) -> bytes:
    """Send one line to ``python -m labs VERB`` in a room and return its answer.

    However this ends, nothing that the command started is left.

    Raises:
        FourThreadsError: The problem that the command told.
    """
    with _started(room, verb) as process:
        answer, complaints = _converse(process, data + b"\n", on_progress)
        code = process.wait(_CLEANING)
        if code == 0:
            return answer
        raise _error(answer, complaints, code)


@contextlib.contextmanager
def _started(room: Room, verb: str) -> Iterator[subprocess.Popen[bytes]]:
    process = room.start(verb)
    try:
        yield process
    finally:
        # Closing its stdin tells it to stop and clean up; only then is it killed.
        for stream in (process.stdin, process.stdout, process.stderr):
            if stream is not None:
                with contextlib.suppress(OSError):
                    stream.close()
        clean = False
        with contextlib.suppress(subprocess.TimeoutExpired):
            clean = process.wait(_CLEANING) >= 0
        if not clean:
            process.kill()
            process.wait()
            room.remove(process)


def _converse(process: subprocess.Popen[bytes], data: bytes, on_progress: OnProgress | None) -> tuple[bytes, bytes]:
    assert process.stdin is not None and process.stdout is not None and process.stderr is not None  # three pipes
    streams = {process.stdout: bytearray(), process.stderr: bytearray()}
    with contextlib.suppress(BrokenPipeError):
        process.stdin.write(data)
        process.stdin.flush()
    complaints = bytearray()
    with selectors.DefaultSelector() as selector:
        for stream in streams:
            selector.register(stream, selectors.EVENT_READ, stream)
        while selector.get_map():
            ready = selector.select(0.5)
            if not ready and _is_stopped(process.pid):
                process.kill()
                raise errors.ScriptError(
                    "The process that watches your script was told to stop, and was ended. Does your script send signals? "
                    "The next run is not affected."
                )
            for key, _ in ready:
                part = os.read(key.fd, 65536)
                stream = key.data
                if not part:
                    selector.unregister(stream)
                    continue
                streams[stream] += part
                if stream is process.stderr:
                    *lines, rest = streams[stream].split(b"\n")
                    streams[stream] = bytearray(rest)
                    for line in lines:
                        if not _tell(bytes(line), on_progress):
                            complaints = (complaints + line + b"\n")[-4096:]
            if len(streams[process.stdout]) > LARGEST_RECORD:
                raise RoomError(f"The room answered with more than {LARGEST_RECORD} bytes; at most that many are read.")
    return bytes(streams[process.stdout]).strip(), bytes(complaints)


def _is_stopped(pid: int) -> bool:
    """Return whether a child of ours was halted by a signal; nobody has a reason to do that to it."""
    try:
        seen = os.waitid(os.P_PID, pid, os.WSTOPPED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return False
    return seen is not None and seen.si_code == os.CLD_STOPPED


def _tell(line: bytes, on_progress: OnProgress | None) -> bool:
    class Progress(msgspec.Struct):
        progress: tuple[int, int]
        what: str

    try:
        told = msgspec.json.decode(line, type=Progress)
    except (msgspec.ValidationError, msgspec.DecodeError, UnicodeDecodeError):
        return False
    if on_progress is not None:
        on_progress(*told.progress, told.what)
    return True


def _error(answer: bytes, complaints: bytes, code: int) -> FourThreadsError:
    class Problem(msgspec.Struct):
        error: str
        message: str

    try:
        told = msgspec.json.decode(answer, type=Problem)
    except (msgspec.ValidationError, msgspec.DecodeError, UnicodeDecodeError):
        if code == -signal.SIGKILL:
            return errors.NoisyError(
                "The process that measures was ended by force. Nothing of the run is left. Run the cell again; if it comes "
                "back, the machine is short of memory, or the script sends signals."
            )
        last = complaints.decode(errors="replace").strip().splitlines()[-1:] or ["nothing"]
        return SetupError(f"The measuring process ended (code {code}) without an answer. It said: {last[0]}")
    kinds = {
        kind.code: kind
        for kind in vars(errors).values()
        if isinstance(kind, type) and issubclass(kind, FourThreadsError) and kind is not errors.RecordError
    }
    if told.error == "cancelled":
        return errors.NoisyError(told.message)
    return kinds.get(told.error, FourThreadsError)(told.message)


def rehearse(asked: Request, room: Room | str | None = None, on_progress: OnProgress | None = None) -> Findings:
    """Have a script run dry and return what was seen; within a second or so, and beside a running measurement.

    Raises:
        FourThreadsError: As for :func:`measure`.
    """
    from labs import rehearsal

    where = find(room or asked.room) if isinstance(room, str | None) else room
    return rehearsal.decode(ask(where, "rehearse", request.encode(asked), on_progress))
