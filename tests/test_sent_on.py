"""Where the card, the picture, the worked record and the way past send a learner: to what is open, and to nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from course import betting, keeping
from course.session import Session
from tests import classroom, gates_people, personas, phases_room, places_room

ORDER = "tick promise immediate timeout"


@pytest.fixture
def phases(tmp_path: Path) -> Session:
    """Return a session of ``phases``, nothing done yet."""
    return phases_room.session(tmp_path)


def first_bet(it: Session) -> None:
    """Bet, and look."""
    betting.predict(it, "four", {"file": ORDER, "timer": ORDER})
    personas.look(it, "four")


def test_the_card_names_the_step_of_the_first_bet_that_is_open(phases: Session) -> None:
    """Not that of the first of all, which is closed by then."""
    first_bet(phases)
    row = next(line for line in keeping.check(phases).lines if line.startswith("bets"))
    assert row.endswith("not yet: step 8")


def test_below_the_picture_stands_the_next_step_until_it_is_done(phases: Session) -> None:
    """A picture drawn later, in a cell of one's own, sends nobody back."""
    first_bet(phases)
    following = 'Next: step 14, your bet, phases.predict("modules", ...).'
    assert following == keeping.plot(phases).lines[-1]
    betting.predict(phases, "modules", {"cjs": "tick promise", "mjs": "promise tick"})
    assert following not in keeping.plot(phases).lines


def test_below_a_record_that_is_shown_besides_stands_the_step_after_its_measurement(tmp_path: Path) -> None:
    """The cell of ``places.evidence("victim")`` is one of the learner's own: "the cell below" may be none."""
    it = places_room.session(tmp_path)
    betting.predict(it, "victim", {"sync": "both", "callback": "stat"})
    personas.look(it, "victim")
    assert "Next: step 14, your script, the cell with %%node places." == keeping.evidence(it, "victim").lines[-1]


def test_a_further_record_sends_nobody_on(tmp_path: Path) -> None:
    """What stands under "further" is no step, and its cell may be the last one."""
    it = places_room.session(tmp_path)
    personas.look(it, "table")
    assert not [line for line in keeping.evidence(it, "table").lines if line.startswith("Next")]


def test_the_way_past_sends_to_the_script_where_there_is_none(phases: Session) -> None:
    """What it is measured with has to be written first."""
    assert 'Next: your script, the cell with %%node phases; then phases.measure("B").' == keeping.skip(phases).lines[-1]


def test_a_way_past_that_did_not_open_is_told_while_something_is_open(tmp_path: Path) -> None:
    """With the step to go back to; when all of that is done it is no news."""
    it = classroom.session(tmp_path)
    keeping.skip(it)
    personas.look(it, "state", open=[1])
    told = "The way past did not open this time: go back to step 3; nothing is lost."
    assert told in keeping.check(it).lines
    gates_people.knows(it)
    assert not [line for line in keeping.check(it).lines if line.startswith("The way past")]


def test_a_recorded_run_says_so_before_it_says_what_comes(tmp_path: Path) -> None:
    """What to do next is the last line, also of one that was kept."""
    it = phases_room.session(tmp_path)
    betting.predict(it, "four", {"file": ORDER, "timer": ORDER})
    first = personas.look(it, "four")
    again = personas.look(it, "four")
    assert "kept" == again.state
    assert first.lines[-1] == again.lines[-1]
    assert again.lines[-1].startswith("Next: ")
    assert again.lines[-2].startswith("Kept from ")


def test_the_call_of_the_last_question_is_in_one_piece(phases: Session) -> None:
    """A line that is too long is parted before the call."""
    assert "phases.recall(...)   no points" in keeping.recall(phases, (), {}).text.splitlines()
    assert "phases.recall(...)   no points" in keeping.check(phases).text.splitlines()
