"""The room's image: found by the digest of what it is made from, or built from it."""

from __future__ import annotations

import hashlib
import os
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

from msgspec import Struct

from labs import container_engine
from labs.container_engine import Engine
from labs.errors import RoomError

#: Names an image to use as it is, instead of the one that belongs to this version of the course.
VARIABLE = "FOURTHREADS_IMAGE"
#: More options for the build, as one shell-quoted text: a base image, certificates, a network.
BUILD_OPTIONS = "FOURTHREADS_BUILD_OPTIONS"
NAME = "localhost/fourthreads-room"

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "containers"
_RECIPE = ("Containerfile", "room.lock", "older-node.sha256", "nsswitch.conf")


class Image(Struct, frozen=True):
    """An image that the engine has: what it is called, and the digest of its configuration (``sha256:...``)."""

    name: str
    digest: str


def wanted(root: Path = ROOT) -> str:
    """Return the name of the image that belongs to the code in ``root``; it changes when a file in the image does.

    Raises:
        RoomError: The course is not here as a folder of sources.
    """
    digest = hashlib.sha256()
    for path, inside in _sources(root):
        content = path.read_bytes()
        digest.update(f"{inside}\0{len(content)}\0".encode() + content)
    return f"{NAME}:{digest.hexdigest()[:12]}"


def find(engine: Engine) -> Image | None:
    """Return the image to use if the engine has it: the one named by FOURTHREADS_IMAGE, else :func:`wanted`."""
    return _inspect(engine, os.environ.get(VARIABLE) or wanted())


def _inspect(engine: Engine, name: str) -> Image | None:
    try:
        digest = container_engine.ask(engine, "image", "inspect", "--format", "{{.Id}}", name).strip()
    except RoomError:
        return None
    return Image(name, digest if digest.startswith("sha256:") else f"sha256:{digest}")


def build(engine: Engine, on_line: Callable[[str], None] = lambda line: None) -> Image:
    """Build the image (once a version; about a minute) and return it. ``on_line`` gets what the engine says meanwhile.

    Raises:
        RoomError: The build failed; the text holds the end of what the engine said.
    """
    if named := os.environ.get(VARIABLE):
        raise RoomError(f"The image {named} (named by {VARIABLE}) is not here. Load it, or unset {VARIABLE}.")
    from filelock import FileLock

    # Learners who share a machine would otherwise all build at once.
    lock = FileLock(Path(tempfile.gettempdir(), "fourthreads-image.lock"), mode=0o666)
    with lock, tempfile.TemporaryDirectory(prefix="fourthreads-image-") as folder:
        if found := find(engine):
            return found
        context = Path(folder)
        for path, inside in _sources(ROOT):
            target = context / inside
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, target)
        name = wanted(context)
        _run(build_command(engine, "room", name, context), on_line)
    found = _inspect(engine, name)
    if found is None:
        raise RoomError(f"{engine.version} built {name} and does not list it. Is another storage configured?")
    return found


def build_command(engine: Engine, target: str, name: str, context: Path) -> list[str]:
    """Return the command that builds one target of the Containerfile from ``context``."""
    more = shlex.split(os.environ.get(BUILD_OPTIONS, ""))
    labels = ["--label", "fourthreads=image"]
    recipe = ["--file", str(context / "containers" / "Containerfile")]
    return [engine.path, "build", "--target", target, "--tag", name, *labels, *more, *recipe, str(context)]


def _run(command: list[str], on_line: Callable[[str], None]) -> None:
    environment = {**os.environ, "DOCKER_BUILDKIT": "1", "BUILDKIT_PROGRESS": "plain"}
    last: list[str] = []
    with subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=environment
    ) as process:
        assert process.stdout is not None
        for raw in process.stdout:
            line = raw.decode(errors="replace").rstrip()
            last = [*last[-7:], line]
            on_line(line)
    if process.returncode:
        raise RoomError(
            f"The room's image could not be built: {' | '.join(last)[-800:]} The base image and the packages come from "
            "the network; containers/base.sh makes a base where no image registry is reachable."
        )


def _sources(root: Path) -> list[tuple[Path, str]]:
    """Return what the image is made from: path here, path in the build's context; the same order on every machine."""
    folder = root / FOLDER.name
    if not (folder / "Containerfile").is_file():
        raise RoomError(
            f"The image's recipe is not here: {folder / 'Containerfile'} was looked for. Run the course from its own folder, "
            f"or name an image that holds it in {VARIABLE}."
        )
    files = [(folder / name, f"{FOLDER.name}/{name}") for name in _RECIPE]
    for path in (root / "labs").rglob("*"):
        inside = path.relative_to(root)
        if path.is_file() and not {"__pycache__", "reference"} & set(inside.parts):
            files.append((path, inside.as_posix()))
    return sorted(files, key=lambda pair: pair[1])
