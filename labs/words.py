"""Numbers and lists as a person would write them."""

from __future__ import annotations

from collections.abc import Sequence

_SMALL = (
    "no one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen twenty"
).split()
_ORDINALS = (
    "zeroth first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth "
    "fifteenth sixteenth seventeenth eighteenth nineteenth twentieth"
).split()


#: Characters in a line of an answer.
WIDTH = 110


def number(value: int, *, capital: bool = False) -> str:
    """Return a count in letters up to twenty, in digits above.

    >>> number(4, capital=True)
    'Four'
    """
    text = _SMALL[value] if 0 <= value < len(_SMALL) else str(value)
    return text.capitalize() if capital else text


def ordinal(value: int) -> str:
    """Return a place in letters up to the twentieth, in digits above.

    >>> ordinal(10), ordinal(42)
    ('tenth', '42nd')
    """
    if 0 <= value < len(_ORDINALS):
        return _ORDINALS[value]
    ending = "th" if 10 <= value % 100 <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(value % 10, "th")
    return f"{value}{ending}"


def counted(value: int, noun: str, plural: str = "") -> str:
    """Return a count with its noun.

    >>> counted(1, "gate"), counted(7, "opening")
    ('1 gate', '7 openings')
    """
    return f"{value} {noun if value == 1 else plural or noun + 's'}"


def some(items: Sequence[object], most: int = 4) -> str:
    """Return the first items with commas; of more than ``most`` the others are counted.

    >>> some(["a", "b"]), some(range(1, 24), 3)
    ('a, b', '1, 2, 3 and 20 more')
    """
    told = ", ".join(str(item) for item in items[:most])
    return told if len(items) <= most else f"{told} and {len(items) - most} more"


def listed(items: Sequence[object], last: str = "and") -> str:
    """Return the items with commas and a last word.

    >>> listed([1, 2, 3])
    '1, 2 and 3'
    """
    words = [str(item) for item in items]
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} {last} {words[-1]}"


def spaced(items: Sequence[object], most: int = 8, form: str = "{}") -> str:
    """Return the items with spaces between; a long row is cut in its middle.

    >>> spaced(range(1, 31))
    '1 2 3 4 5 6 ... 30'
    """
    words = [form.format(item) for item in items]
    if len(words) > most:
        words = [*words[: most - 2], "...", words[-1]]
    return " ".join(words)


def beside(left: str, right: str, column: int = 59, width: int = WIDTH) -> str:
    """Return two texts in one line, the second from a fixed column where there is room for it."""
    gap = max(3, min(column - len(left), width - len(left) - len(right)))
    return f"{left}{' ' * gap}{right}" if right else left
