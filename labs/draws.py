"""Seeds: the same learner gets the same numbers on every machine, and another learner others."""

from __future__ import annotations

import hashlib


def seed(course: str, learner: str, lab: str, draw: int) -> int:
    """Return the seed of one draw, an integer below 2**53 (exact in JSON readers that know only doubles).

    Args:
        course: The course's id with its salt; empty for self-paced study.
        learner: The learner's id: random at the first start, no name.
        lab: The lab's slug.
        draw: Which draw, from 0.
    """
    digest = hashlib.sha256("\x1f".join((course, learner, lab, str(draw))).encode()).digest()
    return int.from_bytes(digest[:8], "big") >> 11
