"""How the files reach the caller and what is kept of them: what a request says, made whole."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from chalicelib.core.errors import ServiceError, validation_error
from chalicelib.features.renders.model import DeliveryType, RenderBody, RunMode

type TimeoutBehavior = Literal["continue", "cancel"]


@dataclass(frozen=True, slots=True)
class DeliveryRequest:
    """What a request says of it; None: nothing."""

    type: DeliveryType | None
    hosted: bool | None
    retention: Literal["none", "default"] | None
    retention_days: int | None
    expires_in_s: int
    timeout_behavior: TimeoutBehavior | None


@dataclass(frozen=True, slots=True)
class DeliveryPolicy:
    """What that comes to; `hosted`: the files are kept once they are delivered.

    `cancel_late`: a sync render that is not ready in time is canceled.
    """

    type: DeliveryType
    hosted: bool
    zero_retention: bool
    retention_days: int | None
    expires_in_s: int
    cancel_on_timeout: bool


def delivery_policy(request: DeliveryRequest, mode: RunMode, body: RenderBody) -> DeliveryPolicy:
    """Return what a wish comes to; raises `validation_error` for one that cannot be met."""
    zero_retention = request.retention == "none"
    hosted = request.hosted is not False and not zero_retention
    kind: DeliveryType = request.type or ("url" if hosted else "none")
    only_answered = kind in {"binary", "base64"} and not hosted
    terms = DeliveryPolicy(
        type=kind,
        hosted=hosted,
        zero_retention=zero_retention,
        retention_days=request.retention_days,
        expires_in_s=request.expires_in_s,
        # Nobody could fetch the file of a render that goes on without its caller.
        cancel_on_timeout=(request.timeout_behavior or ("cancel" if only_answered else "continue"))
        == "cancel",
    )
    for refusal in (*_delivery_errors(terms, mode, body), *_zero_retention_errors(terms, body)):
        raise refusal
    if only_answered and not terms.cancel_on_timeout:
        message = "cancel is needed where the file is not kept: nobody could fetch it later"
        raise validation_error("/timeout_behavior", message, "not_allowed")
    return terms


def referenced_uploads(body: RenderBody) -> dict[str, str]:
    """Return the uploads that a body names, by their places in the request."""
    named = {}
    if (upload_id := body.input.get("upload_id")) is not None:
        named["/input/upload_id"] = upload_id
    pdf = body.output["pdf"]
    sources = {f"/output/pdf/attachments/{n}": file for n, file in enumerate(pdf["attachments"])}
    sources["/output/pdf/watermark/image"] = (pdf["watermark"] or {}).get("image") or {}
    for place, source in sources.items():
        if source.get("upload_id") is not None:
            named[f"{place}/upload_id"] = source["upload_id"]
    return named


def _delivery_errors(
    policy: DeliveryPolicy, mode: RunMode, body: RenderBody
) -> Iterator[ServiceError]:
    place = "/delivery/type"
    if policy.type in {"binary", "base64"}:
        if mode == "async":
            message = f"{policy.type} needs mode sync; the files of async renders come by url"
            yield validation_error(place, message, "not_allowed")
        if _has_several_files(body.output):
            message = f"{policy.type} answers one file: ask for one format, or for format zip"
            yield validation_error(place, message, "not_allowed")
    if policy.type == "url" and not policy.hosted:
        message = "url needs a file that is kept: leave hosted and retention out, or send binary"
        yield validation_error(place, message, "not_allowed")


def _zero_retention_errors(policy: DeliveryPolicy, body: RenderBody) -> Iterator[ServiceError]:
    if not policy.zero_retention:
        return
    if policy.retention_days is not None:
        message = "does not go with retention none"
        yield validation_error("/delivery/retention_days", message, "not_allowed")
    for place in referenced_uploads(body):
        message = "an upload is kept for a day; with retention none send the content itself"
        yield validation_error(place, message, "not_allowed")


def _has_several_files(output: Mapping[str, Any]) -> bool:
    return output["format"] != "zip" and len(output["formats"] or ()) > 1
