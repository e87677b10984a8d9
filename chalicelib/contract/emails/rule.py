"""Email rules: emails that the renders of a template send."""

from typing import Annotated, Final, Literal

from pydantic import AfterValidator, Field, StringConstraints

from chalicelib.contract.base import Change, Model, Query
from chalicelib.contract.emails.address import check_address
from chalicelib.contract.emails.connection import ConnectionName
from chalicelib.contract.field_types import Cursor

MAX_TEXT_CHARACTERS: Final = 16_384
MAX_HTML_CHARACTERS: Final = 262_144
MAX_PARAMS_CHARACTERS: Final = 65_536


def _check_optional_address(text: str) -> str:
    return text and check_address(text)


AttachMode = Literal["attach_or_link", "attach", "link", "none"]
AttachFormats = Annotated[
    list[Literal["pdf", "png", "jpeg", "webp", "html", "xml", "zip"]], Field(max_length=7)
]
Position = Annotated[int, Field(ge=0, le=4)]
Id = Annotated[str, StringConstraints(min_length=1, max_length=64)]
FromAddress = Annotated[
    str, StringConstraints(max_length=254), AfterValidator(_check_optional_address)
]
FieldText = Annotated[str, StringConstraints(max_length=MAX_TEXT_CHARACTERS)]
HtmlText = Annotated[str, StringConstraints(max_length=MAX_HTML_CHARACTERS)]


class EmailProviderTemplate(Model):
    """A template at the provider, which makes the text of the email."""

    id: Annotated[int, Field(ge=1)]
    """Number of the template at the provider."""
    params: Annotated[str, StringConstraints(max_length=MAX_PARAMS_CHARACTERS)] = ""
    """A template that gives a JSON object, the parameters. Empty: none."""


class RuleTexts(Model):
    """Texts that a rule sends; all are templates over the data, and `render`."""

    attachments: AttachMode = "attach_or_link"
    """`attach_or_link`: files in their order, each that still fits is attached, the others are
    linked. `attach`, `link`: all of them. `none`: neither."""
    attach_formats: AttachFormats = Field(default=[])
    """The formats of the files that go with the email; empty: every file."""
    condition: FieldText = ""
    """An expression, such as `total > 100`: the rule sends if it is true. Empty: always."""
    from_email: FromAddress | None = None
    """An address, no template. Empty or null: the connection's sender."""
    from_name: FieldText = ""
    """Name of the sender. Empty: that of the connection."""
    reply_to: FieldText = ""
    """Address for answers. Empty: that of the connection."""
    to: FieldText = ""
    """Addresses, separated by comma, semicolon or line break. Empty: each request names them, at
    `delivery.email[].to`; without them the send fails with `email_recipient_missing`."""
    cc: FieldText = ""
    """Addresses that get a copy, separated as in `to`. Empty: none."""
    bcc: FieldText = ""
    """Addresses that get a hidden copy, separated as in `to`. Empty: none."""
    subject: FieldText = ""
    """The subject, one line. Required, unless `provider_template` has it."""
    html: HtmlText = ""
    """The HTML text, in which values are escaped. `{{ downloads }}` gives the links to files that
    are not attached; without it they follow the text."""
    text: FieldText = ""
    """The plain text. Empty: made of `html`."""
    provider_template: EmailProviderTemplate | None = None
    """A template at the provider in place of `html` and `text`; only for connections to `brevo`."""


class EmailRuleRequest(RuleTexts):
    """A new email rule of a template."""

    name: ConnectionName
    """A name for people."""
    connection_id: Id
    """Id of the email connection that sends, `emc_…`."""
    enabled: bool = True
    """`false`: the rule sends nothing."""
    position: Position | None = None
    """The place among the template's rules, in the order of sending; the others move. Null, or
    beyond the end: the end."""


class EmailRuleChange(Change, RuleTexts):
    """A change of an email rule; absent fields stay as they are."""

    name: ConnectionName = Field(default_factory=str)
    """A name for people."""
    connection_id: Id = Field(default_factory=str)
    """Id of the email connection that sends, `emc_…`."""
    enabled: bool = True
    """`false`: the rule sends nothing."""
    position: Position = 0
    """The place among the template's rules, from 0; the others move."""


class EmailRule(Model):
    """An email rule."""

    id: str
    """Id of the rule, `emr_…`."""
    object: Literal["email_rule"]
    name: str
    """A name for people."""
    template_id: str
    """Id of the template whose renders send it, `tpl_…`."""
    connection_id: str
    """Id of the email connection that sends, `emc_…`."""
    enabled: bool
    """Whether the rule sends."""
    position: int
    """The place among the template's rules, from 0, in the order of sending."""
    attachments: AttachMode
    """Which files are attached and which are linked: `attach_or_link`, `attach`, `link` or
    `none`."""
    attach_formats: list[str]
    """The formats of the files that go with the email; empty: every file."""
    condition: str
    """An expression: the rule sends if it is true. Empty: always."""
    from_email: str | None
    """Address of the sender; null: that of the connection."""
    from_name: str
    """Template of the sender's name. Empty: that of the connection."""
    reply_to: str
    """Template of the address for answers. Empty: that of the connection."""
    to: str
    """Template of the recipients' addresses. Empty: each request names them."""
    cc: str
    """Template of the addresses that get a copy. Empty: none."""
    bcc: str
    """Template of the addresses that get a hidden copy. Empty: none."""
    subject: str
    """Template of the subject; empty only with `provider_template`."""
    html: str
    """Template of the HTML text."""
    text: str
    """Template of the plain text. Empty: made of `html`."""
    provider_template: EmailProviderTemplate | None
    """The template at the provider; null without one."""
    created_at: str
    updated_at: str


class EmailRuleWarning(Model):
    """A fault of a rule that was saved."""

    code: Literal["email_sender_unverified"]
    """`email_sender_unverified`: the provider does not list the sender as verified."""
    message: str
    """What is wrong, for people."""
    path: str
    """JSON Pointer to the field, such as `/from_email`."""


class SavedEmailRule(EmailRule):
    """An email rule that was made or changed."""

    warnings: list[EmailRuleWarning]
    """Faults that did not stop the change; empty without any."""


class EmailRuleQuery(Query):
    """Page of a list of email rules."""

    cursor: Cursor | None = None


class EmailRuleList(Model):
    """Email rules of a template, in the order of sending."""

    object: Literal["list"]
    data: list[EmailRule]
    """The rules."""
    has_more: bool
    next_cursor: str | None
