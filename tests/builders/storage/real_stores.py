"""Stores of each kind behind one interface: how they are opened, and the stored files."""

import base64
import hmac
import json
from collections.abc import Callable
from email.utils import formatdate
from typing import Any, Final, NamedTuple
from urllib.error import HTTPError
from urllib.parse import quote, urlencode
from urllib.request import Request, urlopen

import asyncssh
import boto3
from botocore.config import Config
from botocore.exceptions import ClientError

from chalicelib.core.json import JsonObject
from chalicelib.features.destinations.model import StorageDestination
from chalicelib.features.destinations.outgoing import OpenStore
from chalicelib.features.destinations.providers.azure_blob import open_azure_blob
from chalicelib.features.destinations.providers.gcs import open_gcs
from chalicelib.features.destinations.providers.s3 import open_s3
from chalicelib.features.destinations.providers.sftp import open_sftp
from tests.builders.storage.files import egress_to, storage_destination
from tests.builders.storage.servers import (
    ACCESS_KEY,
    AZURE_ACCOUNT,
    AZURE_KEY,
    REGION,
    SECRET_KEY,
    SshServer,
    StorageServer,
)

BUCKET: Final = "archive"
_API_VERSION: Final = "2023-11-03"


class StoredFile(NamedTuple):
    """File in a store; `content_type` and `etag` are None where the store has none."""

    content: bytes
    content_type: str | None
    etag: str | None


class RealStore(NamedTuple):
    """Store of a destination; `read` returns None for a key that is not there."""

    open: OpenStore
    destination: StorageDestination
    credentials: JsonObject
    wrong_credentials: JsonObject
    read: Callable[[str], StoredFile | None]

    def elsewhere(self, **config: str) -> StorageDestination:
        """Return the destination with other settings."""
        return self.destination._replace(config={**self.destination.config, **config})


def s3_store(server: StorageServer) -> RealStore:
    """Return the store in versitygw, whose bucket is new or there already."""
    (server.folder / BUCKET).mkdir(exist_ok=True)
    client = boto3.client(
        "s3",
        endpoint_url=server.url,
        region_name=REGION,
        aws_access_key_id=ACCESS_KEY,
        aws_secret_access_key=SECRET_KEY,
        config=Config(s3={"addressing_style": "path"}),
    )

    def read(key: str) -> StoredFile | None:
        try:
            found = client.get_object(Bucket=BUCKET, Key=key)
        except ClientError:
            return None
        return StoredFile(found["Body"].read(), found["ContentType"], found["ETag"].strip('"'))

    credentials = {"access_key_id": ACCESS_KEY, "secret_access_key": SECRET_KEY}
    return RealStore(
        open_s3(egress_to(server.port)),
        storage_destination(
            "s3", endpoint=server.url, region=REGION, bucket=BUCKET, force_path_style=True
        ),
        credentials,
        credentials | {"secret_access_key": "wrong"},
        read,
    )


def gcs_store(server: StorageServer) -> RealStore:
    """Return the store in fake-gcs-server."""
    api = f"{server.url}/storage/v1/b"
    body = json.dumps({"name": BUCKET}).encode()
    headers = {"Content-Type": "application/json"}
    _answer(Request(f"{api}?project=any", body, headers, method="POST"), 200, 409)

    def read(key: str) -> StoredFile | None:
        url = f"{api}/{BUCKET}/o/{quote(key, safe='')}"
        status, _, about = _answer(Request(url), 200, 404)
        if status != 200:
            return None
        content = _answer(Request(f"{url}?alt=media"), 200)[2]
        return StoredFile(content, json.loads(about)["contentType"], None)

    credentials = {"access_key_id": "GOOG1", "secret_access_key": "secret"}
    return RealStore(
        open_gcs(egress_to(server.port), server.url),
        storage_destination("gcs", bucket=BUCKET),
        credentials,
        credentials,
        read,
    )


def azure_store(server: StorageServer, *, with_sas: bool) -> RealStore:
    """Return the store in Azurite; anyone may read its container."""
    container = f"{server.url}/{AZURE_ACCOUNT}/{BUCKET}"
    _create_container(container)

    def read(key: str) -> StoredFile | None:
        status, headers, content = _answer(Request(f"{container}/{quote(key)}"), 200, 404)
        if status != 200:
            return None
        return StoredFile(content, headers["Content-Type"], headers["ETag"].strip('"'))

    other = base64.b64encode(b"another key").decode()
    return RealStore(
        open_azure_blob(egress_to(server.port)),
        storage_destination(
            "azure_blob",
            account=AZURE_ACCOUNT,
            container=BUCKET,
            endpoint=f"{server.url}/{AZURE_ACCOUNT}",
        ),
        {"sas_token": _account_sas(AZURE_KEY)} if with_sas else {"account_key": AZURE_KEY},
        {"sas_token": _account_sas(other)} if with_sas else {"account_key": other},
        read,
    )


def sftp_store(server: SshServer) -> RealStore:
    """Return the store in sshd's folder, in which a destination has another one."""

    def read(key: str) -> StoredFile | None:
        path = server.folder / BUCKET / key
        return StoredFile(path.read_bytes(), None, None) if path.exists() else None

    other = asyncssh.generate_private_key("ssh-ed25519").export_private_key().decode()
    return RealStore(
        open_sftp(egress_to(server.port)),
        storage_destination(
            "sftp",
            host="127.0.0.1",
            port=server.port,
            username=server.username,
            directory=str(server.folder / BUCKET),
            host_key=server.host_keys["ssh-ed25519"].export_public_key().decode().strip(),
        ),
        {"private_key": server.private_key},
        {"private_key": other},
        read,
    )


def _create_container(url: str) -> None:
    path = url.split("/", 3)[3]
    headers = {
        "x-ms-blob-public-access": "blob",
        "x-ms-date": formatdate(usegmt=True),
        "x-ms-version": _API_VERSION,
    }
    lines = [f"{name}:{value}" for name, value in headers.items()]
    resource = f"/{AZURE_ACCOUNT}/{path}\nrestype:container"
    signature = _signature(AZURE_KEY, "\n".join(["PUT", *[""] * 11, *lines, resource]))
    headers |= {"Authorization": f"SharedKey {AZURE_ACCOUNT}:{signature}", "Content-Length": "0"}
    _answer(Request(f"{url}?restype=container", headers=headers, method="PUT"), 201, 409)


def _account_sas(key: str) -> str:
    """Return a token that may write and delete blobs ("Create an account SAS")."""
    fields = {
        "sp": "rwdc",
        "ss": "b",
        "srt": "o",
        "st": "",
        "se": "2040-01-01T00:00:00Z",
        "sip": "",
        "spr": "",
        "sv": _API_VERSION,
        "ses": "",
    }
    text = "".join(f"{each}\n" for each in (AZURE_ACCOUNT, *fields.values()))
    given = {name: value for name, value in fields.items() if value}
    return urlencode({**given, "sig": _signature(key, text)})


def _signature(key: str, text: str) -> str:
    return base64.b64encode(hmac.digest(base64.b64decode(key), text.encode(), "sha256")).decode()


def _answer(request: Request, *expected: int) -> tuple[int, Any, bytes]:
    try:
        with urlopen(request, timeout=10) as answer:
            status, headers, content = answer.status, answer.headers, answer.read()
    except HTTPError as refusal:
        with refusal:
            status, headers, content = refusal.code, refusal.headers, refusal.read()
    assert status in expected, content
    return status, headers, content
