"""The command line `arena`: finds the commands, and turns every error into one message and an exit code."""

from __future__ import annotations

import os
import sys
from typing import Any

import click

from arena.errors import ArenaError, PluginError, SpecError, StoreRefusal

DONE, FAILED, WRONG_USE = 0, 1, 2
DEBUG_VARIABLE = "ARENA_DEBUG"
EXAMPLES = """\
\b
To begin with:
  arena play greedy random --show         watch a game
  arena init mybot                        make a bot of your own, in any language
  arena play ./mybot greedy               let it play
  arena doctor ./mybot                    see whether it is ready
  arena tournament run results/demo.toml  play a tournament
  arena leaderboard --db results/demo/arena.db
"""


class ArenaGroup(click.Group):
    """The group of all commands, the core's and the plugins'; they are loaded when first needed."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.owners: dict[str, str] | None = None

    def load(self) -> dict[str, str]:
        """The plugin of each command by name; plugins that cannot be used are named on stderr, once."""
        if self.owners is None:
            from arena.plugins import installed

            plugins = installed()
            self.owners = plugins.add_commands(self)
            for part in plugins.broken:
                click.echo(f"{part.kind} {part.name} ({part.origin}) is skipped: {part.error}", err=True)
        return self.owners

    def list_commands(self, ctx: click.Context) -> list[str]:
        """All names, sorted."""
        self.load()
        return super().list_commands(ctx)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """A command by name."""
        self.load()
        return super().get_command(ctx, cmd_name)

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; what a user can act on is one message, never a traceback."""
        from arena.commands._common import harmless

        try:
            return super().invoke(ctx)
        except click.ClickException as error:
            vars(error)["message"] = harmless(error.message)  # it may quote what a bot's author wrote
            raise
        except (click.exceptions.Exit, click.Abort, BrokenPipeError):
            raise  # click ends quietly when the reader of a pipe has seen enough
        except Exception as error:
            if os.environ.get(DEBUG_VARIABLE):
                raise
            click.echo(f"Error: {harmless(_message(error))}", err=True)
            raise click.exceptions.Exit(_exit_code(error)) from error


def _message(error: Exception) -> str:
    from engine_core.errors import EngineError

    if isinstance(error, ArenaError | EngineError):
        return str(error)
    if isinstance(error, OSError):
        return f"{error.filename}: {error.strerror}" if error.filename else str(error)
    return (
        f"something went wrong inside arena: {type(error).__name__}: {error}\n"
        f"Set {DEBUG_VARIABLE}=1 to see where; please report it."
    )


def _exit_code(error: Exception) -> int:
    """2 for what the user asked in a wrong way, 1 for work that failed."""
    from engine_core.errors import EngineError

    return WRONG_USE if isinstance(error, SpecError | PluginError | StoreRefusal | EngineError) else FAILED


@click.group(
    cls=ArenaGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
    epilog=EXAMPLES,
)
@click.version_option(package_name="conquest-arena", prog_name="arena")
def cli() -> None:
    """AI tournaments for the RISK family of board games.

    `arena COMMAND --help` explains a command, with examples. Most take --json. Exit codes: 0 done, 1 the work
    failed, 2 wrong use.
    """


def main() -> None:
    """The entry point of the `arena` program."""
    sys.exit(cli(prog_name="arena", standalone_mode=True))
