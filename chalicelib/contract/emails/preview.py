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
    """Null: that of the saved rule."""
    attachments: AttachMode | None = None
    attach_formats: AttachFormats | None = None
    condition: FieldText | None = None
    from_email: FromAddress | None = None
    from_name: FieldText | None = None
    reply_to: FieldText | None = None
    to: FieldText | None = None
    cc: FieldText | None = None
    bcc: FieldText | None = None
    subject: FieldText | None = None
    html: HtmlText | None = None
    text: FieldText | None = None
    provider_template: EmailProviderTemplate | None = None


class DraftedRule(EmailRuleSpec):
    """An email rule that is not saved."""

    connection_id: Id = Field()


class EmailRulePreviewRequest(Model):
    """A preview of a saved rule."""

    rule: EmailRuleSpec | None = None
    """In place of what is saved."""
    data: dict[str, UncheckedJson] | None = None
    """Null: those of the dataset."""
    dataset_id: Annotated[str, StringConstraints(min_length=1, max_length=64)] | None = None
    """Null: the template's default dataset."""


class EmailRuleTestRequest(EmailRulePreviewRequest):
    """A test of a saved rule."""

    to: MailAddress
    """The verified address of a member of the workspace, who alone gets the email."""


class EmailRuleDraftPreviewRequest(EmailRulePreviewRequest):
    """A preview of a rule that is not saved."""

    template_id: Id
    rule: DraftedRule


class EmailPreviewError(Model):
    """The reason why the email would fail; `field` names the rule's field."""

    code: str
    message: str
    field: str | None
    line: int | None
    column: int | None


class EmailPreviewMailbox(Model):
    """A recipient."""

    email: str
    name: str | None


class EmailPreviewAttachment(Model):
    """A file of the render. `attached`: if it fits into the email, or the rule attaches always."""

    format: str
    mode: Literal["attached", "linked"]


class EmailPreviewTemplate(Model):
    """A template at the provider, with its parameters."""

    id: int
    params: dict[str, UncheckedJson]


class EmailPreview(Model):
    """The email that a rule gives; nothing is sent."""

    send: bool
    skip_reason: Literal["condition_false"] | None
    error: EmailPreviewError | None
    from_email: str
    from_name: str | None
    reply_to: str | None
    to: list[EmailPreviewMailbox]
    cc: list[EmailPreviewMailbox]
    bcc: list[EmailPreviewMailbox]
    subject: str
    html: str
    """With `{{ downloads }}` where the links to files will stand."""
    text: str
    attachments: list[EmailPreviewAttachment]
    provider_template: EmailPreviewTemplate | None
    recipient_errors: list[str]
    """Entries that are no addresses."""
