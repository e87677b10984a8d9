"""Previews of emails."""

from typing import Annotated, Literal

from pydantic import ConfigDict, Field, StringConstraints

from chalicelib.contract.base import Model
from chalicelib.contract.emails.address import MailAddress
from chalicelib.contract.emails.rule import (
    AttachFormats,
    AttachMode,
    EmailProviderTemplate,
    FieldText,
    FromAddress,
    HtmlText,
    Id,
)
from chalicelib.contract.field_types import UncheckedJson


class EmailRuleSpec(Model):
    """An email rule as an editor has it; null counts as empty. Unknown fields are ignored."""

    model_config = ConfigDict(extra="ignore")

    connection_id: Id | None = None
    """Id of the email connection, `emc_…`. Null: that of the saved rule."""
    attachments: AttachMode | None = None
    """As `attachments` of a rule: `attach_or_link`, `attach`, `link` or `none`. Null:
    `attach_or_link`."""
    attach_formats: AttachFormats | None = None
    """The formats of the files that go with the email. Null: every file."""
    condition: FieldText | None = None
    """An expression, such as `total > 100`: the rule sends if it is true. Null: always."""
    from_email: FromAddress | None = None
    """An address, no template. Null: the connection's sender."""
    from_name: FieldText | None = None
    """Template of the sender's name. Null: that of the connection."""
    reply_to: FieldText | None = None
    """Template of the address for answers. Null: that of the connection."""
    to: FieldText | None = None
    """Template of the recipients' addresses, separated by comma, semicolon or line break. Null:
    none."""
    cc: FieldText | None = None
    """Template of the addresses that get a copy. Null: none."""
    bcc: FieldText | None = None
    """Template of the addresses that get a hidden copy. Null: none."""
    subject: FieldText | None = None
    """Template of the subject; required, unless `provider_template` has it."""
    html: HtmlText | None = None
    """Template of the HTML text; `{{ downloads }}` gives the links to files."""
    text: FieldText | None = None
    """Template of the plain text. Null: made of `html`."""
    provider_template: EmailProviderTemplate | None = None
    """A template at the provider in place of `html` and `text`; only for connections to `brevo`."""


class DraftedRule(EmailRuleSpec):
    """An email rule that is not saved."""

    connection_id: Id = Field()
    """Id of the email connection, `emc_…`."""


class EmailRulePreviewRequest(Model):
    """A preview of a saved rule."""

    rule: EmailRuleSpec | None = None
    """A whole rule in place of the saved one, of which only the connection is taken. Null: the rule
    as it is saved."""
    data: dict[str, UncheckedJson] | None = None
    """Data for the templates. Null: those of the dataset."""
    dataset_id: Annotated[str, StringConstraints(min_length=1, max_length=64)] | None = None
    """Id of a dataset of the template, `ds_…`, whose data are taken without `data`. Null: the
    default dataset."""


class EmailRuleTestRequest(EmailRulePreviewRequest):
    """A test of a saved rule."""

    to: MailAddress
    """The verified address of a member of the workspace, who alone gets the email."""


class EmailRuleDraftPreviewRequest(EmailRulePreviewRequest):
    """A preview of a rule that is not saved."""

    template_id: Id
    """Id of the template whose data and files the rule has, `tpl_…`."""
    rule: DraftedRule
    """The whole rule."""


class EmailPreviewError(Model):
    """The reason why the email would fail; `field` names the rule's field."""

    code: str
    """Code of the error, such as `email_template_error`."""
    message: str
    """What is wrong, for people."""
    field: str | None
    """The field of the rule, such as `subject`; null if it concerns no single field."""
    line: int | None
    """The line in that field, from 1; null if unknown."""
    column: int | None
    """The column in that line, from 1; null if unknown."""


class EmailPreviewMailbox(Model):
    """A recipient."""

    email: str
    """The address."""
    name: str | None
    """The name; null without one."""


class EmailPreviewAttachment(Model):
    """A file of the render. `attached`: if it fits into the email, or the rule attaches always."""

    format: str
    """Format of the file, such as `pdf`."""
    mode: Literal["attached", "linked"]
    """`attached`: the file goes with the email if it fits. `linked`: the email has a link to it."""


class EmailPreviewTemplate(Model):
    """A template at the provider, with its parameters."""

    id: int
    """Number of the template at the provider."""
    params: dict[str, UncheckedJson]
    """Its parameters, as the rule's `params` gives them."""


class EmailPreview(Model):
    """The email that a rule gives; nothing is sent."""

    send: bool
    """Whether the email would be sent: its condition is true, and nothing makes it fail."""
    skip_reason: Literal["condition_false"] | None
    """`condition_false`: the condition of the rule is false. Null if it would be sent."""
    error: EmailPreviewError | None
    """What would make the email fail; null if nothing does."""
    from_email: str
    """Address of the sender."""
    from_name: str | None
    """Name of the sender; null without one."""
    reply_to: str | None
    """Address for answers; null: the sender."""
    to: list[EmailPreviewMailbox]
    """The recipients."""
    cc: list[EmailPreviewMailbox]
    """Recipients of a copy."""
    bcc: list[EmailPreviewMailbox]
    """Recipients of a hidden copy."""
    subject: str
    """The subject; may be empty."""
    html: str
    """With `{{ downloads }}` where the links to files will stand."""
    text: str
    """The plain text, with `{{ downloads }}` where the links to files will be."""
    attachments: list[EmailPreviewAttachment]
    """The files of the render that go with the email."""
    provider_template: EmailPreviewTemplate | None
    """The template at the provider; null without one."""
    recipient_errors: list[str]
    """Entries of the recipients that are no addresses; empty without any."""
