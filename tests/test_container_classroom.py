"""The classroom image: what is in it and what is not, who is in it, and that one can work in it."""

from __future__ import annotations

import hashlib
import json
import re
import secrets
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml  # type: ignore[import-untyped]  # it carries no types

from labs import container_engine, container_image, measurement, request, room_container
from labs.container_engine import Engine
from labs.errors import RoomError
from labs.measurement import Record
from labs.request import Request
from tests.container import engine as engine
from tests.needs import refuse

pytestmark = [pytest.mark.container, pytest.mark.timeout(900)]

COMPOSE = yaml.safe_load((container_image.FOLDER / "compose.yaml").read_text())
SERVICE: dict[str, Any] = COMPOSE["services"]["classroom"]


def options(engine: Engine, volume: str) -> list[str]:
    """Return what compose.yaml says as options of ``run``; a key that is not known here is a failure of the test."""
    known = {"image", "build", "init", "ports", "environment", "volumes", "sysctls", "read_only", "tmpfs", "cap_drop"}
    assert known | {"security_opt", "mem_limit", "pids_limit", "extra_hosts"} == SERVICE.keys()
    assert SERVICE["ports"] == ["127.0.0.1:${FOURTHREADS_PORT:-8888}:8888"]
    found = ["--publish", "127.0.0.1::8888", "--init"]
    for setting in SERVICE["sysctls"]:
        found += ["--sysctl", setting]
    for host in SERVICE["extra_hosts"]:
        found += ["--add-host", host]
    for mount in SERVICE["volumes"]:
        source, _, rest = mount.partition(":")
        found += ["--volume", f"{container_image.FOLDER / source if source.startswith('.') else volume}:{rest}"]
    for mount in SERVICE["tmpfs"]:
        found += ["--tmpfs", mount]
    for option in SERVICE["security_opt"]:
        found += ["--security-opt", option.replace("./", f"{container_image.FOLDER}/")]
    found += [
        "--cap-drop",
        *SERVICE["cap_drop"],
        "--memory",
        SERVICE["mem_limit"],
        "--pids-limit",
        str(SERVICE["pids_limit"]),
    ]
    assert SERVICE["read_only"]
    own = ["--read-only-tmpfs=false", *room_container._own_limits()] if engine.kind == "podman" else []
    return [*found, "--read-only", *own]


def built(engine: Engine) -> None:
    """Build the classroom's image; a moment where nothing has changed."""
    try:
        container_image._run(
            container_image.build_command(engine, "classroom", SERVICE["image"], container_image.ROOT),
            lambda line: None,
        )
    except RoomError as problem:
        refuse(str(problem))


@pytest.fixture(scope="module")
def classroom(engine: Engine) -> Iterator[str]:
    """Start a classroom as compose.yaml does; return the container's name."""
    built(engine)
    name = f"fourthreads-classroom-{secrets.token_hex(4)}"
    try:
        container_engine.ask(engine, "run", "--detach", "--name", name, *options(engine, name), SERVICE["image"])
        yield name
    finally:
        container_engine.ask(engine, "rm", "--force", name)
        container_engine.ask(engine, "volume", "rm", "--force", name)


def inside(engine: Engine, name: str, *command: str) -> str:
    """Run a command in the classroom and return what it prints."""
    return container_engine.ask(engine, "exec", name, *command, within=120)


def address(engine: Engine, name: str) -> tuple[str, str]:
    """Return where JupyterLab is reached from here, and its token, once it has said so."""
    while not (
        found := re.search(r"http://127\.0\.0\.1:8888/lab\S*\?token=(\w+)", container_engine.logs(engine, name))
    ):
        assert container_engine.ask(engine, "inspect", "--format", "{{.State.Running}}", name).strip() == "true"
        time.sleep(0.2)  # asking costs it what it needs to start
    host = container_engine.ask(engine, "port", name, "8888").strip().splitlines()[0]
    return f"http://{host}", found[1]


def test_the_learner_is_not_root(engine: Engine, classroom: str) -> None:
    """A user of its own, no capability, no way to more rights, no way to write outside of its home."""
    status = inside(engine, classroom, "cat", "/proc/self/status")

    assert "1000" == inside(engine, classroom, "id", "-u").strip()
    assert re.search(r"CapEff:\s*0+\n", status) and re.search(r"NoNewPrivs:\s*1\n", status)
    with pytest.raises(RoomError, match="Read-only|Permission"):
        inside(engine, classroom, "touch", "/opt/course/x")


def test_no_solution_and_no_instructors_source_is_in_the_image(engine: Engine, classroom: str) -> None:
    """Neither answer keys nor masters nor authoring: every file of the course in the image is a learner's."""
    listed = inside(engine, classroom, "find", "/opt/course", "/home", "-type", "f", "-exec", "sha256sum", "{}", "+")
    files = {path: digest for digest, path in (line.split(maxsplit=1) for line in listed.splitlines())}
    secret = [*container_image.ROOT.glob("labs/*/reference/*"), *container_image.ROOT.glob("course/notebooks/*")]
    digests = {
        hashlib.sha256(path.read_bytes()).hexdigest() for path in secret if path.is_file() and path.stat().st_size
    }

    assert len(files) > 50 and len(digests) > 2
    assert [] == [path for path, digest in files.items() if digest in digests]
    assert [] == [path for path in files if "/reference/" in path or Path(path).name == "lint.py"]


def test_jupyterlab_answers_here_and_only_with_its_token(engine: Engine, classroom: str) -> None:
    """The port is the loopback's alone; without the token there is nothing to be had."""
    host, token = address(engine, classroom)

    with pytest.raises(urllib.error.HTTPError, match="403"):
        urllib.request.urlopen(f"{host}/api/contents", timeout=30)
    with urllib.request.urlopen(f"{host}/api/contents?token={token}", timeout=30) as answer:
        names = {entry["name"] for entry in json.load(answer)["content"]}

    assert host.startswith("http://127.0.0.1:")
    assert "gates" in names


def measure(engine: Engine, name: str, asked: Request, room: str) -> Record:
    """Have a request measured by the classroom's own ground floor."""
    program = (
        "import sys; from labs import measurement, request, rooms\n"
        "print(measurement.encode(rooms.measure(request.decode(sys.argv[1].encode()), sys.argv[2])).decode())"
    )
    return measurement.decode(
        inside(engine, name, "python3", "-c", program, request.encode(asked).decode(), room).encode()
    )


@pytest.mark.node
def test_gates_is_measured_in_the_classroom(engine: Engine, classroom: str) -> None:
    """The learner's container is a place where threads can be watched."""
    run = measure(
        engine, classroom, Request(lab="gates", measure="start", parameters={"pool": 3, "tasks": 7}), "here"
    ).runs[0]

    assert (3, 3) == (run.counts["held_slots"], run.counts["pool_threads"])


@pytest.mark.node
def test_names_is_measured_in_the_classroom_without_privileges(engine: Engine, classroom: str) -> None:
    """The holding name server answers inside, although a network is there and nobody has a privilege."""
    asked = Request(lab="names", measure="in flight", parameters={"pool": 5, "names": 7, "api": "lookup"})

    record = measure(engine, classroom, asked, "container")

    assert 3 == record.runs[0].counts["names_in_flight"]
    assert ("container", None) == (record.room, record.image)


def test_the_pinned_node_is_the_same_and_the_older_line_is_there(engine: Engine, classroom: str) -> None:
    """Records from the classroom and from the native course name one Node; libuv 1.44 is at hand for comparison."""
    from labs import node_binary

    own = container_engine._ask(str(node_binary.pinned()), ["-p", "process.version"], 30)
    pinned = inside(
        engine, classroom, "python3", "-c", "from labs import node_binary; print(node_binary.pinned())"
    ).strip()

    assert own == inside(engine, classroom, pinned, "-p", "process.version")
    assert "1.44.2" == inside(engine, classroom, "/opt/older-node/bin/node", "-p", "process.versions.uv").strip()
    assert inside(engine, classroom, "fourthreads", "--version").strip()
