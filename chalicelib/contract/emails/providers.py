"""Settings and credentials of the email providers, one pair of models each."""

from collections.abc import Mapping
from typing import Annotated, Final, Literal, NamedTuple

from pydantic import AfterValidator, BeforeValidator, Field, StringConstraints

from chalicelib.contract.base import Model
from chalicelib.contract.emails.address import MailAddress
from chalicelib.contract.validation import read_part
from chalicelib.core.egress_policy import SUBMISSION_PORTS
from chalicelib.core.json import Json, JsonObject
from chalicelib.core.text import pattern_with_form

_MIB: Final = 1 << 20


def _check_visible(text: str) -> str:
    if not text.isprintable():
        message = "must have no control characters"
        raise ValueError(message)
    return text


def _check_port(port: int) -> int:
    if port not in SUBMISSION_PORTS:
        message = "must be 587 or 2525"
        raise ValueError(message)
    return port


def _stream(value: object) -> object:
    return "outbound" if value is None or value == "" else value


Word = Annotated[
    str, StringConstraints(min_length=1, max_length=255), AfterValidator(_check_visible)
]
SecretText = Annotated[
    str, StringConstraints(min_length=1, max_length=1_024), AfterValidator(_check_visible)
]


class ProviderConfig(Model):
    """Settings of every provider."""

    max_per_second: Annotated[int, Field(ge=1, le=100)] = 10
    """Emails that are handed to the provider in a second."""


class SmtpConfig(ProviderConfig):
    """Settings of an SMTP server."""

    host: Annotated[str, StringConstraints(min_length=1, max_length=253)]
    """Name of the server, such as `smtp.example.com`."""
    port: Annotated[int, AfterValidator(_check_port)]
    """Port of the server: 587 or 2525."""
    username: Word
    """Name to log in with."""
    attachment_budget_bytes: Annotated[int, Field(ge=0, le=25 * _MIB)] = 6 * _MIB
    """Bytes of files that are attached to an email; larger ones are linked."""


class BrevoConfig(ProviderConfig):
    """Settings of Brevo."""

    attachment_budget_bytes: Annotated[int, Field(ge=0, le=13 * _MIB)] = 10 * _MIB
    """Bytes of files that are attached to an email; larger ones are linked."""


class PostmarkConfig(ProviderConfig):
    """Settings of Postmark; a stream that is null or empty is `outbound`."""

    message_stream: Annotated[
        str,
        StringConstraints(max_length=255),
        BeforeValidator(_stream),
        AfterValidator(_check_visible),
    ] = "outbound"
    """Message stream of Postmark; null or empty: `outbound`."""
    attachment_budget_bytes: Annotated[int, Field(ge=0, le=6 * _MIB)] = 6 * _MIB
    """Bytes of files that are attached to an email; larger ones are linked."""


class ResendConfig(ProviderConfig):
    """Settings of Resend."""

    attachment_budget_bytes: Annotated[int, Field(ge=0, le=25 * _MIB)] = 10 * _MIB
    """Bytes of files that are attached to an email; larger ones are linked."""


class SesConfig(ProviderConfig):
    """Settings of Amazon SES."""

    region: Annotated[
        str,
        StringConstraints(
            pattern=pattern_with_form(
                r"^[a-z]{2,3}(?:-[a-z]+){1,3}-[0-9]$", "a region, such as eu-central-1"
            )
        ),
    ]
    """Region of Amazon SES, such as `eu-central-1`."""
    configuration_set: (
        Annotated[
            str,
            StringConstraints(
                pattern=pattern_with_form(
                    r"^[A-Za-z0-9_-]{1,64}$", "1 to 64 letters, digits, _ and -"
                )
            ),
        ]
        | None
    ) = None
    """Configuration set of Amazon SES; null: none."""
    attachment_budget_bytes: Annotated[int, Field(ge=0, le=25 * _MIB)] = 10 * _MIB
    """Bytes of files that are attached to an email; larger ones are linked."""


class Microsoft365Config(ProviderConfig):
    """Settings of Microsoft Graph; `sender` is the mailbox that sends."""

    tenant_id: Annotated[
        str,
        StringConstraints(
            pattern=pattern_with_form(
                r"^[A-Za-z0-9.-]{1,255}$", "1 to 255 letters, digits, dots and -"
            )
        ),
    ]
    """Id or domain of the directory (tenant)."""
    client_id: Annotated[
        str,
        StringConstraints(
            pattern=pattern_with_form(r"^[A-Za-z0-9-]{1,64}$", "1 to 64 letters, digits and -")
        ),
    ]
    """Id of the application."""
    sender: MailAddress
    """Address of the mailbox that sends."""
    attachment_budget_bytes: Annotated[int, Field(ge=0, le=2 * _MIB)] = 2 * _MIB
    """Bytes of files that are attached to an email; larger ones are linked."""


class PasswordCredentials(Model):
    """Credentials of an SMTP server."""

    password: SecretText
    """Password to log in with."""


class ApiKeyCredentials(Model):
    """Credentials of Brevo and Resend."""

    api_key: SecretText
    """API key of the provider."""


class PostmarkCredentials(Model):
    """Credentials of Postmark."""

    server_token: SecretText
    """Server token of Postmark."""


class SesCredentials(Model):
    """Credentials of Amazon SES."""

    access_key_id: SecretText
    """Id of the access key."""
    secret_access_key: SecretText
    """The secret of the access key."""


class Microsoft365Credentials(Model):
    """Credentials of Microsoft Graph."""

    client_secret: SecretText
    """Secret of the application."""


class ProviderModels(NamedTuple):
    """Models of one provider's settings and credentials."""

    config: type[ProviderConfig]
    credentials: type[Model]


PROVIDER_MODELS: Final[Mapping[str, ProviderModels]] = {
    "smtp": ProviderModels(SmtpConfig, PasswordCredentials),
    "brevo": ProviderModels(BrevoConfig, ApiKeyCredentials),
    "postmark": ProviderModels(PostmarkConfig, PostmarkCredentials),
    "resend": ProviderModels(ResendConfig, ApiKeyCredentials),
    "ses": ProviderModels(SesConfig, SesCredentials),
    "microsoft365": ProviderModels(Microsoft365Config, Microsoft365Credentials),
}


def read_provider_part(
    provider: str, part: Literal["config", "credentials"], value: JsonObject
) -> dict[str, Json]:
    """Return the settings or credentials of a provider, all of them; raise `validation_error`."""
    models = PROVIDER_MODELS[provider]
    model = models.config if part == "config" else models.credentials
    read: dict[str, Json] = read_part(model, value, f"/{part}").model_dump()
    return read
