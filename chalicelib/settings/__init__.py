"""Settings of each function, read once at start; the only module that reads the environment."""

import os
from collections.abc import Iterable, Mapping
from typing import Self, dataclass_transform
from urllib.parse import urlsplit

from chalicelib.settings.table import Setting, setting


class MissingSetting(Exception):  # noqa: N818 -- operators read its name
    """A variable without a default is not set; the text names it."""


@dataclass_transform(kw_only_default=True, frozen_default=True)
class Settings:
    """Base of the settings of each function; a subclass annotates the names that it reads.

    It is a dataclass for type checkers only: nine real dataclasses take a fiftieth of a cold start
    (decision 7).
    """

    def __init__(self, **values: str) -> None:
        """Set attributes; every annotated name without a default must be given."""
        self.__dict__.update(values)

    @classmethod
    def from_env(cls, environment: Mapping[str, str] | None = None) -> Self:
        """Read the environment; raises MissingSetting with the variable's name."""
        return cls.with_names(cls.__annotations__, environment)

    @classmethod
    def with_names(cls, names: Iterable[str], environment: Mapping[str, str] | None = None) -> Self:
        """Read the settings of these names only; raises MissingSetting."""
        source = os.environ if environment is None else environment
        return cls(**{name: _setting_value(setting(name), source) for name in names})


class HostSettings(Settings):
    """Base of settings with the service's own hosts; a subclass annotates them again."""

    base_url: str
    files_host: str
    gateway_url: str

    @property
    def own_hosts(self) -> frozenset[str]:
        """Return the host names of the service, which egress refuses."""
        urls = (self.base_url, self.files_host, self.gateway_url)
        return frozenset(name for name in (urlsplit(url).hostname for url in urls) if name)


class ApiSettings(HostSettings):
    """Settings of the API function."""

    main_table: str
    transient_table: str
    bucket: str
    renders_queue_url: str
    renders_low_queue_url: str
    events_queue_url: str
    render_function: str
    engine_function: str
    pdf_tools_function: str
    schemas_function: str
    send_email_function: str
    upload_files_function: str
    signing_secret: str
    data_key: str
    webhooks_queue_url: str
    batches_queue_url: str
    emails_queue_url: str
    base_url: str
    files_host: str
    gateway_url: str
    egress_allow: str
    egress_ips: str
    pages_dir: str
    guides_dir: str
    console_dir: str
    region: str
    trusted_proxies: str = ""
    bucket_url: str = ""
    traces: str = ""
    tenancy: str = "shared"
    stack: str = "platen"
    crash_points: str = ""


class RenderSettings(Settings):
    """Settings of the render function."""

    main_table: str
    bucket: str
    renders_queue_url: str
    renders_low_queue_url: str
    batch_items_queue_url: str
    renders_dead_letters_url: str
    events_queue_url: str
    engine_function: str
    pdf_tools_function: str
    validate_function: str = ""
    tenancy: str = "shared"
    stack: str = "platen"
    crash_points: str = ""


class EngineSettings(HostSettings):
    """Settings of the engine function, which has no rights and names no resource."""

    chromium_dir: str
    fonts_dir: str
    browser_sandbox: str
    base_url: str
    files_host: str
    egress_allow: str
    gateway_url: str = ""
    tenancy: str = "shared"
    stack: str = "platen"
    crash_points: str = ""


class PdfToolsSettings(HostSettings):
    """Settings of the function of PDF tools, which has no rights and names no resource."""

    fonts_dir: str
    base_url: str
    files_host: str
    egress_allow: str
    gateway_url: str = ""
    tenancy: str = "shared"
    stack: str = "platen"
    crash_points: str = ""


class ValidateSettings(Settings):
    """Settings of the validate function, which has no rights and names no resource."""

    validators_dir: str
    tenancy: str = "shared"
    stack: str = "platen"
    crash_points: str = ""


class SchemasSettings(Settings):
    """Settings of the schemas function, which has no rights and names no resource."""

    tenancy: str = "shared"
    stack: str = "platen"
    crash_points: str = ""


class WorkSettings(HostSettings):
    """Settings of a function of the registry of work, which names those that it has.

    Queue URLs are attributes as well: see `queue_url` and `dead_letters_url`.
    """

    main_table: str = ""
    transient_table: str = ""
    bucket: str = ""
    smtp_url: str = ""
    smtp_secret: str = ""
    signing_secret: str = ""
    data_key: str = ""
    base_url: str = ""
    files_host: str = ""
    gateway_url: str = ""
    egress_allow: str = ""
    email_base_brevo: str = ""
    email_base_postmark: str = ""
    email_base_resend: str = ""
    email_base_ses: str = ""
    email_base_microsoft365: str = ""
    storage_base_gcs: str = ""
    region: str = ""
    engine_function: str = ""
    tenancy: str = "shared"
    stack: str = "platen"
    crash_points: str = ""

    def queue_url(self, queue: str) -> str:
        """Return the URL of a queue of the registry."""
        url: str = self.__dict__[f"{queue}_queue_url"]
        return url

    def dead_letters_url(self, queue: str) -> str:
        """Return the URL of the dead-letter queue of a queue."""
        url: str = self.__dict__[f"{queue}_dead_letters_url"]
        return url


class OperatorSettings(Settings):
    """Settings of the operator tool."""

    main_table: str
    region: str


class DoctorSettings(Settings):
    """Settings of the operator tool for the check of a service."""

    main_table: str
    transient_table: str
    bucket: str
    renders_queue_url: str
    smtp_url: str
    smtp_secret: str
    email_base_brevo: str
    email_base_postmark: str
    email_base_resend: str
    email_base_ses: str
    email_base_microsoft365: str
    storage_base_gcs: str


class WebhookLogSettings(Settings):
    """Settings of the operator tool for the log of webhook deliveries."""

    main_table: str
    bucket: str
    webhooks_queue_url: str


class ForwardSettings(Settings):
    """Settings of the operator tool for forwarding events."""

    main_table: str
    bucket: str
    region: str
    signing_secret: str
    data_key: str
    files_host: str


class ContentsSettings(Settings):
    """Settings of the operator tool for export and import of a workspace."""

    main_table: str
    bucket: str
    data_key: str


class MailSettings(Settings):
    """Settings of the operator tool for the mail server."""

    smtp_secret: str


class SigningSettings(Settings):
    """Settings of the operator tool for the signing secret."""

    signing_secret: str


class TraceSettings(Settings):
    """Settings of the operator tool for tracing a render."""

    main_table: str
    transient_table: str
    bucket: str
    stack: str
    functions_log: str


def is_on_lambda() -> bool:
    """Tell whether this process runs on Lambda, the only platform that sets this variable."""
    return "AWS_LAMBDA_INITIALIZATION_TYPE" in os.environ


def ca_bundle_path() -> str:
    """Return the PEM file of trusted authorities for outbound TLS, or ""; OpenSSL reads it too."""
    return os.environ.get("SSL_CERT_FILE", "")


def _setting_value(row: Setting, source: Mapping[str, str]) -> str:
    value = source.get(row.variable) or row.default
    if value is None:
        message = f"{row.variable} is not set: {row.meaning}"
        raise MissingSetting(message)
    return value
