"""Outgoing email of a send: recipients, sender, files that are attached, links to all others."""

import datetime as dt
from collections.abc import Callable, Sequence
from html import escape
from typing import Final, NamedTuple, cast

import msgspec

from chalicelib.adapters.aws.objects import Objects
from chalicelib.core.clock import parse_rfc3339
from chalicelib.core.mailbox import Mailbox
from chalicelib.engine.delivery.emails import DOWNLOADS_MARKER, EmailRule, RenderedEmail
from chalicelib.engine.emails.file_names import attachment_name
from chalicelib.features.emails.compose import ascii_domain
from chalicelib.features.emails.connections.model import EmailConnection
from chalicelib.features.emails.outgoing import AttachedFile, OutgoingEmail, ProviderTemplate
from chalicelib.features.emails.sends.model import EmailSend, SendAttachment, SendError
from chalicelib.features.files.model import StoredFile
from chalicelib.features.renders.model import Render

# A link lives as long as its file, and no longer than this.
_LONGEST_LINK: Final = dt.timedelta(days=7)
_TEST_PREFIX: Final = "[Test] "
_NOT_HOSTED: Final = SendError(
    "email_needs_hosted_file",
    "A file would go as a link, and the request keeps none: hosted is false. Attach the files.",
)

# Name of a file and its URL.
type _Link = tuple[str, str]
type SignUrl = Callable[[StoredFile, dt.datetime], str]


class EmailParts(NamedTuple):
    """Parts of which an email is made."""

    send: EmailSend
    rule: EmailRule
    rendered: RenderedEmail
    render: Render
    connection: EmailConnection


class PreparedEmail(NamedTuple):
    """Email to hand over, and the files that go with it."""

    email: OutgoingEmail
    attachments: tuple[SendAttachment, ...]


class EmailImpossibleError(Exception):
    """The email cannot be made; without an `error` its files are gone."""

    def __init__(self, error: SendError | None) -> None:
        """Carry the error of the send."""
        super().__init__("" if error is None else error.code)
        self.error = error


class PrepareEmail(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Makes the email that every attempt of a send hands over."""

    objects: Objects
    sign_url: SignUrl

    def __call__(self, parts: EmailParts, now: dt.datetime) -> PreparedEmail:
        """Return the email; raises EmailImpossibleError."""
        send, rendered = parts.send, parts.rendered
        files = _files(parts)
        attached, linked = _split(files, parts)
        contents = tuple(self._attachment(file, parts) for file in attached)
        links = [(_name(file, parts), self._link(file, now)) for file in linked]
        sender = _sender(parts)
        is_redirected = send.mode == "redirect"
        to = _redirected_to(parts) if is_redirected else rendered.to
        email = OutgoingEmail(
            send_id=send.id,
            message_id=f"<{send.id.lower()}@{ascii_domain(sender.email).rpartition('@')[2]}>",
            date=parse_rfc3339(send.created_at),
            sender=sender,
            reply_to=rendered.reply_to or _reply_to(parts.connection),
            to=to,
            cc=() if is_redirected else rendered.cc,
            bcc=() if is_redirected else rendered.bcc,
            subject=(_TEST_PREFIX if is_redirected else "") + rendered.subject,
            html=_html_with_links(rendered.html, links) if rendered.html else None,
            text=_text_with_links(rendered.text, links) if rendered.text else None,
            files=contents,
            template=_template(parts, links),
            is_sandbox=send.mode == "sandbox",
        )
        linked_ids = {file.id for file in linked}
        attachments = [
            SendAttachment(
                file.id,
                _name(file, parts),
                file.bytes,
                "linked" if file.id in linked_ids else "attached",
            )
            for file in files
        ]
        return PreparedEmail(email, tuple(attachments))

    def _attachment(self, file: StoredFile, parts: EmailParts) -> AttachedFile:
        content = self.objects.get(file.key)
        if content is None:
            raise EmailImpossibleError(None)
        return AttachedFile(_name(file, parts), file.content_type, content)

    def _link(self, file: StoredFile, now: dt.datetime) -> str:
        expires = now + _LONGEST_LINK
        if file.expires_at is not None:
            expires = min(expires, parse_rfc3339(file.expires_at))
        return self.sign_url(file, expires)


def _name(file: StoredFile, parts: EmailParts) -> str:
    stem, render_id = parts.rendered.file_stem, parts.render.id
    return attachment_name(file.filename, stem, render_id, file.format, file.part)


def _files(parts: EmailParts) -> list[StoredFile]:
    """Return the files that go with the email, in order."""
    formats = parts.rule.attach_formats
    if parts.rule.attachments == "none":
        return []
    return [file for file in parts.render.files if not formats or file.format in formats]


def _split(
    files: Sequence[StoredFile], parts: EmailParts
) -> tuple[list[StoredFile], list[StoredFile]]:
    """Return the files to attach and those to link; raises EmailImpossibleError."""
    attached: list[StoredFile] = []
    linked: list[StoredFile] = []
    rule, left = parts.rule, cast("int", parts.connection.config["attachment_budget_bytes"])
    for file in files:
        fits = file.bytes <= left
        if rule.attachments == "link" or (rule.attachments == "attach_or_link" and not fits):
            linked.append(file)
        elif fits:
            attached.append(file)
            left -= file.bytes
        else:
            message = (
                f"The {file.format} has {file.bytes} bytes, and {left} are left of the "
                "connection's attachment_budget_bytes. Let the rule attach_or_link."
            )
            raise EmailImpossibleError(SendError("email_attachment_too_large", message))
    if linked and not parts.render.hosted:
        raise EmailImpossibleError(_NOT_HOSTED)
    return attached, linked


def _sender(parts: EmailParts) -> Mailbox:
    default = parts.connection.default_from
    address = parts.rule.from_email or cast("str", default["email"])
    return Mailbox(address, parts.rendered.from_name or cast("str | None", default["name"]))


def _reply_to(connection: EmailConnection) -> Mailbox | None:
    return None if connection.reply_to is None else Mailbox(connection.reply_to)


def _redirected_to(parts: EmailParts) -> tuple[Mailbox, ...]:
    address = parts.rule.redirect_to or parts.connection.test_recipient
    if address is None:
        message = "The email connection has no test_recipient any more."
        raise EmailImpossibleError(SendError("email_recipient_missing", message))
    return (Mailbox(address),)


def _template(parts: EmailParts, links: Sequence[_Link]) -> ProviderTemplate | None:
    """Return the template at the provider; its parameter `downloads` has the links, if any."""
    template_id, params = parts.rule.provider_template_id, parts.rendered.params or {}
    if template_id is None:
        return None
    if links:
        downloads = [{"name": name, "url": url} for name, url in links]
        params = {**params, "downloads": downloads}
    return ProviderTemplate(template_id, params)


def _html_with_links(html: str, links: Sequence[_Link]) -> str:
    """Return HTML with the links at its marker, or else at the end of its body."""
    written = "".join(f'<p><a href="{escape(url)}">{escape(name)}</a></p>' for name, url in links)
    if DOWNLOADS_MARKER in html:
        return html.replace(DOWNLOADS_MARKER, written)
    body_end = html.lower().rfind("</body")
    end = len(html) if body_end < 0 else body_end
    return html[:end] + written + html[end:]


def _text_with_links(text: str, links: Sequence[_Link]) -> str:
    """Return a text with the links at its marker, or else at its end."""
    written = "".join(f"\n{name}: {url}\n" for name, url in links)
    if DOWNLOADS_MARKER in text:
        return text.replace(DOWNLOADS_MARKER, written)
    return text + written
