"""Table of all settings: variable, meaning and default of each."""

from typing import Final, NamedTuple


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
    "pdf_tools_function": Setting("PLATEN_PDF_TOOLS_FUNCTION", "function that runs PDF tools"),
    "schemas_function": Setting("PLATEN_SCHEMAS_FUNCTION", "function that checks JSON Schemas"),
    "send_email_function": Setting(
        "PLATEN_SEND_EMAIL_FUNCTION", "Lambda function that sends emails, and tests connections"
    ),
    "upload_files_function": Setting(
        "PLATEN_UPLOAD_FILES_FUNCTION",
        "Lambda function that uploads files to stores, and tests destinations",
    ),
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
    "bucket_url": Setting(
        "PLATEN_BUCKET_URL",
        "URL at which clients reach the bucket, in place of S3's own",
        "",
    ),
    "trusted_proxies": Setting(
        "PLATEN_TRUSTED_PROXIES",
        "networks of the proxies whose `X-Forwarded-For` counts: CIDR ranges, comma-separated",
        "",
    ),
    "egress_ips": Setting(
        "PLATEN_EGRESS_IPS",
        "addresses that emails leave from, comma-separated, as email connections show them",
        "",
    ),
    "egress_allow": Setting(
        "PLATEN_EGRESS_ALLOW",
        "private or internal networks that egress may reach: comma-separated `CIDR:port`",
        "",
    ),
    "email_base_brevo": Setting("PLATEN_EMAIL_BASE_BREVO", "URL of Brevo; empty for its own", ""),
    "email_base_postmark": Setting(
        "PLATEN_EMAIL_BASE_POSTMARK", "URL of Postmark; empty for its own", ""
    ),
    "email_base_resend": Setting(
        "PLATEN_EMAIL_BASE_RESEND", "URL of Resend; empty for its own", ""
    ),
    "email_base_ses": Setting("PLATEN_EMAIL_BASE_SES", "URL of Amazon SES; empty for its own", ""),
    "email_base_microsoft365": Setting(
        "PLATEN_EMAIL_BASE_MICROSOFT365",
        "URL of Microsoft Graph and its tokens; empty for its own",
        "",
    ),
    "storage_base_gcs": Setting(
        "PLATEN_STORAGE_BASE_GCS", "URL of Google Cloud Storage; empty for its own", ""
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
    "pages_dir": Setting("PLATEN_PAGES_DIR", "folder of the viewer of the reference", "/opt/pages"),
    "guides_dir": Setting("PLATEN_GUIDES_DIR", "folder of the guides", "/opt/guides"),
    "console_dir": Setting("PLATEN_CONSOLE_DIR", "folder of the console", "/opt/console"),
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
    "metrics": Setting(
        "PLATEN_METRICS",
        "address and port of `/metrics` for Prometheus, such as `127.0.0.1:9464`; unset, there is "
        "none; on one machine only",
        "",
    ),
    "traces": Setting(
        "PLATEN_TRACES",
        "`on`: each API request begins or continues a trace, whose spans are log lines; on one "
        "machine OTEL_EXPORTER_OTLP_ENDPOINT sets it and names the collector",
        "",
    ),
    "min_free_mb": Setting(
        "PLATEN_MIN_FREE_MB",
        "megabytes of free disk below which `/readyz` answers with 503; on one machine only",
        "512",
    ),
    "local_throttle": Setting(
        "PLATEN_LOCAL_THROTTLE",
        "`1`: the local Invoke API refuses calls when all workers are busy, as Lambda does; "
        "for the local stack only",
        "",
    ),
    "local_processes": Setting(
        "PLATEN_LOCAL_PROCESSES",
        "`invocation`: each invocation at a time has a process of its own, as on Lambda; otherwise "
        "functions that wait or write rows share one; for the local stack only",
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
