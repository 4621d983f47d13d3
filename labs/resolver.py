"""The holding name server: it counts the names that are in flight because it decides when they land.

A query that arrives is *held* for a set time, or until it is released by name. What is held at a moment is what the
asking programs have in flight: nothing else needs to be trusted. A and AAAA of one name are two queries and one name,
because one ``getaddrinfo`` asks both at once.

Use it in the process (a thread) with :class:`HoldingServer`, or as a program of its own, controlled over a pipe::

    python -m labs.resolver --listen 127.0.0.1:53 --hold 0.3

(:mod:`labs.resolver_pipe` has the commands.) Times are seconds of ``CLOCK_MONOTONIC``, the clock of Node's
``process.hrtime``.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
import struct
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import TracebackType
from typing import cast

from labs import question
from labs.errors import SetupError
from labs.flight import SENTINEL, Query, State, history

#: How long starting and stopping the server's thread may take (seconds).
PATIENCE = 10.0


@dataclass
class _Held:
    asked: question.Question
    index: int
    send: Callable[[bytes], None]
    timer: asyncio.TimerHandle | None = None
    due: bool = False


@dataclass
class _Book:
    """Everything that changes; guarded by the server's condition."""

    hold: float | None
    table: Mapping[str, Sequence[str]]
    silent: bool = False
    held: dict[int, _Held] = field(default_factory=dict)
    log: list[Query] = field(default_factory=list)
    first: int = 0
    sentinels: list[str] = field(default_factory=list)
    state: State = field(default_factory=State)


class HoldingServer:
    """A name server on one address (UDP and TCP) that runs in a thread of its own between ``with`` and its end.

    Args:
        address: Where it listens; a loopback address.
        port: 53 in a room; 0 lets the kernel choose, see :attr:`port`.
        hold: Seconds each query is held; null holds until :meth:`release`.
        table: Name -> addresses; an empty sequence means that the name does not exist.
        default: Addresses of every name that is not in the table; empty means that it does not exist.
        ttl: Seconds for which whoever asked may remember an address.

    Raises:
        SetupError: From ``with``: the address cannot be had.
    """

    def __init__(
        self,
        address: str = "127.0.0.1",
        port: int = 53,
        *,
        hold: float | None = None,
        table: Mapping[str, Sequence[str]] | None = None,
        default: Sequence[str] = ("127.0.0.1",),
        ttl: int = 0,
    ) -> None:
        self.address = address
        self.port = port
        self._default = tuple(default)
        self._ttl = ttl
        self._changed = threading.Condition()
        self._book = _Book(hold, {name.lower().rstrip("."): tuple(to) for name, to in (table or {}).items()})
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stop: asyncio.Event | None = None
        self._thread = threading.Thread(target=self._run, name="name-server", daemon=True)
        self._ready = threading.Event()
        self._problem: OSError | None = None

    def __enter__(self) -> HoldingServer:
        self._thread.start()
        self._ready.wait(PATIENCE)
        if self._problem is not None or self._loop is None:
            self._thread.join(PATIENCE)
            raise SetupError(
                f"The name server cannot listen on {self.address} port {self.port}: {self._problem}. It looked for a free "
                "address of its own. Run the lab in the room namespace or container, where port 53 is ours."
            ) from self._problem
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._loop is not None and self._stop is not None:
            with contextlib.suppress(RuntimeError):  # the loop may have ended by itself
                self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(PATIENCE)

    # What is known

    def state(self) -> State:
        """Return what is in flight at this moment."""
        with self._changed:
            return self._snapshot()

    def log(self) -> tuple[Query, ...]:
        """Return every query since the last reset, in the order of arrival."""
        with self._changed:
            return tuple(self._book.log[self._book.first :])

    def history(self) -> tuple[tuple[float, int, int], ...]:
        """Return ``(time, distinct names, queries)`` in flight after every arrival and every answer."""
        return history(self.log())

    def reached_by(self, name: str) -> bool:
        """Return whether this sentinel name has arrived."""
        with self._changed:
            return name.lower().rstrip(".") in self._book.sentinels

    def wait_until(self, condition: Callable[[State], bool], timeout: float) -> State:
        """Wait until the state fulfils the condition, at most ``timeout`` seconds, and return the last state seen."""
        with self._changed:
            self._changed.wait_for(lambda: condition(self._snapshot()), timeout)
            return self._snapshot()

    # What can be told

    def hold(self, seconds: float | None) -> None:
        """Hold what is held now for so many seconds more, and what arrives from now on for as many; null holds until a release."""

        def change() -> None:
            self._book.hold = seconds
            for index, held in self._book.held.items():
                self._set_timer(index, held)

        self._do(change)

    def release(self, *names: str) -> None:
        """Answer what is held of these names now; without names, everything that is held. Returns when it is sent."""
        wanted = {name.lower().rstrip(".") for name in names}
        self._do(lambda: self._release(lambda held: not wanted or held.asked.name in wanted))

    def silence(self, on: bool = True) -> None:
        """Stop answering, as a name server does that died; ``False`` answers again, also what came due meanwhile."""

        def change() -> None:
            self._book.silent = on
            if not on:
                self._release(lambda held: held.due)

        self._do(change)

    def answers(self, table: Mapping[str, Sequence[str]]) -> None:
        """Answer from this table from now on."""
        with self._changed:
            self._book.table = {name.lower().rstrip("."): tuple(to) for name, to in table.items()}

    def reset(self) -> None:
        """Answer everything that is held, even when silent, and start log and counts anew."""

        def change() -> None:
            self._book.silent = False
            self._release(lambda held: True)
            self._book.first = len(self._book.log)
            self._book.state = State(changes=self._book.state.changes)

        self._do(change)

    # The server's thread

    def _run(self) -> None:
        with contextlib.suppress(OSError):  # needs a privilege; without it load may delay an answer by a few ms
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), -10)
        try:
            asyncio.run(self._serve())
        except OSError as problem:
            self._problem = problem
        finally:
            self._ready.set()

    async def _serve(self) -> None:
        loop = asyncio.get_running_loop()
        stop = asyncio.Event()
        family = socket.AF_INET6 if ":" in self.address else socket.AF_INET
        packets = socket.socket(family, socket.SOCK_DGRAM)
        # A burst of queries must fit: what the kernel drops is a name that was in flight and not counted.
        packets.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4 * 1024 * 1024)
        try:
            packets.bind((self.address, self.port))
            self.port = packets.getsockname()[1]
            streams = await asyncio.start_server(self._stream, self.address, self.port)
        except OSError:
            packets.close()
            raise
        transport, _ = await loop.create_datagram_endpoint(lambda: _Packets(self._arrived), sock=packets)
        self._loop, self._stop = loop, stop
        self._ready.set()
        try:
            await stop.wait()
        finally:
            with self._changed:
                for held in self._book.held.values():
                    if held.timer:
                        held.timer.cancel()
            transport.close()
            streams.close()

    async def _stream(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        def send(wire: bytes) -> None:
            if not writer.is_closing():
                writer.write(struct.pack("!H", len(wire)) + wire)

        with contextlib.suppress(asyncio.IncompleteReadError, OSError, asyncio.CancelledError):
            while True:
                (length,) = struct.unpack("!H", await reader.readexactly(2))
                self._arrived(await reader.readexactly(length), send, "tcp")
        writer.close()

    def _arrived(self, wire: bytes, send: Callable[[bytes], None], transport: str) -> None:
        now = time.monotonic()
        try:
            asked = question.parse(wire)
        except question.Malformed as packet:
            with self._changed:
                self._book.state = replace(self._book.state, malformed=self._book.state.malformed + 1)
                self._changed.notify_all()
            if packet.reply is not None:
                send(packet.reply)
            return
        if asked.name == SENTINEL or asked.name.endswith("." + SENTINEL):
            with self._changed:
                self._book.sentinels.append(asked.name)
            send(question.answer(asked, {}, ("127.0.0.1",)))
            return
        with self._changed:
            book = self._book
            index = len(book.log)
            book.log.append(Query(asked.name, asked.kind, now, None, transport))
            held = _Held(asked, index, send)
            book.held[index] = held
            before = book.state
            names = {other.asked.name for other in book.held.values()}
            seen = before.seen if asked.name in before.seen else (*before.seen, asked.name)
            book.state = replace(
                before,
                peak_names=max(before.peak_names, len(names)),
                peak_queries=max(before.peak_queries, len(book.held)),
                seen=seen,
                changes=before.changes + 1,
            )
            self._set_timer(index, held)
            self._changed.notify_all()

    def _set_timer(self, index: int, held: _Held) -> None:
        """Let a query land in ``hold`` seconds from now; runs in the server's thread and under the condition."""
        if held.timer:
            held.timer.cancel()
        seconds = self._book.hold
        held.timer = None if seconds is None else asyncio.get_running_loop().call_later(seconds, self._due, index)

    def _due(self, index: int) -> None:
        with self._changed:
            if (held := self._book.held.get(index)) is not None:
                held.due = True
                self._release(lambda other: other is held)

    def _release(self, wanted: Callable[[_Held], bool]) -> None:
        """Send the answers of what is wanted; runs in the server's thread and under the condition."""
        book = self._book
        if book.silent:
            for held in book.held.values():
                held.due = held.due or wanted(held)
            return
        for index, held in [item for item in book.held.items() if wanted(item[1])]:
            if held.timer:
                held.timer.cancel()
            del book.held[index]
            # Booked before it is sent: whoever is answered and asks again at once must not be counted twice.
            book.log[index] = replace(book.log[index], answered=time.monotonic())
            book.state = replace(book.state, changes=book.state.changes + 1)
            held.send(question.answer(held.asked, book.table, self._default, self._ttl))
        self._changed.notify_all()

    def _do(self, change: Callable[[], None]) -> None:
        if self._loop is None:
            raise SetupError("The name server is not running: use it inside `with HoldingServer(...)`.")
        done = threading.Event()

        def here() -> None:
            try:
                with self._changed:
                    change()
            finally:
                done.set()

        self._loop.call_soon_threadsafe(here)
        done.wait(PATIENCE)

    def _snapshot(self) -> State:
        held = self._book.held.values()
        names = tuple(dict.fromkeys(other.asked.name for other in held))
        return replace(self._book.state, names=names, queries=len(self._book.held), silent=self._book.silent)


class _Packets(asyncio.DatagramProtocol):
    def __init__(self, arrived: Callable[[bytes, Callable[[bytes], None], str], None]) -> None:
        self._arrived = arrived
        self._transport: asyncio.DatagramTransport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.DatagramTransport, transport)  # asyncio's own class is no subclass in 3.11

    def datagram_received(self, data: bytes, addr: tuple[str, int]) -> None:
        def send(wire: bytes) -> None:
            if self._transport is not None and not self._transport.is_closing():
                self._transport.sendto(wire, addr)

        self._arrived(data, send, "udp")


if __name__ == "__main__":
    from labs.resolver_pipe import main

    main()
