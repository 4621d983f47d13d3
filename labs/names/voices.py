"""What each wrong model sounds like in the words of who holds it, and the observation in this record that does not fit it."""

from __future__ import annotations

from labs.measurement import Record
from labs.names import drawing as see
from labs.names import visits
from labs.poolsize import DEFAULT
from labs.spec import Lines, Scene
from labs.words import number

# start


def start_one_line(scene: Scene) -> Lines:
    """Answer the law of gates."""
    run = see.run_of(scene)
    return (
        f"{number(DEFAULT, capital=True)} and none back is the law you found in gates: one line, and a free slot takes the first of it.",
        f"But {see.slots_free(see.idle(run))} while {see.names_waiting(run.steps[0])} names wait, and requests that came later are back. "
        "Names follow another law.",
    )


def start_network(scene: Scene) -> Lines:
    """Answer that the kernel does it."""
    run = see.run_of(scene)
    flying = see.flying(run)
    return (
        f"{scene.parameters['names']} is what you get if a lookup is network I/O, and all questions are sent at once. resolve4 does that.",
        f"But {see.names(flying)} have reached the name server. For name {flying + 1} no packet was sent: it waits for a thread.",
    )


def start_core(scene: Scene) -> Lines:
    """Answer a slot a core."""
    run, cores = see.run_of(scene), scene.shape.cores
    return (
        f"{number(cores, capital=True)} and none back is a slot for {'your one core' if cores == 1 else f'each of your {cores} cores'}.",
        f"But the pool has {run.counts['pool_threads']} threads: {number(see.flying(run))} are in a lookup, and the others let "
        f"{see.back(run)} small requests through.",
    )


def start_one(scene: Scene) -> Lines:
    """Answer one after the other."""
    return (
        "One is what you get if names are asked for one after the other.",
        f"But the name server holds {see.names(see.flying(see.run_of(scene)))} at this moment, each asked for by a thread of its own.",
    )


# own


def own_one_line(scene: Scene) -> Lines:
    """Answer the law of gates."""
    alone = see.run_of(scene)
    return (
        "You expected names to take every slot that is free, as gates do.",
        f"But alone, {see.slots_free(see.idle(alone))} with {see.names_waiting(alone.steps[0])} names in line.",
    )


def own_network(scene: Scene) -> Lines:
    """Answer that the kernel does it."""
    alone, crowded = see.run_of(scene), see.run_of(scene, 1)
    return (
        "You expected all questions to be sent at once, whatever the slots do.",
        f"But {number(see.flying(alone))} reached the name server, and {number(see.flying(crowded))} behind the gates: as many as threads "
        "sit in a lookup.",
    )


def own_reserved(scene: Scene) -> Lines:
    """Answer the reservation."""
    crowded, said = see.run_of(scene, 1), scene.answers["beside"]
    left = scene.parameters["pool"] - int(said) if isinstance(said, int) else 0
    return (
        f"You expected {said} slots to be kept for names, so that only {left} gates get in.",
        f"But {scene.parameters['held']} gates are held, each in a slot, and {see.names(see.flying(crowded))} had what was left. Nothing was kept.",
    )


def own_always_two(scene: Scene) -> Lines:
    """Answer the fixed two."""
    return (
        "You expected the two of your first record.",
        f"But with {scene.parameters['pool']} slots {number(see.flying(see.run_of(scene)))} are in flight: the number follows the size.",
    )


def own_rounded_down(scene: Scene) -> Lines:
    """Answer half, rounded down."""
    flying, pool = see.flying(see.run_of(scene)), scene.parameters["pool"]
    return (
        f"You expected half of {pool}, rounded down.",
        f"But {number(flying)} are in flight and {number(pool - flying)} free. An odd slot goes to the names.",
    )


def own_core(scene: Scene) -> Lines:
    """Answer a slot a core."""
    cores, alone, crowded = scene.shape.cores, see.run_of(scene), see.run_of(scene, 1)
    return (
        f"You expected a slot for {'your one core' if cores == 1 else f'each of your {cores} cores'}.",
        f"But alone {number(see.flying(alone))} are in flight, and behind the gates {crowded.counts['held_slots']} slots are taken, "
        f"{number(see.flying(crowded))} of them by names. Waiting needs no core.",
    )


def own_one(scene: Scene) -> Lines:
    """Answer one after the other."""
    return (
        "You expected names to be asked for one after the other.",
        f"But the name server held {number(see.flying(see.run_of(scene)))} at one moment.",
    )


# second


def second_one_more(scene: Scene) -> Lines:
    """Answer that the second thread is for a second name."""
    two = see.run_of(scene, 1)
    return (
        "You gave the second thread to a second name.",
        f"But with two threads {see.names(see.flying(two))} in flight, and {see.slots_free(see.idle(two))}: half of 2 is 1, and half of 1, "
        "rounded up, is 1 too.",
    )


def second_nothing(scene: Scene) -> Lines:
    """Answer that the second thread changes nothing."""
    one, two = see.run_of(scene), see.run_of(scene, 1)
    return (
        "You expected the second thread to change nothing for the small requests.",
        f"But {number(see.back(one))} of {scene.parameters['stats']} were back with one, {number(see.back(two))} with two: a thread that names "
        "may not take is a way past.",
    )


# through


def through_network(scene: Scene) -> Lines:
    """Answer that only the dead names wait."""
    return (
        "You expected nobody to wait but the dead names.",
        f"But {visits.place(scene, 'fresh')} and {visits.place(scene, 'localhost')} wait too: their lookups need one of two slots, and "
        "both sit with names that hang.",
    )


def through_localhost(scene: Scene) -> Lines:
    """Answer that the hosts file needs no lookup."""
    return (
        f"localhost stands in the hosts file, and no server is asked for it. But {visits.place(scene, 'localhost')} waits:",
        "a lookup, that is getaddrinfo, is what reads the hosts file, and it does so on a name slot.",
    )


def through_kept(scene: Scene) -> Lines:
    """Answer that every request looks up."""
    asked = see.run_of(scene).counts["kept_lookups"]
    return (
        "You expected every request to look its host up.",
        f"But {visits.place(scene, 'kept')} is back, and the name server was asked for its host {'once' if asked == 1 else f'{asked} times'}: "
        "when the connection was made.",
    )


def through_resolve(scene: Scene) -> Lines:
    """Answer that resolve4 needs a slot."""
    return (
        "You expected resolve4 to stand in the same line.",
        f"But its question reached the name server while both name slots were taken, and {visits.place(scene, 'resolve')} is back: "
        "it asks from your loop.",
    )


def through_nothing(scene: Scene) -> Lines:
    """Answer that a full pool lets nobody pass."""
    run = see.run_of(scene)
    return (
        "You expected the names that hang to keep everybody out.",
        f"But only names are kept out: {see.slots_free(see.idle(run))} in the pool, and {visits.listing(visits.got_through(_record(scene)))} "
        "needed no name slot.",
    )


# cache


def cache_once(scene: Scene) -> Lines:
    """Answer that a cache asks once a name."""
    return ("You expected one lookup a name.", *_of_cache(scene))


def cache_every(scene: Scene) -> Lines:
    """Answer that every visit asks."""
    return ("You expected a lookup for every visit, as without a cache.", *_of_cache(scene))


def cache_burst(scene: Scene) -> Lines:
    """Answer that the first visits come too early."""
    return ("You expected every visit of the first round to ask, since no answer was in yet.", *_of_cache(scene))


def _of_cache(scene: Scene) -> Lines:
    return visits.verdict_lines(scene)


def _record(scene: Scene) -> Record:
    assert scene.record is not None
    return scene.record
