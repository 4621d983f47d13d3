"""The model beside every order in which threads may run."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from labs.job import Job
from labs.pool import held
from tests.interleavings import World, at_first
from tests.programs import Program, predicted, programs, seen_of


@settings(max_examples=200, deadline=None)
@given(st.booleans().flatmap(lambda names: programs(names=names)))
def test_the_model_is_the_only_outcome_of_a_settled_program(program: Program) -> None:
    """Two transcripts of libuv agree after every step; the second tries all orders."""
    world, state = World(program.pool), at_first(program.pool)
    for step, expected in zip(program.steps, predicted(program), strict=True):
        rests = world.submit(state, step.submit) if step.submit else world.release(state, step.release or "")
        (state,) = rests
        assert expected == seen_of(state)


@settings(max_examples=50, deadline=None)
@given(st.lists(st.sampled_from("ghr"), min_size=1, max_size=4), st.integers(1, 3))
def test_without_names_nothing_is_left_to_the_operating_system(kinds: list[str], size: int) -> None:
    """One line, first come, first served: any burst of opens, hashes and reads comes to the same rest."""
    makes = {"g": (None, 1), "h": (0.0, 1), "r": (0.0, 2)}
    burst = [Job(f"{kind}{i}", "file", makes[kind][0], makes[kind][1]) for i, kind in enumerate(kinds)]
    seen = {seen_of(state) for state in World(size).submit(at_first(size), burst)}
    assert 1 == len(seen)


def test_names_before_files_in_one_burst_are_left_to_the_operating_system() -> None:
    """Whether a second name starts depends on whether a worker woke before the opens were asked for."""
    burst = [held("n1", "name"), held("n2", "name"), held("g1"), held("g2"), held("g3"), held("g4")]
    rests = World(4).submit(at_first(4), burst)
    assert {("g1", "g2", "g3", "n1"), ("g1", "g2", "n1", "n2")} == {seen_of(state).held for state in rests}


@pytest.mark.parametrize("size", [1, 2, 4])
def test_files_before_names_are_not(size: int) -> None:
    """The opens come first in any order of waking."""
    burst = [held("g1"), held("n1", "name"), held("n2", "name"), held("n3", "name")]
    assert 1 == len(World(size).submit(at_first(size), burst))
