"""What a request gives, read strictly by the lab that is asked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from labs.errors import SetupError
from labs.request import Request

#: What the procedures of a lab are; each lab has its own kind.
Procedure = TypeVar("Procedure")


def procedure(request: Request, procedures: Mapping[str, Procedure]) -> Procedure:
    """Return the lab's procedure for the measure that is asked for.

    Raises:
        SetupError: There is none; the text lists those there are.
    """
    if request.measure not in procedures:
        raise SetupError(f"The lab {request.lab} has no measure {request.measure!r}; it has {', '.join(procedures)}.")
    return procedures[request.measure]


def whole(given: Mapping[str, Any], name: str, least: int, most: int, default: int | None = None) -> int:
    """Return a parameter that must be a whole number.

    Raises:
        SetupError: It is none, or out of bounds.
    """
    return checked(given.get(name, default), name, least, most)


def checked(value: object, name: str, least: int, most: int) -> int:
    """Return a value that must be a whole number.

    Raises:
        SetupError: It is none, or out of bounds; the text has the name.
    """
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise SetupError(f"{name} must be a whole number from {least} to {most}, not {value!r}.")
    return value
