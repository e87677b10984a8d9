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
    params: Annotated[str, StringConstraints(max_length=MAX_PARAMS_CHARACTERS)] = ""
    """A template that gives a JSON object; empty: no parameters."""


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
    reply_to: FieldText = ""
    to: FieldText = ""
    """Addresses, separated by comma, semicolon or line break. Empty: each request names them, at
    `delivery.email[].to`; without them the send fails with `email_recipient_missing`."""
    cc: FieldText = ""
    bcc: FieldText = ""
    subject: FieldText = ""
    """Required, unless `provider_template` has it."""
    html: HtmlText = ""
    """Values are escaped for HTML. `{{ downloads }}` gives the links to files that are not
    attached; without it they follow the text."""
    text: FieldText = ""
    """Empty: made of `html`."""
    provider_template: EmailProviderTemplate | None = None
    """Only for connections to `brevo`."""


class EmailRuleRequest(RuleTexts):
    """A new email rule of a template."""

    name: ConnectionName
    connection_id: Id
    enabled: bool = True
    position: Position | None = None
    """The place among the template's rules, in the order of sending; the others move. Null, or
    beyond the end: the end."""


class EmailRuleChange(Change, RuleTexts):
    """A change of an email rule; absent fields stay as they are."""

    name: ConnectionName = Field(default_factory=str)
    connection_id: Id = Field(default_factory=str)
    enabled: bool = True
    position: Position = 0


class EmailRule(Model):
    """An email rule."""

    id: str
    object: Literal["email_rule"]
    name: str
    template_id: str
    connection_id: str
    enabled: bool
    position: int
    attachments: AttachMode
    attach_formats: list[str]
    condition: str
    from_email: str | None
    from_name: str
    reply_to: str
    to: str
    cc: str
    bcc: str
    subject: str
    html: str
    text: str
    provider_template: EmailProviderTemplate | None
    created_at: str
    updated_at: str


class EmailRuleWarning(Model):
    """A fault of a rule that was saved."""

    code: Literal["email_sender_unverified"]
    message: str
    path: str
    """JSON Pointer to the field."""


class SavedEmailRule(EmailRule):
    """An email rule that was made or changed."""

    warnings: list[EmailRuleWarning]


class EmailRuleQuery(Query):
    """Page of a list of email rules."""

    cursor: Cursor | None = None


class EmailRuleList(Model):
    """Email rules of a template, in the order of sending."""

    object: Literal["list"]
    data: list[EmailRule]
    has_more: bool
    next_cursor: str | None
