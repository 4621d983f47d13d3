"""The holding name server as the conductor of an experiment has it: a process of its own, beside the runs.

It has its own process because the helper has one thread and forks, and so that nothing the helper does delays an answer.
"""

from __future__ import annotations

import secrets
import selectors
import socket
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from types import TracebackType
from typing import Any

import msgspec

from labs import beside
from labs.errors import NoisyError, RoomError, SetupError
from labs.flight import SENTINEL, Query, State
from labs.supervise import Stage

#: Seconds for one answer of the server's process, and for one lookup of a sentinel.
_PATIENCE = 20.0
_LOOK = "import socket, sys; print(socket.getaddrinfo(sys.argv[1], None)[0][4][0])"


class NameServer:
    """A name server on 127.0.0.1 that lives between ``with`` and its end.

    Args:
        stage: The measurement it belongs to.
        hold: Seconds each query is held; null holds until :meth:`release`.
        table: Name -> addresses; an empty sequence means that the name does not exist.
        ttl: Seconds for which whoever asked may remember an address.
        port: 53 in a room; 0 lets the kernel choose (for tests; nothing will ask it).

    Raises:
        SetupError: From ``with``: the port is not to be had.
        RoomError: From ``with``: names asked for here do not reach it.
    """

    def __init__(
        self,
        stage: Stage,
        *,
        hold: float | None = None,
        table: Mapping[str, Sequence[str]] | None = None,
        ttl: int = 0,
        port: int = 53,
    ) -> None:
        self._stage = stage
        self._argv = [
            "--listen",
            f"127.0.0.1:{port}",
            "--ttl",
            str(ttl),
            *(["--hold", str(hold)] if hold is not None else []),
        ]
        self._table = table
        self._check = port == 53
        self._process: subprocess.Popen[bytes] | None = None
        self._address = ("127.0.0.1", port)

    def __enter__(self) -> NameServer:
        self._process = beside.start(self._stage, "labs.resolver", *self._argv)
        try:
            listening = self._answer()["listening"]
            self._address = ("127.0.0.1", int(listening.rpartition(":")[2]))
            if self._table is not None:
                self.answers(self._table)
            if self._check:
                check_names(lambda name: bool(self._tell(do="reached", names=[name])["reached"]))
        except BaseException:
            self.__exit__(None, None, None)
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._process is not None:
            beside.end(self._stage, self._process)
            self._process = None

    # What is known

    def state(self) -> State:
        """Return what is in flight, with every packet counted that was sent before this call."""
        self._drain()
        return msgspec.convert(self._tell(do="state"), State)

    def log(self) -> tuple[Query, ...]:
        """Return every query since the last reset, in the order of arrival (times of the monotonic clock)."""
        self._drain()
        return msgspec.convert(self._tell(do="log"), tuple[Query, ...])

    # What can be told: see labs.resolver.HoldingServer

    def hold(self, seconds: float | None) -> None:
        """Hold what is held now for so many seconds more, and what arrives from now on for as many; null holds until a release."""
        self._tell(do="hold", seconds=seconds)

    def release(self, *names: str) -> None:
        """Answer what is held of these names; without names, everything that is held."""
        self._drain()
        self._tell(do="release", names=names)

    def silence(self, on: bool = True) -> None:
        """Stop answering, or begin again."""
        self._tell(do="silence", on=on)

    def answers(self, table: Mapping[str, Sequence[str]]) -> None:
        """Answer from this table from now on."""
        self._tell(do="answers", table=table)

    def reset(self) -> None:
        """Answer everything that is held, and start log and counts anew."""
        self._drain()
        self._tell(do="reset")

    # The pipe

    def _drain(self) -> None:
        """Wait until all packets sent before have been read: one asked now is answered after them (one queue, in order)."""
        from labs import question

        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asking:
            asking.settimeout(_PATIENCE)
            asking.connect(self._address)
            try:
                asking.send(question.ask(f"drain-{secrets.token_hex(8)}.{SENTINEL}"))
                asking.recv(4096)
            except OSError as problem:
                raise self._gone() from problem

    def _tell(self, **command: object) -> Any:
        process = self._running()
        assert process.stdin is not None  # a pipe
        try:
            process.stdin.write(msgspec.json.encode(command) + b"\n")
            process.stdin.flush()
        except OSError as problem:
            raise self._gone() from problem
        return self._answer()

    def _answer(self) -> Any:
        process = self._running()
        assert process.stdout is not None  # a pipe
        with selectors.DefaultSelector() as selector:
            selector.register(process.stdout, selectors.EVENT_READ)
            if not selector.select(_PATIENCE):
                raise NoisyError(
                    f"The name server gave no answer within {_PATIENCE:.0f} s: this machine is too busy now."
                )
        line = process.stdout.readline()
        if not line:
            raise self._gone()
        answer = msgspec.json.decode(line)
        if isinstance(answer, dict) and "error" in answer:
            raise SetupError(answer["error"])
        return answer

    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is None:
            raise SetupError("The name server is not running: use it inside `with NameServer(...)`.")
        return self._process

    def _gone(self) -> SetupError:
        return SetupError(
            "The name server ended before the experiment did. Run the cell again; if it comes back, tell us."
        )


def check_names(reached: Callable[[str], bool]) -> None:
    """Make sure that a name asked for here reaches the name server here.

    Args:
        reached: Whether the server has seen this name.

    Raises:
        RoomError: It has not; something else answered, or nothing did.
    """
    name = f"room-{secrets.token_hex(8)}.{SENTINEL}"
    try:
        # A process of its own reads the system's files as Node will; a library keeps what it has read.
        done = subprocess.run(
            [sys.executable, "-I", "-S", "-c", _LOOK, name],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=_PATIENCE,
        )
        said = (done.stdout or done.stderr).strip().splitlines()[-1:] or ["nothing"]
    except subprocess.TimeoutExpired:
        said = [f"nothing within {_PATIENCE:.0f} s"]
    if not reached(name):
        raise RoomError(
            f"Names asked for here do not come to the course's name server: {name} was looked up and never reached "
            f"127.0.0.1:53. The lookup said: {said[0]}. A name-service cache may have answered (looked for: nscd), or "
            '/etc/resolv.conf names another server. Use room="namespace" or room="container".'
        )
