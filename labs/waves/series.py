"""Many pairs of one ratio, recorded without looking at them: what a trial of the ratio's check is judged from.

Besides ``tasks`` and ``pool`` of the run above the line: ``over`` and ``than``, tasks and pool of the run below it; ``threads``
of the control; ``count`` pairs; ``pair``, the ratio's name.
"""

from __future__ import annotations

from labs.errors import SetupError
from labs.measurement import Pair, Run
from labs.request import Request
from labs.waves import plain
from labs.waves.setting import Setting


def series(request: Request, setting: Setting) -> tuple[tuple[Run, ...], tuple[Pair, ...]]:
    """Make so many pairs, the order of the two runs alternating.

    Raises:
        SetupError: A parameter is missing or no whole number.
        ScriptError: The script ended the measurement.
    """
    above = (setting.tasks, _whole(request, "pool"))
    below = (_whole(request, "over"), _whole(request, "than"))
    threads, count, name = _whole(request, "threads"), _whole(request, "count"), str(request.parameters.get("pair"))
    made = []
    for number in range(count):
        setting.stage.progress(number, count, "pairs of runs")
        made.append(plain.pair(setting, name, number, above, below, threads))
    return (), tuple(made)


def _whole(request: Request, name: str) -> int:
    value = request.parameters.get(name)
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise SetupError(f"A series needs {name}, a whole number from 1 on, not {value!r}.")
    return value
