"""The wrong models that people hold about names in good faith, what each predicts, and what speaks against it.

Every number comes from a formula over pool size, gates, names and cores; the voices stand in :mod:`labs.names.voices`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from labs.model import names_in_flight, slots
from labs.names import visits, voices
from labs.names.draw import names
from labs.names.setting import KINDS, NEED_NO_SLOT
from labs.poolsize import DEFAULT
from labs.spec import Row, Scene, Story

Rows = Mapping[str, Row]
ALL = frozenset(KINDS)


def bet_of(scene: Scene) -> str:
    """Return which bet these parameters belong to."""
    p = scene.parameters
    if "order" in p:
        return "through"
    if "times" in p:
        return "cache"
    if "held" in p:
        return "own"
    return "start" if "pool" in p else "second"


def _half(scene: Scene, flying: int, back: int, alone: int, crowded: int, more: tuple[int, int]) -> Rows:
    """Return the rows of a story about the half, for the bet that the scene belongs to."""
    rows: dict[str, Row] = {
        "start": {"flying": flying, "back": back},
        "own": {"alone": alone, "beside": crowded},
        "second": {"names": more[0], "files": more[1]},
    }
    bet = bet_of(scene)
    return {bet: rows[bet]} if bet in rows else {}


def _numbers(scene: Scene) -> tuple[int, int, int, int, int]:
    """Return names and small requests of ``start``, pool, gates and names of ``own``; 1 for what this scene does not have."""
    p = scene.parameters
    many = int(p.get("names", names(scene.shape.cores)))
    return many, int(p.get("stats", 0)), int(p.get("pool") or DEFAULT), int(p.get("held", 0)), many


def node(scene: Scene) -> Rows:
    """Return what Node does: half of the slots, rounded up, as a ceiling; who needs no name slot gets through."""
    many, stats, pool, held, _ = _numbers(scene)
    bet = bet_of(scene)
    if bet == "through":
        return {bet: {"back": visits.through(scene)}}
    if bet == "cache":
        return {bet: {"asked": visits.once_a_name(scene.parameters)}}
    files = stats if slots(1, "name") == 1 else 0
    return _half(
        scene, names_in_flight(many, DEFAULT), stats, names_in_flight(many, pool), names_in_flight(many, pool, held),
        (names_in_flight(many, 2) - names_in_flight(many, 1), files),
    )  # fmt: skip


def _one_line(scene: Scene) -> Rows:
    many, _, pool, held, _ = _numbers(scene)
    return _half(scene, min(DEFAULT, many), 0, min(pool, many), min(pool - held, many), (1, 0))


def _network(scene: Scene) -> Rows:
    many, stats, *_ = _numbers(scene)
    if bet_of(scene) == "through":
        return {"through": {"back": visits.places(scene, ALL)}}
    return _half(scene, many, stats, many, many, (0, 0))


def _reserved(scene: Scene) -> Rows:
    many, stats, pool, _, _ = _numbers(scene)
    kept = slots(pool, "name")
    return _half(scene, slots(DEFAULT, "name"), stats, min(kept, many), min(kept, many), (0, stats))


def _always_two(scene: Scene) -> Rows:
    _, stats, pool, held, _ = _numbers(scene)
    return _half(scene, 2, stats, 2, min(2, pool - held), (1, 0))


def _rounded_down(scene: Scene) -> Rows:
    _, stats, pool, held, _ = _numbers(scene)
    return _half(scene, DEFAULT // 2, stats, pool // 2, min(pool // 2, pool - held), (0, stats))


def _core(scene: Scene) -> Rows:
    many, _, _, held, _ = _numbers(scene)
    cores = scene.shape.cores
    return _half(scene, min(cores, many), 0, min(cores, many), min(max(0, cores - held), many), (0, 0))


def _one_by_one(scene: Scene) -> Rows:
    _, stats, *_ = _numbers(scene)
    return _half(scene, 1, stats, 1, 1, (0, stats))


def _through(kinds: frozenset[str]) -> Callable[[Scene], Rows]:
    return lambda scene: {"through": {"back": visits.places(scene, kinds)}} if bet_of(scene) == "through" else {}


def _second(row: Row) -> Callable[[Scene], Rows]:
    return lambda scene: {"second": row} if bet_of(scene) == "second" else {}


def _cache(asked: Callable[[Mapping[str, Any]], int]) -> Callable[[Scene], Rows]:
    return lambda scene: {"cache": {"asked": asked(scene.parameters)}} if bet_of(scene) == "cache" else {}


STORIES = (
    Story(
        "one-line", "one line: names wait like files", _one_line,
        {"start": voices.start_one_line, "own": voices.own_one_line, "second": voices.second_one_more},
    ),
    Story(
        "network", "a lookup is network I/O: nobody waits", _network,
        {
            "start": voices.start_network, "own": voices.own_network, "second": voices.second_nothing,
            "through": voices.through_network,
        },
    ),
    Story("reserved", "half of the slots is kept for names", _reserved, {"own": voices.own_reserved}),
    Story(
        "always-two", "two slots are for names, whatever the size", _always_two,
        {"own": voices.own_always_two, "second": voices.second_one_more},
    ),
    Story("rounded-down", "half, rounded down", _rounded_down, {"own": voices.own_rounded_down}),
    Story(
        "a-slot-a-core", "a slot a core", _core,
        {"start": voices.start_core, "own": voices.own_core, "second": voices.second_nothing},
    ),
    Story("one-by-one", "names are asked for one by one", _one_by_one, {"start": voices.start_one, "own": voices.own_one}),
    # Slips inside one bet, by people who were with Node before it.
    Story("one-more", "a second thread is a second name", _second({"names": 1}), {"second": voices.second_one_more}, local=True),
    Story(
        "nothing-at-all", "a thread that is worth nothing to names is worth nothing", _second({"names": 0, "files": 0}),
        {"second": voices.second_nothing}, local=True,
    ),
    Story(
        "hosts-file", "what stands in the hosts file needs no lookup", _through(NEED_NO_SLOT | {"localhost"}),
        {"through": voices.through_localhost}, local=True,
    ),
    Story(
        "every-request", "every request looks its host up", _through(NEED_NO_SLOT - {"kept"}),
        {"through": voices.through_kept}, local=True,
    ),
    Story(
        "all-dns", "resolve4 is a lookup by another name", _through(NEED_NO_SLOT - {"resolve"}),
        {"through": voices.through_resolve}, local=True,
    ),
    Story("full", "nothing passes a full pool", _through(frozenset()), {"through": voices.through_nothing}, local=True),
    Story("kept-is-kept", "a cache asks once a name", _cache(visits.once_a_name), {"cache": voices.cache_once}, local=True),
    Story("no-cache", "every visit asks", _cache(visits.every_visit), {"cache": voices.cache_every}, local=True),
    Story("late-answer", "the first visits come too early for a cache", _cache(visits.first_burst), {"cache": voices.cache_burst}, local=True),
)  # fmt: skip
