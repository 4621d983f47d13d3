"""``what_if``: the same as text, a picture that needs no widget, and sliders that redraw it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from course import whatif
from course.learner import Learner
from course.reply import WIDTH
from labs import model, simulate
from labs.capacity import curve_of, ideal
from labs.waves import schedule
from labs.waves.whatif import WHAT_IF
from tests import hashroom, personas


@pytest.mark.parametrize("cores", [1, 2, 4, 12])
def test_it_starts_at_the_ending_that_this_machine_does_not_show(tmp_path: Path, cores: int) -> None:
    """Eight cores for who has few, two for who has many; labelled as computed."""
    it = hashroom.session(tmp_path, cores)
    reply = whatif.answer(it, {})
    expected = 8 if cores < 4 else 2

    assert f"{expected} cores: computed from the model" in reply.lines[0]
    assert reply.picture is not None and reply.picture.startswith(b"\x89PNG")
    assert () == reply.entries  # nothing graded lives in it


def test_the_measured_schedule_stands_beside_it(tmp_path: Path) -> None:
    """The run that is nearest to the chosen numbers."""
    from course import magic

    it = hashroom.session(tmp_path)
    magic.node(it, hashroom.SOUND)
    personas.bet(it, "all at once", personas.node_row(it, "all at once"))
    personas.look(it, "all at once")
    for pool in (4, 8):
        assert (
            f"{pool} slots, 8 hashes, 2 cores: measured:"
            in whatif.answer(it, {"pool": pool, "tasks": 8, "cores": 8}).lines
        )


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ({"pool": 0}, "You typed pool=0. pool is a whole number from 1 to 16"),
        ({"cores": 2.5}, "cores is a whole"),
        ({"threads": 3}, "There is pool, tasks, cores"),
    ],
)
def test_numbers_that_cannot_be_are_answered(tmp_path: Path, typed: dict[str, Any], said: str) -> None:
    """A sentence, no traceback."""
    reply = whatif.answer(hashroom.session(tmp_path), typed)
    assert "refused" == reply.state and said in reply.text


def test_a_lab_without_one_says_so(tmp_path: Path) -> None:
    """The verb exists everywhere."""
    from tests import classroom

    assert "nothing to play with" in whatif.answer(classroom.session(tmp_path), {}).text


@pytest.mark.parametrize("pool", [1, 2, 3, 4, 8, 16])
@pytest.mark.parametrize("cores", [1, 2, 4, 8, 16])
def test_the_drawn_schedule_is_within_the_models_bounds(pool: int, cores: int) -> None:
    """Two witnesses: the drawing and the proved interval; and no slot runs two at once."""
    for tasks in (1, 7, 8, 15):
        bars = schedule.fair_share(tasks, pool, ideal(cores))
        span = simulate.what_if(tasks, pool, cores, "cpu").makespan

        assert tasks == len(bars)
        assert span.low - 1e-9 <= schedule.length(bars) <= span.high + 1e-9
        for lane in range(pool):
            own = sorted((bar.start, bar.end) for bar in bars if bar.lane == lane)
            assert all(before[1] <= after[0] + 1e-9 for before, after in zip(own, own[1:], strict=False))


def test_the_articles_two_and_this_machines_four() -> None:
    """Eight hashes on four slots: 2x with eight cores, 4x with two; with eight slots 1x and still 4x."""
    two = curve_of(2, (1.0, 2.0))
    assert (2.0, 1.0) == tuple(model.makespan(8, pool, "cpu", ideal(8)).high for pool in (4, 8))
    assert (4.0, 4.0) == tuple(round(schedule.length(schedule.fair_share(8, pool, two)), 6) for pool in (4, 8))


def test_text_draws_every_hash_once_and_all_slots() -> None:
    """A line a slot; beyond eight the middle ones are counted."""
    lines = schedule.text(schedule.fair_share(8, 4, ideal(8)), 4, 2.0)
    assert ["slot 1   |1", "slot 2   |2", "slot 3   |3", "slot 4   |4"] == [line[:11] for line in lines]
    assert "... 8 more slots ..." in schedule.text(schedule.fair_share(32, 16, ideal(2)), 16, 16.0)


def test_sliders_redraw_the_same_output(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A slider moved shows what calling with its number shows; the output is an ordinary one with text and picture."""
    import IPython.display
    import ipywidgets  # type: ignore[import-untyped]  # it carries no types

    it = hashroom.session(tmp_path)
    shown: list[dict[str, Any]] = []
    made: list[Any] = []

    class Output:
        """Stands for a display that can be updated."""

        def update(self, data: dict[str, Any], raw: bool) -> None:
            """Take the place of what is shown."""
            shown[-1] = data

    def display(data: dict[str, Any], raw: bool, display_id: bool = False) -> Output:
        shown.append(data)
        return Output()

    real = ipywidgets.IntSlider
    monkeypatch.setattr(ipywidgets, "IntSlider", lambda **given: made.append(real(**given)) or made[-1])  # type: ignore[func-returns-value]  # appends, then gives it
    monkeypatch.setattr(IPython.display, "display", display)
    monkeypatch.setattr(whatif, "shell", lambda: object())
    Learner(it, "waves").what_if()
    assert ["pool", "tasks", "cores"] == [slider.description for slider in made]
    assert "application/vnd.jupyter.widget-view+json" in shown[0] and "waves.what_if(" in shown[0]["text/plain"]
    told = shown[0]["text/plain"].splitlines()
    assert "waves.what_if(pool=4, tasks=8, cores=8)" == told[-1] and WIDTH >= max(map(len, told))
    assert {"text/plain", "text/html", "image/png"} == {*shown[1]}
    made[2].value = 16
    made[0].value = 8
    assert whatif.answer(it, {"pool": 8, "tasks": 8, "cores": 16}).text == shown[1]["text/plain"]


def test_without_a_notebook_it_is_text(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """In a terminal, and while nbgrader runs a notebook, no widget is made."""
    Learner(hashroom.session(tmp_path), "waves").what_if(pool=8, cores=8)
    assert "8 slots, 8 hashes, 8 cores: computed from the model, all over one 1:" in capsys.readouterr().out


def test_starting_values_lie_on_their_sliders() -> None:
    """Whatever the machine."""
    for cores in range(1, 65):
        for slider in WHAT_IF.sliders:
            assert slider.low <= slider.start({}, cores) <= slider.high
