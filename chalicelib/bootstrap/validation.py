"""What judges finished files, and how others reach it."""

from dataclasses import dataclass
from pathlib import Path

from chalicelib.adapters.aws.functions import Function
from chalicelib.adapters.aws.objects import Objects
from chalicelib.adapters.aws.session import Clients
from chalicelib.adapters.aws.validators import RemoteValidator
from chalicelib.engine.conformance.checks import NoValidator, Validator
from chalicelib.engine.conformance.judge import Judge
from chalicelib.settings import ValidateSettings


@dataclass(frozen=True, slots=True)
class Bench:
    """What the function of the validators works with."""

    judge: Judge
    objects: Objects


def bench(settings: ValidateSettings, clients: Clients) -> Bench:
    """Return what the function of the validators works with."""
    return Bench(Judge(Path(settings.validators_dir)), Objects(clients, settings.bucket))


def validator(function: str, bucket: str, clients: Clients) -> Validator:
    """Return the validators behind a function, or none where there is no function."""
    if not function:
        return NoValidator()
    return RemoteValidator(Function(clients, function), Objects(clients, bucket))
