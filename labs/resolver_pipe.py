"""The holding name server as a program of its own, told over a pipe what to do.

``python -m labs.resolver --listen 127.0.0.1:53 --hold 0.3`` prints ``{"listening": "127.0.0.1:53"}``, then reads one
JSON object a line and answers each with one: ``{"do": "state"}``, ``{"do": "log"}``, ``{"do": "release", "names": []}``,
``{"do": "hold", "seconds": 0.3}``, ``{"do": "silence", "on": true}``, ``{"do": "answers", "table": {}}``,
``{"do": "reset"}``, ``{"do": "reached", "names": ["room-1.sentinel..."]}``. The end of the input ends the program.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, TextIO

import msgspec

from labs.errors import FourThreadsError, SetupError
from labs.resolver import HoldingServer


class Command(msgspec.Struct, forbid_unknown_fields=True):
    """One line of the input: what to do, and what that needs."""

    do: str
    names: list[str] = []
    seconds: float | None = None
    on: bool = True
    table: dict[str, list[str]] = {}


def serve(server: HoldingServer, lines: TextIO, out: TextIO) -> None:
    """Do what the lines say until they end; a line that cannot be read is answered with ``{"error": text}``."""
    verbs: dict[str, Callable[[Command], Any]] = {
        "state": lambda _: server.state(),
        "log": lambda _: server.log(),
        "release": lambda command: server.release(*command.names),
        "hold": lambda command: server.hold(command.seconds),
        "silence": lambda command: server.silence(command.on),
        "answers": lambda command: server.answers(command.table),
        "reset": lambda _: server.reset(),
        "reached": lambda command: {"reached": all(map(server.reached_by, command.names))},
    }
    _say(out, {"listening": f"{server.address}:{server.port}"})
    for line in lines:
        try:
            command = msgspec.json.decode(line, type=Command)
            done = verbs[command.do](command)
        except (msgspec.ValidationError, msgspec.DecodeError, KeyError) as problem:
            _say(out, {"error": f"{problem}; known are {', '.join(verbs)}"})
        else:
            _say(out, {"done": command.do} if done is None else done)


def _say(out: TextIO, what: object) -> None:
    out.write(msgspec.json.encode(what).decode() + "\n")
    out.flush()


def options(argv: list[str]) -> HoldingServer:
    """Build the server from the command line.

    Raises:
        SetupError: An option that is not known or cannot be read.
    """
    import argparse

    parser = argparse.ArgumentParser(prog="python -m labs.resolver", exit_on_error=False)
    parser.add_argument("--listen", default="127.0.0.1:53", help="address:port; port 0 lets the kernel choose")
    parser.add_argument("--hold", type=float, default=None, help="seconds; without it, until released")
    parser.add_argument("--default", default="127.0.0.1", help="address of every name; empty: no name exists")
    parser.add_argument("--ttl", type=int, default=0, help="seconds for which an address may be remembered")
    try:
        given = parser.parse_args(argv)
        address, _, port = given.listen.rpartition(":")
        default = tuple(filter(None, [given.default]))
        return HoldingServer(address, int(port), hold=given.hold, default=default, ttl=given.ttl)
    except (argparse.ArgumentError, ValueError) as problem:
        raise SetupError(f"The name server's options cannot be read: {problem}. See --help.") from problem


def main() -> None:
    """Run the program."""
    try:
        with options(sys.argv[1:]) as server:
            serve(server, sys.stdin, sys.stdout)
    except FourThreadsError as problem:
        _say(sys.stdout, {"error": str(problem)})
        sys.exit(2)
