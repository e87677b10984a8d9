"""Email rules of a render, and the emails that their templates gave."""

from typing import Final, Literal

import msgspec

from chalicelib.core.json import OpaqueObject
from chalicelib.core.mailbox import Mailbox

# Why rules of a template do not send.
type EmailOmission = Literal["plan", "zero_retention"]
type AttachMode = Literal["attach_or_link", "attach", "link", "none"]

# Of one email: to, cc and bcc together.
MAX_RECIPIENTS: Final = 50
# What `{{ downloads }}` gives: sending replaces it with the links to files that are not attached.
DOWNLOADS_MARKER: Final = "{{ downloads }}"


class EmailRule(msgspec.Struct, frozen=True, kw_only=True):
    """Email rule as it stood when the render was accepted.

    Its texts are template sources; an empty one is absent. An empty `condition` is true. An empty
    `text` is derived from `html`. Without `attach_formats` every file goes with the email.
    `to_instead`, `cc_instead`, `bcc_instead` are literal recipients of the request in place of the
    rule's own, each an address or `Name <address>`. `redirect_to` alone gets the email of a test of
    the rule.
    """

    id: str
    connection_id: str
    attachments: AttachMode = "attach_or_link"
    attach_formats: tuple[str, ...] = ()
    condition: str = ""
    from_email: str | None = None
    from_name: str = ""
    reply_to: str = ""
    to: str = ""
    cc: str = ""
    bcc: str = ""
    subject: str = ""
    html: str = ""
    text: str = ""
    provider_template_id: int | None = None
    provider_template_params: str = ""
    to_instead: tuple[str, ...] | None = None
    cc_instead: tuple[str, ...] | None = None
    bcc_instead: tuple[str, ...] | None = None
    redirect_to: str | None = None


class EmailRules(msgspec.Struct, frozen=True):
    """Rules of a render, in the order of sending; `context` is `render` without its files.

    With an `omission` there are none, because those of the template do not send.
    """

    context: OpaqueObject
    rules: tuple[EmailRule, ...]
    omission: EmailOmission | None = None
    template_name: str = ""


class EmailFault(msgspec.Struct, frozen=True):
    """Why an email cannot be sent: an email error code, and the rule's field with the place in it.

    The message repeats no text of the email and no address.
    """

    code: str
    message: str
    field: str | None = None
    line: int | None = None
    column: int | None = None


class RenderedEmail(msgspec.Struct, frozen=True, kw_only=True):
    """Email of one rule after its templates ran.

    `is_wanted` is False where the condition is false. With a `fault` it cannot be sent; the parts
    that were made before are there. `recipient_errors` are entries that are no addresses. `html`
    and `text` keep DOWNLOADS_MARKER. `params` are those of the provider's template. Files without a
    name of their own go as `file_stem`: the invoice number or the template's name.
    """

    is_wanted: bool
    fault: EmailFault | None = None
    from_name: str | None = None
    reply_to: Mailbox | None = None
    to: tuple[Mailbox, ...] = ()
    cc: tuple[Mailbox, ...] = ()
    bcc: tuple[Mailbox, ...] = ()
    subject: str = ""
    html: str = ""
    text: str = ""
    params: OpaqueObject | None = None
    recipient_errors: tuple[str, ...] = ()
    file_stem: str = ""


class EmailContents(msgspec.Struct, frozen=True):
    """Emails of a render, as they are kept for sending: rules, and the texts of their templates."""

    rules: tuple[EmailRule, ...]
    rendered: tuple[RenderedEmail, ...]


def contents_key(workspace_id: str, render_id: str) -> str:
    """Return the key of the object with the emails of a render."""
    return f"ws/{workspace_id}/emails/{render_id}.json"
