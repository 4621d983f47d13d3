"""Pictures hold every point that was measured."""

from __future__ import annotations

import subprocess
import sys

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


def test_what_matplotlib_says_of_fonts_is_not_shown_to_a_learner() -> None:
    """A font that is not here, or a list of fonts that takes long: nothing on standard error."""
    code = "from course import display; from matplotlib import font_manager; font_manager.findfont('no such family')"
    seen = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    assert (b"", b"") == (seen.stdout, seen.stderr)
