"""The room `container` without an engine: what is read from one, what it is told, what is nobody's any more."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path

import pytest

from labs import container_engine, container_image, container_sweep, room_container, rooms
from labs.container_engine import Engine
from labs.container_image import Image
from labs.errors import NoisyError, RoomError
from labs.room_container import Limits

PODMAN = Engine(kind="podman", path="podman", version="podman 5", rootless=True, missing=(), native=True)
DOCKER = Engine(kind="docker", path="docker", version="docker 28", rootless=False, missing=(), native=True)
IMAGE = Image("localhost/fourthreads-room:abc", "sha256:abc")
#: The design's list of what a script may never do, as system calls.
DENIED = """unshare setns mount umount2 pivot_root move_mount open_tree fsopen fsmount mount_setattr bpf keyctl add_key request_key
io_uring_setup io_uring_enter io_uring_register ptrace process_vm_readv process_vm_writev pidfd_getfd userfaultfd perf_event_open
kexec_load init_module finit_module reboot swapon chroot open_by_handle_at kcmp process_madvise""".split()


def told(engine: Engine, limits: Limits | None = None) -> list[str]:
    """Return what an engine is told for one request."""
    return list(
        room_container.command(engine, IMAGE, "measure", name="fourthreads-x", owner="o", limits=limits or Limits())
    )


def value(command: list[str], option: str) -> list[str]:
    """Return everything that follows an option."""
    return [after for before, after in zip(command, command[1:], strict=False) if before == option]


@pytest.mark.parametrize("engine", [PODMAN, DOCKER], ids=lambda engine: engine.kind)
def test_a_room_is_sealed_by_the_designs_list(engine: Engine) -> None:
    """Every part of the seal is said to either engine."""
    command = told(engine)

    assert ["none"] == value(command, "--network")
    assert ["none"] == value(command, "--ipc")
    assert ["all"] == value(command, "--cap-drop")
    assert ["1200"] == value(command, "--pids-limit")
    assert value(command, "--memory") == value(command, "--memory-swap") != []
    assert ["net.ipv4.ip_unprivileged_port_start=0"] == value(command, "--sysctl")
    assert {"--read-only", "--rm", "--interactive"} <= set(command)
    assert "no-new-privileges" in value(command, "--security-opt")
    assert f"seccomp={container_image.FOLDER / 'seccomp.json'}" in value(command, "--security-opt")
    assert ["sha256:abc", "measure", "--attached"] == command[-3:]
    assert all(":ro" == mount[-3:] and "resolv.conf" in mount for mount in value(command, "--volume"))
    assert all(
        {"nosuid", "nodev", "noexec"} <= set(mount.replace(":", ",").split(",")) for mount in value(command, "--tmpfs")
    )


def test_no_room_runs_as_root_or_as_its_neighbour() -> None:
    """The user is never root, and two rooms rarely share one: limits per user would then be shared."""
    users = {value(told(PODMAN), "--user")[0] for _ in range(20)}

    assert all(int(user.split(":")[0]) >= 20000 for user in users)
    assert len(users) > 15


def test_cores_are_limited_only_on_request() -> None:
    """A quota changes what is measured, so there is none unless asked for."""
    assert [] == value(told(DOCKER), "--cpus")
    assert ["0.5"] == value(told(DOCKER, Limits(cpus=0.5)), "--cpus")


def test_the_profile_denies_what_the_design_denies() -> None:
    """No allowed call is on the list, and everything that is not named is refused."""
    profile = json.loads((container_image.FOLDER / "seccomp.json").read_text())
    rules = profile["syscalls"]
    allowed = {name for rule in rules if rule["action"] == "SCMP_ACT_ALLOW" for name in rule["names"]}
    refused = {name for rule in rules if rule["action"] == "SCMP_ACT_ERRNO" for name in rule["names"]}

    assert "SCMP_ACT_ERRNO" == profile["defaultAction"]
    assert set() == allowed & set(DENIED)
    assert set() == set(DENIED) - refused
    assert "clone3" in refused


def test_new_namespaces_are_denied_by_the_flags_of_clone() -> None:
    """Every CLONE_NEW* flag that clone knows lies in the mask."""
    profile = json.loads((container_image.FOLDER / "seccomp.json").read_text())
    (rule,) = [rule for rule in profile["syscalls"] if rule["names"] == ["clone"]]

    assert [{"index": 0, "value": 0x7E020000, "valueTwo": 0, "op": "SCMP_CMP_MASKED_EQ"}] == rule["args"]
    assert 0x7E020000 == 0x20000 | 0x2000000 | 0x4000000 | 0x8000000 | 0x10000000 | 0x20000000 | 0x40000000


@pytest.mark.parametrize(
    ("facts", "missing"),
    [
        ({"rootless": True, "version": "v1", "controllers": ["memory", "pids"]}, ("memory", "pids")),
        ({"rootless": True, "version": "v2", "controllers": ["memory", "pids"]}, ()),
        ({"rootless": True, "version": "v2", "controllers": ["pids"]}, ("memory",)),
        ({"rootless": False, "version": "v1", "controllers": ["memory", "pids"]}, ()),
    ],
)
def test_a_podman_that_cannot_limit_is_known(facts: dict[str, object], missing: tuple[str, ...]) -> None:
    """Without root, control groups of version 1 limit nothing; version 2 limits what was handed down."""
    engine = container_engine.podman_facts(
        "podman",
        {
            "host": {
                "security": {"rootless": facts["rootless"]},
                "cgroupVersion": facts["version"],
                "cgroupControllers": facts["controllers"],
            }
        },
    )

    assert missing == engine.missing


def test_a_docker_without_daemon_is_no_engine() -> None:
    """A client alone is told apart from an engine, with what it said."""
    with pytest.raises(RoomError, match="Cannot connect.*Start Docker"):
        container_engine.docker_facts("docker", {"ServerErrors": ["Cannot connect to the Docker daemon."]})


def test_docker_with_windows_containers_is_named() -> None:
    """Linux containers are needed; the text says what to switch."""
    with pytest.raises(RoomError, match="windows containers.*Switch"):
        container_engine.docker_facts("docker", {"ServerVersion": "28", "OSType": "windows"})


def test_another_processor_is_seen() -> None:
    """An engine whose machine has another processor than ours is known to emulate."""
    other = "arm64" if os.uname().machine == "x86_64" else "amd64"

    assert not container_engine.podman_facts("podman", {"host": {"arch": other}}).native


def program(folder: Path, name: str, text: str) -> Path:
    """Write a program that stands in for an engine's."""
    path = folder / name
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


def test_the_first_engine_that_answers_is_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A Podman that fails is passed over for a Docker that answers."""
    program(tmp_path, "podman", "echo broken >&2; exit 125")
    info = (
        '{"ServerVersion":"28","OSType":"linux","MemoryLimit":true,"PidsLimit":true,"SecurityOptions":["name=seccomp"]}'
    )
    program(tmp_path, "docker", f"case $1 in --version) echo Docker version 28;; *) echo '{info}';; esac")
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    monkeypatch.delenv(container_engine.VARIABLE, raising=False)
    container_engine._find.cache_clear()

    found = container_engine.find()
    container_engine._find.cache_clear()

    assert ("docker", "docker 28", ()) == (found.kind, found.version, found.missing)


def test_an_engine_that_does_not_answer_in_time_is_a_busy_one(tmp_path: Path) -> None:
    """Worth another try, where many ask it at once; no verdict about the room."""
    program(tmp_path, "podman", "exec sleep 1000")

    with pytest.raises(NoisyError, match=r"podman ps. did not answer within 0 s"):
        container_engine._ask(str(tmp_path / "podman"), ["ps"], 0.1)


def test_a_busy_engine_is_no_verdict_about_the_room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever asks for the room reads that another try may do, also where rooms are chosen from; the next room that works is taken."""
    program(tmp_path, "podman", "exec sleep 1000")
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    monkeypatch.setenv(container_engine.VARIABLE, "podman")
    patient = container_engine._ask
    monkeypatch.setattr(container_engine, "_ask", lambda path, arguments, within: patient(path, arguments, 0.1))
    container_engine._find.cache_clear()

    with pytest.raises(NoisyError, match="did not answer within"):
        rooms.find("container")
    with pytest.raises(NoisyError, match="did not answer within"):
        rooms.choose(["container"])
    assert "here" == rooms.choose(["container", "here"]).name
    container_engine._find.cache_clear()


def test_an_engine_can_be_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """FOURTHREADS_ENGINE decides, and what is missing is said with its name."""
    monkeypatch.setenv(container_engine.VARIABLE, str(tmp_path / "no-such-engine"))

    with pytest.raises(RoomError, match=r"no-such-engine was looked for.*Install Podman"):
        container_engine.find()


def test_the_image_is_named_by_what_is_in_it(tmp_path: Path) -> None:
    """A changed file of the labs or of the recipe gives another name; notes and answer keys do not count."""
    (tmp_path / "containers").mkdir()
    for name in ("Containerfile", "room.lock", "older-node.sha256", "nsswitch.conf"):
        (tmp_path / "containers" / name).write_text(name)
    (tmp_path / "labs" / "gates" / "reference").mkdir(parents=True)
    (tmp_path / "labs" / "model.py").write_text("1")

    first = container_image.wanted(tmp_path)
    (tmp_path / "labs" / "gates" / "reference" / "key.py").write_text("secret")
    same = container_image.wanted(tmp_path)
    (tmp_path / "labs" / "model.py").write_text("2")
    other = container_image.wanted(tmp_path)

    assert first == same
    assert first != other


def test_an_installation_without_the_recipe_says_so(tmp_path: Path) -> None:
    """Nothing is guessed where the Containerfile is not."""
    with pytest.raises(RoomError, match="Containerfile was looked for"):
        container_image.wanted(tmp_path)


def test_options_for_the_build_come_from_outside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a place needs to build stands in its environment, quoted as in a shell."""
    monkeypatch.setenv(container_image.BUILD_OPTIONS, "--build-arg 'BASE=a b'")

    command = container_image.build_command(PODMAN, "room", "n", tmp_path)

    assert ["BASE=a b"] == value(command, "--build-arg")


def test_my_own_containers_are_no_orphans() -> None:
    """The label of this living process is nobody's orphan, however old."""
    assert not container_sweep.is_orphan(container_sweep.owner(), age=1e6)


def test_the_container_of_a_dead_process_is_an_orphan() -> None:
    """A process id that is used again does not hide it: its start differs."""
    boot, pid, start = container_sweep.owner().split(".")

    assert container_sweep.is_orphan(f"{boot}.{pid}.{int(start) + 1}", age=0)
    assert container_sweep.is_orphan(f"{boot}.4194303.1", age=0)


def test_the_container_of_another_machine_gets_its_time() -> None:
    """Where the owner cannot be looked up, only age tells."""
    assert not container_sweep.is_orphan("another-boot.1.1", age=600)
    assert container_sweep.is_orphan("another-boot.1.1", age=2 * container_sweep.OLD)


@pytest.mark.parametrize(
    ("text", "known"),
    [
        ("2026-11-30T13:34:44.057951210Z", True),
        ("2026-11-30T13:34:44.05+02:00", True),
        ("2026-11-30T13:34:44Z", True),
        ("?", False),
    ],
)
def test_the_engines_ways_to_write_a_time_are_read(text: str, known: bool) -> None:
    """Nanoseconds and zones are understood; what is not understood counts as young."""
    assert known == (container_sweep._age(text) != 0.0)
