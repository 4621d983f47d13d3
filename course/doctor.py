"""What this machine can run, and why not: facts first, then findings with something to do."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
import time
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from msgspec import Struct

from labs import machine, node_binary, rooms, syscalls
from labs.errors import FourThreadsError
from labs.request import Request

#: What is measured to try a room.
_SMALL = Request(lab="gates", measure="free", parameters={"pool": 2, "tasks": 3, "open": []}, smoke=True)


class Finding(Struct, frozen=True):
    """One thing that was looked at.

    Attributes:
        name: What.
        good: It works as it is.
        text: What was found.
        next_step: What to install or change; empty where nothing needs to be done.
        room: It is one of the places where an experiment runs.
    """

    name: str
    good: bool
    text: str
    next_step: str = ""
    room: bool = False


class Report(Struct, frozen=True):
    """Everything the doctor found; no name of a person or a machine.

    Attributes:
        system: ``Linux x86_64``.
        python: Version.
        node: The pinned Node's version, empty where it does not start.
        uv: Its libuv's version.
        cores: Cores this process may use.
        quota: Cores' worth of time that the control group allows, null without a limit.
        findings: In the order in which they matter.
    """

    system: str
    python: str
    node: str
    uv: str
    cores: int
    quota: float | None
    findings: tuple[Finding, ...]

    @property
    def rooms(self) -> tuple[str, ...]:
        """The rooms that this machine offers, best first."""
        return tuple(finding.name for finding in self.findings if finding.room and finding.good)


def look(try_rooms: bool = True, on_progress: rooms.OnProgress | None = None) -> Report:
    """Look at this machine.

    Args:
        try_rooms: Open each room once; otherwise only what it needs is looked for.
        on_progress: Receives done, total, what.
    """
    node, uv, found = _node()
    findings = (found, _threads(), _notebooks(), *_rooms(try_rooms, on_progress))
    system = f"{platform.system()} {platform.machine()}"
    cores, quota = _cores()
    return Report(system, platform.python_version(), node, uv, cores, quota, findings)


def _cores() -> tuple[int, float | None]:
    if not hasattr(os, "sched_getaffinity"):  # only Linux tells which cores a process may use
        return os.cpu_count() or 1, None
    here = machine.plain()
    return here.cores, here.quota


def _node() -> tuple[str, str, Finding]:
    try:
        program = node_binary.pinned()
        asked = "process.versions.node + ' ' + process.versions.uv"
        done = subprocess.run([program, "-p", asked], capture_output=True, text=True, timeout=30, env={})
        version, uv = done.stdout.split()
    except FourThreadsError as problem:
        return "", "", Finding("Node", False, str(problem), "make setup")
    except (OSError, ValueError, subprocess.TimeoutExpired) as problem:
        return "", "", Finding("Node", False, f"The pinned Node does not start: {problem}", "make setup")
    return version, uv, Finding("Node", True, f"{version} (libuv {uv}), the pinned one")


def _threads() -> Finding:
    try:
        syscalls.names()
    except FourThreadsError as problem:
        return Finding(
            "watching threads", False, str(problem), "Use the container room, or a machine with another processor."
        )
    if not Path("/proc/self/task").is_dir():
        return Finding("watching threads", False, "This system has no /proc.", "Use the container room.")
    return Finding("watching threads", True, f"/proc shows what threads are in ({platform.machine()})")


def _notebooks() -> Finding:
    missing = [name for name in ("jupyterlab", "nbgrader", "matplotlib") if find_spec(name) is None]
    if missing:
        return Finding("notebooks", False, f"Not installed: {', '.join(missing)}.", "make setup")
    return Finding("notebooks", True, f"JupyterLab and nbgrader, in {'.'.join(map(str, sys.version_info[:3]))}")


def _rooms(try_them: bool, on_progress: rooms.OnProgress | None) -> Iterator[Finding]:
    for name in rooms.REGISTRY:
        try:
            where = rooms.find(name)
            text = "what it needs is here"
            if try_them:
                began = time.monotonic()
                rooms.measure(_SMALL, where, on_progress)
                text = f"three gates on two slots were counted in it, in {time.monotonic() - began:.1f} s"
        except FourThreadsError as problem:
            yield Finding(name, False, str(problem), room=True)
        else:
            yield Finding(name, True, text, room=True)


def share(report: Report) -> str:
    """Return one line for a table of the class: a CSV row of system, Python, Node, cores, quota, rooms."""
    quota = "none" if report.quota is None else f"{report.quota:g}"
    rooms_offered = "+".join(report.rooms) or "none"
    return ",".join((report.system, report.python, report.node or "none", str(report.cores), quota, rooms_offered))


def describe(report: Report) -> str:
    """Return the report as text."""
    quota = "" if report.quota is None else f", {report.quota:g} cores' worth of CPU time (quota)"
    lines = [f"{report.system}, Python {report.python}, {report.cores} cores{quota}", ""]
    for finding in report.findings:
        what = f"room {finding.name}" if finding.room else finding.name
        lines.append(f"{'yes' if finding.good else 'no':<4}{what:<18}{finding.text}")
        if finding.next_step:
            lines.append(f"{'':<22}To do: {finding.next_step}")
    return "\n".join(lines)


def as_data(report: Report) -> dict[str, Any]:
    """Return the report as plain data, with the rooms named."""
    import msgspec

    found: dict[str, Any] = msgspec.to_builtins(report)
    return {**found, "rooms": list(report.rooms)}
