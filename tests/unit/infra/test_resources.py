"""Resources are created once, and found again by every later start."""

from typing import Any

import boto3
import pytest
from moto import mock_aws

from infra.local.resources import ResourceError, create_resources
from infra.template import load_template


@pytest.fixture
def clients(monkeypatch: pytest.MonkeyPatch) -> Any:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "x")
    with mock_aws():
        made: dict[str, Any] = {}
        yield lambda service: made.setdefault(service, boto3.client(service, "us-east-1"))


def create(clients: Any) -> Any:
    hosts = {"ApiHost": "http://127.0.0.1", "FilesHost": "http://127.0.0.1"}
    return create_resources(load_template(), clients, "platen", parameters=hosts, max_workers=1)


def test_second_start_finds_what_the_first_has_made(clients: Any) -> None:
    first = create(clients)
    secret = first["SigningSecret"]["Ref"]
    kept = clients("secretsmanager").get_secret_value(SecretId=secret)["SecretString"]
    sealed = clients("kms").encrypt(KeyId=first["DataKey"]["Ref"], Plaintext=b"secret")

    assert create(clients) == first

    assert clients("secretsmanager").get_secret_value(SecretId=secret)["SecretString"] == kept
    opened = clients("kms").decrypt(CiphertextBlob=sealed["CiphertextBlob"])
    assert opened["Plaintext"] == b"secret"
    assert len(clients("kms").list_keys()["Keys"]) == 1


def test_table_with_other_indexes_is_an_error(clients: Any) -> None:
    key = {"AttributeName": "PK", "KeyType": "HASH"}
    clients("dynamodb").create_table(
        TableName="platen-main",
        KeySchema=[key],
        AttributeDefinitions=[{"AttributeName": "PK", "AttributeType": "S"}],
        BillingMode="PAY_PER_REQUEST",
    )

    with pytest.raises(ResourceError, match="platen-main has other keys or indexes"):
        create(clients)
