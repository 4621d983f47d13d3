"""How many threads libuv's pool gets from ``UV_THREADPOOL_SIZE``.

What is recorded is always the counted number; this is the expectation it is held against.
"""

from __future__ import annotations

import re

DEFAULT = 4
LARGEST = 1024
#: Since this libuv the value is read into a buffer of 16 bytes, and ignored where it does not fit.
_BUFFERED = (1, 52)
_LONG = 2**63


def in_force(value: int | str | None, uv: str) -> int:
    """Return the pool's size for a value of ``UV_THREADPOOL_SIZE`` (None: unset) and a libuv version.

    Source: libuv ``src/threadpool.c`` ``init_threads`` (1.44.2 to 1.52.1): ``nthreads = atoi(val)`` into an unsigned
    int, 0 becomes 1, more than 1024 becomes 1024; since 1.52.0 the text is read into ``char buf[16]`` and one that
    does not fit counts as unset.
    """
    if value is None:
        return DEFAULT
    text = str(value)
    if len(text.encode()) >= 16 and version(uv) >= _BUFFERED:
        return DEFAULT
    size = _atoi(text) % 2**32
    return min(size, LARGEST) or 1


def version(text: str) -> tuple[int, ...]:
    """Return a version such as ``1.52.1`` as comparable numbers; what follows a hyphen is left out."""
    return tuple(int(part) for part in re.findall(r"\d+", text.partition("-")[0]))


def _atoi(text: str) -> int:
    """Return C's ``atoi``: white space, a sign, digits; ``strtol`` on 64 bits saturates, then it is cut to an int."""
    found = re.match(r"[ \t\n\v\f\r]*([+-]?[0-9]+)", text)
    return max(-_LONG, min(_LONG - 1, int(found[1]))) if found else 0
