"""Output of commands: a table or one JSON object; exit status 1 with a reason on failure."""

import functools
import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, override

import click

from chalicelib.core.errors import ServiceError
from chalicelib.core.text import terminal_text
from chalicelib.settings import MissingSetting
from infra.operator.tables import answer_lines


class CommandError(click.ClickException):
    """The command failed; the reason goes to standard error."""

    exit_code = 1

    def __init__(self, code: str, message: str) -> None:
        """Carry a code for programs and a sentence for people."""
        super().__init__(message)
        self.code = code

    def as_json(self) -> dict[str, object]:
        """Return the refusal for programs."""
        return {"code": self.code, "detail": self.message}

    @override
    def format_message(self) -> str:
        return terminal_text(self.message)


def print_answer(command: Callable[..., Mapping[str, Any]]) -> Callable[..., None]:
    """Decorate a command: add `--json`, print its result, and turn errors into CommandError."""

    @click.option("--json", "as_json", is_flag=True, help="One JSON object instead of a table.")
    @functools.wraps(command)
    def run(*, as_json: bool, **options: Any) -> None:
        with command_errors(as_json=as_json):
            answer = command(**options)
        if as_json:
            click.echo(json.dumps(answer))
        else:
            click.echo("\n".join(answer_lines(answer)))

    return run


@contextmanager
def command_errors(*, as_json: bool) -> Iterator[None]:
    """Turn the errors of a command into CommandError; with `as_json` print them as well."""
    try:
        yield
    except Exception as reason:
        refusal = _command_error(reason)
        if refusal is None:
            raise
        if as_json:
            click.echo(json.dumps(refusal.as_json()))
        if refusal is reason:
            raise
        raise refusal from reason


def _command_error(reason: Exception) -> CommandError | None:
    """Return the refusal that an error is for the user, or None if it is a fault of the tool."""
    match reason:
        case CommandError():
            return reason
        case ServiceError():
            return CommandError(reason.code, reason.detail)
        case MissingSetting():
            return CommandError("setting_missing", str(reason))
        case _:
            return _aws_error(reason)


def _aws_error(reason: Exception) -> CommandError | None:
    from botocore.exceptions import BotoCoreError, ClientError, NoRegionError

    from infra.deploy.account import NO_REGION

    match reason:
        case NoRegionError():
            return CommandError("setting_missing", NO_REGION)
        case BotoCoreError() | ClientError():
            return CommandError("aws_failed", f"AWS does not do it: {reason}")
        case _:
            return None
