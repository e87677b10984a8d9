"""Failures of stores, as their tenants read them."""

import re
from http import HTTPStatus
from typing import Final

from chalicelib.engine.ports import EgressError, FetchResponse, HostRefusedError
from chalicelib.features.destinations.outgoing import UploadFailedError

MAX_RETRY_AFTER_S: Final = 3_600.0
_SECONDS: Final = re.compile(r"[0-9]{1,6}")
_DENIED: Final = frozenset({HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN})
_WORTH_REPEATING: Final = frozenset({HTTPStatus.REQUEST_TIMEOUT, HTTPStatus.TOO_MANY_REQUESTS})
# A store tells of another region by a redirect, or as AuthorizationHeaderMalformed.
_OF_WRONG_REGION: Final = frozenset(
    {
        HTTPStatus.MOVED_PERMANENTLY,
        HTTPStatus.TEMPORARY_REDIRECT,
        HTTPStatus.BAD_REQUEST,
    }
)
_REGION: Final = re.compile(r"[a-z0-9-]{1,64}")
_REGION_IN_BODY: Final = re.compile(rb"<Region>([a-z0-9-]{1,64})</Region>")


def egress_failure(failure: EgressError) -> UploadFailedError:
    """Return the failure of an upload whose store was not reached or gave no answer."""
    if isinstance(failure, HostRefusedError):
        message = f"The address of the store is not allowed: {failure}."
        return UploadFailedError("url_not_allowed", message, is_final=True)
    message = f"The store could not be used: {failure}."
    return UploadFailedError("storage_unavailable", message, is_final=False)


def answer_failure(answer: FetchResponse) -> UploadFailedError:
    """Return the failure that an answer over HTTP means."""
    status = answer.status
    region = _expected_region(answer)
    if region is not None:
        message = f"The bucket is in the region {region} (status {status}): correct `region`."
        return UploadFailedError("storage_rejected", message, is_final=True, status=status)
    if status in _DENIED:
        message = (
            f"The store denied the request (status {status}): check the credentials, and that "
            "they may write and delete files there."
        )
        return UploadFailedError("storage_denied", message, is_final=True, status=status)
    if status == HTTPStatus.NOT_FOUND:
        message = "The store has no such bucket or container (status 404): create it first."
        return UploadFailedError("storage_not_found", message, is_final=True, status=status)
    if status >= HTTPStatus.INTERNAL_SERVER_ERROR or status in _WORTH_REPEATING:
        message = f"The store takes no files for now (status {status})."
        return UploadFailedError(
            "storage_unavailable",
            message,
            is_final=False,
            status=status,
            retry_after_s=_retry_after_s(answer),
        )
    return UploadFailedError("storage_rejected", _rejection(status), is_final=True, status=status)


def _expected_region(answer: FetchResponse) -> str | None:
    """Return the region that a store of S3 says it expects: no other text of it is repeated."""
    if answer.status not in _OF_WRONG_REGION:
        return None
    found = _REGION_IN_BODY.search(answer.content) if b"Malformed" in answer.content else None
    given = found[1].decode() if found else answer.headers.get("x-amz-bucket-region", "")
    return given if _REGION.fullmatch(given) else None


def _rejection(status: int) -> str:
    if status < HTTPStatus.BAD_REQUEST:
        return (
            f"The store redirected the request (status {status}), which is not followed: check "
            "endpoint and region."
        )
    return (
        f"The store rejected the request (status {status}): check the settings of the "
        "destination, and whether the store takes such a path and size."
    )


def _retry_after_s(answer: FetchResponse) -> float | None:
    given = answer.headers.get("retry-after", "")
    return min(float(given), MAX_RETRY_AFTER_S) if _SECONDS.fullmatch(given) else None
