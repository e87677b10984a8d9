"""Services of the validate function, and the validator that the render function calls."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from chalicelib.adapters.aws.functions import LambdaFunction
from chalicelib.adapters.aws.objects import Objects
from chalicelib.adapters.aws.remote_validator import RemoteValidator
from chalicelib.adapters.aws.session import AwsClients
from chalicelib.adapters.net.presigned import PresignedHttpObjects
from chalicelib.core.ids import WorkspaceId
from chalicelib.core.tenancy import TenantGuard, isolates_tenants
from chalicelib.engine.conformance.checks import NoValidator, Validator
from chalicelib.engine.conformance.local_validator import LocalValidator
from chalicelib.engine.ports import PresignedObjects
from chalicelib.settings import RenderSettings, ValidateSettings


@dataclass(frozen=True, slots=True)
class ValidationServices:
    """Services of the validate function."""

    validator: LocalValidator
    objects: PresignedObjects
    tenant_guard: TenantGuard


def validation_services(settings: ValidateSettings) -> ValidationServices:
    """Return the services of the validate function, which has no rights on AWS."""
    return ValidationServices(
        LocalValidator(Path(settings.validators_dir)),
        PresignedHttpObjects(),
        TenantGuard(settings.tenancy),
    )


def validators(settings: RenderSettings, clients: AwsClients) -> Callable[[WorkspaceId], Validator]:
    """Return the source of validators over the validate function; NoValidator without one."""
    if not settings.validate_function:
        return lambda _workspace: NoValidator()
    function = LambdaFunction(
        clients,
        settings.validate_function,
        isolates_tenants=isolates_tenants(settings.tenancy),
    )
    return partial(RemoteValidator, function, Objects(clients, settings.bucket))
