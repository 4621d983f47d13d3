"""Pictures of measurements: drawn for a notebook in a window 1280 pixels wide, legible on light and on dark ground, and without colour.

matplotlib is imported inside the functions: the ground floor does not need it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from labs.measurement import Step

#: 825 pixels: what JupyterLab leaves a cell's output in a window of 1280, so that no letter is scaled down.
WIDTH, DPI = 7.5, 110
#: Inches left of the lanes, for their names.
MARGIN = 0.6
#: Colours that keep a contrast of 4.5 and more to the card they stand on; the card is drawn too, so no theme matters.
CARD, INK, FAINT = "#ffffff", "#1b1f24", "#57606a"
HELD, FRESH, EDGE = "#cfe3f5", "#f7c8a0", "#2f5d8a"
#: More columns than this are cut in the middle.
MOST_COLUMNS = 14
#: Up to so many columns there is room to name who waits.
ROOMY = 8


def _columns(steps: Sequence[Step]) -> list[Step | None]:
    """Return the rests to draw; None stands where some were left out."""
    if len(steps) <= MOST_COLUMNS:
        return list(steps)
    return [*steps[: MOST_COLUMNS - 3], None, *steps[-2:]]


def _short_row(names: Sequence[str], most: int = 4) -> str:
    return " ".join(names if len(names) <= most else [*names[: most - 2], "..", names[-1]])


def lanes(panels: Sequence[tuple[str, Sequence[Step]]]) -> Any:
    """Return a figure: for each panel a lane a slot, a column a rest; what has just started is darker and underlined.

    Args:
        panels: Title, and the steps of one run.
    """
    from matplotlib.figure import Figure

    rows = [max((len(step.slots) for step in steps), default=1) for _, steps in panels]
    heights = [count + 1.9 for count in rows]
    most = max((len(_columns(steps)) for _, steps in panels), default=1)
    across = max(3, most)  # room for a title
    width = min(WIDTH, MARGIN + 1.15 * across)
    figure = Figure(figsize=(width, 0.36 * sum(heights) + 0.3), dpi=DPI, facecolor=CARD)
    grid = figure.add_gridspec(
        max(1, len(panels)), 1, height_ratios=heights or [1], hspace=0.25, left=MARGIN / width, right=0.99
    )
    for index, ((title, steps), count) in enumerate(zip(panels, rows, strict=True)):
        _panel(figure.add_subplot(grid[index]), title, steps, count, across)
    return figure


def _panel(axes: Any, title: str, steps: Sequence[Step], count: int, across: int) -> None:
    from matplotlib.patches import Rectangle

    columns = _columns(steps)
    for index, (earlier, step) in enumerate(pairwise([None, *columns])):
        if step is None:
            axes.text(index + 0.5, count / 2, "...", ha="center", va="center", color=FAINT, fontsize=12)
            continue
        axes.text(index + 0.5, -0.3, step.action, ha="center", va="bottom", color=INK, fontsize=9)
        for lane, name in enumerate(step.slots):
            fresh = name is not None and earlier is not None and name not in earlier.slots
            face = CARD if name is None else FRESH if fresh else HELD
            axes.add_patch(
                Rectangle(
                    (index + 0.06, lane + 0.08),
                    0.88,
                    0.84,
                    facecolor=face,
                    edgecolor=EDGE,
                    linewidth=1.4 if fresh else 0.7,
                )
            )
            axes.text(
                index + 0.5, lane + 0.5, name or "free", ha="center", va="center", color=INK if name else FAINT,
                fontsize=11 if name else 8, fontweight="bold" if fresh else "normal",
            )  # fmt: skip
        axes.text(
            index + 0.5,
            count + 0.15,
            _short_row(step.waiting) if len(columns) <= ROOMY else f"{len(step.waiting)} wait",
            ha="center",
            va="top",
            color=FAINT,
            fontsize=8,
        )
    axes.set_xlim(0, across)
    axes.set_ylim(count + 0.8, -0.8)
    axes.set_yticks(
        [lane + 0.5 for lane in range(count)], [f"slot {lane + 1}" for lane in range(count)], fontsize=9, color=INK
    )
    axes.text(-0.08, count + 0.15, "waiting", ha="right", va="top", color=FAINT, fontsize=8, clip_on=False)
    axes.set_xticks([])
    axes.set_title(title, loc="left", fontsize=11, color=INK)
    axes.set_facecolor(CARD)
    axes.tick_params(length=0)
    for spine in axes.spines.values():
        spine.set_visible(False)


#: One bar of a schedule: name, lane from 0, start and end (times of one task alone).
Stretch = tuple[str, int, float, float]


def schedules(panels: Sequence[tuple[str, int, Sequence[Stretch]]], unit: str) -> Any:
    """Return a figure: for each panel a lane a slot, time to the right, one scale for all panels.

    Args:
        panels: Title, number of slots, and the stretches of one run.
        unit: What the time axis counts.
    """
    from matplotlib.figure import Figure

    rows = [max(1, slots) for _, slots, _ in panels]
    heights = [count + 2.2 for count in rows]
    figure = Figure(figsize=(WIDTH, 0.27 * sum(heights) + 0.4), dpi=DPI, facecolor=CARD)
    grid = figure.add_gridspec(
        max(1, len(panels)), 1, height_ratios=heights or [1], hspace=0.45, left=MARGIN / WIDTH, right=0.99
    )
    longest = max((end for _, _, bars in panels for _, _, _, end in bars), default=1.0)
    for index, ((title, _, bars), count) in enumerate(zip(panels, rows, strict=True)):
        axes = figure.add_subplot(grid[index])
        _schedule(axes, title, count, bars, longest)
        if index == len(panels) - 1:
            axes.set_xlabel(unit, fontsize=9, color=INK)
    return figure


def _schedule(axes: Any, title: str, slots: int, bars: Sequence[Stretch], longest: float) -> None:
    from matplotlib.ticker import MaxNLocator

    for place, (name, lane, start, end) in enumerate(bars):
        # Neighbours differ in tone as well as by their edge, so a slot's hashes are told apart without colour.
        axes.barh(
            lane,
            end - start,
            left=start,
            height=0.82,
            color=HELD if place // slots % 2 == 0 else FRESH,
            edgecolor=EDGE,
            linewidth=0.8,
        )
        axes.text((start + end) / 2, lane, name, ha="center", va="center", fontsize=9 if slots <= 8 else 7, color=INK)
    axes.set_xlim(0, longest * 1.02 or 1)
    axes.set_ylim(slots - 0.4, -0.6)
    step = 1 if slots <= 10 else 4
    axes.set_yticks(
        range(0, slots, step), [f"slot {lane + 1}" for lane in range(0, slots, step)], fontsize=8, color=INK
    )
    axes.xaxis.set_major_locator(MaxNLocator(integer=True, nbins=12))
    axes.tick_params(axis="x", labelsize=8, colors=INK)
    axes.tick_params(axis="y", length=0)
    axes.grid(axis="x", color=FAINT, alpha=0.25, linewidth=0.6)
    axes.set_axisbelow(True)
    axes.set_title(title, loc="left", fontsize=11, color=INK)
    axes.set_facecolor(CARD)
    for spine in ("top", "right", "left"):
        axes.spines[spine].set_visible(False)


def against(
    panels: Sequence[tuple[str, Sequence[tuple[int, tuple[float, float], Sequence[float]]]]],
    said: dict[str, Sequence[float]],
    units: tuple[str, str],
) -> Any:
    """Return a figure of what a model predicts against what was measured, a panel a machine, all on the same scale.

    Args:
        panels: Title; then for each place on the x axis: the place, the predicted interval, the measured values.
        said: What a rival says at the same places, name -> values; drawn as a dashed line.
        units: Names of the two axes.
    """
    from matplotlib.figure import Figure
    from matplotlib.ticker import MaxNLocator

    down = -(-len(panels) // 2)
    figure = Figure(figsize=(WIDTH, 2.9 * down + 0.3), dpi=DPI, facecolor=CARD, layout="constrained")
    grid = figure.subplots(down, min(2, len(panels)), sharex=True, sharey=True, squeeze=False)
    for axes, (title, places) in zip(grid.flat, panels, strict=False):
        at = [place for place, _, _ in places]
        low, high = ([span[end] for _, span, _ in places] for end in (0, 1))
        axes.fill_between(at, low, high, facecolor=HELD, edgecolor=EDGE, linewidth=0.8, label="predicted")
        for name, values in said.items():
            axes.plot(at, values, color=FAINT, linestyle="--", linewidth=1.2, label=name)
        dots = [(place, value) for place, _, seen in places for value in seen]
        axes.scatter(
            *zip(*dots, strict=True),
            s=9,
            marker="o",
            facecolors="none",
            edgecolors=INK,
            linewidths=0.7,
            label="measured",
            zorder=3,
        )
        axes.set_title(title, loc="left", fontsize=10, color=INK)
        axes.set_facecolor(CARD)
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        axes.tick_params(labelsize=8, colors=INK)
        for side in ("top", "right"):
            axes.spines[side].set_visible(False)
    # Only now: setting an end of a shared scale earlier would fix the other end at what the first panel holds.
    grid.flat[0].set_ylim(bottom=0)
    for axes in grid.flat[len(panels) :]:
        axes.set_visible(False)
    figure.supxlabel(units[0], fontsize=9, color=INK)
    figure.supylabel(units[1], fontsize=9, color=INK)
    grid.flat[0].legend(fontsize=8, frameon=False, labelcolor=INK, loc="upper left")
    return figure


def places(title: str, rows: Sequence[tuple[str, str]], columns: Mapping[str, str]) -> Any:
    """Return a figure: a row a call, a column a place; the places of its path are numbered in their order.

    Args:
        title: Of the figure.
        rows: What a call is called, and its path: one letter a place.
        columns: Letter -> what its column is called.
    """
    from matplotlib.figure import Figure
    from matplotlib.patches import Rectangle

    figure = Figure(figsize=(WIDTH, 0.32 * len(rows) + 1.2), dpi=DPI, facecolor=CARD)
    axes = figure.add_axes((0.36, 0.02, 0.6, 1 - 0.9 / (0.32 * len(rows) + 1.2)))
    for line, (_, path) in enumerate(rows):
        for column, place in enumerate(columns):
            is_on = place in path
            axes.add_patch(
                Rectangle((column + 0.04, line + 0.08), 0.92, 0.84, facecolor=HELD if is_on else CARD, edgecolor=EDGE if is_on else "#d0d7de", linewidth=0.8)
            )  # fmt: skip
            if is_on:
                step = f" {path.index(place) + 1}" if len(path) > 1 else ""
                axes.text(column + 0.5, line + 0.5, f"{place}{step}", ha="center", va="center", fontsize=10, color=INK)
    axes.set_xlim(0, len(columns))
    axes.set_ylim(max(1, len(rows)), 0)
    axes.set_yticks(
        [line + 0.5 for line in range(len(rows))], [name for name, _ in rows], fontsize=9, color=INK, family="monospace"
    )
    axes.set_xticks([column + 0.5 for column in range(len(columns))], list(columns.values()), fontsize=10, color=INK)
    axes.xaxis.tick_top()
    axes.tick_params(length=0)
    axes.set_facecolor(CARD)
    axes.set_title(title, loc="left", fontsize=11, color=INK)
    for spine in axes.spines.values():
        spine.set_visible(False)
    return figure
