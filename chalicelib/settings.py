"""Settings: environment variables, read once at start; a missing one is named."""

import os
from collections.abc import Mapping
from typing import Final, NamedTuple, Self, dataclass_transform
from urllib.parse import urlsplit


class Setting(NamedTuple):
    """One variable: what it means, and its default (None: it must be set)."""

    variable: str
    meaning: str
    default: str | None = None


SETTINGS: Final[dict[str, Setting]] = {
    "main_table": Setting("PLATEN_MAIN_TABLE", "DynamoDB table of durable state"),
    "transient_table": Setting(
        "PLATEN_TRANSIENT_TABLE", "DynamoDB table whose items run out by themselves"
    ),
    "bucket": Setting("PLATEN_BUCKET", "S3 bucket of bodies and files"),
    "renders_queue_url": Setting("PLATEN_RENDERS_QUEUE_URL", "SQS queue of async renders"),
    "renders_low_queue_url": Setting(
        "PLATEN_RENDERS_LOW_QUEUE_URL", "SQS queue of async renders of low priority"
    ),
    "renders_dead_letters_url": Setting(
        "PLATEN_RENDERS_DEAD_LETTERS_URL", "SQS queue of async renders that were given up"
    ),
    "events_queue_url": Setting("PLATEN_EVENTS_QUEUE_URL", "SQS queue of events to be published"),
    "events_dead_letters_url": Setting(
        "PLATEN_EVENTS_DEAD_LETTERS_URL", "SQS queue of events that were given up"
    ),
    "maintenance_queue_url": Setting("PLATEN_UPKEEP_QUEUE_URL", "SQS queue of due items"),
    "maintenance_dead_letters_url": Setting(
        "PLATEN_UPKEEP_DEAD_LETTERS_URL", "SQS queue of due items that were given up"
    ),
    "render_function": Setting("PLATEN_RENDER_FUNCTION", "Lambda function that renders"),
    "signing_secret": Setting(
        "PLATEN_SIGNING_SECRET",
        "Secrets Manager secret that signs file addresses and cursors",
    ),
    "base_url": Setting(
        "PLATEN_BASE_URL",
        "where the API is called, as it goes into URLs",
        "http://127.0.0.1:8700/v1",
    ),
    "files_host": Setting(
        "PLATEN_FILES_HOST",
        "where files are fetched, as it goes into URLs",
        "http://127.0.0.1:8700",
    ),
    "egress_allow": Setting(
        "PLATEN_EGRESS_ALLOW",
        "comma-separated `CIDR:port` that may be reached although they are private or internal",
        "",
    ),
    "smtp_url": Setting(
        "PLATEN_SMTP_URL",
        "mail server for mail to owners, `smtp[s]://user:password@host:port?from=address`; "
        "unset, mail is only logged as `mail_not_configured`",
        "",
    ),
    "region": Setting("PLATEN_REGION", "the region that this stack serves", "eu"),
    "chromium_dir": Setting(
        "PLATEN_CHROMIUM_DIR", "folder of the unpacked Chromium", "/opt/chromium"
    ),
    "fonts_dir": Setting(
        "PLATEN_FONTS_DIR",
        "folder of the fonts and their fontconfig file",
        "/opt/fonts",
    ),
    "validators_dir": Setting(
        "PLATEN_VALIDATORS_DIR",
        "folder of the validators: veraPDF, Saxon, the official rule sheets and their Java",
        "/opt/validators",
    ),
    "validate_function": Setting(
        "PLATEN_VALIDATE_FUNCTION",
        "Lambda function that judges files; unset, verdicts are `unavailable`",
        "",
    ),
    "browser_sandbox": Setting(
        "PLATEN_BROWSER_SANDBOX",
        "`off` only where the platform itself is the sandbox, as Lambda is",
        "on",
    ),
    "stack": Setting(
        "PLATEN_STACK",
        "name of this deployment, in its metrics and in the names of its functions",
    ),
    "functions_log": Setting(
        "PLATEN_FUNCTIONS_LOG",
        "file that keeps what functions log; without it `platen render trace` asks CloudWatch",
        "",
    ),
    "crash_points": Setting(
        "PLATEN_CRASH_POINTS",
        "folder whose files say where a process ends itself; only tests set it",
        "",
    ),
    "local_throttle": Setting(
        "PLATEN_LOCAL_THROTTLE",
        "`1`: the local Invoke API refuses when all slots are busy, as Lambda does; "
        "only the stack on one machine reads it",
        "",
    ),
}


class MissingSetting(Exception):  # noqa: N818 -- names what to do
    """A variable without a default is not set."""


@dataclass_transform(kw_only_default=True, frozen_default=True)
class Settings:
    """Some of the variables, as attributes.

    A dataclass to who checks types only: making nine of them takes a fiftieth of a cold start.
    """

    def __init__(self, **values: str) -> None:
        """Take the values of all annotated names that have no default."""
        self.__dict__.update(values)

    @classmethod
    def from_env(cls, environment: Mapping[str, str] | None = None) -> Self:
        """Read the environment; raises MissingSetting with the variable's name."""
        source = os.environ if environment is None else environment
        return cls(**{name: _setting_value(SETTINGS[name], source) for name in cls.__annotations__})


class ApiSettings(Settings):
    """What the API function reads."""

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
    """What the render function reads."""

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
        """Return the names under which the service itself is reached, and its queues are."""
        ours = (self.base_url, self.files_host, self.renders_queue_url, self.events_queue_url)
        names = (urlsplit(url).hostname for url in (*ours, *aws_endpoint_urls()))
        return frozenset(name for name in names if name)


class RelaySettings(Settings):
    """What the relay reads."""

    main_table: str
    bucket: str
    events_queue_url: str
    events_dead_letters_url: str
    stack: str = "platen"
    crash_points: str = ""


class ValidateSettings(Settings):
    """What the function of the validators reads."""

    bucket: str
    validators_dir: str
    stack: str = "platen"
    crash_points: str = ""


class TickSettings(Settings):
    """What the tick reads."""

    main_table: str
    events_queue_url: str
    maintenance_queue_url: str
    stack: str = "platen"
    crash_points: str = ""


class MaintenanceSettings(Settings):
    """What the upkeep function reads."""

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
    """What the function of the dead letters reads."""

    main_table: str
    transient_table: str
    events_queue_url: str
    renders_dead_letters_url: str
    events_dead_letters_url: str
    maintenance_dead_letters_url: str
    stack: str = "platen"
    crash_points: str = ""


class OperatorSettings(Settings):
    """What the operator tool reads."""

    main_table: str
    region: str


class RedriveSettings(Settings):
    """What the operator tool reads to work on dead letters."""

    transient_table: str
    renders_queue_url: str
    renders_dead_letters_url: str
    events_queue_url: str
    events_dead_letters_url: str
    maintenance_queue_url: str
    maintenance_dead_letters_url: str


class TraceSettings(Settings):
    """What the operator tool reads to trace a render."""

    main_table: str
    transient_table: str
    bucket: str
    stack: str
    functions_log: str


def is_on_lambda() -> bool:
    """Tell whether the platform itself starts this process: it sets this variable, nobody else."""
    return "AWS_LAMBDA_INITIALIZATION_TYPE" in os.environ


def aws_endpoint_urls() -> tuple[str, ...]:
    """Return the addresses that boto3 speaks to instead of AWS's own, where there are any."""
    return tuple(url for name, url in os.environ.items() if name.startswith("AWS_ENDPOINT_URL"))


def ca_bundle_path() -> str:
    """Return the PEM file of whom outbound TLS trusts, where one is named; OpenSSL reads it too."""
    return os.environ.get("SSL_CERT_FILE", "")


def _setting_value(setting: Setting, source: Mapping[str, str]) -> str:
    value = source.get(setting.variable) or setting.default
    if value is None:
        message = f"{setting.variable} is not set: {setting.meaning}"
        raise MissingSetting(message)
    return value
