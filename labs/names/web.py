"""The visited hosts of the lab ``names``: one small web server at many loopback addresses, outside of Node.

It counts who came where, so that a visit is *observed*: the address tells which answer of the name server was used, the ``Host``
header which name was meant. ``python -m labs.names.web 127.0.0.1 127.0.0.10 ...`` prints ``{"port": N}``, one JSON line for
each visit, and ends with its input.
"""

from __future__ import annotations

import asyncio
import os
import socket
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from types import TracebackType

import msgspec

from labs import beside
from labs.errors import NoisyError, SetupError
from labs.supervise import Stage

_ANSWER = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: keep-alive\r\n\r\nok"
#: Bytes of a request's head that are read; ours are far shorter.
_MOST = 8192
#: The host of our own visits, with which we wait for those before; a connection is taken in one turn, its request read in the next.
_OURS, _DRAINS = "drain", 2
_PATIENCE = 20.0


class Visit(msgspec.Struct, frozen=True):
    """One request that arrived.

    Attributes:
        host: The name that was meant, without the port.
        address: Where it arrived.
        path: What it asked for, such as ``/1``.
        connection: Which connection it came on, counted from 1.
    """

    host: str
    address: str
    path: str
    connection: int


class Web:
    """The server as the conductor has it: a process of its own between ``with`` and its end.

    Args:
        stage: The measurement it belongs to.
        addresses: Loopback addresses it listens at, all on one port.

    Raises:
        SetupError: From ``with``: it could not listen.
    """

    def __init__(self, stage: Stage, addresses: Sequence[str]) -> None:
        self._stage = stage
        self._addresses = tuple(addresses)
        self._process: subprocess.Popen[bytes] | None = None
        self._read = b""
        self.port = 0

    def __enter__(self) -> Web:
        self._process = beside.start(self._stage, "labs.names.web", *self._addresses)
        assert self._process.stdout is not None  # a pipe
        line = self._process.stdout.readline()
        if not line:
            self.__exit__(None, None, None)
            raise SetupError(f"The visited hosts could not listen at {', '.join(self._addresses)}. Run the cell again.")
        self.port = int(msgspec.json.decode(line)["port"])
        os.set_blocking(self._process.stdout.fileno(), False)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._process is not None:
            beside.end(self._stage, self._process)
            self._process = None

    def visits(self) -> tuple[Visit, ...]:
        """Return every visit that arrived before this call, in the order of arrival, each answered by now."""
        assert self._process is not None and self._process.stdout is not None  # inside the block
        for _ in range(_DRAINS):
            self._drain()
        with suppress(BlockingIOError):
            while part := os.read(self._process.stdout.fileno(), 65536):
                self._read += part
        lines = self._read.split(b"\n")[:-1]
        found = (msgspec.json.decode(line, type=Visit) for line in lines)
        return tuple(visit for visit in found if visit.host != _OURS)

    def _drain(self) -> None:
        """Wait until a visit of our own is answered: the server takes connections and requests in their order."""
        try:
            with socket.create_connection((self._addresses[0], self.port), timeout=_PATIENCE) as own:
                own.sendall(f"GET / HTTP/1.1\r\nHost: {_OURS}\r\n\r\n".encode())
                own.recv(4096)
        except OSError as problem:
            raise NoisyError(
                f"The visited hosts gave no answer within {_PATIENCE:.0f} s: this machine is too busy now."
            ) from problem


async def _serve(addresses: Sequence[str]) -> None:
    connections = 0

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal connections
        connections += 1
        mine = connections
        address = writer.get_extra_info("sockname")[0]
        with suppress(OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            while True:
                head = (await reader.readuntil(b"\r\n\r\n"))[:_MOST].decode("latin-1").split("\r\n")
                host = next((line[5:].strip() for line in head if line.lower().startswith("host:")), "")
                path = (head[0].split(" ") + ["", ""])[1][:100]
                visit = Visit(host.rpartition(":")[0] or host, address, path, mine)
                # Written before it is answered: whoever has the answer finds the visit in the list.
                sys.stdout.buffer.write(msgspec.json.encode(visit) + b"\n")
                sys.stdout.buffer.flush()
                writer.write(_ANSWER)
        writer.close()

    port = 0
    servers = []
    for address in addresses:
        servers.append(await asyncio.start_server(talk, address, port, family=socket.AF_INET))
        port = servers[-1].sockets[0].getsockname()[1]
    sys.stdout.buffer.write(msgspec.json.encode({"port": port}) + b"\n")
    sys.stdout.buffer.flush()
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.buffer.read)
    os._exit(0)


if __name__ == "__main__":
    asyncio.run(_serve(sys.argv[1:]))
