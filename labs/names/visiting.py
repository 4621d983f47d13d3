"""Measures with hosts that are visited: who gets through while names hang, what a cache saves, what each way costs and loses.

``through``
    ``hanging`` names are asked for that nobody answers; behind them five requests in the order ``order``. What other names are
    asked for is answered at once. At rest it is noted who is back; then everything is answered, and it is noted again.
``cache``
    The learner's ``lookup`` is used for two rounds of visits: every one of ``hosts`` names ``times`` times at once, and one name
    that does not exist in the first round. Questions are counted at the name server, visits at the visited hosts.
``ways``
    Five ways to visit one name ``visits`` times, then a name of the hosts file and one that needs the search domain; and
    ``names`` asked for at once with ``lookup`` and with ``resolve4``.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from labs.errors import SetupError
from labs.flight import State
from labs.given import whole
from labs.measurement import Run, Source
from labs.names.flying import Given, in_flight, launched
from labs.names.setting import (
    DOMAIN,
    HANGING,
    HOSTS,
    KINDS,
    LATE,
    LATE_ADDRESS,
    OFTEN,
    OFTEN_ADDRESS,
    SHORT,
    SHORT_ADDRESS,
    WAYS,
)  # fmt: skip
from labs.names.watch import REST, Watch, lookups, tasks_of
from labs.names.web import Visit, Web
from labs.nameserver import NameServer
from labs.request import Request
from labs.room_namespace import HOSTS_ADDRESS, HOSTS_NAME
from labs.said import Restless
from labs.supervise import NodeRun, Stage

#: Gives the script its ``visit``.
VISIT = Path(__file__).with_name("visit.cjs")


def _text(name: str) -> str:
    return Path(__file__).with_name(name).read_text(encoding="utf-8")


# -- through ----------------------------------------------------------------------------------------------------------


def through(request: Request, stage: Stage) -> tuple[Run, ...]:
    """See who is back while names hang, and who when they are answered.

    Raises:
        SetupError: The order is not one of the five requests.
    """
    order = request.parameters.get("order")
    if not isinstance(order, list) or sorted(map(str, order)) != sorted(KINDS):
        raise SetupError(f"order must hold {', '.join(KINDS)}, each once; not {order!r}.")
    whole(request.parameters, "hanging", 1, 100)
    with Web(stage, ("127.0.0.1",)) as web, NameServer(stage) as server:
        given = {**request.parameters, "port": web.port}
        with launched(given, stage, "through", _text("through.mjs")) as run:
            stage.progress(0, 1, "waiting until nothing moves but what hangs")
            asked = tuple(str(number) for number in range(1, len(order) + 1))
            watch = Watch(run, server, asked)
            state = _answer_others(watch, server, web)
            hang, before = watch.steps[-1], web.visits()
            flying, seen = state.names, state.seen
            while state.names:
                server.release()
                state = _quiet(watch, server, web, "answer everything")
            watch.steps = [hang, watch.steps[-1]]
            counts = {
                "names_in_flight": len(flying),
                "held_slots": sum(slot is not None for slot in hang.slots),
                "pool_threads": len(hang.slots),
                # The visit that made the connection is not one of the five; the request for another name is seen at the server.
                "through": len(before) - 1 + ("other.test" in seen),
                "kept_lookups": lookups(server.log()).get("kept.test", 0),
                "back": len(hang.finished),
            }
            sources: dict[str, Source] = {"back": "claimed"}
            done = run.finish(
                counts=counts,
                sources=sources,
                steps=watch.steps,
                tasks=tasks_of(server.log(), run),
                claims=watch.claims(),
            )
    return (done,)


def _answer_others(watch: Watch, server: NameServer, web: Web) -> State:
    """Answer what does not hang until only that is left."""
    while True:
        state = _quiet(watch, server, web, "hang")
        others = [name for name in state.names if not name.startswith(HANGING)]
        if not others and any(name.startswith(HANGING) for name in state.names):
            return state
        if others:
            server.release(*others)


def _quiet(watch: Watch, server: NameServer, web: Web, action: str) -> State:
    """Wait until Node, the name server and the visited hosts stand still together: an answer on its way wakes Node again.

    Raises:
        Restless: That did not happen in time.
    """
    end = time.monotonic() + REST
    seen: object = None
    while True:
        state = watch.rest(action)
        now = (state.changes, len(web.visits()), watch.steps[-1].finished)
        if now == seen:
            return state
        seen = now
        if time.monotonic() > end:
            raise Restless(
                "Your machine was too busy to watch: visits kept arriving. Nothing is lost; run the cell again later."
            )


# -- cache ------------------------------------------------------------------------------------------------------------


def cache(request: Request, stage: Stage) -> tuple[Run, ...]:
    """Use the learner's ``lookup`` for two rounds of visits, and count questions and visits."""
    given = _sized(request.parameters, smoke=request.smoke)
    names = tuple(HOSTS)[: whole(given, "hosts", 1, len(HOSTS))]
    times = whole(given, "times", 1, 20)
    text = request.script if request.script is not None else _text("plain.mjs")
    with Web(stage, ("127.0.0.1", *HOSTS.values(), LATE_ADDRESS)) as web, NameServer(stage) as server:
        parameters = {**given, "hosts": list(names), "times": times, "late": LATE, "port": web.port}
        with launched(parameters, stage, "cache", text, keep=False, node_args=("--require", str(VISIT))) as run:
            stage.progress(0, 1, "two rounds of visits")
            answer_all(run, server)
            if run.ending != "exited":
                raise run.failure()
            log = server.log()
            counts = counted(names, times, lookups(log), web.visits())
            claims = {"report": [claim.value for claim in run.claims() if claim.kind == "report"]}
            return (run.finish(counts=counts, tasks=tasks_of(log, run), claims=claims),)


def answer_all(run: NodeRun, server: NameServer) -> None:
    """Answer everything until the run has ended; the late host exists from the moment its first question was answered."""
    table = {**{name: [address] for name, address in HOSTS.items()}, LATE: [], "localhost": []}
    server.answers(table)
    while run.ending is None:
        if not run.wait_until(lambda: bool(server.state().names), within=REST):
            continue  # a run that neither asks nor ends meets its bound in time
        names = server.state().names
        server.release(*names)
        if LATE in names and not table[LATE]:
            table[LATE] = [LATE_ADDRESS]
            # Only now: the questions of the first lookup (for both families) were answered above.
            server.answers(table)


def counted(names: Sequence[str], times: int, asked: dict[str, int], visits: Sequence[Visit]) -> dict[str, int]:
    """Return what was counted outside of Node.

    ``lookups`` of the hosts, the most of one host, ``late_lookups``, ``visits`` that arrived where their host lives, ``misdirected``
    ones, ``late_visits``, and how many were due.
    """
    lives = {**HOSTS, LATE: LATE_ADDRESS}
    right = [visit for visit in visits if lives.get(visit.host) == visit.address]
    of_hosts = [asked.get(name, 0) for name in names]
    return {
        "lookups": sum(of_hosts) + asked.get(LATE, 0),
        "host_lookups": sum(of_hosts),
        "most_lookups": max(of_hosts),
        "least_lookups": min(of_hosts),
        "late_lookups": asked.get(LATE, 0),
        "other_lookups": sum(count for name, count in asked.items() if name not in (*names, LATE)),
        "visits": sum(visit.host in names for visit in right),
        "visits_due": 2 * len(names) * times,
        "late_visits": sum(visit.host == LATE for visit in right),
        "misdirected": len(visits) - len(right),
        "connections": len({visit.connection for visit in visits}),
    }


def _sized(given: Given, *, smoke: bool) -> dict[str, Any]:
    return {**given, "hosts": 2, "times": 2} if smoke else dict(given)


# -- ways -------------------------------------------------------------------------------------------------------------


def ways(request: Request, stage: Stage) -> tuple[Run, ...]:
    """Measure every way on its own, then the two ways to ask for many names at once."""
    given = request.parameters
    visits = 2 if request.smoke else whole(given, "visits", 1, 50)
    names = 6 if request.smoke else whole(given, "names", 1, 200)
    runs = []
    for done, way in enumerate(WAYS):
        stage.progress(done, len(WAYS) + 2, way)
        runs.append(_way(way, visits, stage))
    for api in ("lookup", "resolve4"):
        runs.append(in_flight({"pool": None, "names": names, "api": api}, stage, f"{api} at once", most=1))
    return tuple(runs)


def _way(way: str, visits: int, stage: Stage) -> Run:
    # An empty list says that the name does not exist; whoever asks for it must find it elsewhere.
    table = {OFTEN: [OFTEN_ADDRESS], SHORT: [], f"{SHORT}.{DOMAIN}": [SHORT_ADDRESS], HOSTS_NAME: []}
    addresses = ("127.0.0.1", HOSTS_ADDRESS, OFTEN_ADDRESS, SHORT_ADDRESS)
    with Web(stage, addresses) as web, NameServer(stage, hold=0.0, table=table) as server:
        given = {"pool": None, "way": way, "visits": visits, "port": web.port, "hosts_name": HOSTS_NAME}
        search = {"LOCALDOMAIN": DOMAIN}  # resolver(5): takes the place of the search line of resolv.conf
        with launched(given, stage, way, _text("ways.mjs"), keep=False, environment=search) as run:
            run.wait_exit()
            if run.ending != "exited":
                raise run.failure()
            arrived = web.visits()
            counts = {
                "visits": sum(visit.address == OFTEN_ADDRESS for visit in arrived),
                "connections": len({visit.connection for visit in arrived if visit.address == OFTEN_ADDRESS}),
                "lookups": lookups(server.log()).get(OFTEN, 0),
                "hosts_file_found": sum(visit.address == HOSTS_ADDRESS for visit in arrived),
                "search_domain_found": sum(visit.address == SHORT_ADDRESS for visit in arrived),
            }
            claims = {"report": [claim.value for claim in run.claims() if claim.kind == "report"]}
            return run.finish(counts=counts, claims=claims)
