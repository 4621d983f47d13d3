"""The room `container`: Podman or Docker, sealed; one container a request, gone when we are.

A container gets nothing from the host but its request: no network, no folder, no capability, no way to more rights. Its
limits are the kernel's, so they hold against code that means harm. It is started and removed by a process of our own
(labs.container_tether) that also notices when we are killed.
"""

from __future__ import annotations

import os
import secrets
import subprocess
import sys
import time

import msgspec
from msgspec import Struct

from labs import container_engine, container_image, launch
from labs import container_sweep as sweep
from labs.container_engine import Engine
from labs.container_image import Image
from labs.errors import FourThreadsError, NoisyError, RoomError
from labs.room_namespace import HOSTS_ADDRESS, HOSTS_NAME

#: Set in the image of the classroom: whoever sees it is in a provided container.
CLASSROOM = "FOURTHREADS_CLASSROOM"
#: The module that starts a container, waits for it and removes it.
TETHER = "labs.container_tether"
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


def command(engine: Engine, image: Image, verb: str, *, name: str, owner: str, limits: Limits) -> tuple[str, ...]:
    """Return the command that runs ``python -m labs VERB --attached`` in a sealed container of ``image``.

    Args:
        engine: What runs it.
        image: What it is made of.
        verb: ``measure``, ``rehearse`` or ``calibrate``.
        name: The container's name.
        owner: Whose it is (labs.container_sweep.owner).
        limits: What it may use.
    """
    user = secrets.choice(_USERS)
    folder = container_image.FOLDER
    options = [
        *("--interactive", "--rm", "--pull", "never", "--name", name, "--hostname", "room"),
        *("--label", f"{sweep.LABEL}=room", "--label", f"{sweep.OWNER}={owner}", "--log-driver", "none"),
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
        # A name that stands in the hosts file and nowhere else: the lab names shows which ways still find it.
        *("--add-host", f"{HOSTS_NAME}:{HOSTS_ADDRESS}"),
        *("--env", "TMPDIR=/scratch", "--env", f"FOURTHREADS_IMAGE={image.digest}"),
    ]
    if limits.cpus is not None:
        options += ["--cpus", str(limits.cpus)]
    if engine.kind == "podman":
        options += ["--read-only-tmpfs=false", "--timeout", str(int(limits.wall)), *_own_limits()]
    return (engine.path, "run", *options, image.digest, verb, "--attached")


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


class ContainerRoom:
    """The room; see labs.rooms.Room.

    Attributes:
        name: As it stands in a record.
        limits: What one container may use.
    """

    name = "container"

    def __init__(self, limits: Limits | None = None) -> None:
        self.limits = limits or Limits()

    def problem(self) -> str | None:
        """Say why there is no sealed container here and what to do, or None where there is one (the image may be missing).

        Raises:
            NoisyError: The engine did not answer in time.
        """
        try:
            engine = container_engine.find()
            if container_image.find(engine) is None:
                container_image.wanted()
        except NoisyError:
            raise
        except FourThreadsError as problem:
            return str(problem)
        if engine.missing:
            return (
                f"{engine.version} {'without root ' if engine.rootless else ''}cannot limit {' and '.join(engine.missing)} "
                "here, so the room would not be sealed. Use a system with control groups version 2 (any current "
                "distribution), or run the engine as root."
            )
        if not engine.native:
            return (
                f"{engine.version} runs on another processor than this machine's, which is then emulated: threads cannot be "
                "read there. Use the engine's version for this processor."
            )
        return None

    def start(self, verb: str) -> subprocess.Popen[bytes]:
        """Start a container with ``python -m labs VERB --attached`` in it (see labs.rooms.Room)."""
        from labs import rooms  # it finds us by name

        facts = msgspec.json.encode((container_engine.find(), self.limits)).decode()
        return rooms.popen(launch.python("-m", TETHER, new_name(), verb, facts))

    def remove(self, process: subprocess.Popen[bytes]) -> None:
        """Remove the container of a process that was started here, whatever state it is in."""
        assert isinstance(process.args, list)  # as made by start()
        sweep.remove(container_engine.find(), process.args[process.args.index(TETHER) + 1])


class Classroom:
    """The room `container` for whoever is in a provided container already: the one around us, the learner's own.

    It has its own name server and needs no engine. It is not sealed against the learner, whose it is; a run for a mark
    takes a :class:`ContainerRoom`.
    """

    name = "container"

    def problem(self) -> str | None:
        """Say that nothing is in the way: the container is there."""
        return None

    def start(self, verb: str) -> subprocess.Popen[bytes]:
        """Start the helper process beside us (see labs.rooms.Room)."""
        from labs import rooms

        return rooms.HERE.start(verb)

    def remove(self, process: subprocess.Popen[bytes]) -> None:
        """Remove what a killed helper left."""
        from labs import rooms

        rooms.HERE.remove(process)


ROOM: ContainerRoom | Classroom = Classroom() if os.environ.get(CLASSROOM) else ContainerRoom()


def new_name() -> str:
    """Return a name that no other container has."""
    return f"fourthreads-{secrets.token_hex(6)}"


def try_once() -> float:
    """Start a container that says how it is used, and return the seconds from asking to its end.

    Raises:
        RoomError: It did not start; the text holds what the engine said.
    """
    room = ContainerRoom()
    process = room.start("help")
    begin = time.monotonic()
    try:
        said = process.communicate(timeout=300)[1].decode(errors="replace")
    except subprocess.TimeoutExpired as problem:
        process.kill()
        room.remove(process)
        raise RoomError("A container was tried and did not start within 300 s.") from problem
    if "usage: python -m labs" not in said:
        raise RoomError(f"A container was tried and did not start: {' '.join(said.split())[-400:]}")
    return time.monotonic() - begin
