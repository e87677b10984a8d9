"""Settings and credentials of storage destinations, one pair of models for each provider."""

import base64
import re
from collections.abc import Mapping
from typing import Annotated, Final, Literal, NamedTuple, Self

from pydantic import AfterValidator, Field, StringConstraints, model_validator

from chalicelib.contract.base import Model
from chalicelib.contract.emails.providers import SecretText, Word
from chalicelib.contract.field_types import TargetUrl
from chalicelib.contract.validation import read_part
from chalicelib.core.egress_policy import is_host, normalized_host
from chalicelib.core.json import Json, JsonObject
from chalicelib.core.text import pattern_with_form

_BLANK_OR_CONTROL: Final = re.compile(r"[\x00-\x20\x7f]")
# OpenSSH: type, blob in base64, a comment; or what `ssh-keygen -l` prints of a key.
_KEY_LINE: Final = re.compile(r"(?P<type>[a-z0-9@.-]{1,64}) (?P<blob>[A-Za-z0-9+/]+={0,2})(?: .*)?")
_FINGERPRINT: Final = re.compile(r"SHA256:[A-Za-z0-9+/]{43}")
_HOST_KEY_TYPES: Final = (
    "ssh-ed25519",
    "ecdsa-sha2-nistp256",
    "ecdsa-sha2-nistp384",
    "ecdsa-sha2-nistp521",
    "ssh-rsa",
)
_PEM: Final = re.compile(
    r"\s*-----BEGIN (?P<label>(?:[A-Z]+ )?PRIVATE KEY)-----\n"
    r"[\x20-\x7e\n]+\n-----END (?P=label)-----\s*"
)


def _check_endpoint(url: str) -> str:
    if "sig=" in url.partition("?")[2]:
        message = "has a SAS token: enter that as credentials.sas_token, and no query here"
        raise ValueError(message)
    if "?" in url or "#" in url:
        message = "has no query and no fragment"
        raise ValueError(message)
    return url


def _check_host(host: str) -> str:
    if not is_host(normalized_host(host)):
        message = "must be a name, with other letters than a-z as xn--…, or an address"
        raise ValueError(message)
    return host


def _check_directory(path: str) -> str:
    if not path.isprintable():
        message = "must have no control characters"
        raise ValueError(message)
    return path


def _check_account_key(text: str) -> str:
    if not _base64_bytes(text):
        message = "must be base64, as the portal shows it"
        raise ValueError(message)
    return text


def _check_sas_token(text: str) -> str:
    if "://" in text.partition("?")[0]:
        message = "is a whole URL: enter only what stands behind its ?"
        raise ValueError(message)
    token = text.removeprefix("?")
    if not token.isascii() or _BLANK_OR_CONTROL.search(token) or "sig=" not in token:
        message = "must be a query such as sv=…&sig=…"
        raise ValueError(message)
    return token


def _check_host_key(text: str) -> str:
    """Return the text without a comment; raise ValueError unless it is a key or a fingerprint."""
    if _FINGERPRINT.fullmatch(text):
        return text
    match = _KEY_LINE.fullmatch(text)
    if match is None or not _is_key_blob(match["type"], match["blob"]):
        message = (
            "must be a public key such as ssh-ed25519 AAAA…, as ssh-keyscan prints it behind the "
            f"host, of the types {', '.join(_HOST_KEY_TYPES)}, or its fingerprint SHA256:…"
        )
        raise ValueError(message)
    return f"{match['type']} {match['blob']}"


def _is_key_blob(kind: str, blob: str) -> bool:
    """Tell whether a blob is a public key of this type: its type comes first (RFC 4253 6.6)."""
    name, decoded = kind.encode(), _base64_bytes(blob)
    head = len(name).to_bytes(4) + name
    return kind in _HOST_KEY_TYPES and decoded.startswith(head) and len(decoded) > len(head)


def _base64_bytes(text: str) -> bytes:
    """Return the bytes of a text in base64; none for another text."""
    try:
        return base64.b64decode(text, validate=True)
    except ValueError:
        return b""


def _check_private_key(text: str) -> str:
    plain = text.replace("\r\n", "\n")
    if _PEM.fullmatch(plain) is None or "ENCRYPTED" in plain:
        message = "must be a private key in PEM or OpenSSH form, without a passphrase"
        raise ValueError(message)
    return plain.strip() + "\n"


Endpoint = Annotated[TargetUrl, AfterValidator(_check_endpoint)]


class S3Config(Model):
    """Settings of a store with the API of S3; `endpoint` null is AWS."""

    endpoint: Endpoint | None = None
    """Address of another store with the API of S3. Null: AWS."""
    region: Annotated[
        str,
        StringConstraints(
            pattern=pattern_with_form(r"^[a-z0-9-]{1,64}$", "a region, such as eu-central-1")
        ),
    ]
    """Region of the bucket, such as `eu-central-1`."""
    bucket: Annotated[
        str,
        StringConstraints(
            pattern=pattern_with_form(
                r"^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$",
                "3 to 63 small letters, digits, dots and -, the first and last none of . and -",
            )
        ),
    ]
    """Name of the bucket."""
    force_path_style: bool = False
    """The bucket stands in the path of the address, not in its host."""


class AzureBlobConfig(Model):
    """Settings of Azure Blob Storage; `endpoint` null is the account's own address."""

    account: Annotated[
        str,
        StringConstraints(
            pattern=pattern_with_form(r"^[a-z0-9]{3,24}$", "3 to 24 small letters and digits")
        ),
    ]
    """Name of the storage account."""
    container: Annotated[
        str,
        StringConstraints(
            max_length=63,
            pattern=pattern_with_form(
                r"^(?:\$root|\$web|[a-z0-9](?:-?[a-z0-9]){2,62})$",
                "$root, $web, or 3 to 63 small letters and digits with single - between them",
            ),
        ),
    ]
    """Name of the container."""
    endpoint: Endpoint | None = None
    """Address of the account. Null: its own at Azure."""


class GcsConfig(Model):
    """Settings of Google Cloud Storage."""

    bucket: Annotated[
        str,
        StringConstraints(
            pattern=pattern_with_form(
                r"^[a-z0-9][a-z0-9._-]{1,220}[a-z0-9]$",
                "3 to 222 small letters, digits, dots, _ and -, the first and last none of . _ -",
            )
        ),
    ]
    """Name of the bucket."""


class SftpConfig(Model):
    """Settings of an SFTP server; `directory` is below that of the log-in unless it begins with /.

    `host_key` is the key that the server must have: nothing is sent to a server with another.
    """

    host: Annotated[
        str, StringConstraints(min_length=1, max_length=253), AfterValidator(_check_host)
    ]
    """Name or address of the server."""
    port: Annotated[int, Field(ge=1, le=65_535)] = 22
    """Port of the server."""
    username: Word
    """Name to log in with."""
    directory: Annotated[
        str, StringConstraints(max_length=1_024), AfterValidator(_check_directory)
    ] = ""
    """Folder of the files, below that of the log-in unless it begins with `/`. Empty: that of the
    log-in."""
    host_key: Annotated[str, StringConstraints(max_length=4_096), AfterValidator(_check_host_key)]
    """Key that the server must have: `ssh-ed25519 AAAA…`, or its fingerprint `SHA256:…`."""


class AccessKeyCredentials(Model):
    """Credentials of S3, and of GCS (HMAC keys for interoperability)."""

    access_key_id: Word
    """Id of the access key."""
    secret_access_key: SecretText
    """The secret of the access key."""


class AzureBlobCredentials(Model):
    """Exactly one of `account_key` and `sas_token`."""

    account_key: (
        Annotated[
            str,
            StringConstraints(max_length=1_024),
            AfterValidator(_check_account_key),
        ]
        | None
    ) = None
    """Key of the account, in base64."""
    sas_token: (
        Annotated[str, StringConstraints(max_length=2_048), AfterValidator(_check_sas_token)] | None
    ) = None
    """SAS token, `sv=…&sig=…`."""

    @model_validator(mode="after")
    def _check_exactly_one(self) -> Self:
        if (self.account_key is None) == (self.sas_token is None):
            message = "needs exactly one of account_key and sas_token"
            raise ValueError(message)
        return self


class SftpCredentials(Model):
    """Exactly one of `password` and `private_key`."""

    password: SecretText | None = None
    """Password to log in with."""
    private_key: (
        Annotated[
            str,
            StringConstraints(max_length=16_384),
            AfterValidator(_check_private_key),
        ]
        | None
    ) = None
    """Private key in PEM or OpenSSH form, without a passphrase."""

    @model_validator(mode="after")
    def _check_exactly_one(self) -> Self:
        if (self.password is None) == (self.private_key is None):
            message = "needs exactly one of password and private_key"
            raise ValueError(message)
        return self


class StoreModels(NamedTuple):
    """Models of one provider's settings and credentials."""

    config: type[Model]
    credentials: type[Model]


STORE_MODELS: Final[Mapping[str, StoreModels]] = {
    "s3": StoreModels(S3Config, AccessKeyCredentials),
    "azure_blob": StoreModels(AzureBlobConfig, AzureBlobCredentials),
    "gcs": StoreModels(GcsConfig, AccessKeyCredentials),
    "sftp": StoreModels(SftpConfig, SftpCredentials),
}


def read_store_part(
    provider: str, part: Literal["config", "credentials"], value: JsonObject
) -> dict[str, Json]:
    """Return the settings or credentials of a provider, all of them; raise `validation_error`."""
    models = STORE_MODELS[provider]
    model = models.config if part == "config" else models.credentials
    read: dict[str, Json] = read_part(model, value, f"/{part}").model_dump(
        exclude_none=part == "credentials"
    )
    return read
