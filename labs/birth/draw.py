"""The numbers of one draw: sizes that are no default and no number of cores, values that only C reads as it does."""

from __future__ import annotations

import random
from collections.abc import Mapping

from labs.spec import Parameters, Shape

SIZES = (5, 6, 7, 9, 10, 11)
WORDS = ("abc", "many", "auto", "max")
ENDS = ("abc", "x", " threads", "k")
BLANKS = ("word", "tail", "power", "minus")
DEFAULT = 4


def draw(chance: random.Random, shape: Shape) -> Mapping[str, Parameters]:
    """Return the parameters of every thing in this lab: no size is 4 or the number of cores, no two are equal."""
    able = [size for size in SIZES if size != shape.cores]
    size, line, tail, own = chance.sample(able, 4)
    given = chance.choice([other for other in (2, 3, 8, 12, 14) if other != shape.cores])
    jobs = chance.choice([40, 50, 60, 80])
    values = [
        chance.choice(WORDS),
        f"{tail}{chance.choice(ENDS)}",
        f"{chance.choice([1, 2])}e{chance.choice([1, 2])}",
        "-1",
    ]
    wanted = chance.choice([16, 24, 32])
    return {
        "first": {"size": size, "jobs": jobs},
        "line": {"size": line},
        "value": {"values": values},
        "bill": {"size": chance.choice([64, 128, 256])},
        "exit": {"jobs": chance.choice([120, 150, 180, 200])},
        "unset": {"size": own, "given": given},
        "both": {"size": own, "given": given},
        "why": {},
        "cannot": {"small": chance.choice([2, 3, 5]), "large": chance.choice([8, 12, 16])},
        "service": {"wanted": wanted},
        "recall": {"value": chance.choice([*values[:2], "0", "-1", "1e3"])},
        "ways": {"size": line}, "sizes": {}, "limit": {},
        "odd": {"values": ["0", "", "abc", "0x10", "8abc", "2.9", "+5", "1e3", "-1", "1025", "000000000000006", "0000000000000006"]},
    }  # fmt: skip
