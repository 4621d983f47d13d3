"""The wrong models that people hold in good faith: for each kind of call the path that it predicts.

Most come from articles and from the documentation's own list; where one does, its README row names it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from labs.places import voices
from labs.places.facts import KIND, SIX, SIX_MORE, path
from labs.spec import Lines, Row, Scene, Story

Rows = Mapping[str, Row]
#: Kind of call -> path, where a story differs from Node.
Told = Mapping[str, str]


def node_path(kind: str) -> str:
    """Return the path of a kind of call, from the table of facts."""
    return path((SIX | SIX_MORE)[kind][0])


def _bet_of(scene: Scene) -> str | None:
    kinds = {KIND.get(str(call)) for call in scene.parameters.get("calls", ())}
    return "six" if kinds <= SIX.keys() and kinds else "six more" if kinds <= SIX_MORE.keys() and kinds else None


def row(scene: Scene, told: Told) -> tuple[str, ...]:
    """Return a story's paths for the calls of a draw, in their order."""
    return tuple(told.get(kind, node_path(kind)) for kind in (KIND[str(call)] for call in scene.parameters["calls"]))


def _rows(six: Told | None, more: Told | None, other: Rows | None = None) -> Callable[[Scene], Rows]:
    def rows(scene: Scene) -> Rows:
        told = {"six": six, "six more": more}
        bet = _bet_of(scene)
        here: dict[str, Row] = {}
        if bet is not None:
            one = told[bet]
            if one is not None:
                here[bet] = {"paths": row(scene, one)}
        if bet is None:
            here |= other or {}
        return here

    return rows


def node(scene: Scene) -> Rows:
    """Return what Node does."""
    return _rows({}, {}, {"victim": {"sync": "both", "callback": "stat"}, "own": {"early": 0, "health": 3}})(scene)


def _every(kinds: Mapping[str, tuple[str, ...]], place: str, but: Told | None = None) -> Told:
    return {**dict.fromkeys(kinds, place), **(but or {})}


def _voice(six: str = "", more: str = "", **other: Callable[[Scene], Lines]) -> Mapping[str, Callable[[Scene], Lines]]:
    found: dict[str, Callable[[Scene], Lines]] = dict(other)
    for bet, said in (("six", six), ("six more", more)):
        if said:
            found[bet] = lambda scene, said=said: (said, voices.against(scene))  # type: ignore[misc]  # bound now
    return found


STORIES = (
    Story(
        "everything-pooled",
        "everything asynchronous goes to the pool",
        _rows(_every(SIX, "P", {"sign": "L"}), _every(SIX_MORE, "P", {"large": "L"})),
        _voice(
            "You have the pool do whatever has a callback, a promise or a stream.",
            "Again the pool does whatever answers later.",
        ),
    ),
    Story(
        "sockets-threads",
        "sockets wait in threads too",
        _rows({"address": "P", "name": "P"}, None),
        _voice("You have a thread wait at each socket, as at a file."),
    ),
    Story(
        "all-crypto",
        "all of crypto goes to the pool",
        _rows({"stream": "P", "sign": "P"}, {"large": "P"}),
        _voice("You have the pool do whatever is crypto.", "Crypto again: the pool, with a callback or without."),
    ),
    Story(
        "kernel-does-it",
        "the kernel does all input and output",
        _rows({"file": "K", "name": "K"}, {"poll": "K", "spawn": "K"}),
        _voice(
            "You have the kernel do files, names and sockets, and call back.",
            "You have the kernel do whatever reaches out of the program.",
        ),
    ),
    Story(
        "name-is-network",
        "looking up a name is network traffic like any other",
        _rows({"name": "K"}, None),
        _voice("You have a name and an address take the same path: both are the network."),
    ),
    Story(
        "only-sync-stops",
        "only what ends in Sync stays on the loop",
        _rows({"stream": "P", "sign": "P", "promise": "P"}, {"large": "P", "poll": "K", "spawn": "K"}),
        _voice(
            "None of the six ends in Sync, and so none stays on the loop.",
            "None ends in Sync: so again none on the loop.",
        ),
    ),
    Story(
        "computing-is-pooled",
        "what computes goes to the pool, what is network does not",
        _rows({"stream": "P", "sign": "P", "name": "K"}, {"large": "P"}),
        _voice(
            "You have the pool compute, and the kernel do the network.",
            "Whatever computes goes to the pool, whoever asks for it.",
        ),
    ),
    Story(
        "a-promise-moves-it",
        "async moves a function off the loop",
        _rows({"promise": "P"}, None),
        _voice("You have async bring a function to another thread."),
    ),
    Story(
        "one-thread",
        "JavaScript has one thread, so all of it is on the loop",
        _rows(_every(SIX, "L"), _every(SIX_MORE, "L"), {"victim": {"sync": "both", "callback": "both"}}),
        _voice(
            "One thread runs your JavaScript, and you have it do everything.",
            "One thread again: everything on the loop.",
            victim=voices.victim_one_thread,
        ),
    ),
    Story(
        "size-decides",
        "small things stay on the loop, large ones go to the pool",
        _rows(None, {"small": "L", "large": "P"}),
        _voice(more="You have the size decide: the small one is not worth a thread, the large one is."),
    ),
    # Slips inside one bet, by people whose other rows were Node's.
    Story(
        "watchers-are-the-kernels",
        "both watchers are the kernel's",
        _rows(None, {"poll": "K"}),
        _voice(
            more="You have both watchers told by the kernel. Node's own list of what uses the pool leaves both out."
        ),
        local=True,
    ),
    Story(
        "spawn-is-handed-over",
        "spawn hands over and goes on",
        _rows(None, {"spawn": "K"}),
        _voice(more="You have spawn only ask for a child, and go on."),
        local=True,
    ),
    Story(
        "callback-frees-all",
        "with a callback nobody waits",
        _rows(None, None, {"victim": {"sync": "both", "callback": "none"}}),
        {"victim": voices.victim_frees_all},
        local=True,
    ),
    Story(
        "the-pool-goes-on",
        "the pool goes on beside a loop that stands still",
        _rows(None, None, {"victim": {"sync": "timer", "callback": "stat"}}),
        {"victim": voices.victim_goes_on},
        local=True,
    ),
    Story(
        "sync-stops-its-caller",
        "Sync stops only whoever called it",
        _rows(None, None, {"victim": {"sync": "none", "callback": "none"}}),
        {"victim": voices.victim_caller},
        local=True,
    ),
    Story(
        "off-the-loop-is-free",
        "what is off the loop needs nobody",
        _rows(None, None, {"own": {"early": 3, "health": 3}}),
        {"own": voices.own_free},
        local=True,
    ),
    Story(
        "who-waits-keeps-all-waiting",
        "a request that waits keeps the service waiting",
        _rows(None, None, {"own": {"early": 0, "health": 0}}),
        {"own": voices.own_all_wait},
        local=True,
    ),
)
