"""Every lab's table of claims: what it says of Node is held by a test, sentence by sentence."""

from __future__ import annotations

from importlib import import_module

import pytest

from labs import catalog
from labs.sentence import Sentence

#: Has no table: what it says is held by tests/test_gates_conduct.py and by the recorded runs.
WITHOUT = {"gates"}


@pytest.mark.parametrize("slug", [slug for slug in catalog.slugs() if slug not in WITHOUT])
def test_every_sentence_about_node_has_its_test_and_says_where_it_stands(slug: str) -> None:
    """No sentence without a test and no test without its sentence, in one order, each once; step and source are given."""
    claims: tuple[Sentence, ...] = import_module(f"labs.{slug}.claims").CLAIMS
    assert [claim.slug for claim in claims] == [*import_module(f"tests.test_{slug}_claims").HELD]
    assert all(claim.says and claim.where and claim.source for claim in claims)
