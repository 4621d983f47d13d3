"""One factual sentence about Node, and where it is written: what a lab's table of claims is made of."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Sentence:
    """One sentence of a lab about Node that a test can hold against a Node.

    Attributes:
        slug: Names what holds it: ``tests/test_SLUG_claims.py`` of the lab has one test for each sentence.
        says: The sentence, in the words of the lab or close to them.
        where: The step, or the file, that says it.
        source: Where it is written in Node, libuv or their documentation, or that it is counted.
    """

    slug: str
    says: str
    where: str
    source: str
