"""``fourthreads try``: the first bets, in the terminal."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from course.reply import Reply
    from course.session import Session
    from labs.spec import Bet

LAB = "gates"
BETS = ("start", "one gate")
PROGRAM = """\
Here is a program. gate(i) is the path of a FIFO: a file that can be opened for reading only when somebody
opens it for writing too. Until then the call just does not return. It costs no CPU.

    for (let i = 1; i <= n; i++) {
      fs.open(gate(i), 'r', () => done(i));
    }

The loop ends at once: it only asks. All gates are shut.
"""


@click.command("try", short_help="Make the first two bets, here in the terminal.")
@click.option("--room", help="Where to measure: here, namespace or container.  [default: the first that works]")
def command(room: str | None) -> None:
    """Bet on what Node does, then measure it: the first two bets of the lab `gates`, in about three minutes.

    Nothing is kept; `make start` opens the course itself. Ctrl-C ends it at any moment.
    """
    from course.machinery import node_version, session

    with tempfile.TemporaryDirectory(prefix="fourthreads-try-") as folder:
        opened = session(LAB, Path(folder), room)
        opened.place()  # what keeps it from running here is said before anybody bets
        click.echo(f"{node_version()}\n\n{PROGRAM}")
        for bet in (opened.lab.bet(name) for name in BETS):
            if not one(opened, bet):
                sys.exit(2)
    click.echo("\nWhy it is so, your own script, and a state that most people call impossible: make start")


def one(opened: Session, bet: Bet) -> bool:
    """Ask for one bet until it is made, measure, and show what Node did; say whether it could be measured."""
    from course import betting, measuring
    from course.progress import Bar

    click.echo(bet.ask(opened.scene(opened.work(), bet.slug)))
    while True:
        typed = {blank.name: click.prompt(f"  {blank.ask or blank.name}", prompt_suffix="  ") for blank in bet.blanks}
        noted = betting.predict(opened, bet.slug, typed)
        if noted.state == "noted":
            break
        say(noted)
    click.echo()
    with Bar() as bar:
        seen = measuring.measure(opened, bet.measure, {}, on_progress=bar)
    say(seen)
    click.echo()
    return seen.state == "measured"


def say(reply: Reply) -> None:
    """Print a reply without its last line, which sends to a cell of the notebook."""
    click.echo("\n".join(line for line in reply.text.splitlines() if not line.startswith("Next: ")))
