"""Validate a received e-invoice: return its conformance report and its content."""

import logging
import time
from base64 import b64decode
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import msgspec

from chalicelib.adapters.aws.functions import (
    FunctionBusy,
    FunctionDied,
    FunctionLate,
    LambdaFunction,
)
from chalicelib.core.clock import Clock
from chalicelib.core.errors import RenderFailure, ServiceError, no_capacity_error, validation_error
from chalicelib.core.json import Json, JsonObject
from chalicelib.core.message_version import check_version
from chalicelib.features.einvoices.validate_received import VERSION, ValidationCall
from chalicelib.features.renders.accept.command import check_region
from chalicelib.features.renders.model import MAX_ATTEMPTS
from chalicelib.features.uploads.create import AnnouncedUpload, CreateUpload
from chalicelib.features.uploads.read import ReadUploads
from chalicelib.features.workspaces.entitlements import require_feature
from chalicelib.features.workspaces.limits.concurrency import ConcurrencyLeases
from chalicelib.features.workspaces.model import Workspace

log = logging.getLogger(__name__)

_MAX_BYTES: Final = 20_000_000
_RETRY_PAUSE_S: Final = 0.15
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


class ValidateEInvoice(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Validation of documents by the render function; only embedded documents are stored."""

    uploads: ReadUploads
    create_upload: CreateUpload
    function: LambdaFunction
    leases: ConcurrencyLeases
    clock: Clock
    region: str

    def __call__(
        self, workspace: Workspace, document: ReceivedDocument, *, request_id: str, deadline: float
    ) -> JsonObject:
        """Return the conformance report and the invoice, if it fits the contract's model.

        Raises `plan_feature_unavailable`, `region_not_enabled`, `upload_not_found`, `conflict`,
        `validation_error`, `invalid_pdf_source`, `pdf_password_required`, `concurrency_limited` or
        `region_degraded`.
        """
        require_feature(workspace, "einvoices", document.pointer)
        check_region(workspace, self.region)
        self._check_size(workspace, document)
        call = ValidationCall(
            workspace.id,
            request_id,
            document.content,
            document.upload_id,
            deadline - _RESPONSE_MARGIN_S,
        )
        # A validation keeps a validator busy, so it takes a lease like a render (decision 2).
        with self.leases(workspace):
            answer = self._invoke(call)
        refusal = answer.get("refusal")
        if isinstance(refusal, Mapping):
            raise _refusal(refusal, document)
        invoice = answer["invoice"]
        if isinstance(invoice, dict):
            self._store_embedded(workspace, invoice, answer.get("embedded"))
        return {"conformance": answer["conformance"], "invoice": invoice}

    def _store_embedded(self, workspace: Workspace, invoice: JsonObject, embedded: Json) -> None:
        """Store each embedded document as an upload that the invoice names (BT-125)."""
        documents = invoice.get("supporting_documents")
        for file in embedded if isinstance(embedded, list) else ():
            assert isinstance(documents, list), "its positions are those of the invoice"
            document, content = documents[file["position"]], b64decode(file["content"])
            announced = AnnouncedUpload(
                workspace, document["filename"], document["content_type"], len(content)
            )
            document["upload_id"] = self.create_upload.store(announced, content).id

    def _check_size(self, workspace: Workspace, document: ReceivedDocument) -> None:
        if document.upload_id is not None:
            ids_by_pointer = {document.pointer: document.upload_id}
            size = self.uploads.get_ready(workspace.id, ids_by_pointer)[document.pointer].bytes
        else:
            size = len(document.content or b"")
        if not size:
            raise validation_error(document.pointer, "is empty; send an XML or a PDF", "too_short")
        if size > _MAX_BYTES:
            message = f"has {size} bytes; an e-invoice may have {_MAX_BYTES}"
            raise validation_error(document.pointer, message, "too_large")

    def _invoke(self, call: ValidationCall) -> JsonObject:
        """Return the answer; a busy function is asked until the deadline, a dead one again."""
        deaths = 0
        event: Any = call.to_json()
        ends_at = call.deadline + _RESPONSE_MARGIN_S
        while deaths < MAX_ATTEMPTS and (left_s := ends_at - self.clock.now().timestamp()) > 0:
            try:
                answer = self.function.invoke(event, wait_s=left_s)
            except FunctionBusy:
                time.sleep(min(_RETRY_PAUSE_S, left_s))
            except FunctionDied:
                deaths += 1
                log.warning("the render function died", extra={"attempt": deaths})
            except FunctionLate:
                break
            else:
                check_version(answer, VERSION)
                return answer
        raise no_capacity_error(_PURPOSE)


def _refusal(refusal: JsonObject, document: ReceivedDocument) -> ServiceError:
    code, detail = str(refusal["code"]), str(refusal["detail"])
    match code:
        case "validation_error":
            return validation_error(document.pointer, detail, "too_large")
        case "render_timeout":
            return no_capacity_error(_PURPOSE)
        case _:
            return RenderFailure(code, f"{document.pointer or 'The body'}: {detail}.")
