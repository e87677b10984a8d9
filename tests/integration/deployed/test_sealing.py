"""Sealed secrets with the KMS of LocalStack: rotation, and keys that are lost and come back."""

from collections import Counter
from typing import Any, Final

import pytest

from chalicelib.adapters.aws.sealing import (
    CACHE_TIME,
    KeyUnavailableError,
    SealBrokenError,
    SealContext,
    SecretSealer,
)
from chalicelib.adapters.aws.session import AwsClients
from chalicelib.adapters.aws.transient_errors import is_transient
from chalicelib.core.ids import WorkspaceId
from infra.local.emulators import client_factory
from infra.local.paths import free_port
from infra.local.resources import create_resources
from infra.local.runner.environment import REGION
from infra.template import load_template
from tests.builders.open_emulators import ANY_KEY
from tests.builders.stack.localstack import LocalStackServer
from tests.fakes.api_services import FixedClock

pytestmark = pytest.mark.integration

SECRET: Final = b"whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
PLACE: Final = SealContext(WorkspaceId("ws_1"), "whe_1", "signing_secret")


@pytest.fixture
def kms_url(cloud: LocalStackServer, monkeypatch: pytest.MonkeyPatch) -> str:
    """Return the address of the keys; AWS clients of this process find it."""
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "test")
    monkeypatch.setenv("AWS_DEFAULT_REGION", REGION)
    monkeypatch.setenv("AWS_ENDPOINT_URL_KMS", cloud.url)
    return cloud.url


@pytest.fixture
def key(kms_url: str) -> str:
    """Create the key that the infrastructure declares; return its id."""
    declared = {"Resources": {"DataKey": load_template()["Resources"]["DataKey"]}}
    clients = client_factory({"AWS_ENDPOINT_URL_KMS": kms_url, **ANY_KEY.variables()})
    return create_resources(declared, clients, "sealing")["DataKey"]["Ref"]


@pytest.fixture
def clients(kms_url: str) -> AwsClients:
    assert kms_url
    return AwsClients()


@pytest.fixture
def sealed(clients: AwsClients, key: str) -> str:
    return sealer_over(clients, key).seal(SECRET, PLACE)


def sealer_over(clients: AwsClients, key: str, clock: FixedClock | None = None) -> SecretSealer:
    """Return a sealer as a new process has it: with an empty cache."""
    return SecretSealer(clients, key, clock or FixedClock())


def test_opens_in_its_place_only(clients: AwsClients, key: str, sealed: str) -> None:
    others = (
        PLACE._replace(workspace=WorkspaceId("ws_2")),
        PLACE._replace(object="whe_2"),
        PLACE._replace(field="password"),
    )
    sealer = sealer_over(clients, key)

    assert sealer.open(sealed, PLACE) == SECRET
    for place in others:
        with pytest.raises(SealBrokenError) as error:
            sealer.open(sealed, place)
        assert "InvalidCiphertextException" in str(error.value.__cause__)


def test_cut_and_altered_values_do_not_open(clients: AwsClients, key: str, sealed: str) -> None:
    sealer = sealer_over(clients, key)

    for end in range(0, len(sealed), 7):
        with pytest.raises(SealBrokenError):
            sealer.open(sealed[:end], PLACE)
    # Some characters are part of the key's id, which KMS reads from the value.
    for at, character in enumerate(sealed):
        altered = sealed[:at] + ("A" if character != "A" else "B") + sealed[at + 1 :]
        with pytest.raises((SealBrokenError, KeyUnavailableError)):
            sealer.open(altered, PLACE)


def test_kms_is_called_once_for_each_seal_and_each_first_opening(key: str) -> None:
    clients, calls, clock = AwsClients(), Counter[str](), FixedClock()

    def count(model: Any, **_event: Any) -> None:
        calls[model.name] += 1

    clients.kms.meta.events.register("before-call.kms", count)
    sealer = sealer_over(clients, key, clock)

    versions = [sealer.seal(SECRET, PLACE) for _ in range(3)]
    for sealed in versions * 10:
        sealer.open(sealed, PLACE)

    assert calls == {"GenerateDataKey": 3, "Decrypt": 3}
    clock.moment += CACHE_TIME
    sealer.open(versions[0], PLACE)
    assert calls == {"GenerateDataKey": 3, "Decrypt": 4}


def test_rotation_of_the_key_breaks_nothing(clients: AwsClients, key: str, sealed: str) -> None:
    def material() -> str:
        return clients.kms.describe_key(KeyId=key)["KeyMetadata"]["CurrentKeyMaterialId"]

    before = material()
    clients.kms.rotate_key_on_demand(KeyId=key)
    assert material() != before

    newer = sealer_over(clients, key).seal(b"newer", PLACE)
    clients.kms.rotate_key_on_demand(KeyId=key)

    sealer = sealer_over(clients, key)
    assert (sealer.open(sealed, PLACE), sealer.open(newer, PLACE)) == (SECRET, b"newer")


def test_replacement_of_the_key_breaks_nothing(clients: AwsClients, sealed: str) -> None:
    replacement = clients.kms.create_key()["KeyMetadata"]["KeyId"]
    sealer = sealer_over(clients, replacement)

    newer = sealer.seal(b"newer", PLACE)

    assert (sealer.open(sealed, PLACE), sealer.open(newer, PLACE)) == (SECRET, b"newer")


def test_disabled_key_opens_nothing_until_it_is_enabled(
    clients: AwsClients, key: str, sealed: str
) -> None:
    clock = FixedClock()
    warm = sealer_over(clients, key, clock)
    assert warm.open(sealed, PLACE) == SECRET
    clients.kms.disable_key(KeyId=key)

    # The cache bridges some minutes.
    assert warm.open(sealed, PLACE) == SECRET
    clock.moment += CACHE_TIME
    for sealer in (warm, sealer_over(clients, key)):
        with pytest.raises(KeyUnavailableError):
            sealer.open(sealed, PLACE)
        with pytest.raises(KeyUnavailableError):
            sealer.seal(SECRET, PLACE)

    clients.kms.enable_key(KeyId=key)
    assert warm.open(sealed, PLACE) == SECRET


def test_key_that_is_to_be_deleted_opens_nothing_until_it_is_kept(
    clients: AwsClients, key: str, sealed: str
) -> None:
    clients.kms.schedule_key_deletion(KeyId=key, PendingWindowInDays=7)
    sealer = sealer_over(clients, key)

    with pytest.raises(KeyUnavailableError):
        sealer.open(sealed, PLACE)
    with pytest.raises(KeyUnavailableError):
        sealer.seal(SECRET, PLACE)

    clients.kms.cancel_key_deletion(KeyId=key)
    clients.kms.enable_key(KeyId=key)
    assert sealer.open(sealed, PLACE) == SECRET


def test_key_that_does_not_exist_here_opens_nothing(
    key: str, sealed: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A key exists in one region.
    monkeypatch.setenv("AWS_DEFAULT_REGION", "eu-central-1")
    sealer = sealer_over(AwsClients(), key)

    with pytest.raises(KeyUnavailableError):
        sealer.open(sealed, PLACE)
    with pytest.raises(KeyUnavailableError):
        sealer.seal(SECRET, PLACE)


def test_kms_that_does_not_answer_is_a_transient_error(
    key: str, sealed: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL_KMS", f"http://127.0.0.1:{free_port()}")
    sealer = sealer_over(AwsClients(), key)

    with pytest.raises(Exception, match="Could not connect") as error:
        sealer.open(sealed, PLACE)

    assert is_transient(error.value)
