"""Services of the validate function, and the validator that the render function calls."""

from dataclasses import dataclass
from pathlib import Path

from chalicelib.adapters.aws.functions import LambdaFunction
from chalicelib.adapters.aws.objects import Objects
from chalicelib.adapters.aws.remote_validator import RemoteValidator
from chalicelib.adapters.aws.session import AwsClients
from chalicelib.engine.conformance.checks import NoValidator, Validator
from chalicelib.engine.conformance.local_validator import LocalValidator
from chalicelib.settings import ValidateSettings


@dataclass(frozen=True, slots=True)
class ValidationServices:
    """Services of the validate function."""

    validator: LocalValidator
    objects: Objects


def validation_services(settings: ValidateSettings, clients: AwsClients) -> ValidationServices:
    """Return the services of the validate function."""
    return ValidationServices(
        LocalValidator(Path(settings.validators_dir)), Objects(clients, settings.bucket)
    )


def validator(function: str, bucket: str, clients: AwsClients) -> Validator:
    """Return a validator over this function, or NoValidator if `function` is empty."""
    if not function:
        return NoValidator()
    return RemoteValidator(LambdaFunction(clients, function), Objects(clients, bucket))
