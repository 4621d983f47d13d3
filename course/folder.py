"""Whose work this is: the learner's identity and the class's rules, found from the notebook's folder upwards."""

from __future__ import annotations

import json
import secrets
import tomllib
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Literal

import msgspec
from msgspec import Struct

from labs import plain
from labs.errors import SetupError

HIDDEN = ".fourthreads"
CLASS_FILE = "class.toml"


class Identity(Struct, frozen=True, forbid_unknown_fields=True):
    """The learner: a random id made at the first start, no name."""

    learner: str


class Course(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A class's rules, ``class.toml``; the defaults are those of somebody learning alone.

    Attributes:
        course: The course's id; empty for self-paced study.
        salt: Makes the seeds of this class differ from those of another with the same learners.
        version: The release of Four Threads the class uses; empty for any.
        rooms: Rooms that may be used; empty for all.
        solutions: Whether reference parts may be opened.
        due: When work is handed in (``2027-01-31 23:59``); for the page, and for ``after due``.
    """

    course: str = ""
    salt: str = ""
    version: str = ""
    rooms: tuple[str, ...] = ()
    solutions: Literal["always", "after due", "never"] = "always"
    due: str = ""

    @property
    def key(self) -> str:
        """What goes into the seeds."""
        return f"{self.course}/{self.salt}" if self.course or self.salt else ""

    @property
    def solutions_open(self) -> bool:
        """Whether reference parts may be opened now. A ``due`` without an offset is local time."""
        if self.solutions != "after due":
            return self.solutions == "always"
        return bool(self.due) and datetime.now().astimezone() > datetime.fromisoformat(self.due).astimezone()


def _upwards(folder: Path) -> Iterator[Path]:
    folder = folder.resolve()
    yield folder
    yield from folder.parents


def course(folder: Path) -> Course:
    """Return the rules that hold in a folder.

    Raises:
        SetupError: A ``class.toml`` is there and cannot be read; the text names the key.
    """
    for place in _upwards(folder):
        path = place / CLASS_FILE
        if (data := plain.read_if_there(path)) is None:
            continue
        try:
            found = msgspec.convert(tomllib.loads(data.decode()), Course)
            if found.due:
                datetime.fromisoformat(found.due)
            return found
        except (ValueError, msgspec.ValidationError) as problem:
            raise SetupError(
                f"{path} cannot be read: {problem}. Ask whoever gave it to you for a new one."
            ) from problem
    return Course()


def identity(folder: Path) -> Identity:
    """Return the learner whose folder this is; make an id where there is none yet.

    Raises:
        SetupError: The file is there and cannot be read.
    """
    return known(folder) or make_identity(folder)


def known(folder: Path) -> Identity | None:
    """Return the learner whose folder this is, None where nobody began here yet.

    Raises:
        SetupError: The file is there and cannot be read.
    """
    for place in _upwards(folder):
        path = place / HIDDEN / "identity.json"
        if (data := plain.read_if_there(path)) is not None:
            try:
                return msgspec.json.decode(data, type=Identity)
            except (msgspec.ValidationError, msgspec.DecodeError) as problem:
                raise SetupError(
                    f"{path} cannot be read: {problem}. Restore it from a copy; your numbers come from it."
                ) from problem
    return None


def make_identity(folder: Path) -> Identity:
    """Make a learner's id in this folder, once; of two that try at the same time one wins and both get its id."""
    path = folder / HIDDEN / "identity.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    new = path.with_name(f"identity.{secrets.token_hex(4)}")
    new.write_text(json.dumps({"learner": secrets.token_hex(8)}) + "\n", "utf-8")
    try:
        path.hardlink_to(new)
    except FileExistsError:
        pass
    except OSError:  # a file system without links
        if not path.exists():
            path.write_bytes(new.read_bytes())
    finally:
        new.unlink()
    return msgspec.json.decode(plain.read(path), type=Identity)
