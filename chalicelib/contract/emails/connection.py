"""Email connections: a provider, its settings and credentials."""

from typing import Annotated, Literal

from pydantic import AfterValidator, Field, StringConstraints

from chalicelib.contract.base import Change, Model
from chalicelib.contract.emails.address import MailAddress, check_line, check_name
from chalicelib.contract.emails.send import EmailProvider
from chalicelib.contract.field_types import UncheckedJson

TestMode = Literal["sandbox", "redirect", "skip"]
ConnectionName = Annotated[
    str, StringConstraints(min_length=1, max_length=100), AfterValidator(check_line)
]
SenderName = Annotated[str, StringConstraints(max_length=255), AfterValidator(check_name)]
# Their members depend on the provider.
Parts = dict[str, UncheckedJson]


class DefaultFrom(Model):
    """The sender of emails whose rule names none."""

    email: MailAddress
    """Address of the sender."""
    name: SenderName | None = None
    """Name of the sender; null: the address alone."""


class EmailConnectionRequest(Model):
    """A new email connection."""

    name: ConnectionName
    """A name for people."""
    provider: EmailProvider
    """The provider that sends; it cannot be changed later."""
    default_from: DefaultFrom
    """The sender of emails whose rule names none."""
    reply_to: MailAddress | None = None
    """Address for answers to emails whose rule names none; null: the sender."""
    test_mode: TestMode | None = None
    """What becomes of emails of test renders. `sandbox`: the provider checks them and delivers
    nothing (`brevo` only). `redirect`: they go to `test_recipient`. `skip`: nothing is sent. Null:
    `sandbox` for `brevo`, `skip` for all others."""
    test_recipient: MailAddress | None = None
    """The verified address of a member of the workspace; required with `redirect`. Null: none."""
    credentials: Parts | None = None
    """`smtp`: `password`; `brevo`, `resend`: `api_key`; `postmark`: `server_token`; `ses`:
    `access_key_id`, `secret_access_key`; `microsoft365`: `client_secret`. Stored sealed, and never
    shown. Emails of a connection without credentials fail with `email_credentials_removed`."""
    config: Parts | None = None
    """`smtp`: `host`, `port` (587 or 2525), `username`; `postmark`: `message_stream`; `ses`:
    `region`, `configuration_set`; `microsoft365`: `tenant_id`, `client_id`, `sender`. Of all:
    `attachment_budget_bytes`, the bytes that are attached to an email, and `max_per_second`."""


class EmailConnectionChange(Change):
    """A change of an email connection; absent fields stay as they are."""

    name: ConnectionName = Field(default_factory=str)
    """A name for people."""
    provider: EmailProvider = "smtp"
    """It cannot be changed: another provider is another connection."""
    default_from: DefaultFrom = Field(default_factory=lambda: DefaultFrom.model_construct(email=""))
    """The sender of emails whose rule names none."""
    reply_to: MailAddress | None = None
    """Address for answers to emails whose rule names none. Null removes it."""
    test_mode: TestMode | None = None
    """What becomes of emails of test renders: `sandbox`, `redirect` or `skip`. Null: the provider's
    default."""
    test_recipient: MailAddress | None = None
    """Address that gets emails of test renders with `redirect`. Null removes it."""
    credentials: Parts | None = None
    """They replace all credentials; null keeps them. They are required with another `host`, `port`
    or `username`."""
    config: Parts | None = None
    """Members replace those of the same name; null keeps all."""


class EmailCredentials(Model):
    """Whether a connection has credentials."""

    configured: bool
    """Whether there are credentials."""


class EmailSender(Model):
    """A sender that the provider lists."""

    email: str
    """An address, or a domain."""
    kind: Literal["sender", "domain"]
    """`sender`: one address. `domain`: all addresses of a domain."""
    name: str | None
    """Name of the sender; null if the provider has none."""
    verified: bool
    """Whether the provider sends emails of this sender."""


class EmailConnectionError(Model):
    """The reason why a connection is failing."""

    at: str
    """When the connection began to fail."""
    code: Literal[
        "email_provider_auth_failed", "email_ip_not_authorized", "email_credentials_removed"
    ]
    """The cause: `email_provider_auth_failed` (the credentials are refused),
    `email_ip_not_authorized` (the provider does not admit this service's addresses) or
    `email_credentials_removed` (there are none)."""
    message: str
    """What happened and what to change, for people."""


class EmailConnection(Model):
    """An email connection."""

    id: str
    """Id of the connection, `emc_…`."""
    object: Literal["email_connection"]
    name: str
    """A name for people."""
    provider: EmailProvider
    """The provider that sends."""
    status: Literal["active", "failing"]
    """`failing`: emails are not taken, for the reason in `last_error`."""
    credentials: EmailCredentials
    """Whether there are credentials; they are never shown."""
    credentials_delete_at: str | None
    """When the credentials are deleted, after a change to a plan without email."""
    default_from: DefaultFrom
    """The sender of emails whose rule names none."""
    reply_to: str | None
    """Address for answers to emails whose rule names none; null: the sender."""
    test_mode: TestMode
    """What becomes of emails of test renders: `sandbox`, `redirect` or `skip`."""
    test_recipient: str | None
    """Address that gets emails of test renders with `redirect`; null without one."""
    config: dict[str, str | int | None]
    """Settings of the provider, those with defaults included."""
    events: dict[str, Literal["registered", "failed"]]
    """Per region, whether delivery events come (`brevo` only)."""
    senders: list[EmailSender]
    """Senders that the last test found; empty without any."""
    egress_ips: list[str]
    """The addresses that emails leave from, for providers that admit known addresses only."""
    last_test_at: str | None
    """When it was last tested; null before the first test."""
    last_test_status: Literal["succeeded", "failed"] | None
    """How the last test ended; null before the first test."""
    last_error: EmailConnectionError | None
    """Why it is failing; null while it is `active`."""
    created_at: str
    updated_at: str


class EmailConnectionList(Model):
    """All email connections of a workspace, newest first."""

    object: Literal["list"]
    data: list[EmailConnection]
    """All connections."""
    has_more: bool
    next_cursor: str | None
    egress_ips: list[str]
    """The addresses that emails leave from, for providers that admit known addresses only."""


class EmailConnectionTestRequest(Model):
    """What a test does."""

    send_to: MailAddress | None = None
    """The verified address of a member of the workspace, who gets a test email. Null: nobody."""


class EmailTestStep(Model):
    """One step of a test."""

    name: Literal[
        "connect", "starttls", "smtp_auth", "credentials", "senders", "sandbox_send", "send"
    ]
    """The step."""
    ok: bool
    """Whether the step passed."""
    detail: str | None
    """What went wrong; null if the step passed."""


class EmailConnectionTest(Model):
    """The result of a test."""

    object: Literal["email_connection_test"]
    ok: bool
    """Whether all steps passed."""
    connection: EmailConnection
    """The connection, as the test has left it."""
    senders: list[EmailSender]
    """Senders that it found, 100 at most; only `brevo`, `resend` and `ses` list any."""
    steps: list[EmailTestStep]
    """Steps of the test; they end at the first that failed."""
