"""What the three routes of the service must answer: computed here, by another implementation than Node's."""

from __future__ import annotations

import gzip
import hashlib
import zlib
from collections.abc import Mapping
from typing import Any

#: The routes of the learner's service.
ROUTES = ("key", "page", "sum")


def page(seed: int, size: int) -> bytes:
    """Return the page of an order (the twin of ``page`` in service.cjs)."""
    lines = [hashlib.sha256(f"{seed} {number}".encode()).hexdigest() * 2 for number in range(64)]
    parts: list[str] = []
    length = number = 0
    while length < size:
        parts.append(f"{number} {lines[number * 37 % 64]}\n")
        length += len(parts[-1])
        number += 1
    return "".join(parts).encode()


def is_right(route: str, parameters: Mapping[str, Any], body: bytes) -> bool:
    """Return whether a route's answer is the one it must give."""
    seed = int(parameters["seed"])
    if route == "key":
        return body == hashlib.pbkdf2_hmac(
            "sha512", f"word {seed}".encode(), f"salt {seed}".encode(), int(parameters["rounds"]), 32
        )
    wanted = page(seed, int(parameters["bytes"]))
    if route == "sum":
        return body == hashlib.sha256(wanted).digest()
    try:
        return gzip.decompress(body) == wanted
    except (OSError, EOFError, zlib.error):
        return False
