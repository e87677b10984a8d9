"""Amazon SES: an email is one signed request, sent once."""

from base64 import b64encode
from collections.abc import Mapping, Sequence
from typing import Final

from chalicelib.adapters.aws.session import RequestSignature
from chalicelib.adapters.net.egress import GuardedEgress
from chalicelib.core.json import JsonObject
from chalicelib.core.mail_headers import mailbox_text
from chalicelib.core.mailbox import Mailbox
from chalicelib.features.emails.compose import ascii_domain
from chalicelib.features.emails.outgoing import (
    Check,
    CheckFailedError,
    HandOver,
    OpenSession,
    OutgoingEmail,
)
from chalicelib.features.emails.providers.checks import (
    MAX_SENDERS,
    Account,
    listed_sender,
    shown_senders,
)
from chalicelib.features.emails.providers.exchange import (
    HttpExchange,
    HttpSession,
    ProviderAnswer,
    ProviderRequest,
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
        self._base = f"{base or f'https://email.{region}.amazonaws.com'}/v2/email"
        self._configuration_set = config.get("configuration_set")
        self._signature = RequestSignature(
            str(credentials["access_key_id"]), str(credentials["secret_access_key"]), "ses", region
        )

    def checks(self, exchange: HttpExchange, _sample: OutgoingEmail) -> Sequence[Check]:
        account = Account(exchange, self._base, self._headers, _failure)

        def credentials() -> Sequence[JsonObject]:
            if account.get("/account").fields.get("SendingEnabled") is not True:
                message = "The provider has disabled sending for the account."
                raise CheckFailedError(message)
            return ()

        def senders() -> Sequence[JsonObject]:
            answer = account.get(f"/identities?PageSize={MAX_SENDERS}")
            return shown_senders(map(_sender, answer.entries("EmailIdentities")))

        return Check("credentials", credentials), Check("senders", senders)

    def request(self, email: OutgoingEmail) -> ProviderRequest | HandOver:
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
        url = f"{self._base}/outbound-emails"
        return ProviderRequest(url, self._signature.headers("POST", url, content), content)

    def outcome(self, _email: OutgoingEmail, answer: ProviderAnswer) -> HandOver:
        if answer.is_good:
            return HandOver("accepted", provider_message_id=answer.text("MessageId"))
        return _failure(answer)

    def _headers(self, url: str) -> Mapping[str, str]:
        return self._signature.headers("GET", url, b"")


def _failure(answer: ProviderAnswer) -> HandOver:
    given = answer.headers.get("x-amzn-errortype") or str(answer.fields.get("__type", ""))
    code = given.partition(":")[0].rpartition("#")[2]
    return answer.failure(code, is_auth=code in _AUTH_CODES)


def _sender(entry: JsonObject) -> JsonObject | None:
    may_send = entry.get("SendingEnabled") is True
    is_address = entry.get("IdentityType") == "EMAIL_ADDRESS"
    return listed_sender(
        "sender" if is_address else "domain",
        entry.get("IdentityName"),
        is_verified=may_send and entry.get("VerificationStatus") == "SUCCESS",
    )


def _mailbox(mailbox: Mailbox) -> str:
    # Names beyond ASCII are encoded words here (RFC 2047).
    return mailbox_text(mailbox._replace(email=ascii_domain(mailbox.email)))


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
