"""What all runs of one measure share."""

from __future__ import annotations

from dataclasses import dataclass

from labs.calibrate import Workers
from labs.launch import Bounds
from labs.supervise import Stage


@dataclass(frozen=True)
class Setting:
    """One measure's script, machine and work.

    Attributes:
        stage: Launches Node.
        script: The JavaScript.
        tasks: Hashes in a whole run.
        cores: The cores all runs are bound to.
        rounds: Rounds of one hash.
        service: Processor seconds that one hash is meant to take.
        workers: The control.
    """

    stage: Stage
    script: str
    tasks: int
    cores: tuple[int, ...]
    rounds: int
    service: float
    workers: Workers

    @property
    def alone(self) -> float:
        """Return for how long one hash lasts alone (seconds): longer than its service where a quota gives less than a core."""
        return self.service / self.workers.timing.share

    @property
    def bounds(self) -> Bounds:
        """Return bounds that leave room for every hash on the loop's own thread: a slip this lab names, not a fault."""
        return Bounds(stall=5.0 + 4 * self.tasks * self.service)
