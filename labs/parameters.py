"""What most measures ask a room for: the numbers of the scene, with lists as JSON knows them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from labs.spec import Parameters, Scene


def drawn(scene: Scene) -> Parameters:
    """Return the draw's numbers."""
    return _plain(scene.parameters)


def drawn_and_typed(scene: Scene) -> Parameters:
    """Return the draw's numbers and what was typed; what was typed goes before a number of the same name."""
    return _plain({**scene.parameters, **scene.answers})


def _plain(numbers: Mapping[str, Any]) -> Parameters:
    return {name: list(value) if isinstance(value, tuple) else value for name, value in numbers.items()}
