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


class SmtpConfig(ProviderConfig):
    """Settings of an SMTP server."""

    host: Annotated[str, StringConstraints(min_length=1, max_length=253)]
    port: Annotated[int, AfterValidator(_check_port)]
    username: Word
    attachment_budget_bytes: Annotated[int, Field(ge=0, le=25 * _MIB)] = 6 * _MIB


class BrevoConfig(ProviderConfig):
    """Settings of Brevo."""

    attachment_budget_bytes: Annotated[int, Field(ge=0, le=13 * _MIB)] = 10 * _MIB


class PostmarkConfig(ProviderConfig):
    """Settings of Postmark; a stream that is null or empty is `outbound`."""

    message_stream: Annotated[
        str,
        StringConstraints(max_length=255),
        BeforeValidator(_stream),
        AfterValidator(_check_visible),
    ] = "outbound"
    attachment_budget_bytes: Annotated[int, Field(ge=0, le=6 * _MIB)] = 6 * _MIB


class ResendConfig(ProviderConfig):
    """Settings of Resend."""

    attachment_budget_bytes: Annotated[int, Field(ge=0, le=25 * _MIB)] = 10 * _MIB


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
    attachment_budget_bytes: Annotated[int, Field(ge=0, le=25 * _MIB)] = 10 * _MIB


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
    client_id: Annotated[
        str,
        StringConstraints(
            pattern=pattern_with_form(r"^[A-Za-z0-9-]{1,64}$", "1 to 64 letters, digits and -")
        ),
    ]
    sender: MailAddress
    attachment_budget_bytes: Annotated[int, Field(ge=0, le=2 * _MIB)] = 2 * _MIB


class PasswordCredentials(Model):
    """Credentials of an SMTP server."""

    password: SecretText


class ApiKeyCredentials(Model):
    """Credentials of Brevo and Resend."""

    api_key: SecretText


class PostmarkCredentials(Model):
    """Credentials of Postmark."""

    server_token: SecretText


class SesCredentials(Model):
    """Credentials of Amazon SES."""

    access_key_id: SecretText
    secret_access_key: SecretText


class Microsoft365Credentials(Model):
    """Credentials of Microsoft Graph."""

    client_secret: SecretText


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
