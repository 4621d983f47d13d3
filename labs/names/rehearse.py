"""The dry run of the learner's ``lookup``: two hosts, one visit of each, twice. All of it helps, and earns nothing.

No two visits of one host come at the same moment here: what happens then is for the measurement to show.
"""

from __future__ import annotations

from typing import Any, Literal

from msgspec import Struct

from labs.errors import ScriptError
from labs.names.flying import launched
from labs.names.setting import HOSTS, LATE, LATE_ADDRESS
from labs.names.visiting import VISIT, answer_all, counted
from labs.names.watch import lookups
from labs.names.web import Web
from labs.nameserver import NameServer
from labs.rehearsal import BOUNDS
from labs.request import Request
from labs.supervise import NodeRun, Stage

NAMES = ("shop.test", "mail.test")


class Seen(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What the dry run saw.

    Attributes:
        problem: Why it did not run to its end, or None: ``syntax``, ``error`` (it threw), ``stopped`` (by a bound, or by itself).
        message: What to say about it.
        text: What it printed, without our frames.
        visiting: Whether ``visit`` was called.
        rounds: How many rounds of visits came to their end.
        failures: Host and code of each visit that failed and should not have.
        counts: As in the measure ``cache``.
    """

    problem: Literal["syntax", "error", "stopped"] | None = None
    message: str = ""
    text: str = ""
    visiting: bool = False
    rounds: int = 0
    failures: tuple[tuple[str, str], ...] = ()
    counts: dict[str, int] = {}


def rehearse(request: Request, stage: Stage) -> Seen:
    """Run the learner's script dry and return what was seen."""
    with Web(stage, ("127.0.0.1", *HOSTS.values(), LATE_ADDRESS)) as web, NameServer(stage) as server:
        given = {"pool": None, "hosts": list(NAMES), "times": 1, "late": LATE, "port": web.port}
        with launched(
            given,
            stage,
            "rehearsal",
            request.script or "",
            keep=False,
            node_args=("--require", str(VISIT)),
            bounds=BOUNDS,
        ) as run:
            problem: ScriptError | None = None
            try:
                answer_all(run, server)
                run.wait_exit()
            except ScriptError as found:
                problem = found
            return _seen(run, problem, counted(NAMES, 1, lookups(server.log()), web.visits()))


def _seen(run: NodeRun, problem: ScriptError | None, counts: dict[str, int]) -> Seen:
    run.stop()
    try:
        claims = run.claims()
    except ScriptError as found:
        claims, problem = [], found
    kinds: set[str] = {claim.kind for claim in claims}
    reports = [claim.value for claim in claims if claim.kind == "report" and isinstance(claim.value, dict)]
    rounds = [report for report in reports if "round" in report]
    why: Literal["syntax", "error", "stopped"] | None = None
    if "error" in kinds:
        why = "error" if "begin" in kinds else "syntax"
    elif problem is not None or run.ending != "exited":
        why = "stopped"
    return Seen(
        problem=why,
        message=str(problem or run.failure()) if why else "",
        text=run.text,
        visiting=any("visiting" in report for report in reports),
        rounds=len(rounds),
        failures=tuple(_failures(rounds)),
        counts=counts,
    )


def _failures(rounds: list[dict[str, Any]]) -> list[tuple[str, str]]:
    """Return what failed, but for the late host in the first round, which fails by design."""
    found = []
    for place, one in enumerate(rounds, 1):
        for host, code in one.get("ends", []):
            if (host, place) != (LATE, 1):
                found.append((str(host), str(code)))
    return found
