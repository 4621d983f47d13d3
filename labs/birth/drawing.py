"""A record of this lab as lines of text."""

from __future__ import annotations

from labs.measurement import Record, Run
from labs.spec import Scene
from labs.words import WIDTH


def record_of(scene: Scene) -> Record:
    """Return the scene's record."""
    assert scene.record is not None, "a look is only asked for where there is a record"
    return scene.record


def run(record: Record, name: str) -> Run | None:
    """Return the run of that name, None for a record of another form."""
    return next((one for one in record.runs if one.name == name), None)


def count(scene: Scene, name: str, what: str) -> int:
    """Return a count of a run in the scene's record."""
    found = run(record_of(scene), name)
    return found.counts.get(what, 0) if found else 0


def values(scene: Scene) -> str:
    """Say the sizes in force: ``abc is 1, 8abc is 8``."""
    return ", ".join(f"{value or 'empty'} is {one.counts.get('pool_threads', 0)}"
                     for value, one in zip(scene.parameters["values"], record_of(scene).runs, strict=False))  # fmt: skip


def space(scene: Scene) -> str:
    """Return how many MiB of address space came with the pool, such as ``1,024.5``."""
    runs = record_of(scene).runs
    return f"{runs[0].counts.get('more_space', 0) / 1024:,.1f}" if runs else "0"


def resident(scene: Scene) -> str:
    """Return how many MiB came into memory."""
    runs = record_of(scene).runs
    return f"{runs[0].counts.get('more_resident', 0) / 1024:,.1f}" if runs else "0"


def said(left: str, right: object | None) -> str:
    """Draw what Node did, and what was said beside it, within the width."""
    if right is None:
        return left
    gap = max(2, min(64 - len(left), WIDTH - len(left) - len(f"you said {right}")))
    return f"{left}{' ' * gap}you said {right}"
