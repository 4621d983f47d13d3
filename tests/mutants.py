"""Pools that are not libuv's: each breaks one rule. Recorded traces of real Node must tell every one of them apart."""

from __future__ import annotations

from collections.abc import Callable

from labs.libuv import MARKER, Threadpool


class RoundedDown(Threadpool):
    """Half the slots for names, rounded down (at least one)."""

    def __init__(self, size: int) -> None:
        super().__init__(size)
        self.threshold = max(1, size // 2)


class NoThreshold(Threadpool):
    """Names may take every slot."""

    def __init__(self, size: int) -> None:
        super().__init__(size)
        self.threshold = size


class AlwaysTwo(Threadpool):
    """Two names at once, whatever the size."""

    def __init__(self, size: int) -> None:
        super().__init__(size)
        self.threshold = min(2, size)


class NewestFirst(Threadpool):
    """The last request is taken first."""

    def take(self) -> int | None:
        """Look from the wrong end."""
        self.line.reverse()
        try:
            return super().take()
        finally:
            self.line.reverse()


class NewestNameFirst(Threadpool):
    """The last name is looked up first."""

    def post(self, task: int, slow: bool) -> None:
        """Put a name before the names that wait."""
        super().post(task, slow)
        if slow:
            self.pending.rotate(1)


class OneMore(Threadpool):
    """A slot more than was asked for."""

    def __init__(self, size: int) -> None:
        super().__init__(size + 1)


class AlwaysFour(Threadpool):
    """Four slots, whatever was asked for."""

    def __init__(self, size: int) -> None:
        super().__init__(4)


class MarkerKeepsItsPlace(Threadpool):
    """At the threshold the marker stays at the head and later work overtakes it."""

    def take(self) -> int | None:
        """Take the task behind the marker without moving the marker."""
        if len(self.line) > 1 and self.line[0] == MARKER and self.slow_running >= self.threshold:
            self.line.popleft()
            task = self.line.popleft()
            self.line.appendleft(MARKER)
            return task
        return super().take()


class MarkerStaysInFront(Threadpool):
    """After a name was taken the marker goes to the head again: names in a row, not in turn."""

    def take(self) -> int | None:
        """Put a marker that was just re-appended in front."""
        head = self.line[0] if self.line else None
        free = self.slow_running < self.threshold
        task = super().take()
        if head == MARKER and free and self.marked:
            self.line.rotate(1)
        return task


class MarkerIsForgotten(Threadpool):
    """After a name was taken the others that wait get no marker; only a new request makes one."""

    def take(self) -> int | None:
        """Drop the marker that was just re-appended."""
        running = self.slow_running
        task = super().take()
        if self.slow_running > running and self.marked:
            self.line.pop()
            self.marked = False
        return task


class OneLineForAll(Threadpool):
    """Names wait in the line like everything else; at the threshold the head blocks the line."""

    def __init__(self, size: int) -> None:
        super().__init__(size)
        self.names: set[int] = set()

    def post(self, task: int, slow: bool) -> None:
        """Put everything in the line."""
        self.line.append(task)
        if slow:
            self.names.add(task)

    def take(self) -> int | None:
        """Take the head, unless it is a name too many."""
        if not self.line or (self.line[0] in self.names and self.slow_running >= self.threshold):
            return None
        task = self.line.popleft()
        self.slow_running += task in self.names
        return task


class Reserved(Threadpool):
    """Half the slots are kept for names: other work never takes them."""

    def __init__(self, size: int) -> None:
        super().__init__(size)
        self.others = 0

    def take(self) -> int | None:
        """Leave other work in the line once its share is taken."""
        if self.line and self.line[0] != MARKER and self.others >= max(1, self.size - self.threshold):
            if MARKER not in self.line or self.slow_running >= self.threshold:
                return None
            self.line.remove(MARKER)
            self.line.appendleft(MARKER)
        running = self.slow_running
        task = super().take()
        self.others += task is not None and self.slow_running == running
        return task

    def ended(self, slow: bool) -> None:
        """Give the share back."""
        super().ended(slow)
        self.others -= not slow


#: Rule -> the pools that break it.
MUTANTS: dict[str, tuple[Callable[[int], Threadpool], ...]] = {
    "threshold": (RoundedDown, NoThreshold, AlwaysTwo, Reserved),
    "line": (NewestFirst, NewestNameFirst, OneLineForAll),
    "size": (OneMore, AlwaysFour),
    "marker": (MarkerKeepsItsPlace, MarkerStaysInFront, MarkerIsForgotten),
}

EVERY_MUTANT = tuple(mutant for group in MUTANTS.values() for mutant in group)
