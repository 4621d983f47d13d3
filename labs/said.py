"""What to tell the learner when a script ends a measurement; none of it is a verdict."""

from __future__ import annotations

import os
import re
import resource
import signal

from labs import launch, proc
from labs.errors import FourThreadsError, NoisyError, ScriptError, SetupError
from labs.launch import Bounds
from labs.measurement import Ending
from labs.observe import Look

_AFTER = "The next run is not affected."
_OURS = r"(?:harness\.cjs|service\.cjs|visit\.cjs|preload\.cjs|begin\.mjs|entry\.mjs|rehearse\.cjs|recorder\.cjs)"
_OUR_FRAMES = re.compile(rf"\s+at .*(\bnode:|{_OURS}).*")
#: Node begins with the place that threw; here it is Node's own, or ours.
_OUR_PLACE = re.compile(rf"(node:[\w/]+|.*\b{_OURS}):\d+")
#: What V8 and Node print about themselves when they give up.
_GAVE_UP = "FATAL ERROR:"


class Restless(NoisyError):
    """The threads did not come to rest in time; worth another try."""


class Standstill(ScriptError):
    """The script's own thread is inside a call that does not return."""


def clean(text: str, folder: str) -> str:
    """Return what Node printed without our frames, our folder and Node's closing line."""
    text = text.partition("----- Native stack trace -----")[0]
    if _GAVE_UP in text:
        text = text[text.rindex(_GAVE_UP) :]
    kept = [line for line in text.strip("\n").splitlines() if not _OUR_FRAMES.fullmatch(line)]
    if kept and _OUR_PLACE.fullmatch(kept[0]):
        # That line is not the learner's; theirs is named in the message below it.
        caret = next((place for place, line in enumerate(kept) if line.strip() and not line.strip(" \t^")), 0)
        kept = kept[caret + 1 :]
    if kept and re.fullmatch(r"Node\.js v[\d.]+", kept[-1]):
        kept.pop()
    return "\n".join(kept).replace(f"file://{folder}/", "").replace(f"{folder}/", "").strip("\n")


def ended(ending: Ending, code: int | None, text: str, bounds: Bounds, pool: int) -> FourThreadsError:
    """Return the error for a run that ended before it was over.

    Args:
        ending: How it ended.
        code: Its exit code; minus the signal's number where one ended it.
        text: The cleaned end of what it printed.
        bounds: What it was allowed.
        pool: How many pool threads it wanted.
    """
    if ending == "time":
        return ScriptError(f"Your script was still running after {bounds.wall:g} s and was stopped. {_AFTER}")
    if ending == "output":
        return ScriptError(
            f"Your script printed more than {bounds.output:,} bytes and was stopped. Print less, or nothing. {_AFTER}"
        )
    if ending == "memory":
        size = bounds.memory // 2**20
        return ScriptError(f"Your script used more than {size:,} MB of memory and was stopped. {_AFTER}")
    if ending == "processes":
        return ScriptError(
            f"Your script started more than {bounds.processes} processes and was stopped, with all of them. {_AFTER}"
        )
    if ending == "file-size":
        size = bounds.file_size // 2**20
        return ScriptError(f"Your script wrote a file of more than {size:,} MB and was stopped. {_AFTER}")
    message = f" Its message:\n{_short(text)}" if text.strip() else " It printed nothing."
    if code is not None and code < 0:
        short = thread_limit(pool) if -code in (signal.SIGABRT, signal.SIGTRAP, signal.SIGILL) else None
        if short is not None:
            return short
        return ScriptError(f"Your script was ended by signal {-code} ({_signal_name(-code)}).{message}")
    return ScriptError(f"Your script ended itself (exit {code}) before the measurement was over.{message}")


def stalled(bounds: Bounds) -> ScriptError:
    """Return the error for a script that never lets its loop turn."""
    return ScriptError(
        f"Your script used {bounds.stall:g} s of processor time without coming to rest, and was stopped: "
        f"a loop in it seems never to end. {_AFTER}"
    )


def standstill(call: str, gate: str | None) -> Standstill:
    """Return the error for a main thread that stays in one call."""
    where = f"inside {call}" + (f" at gate {gate}" if gate else "")
    return Standstill(
        f"Your loop stands still: its own thread is {where} and does not come back. A call that waits belongs into the "
        f"pool, not onto the loop. {_AFTER}"
    )


def restless(look: Look) -> Restless:
    """Return the error for a pool that did not come to rest in time."""
    held = sum(worker.held for worker in look.workers)
    moving = sum(worker.call is None for worker in look.workers)
    load = proc.load()
    cores = len(os.sched_getaffinity(0))
    busy = f"load {load:.0f} on {cores} cores" if load is not None else f"{cores} cores"
    return Restless(
        f"Your machine was too busy to watch ({busy}). Nothing is lost; run the cell again later. "
        f"What we saw: {held} held and {f'{moving} ' if moving else ''}still moving."
    )


def _short(text: str, lines: int = 8) -> str:
    kept = text.splitlines()
    return "\n".join(kept[:lines] + (["..."] if len(kept) > lines else []))


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return "unknown"


def thread_limit(pool: int) -> SetupError | None:
    """Return the error for a user who may not start as many threads as Node needs; None where that is not so."""
    limit = resource.getrlimit(resource.RLIMIT_NPROC)[0]
    used = launch.threads_of_user()
    if limit == resource.RLIM_INFINITY or os.geteuid() == 0 or used + pool + 8 <= limit:
        return None
    return SetupError(
        f"Node ended while starting threads: the limit is {limit} processes for you and {used} are in use"
        f", with {pool + 7} more to come. Close something or ask for more (ulimit -u)."
    )
