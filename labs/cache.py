"""Small results that outlive a process: one JSON file each, with an expiry and a fingerprint of what they hold for."""

from __future__ import annotations

import hashlib
import os
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

import msgspec
import platformdirs
from msgspec import Struct

from labs import plain
from labs.errors import SetupError

T = TypeVar("T")


class _Kept(Struct, frozen=True, forbid_unknown_fields=True):
    fingerprint: str
    until: float
    value: msgspec.Raw


def folder() -> Path:
    """Return the folder for locks and small results of this user, made if needed.

    ``FOURTHREADS_RUNTIME_DIR`` moves it, as tests do.
    """
    asked = os.environ.get("FOURTHREADS_RUNTIME_DIR")
    # Without a runtime folder platformdirs makes one up in a place that everybody can write to, and warns.
    none = not asked and sys.platform == "linux" and not os.environ.get("XDG_RUNTIME_DIR")
    path = Path(asked or (_cache() if none else platformdirs.user_runtime_dir("fourthreads")))
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError:
        # No runtime folder for this user (a container, a service): the cache folder lasts longer, which the boot in
        # every fingerprint makes up for.
        path = Path(_cache())
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
    return path


def _cache() -> str:
    return platformdirs.user_cache_dir("fourthreads")


def fingerprint(*parts: Any) -> str:
    """Return a digest of values that JSON can hold: equal values, equal digest."""
    return hashlib.sha256(msgspec.json.encode(parts, order="deterministic")).hexdigest()


def keep(name: str, value: Any, mark: str, seconds: float, now: float | None = None) -> None:
    """Keep a value under a name until it expires. Where nothing can be written it is simply not kept."""
    kept = _Kept(mark, (time.time() if now is None else now) + seconds, msgspec.Raw(msgspec.json.encode(value)))
    with suppress(OSError):
        handle, path = tempfile.mkstemp(prefix=f".{name}-", dir=folder())
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(msgspec.json.encode(kept))
            os.replace(path, folder() / f"{name}.json")
        except OSError:
            os.unlink(path)
            raise


def kept(name: str, type: type[T], mark: str, seconds: float, now: float | None = None) -> T | None:
    """Return what is kept under the name, if it holds for this fingerprint and has not expired; else None.

    Args:
        name: As given to :func:`keep`.
        type: What the value must be.
        mark: The fingerprint it must have.
        seconds: No longer than this can it have been kept for; a clock that was set back does not prolong it.
        now: Seconds since 1970, for tests.
    """
    now = time.time() if now is None else now
    try:
        found = msgspec.json.decode(plain.read(folder() / f"{name}.json"), type=_Kept)
        if found.fingerprint != mark or not now < found.until <= now + seconds:
            return None
        return msgspec.json.decode(found.value, type=type)
    except (OSError, SetupError, ValueError, msgspec.MsgspecError):
        return None


def forget(name: str) -> None:
    """Remove what is kept under the name."""
    (folder() / f"{name}.json").unlink(missing_ok=True)
