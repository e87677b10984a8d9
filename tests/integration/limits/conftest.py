"""DynamoDB for tests of the limits: without faults, and with a conflict in every fifth call."""

from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from chalicelib.adapters.aws.session import AwsClients
from infra.local.access.hosts import LOOPBACK_HOSTS
from infra.local.access.keys import AccessKey
from infra.local.emulators import start_emulators
from infra.local.paths import StackFolder
from infra.local.processes import Spawner
from tests.builders.stack.concurrent_callers import TABLE
from tests.fakes.fault_injector import FaultInjector, FaultKind
from tests.fakes.fault_proxy import fault_proxy

_SHARES: dict[FaultKind, float] = {"conflict": 0.20, "lost": 0.01, "error after": 0.01}


@pytest.fixture(scope="module")
def dynamodb_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Run a DynamoDB with an empty table."""
    with ExitStack() as cleanup:
        environment = cleanup.enter_context(pytest.MonkeyPatch.context())
        for name in ("AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_DYNAMODB"):
            environment.delenv(name, raising=False)
        for service in ("S3", "SQS", "KMS", "SECRETS_MANAGER"):
            environment.setenv(f"AWS_ENDPOINT_URL_{service}", "http://unused")
        spawner = Spawner()
        cleanup.callback(spawner.close)
        (dynoxide,), endpoints = start_emulators(
            StackFolder(tmp_path_factory.mktemp("db")), spawner, LOOPBACK_HOSTS
        )
        cleanup.callback(dynoxide.stop)
        dynoxide.wait()
        for name, value in AccessKey.from_variables(endpoints).variables().items():
            environment.setenv(name, value)
        environment.setenv("AWS_DEFAULT_REGION", "us-east-1")
        url = endpoints["AWS_ENDPOINT_URL_DYNAMODB"]
        environment.setenv("AWS_ENDPOINT_URL_DYNAMODB", url)
        create_table(AwsClients())
        yield url


@pytest.fixture(scope="module", params=["calm", "conflicts"])
def clients(request: pytest.FixtureRequest, dynamodb_url: str) -> Iterator[AwsClients]:
    """Return clients of it; processes that are started find it through the environment."""
    with ExitStack() as cleanup:
        environment = cleanup.enter_context(pytest.MonkeyPatch.context())
        if request.param == "conflicts":
            faults = FaultInjector(5, _SHARES)
            url = cleanup.enter_context(fault_proxy(dynamodb_url, faults))
            environment.setenv("AWS_ENDPOINT_URL_DYNAMODB", url)
            faults.is_on = True
        yield AwsClients()


def create_table(clients: AwsClients) -> None:
    clients.dynamodb.create_table(
        TableName=TABLE,
        AttributeDefinitions=[
            {"AttributeName": "PK", "AttributeType": "S"},
            {"AttributeName": "SK", "AttributeType": "S"},
        ],
        KeySchema=[
            {"AttributeName": "PK", "KeyType": "HASH"},
            {"AttributeName": "SK", "KeyType": "RANGE"},
        ],
        BillingMode="PAY_PER_REQUEST",
    )
