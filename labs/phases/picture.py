"""The learner's own records as one picture: a lane a phase, a column a callback, in the order in which they ran."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from labs import plots
from labs.measurement import Callback, Record, Run
from labs.phases import drawing as see
from labs.spec import Lines

PHASES = ("main", "timers", "poll", "check", "closing")
_MEASURES = ("four", "two", "between", "modules", "A", "B")
_PLACES = {
    "file": "in a file's callback", "timer": "in a timer's callback", "immediate": "in an immediate", "close": "where something closes",
    "timers": "two timers, and C", "immediates": "two immediates, and C", "cjs": "in a CommonJS file", "mjs": "in an ES module",
}  # fmt: skip


def runs(records: Mapping[str, Record]) -> Iterator[tuple[str, tuple[Callback, ...]]]:
    """Yield title and callbacks of each run, in the order of the lab; of the learner's parts the run as it is."""
    for measure in _MEASURES:
        if measure in records:
            whole: tuple[Run, ...] = records[measure].runs
            for run in whole[:1] if measure in ("A", "B") else whole:
                yield (
                    (f"your part {measure}" if measure in ("A", "B") else _PLACES.get(run.name, run.name)),
                    run.callbacks,
                )


def text(records: Mapping[str, Record]) -> Lines:
    """Return the same as text, a line a run."""
    return tuple(f"{title:<26}{see.phased(callbacks)}" for title, callbacks in runs(records))


def draw(records: Mapping[str, Record]) -> Any:
    """Return a figure: two panels a row, in each a lane for each phase that occurs."""
    from matplotlib.figure import Figure
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    panels = list(runs(records))
    down = -(-len(panels) // 2)
    room = ConstrainedLayoutEngine(w_pad=0.12)
    figure = Figure(figsize=(plots.WIDTH, 1.75 * down + 0.2), dpi=plots.DPI, facecolor=plots.CARD, layout=room)
    grid = figure.subplots(down, 2, squeeze=False)
    for axes, (title, callbacks) in zip(grid.flat, panels, strict=False):
        _panel(axes, title, callbacks)
    for axes in list(grid.flat)[len(panels) :]:
        axes.set_visible(False)
    return figure


def _panel(axes: Any, title: str, callbacks: tuple[Callback, ...]) -> None:
    from matplotlib.patches import Rectangle

    lanes = [phase for phase in PHASES if any(one.phase == phase for one in callbacks)] or ["main"]
    for place, one in enumerate(callbacks):
        lane = lanes.index(one.phase)
        between = one.kind in ("tick", "promise")
        axes.add_patch(Rectangle(
            (place + 0.04, lane + 0.12), 0.92, 0.76, facecolor=plots.FRESH if between else plots.HELD,
            edgecolor=plots.EDGE, linewidth=0.8, linestyle="--" if between else "-",
        ))  # fmt: skip
        axes.text(place + 0.5, lane + 0.5, one.name, ha="center", va="center", color=plots.INK, fontsize=8.5)
    axes.set_xlim(0, max(4, len(callbacks)))
    axes.set_ylim(max(2, len(lanes)), 0)
    axes.set_yticks([lane + 0.5 for lane in range(len(lanes))], lanes, fontsize=9, color=plots.INK)
    axes.set_xticks([])
    axes.set_title(title, loc="left", fontsize=10, color=plots.INK)
    axes.set_facecolor(plots.CARD)
    axes.tick_params(length=0)
    for spine in axes.spines.values():
        spine.set_visible(False)
