"""How a command answers: a table for people, one JSON object for programs, 1 when refused."""

import functools
import json
from collections.abc import Callable, Mapping
from typing import Any, override

import click
from botocore.exceptions import BotoCoreError, ClientError, NoRegionError

from chalicelib.core.errors import ServiceError
from chalicelib.core.text import visible
from chalicelib.settings import MissingSetting
from infra.deploy.account import NO_REGION
from infra.operator.tables import lines_of


class Refused(click.ClickException):
    """The command cannot be done; the reason goes to standard error."""

    exit_code = 1

    def __init__(self, code: str, message: str) -> None:
        """Refuse with a code for programs and a sentence for people."""
        super().__init__(message)
        self.code = code

    @override
    def format_message(self) -> str:
        return visible(self.message)


def answers(command: Callable[..., Mapping[str, Any]]) -> Callable[..., None]:
    """Print what a command returns; add `--json`, and tell refusals as such."""

    @click.option("--json", "as_json", is_flag=True, help="One JSON object instead of a table.")
    @functools.wraps(command)
    def run(*, as_json: bool, **options: Any) -> None:
        try:
            answer = command(**options)
        except (Refused, ServiceError, MissingSetting, BotoCoreError, ClientError) as reason:
            refusal = _refusal(reason)
            if as_json:
                click.echo(json.dumps({"code": refusal.code, "detail": refusal.message}))
            raise refusal from reason
        if as_json:
            click.echo(json.dumps(answer))
        else:
            click.echo("\n".join(lines_of(answer)))

    return run


def _refusal(reason: Exception) -> Refused:
    match reason:
        case ServiceError():
            return Refused(reason.code, reason.detail)
        case Refused():
            return Refused(reason.code, reason.message)
        case MissingSetting():
            return Refused("setting_missing", str(reason))
        case NoRegionError():
            return Refused("setting_missing", NO_REGION)
        case _:
            return Refused("aws_failed", f"AWS does not do it: {reason}")
