"""Check of AWS signatures, version 4, computed again with the signer of botocore.

The header of a request, the query of a presigned URL and the form of an upload are signed. The hash
of an object's body is signed, but the body is not compared with it: it is not read here.
"""

import datetime as dt
import hmac
import re
import urllib.parse
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from botocore.auth import S3SigV4Auth, S3SigV4PostAuth, S3SigV4QueryAuth, SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

from infra.local.access.keys import AccessKey

_ALGORITHM: Final = "AWS4-HMAC-SHA256"
_S3: Final = "s3"
_BODY_HASH: Final = "x-amz-content-sha256"
# AWS's own bounds: for the clocks of both sides, and for the age of a presigned URL.
_MAX_SKEW: Final = dt.timedelta(minutes=15)
_MAX_AGE_S: Final = 7 * 86_400
_SECONDS: Final = re.compile("[0-9]{1,6}")


class UnsignedError(Exception):
    """A request is not signed with the key of this stack; the message says why."""


@dataclass(frozen=True, slots=True)
class ReceivedRequest:
    """A request as it was sent: path and query are encoded, names of headers in lower case."""

    method: str
    path: str
    query: str
    headers: Mapping[str, str]
    body: bytes = b""


@dataclass(frozen=True, slots=True)
class _Claim:
    """Claim of a request about its signature."""

    credential: str
    date: str
    signed_headers: tuple[str, ...]
    signature: str
    query: str
    expires_s: int | None = None
    scope: tuple[str, ...] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "scope", tuple(self.credential.split("/")))


def needs_body(headers: Mapping[str, str], query: str) -> bool:
    """Tell whether the check reads the body; of an object's body the hash is in a header."""
    return _BODY_HASH not in headers and "X-Amz-Signature=" not in query


def check_signature(request: ReceivedRequest, key: AccessKey, now: dt.datetime) -> None:
    """Raise UnsignedError unless header or query are signed with the key, and not too long ago."""
    claim = _claim(request)
    signer = _signer(claim, key)
    _check_time(claim, now)
    _check_signed_headers(claim, request)
    signed = AWSRequest(
        method=request.method,
        url=f"http://{request.headers['host']}{request.path}?{claim.query}",
        headers={name: request.headers[name] for name in claim.signed_headers},
        data=request.body,
    )
    signed.context["timestamp"] = claim.date
    text = signer.string_to_sign(signed, signer.canonical_request(signed))
    _compare(signer.signature(text, signed), claim.signature)


def check_form(fields: Mapping[str, str], key: AccessKey) -> None:
    """Raise UnsignedError unless the policy of an upload's form is signed with the key."""
    names = ("policy", "x-amz-algorithm", "x-amz-credential", "x-amz-date", "x-amz-signature")
    if missing := [name for name in names if not fields.get(name)]:
        raise UnsignedError(f"the form has no {', '.join(missing)}")
    policy, _, credential, date, signature = (fields[name] for name in names)
    signer = _signer(_Claim(credential, date, (), signature, ""), key, S3SigV4PostAuth)
    signed = AWSRequest()
    signed.context["timestamp"] = date
    _compare(signer.signature(policy, signed), signature)


def _claim(request: ReceivedRequest) -> _Claim:
    authorization = request.headers.get("authorization")
    query = urllib.parse.parse_qs(request.query, keep_blank_values=True)
    if authorization is not None and "X-Amz-Signature" not in query:
        algorithm, _, rest = authorization.partition(" ")
        parts = dict(part.strip().partition("=")[::2] for part in rest.split(","))
        names = ("Credential", "SignedHeaders", "Signature")
        date = request.headers.get("x-amz-date", "")
        remaining, expires_s = request.query, None
    elif authorization is None and "X-Amz-Signature" in query:
        parts = {name: values[0] for name, values in query.items() if len(values) == 1}
        algorithm = parts.get("X-Amz-Algorithm", "")
        names = ("X-Amz-Credential", "X-Amz-SignedHeaders", "X-Amz-Signature")
        date = parts.get("X-Amz-Date", "")
        pairs = request.query.split("&")
        # The signature covers all of the query but itself.
        remaining = "&".join(pair for pair in pairs if not pair.startswith("X-Amz-Signature="))
        expires_s = _expiry(parts.get("X-Amz-Expires", ""))
    else:
        raise UnsignedError("sign the request, either in its header or in its query")
    if algorithm != _ALGORITHM or any(not parts.get(name) for name in names):
        raise UnsignedError(f"sign with {_ALGORITHM}")
    credential, signed_headers, signature = (parts[name] for name in names)
    headers = tuple(signed_headers.split(";"))
    return _Claim(credential, date, headers, signature, remaining, expires_s)


def _expiry(text: str) -> int:
    if not _SECONDS.fullmatch(text) or int(text) > _MAX_AGE_S:
        raise UnsignedError("X-Amz-Expires is a number of seconds, at most a week")
    return int(text)


def _signer(claim: _Claim, key: AccessKey, kind: Any = None) -> Any:
    if len(claim.scope) != 5 or claim.scope[4] != "aws4_request":  # noqa: PLR2004 -- of a scope
        raise UnsignedError("the credential is not id/date/region/service/aws4_request")
    key_id, date, region, service, _ = claim.scope
    if not hmac.compare_digest(key_id.encode(), key.id.encode()) or date != claim.date[:8]:
        raise UnsignedError("the access key is not this stack's")
    if kind is None and service == _S3:
        kind = S3SigV4Auth if claim.expires_s is None else S3SigV4QueryAuth
    return (kind or SigV4Auth)(Credentials(key.id, key.secret), service, region)


def _check_time(claim: _Claim, now: dt.datetime) -> None:
    try:
        signed_at = dt.datetime.strptime(claim.date, "%Y%m%dT%H%M%S%z")
    except ValueError as fault:
        raise UnsignedError("X-Amz-Date is no time") from fault
    age = now - signed_at
    longest = _MAX_SKEW if claim.expires_s is None else dt.timedelta(seconds=claim.expires_s)
    if not -_MAX_SKEW <= age <= longest:
        raise UnsignedError("Request has expired")


def _check_signed_headers(claim: _Claim, request: ReceivedRequest) -> None:
    """Refuse headers that change a request's effect and that its signature does not cover."""
    if missing := [name for name in claim.signed_headers if name not in request.headers]:
        raise UnsignedError(f"signed headers are missing: {', '.join(missing)}")
    # `x-amz-copy-source` makes a presigned upload a copy of another object (decision 58).
    needed = {"host", *(name for name in request.headers if name.startswith("x-amz-"))}
    if claim.expires_s is None and claim.scope[3] == _S3:
        needed.add(_BODY_HASH)
    if unsigned := needed.difference(claim.signed_headers):
        raise UnsignedError(f"these headers must be signed: {', '.join(sorted(unsigned))}")


def _compare(computed: str, sent: str) -> None:
    if not hmac.compare_digest(computed.encode(), sent.encode()):
        raise UnsignedError("The request signature we calculated does not match the one provided")
