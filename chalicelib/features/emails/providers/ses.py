"""Amazon SES: an email is one signed request, sent once."""

from base64 import b64encode
from email.utils import formataddr
from typing import Final

from chalicelib.adapters.aws.session import RequestSignature
from chalicelib.adapters.net.egress import GuardedEgress
from chalicelib.core.json import JsonObject
from chalicelib.core.mailbox import Mailbox
from chalicelib.features.emails.compose import ascii_domain
from chalicelib.features.emails.outgoing import HandOver, OpenSession, OutgoingEmail
from chalicelib.features.emails.providers.exchange import (
    HttpSession,
    ProviderAnswer,
    ProviderRequest,
    beyond_ascii_refusal,
    open_over,
    request_content,
)

_AUTH_CODES: Final = frozenset(
    {
        "AccessDenied",
        "AccessDeniedException",
        "IncompleteSignature",
        "InvalidClientTokenId",
        "InvalidSignatureException",
        "MissingAuthenticationToken",
        "MissingAuthenticationTokenException",
        "SignatureDoesNotMatch",
        "UnrecognizedClientException",
    }
)


def open_ses(egress: GuardedEgress, base: str) -> OpenSession:
    """Return the opening of sessions; an empty `base` is the address of a connection's region."""
    return open_over(
        egress,
        lambda exchange, connection, credentials: HttpSession(
            exchange, _Ses(base, connection.config, credentials)
        ),
    )


class _Ses:
    def __init__(self, base: str, config: JsonObject, credentials: JsonObject) -> None:
        region = str(config["region"])
        self._url = f"{base or f'https://email.{region}.amazonaws.com'}/v2/email/outbound-emails"
        self._configuration_set = config.get("configuration_set")
        self._signature = RequestSignature(
            str(credentials["access_key_id"]), str(credentials["secret_access_key"]), "ses", region
        )

    def request(self, email: OutgoingEmail) -> ProviderRequest | HandOver:
        refusal = beyond_ascii_refusal(email)
        if refusal is not None:
            return refusal
        content = request_content(
            {
                "FromEmailAddress": _mailbox(email.sender),
                "Destination": {
                    "ToAddresses": [_mailbox(each) for each in email.to],
                    "CcAddresses": [_mailbox(each) for each in email.cc],
                    "BccAddresses": [_mailbox(each) for each in email.bcc],
                },
                "ReplyToAddresses": [_mailbox(email.reply_to)] if email.reply_to else [],
                "Content": {"Simple": _simple(email)},
                "ConfigurationSetName": self._configuration_set,
            }
        )
        return ProviderRequest(
            self._url, self._signature.headers("POST", self._url, content), content
        )

    def outcome(self, _email: OutgoingEmail, answer: ProviderAnswer) -> HandOver:
        if answer.is_good:
            return HandOver("accepted", provider_message_id=answer.text("MessageId"))
        given = answer.headers.get("x-amzn-errortype") or str(answer.fields.get("__type", ""))
        code = given.partition(":")[0].rpartition("#")[2]
        return answer.failure(code, is_auth=code in _AUTH_CODES)


def _mailbox(mailbox: Mailbox) -> str:
    # Names beyond ASCII are encoded words here (RFC 2047).
    return formataddr((mailbox.name, ascii_domain(mailbox.email)))


def _simple(email: OutgoingEmail) -> JsonObject:
    body = {"Html": email.html, "Text": email.text}
    return {
        "Subject": _text(email.subject),
        "Body": {name: _text(text) for name, text in body.items() if text},
        "Attachments": [
            {
                "FileName": file.filename,
                "ContentType": file.content_type,
                "ContentDisposition": "ATTACHMENT",
                "ContentTransferEncoding": "BASE64",
                "RawContent": b64encode(file.content).decode(),
            }
            for file in email.files
        ],
    }


def _text(text: str) -> JsonObject:
    return {"Data": text, "Charset": "UTF-8"}
