"""Settings: environment variables, read once at start.

This is the only module that reads the environment.
"""

import os
from collections.abc import Mapping
from typing import Final, NamedTuple, Self, dataclass_transform
from urllib.parse import urlsplit


class Setting(NamedTuple):
    """Environment variable with its meaning and default; None means that it must be set."""

    variable: str
    meaning: str
    default: str | None = None


SETTINGS: Final[dict[str, Setting]] = {
    "main_table": Setting("PLATEN_MAIN_TABLE", "DynamoDB table of durable state"),
    "transient_table": Setting(
        "PLATEN_TRANSIENT_TABLE", "DynamoDB table of items that expire (time to live)"
    ),
    "bucket": Setting("PLATEN_BUCKET", "S3 bucket of request bodies and files"),
    "renders_queue_url": Setting("PLATEN_RENDERS_QUEUE_URL", "SQS queue of async renders"),
    "renders_low_queue_url": Setting(
        "PLATEN_RENDERS_LOW_QUEUE_URL", "SQS queue of async renders of low priority"
    ),
    "renders_dead_letters_url": Setting(
        "PLATEN_RENDERS_DEAD_LETTERS_URL", "SQS dead-letter queue of async renders"
    ),
    "events_queue_url": Setting("PLATEN_EVENTS_QUEUE_URL", "SQS queue of events to publish"),
    "events_dead_letters_url": Setting(
        "PLATEN_EVENTS_DEAD_LETTERS_URL", "SQS dead-letter queue of events"
    ),
    "maintenance_queue_url": Setting("PLATEN_UPKEEP_QUEUE_URL", "SQS queue of due items"),
    "maintenance_dead_letters_url": Setting(
        "PLATEN_UPKEEP_DEAD_LETTERS_URL", "SQS dead-letter queue of due items"
    ),
    "render_function": Setting("PLATEN_RENDER_FUNCTION", "Lambda function that renders"),
    "signing_secret": Setting(
        "PLATEN_SIGNING_SECRET",
        "Secrets Manager secret that signs file URLs and list cursors",
    ),
    "base_url": Setting(
        "PLATEN_BASE_URL",
        "public URL of the API, with `/v1`",
        "http://127.0.0.1:8700/v1",
    ),
    "files_host": Setting(
        "PLATEN_FILES_HOST",
        "public URL of the file host, without `/files`",
        "http://127.0.0.1:8700",
    ),
    "egress_allow": Setting(
        "PLATEN_EGRESS_ALLOW",
        "private or internal networks that egress may reach: comma-separated `CIDR:port`",
        "",
    ),
    "smtp_url": Setting(
        "PLATEN_SMTP_URL",
        "mail server for mail to owners, `smtp[s]://user:password@host:port?from=address`; "
        "if unset, mail is only logged as `mail_not_configured`",
        "",
    ),
    "region": Setting("PLATEN_REGION", "region code of this deployment in the API", "eu"),
    "chromium_dir": Setting("PLATEN_CHROMIUM_DIR", "folder of Chromium", "/opt/chromium"),
    "fonts_dir": Setting(
        "PLATEN_FONTS_DIR",
        "folder of the fonts and the fontconfig file",
        "/opt/fonts",
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
    "stack": Setting(
        "PLATEN_STACK",
        "name of this deployment, in its metrics and in the names of its functions",
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
}


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
        source = os.environ if environment is None else environment
        return cls(**{name: _setting_value(SETTINGS[name], source) for name in cls.__annotations__})


class ApiSettings(Settings):
    """Settings of the API function."""

    main_table: str
    transient_table: str
    bucket: str
    renders_queue_url: str
    renders_low_queue_url: str
    events_queue_url: str
    render_function: str
    signing_secret: str
    base_url: str
    files_host: str
    region: str
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
    chromium_dir: str
    fonts_dir: str
    browser_sandbox: str
    base_url: str
    files_host: str
    egress_allow: str
    validate_function: str = ""
    stack: str = "platen"
    crash_points: str = ""

    @property
    def own_hosts(self) -> frozenset[str]:
        """Return the host names of the service and its queues, which egress refuses."""
        own_urls = (self.base_url, self.files_host, self.renders_queue_url, self.events_queue_url)
        names = (urlsplit(url).hostname for url in (*own_urls, *aws_endpoint_urls()))
        return frozenset(name for name in names if name)


class RelaySettings(Settings):
    """Settings of the relay function."""

    main_table: str
    bucket: str
    events_queue_url: str
    events_dead_letters_url: str
    stack: str = "platen"
    crash_points: str = ""


class ValidateSettings(Settings):
    """Settings of the validate function."""

    bucket: str
    validators_dir: str
    stack: str = "platen"
    crash_points: str = ""


class TickSettings(Settings):
    """Settings of the tick function."""

    main_table: str
    events_queue_url: str
    maintenance_queue_url: str
    stack: str = "platen"
    crash_points: str = ""


class MaintenanceSettings(Settings):
    """Settings of the maintenance function."""

    main_table: str
    bucket: str
    renders_queue_url: str
    renders_low_queue_url: str
    events_queue_url: str
    maintenance_queue_url: str
    maintenance_dead_letters_url: str
    smtp_url: str = ""
    stack: str = "platen"
    crash_points: str = ""


class DeadLettersSettings(Settings):
    """Settings of the dead-letters function."""

    main_table: str
    transient_table: str
    events_queue_url: str
    renders_dead_letters_url: str
    events_dead_letters_url: str
    maintenance_dead_letters_url: str
    stack: str = "platen"
    crash_points: str = ""


class OperatorSettings(Settings):
    """Settings of the operator tool."""

    main_table: str
    region: str


class RedriveSettings(Settings):
    """Settings of the operator tool for dead letters."""

    transient_table: str
    renders_queue_url: str
    renders_dead_letters_url: str
    events_queue_url: str
    events_dead_letters_url: str
    maintenance_queue_url: str
    maintenance_dead_letters_url: str


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


def aws_endpoint_urls() -> tuple[str, ...]:
    """Return the endpoint URLs that boto3 uses instead of those of AWS, if any are set."""
    return tuple(url for name, url in os.environ.items() if name.startswith("AWS_ENDPOINT_URL"))


def ca_bundle_path() -> str:
    """Return the PEM file of trusted authorities for outbound TLS, or ""; OpenSSL reads it too."""
    return os.environ.get("SSL_CERT_FILE", "")


def _setting_value(setting: Setting, source: Mapping[str, str]) -> str:
    value = source.get(setting.variable) or setting.default
    if value is None:
        message = f"{setting.variable} is not set: {setting.meaning}"
        raise MissingSetting(message)
    return value
