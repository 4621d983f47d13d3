"""Random programs on the pinned Node beside the model: what is held and done after every step, exactly.

`make test` runs 120 programs, `make proof` 5,000 (or as many as FOURTHREADS_PROGRAMS says).
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from hypothesis import HealthCheck, Phase, given, settings

from labs import room_namespace
from tests.needs import refuse
from tests.node_programs import Runner, runner
from tests.programs import Program, predicted, programs

pytestmark = pytest.mark.node

QUICK = 60
THOROUGH = int(os.environ.get("FOURTHREADS_PROGRAMS", "5000")) // 2
COMMAND = (sys.executable, "-m", "tests.node_programs")


@contextmanager
def room_for(names: bool) -> Iterator[Runner]:
    """Give a runner: on this machine, or for names in the room where port 53 is ours."""
    if not names:
        with runner(COMMAND) as here:
            yield here
        return
    offer = room_namespace.offers()
    if not offer.ok:
        refuse(offer.reason)
    with runner(room_namespace.command([*COMMAND, "names"])) as inside:
        yield inside


def agree(names: bool, count: int, *, again: bool) -> None:
    """Run so many programs; ``again`` takes the same ones every time."""
    with room_for(names) as node:

        @settings(
            max_examples=count, deadline=None, database=None, derandomize=again,
            phases=[Phase.generate, Phase.shrink], suppress_health_check=list(HealthCheck),
        )  # fmt: skip
        @given(programs(names=names))
        def each(program: Program) -> None:
            assert predicted(program) == node.run(program)

        each()


@pytest.mark.timeout(300)
@pytest.mark.parametrize("names", [False, True], ids=["files-and-hashes", "with-names"])
def test_node_does_what_the_model_says(names: bool) -> None:
    """Sixty programs each; the same ones in every run, so that a failure is a change and no luck."""
    agree(names, QUICK, again=True)


@pytest.mark.slow
@pytest.mark.timeout(0)
@pytest.mark.parametrize("names", [False, True], ids=["files-and-hashes", "with-names"])
def test_node_does_what_the_model_says_thousands_of_times(names: bool) -> None:
    """Half of the programs each, new ones in every run."""
    agree(names, THOROUGH, again=False)
