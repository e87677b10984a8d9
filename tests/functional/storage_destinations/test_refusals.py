"""Storage destinations: what is refused, and where."""

from typing import Any

import pytest

from tests.builders.http import ApiAnswer
from tests.builders.service import Service
from tests.builders.storage_destinations import (
    ED25519,
    FINGERPRINT,
    PATH,
    PRIVATE_KEY,
    PROVIDERS,
    S3,
    change_destination,
    create_destination,
    made_destination,
    shown_destination,
)

BODY: dict[str, Any] = {"name": "x", "provider": "s3", "config": S3}
AZURE = PROVIDERS["azure_blob"][0]


def pointers(answer: ApiAnswer) -> list[str]:
    assert answer.code == "validation_error", answer.body
    return answer.pointers


@pytest.mark.parametrize(
    ("fields", "place"),
    [
        ({"name": ""}, "/name"),
        ({"name": "x" * 101}, "/name"),
        ({"name": "a\nb"}, "/name"),
        ({"provider": "ftp"}, "/provider"),
        ({"path_template": "x" * 1_025}, "/path_template"),
        ({"path_template": ""}, "/path_template"),
        ({"keep_hosted_copy": "yes"}, "/keep_hosted_copy"),
        ({"is_default": 1}, "/is_default"),
        ({"config": []}, "/config"),
        ({"credentials": "x"}, "/credentials"),
        ({"status": "active"}, "/status"),
        ({"endpoint": "https://s3.example.com"}, "/endpoint"),
    ],
)
def test_field_out_of_bounds_is_refused(
    service: Service, fields: dict[str, Any], place: str
) -> None:
    destination = made_destination(service)

    created = service.call("POST", PATH, json_body=BODY | fields)

    assert pointers(created) == [place]
    assert pointers(change_destination(service, destination, **fields)) == [place]
    assert shown_destination(service, destination) == destination


@pytest.mark.parametrize("name", ["name", "provider", "config"])
def test_required_field_is_missed(service: Service, name: str) -> None:
    body = {each: value for each, value in BODY.items() if each != name}

    answer = service.call("POST", PATH, json_body=body)

    assert pointers(answer) == [f"/{name}"]


@pytest.mark.parametrize(
    ("provider", "config", "field"),
    [
        ("s3", {"region": ""}, "region"),
        ("s3", {"region": "EU central"}, "region"),
        ("s3", {"region": None}, "region"),
        ("s3", {"region": "x" * 65}, "region"),
        ("s3", {"bucket": "ab"}, "bucket"),
        ("s3", {"bucket": "a" * 64}, "bucket"),
        ("s3", {"bucket": "My-Files"}, "bucket"),
        ("s3", {"bucket": "a/../b"}, "bucket"),
        ("s3", {"bucket": "a.example.com/?x"}, "bucket"),
        ("s3", {"force_path_style": "true"}, "force_path_style"),
        ("s3", {"endpoint": "ftp://s3.example.com"}, "endpoint"),
        ("s3", {"endpoint": "s3.example.com"}, "endpoint"),
        ("s3", {"endpoint": "https://"}, "endpoint"),
        ("s3", {"endpoint": "https://u:p@s3.example.com"}, "endpoint"),
        ("s3", {"endpoint": "https://s3.example.com/?x=1"}, "endpoint"),
        ("s3", {"endpoint": "https://s3.example.com/#x"}, "endpoint"),
        ("s3", {"endpoint": "https://s3.example.com/a b"}, "endpoint"),
        ("s3", {"endpoint": "https://mü..example"}, "endpoint"),
        ("s3", {"endpoint": "https://s3.example.com:99999"}, "endpoint"),
        ("s3", {"endpoint": "https://s3.example.com/" + "x" * 2_048}, "endpoint"),
        ("s3", {"account": "x"}, "account"),
        ("azure_blob", {"account": "ab"}, "account"),
        ("azure_blob", {"account": "a" * 25}, "account"),
        ("azure_blob", {"account": "a.b-c"}, "account"),
        ("azure_blob", {"container": "ab"}, "container"),
        ("azure_blob", {"container": "a--b"}, "container"),
        ("azure_blob", {"container": "-abc"}, "container"),
        ("azure_blob", {"container": "a" * 64}, "container"),
        ("azure_blob", {"container": "a-" * 40 + "a"}, "container"),
        ("azure_blob", {"container": "$logs/x"}, "container"),
        ("azure_blob", {"endpoint": "https://x.example?sig=1"}, "endpoint"),
        ("azure_blob", {"bucket": "x"}, "bucket"),
        ("gcs", {"bucket": "ab"}, "bucket"),
        ("gcs", {"bucket": "a" * 223}, "bucket"),
        ("gcs", {"bucket": "Files"}, "bucket"),
        ("gcs", {"endpoint": "https://storage.example.com"}, "endpoint"),
        ("sftp", {"host": ""}, "host"),
        ("sftp", {"host": "x" * 254}, "host"),
        ("sftp", {"host": "https://sftp.example.com"}, "host"),
        ("sftp", {"host": "sftp.example.com:22"}, "host"),
        ("sftp", {"host": "sftp example.com"}, "host"),
        ("sftp", {"port": 0}, "port"),
        ("sftp", {"port": 65_536}, "port"),
        ("sftp", {"port": "22"}, "port"),
        ("sftp", {"username": ""}, "username"),
        ("sftp", {"username": "x" * 256}, "username"),
        ("sftp", {"username": "a\nb"}, "username"),
        ("sftp", {"directory": "x" * 1_025}, "directory"),
        ("sftp", {"directory": "a\x00b"}, "directory"),
        ("sftp", {"host_key": None}, "host_key"),
        ("sftp", {"host_key": ""}, "host_key"),
        ("sftp", {"host_key": "x" * 4_097}, "host_key"),
        ("sftp", {"host_key": "ssh-ed25519"}, "host_key"),
        ("sftp", {"host_key": f"sftp.example.com {ED25519}"}, "host_key"),
        ("sftp", {"host_key": ED25519.replace("ed25519", "rsa")}, "host_key"),
        ("sftp", {"host_key": ED25519.replace("ed25519", "dss")}, "host_key"),
        ("sftp", {"host_key": f"{ED25519}\n{ED25519}"}, "host_key"),
        ("sftp", {"host_key": "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5"}, "host_key"),
        ("sftp", {"host_key": "ssh-ed25519 !!!!"}, "host_key"),
        ("sftp", {"host_key": FINGERPRINT[:-1]}, "host_key"),
        ("sftp", {"host_key": "MD5:" + "00:" * 15 + "00"}, "host_key"),
    ],
)
def test_settings_out_of_bounds_are_refused(
    service: Service, provider: str, config: dict[str, Any], field: str
) -> None:
    destination = made_destination(service, provider)

    created = create_destination(service, provider, config=PROVIDERS[provider][0] | config)

    assert pointers(created) == [f"/config/{field}"]
    changed = change_destination(service, destination, config=config)
    assert pointers(changed) == [f"/config/{field}"]
    assert shown_destination(service, destination) == destination


@pytest.mark.parametrize(
    ("provider", "config"),
    [
        ("s3", {"region": "x" * 64, "bucket": "a" * 63}),
        ("s3", {"endpoint": "https://s3.example.com:8443/storage/v1/s3", "force_path_style": True}),
        ("s3", {"endpoint": "https://198.51.99.7"}),
        ("azure_blob", {"account": "a" * 24, "container": "a" * 63}),
        ("azure_blob", {"container": "$web", "endpoint": "https://blob.example.com"}),
        ("azure_blob", {"container": "$root"}),
        ("azure_blob", {"container": "a-b-c"}),
        ("gcs", {"bucket": "a" * 222}),
        ("sftp", {"username": "x" * 255, "directory": "/srv/" + "x" * 1_019}),
        ("sftp", {"host_key": FINGERPRINT}),
        ("sftp", {"host": "SFTP.example.com."}),
    ],
)
def test_settings_at_their_bounds_are_accepted(
    service: Service, provider: str, config: dict[str, Any]
) -> None:
    destination = made_destination(service, provider, config=PROVIDERS[provider][0] | config)

    assert {name: destination["config"][name] for name in config} == config


@pytest.mark.parametrize(
    ("provider", "credentials", "places"),
    [
        ("s3", {}, ["access_key_id", "secret_access_key"]),
        ("s3", {"access_key_id": "", "secret_access_key": ""}, None),
        ("s3", {"access_key_id": "x" * 256, "secret_access_key": "x" * 1_025}, None),
        ("gcs", {"access_key_id": "a\nb", "secret_access_key": "a\nb"}, None),
        ("gcs", {"access_key_id": "a"}, ["secret_access_key"]),
        ("sftp", {"password": "x" * 1_025}, ["password"]),
        ("sftp", {"private_key": "x"}, ["private_key"]),
        ("sftp", {"private_key": PRIVATE_KEY + "x" * 16_384}, ["private_key"]),
        ("sftp", {"private_key": PRIVATE_KEY.replace("END OPENSSH", "END RSA")}, ["private_key"]),
        (
            "sftp",
            {
                "private_key": "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nQUFB\n"
                "-----END RSA PRIVATE KEY-----\n"
            },
            ["private_key"],
        ),
        ("azure_blob", {"account_key": "no base64!"}, ["account_key"]),
        ("azure_blob", {"account_key": "QUFB" * 257}, ["account_key"]),
        ("azure_blob", {"sas_token": "sv=1"}, ["sas_token"]),
        ("azure_blob", {"sas_token": "https://a.example/arch?sv=1&sig=abc"}, ["sas_token"]),
        ("azure_blob", {"sas_token": "sv=1&sig=a b"}, ["sas_token"]),
        ("azure_blob", {"sas_token": "sig=" + "x" * 2_045}, ["sas_token"]),
    ],
)
def test_credentials_out_of_bounds_are_refused(
    service: Service, provider: str, credentials: dict[str, str], places: list[str] | None
) -> None:
    destination = made_destination(service, provider)

    created = create_destination(service, provider, credentials=credentials)

    expected = [f"/credentials/{name}" for name in (places or credentials)]
    assert pointers(created) == expected
    assert pointers(change_destination(service, destination, credentials=credentials)) == expected


def test_unknown_credentials_hide_none_that_are_missing(service: Service) -> None:
    refused = create_destination(service, "azure_blob", credentials={"password": "x"})

    assert pointers(refused) == ["/credentials/password", "/credentials"]


@pytest.mark.parametrize(
    ("provider", "credentials"),
    [
        ("azure_blob", {}),
        ("azure_blob", {"account_key": None, "sas_token": None}),
        ("azure_blob", {"account_key": "QUFB", "sas_token": "sig=x"}),
        ("sftp", {}),
        ("sftp", {"password": "x", "private_key": PRIVATE_KEY}),
    ],
)
def test_exactly_one_of_two_credentials_is_taken(
    service: Service, provider: str, credentials: dict[str, str | None]
) -> None:
    assert pointers(create_destination(service, provider, credentials=credentials)) == [
        "/credentials"
    ]


def test_what_is_missing_in_settings_and_credentials_is_told_at_once(service: Service) -> None:
    body = BODY | {"provider": "s3", "config": {}, "credentials": {}}

    assert pointers(service.call("POST", PATH, json_body=body)) == [
        "/config/region",
        "/config/bucket",
        "/credentials/access_key_id",
        "/credentials/secret_access_key",
    ]


@pytest.mark.parametrize(
    ("part", "fields", "advice"),
    [
        ("credentials", {"sas_token": "https://a.example/c?sv=1&sig=x"}, "behind its ?"),
        ("config", {"endpoint": "https://a.example/c?sv=1&sig=x"}, "credentials.sas_token"),
    ],
)
def test_pasted_sas_url_is_named(
    service: Service, part: str, fields: dict[str, Any], advice: str
) -> None:
    destination = made_destination(service, "azure_blob")

    answer = service.call(
        "PATCH",
        f"{PATH}/{destination['id']}",
        json_body={part: fields, "credentials": fields}
        if part == "credentials"
        else {part: fields, "credentials": {"sas_token": "sv=1&sig=x"}},
    )

    assert advice in answer.json["detail"]
