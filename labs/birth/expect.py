"""What Node does here, from the rules: how large the pool is, and since when."""

from __future__ import annotations

from labs import poolsize
from labs.answers import Answer
from labs.birth.draw import BLANKS, DEFAULT
from labs.spec import Row, Scene

#: The pinned Node's libuv, where a scene has no record yet.
UV = "1.52.1"
#: MiB of address space of one thread: its stack, libuv 1.45 on (`src/threadpool.c:241`); the guard page is 4 KiB more.
EACH = 8


def uv(scene: Scene) -> str:
    """Return the libuv version that a scene's record speaks of."""
    return scene.record.node.uv if scene.record else UV


def values(scene: Scene) -> tuple[int, ...]:
    """Return the sizes in force for the draw's values."""
    return tuple(poolsize.in_force(value, uv(scene)) for value in scene.parameters["values"])


def node(scene: Scene) -> dict[str, Row]:
    """Return what Node does, for the bet that the scene's numbers describe."""
    p = scene.parameters
    if "values" in p:
        return {"value": dict(zip(BLANKS, values(scene), strict=False))}
    if "given" in p or "wanted" in p or "small" in p:
        return {}
    if "size" in p and "jobs" in p:
        return {"first": {"before": 0, "after": p["size"], "more": p["size"]}}
    if "jobs" in p:
        return {"exit": {"made": p["jobs"], "back": 0}}
    if p.get("size", 0) >= 64:
        used: Answer = "none"
        return {"bill": {"each": EACH, "used": used, "files": 0}}
    if "size" in p:
        return {"line": {"first": p["size"], "late": DEFAULT, "quick": p["size"], "token": DEFAULT}}
    return {}
