"""Validate a finished e-invoice: what it claims, what the validators say, and what it says."""

from dataclasses import dataclass
from typing import Any, Final

from chalicelib.adapters.aws.functions import Function
from chalicelib.adapters.aws.messages import check_version
from chalicelib.core.clock import Clock
from chalicelib.core.errors import RenderFailure, ServiceError, invalid
from chalicelib.features.renders.ask import ask
from chalicelib.features.renders.examination import VERSION, Examination
from chalicelib.features.renders.order import check_region
from chalicelib.features.uploads.read import ReadUploads
from chalicelib.features.workspaces.features import require_feature
from chalicelib.features.workspaces.model import Workspace
from chalicelib.features.workspaces.places import Places

_MOST_BYTES: Final = 20_000_000
# Kept back for the way of the answer, which may have some megabytes: the invoice comes also where
# the validators are late.
_WAY_BACK_S: Final = 2.5
_WHAT: Final = "validating the document"


@dataclass(frozen=True, slots=True)
class Document:
    """What is to be validated, by its content or as an upload, and where the request says so."""

    place: str
    content: bytes | None = None
    upload_id: str | None = None


class ValidateEInvoice:
    """Has the render function examine a document; nothing of it is kept or billed."""

    def __init__(
        self,
        *,
        uploads: ReadUploads,
        function: Function,
        places: Places,
        clock: Clock,
        region: str,
    ) -> None:
        """Build from the uploads and the render function."""
        self._places = places
        self._uploads = uploads
        self._function = function
        self._clock = clock
        self._region = region

    def __call__(
        self, workspace: Workspace, document: Document, *, request_id: str, deadline: float
    ) -> dict[str, Any]:
        """Return the conformance report and the invoice, if one can be made of the document.

        Raises `plan_feature_unavailable`, `region_not_enabled`, `upload_not_found`, `conflict`,
        `validation_error`, `invalid_pdf_source`, `pdf_password_required`, `concurrency_limited` or
        `region_degraded`.
        """
        require_feature(workspace, "einvoices", document.place)
        check_region(workspace, self._region)
        self._check_size(workspace, document)
        order = Examination(
            workspace.id,
            request_id,
            document.content,
            document.upload_id,
            deadline - _WAY_BACK_S,
        )
        with self._places(workspace):
            answer = self._asked(order)
        if "refusal" in answer:
            raise _refusal(answer["refusal"], document)
        return {"conformance": answer["conformance"], "invoice": answer["invoice"]}

    def _check_size(self, workspace: Workspace, document: Document) -> None:
        if document.upload_id is not None:
            named = {document.place: document.upload_id}
            size = self._uploads.ready(workspace.id, named)[document.place].bytes
        else:
            size = len(document.content or b"")
        if not size:
            raise invalid(document.place, "is empty; send an XML or a PDF", "too_short")
        if size > _MOST_BYTES:
            message = f"has {size} bytes; an e-invoice may have {_MOST_BYTES}"
            raise invalid(document.place, message, "too_large")

    def _asked(self, order: Examination) -> dict[str, Any]:
        until = order.deadline + _WAY_BACK_S
        answer = ask(self._function, order.to_json(), what=_WHAT, until=until, clock=self._clock)
        check_version(answer, VERSION)
        return answer


def _refusal(refusal: dict[str, str], document: Document) -> ServiceError:
    code, detail = refusal["code"], refusal["detail"]
    match code:
        case "validation_error":
            return invalid(document.place, detail, "too_large")
        case "render_timeout":
            return _degraded()
        case _:
            return RenderFailure(code, f"{document.place or 'The body'}: {detail}.")


def _degraded() -> ServiceError:
    return ServiceError(
        "region_degraded",
        f"There was no room for {_WHAT} in time; send the request again.",
        headers={"Retry-After": "5"},
    )
