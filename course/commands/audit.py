"""``fourthreads audit``: look at a running Node from outside."""

from __future__ import annotations

import click

from course.commands._say import json_option, say_json


@click.command("audit", short_help="Look at a running Node: its pool, who holds it, what the loop does.")
@click.argument("pid", type=click.IntRange(min=1))
@json_option
def command(pid: int, as_json: bool) -> None:
    """Look once at the running Node with process id PID. Read-only: nothing is attached, stopped or changed."""
    from labs.audit import audit

    seen = audit(pid)
    if as_json:
        say_json(seen)
        return
    size = f"UV_THREADPOOL_SIZE={seen.size_set}" if seen.size_set is not None else "UV_THREADPOOL_SIZE is not set"
    if seen.slots is None:
        click.echo(f"pool   its libuv (before 1.50) does not name the pool's threads; {seen.threads} threads in all")
        click.echo(f"       {size}: {seen.size_expected} slots once the pool is born")
    elif not seen.slots:
        click.echo(
            f"pool   not born yet: nothing has used it. {size}: it will have {seen.size_expected} slots, unless its program sets that first"
        )
    else:
        parked = sum(slot.state == "parked" for slot in seen.slots)
        click.echo(
            f"pool   {len(seen.slots)} slots: {seen.held_slots} held, {parked} parked, "
            f"{len(seen.slots) - parked - (seen.held_slots or 0)} running  ({size})"
        )
        for number, slot in enumerate(seen.slots, 1):
            where = f"in {slot.call} {slot.path or ''}".rstrip() if slot.state == "held" else ""
            click.echo(f"  {number:>4} {slot.state:<8} {slot.cpu:8.2f} s of CPU  {where}".rstrip())
    loops = {
        "polls": "waits for something to do",
        "runs": "is at work (JavaScript or a synchronous call), or waits for a core",
    }
    click.echo(f"loop   {loops.get(seen.loop, f'is blocked in {seen.loop}')}")
    if seen.slots and seen.held_slots == len(seen.slots):
        click.echo("Every slot is held: whatever needs the pool now waits, whether or not the loop looks idle.")
