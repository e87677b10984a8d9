"""Group of commands that are imported when they are called: help starts without them."""

from collections.abc import Mapping
from importlib import import_module
from typing import Final, override

import click


class LazyGroup(click.Group):
    """Group whose commands are named as `module:attribute`, each with its line of the help."""

    def __init__(
        self, name: str, commands: Mapping[str, tuple[str, str]], **attributes: object
    ) -> None:
        """Keep where the commands are."""
        super().__init__(name, **attributes)  # type: ignore[arg-type]  # click's own
        self.places: Final = commands

    @override
    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.places)

    @override
    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.places:
            return None
        module, _, attribute = self.places[cmd_name][0].partition(":")
        command = getattr(import_module(module), attribute)
        assert isinstance(command, click.Command)
        return command

    @override
    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in self.places.items() if text])
