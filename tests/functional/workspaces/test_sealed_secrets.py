"""Sealed secrets over moto, which checks the encryption context as KMS does."""

import pytest

from chalicelib.adapters.aws.sealing import (
    KeyUnavailableError,
    SealBrokenError,
    SealContext,
    SecretSealer,
)
from chalicelib.core.ids import WorkspaceId
from tests.builders.in_process_aws import MotoAws
from tests.fakes.api_services import FixedClock

PLACE = SealContext(WorkspaceId("ws_1"), "whe_1", "signing_secret")


@pytest.fixture
def key(aws: MotoAws) -> str:
    made = aws.shared.kms.create_key()["KeyMetadata"]
    return made["Arn"]


def test_secret_opens_in_another_process(aws: MotoAws, key: str) -> None:
    sealed = SecretSealer(aws.shared, key, FixedClock()).seal("secret", PLACE)

    assert SecretSealer(aws.shared, key, FixedClock()).open(sealed, PLACE) == b"secret"


@pytest.mark.parametrize(
    "place",
    [
        PLACE._replace(workspace=WorkspaceId("ws_2")),
        PLACE._replace(object="whe_2"),
        PLACE._replace(field="password"),
    ],
    ids=SealContext._fields,
)
def test_moved_secret_does_not_open(aws: MotoAws, key: str, place: SealContext) -> None:
    sealer = SecretSealer(aws.shared, key, FixedClock())
    sealed = sealer.seal("secret", PLACE)

    with pytest.raises(SealBrokenError) as error:
        sealer.open(sealed, place)

    # KMS refused: the data key itself is bound to the place.
    assert "InvalidCiphertextException" in str(error.value.__cause__)


def test_unknown_key_does_not_seal(aws: MotoAws) -> None:
    with pytest.raises(KeyUnavailableError):
        SecretSealer(aws.shared, "00000000-0000-0000-0000-000000000000", FixedClock()).seal(
            "secret", PLACE
        )
