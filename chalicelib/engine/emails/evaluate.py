"""Emails of a render: runs the texts of its rules once its files exist.

A rule never fails the render: its failure is the fault of its email.
"""

import logging
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple, Protocol

import msgspec

from chalicelib.core import json
from chalicelib.core.errors import RenderFailure, ServiceError
from chalicelib.core.json import JsonObject
from chalicelib.core.mailbox import Mailbox, is_address, parse_mailbox, split_mailboxes
from chalicelib.core.text import safe_filename
from chalicelib.engine.delivery.emails import (
    DOWNLOADS_MARKER,
    MAX_RECIPIENTS,
    EmailFault,
    EmailRule,
    RenderedEmail,
)
from chalicelib.engine.emails.condition import condition_failure, condition_source
from chalicelib.engine.emails.plain_text import plain_text

log = logging.getLogger(__name__)

MAX_TEXT_BYTES: Final = 1_000_000
MAX_SUBJECT_CHARACTERS: Final = 998
MAX_PARAMS_BYTES: Final = 100_000
_MAX_ENTRY_CHARACTERS: Final = 512
_MAX_SHOWN: Final = 5
# With repetitions, which count once. Each entry is parsed.
_MAX_ENTRIES: Final = 1_000
# Texts with what JSON escapes in them, params and recipients.
_MAX_EMAIL_BYTES: Final = 8_000_000
# What ends a line for some software: controls, line and paragraph separators.
_LINE_ENDS: Final = ("Cc", "Zl", "Zp")
_SPACES: Final = re.compile(r"\s+")


class RunText(Protocol):
    """Run of a template over the data of the render."""

    def __call__(self, source: str, more: JsonObject, *, escape: bool) -> str:
        """Return its text over the data and `more`; `escape` makes the text HTML.

        Raises RenderFailure.
        """
        ...


class EmailFile(NamedTuple):
    """File of the render, as rules see it."""

    format: str
    bytes: int
    pages: int | None


class _FaultyEmailError(Exception):
    def __init__(self, fault: EmailFault) -> None:
        super().__init__(fault.code)
        self.fault = fault


def evaluate_rules(
    rules: Sequence[EmailRule],
    context: JsonObject,
    files: Sequence[EmailFile],
    filename: str | None,
    run: RunText,
    file_stem: str = "",
) -> tuple[RenderedEmail, ...]:
    """Return the email of each rule.

    Texts see `render`, which is `context` with `files`, and `downloads`. `filename` is that of the
    request; files without one go as `file_stem`.
    """
    shown: list[JsonObject] = [
        {
            "filename": safe_filename(filename, fallback=str(context["id"]), extension=file.format),
            **file._asdict(),
        }
        for file in files
    ]
    more: JsonObject = {"render": {**context, "files": shown}, "downloads": DOWNLOADS_MARKER}
    return tuple(
        msgspec.structs.replace(_evaluate(rule, _Texts(run=run, more=more)), file_stem=file_stem)
        for rule in rules
    )


class _Texts(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Runs the texts of one rule; raises _FaultyEmailError with the field and the place in it."""

    run: RunText
    more: JsonObject

    def is_true(self, condition: str) -> bool:
        if not condition.strip():
            return True
        try:
            return bool(self.run(condition_source(condition), self.more, escape=False))
        except RenderFailure as failure:
            raise _faulty("condition", condition_failure(failure, condition)) from failure

    def text(self, field: str, source: str, *, escape: bool = False) -> str:
        if not source:
            return ""
        try:
            return self.run(source, self.more, escape=escape)
        except RenderFailure as failure:
            raise _faulty(field, failure) from failure

    def line(self, field: str, source: str) -> str:
        """Return a text in one line: line ends and white space become a blank."""
        text = self.text(field, source)
        kept = (" " if unicodedata.category(each) in _LINE_ENDS else each for each in text)
        return _SPACES.sub(" ", "".join(kept)).strip()


def _evaluate(rule: EmailRule, texts: _Texts) -> RenderedEmail:
    email = RenderedEmail(is_wanted=True)
    try:
        for name, value in _fields(rule, texts):
            email = msgspec.structs.replace(email, **{name: value})
            if not email.is_wanted:
                break
    except _FaultyEmailError as faulty:
        email = msgspec.structs.replace(email, fault=faulty.fault)
    except Exception:
        # A hostile template may provoke any exception; the files of the render are good.
        log.exception("email rule not evaluated")
        message = "The service could not evaluate the email rule."
        email = msgspec.structs.replace(email, fault=EmailFault("internal_error", message))
    return email


def _fields(rule: EmailRule, texts: _Texts) -> Iterator[tuple[str, object]]:
    """Yield the members of the email in the order in which they are made.

    Raise _FaultyEmailError.
    """
    yield "is_wanted", texts.is_true(rule.condition)
    yield "from_name", texts.line("from_name", rule.from_name) or None
    subject = texts.line("subject", rule.subject)
    if len(subject) > MAX_SUBJECT_CHARACTERS:
        raise _too_large("subject", f"has {len(subject)} characters", MAX_SUBJECT_CHARACTERS)
    yield "subject", subject
    html = texts.text("html", rule.html, escape=True)
    _check_size(html, "")
    yield "html", html
    text = texts.text("text", rule.text)
    _check_size(html, text)
    if not text.strip():
        text = plain_text(html)
        _check_size(html, text)
    yield "text", text
    if rule.provider_template_id is not None:
        yield "params", _params(texts, rule.provider_template_params)
    yield from _recipients(rule, texts)


def _check_size(html: str, text: str) -> None:
    size = len(html.encode()) + len(text.encode())
    if size > MAX_TEXT_BYTES:
        raise _too_large("html", f"and text have {size} bytes", MAX_TEXT_BYTES)


def _params(texts: _Texts, source: str) -> JsonObject:
    text = texts.text("provider_template", source)
    size = len(text.encode())
    if size > MAX_PARAMS_BYTES:
        raise _too_large("provider_template", f"has params of {size} bytes", MAX_PARAMS_BYTES)
    try:
        params = json.loads(text.encode()) if text.strip() else {}
    except ServiceError:
        params = None
    if not isinstance(params, Mapping):
        message = "The params of the provider's template are no JSON object."
        raise _FaultyEmailError(EmailFault("email_template_error", message, "provider_template"))
    return params


def _recipients(rule: EmailRule, texts: _Texts) -> Iterator[tuple[str, object]]:
    reply_to = texts.line("reply_to", rule.reply_to)
    errors: list[str] = []
    lists: dict[str, tuple[Mailbox, ...]] = {}
    for field, source, instead in (
        ("to", rule.to, rule.to_instead),
        ("cc", rule.cc, rule.cc_instead),
        ("bcc", rule.bcc, rule.bcc_instead),
    ):
        entries = split_mailboxes(texts.text(field, source)) if instead is None else instead
        if len(entries) > _MAX_ENTRIES:
            raise _too_many(len(entries))
        lists[field] = tuple(_mailboxes(entries, errors))
        yield field, lists[field]
    yield "recipient_errors", tuple(errors)
    if reply_to:
        yield "reply_to", _reply_to(reply_to)
    if errors:
        raise _invalid(None)
    if not lists["to"] and rule.redirect_to is None:
        message = "The rule's to gave no recipient."
        raise _FaultyEmailError(EmailFault("email_recipient_missing", message, "to"))
    count = sum(map(len, lists.values()))
    if count > MAX_RECIPIENTS:
        raise _too_many(count)


def _reply_to(text: str) -> Mailbox:
    entries = split_mailboxes(text)
    mailboxes = [parse_mailbox(entry) for entry in entries]
    wrong = [number for number, mailbox in enumerate(mailboxes, 1) if mailbox is None]
    first = mailboxes[0] if mailboxes else None
    if len(mailboxes) > 1:
        which = ", ".join(map(str, wrong[:_MAX_SHOWN]))
        judged = f"number {which} is no email address" if wrong else "all are email addresses"
        message = f"reply_to gives {len(mailboxes)} entries, and takes one; {judged}."
        raise _FaultyEmailError(EmailFault("email_address_invalid", message, "reply_to"))
    if first is None:
        raise _invalid("reply_to")
    return first


def _mailboxes(entries: Sequence[str], errors: list[str]) -> Iterator[Mailbox]:
    """Yield the mailboxes of a list, each once; entries that are none are added to `errors`."""
    known = set[str]()
    for entry in entries:
        mailbox = parse_mailbox(entry) if len(entry) <= _MAX_ENTRY_CHARACTERS else None
        if mailbox is None:
            if len(errors) < MAX_RECIPIENTS:
                errors.append(entry[:_MAX_ENTRY_CHARACTERS])
            continue
        local, _, domain = mailbox.email.rpartition("@")
        key = f"{local}@{domain.lower()}"
        if key not in known:
            known.add(key)
            yield mailbox


def _faulty(field: str, failure: RenderFailure) -> _FaultyEmailError:
    """Return the fault of a template that failed; its text names no data."""
    members = failure.members
    code = "email_template_error" if failure.code.startswith("template_") else "internal_error"
    line, column = members.get("line"), members.get("column")
    name = "provider_template" if field == "params" else field
    return _FaultyEmailError(EmailFault(code, failure.detail, name, line, column))


def _too_large(field: str, what: str, limit: int) -> _FaultyEmailError:
    return _FaultyEmailError(
        EmailFault("email_too_large", f"{field} {what}; {limit} are allowed.", field)
    )


def _too_many(count: int) -> _FaultyEmailError:
    message = f"The email has {count} recipients; {MAX_RECIPIENTS} are allowed."
    return _FaultyEmailError(EmailFault("email_too_many_recipients", message))


def _invalid(field: str | None) -> _FaultyEmailError:
    message = "An entry of the recipients is no email address."
    return _FaultyEmailError(EmailFault("email_address_invalid", message, field))


def check_emails(
    rules: Sequence[EmailRule], emails: Sequence[RenderedEmail]
) -> tuple[RenderedEmail, ...]:
    """Return the emails of the engine, which is not trusted, as far as they can be true.

    An email that the engine's own rules exclude has a fault instead.
    """
    if len(emails) != len(rules):
        return tuple(_nonsense() for _ in rules)
    return tuple(
        email if _is_plausible(email, rule) else _nonsense()
        for rule, email in zip(rules, emails, strict=True)
    )


def _is_plausible(email: RenderedEmail, rule: EmailRule) -> bool:
    mailboxes = [*email.to, *email.cc, *email.bcc, *([email.reply_to] if email.reply_to else [])]
    lines = [email.subject, email.from_name or "", *(each.name or "" for each in mailboxes)]
    try:
        size = len(msgspec.json.encode(email))
    except UnicodeEncodeError:
        # Half of a surrogate pair.
        return False
    return (len(mailboxes) <= MAX_RECIPIENTS + 1 or email.fault is not None) and (
        all(is_address(each.email) for each in mailboxes)
        and all(
            len(line) <= MAX_SUBJECT_CHARACTERS
            and not any(unicodedata.category(each) in _LINE_ENDS for each in line)
            for line in lines
        )
        and size <= _MAX_EMAIL_BYTES
        and (email.fault is not None or not email.is_wanted or _has_recipient(email, rule))
    )


def _has_recipient(email: RenderedEmail, rule: EmailRule) -> bool:
    return bool(email.to) or rule.redirect_to is not None


def _nonsense() -> RenderedEmail:
    message = "The service could not evaluate the email rule."
    return RenderedEmail(is_wanted=True, fault=EmailFault("internal_error", message))
