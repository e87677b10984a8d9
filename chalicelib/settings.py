"""Settings: environment variables, read once at start.

This is the only module that reads the environment.
"""

import os
from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple, Self, dataclass_transform
from urllib.parse import urlsplit


class Setting(NamedTuple):
    """Environment variable with its meaning and default; None means that it must be set."""

    variable: str
    meaning: str
    default: str | None = None


SETTINGS: Final[dict[str, Setting]] = {
    "main_table": Setting("PLATEN_MAIN_TABLE", "DynamoDB table of durable state"),
    "transient_table": Setting("PLATEN_TRANSIENT_TABLE", "DynamoDB table of items that expire"),
    "bucket": Setting("PLATEN_BUCKET", "S3 bucket of request bodies and files"),
    "render_function": Setting("PLATEN_RENDER_FUNCTION", "Lambda function that renders"),
    "engine_function": Setting("PLATEN_ENGINE_FUNCTION", "Lambda function that runs the engine"),
    "schemas_function": Setting("PLATEN_SCHEMAS_FUNCTION", "function that checks JSON Schemas"),
    "signing_secret": Setting(
        "PLATEN_SIGNING_SECRET", "Secrets Manager secret that signs file URLs and list cursors"
    ),
    "data_key": Setting(
        "PLATEN_DATA_KEY", "KMS key (id or ARN) that seals the secrets of workspaces"
    ),
    "base_url": Setting(
        "PLATEN_BASE_URL", "public URL of the API, with `/v1`", "http://127.0.0.1:8700/v1"
    ),
    "files_host": Setting(
        "PLATEN_FILES_HOST",
        "public URL of the file host, without `/files`",
        "http://127.0.0.1:8700",
    ),
    "gateway_url": Setting(
        "PLATEN_GATEWAY_URL",
        "URL that the gateway has assigned to the API, besides PLATEN_BASE_URL; egress refuses it",
        "",
    ),
    "egress_allow": Setting(
        "PLATEN_EGRESS_ALLOW",
        "private or internal networks that egress may reach: comma-separated `CIDR:port`",
        "",
    ),
    "smtp_url": Setting(
        "PLATEN_SMTP_URL",
        "mail server for mail to owners, `smtp[s]://user:password@host:port?from=address`, on one "
        "machine; a deployed stage keeps it in PLATEN_SMTP_SECRET, which this one precedes",
        "",
    ),
    "smtp_secret": Setting(
        "PLATEN_SMTP_SECRET",
        "Secrets Manager secret with the URL of the mail server (`platen mail set`); with `none` "
        "mail is only logged as `mail_not_configured`",
    ),
    "region": Setting("PLATEN_REGION", "region code of this deployment in the API", "eu"),
    "chromium_dir": Setting("PLATEN_CHROMIUM_DIR", "folder of Chromium", "/opt/chromium"),
    "fonts_dir": Setting(
        "PLATEN_FONTS_DIR", "folder of the fonts and the fontconfig file", "/opt/fonts"
    ),
    "validators_dir": Setting(
        "PLATEN_VALIDATORS_DIR",
        "folder of the validators: veraPDF, Saxon, the official rule sheets and Java",
        "/opt/validators",
    ),
    "validate_function": Setting(
        "PLATEN_VALIDATE_FUNCTION",
        "Lambda function that validates files; if unset, verdicts are `unavailable`",
        "",
    ),
    "browser_sandbox": Setting(
        "PLATEN_BROWSER_SANDBOX",
        "sandbox of Chromium; `off` only where the platform is the sandbox, as on Lambda",
        "on",
    ),
    "tenancy": Setting(
        "PLATEN_TENANCY",
        "`isolated`: a function with tenant isolation serves one workspace per execution "
        "environment (decision 32); `shared`: all workspaces",
        "shared",
    ),
    "stack": Setting(
        "PLATEN_STACK", "name of this deployment, in its metrics and in the names of its functions"
    ),
    "functions_log": Setting(
        "PLATEN_FUNCTIONS_LOG",
        "log file of the functions; if unset, `platen render trace` reads CloudWatch Logs",
        "",
    ),
    "crash_points": Setting(
        "PLATEN_CRASH_POINTS",
        "folder whose files name the points at which a process kills itself; for tests only",
        "",
    ),
    "local_throttle": Setting(
        "PLATEN_LOCAL_THROTTLE",
        "`1`: the local Invoke API refuses calls when all processes are busy, as Lambda does; "
        "for the local stack only",
        "",
    ),
    "local_tenancy": Setting(
        "PLATEN_LOCAL_TENANCY",
        "`workspace`: the local stack isolates workspaces as a deployment with tenant isolation "
        "does, in processes of their own; for the local stack only",
        "",
    ),
}


def setting(name: str) -> Setting:
    """Return a setting by its name; `<queue>_queue_url` and `<queue>_dead_letters_url` are queues.

    Raises KeyError if there is none.
    """
    if name.endswith(("_queue_url", "_dead_letters_url")):
        return Setting(f"PLATEN_{name.upper()}", "URL of an SQS queue")
    return SETTINGS[name]


class MissingSetting(Exception):  # noqa: N818 -- names what to do
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


class ApiSettings(Settings):
    """Settings of the API function."""

    main_table: str
    transient_table: str
    bucket: str
    renders_queue_url: str
    renders_low_queue_url: str
    events_queue_url: str
    render_function: str
    engine_function: str
    schemas_function: str
    signing_secret: str
    base_url: str
    files_host: str
    region: str
    tenancy: str = "shared"
    stack: str = "platen"
    crash_points: str = ""


class RenderSettings(Settings):
    """Settings of the render function."""

    main_table: str
    bucket: str
    renders_queue_url: str
    renders_low_queue_url: str
    renders_dead_letters_url: str
    events_queue_url: str
    engine_function: str
    validate_function: str = ""
    tenancy: str = "shared"
    stack: str = "platen"
    crash_points: str = ""


class EngineSettings(Settings):
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

    @property
    def own_hosts(self) -> frozenset[str]:
        """Return the host names of the service, which egress refuses."""
        own_urls = (self.base_url, self.files_host, self.gateway_url)
        names = (urlsplit(url).hostname for url in own_urls)
        return frozenset(name for name in names if name)


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


class WorkSettings(Settings):
    """Settings of a function of the registry of work, which names those that it has.

    Queue URLs are attributes as well: see `queue_url` and `dead_letters_url`.
    """

    main_table: str = ""
    transient_table: str = ""
    bucket: str = ""
    smtp_url: str = ""
    smtp_secret: str = ""
    region: str = ""
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
