"""How the files reach the caller and what is kept of them: what a request says, made whole."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from chalicelib.core.errors import ServiceError, invalid
from chalicelib.features.renders.model import Body, Delivery, RunMode

type Late = Literal["continue", "cancel"]


@dataclass(frozen=True, slots=True)
class Wish:
    """What a request says of it; None: nothing."""

    type: Delivery | None
    hosted: bool | None
    retention: Literal["none", "default"] | None
    retention_days: int | None
    expires_in_s: int
    late: Late | None


@dataclass(frozen=True, slots=True)
class Terms:
    """What that comes to; `hosted`: the files are kept once they are delivered.

    `cancel_late`: a sync render that is not ready in time is canceled.
    """

    type: Delivery
    hosted: bool
    zero_retention: bool
    retention_days: int | None
    expires_in_s: int
    cancel_late: bool


def terms_of(wish: Wish, mode: RunMode, body: Body) -> Terms:
    """Return what a wish comes to; raises `validation_error` for one that cannot be met."""
    zero_retention = wish.retention == "none"
    hosted = wish.hosted is not False and not zero_retention
    kind: Delivery = wish.type or ("url" if hosted else "none")
    only_answered = kind in {"binary", "base64"} and not hosted
    terms = Terms(
        type=kind,
        hosted=hosted,
        zero_retention=zero_retention,
        retention_days=wish.retention_days,
        expires_in_s=wish.expires_in_s,
        # Nobody could fetch the file of a render that goes on without its caller.
        cancel_late=(wish.late or ("cancel" if only_answered else "continue")) == "cancel",
    )
    for refusal in (*_of_delivery(terms, mode, body), *_of_zero_retention(terms, body)):
        raise refusal
    if only_answered and not terms.cancel_late:
        message = "cancel is needed where the file is not kept: nobody could fetch it later"
        raise invalid("/timeout_behavior", message, "not_allowed")
    return terms


def uploads_named(body: Body) -> dict[str, str]:
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


def _of_delivery(terms: Terms, mode: RunMode, body: Body) -> Iterator[ServiceError]:
    place = "/delivery/type"
    if terms.type in {"binary", "base64"}:
        if mode == "async":
            message = f"{terms.type} needs mode sync; the files of async renders come by url"
            yield invalid(place, message, "not_allowed")
        if _several_files(body.output):
            message = f"{terms.type} answers one file: ask for one format, or for format zip"
            yield invalid(place, message, "not_allowed")
    if terms.type == "url" and not terms.hosted:
        message = "url needs a file that is kept: leave hosted and retention out, or send binary"
        yield invalid(place, message, "not_allowed")


def _of_zero_retention(terms: Terms, body: Body) -> Iterator[ServiceError]:
    if not terms.zero_retention:
        return
    if terms.retention_days is not None:
        message = "does not go with retention none"
        yield invalid("/delivery/retention_days", message, "not_allowed")
    for place in uploads_named(body):
        message = "an upload is kept for a day; with retention none send the content itself"
        yield invalid(place, message, "not_allowed")


def _several_files(output: Mapping[str, Any]) -> bool:
    return output["format"] != "zip" and len(output["formats"] or ()) > 1
