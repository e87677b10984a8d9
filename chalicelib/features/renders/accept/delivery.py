"""Delivery policy of a render: delivery type, retention and timeout behavior."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple

from chalicelib.core.errors import FieldError, ServiceError, raise_all, validation_error
from chalicelib.engine.job import Job, PageJob
from chalicelib.features.renders.accept.resolve_emails import EmailTarget
from chalicelib.features.renders.model import DeliveryType, RunMode
from chalicelib.features.renders.run.jobs import (
    referenced_files,
    referenced_renders,
    referenced_uploads,
)

type TimeoutBehavior = Literal["continue", "cancel"]


class RequestedStorage(NamedTuple):
    """Destination that a request names; `path` is a template source.

    Both are by default as the destination says.
    """

    destination_id: str
    path: str | None = None
    keep_hosted_copy: bool | None = None


class DeliveryRequest(NamedTuple):
    """Delivery options of a request; None for an absent option.

    With empty `emails` no rule sends, with empty `storage` not even the default destination gets
    the files.
    """

    type: DeliveryType | None
    hosted: bool | None
    retention: Literal["none", "default"] | None
    retention_days: int | None
    expires_in_s: int
    timeout_behavior: TimeoutBehavior | None
    emails: tuple[EmailTarget, ...] | None = None
    storage: tuple[RequestedStorage, ...] | None = None


@dataclass(frozen=True, slots=True)
class DeliveryPolicy:
    """Delivery options of a `request` with their defaults applied.

    `hosted`: the files are stored after delivery. `cancel_on_timeout`: a sync render that is late
    is canceled. `emails` are the rules that send, by default those of the template.
    """

    request: DeliveryRequest
    type: DeliveryType
    hosted: bool
    zero_retention: bool
    retention_days: int | None
    expires_in_s: int
    cancel_on_timeout: bool
    emails: tuple[EmailTarget, ...] | None = None


def delivery_policy(request: DeliveryRequest, mode: RunMode, job: Job) -> DeliveryPolicy:
    """Return the policy of a request; raises `validation_error` for options that conflict."""
    zero_retention = request.retention == "none"
    hosted = request.hosted is not False and not zero_retention
    delivery_type: DeliveryType = request.type or ("url" if hosted else "none")
    is_stored_elsewhere = bool(request.storage) and not zero_retention
    is_response_only = (
        delivery_type in {"binary", "base64"} and not hosted and not is_stored_elsewhere
    )
    policy = DeliveryPolicy(
        request=request,
        type=delivery_type,
        hosted=hosted,
        zero_retention=zero_retention,
        retention_days=request.retention_days,
        expires_in_s=request.expires_in_s,
        # A file that exists only in the response cannot be fetched later (decision 17).
        cancel_on_timeout=(
            request.timeout_behavior or ("cancel" if is_response_only else "continue")
        )
        == "cancel",
        emails=request.emails,
    )
    errors = [*_delivery_errors(policy, mode, job), *_zero_retention_errors(policy, job)]
    if is_response_only and not policy.cancel_on_timeout:
        message = "cancel is needed where the file is not kept: nobody could fetch it later"
        errors.append(validation_error("/timeout_behavior", message, "not_allowed"))
    raise_all(errors)
    return policy


def _delivery_errors(policy: DeliveryPolicy, mode: RunMode, job: Job) -> Iterator[ServiceError]:
    pointer = "/delivery/type"
    if policy.type in {"binary", "base64"}:
        if mode == "async":
            message = (
                f"{policy.type} needs mode sync; files of async renders and of batches come by url"
            )
            yield validation_error(pointer, message, "not_allowed")
        is_several = isinstance(job, PageJob) and job.output.file_count > 1
        if is_several and policy.type == "binary":
            message = "binary answers one file: ask for one format, for format zip, or for base64"
            yield validation_error(pointer, message, "not_allowed")
    if policy.emails and (not isinstance(job, PageJob) or job.source.template_id is None):
        message = "goes with the render of a template only: send false, or leave it out"
        yield validation_error("/delivery/email", message, "not_allowed")
    if policy.type == "url" and not policy.hosted:
        message = "url needs a file that is kept: leave hosted and retention out, or send binary"
        yield validation_error(pointer, message, "not_allowed")


def _zero_retention_errors(policy: DeliveryPolicy, job: Job) -> Iterator[ServiceError]:
    if not policy.zero_retention:
        return
    if policy.retention_days is not None:
        message = "does not go with retention none"
        yield validation_error("/delivery/retention_days", message, "not_allowed")
    if policy.emails:
        pointer = "/delivery/email"
        message = "with retention none there is no file to send: allow retention, or send false"
        code = "email_needs_hosted_file"
        error = FieldError(pointer, code, message)
        yield ServiceError(code, f"{pointer}: {message}", errors=[error])
    for pointer in referenced_uploads(job):
        message = "an upload is kept for a day; with retention none send the content itself"
        yield validation_error(pointer, message, "not_allowed")
    for pointer in (*referenced_renders(job), *referenced_files(job)):
        message = "a file of a render is kept; with retention none send the content itself"
        yield validation_error(pointer, message, "not_allowed")
