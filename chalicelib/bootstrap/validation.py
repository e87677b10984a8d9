"""Services of the validate function, and the validator that the render function calls."""

from dataclasses import dataclass
from pathlib import Path

from chalicelib.adapters.aws.functions import LambdaFunction
from chalicelib.adapters.aws.objects import Objects
from chalicelib.adapters.aws.remote_validator import RemoteValidator
from chalicelib.adapters.aws.session import AwsClients
from chalicelib.bootstrap.tenancy import TenantGuard, isolates_tenants
from chalicelib.engine.conformance.checks import NoValidator, Validator
from chalicelib.engine.conformance.local_validator import LocalValidator
from chalicelib.settings import RenderSettings, ValidateSettings


@dataclass(frozen=True, slots=True)
class ValidationServices:
    """Services of the validate function."""

    validator: LocalValidator
    objects: Objects
    tenant_guard: TenantGuard


def validation_services(settings: ValidateSettings, clients: AwsClients) -> ValidationServices:
    """Return the services of the validate function."""
    return ValidationServices(
        LocalValidator(Path(settings.validators_dir)),
        Objects(clients, settings.bucket),
        TenantGuard(settings.tenancy),
    )


def validator(settings: RenderSettings, clients: AwsClients) -> Validator:
    """Return a validator over the validate function, or NoValidator if none is named."""
    if not settings.validate_function:
        return NoValidator()
    function = LambdaFunction(
        clients,
        settings.validate_function,
        isolates_tenants=isolates_tenants(settings.tenancy),
    )
    return RemoteValidator(function, Objects(clients, settings.bucket))
