"""The learner's own records as one picture: a bar for each count, what was set beside what came."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from labs import plots
from labs.birth import drawing as see
from labs.measurement import Record
from labs.spec import Lines

Bars = tuple[tuple[str, int], ...]
_FIRST = {"before": "first line", "after": "after one job", "more": "after many"}
_LINE = {"first": "first line", "late": "in a callback", "quick": "after quick.cjs", "token": "after token.cjs"}


def panels(records: Mapping[str, Record]) -> Iterator[tuple[str, Bars]]:
    """Yield title and bars of each record that is there, in the order of the lab."""
    if "first" in records and (run := see.run(records["first"], "first")) is not None:
        yield "when: size set outside", tuple((title, run.counts.get(name, 0)) for name, title in _FIRST.items())
    if "line" in records:
        yield (
            "where the line stands",
            tuple((_LINE.get(run.name, run.name), run.counts.get("pool_threads", 0)) for run in records["line"].runs),
        )
    if "value" in records:
        yield (
            "which value (logarithmic)",
            tuple(
                (str(run.parameters.get("value")), run.counts.get("pool_threads", 0)) for run in records["value"].runs
            ),
        )


def text(records: Mapping[str, Record]) -> Lines:
    """Return the same as text, a line a panel."""
    return tuple(f"{title}: {', '.join(f'{name} {count}' for name, count in bars)}" for title, bars in panels(records))


def draw(records: Mapping[str, Record]) -> Any:
    """Return a figure: a panel a record, side by side."""
    from matplotlib.figure import Figure

    found = list(panels(records)) or [("nothing measured yet", ())]
    figure = Figure(figsize=(plots.WIDTH, 2.3), dpi=plots.DPI, facecolor=plots.CARD, layout="constrained")
    for axes, (title, bars) in zip(figure.subplots(1, len(found), squeeze=False)[0], found, strict=True):
        most = max([count for _, count in bars] or [1])
        places = range(len(bars))
        axes.barh(places, [count for _, count in bars], color=plots.HELD, edgecolor=plots.EDGE, height=0.7)
        axes.set_yticks(list(places), [name for name, _ in bars], fontsize=9, color=plots.INK)
        axes.invert_yaxis()
        if most > 100:
            axes.set_xscale("log")
        for place, (_, count) in enumerate(bars):
            axes.annotate(f"{count:,}", (max(count, 0.5 if most > 100 else 0), place), xytext=(4, 0), textcoords="offset points",
                          va="center", fontsize=9, color=plots.INK)  # fmt: skip
        axes.set_xlim(0.5 if most > 100 else 0, most * (6 if most > 100 else 1.25) or 1)
        axes.set_xticks([])
        axes.minorticks_off()
        axes.set_title(title, loc="left", fontsize=10, color=plots.INK)
        axes.set_facecolor(plots.CARD)
        axes.tick_params(length=0, which="both")
        for spine in axes.spines.values():
            spine.set_visible(False)
    return figure
