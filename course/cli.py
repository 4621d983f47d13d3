"""The ``fourthreads`` command: finds the verbs and turns every problem into one sentence and an exit code.

A verb is a file ``course/commands/VERB.py`` that defines a click command named ``command``. It is imported when it is
called (or listed), so its heavy imports stand inside its functions.

Exit codes: 0 nothing contradicts, 1 something does, 2 wrong use, setup, or a refused record.
"""

from __future__ import annotations

import os
import pkgutil
import sys
from typing import IO, Any

import click

from course import commands
from labs.errors import FourThreadsError

#: The order in ``--help``: what a learner meets first stands first. A verb that is not named here follows at the end.
ORDER = (
    *("start", "try", "doctor", "labs", "calibrate", "measure", "check", "simulate", "audit", "pack"),
    *("build", "lint", "grade", "report", "trial"),
)


class Problem(click.ClickException):
    """A problem that is explained; the text is the whole message."""

    exit_code = 2

    def show(self, file: IO[Any] | None = None) -> None:
        """Write the message to standard error."""
        click.echo(self.message, file=file or sys.stderr)


class Verbs(click.Group):
    """The verbs, each imported when it is needed."""

    def list_commands(self, context: click.Context) -> list[str]:
        """Return the verbs that exist, in their order."""
        found = {module.name for module in pkgutil.iter_modules(commands.__path__) if not module.name.startswith("_")}
        return [verb for verb in ORDER if verb in found] + sorted(found - {*ORDER})

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        """Import one verb, or return None where there is none of that name."""
        if name not in self.list_commands(context):
            return None
        module = __import__(f"course.commands.{name}", fromlist=["command"])
        command: click.Command = module.command
        return command

    def invoke(self, context: click.Context) -> Any:
        """Run the verb.

        Raises:
            Problem: Whatever went wrong, in words. ``FOURTHREADS_TRACE=1`` lets a fault of ours through as it is.
        """
        try:
            return super().invoke(context)
        except FourThreadsError as problem:
            raise Problem(str(problem)) from problem
        except (EOFError, KeyboardInterrupt, click.Abort) as stopped:
            raise Problem("\nStopped. Nothing is lost.") from stopped
        except (click.ClickException, click.exceptions.Exit, BrokenPipeError):
            raise
        except OSError as problem:
            raise Problem(f"The operating system refused: {problem}") from problem
        except Exception as fault:
            if os.environ.get("FOURTHREADS_TRACE"):
                raise
            raise Problem(
                f"Four Threads itself failed here ({type(fault).__name__}: {fault}). Nothing is lost.\n"
                "To see where, run it again with FOURTHREADS_TRACE=1 in the environment, and please report it."
            ) from fault


@click.group(cls=Verbs, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(package_name="fourthreads")
def main() -> None:
    """Measure Node's event loop and thread pool yourself, and find out which of your ideas survive.

    \b
    Exit codes: 0 nothing contradicts, 1 something does, 2 wrong use, setup, or a refused record.
    """
