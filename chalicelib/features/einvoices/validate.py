"""Validate a received e-invoice: return its conformance report and its content."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from chalicelib.adapters.aws.functions import LambdaFunction
from chalicelib.core.clock import Clock
from chalicelib.core.errors import RenderFailure, ServiceError, validation_error
from chalicelib.core.json import JsonObject
from chalicelib.core.message_version import check_version
from chalicelib.features.einvoices.validate_received import VERSION, ValidationCall
from chalicelib.features.renders.accept.command import check_region
from chalicelib.features.renders.run.invoke import invoke_with_retry, no_capacity_error
from chalicelib.features.uploads.read import ReadUploads
from chalicelib.features.workspaces.entitlements import require_feature
from chalicelib.features.workspaces.limits.concurrency import ConcurrencyLeases
from chalicelib.features.workspaces.model import Workspace

_MAX_BYTES: Final = 20_000_000
# Reserved for the response, which may have some megabytes: the invoice is returned even if the
# validators time out.
_RESPONSE_MARGIN_S: Final = 2.5
_PURPOSE: Final = "validating the document"


@dataclass(frozen=True, slots=True)
class ReceivedDocument:
    """Document to validate: its content or an upload, and the JSON Pointer to it in the request."""

    pointer: str
    content: bytes | None = None
    upload_id: str | None = None


class ValidateEInvoice:
    """Validation of documents by the render function; nothing is stored or billed."""

    def __init__(
        self,
        *,
        uploads: ReadUploads,
        function: LambdaFunction,
        leases: ConcurrencyLeases,
        clock: Clock,
        region: str,
    ) -> None:
        """Build from the uploads and the render function."""
        self._leases = leases
        self._uploads = uploads
        self._function = function
        self._clock = clock
        self._region = region

    def __call__(
        self, workspace: Workspace, document: ReceivedDocument, *, request_id: str, deadline: float
    ) -> JsonObject:
        """Return the conformance report and the invoice, if it fits the contract's model.

        Raises `plan_feature_unavailable`, `region_not_enabled`, `upload_not_found`, `conflict`,
        `validation_error`, `invalid_pdf_source`, `pdf_password_required`, `concurrency_limited` or
        `region_degraded`.
        """
        require_feature(workspace, "einvoices", document.pointer)
        check_region(workspace, self._region)
        self._check_size(workspace, document)
        call = ValidationCall(
            workspace.id,
            request_id,
            document.content,
            document.upload_id,
            deadline - _RESPONSE_MARGIN_S,
        )
        # A validation keeps a validator busy, so it takes a lease like a render (decision 2).
        with self._leases(workspace):
            answer = self._invoke(call)
        refusal = answer.get("refusal")
        if isinstance(refusal, Mapping):
            raise _refusal(refusal, document)
        return {"conformance": answer["conformance"], "invoice": answer["invoice"]}

    def _check_size(self, workspace: Workspace, document: ReceivedDocument) -> None:
        if document.upload_id is not None:
            ids_by_pointer = {document.pointer: document.upload_id}
            size = self._uploads.get_ready(workspace.id, ids_by_pointer)[document.pointer].bytes
        else:
            size = len(document.content or b"")
        if not size:
            raise validation_error(document.pointer, "is empty; send an XML or a PDF", "too_short")
        if size > _MAX_BYTES:
            message = f"has {size} bytes; an e-invoice may have {_MAX_BYTES}"
            raise validation_error(document.pointer, message, "too_large")

    def _invoke(self, call: ValidationCall) -> JsonObject:
        deadline = call.deadline + _RESPONSE_MARGIN_S
        answer = invoke_with_retry(
            self._function, call.to_json(), purpose=_PURPOSE, deadline=deadline, clock=self._clock
        )
        check_version(answer, VERSION)
        return answer


def _refusal(refusal: JsonObject, document: ReceivedDocument) -> ServiceError:
    code, detail = str(refusal["code"]), str(refusal["detail"])
    match code:
        case "validation_error":
            return validation_error(document.pointer, detail, "too_large")
        case "render_timeout":
            return no_capacity_error(_PURPOSE)
        case _:
            return RenderFailure(code, f"{document.pointer or 'The body'}: {detail}.")
