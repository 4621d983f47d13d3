"""The lint finds what a lab must not have, and finds nothing in the course as it is."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from course import build, lint
from labs import catalog
from labs.spec import Story

GATES = catalog.load("gates")


def test_the_course_is_clean() -> None:
    """Every lab, every notebook."""
    assert [] == list(lint.course())


def test_constant_answers_earn_little() -> None:
    """Bets, and now and then a lucky letter."""
    assert 0.20 < lint.asleep(GATES) < lint.ASLEEP


def test_stories_that_only_some_draws_tell_apart_are_found() -> None:
    """A draw must not decide whether two stories can be told apart."""
    shy = Story("shy", "shy", lambda scene: {"start": {"held": 4}, "one gate": {"held": 3, "starts": ()}}, {})
    found = list(lint.stories(dataclasses.replace(GATES, stories=(*GATES.stories, shy))))
    assert any("shy" in finding for finding in found)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"minutes": 45}, "takes 45 minutes"),
        ({"bets": GATES.bets * 2}, "has 6 bets"),
        ({"items": GATES.items[:2]}, "of its points for artefact"),
    ],
)
def test_a_lab_beyond_the_limits_is_found(changes: dict[str, object], said: str) -> None:
    """Minutes, bets, shares of the points."""
    found = list(lint.lint(dataclasses.replace(GATES, **changes), None))  # type: ignore[arg-type]
    assert any(said in finding for finding in found)


def test_long_texts_and_harsh_words_are_found(tmp_path: Path) -> None:
    """More than 100 words between two things to do; a word that is never said."""
    master = next(path for path in build.masters() if build.slug_of(path) == "gates")
    text = master.read_text().replace("There is no stopwatch here", "You are wrong. " + "word " * 101, 1)
    changed = tmp_path / master.name
    changed.write_text(text)
    found = list(lint.lint(GATES, changed))
    assert any("'wrong'" in finding for finding in found)
    assert any("words stand" in finding for finding in found)


@pytest.mark.parametrize(
    ("text", "expected"), [("two words", 2), ("a `code` word", 2), ("[a link](http://x.y/z)", 2), ("it's one", 2)]
)
def test_words_are_counted_as_read(text: str, expected: int) -> None:
    """Code and addresses are none."""
    assert expected == lint.words(text)
