"""Pictures hold every point that was measured."""

from __future__ import annotations

from labs import plots


def test_no_measured_point_lies_outside_the_picture() -> None:
    """Panels share one scale, and it reaches to the highest value of any of them, not of the first."""
    low = ("two cores", [(1, (1.0, 1.1), [1.0]), (8, (3.9, 5.0), [4.0, 4.4])])
    high = ("one core", [(1, (1.0, 1.1), [1.0]), (8, (7.8, 9.0), [7.9, 12.5])])
    figure = plots.against([low, high], {"textbook": [1.0, 2.0]}, ("hashes", "times one hash"))
    figure.draw_without_rendering()
    seen = [axes.get_ylim() for axes in figure.axes]
    assert [0.0, 0.0] == [bottom for bottom, _ in seen]
    assert all(12.5 <= top for _, top in seen)
