"""Storage destinations of a workspace, made by requests."""

from typing import Any, Final

from tests.builders.http import ApiAnswer
from tests.builders.service import Service

PATH: Final = "/v1/storage-destinations"
ED25519: Final = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIBvXZ7eGrYgYFHGZbGkcjSfRgYyZ0V2nTwTe4pHkN4Jd"
FINGERPRINT: Final = "SHA256:" + "k" * 43
PRIVATE_KEY: Final = """-----BEGIN OPENSSH PRIVATE KEY-----
b3BlbnNzaC1r
ZXktdjEA
-----END OPENSSH PRIVATE KEY-----
"""
ACCESS_KEYS: Final = {"access_key_id": "AKID", "secret_access_key": "s3cret-key"}
S3: Final = {"region": "eu-central-1", "bucket": "my-files"}
SFTP: Final = {"host": "sftp.example.com", "username": "platen", "host_key": ED25519}
# By provider: the required settings, all settings with their defaults, credentials.
PROVIDERS: Final[dict[str, tuple[dict[str, Any], dict[str, Any], list[dict[str, str]]]]] = {
    "s3": (S3, S3 | {"endpoint": None, "force_path_style": False}, [ACCESS_KEYS]),
    "azure_blob": (
        {"account": "myaccount", "container": "files"},
        {"account": "myaccount", "container": "files", "endpoint": None},
        [{"account_key": "czNjcmV0"}, {"sas_token": "sv=2024-11-04&sig=s3cret"}],
    ),
    "gcs": ({"bucket": "my_files.example"}, {"bucket": "my_files.example"}, [ACCESS_KEYS]),
    "sftp": (
        SFTP,
        SFTP | {"port": 22, "directory": ""},
        [{"password": "s3cret"}, {"private_key": PRIVATE_KEY}],
    ),
}


def create_destination(service: Service, provider: str = "s3", **fields: Any) -> ApiAnswer:
    config, _, (credentials, *_) = PROVIDERS[provider]
    usual = {"name": "Archive", "provider": provider, "config": config, "credentials": credentials}
    return service.call("POST", PATH, json_body=usual | fields)


def made_destination(service: Service, provider: str = "s3", **fields: Any) -> dict[str, Any]:
    answer = create_destination(service, provider, **fields)
    assert answer.status == 201, answer.body
    created: dict[str, Any] = answer.json
    return created


def change_destination(service: Service, destination: dict[str, Any], **fields: Any) -> ApiAnswer:
    return service.call("PATCH", f"{PATH}/{destination['id']}", json_body=fields)


def shown_destination(service: Service, destination: dict[str, Any]) -> dict[str, Any]:
    answer = service.call("GET", f"{PATH}/{destination['id']}")
    assert answer.status == 200, answer.body
    shown: dict[str, Any] = answer.json
    return shown


def run_storage_test(service: Service, destination: dict[str, Any]) -> ApiAnswer:
    return service.call("POST", f"{PATH}/{destination['id']}/test")


def stored_rows(service: Service) -> list[Any]:
    """Return all rows of the workspace's destinations."""
    table = service.main_table
    return table.query("PK = :pk", {":pk": f"WS#{service.workspace}#DST"}).items
