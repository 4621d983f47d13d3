"""The room `container`: Podman or Docker, sealed; one container a request, gone when we are.

A container gets nothing from the host but its request: no network, no folder, no capability, no way to more rights. Its
limits are the kernel's, so they hold against code that means harm. It is removed by a keeper, a process of our own in
another session that waits for our end of a pipe to close, which also happens when we are killed; what even the keeper could
not remove carries a label, and the next room that is opened sweeps it up.
"""

from __future__ import annotations

import json
import os
import secrets
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from msgspec import Struct

from labs import container_engine, container_image
from labs.container_engine import Engine
from labs.container_image import Image
from labs.errors import FourThreadsError, RoomError

LABEL = "fourthreads"
OWNER = "fourthreads.owner"
#: User ids for rooms: each container has one of its own, so that limits per user are limits per container.
_USERS = range(20000, 60000)
_MIB = 1024 * 1024


class Limits(Struct, frozen=True, kw_only=True):
    """What one container may use, all its runs together. The supervisor's own bounds of a run are tighter.

    Attributes:
        memory: Bytes, its scratch folder included.
        processes: Processes and threads; 1,200 leaves room for a pool of 1,024.
        cpus: Cores' worth of time on the average; None leaves the machine as it is.
        cpu_seconds: Processor seconds of one process.
        scratch: Bytes of its scratch folder.
        file_size: Bytes of one file.
        wall: Seconds from its start to its removal.
    """

    memory: int = 2048 * _MIB
    processes: int = 1200
    cpus: float | None = None
    cpu_seconds: int = 900
    scratch: int = 128 * _MIB
    file_size: int = 64 * _MIB
    wall: float = 900.0


class Container(Struct, frozen=True, kw_only=True):
    """A container about to be started.

    Attributes:
        command: Starts it: request on stdin, record on stdout, progress on stderr, exit code of the verb.
        name: Its name.
        image: Digest of its image, for the record.
        engine: What runs it.
    """

    command: tuple[str, ...]
    name: str
    image: str
    engine: Engine


class Offer(Struct, frozen=True, kw_only=True):
    """Whether this machine offers the room.

    Attributes:
        available: It can be used as it is.
        because: What was found.
        next_step: What to install or change where it cannot; empty where it can.
    """

    available: bool
    because: str
    next_step: str = ""


def command(engine: Engine, image: Image, verb: str, *, name: str, limits: Limits | None = None) -> tuple[str, ...]:
    """Return the command that runs ``python -m labs VERB`` in a sealed container of ``image``."""
    limits = limits or Limits()
    user = secrets.choice(_USERS)
    folder = container_image.FOLDER
    options = [
        *("--interactive", "--rm", "--pull", "never", "--name", name, "--hostname", "room"),
        *("--label", f"{LABEL}=room", "--label", f"{OWNER}={owner()}", "--log-driver", "none"),
        *("--network", "none", "--ipc", "none", "--read-only", "--user", f"{user}:{user}"),
        *("--cap-drop", "all", "--security-opt", "no-new-privileges"),
        *("--security-opt", f"seccomp={folder / 'seccomp.json'}"),
        *("--tmpfs", f"/scratch:rw,nosuid,nodev,noexec,mode=1777,size={limits.scratch}"),
        *("--memory", str(limits.memory), "--memory-swap", str(limits.memory), "--pids-limit", str(limits.processes)),
        *("--ulimit", "core=0:0", "--ulimit", f"fsize={limits.file_size}:{limits.file_size}"),
        *("--ulimit", f"cpu={limits.cpu_seconds}:{limits.cpu_seconds}"),
        # The room's own name server answers on port 53; whoever has no capability may open it.
        *("--sysctl", "net.ipv4.ip_unprivileged_port_start=0"),
        *("--volume", f"{folder / 'resolv.conf'}:/etc/resolv.conf:ro"),
        *("--env", "TMPDIR=/scratch", "--env", f"FOURTHREADS_IMAGE={image.digest}"),
    ]
    if limits.cpus is not None:
        options += ["--cpus", str(limits.cpus)]
    if engine.kind == "podman":
        options += ["--read-only-tmpfs=false", "--timeout", str(int(limits.wall) + 5), *_own_limits()]
    return (engine.path, "run", *options, image.digest, verb)


def _own_limits() -> list[str]:
    # Podman would raise these to what the kernel knows as highest, and must not where we ourselves are held lower.
    # Elsewhere than on Linux it runs in a virtual machine, whose limits are not ours.
    if sys.platform != "linux":
        return []
    import resource

    limits = []
    for name, number, enough in (("nofile", resource.RLIMIT_NOFILE, 4096), ("nproc", resource.RLIMIT_NPROC, 32768)):
        hard = resource.getrlimit(number)[1]
        value = enough if hard == resource.RLIM_INFINITY else min(hard, enough)
        limits += ["--ulimit", f"{name}={value}:{value}"]
    return limits


@contextmanager
def opened(
    verb: str, *, limits: Limits | None = None, on_progress: Callable[[str], None] = lambda text: None
) -> Iterator[Container]:
    """Find engine and image (built where it is not there), and give a container to start; it is gone at the end.

    Raises:
        RoomError: No engine, no image, or the engine cannot seal a room here.
    """
    limits = limits or Limits()
    engine = container_engine.find()
    if engine.missing:
        raise RoomError(_unsealed(engine))
    image = container_image.find(engine)
    if image is None:
        on_progress("building the room's image (once, about a minute)")
        image = container_image.build(engine)
    sweep(engine)
    name = f"fourthreads-{secrets.token_hex(6)}"
    keeper = subprocess.Popen(
        [sys.executable, "-m", "labs.container_keeper", engine.path, name, str(limits.wall)],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd=container_image.ROOT,
        start_new_session=True,
    )
    try:
        yield Container(
            command=command(engine, image, verb, name=name, limits=limits), name=name, image=image.digest, engine=engine
        )
    finally:
        assert keeper.stdin is not None
        keeper.stdin.close()
        keeper.wait()


def offers() -> Offer:
    """Say whether the room can be had here, without building anything."""
    try:
        engine = container_engine.find()
        if engine.missing:
            return Offer(available=False, because=_unsealed(engine), next_step=_HOW_TO_SEAL)
        image = container_image.find(engine)
    except FourThreadsError as problem:
        return Offer(available=False, because=str(problem), next_step="Install or start Podman or Docker.")
    how = "without root" if engine.rootless else "as root"
    emulated = (
        "" if engine.native else "; its machine has another processor, which is emulated: threads cannot be read there"
    )
    if image is None:
        return Offer(
            available=engine.native, because=f"{engine.version}, {how}; the image is built at first use{emulated}"
        )
    return Offer(available=engine.native, because=f"{engine.version}, {how}; image {image.name}{emulated}")


def try_once() -> float:
    """Start a container that does nothing, and return how long it took (seconds).

    Raises:
        RoomError: It did not start; the text holds what the engine said.
    """
    with opened("--help") as container:
        begin = time.monotonic()
        done = subprocess.run(container.command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120)
        if done.returncode:
            said = " ".join((done.stderr or done.stdout).split())[-400:]
            raise RoomError(f"A container was tried and did not start: {container.engine.version} said: {said}")
        return time.monotonic() - begin


_HOW_TO_SEAL = "Use a system with control groups version 2 (any current distribution), or run the engine as root."


def _unsealed(engine: Engine) -> str:
    return (
        f"{engine.version} {'without root ' if engine.rootless else ''}cannot limit {' and '.join(engine.missing)} here, "
        f"so a room would not be sealed. {_HOW_TO_SEAL}"
    )


def owner() -> str:
    """Return who owns the containers that this process opens: boot, process namespace, process id, its start."""
    pid = os.getpid()
    return f"{_boot()}.{pid}.{_start_of(pid)}"


def _boot() -> str:
    # Where there is no /proc the label says nothing about processes; such a container is judged by its age.
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip().replace("-", "")
        return f"{boot}-{os.stat('/proc/self/ns/pid').st_ino}"
    except OSError:
        return "unknown"


def _start_of(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[19]
    except (OSError, IndexError):
        return "gone"


def is_orphan(label: str, age: float, wall: float) -> bool:
    """Say whether a container may be removed: its owner has ended, or (owner unknown) it is older than any may become."""
    boot, _, process = label.partition(".")
    pid, _, start = process.partition(".")
    if boot == _boot() != "unknown" and pid.isdigit():
        return _start_of(int(pid)) != start
    return age > wall + 60


def sweep(engine: Engine) -> tuple[str, ...]:
    """Remove containers whose owner has ended without removing them; returns their ids.

    Raises:
        RoomError: The engine does not answer.
    """
    listed = container_engine.ask(
        engine, "ps", "--all", "--quiet", "--no-trunc", "--filter", f"label={LABEL}=room"
    ).split()
    gone = []
    for one in listed:
        try:
            seen = json.loads(container_engine.ask(engine, "inspect", "--type", "container", one))[0]
        except (RoomError, ValueError, LookupError):
            continue  # it ended meanwhile
        label = (seen.get("Config", {}).get("Labels") or {}).get(OWNER, "")
        if is_orphan(label, _age(seen.get("Created", "")), Limits().wall):
            remove(engine, one)
            gone.append(one)
    return tuple(gone)


def _age(created: str) -> float:
    from datetime import UTC, datetime

    try:
        # Nanoseconds are more digits than Python reads.
        head, _, rest = created.partition(".")
        zone = rest.lstrip("0123456789") or head[19:]
        at = datetime.fromisoformat(head[:19] + ("+00:00" if zone in ("Z", "") else zone))
    except ValueError:
        return 0.0
    return (datetime.now(UTC) - at).total_seconds()


def remove(engine: Engine, name: str) -> None:
    """Remove a container, running or not; one that is gone already is fine."""
    more = ["--time", "0"] if engine.kind == "podman" else []
    try:
        container_engine.ask(engine, "rm", "--force", "--volumes", *more, name)
    except RoomError:
        return
