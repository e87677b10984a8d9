"""Storage destinations: a store of the customer, its settings and credentials."""

from typing import Literal

from pydantic import Field

from chalicelib.contract.base import Change, Model, Query
from chalicelib.contract.emails.connection import ConnectionName, Parts
from chalicelib.contract.field_types import Cursor, PageLimit
from chalicelib.contract.storage.target import PathTemplate
from chalicelib.core.storage import DEFAULT_PATH, StorageErrorCode

StorageProvider = Literal["s3", "azure_blob", "gcs", "sftp"]


class StorageDestinationRequest(Model):
    """A new storage destination."""

    name: ConnectionName
    """A name for people."""
    provider: StorageProvider
    """Kind of the store; it cannot be changed later."""
    path_template: PathTemplate = DEFAULT_PATH
    """Whole path of every file, a template over the data of the render such as
    `invoices/{{ customer.id }}/{{ filename }}`; the `path` of a target replaces it. A test writes
    into the folder that stands before its first tag."""
    keep_hosted_copy: bool = True
    """False: files whose destinations all have it false are not hosted by the service."""
    is_default: bool = False
    """The default one receives every live render that names no storage. There is one at most: true
    takes that from another destination."""
    config: Parts
    """`s3`: `endpoint` (null: AWS), `region`, `bucket`, `force_path_style` (false); `azure_blob`:
    `account`, `container`, `endpoint` (null: that of Azure); `gcs`: `bucket`; `sftp`: `host`,
    `port` (22), `username`, `directory`, `host_key` (a public key `ssh-ed25519 AAAA…`, or its
    fingerprint `SHA256:…`; no other server gets the credentials)."""
    credentials: Parts | None = None
    """`s3`, `gcs` (HMAC key): `access_key_id`, `secret_access_key`; `azure_blob`: `account_key` or
    `sas_token`; `sftp`: `password` or `private_key` (PEM or OpenSSH). Stored sealed, and never
    shown. Uploads of a destination without credentials fail with `storage_denied`."""


class StorageDestinationChange(Change):
    """A change of a storage destination; absent fields stay as they are."""

    name: ConnectionName = Field(default_factory=str)
    """A name for people."""
    provider: StorageProvider = "s3"
    """It cannot be changed: another provider is another destination."""
    path_template: PathTemplate = DEFAULT_PATH
    """Whole path of every file, a template."""
    keep_hosted_copy: bool = True
    """False: files whose destinations all have it false are not hosted by the service."""
    is_default: bool = False
    """True makes it the default one instead of the one before."""
    config: Parts | None = None
    """Members replace those of the same name; null keeps all."""
    credentials: Parts | None = None
    """They replace all credentials; null keeps them. They are required with another `endpoint`,
    `account`, `host`, `port`, `username` or `host_key`."""


class StorageCredentials(Model):
    """Whether a destination has credentials."""

    configured: bool
    """Whether there are credentials."""


class StorageDestinationError(Model):
    """The reason why a destination is failing."""

    at: str
    """When it happened."""
    code: StorageErrorCode
    """The cause, such as `storage_denied`."""
    message: str
    """What happened and what to change, for people."""
    status: int | None
    """The status of the store's answer; null without one."""


class StorageDestination(Model):
    """A storage destination."""

    id: str
    """Id of the destination, `dst_…`."""
    object: Literal["storage_destination"]
    name: str
    """A name for people."""
    provider: StorageProvider
    """Kind of the store."""
    path_template: str
    """Whole path of every file, a template."""
    keep_hosted_copy: bool
    """False: files whose destinations all have it false are not hosted by the service."""
    is_default: bool
    """Whether it receives every live render that names no storage."""
    config: dict[str, str | int | bool | None]
    """Settings of the store, those with defaults included."""
    credentials: StorageCredentials
    """Whether there are credentials; they are never shown."""
    status: Literal["active", "failing"]
    """`failing`: the last test or upload failed, for the reason in `last_error`."""
    last_error: StorageDestinationError | None
    """Why it is failing, by the last test or upload; null while it is `active`."""
    last_test_at: str | None
    """When it was last tested; null before the first test."""
    last_test_status: Literal["succeeded", "failed"] | None
    """How the last test ended; null before the first test."""
    created_at: str
    updated_at: str


class StorageDestinationQuery(Query):
    """Paging of `GET /v1/storage-destinations`."""

    limit: PageLimit = 20
    cursor: Cursor | None = None
    """The `next_cursor` of the previous page."""


class StorageDestinationList(Model):
    """One page of a workspace's storage destinations, newest first."""

    object: Literal["list"]
    data: list[StorageDestination]
    """Destinations of this page."""
    has_more: bool
    next_cursor: str | None


class StorageTestStep(Model):
    """One step of a test."""

    name: Literal["connect", "write", "delete"]
    """The step."""
    ok: bool
    """Whether the step passed."""
    detail: str | None
    """What went wrong; null if the step passed."""


class StorageTest(Model):
    """The result of a test."""

    object: Literal["storage_test"]
    ok: bool
    """Whether all steps passed."""
    steps: list[StorageTestStep]
    """They end at the first that failed."""
