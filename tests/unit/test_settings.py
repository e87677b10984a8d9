"""Settings of the service: its own hosts."""

import pytest

from chalicelib.settings import RenderSettings

VARIABLES = {
    "PLATEN_STACK": "platen",
    "PLATEN_MAIN_TABLE": "table",
    "PLATEN_BUCKET": "bucket",
    "PLATEN_RENDERS_QUEUE_URL": "https://sqs.eu-central-1.amazonaws.com/123/renders",
    "PLATEN_RENDERS_LOW_QUEUE_URL": "https://sqs.eu-central-1.amazonaws.com/123/low",
    "PLATEN_RENDERS_DEAD_LETTERS_URL": "https://sqs.eu-central-1.amazonaws.com/123/dead",
    "PLATEN_EVENTS_QUEUE_URL": "https://sqs.eu-central-1.amazonaws.com/123/events",
    "PLATEN_BASE_URL": "https://u:p@API.example.com:8443/stage/v1",
    "PLATEN_FILES_HOST": "https://files.example.com",
    "PLATEN_GATEWAY_URL": "https://a1.execute-api.eu-central-1.amazonaws.com/live",
}


def test_own_hosts_include_the_service_and_its_aws_endpoints(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_S3"):
        monkeypatch.delenv(name, raising=False)
    settings = RenderSettings.from_env(VARIABLES)
    own = {
        "api.example.com",
        "files.example.com",
        "a1.execute-api.eu-central-1.amazonaws.com",
        "sqs.eu-central-1.amazonaws.com",
    }
    assert settings.own_hosts == own

    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://localstack.example:4566")
    monkeypatch.setenv("AWS_ENDPOINT_URL_S3", "http://[fd00::5]:9000")
    assert settings.own_hosts == own | {"localstack.example", "fd00::5"}


def test_own_hosts_of_the_local_stack_are_this_machine() -> None:
    defaults = {
        name: "x" for name in VARIABLES if name not in {"PLATEN_BASE_URL", "PLATEN_FILES_HOST"}
    }

    assert "127.0.0.1" in RenderSettings.from_env(defaults).own_hosts
