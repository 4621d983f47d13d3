"""The numbers of one draw: which calls, in which order, how many slots.

Every learner gets another choice of calls, and another order, from kinds that split the stories equally well: so the row that a
story predicts is of another order for the neighbour, and different from every other story's in every draw.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

from labs.places.facts import CALLS, SIX, SIX_MORE
from labs.spec import Parameters, Shape

#: Pool sizes; never four, so that nobody takes the default for a law.
POOLS = (3, 5, 6)
#: Slots, and jobs, of the measure that shows the victim: few, so that it is short on one core too.
VICTIM_POOLS = (2, 3)
#: What the eight lines of the puzzle are taken from: no name in them ends in Sync.
STOPS = (
    "hash-stream", "hmac-stream", "cipher-stream", "hash", "sign", "verify", "create-sign", "random-bytes-sync", "random-uuid",
    "parse-promise", "clone-promise", "sort-promise", "match-promise", "crc32",
)  # fmt: skip
POOLED = (
    "gzip-stream", "subtle-digest", "random-bytes", "sign-callback", "verify-callback", "scrypt", "watch-file", "lookup-name",
    "listen-name", "gzip", "hkdf", "fetch-name", "http-name", "read-stream", "subtle-generate-key",
)  # fmt: skip
ELSEWHERE = ("http-address", "fetch-address", "connect-address", "watch", "resolve4", "own-lookup")
LINES = 8
#: What the free table tries: everything that is in neither bet.
TABLE = tuple(
    slug
    for slug in CALLS
    if slug not in {one for kinds in (SIX, SIX_MORE) for slugs in kinds.values() for one in slugs}
)


def draw(chance: random.Random, shape: Shape) -> Mapping[str, Parameters]:
    """Return the parameters of every thing in this lab; nothing here depends on the machine."""
    pool = chance.choice(POOLS)
    six, more = _chosen(chance, SIX), _chosen(chance, SIX_MORE)
    return {
        "six": {"calls": six, "pool": pool},
        "six more": {"calls": more, "pool": pool},
        "victim": {"pool": chance.choice(VICTIM_POOLS)},
        "own": {"pool": pool, "orders": chance.randint(1, 10**6)},
        "lines": {"lines": _lines(chance), "pool": pool},
        "why": {"pool": pool},
        "cannot": _cannot(chance, pool),
        "service": _service(chance),
        "recall": {
            "call": chance.choice([*SIX["stream"], *SIX["name"], *SIX["sign"], "watch-file", "sign-callback", "gzip"])
        },
        "table": {"calls": list(TABLE), "pool": 3},
        "parse": {},
        "innocent": {},
        "trips": {},
        "sockets": {},
    }


def _chosen(chance: random.Random, kinds: Mapping[str, tuple[str, ...]]) -> list[str]:
    chosen = [chance.choice(slugs) for slugs in kinds.values()]
    chance.shuffle(chosen)
    return chosen


def _lines(chance: random.Random) -> list[str]:
    stops = chance.choice((3, 4))
    lines = [*chance.sample(STOPS, stops), *chance.sample(POOLED, LINES - stops - 2), *chance.sample(ELSEWHERE, 2)]
    chance.shuffle(lines)
    return lines


def _cannot(chance: random.Random, pool: int) -> dict[str, Any]:
    """Choose what the three claims speak of; see questions.py."""
    return {
        "pool": pool,
        "never": chance.choice([slug for slug in STOPS if slug not in {"random-uuid", "crc32", "hash"}]),
        "served": chance.choice(["http-address", "fetch-address", "connect-address"]),
        "sockets": chance.choice([500, 1000, 2000]),
    }


def _service(chance: random.Random) -> dict[str, Any]:
    """Choose a parser's speed and a budget that divide without a rest: the limit is a whole number of megabytes."""
    per_megabyte = chance.choice([4, 5, 6])
    limit = chance.choice([2, 3])
    return {
        "size": 12,
        "stall": 12 * per_megabyte,
        "budget": limit * per_megabyte,
        "proposed": chance.choice([32, 64, 128]),
    }
