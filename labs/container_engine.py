"""Podman or Docker: which one is here, and what it can hold a room to."""

from __future__ import annotations

import json
import os
import platform
import shutil
import subprocess
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from msgspec import Struct

from labs.errors import NoisyError, RoomError

#: Names an engine, or the path of one, where more than one is installed.
VARIABLE = "FOURTHREADS_ENGINE"
_KNOWN = ("podman", "docker")
#: What the same processor is called by kernels (left) and by engines.
_ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64", "amd64": "amd64", "arm64": "arm64"}


class Engine(Struct, frozen=True, kw_only=True):
    """A container engine that answers.

    Attributes:
        kind: ``podman`` or ``docker``: whose options it understands.
        path: Its program.
        version: What it calls itself.
        rootless: It runs without root.
        missing: Limits that it cannot set here, in words; a room without them is not sealed.
        native: Its machine has this machine's processor (or one that needs no emulation, as far as it tells).
    """

    kind: str
    path: str
    version: str
    rootless: bool
    missing: tuple[str, ...]
    native: bool


def find(name: str | None = None) -> Engine:
    """Return the engine called ``name``, or named by FOURTHREADS_ENGINE, or the first of Podman and Docker that answers.

    Raises:
        RoomError: None is installed, or none answers; the text holds what each one said.
    """
    return _find(name or os.environ.get(VARIABLE))


@cache  # asking an engine about itself takes a third of a second
def _find(asked: str | None) -> Engine:
    said: list[str] = []
    busy: NoisyError | None = None
    for candidate in (asked,) if asked else _KNOWN:
        path = shutil.which(candidate)
        if path is None:
            continue
        try:
            return _described(path, _kind(path))
        except NoisyError as problem:
            busy = problem
        except RoomError as problem:
            said.append(str(problem))
    if busy is not None:
        raise busy  # worth another try, whatever ails the other engine
    if said:
        raise RoomError(" ".join(said))
    raise RoomError(
        f"No container engine is installed: {asked or 'podman, then docker'} was looked for. Install Podman "
        "(Debian, Ubuntu: sudo apt install podman; macOS, Windows: Podman Desktop or Docker Desktop)."
    )


def ask(engine: Engine, *arguments: str, within: float = 60.0) -> str:
    """Run a command of the engine and return what it prints.

    Raises:
        RoomError: It failed; the text holds the end of what it said.
        NoisyError: It did not answer within so many seconds: many may ask it at once.
    """
    return _ask(engine.path, arguments, within)


def _ask(path: str, arguments: Sequence[str], within: float) -> str:
    what = f"{Path(path).name} {' '.join(arguments[:2])}"
    try:
        done = subprocess.run(
            [path, *arguments],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=within,
        )
    except subprocess.TimeoutExpired as problem:
        raise NoisyError(f"`{what}` did not answer within {within:.0f} s. Is the engine running?") from problem
    except OSError as problem:
        raise RoomError(f"`{what}` could not be started: {problem.strerror}.") from problem
    if done.returncode:
        raise RoomError(f"`{what}` said: {_end(done.stderr) or _end(done.stdout) or 'nothing'}")
    return done.stdout


def logs(engine: Engine, name: str) -> str:
    """Return what a container has printed so far, to either stream.

    Raises:
        RoomError: The engine does not answer.
    """
    try:
        done = subprocess.run([engine.path, "logs", name], stdin=subprocess.DEVNULL, capture_output=True, timeout=60)
    except (OSError, subprocess.TimeoutExpired) as problem:
        raise RoomError(f"{engine.version} does not tell what {name} printed: {problem}") from problem
    return (done.stdout + done.stderr).decode(errors="replace")


def _end(text: str) -> str:
    return " ".join(text.split())[-400:]


def _kind(path: str) -> str:
    # "docker" may be Podman under another name (podman-docker), and a path may end in anything.
    return "podman" if "podman" in _ask(path, ["--version"], 20.0).lower() else "docker"


def _described(path: str, kind: str) -> Engine:
    facts = json.loads(_ask(path, ["info", "--format", "{{json .}}"], 30.0))
    return podman_facts(path, facts) if kind == "podman" else docker_facts(path, facts)


def podman_facts(path: str, facts: dict[str, Any]) -> Engine:
    """Read what ``podman info`` says."""
    host = facts.get("host", {})
    security = host.get("security", {})
    controllers = host.get("cgroupControllers") or []
    rootless = bool(security.get("rootless"))
    # Without root, version 1 of the control groups can be read and not set, whatever is listed.
    able = not (rootless and host.get("cgroupVersion") == "v1")
    missing = [name for name in ("memory", "pids") if not able or name not in controllers]
    return Engine(
        kind="podman",
        path=path,
        version=f"podman {facts.get('version', {}).get('Version', '?')}",
        rootless=rootless,
        missing=(*missing, *(() if security.get("seccompEnabled", True) else ("seccomp",))),
        native=_native(host.get("arch", "")),
    )


def docker_facts(path: str, facts: dict[str, Any]) -> Engine:
    """Read what ``docker info`` says.

    Raises:
        RoomError: The client is here and no daemon answers, or it runs another system's containers.
    """
    if not facts.get("ServerVersion"):
        problem = " ".join(facts.get("ServerErrors") or ["no answer"])
        raise RoomError(f"Docker is installed and its engine does not answer: {problem[-300:]} Start Docker first.")
    if facts.get("OSType") != "linux":
        raise RoomError(f"Docker runs {facts.get('OSType')} containers here. Switch it to Linux containers.")
    options = [option.split(",")[0] for option in facts.get("SecurityOptions") or []]
    missing = [name for name, key in (("memory", "MemoryLimit"), ("pids", "PidsLimit")) if not facts.get(key)]
    return Engine(
        kind="docker",
        path=path,
        version=f"docker {facts['ServerVersion']}",
        rootless="name=rootless" in options,
        missing=(*missing, *(() if "name=seccomp" in options else ("seccomp",))),
        native=_native(facts.get("Architecture", "")),
    )


def _native(theirs: str) -> bool:
    ours = _ARCHITECTURES.get(platform.machine().lower())
    return ours is None or _ARCHITECTURES.get(theirs.lower(), ours) == ours
