"""The lint holds every lab but the first to a warm-up that can be asked, solved and does not give itself away."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from course import build, lint, recorded, warming
from labs import catalog
from labs.phases.warm import GATES
from labs.spec import Lab, Scene

PHASES = catalog.load("phases")


def found(lab: Lab) -> str:
    """Return what the lint finds in a lab's warm-ups."""
    return "\n".join(lint.warm_ups(lab))


def test_the_first_lab_needs_no_warm_up_and_every_other_does() -> None:
    """There is nothing to remember before the first."""
    assert "" == found(catalog.load("gates"))
    assert "asks nothing about an earlier lab" in found(dataclasses.replace(PHASES, warm_ups=()))


def test_a_warm_up_stands_right_after_the_opening() -> None:
    """Before anything new."""
    late = (*PHASES.steps[:2], *PHASES.steps[3:5], "recall gates", *PHASES.steps[5:])
    assert "the step 'recall gates' stands right after 'ready?'" in found(dataclasses.replace(PHASES, steps=late))


def nothing(scene: Scene) -> int:
    """Fail as a function does whose record shows nothing."""
    raise ValueError("nothing to see")


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"lab": "waves"}, "does not speak of an earlier lab"),
        ({"lab": "phases"}, "does not speak of an earlier lab"),
        ({"lab": "nowhere"}, "does not speak of an earlier lab"),
        ({"measure": "two gates"}, "speaks of the measure 'two gates', which that lab does not have"),
        ({"measure": "free"}, "has no recorded run that can be read: gates has no recorded run of 'free'"),
        ({"solve": lambda scene: 9}, "states its answer in the question: 9"),
        ({"solve": lambda scene: 4}, "states its answer in the question: 4"),
        ({"solve": lambda scene: 99}, "cannot be solved on its recorded run: Refusal"),
        ({"solve": nothing}, "cannot be solved on its recorded run: ValueError nothing to see"),
        ({"solve": lambda scene: "5"}, "is answered by '5', which is read as 5"),
        ({"because": lambda scene: ("That is wrong.",)}, "says 'wrong'"),
    ],
)
def test_a_warm_up_that_cannot_be_asked_or_gives_itself_away_is_found(changes: dict[str, Any], said: str) -> None:
    """Where it speaks of, what stands in, and whether its answer has to be remembered."""
    assert said in found(dataclasses.replace(PHASES, warm_ups=(dataclasses.replace(GATES, **changes),)))


def test_a_recorded_run_of_another_measure_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The question would speak of what nobody sees."""
    gates = catalog.load("gates")
    other = recorded.path(gates, gates.measure("start"))
    monkeypatch.setattr(recorded, "path", lambda lab, measure: other)
    assert "has a recorded run of 'start', not of 'one gate'" in found(PHASES)


def test_two_warm_ups_about_one_lab_are_found() -> None:
    """The second could not be called."""
    assert "two warm-ups about one lab" in found(dataclasses.replace(PHASES, warm_ups=(GATES, GATES)))


def test_a_warm_up_without_a_cell_is_found() -> None:
    """It would never be asked."""
    master = next(path for path in build.masters() if build.slug_of(path) == "places")
    finding = "the warm-up about gates has no cell in its master"
    assert finding in list(lint.lint(dataclasses.replace(PHASES, slug="other"), master))
    assert finding not in list(lint.lint(catalog.load("places"), master))


def test_the_warm_ups_have_no_finding() -> None:
    """Of the labs that have them."""
    asking = [lab for slug in catalog.slugs() if (lab := catalog.load(slug)).warm_ups]
    assert {"phases", "places"} <= {lab.slug for lab in asking}
    assert [] == [finding for lab in asking for finding in lint.warm_ups(lab)]


def test_every_recorded_run_that_stands_in_can_be_read() -> None:
    """The file is there, and is of the lab it is said to be of."""
    every = [warm for slug in catalog.slugs() for warm in catalog.load(slug).warm_ups]
    assert [warm.lab for warm in every] == [warming.recorded(warm).lab for warm in every]
