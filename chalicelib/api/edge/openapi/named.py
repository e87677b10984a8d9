"""Names of schemas that many members have: each becomes a component, which clients have once."""

from collections.abc import Mapping
from typing import Final, Literal, cast

from chalicelib.api.edge.openapi import objects as oas
from chalicelib.api.edge.openapi.named_texts import TEXTS
from chalicelib.api.edge.openapi.schemas import Step, rewritten
from chalicelib.contract import einvoices, field_types
from chalicelib.contract.emails import connection, rule, send
from chalicelib.contract.invoice import field_types as invoice
from chalicelib.contract.json_schemas import type_json_schema
from chalicelib.contract.options import output, pdf, pdf_tools
from chalicelib.contract.render import conformance_report, request
from chalicelib.contract.storage import destination
from chalicelib.contract.template import layers, template
from chalicelib.contract.webhooks import delivery, endpoint
from chalicelib.core import json
from chalicelib.core.storage import StorageErrorCode

_TYPES: Final[Mapping[str, object]] = {
    "AssetPolicy": Literal["lenient", "strict"],
    "AttachmentMode": Literal["attached", "linked"],
    "AttachmentRelationship": pdf.AttachmentRelationship,
    "ConformanceStatus": conformance_report.ReportStatus,
    "ConnectionStatus": Literal["active", "failing"],
    "DeliveryType": request.DeliveryType,
    "DocumentVersion": Literal["live", "draft"],
    "EInvoiceProfile": invoice.EInvoiceProfile,
    "EInvoiceSyntax": einvoices.Syntax,
    "EmailAttachments": rule.AttachMode,
    "EmailProvider": send.EmailProvider,
    "EmailSendStatus": send.EmailSendStatus,
    "EmailTestMode": connection.TestMode,
    "EventName": endpoint.EventTypeName,
    "ImageFormat": pdf_tools.PageImageFormat,
    "InputType": request.InputType,
    "Layer": layers.Layer,
    "MarkLayer": Literal["over", "under"],
    "MarkPosition": pdf.WatermarkPosition,
    "MediaKind": Literal["print", "screen"],
    "Metadata": field_types.Metadata,
    "Mode": request.Mode,
    "OutputFormat": output.OutputFormat,
    "PdfALevel": pdf.PdfALevel,
    "PictureFit": Literal["contain", "cover", "fill"],
    "Priority": request.Priority,
    "RenderInput": request.RenderInput,
    "RenderSource": request.RenderSource,
    "RenderStatus": request.RenderStatus,
    "ResultFormat": request.ResultFormat,
    "Retention": Literal["none", "default"],
    "StorageErrorCode": StorageErrorCode,
    "StorageProvider": destination.StorageProvider,
    "TemplateType": template.TemplateType,
    "TestOutcome": Literal["succeeded", "failed"],
    "TimeoutBehavior": Literal["continue", "cancel"],
    "UploadStatus": Literal["pending", "ready"],
    "VatCategory": invoice.VatCategory,
    "WarningCode": output.WarningCode,
    "WebhookDeliveryStatus": delivery.DeliveryStatus,
}
# What members say of their own beside a reference.
_OF_MEMBERS: Final = {"description", "default"}


class NamedSchemas:
    """Components for the types of the table, which `steps` rewrite.

    The object's own `steps` are these, and the replacement of a schema by its reference.
    """

    def __init__(self, *steps: Step) -> None:
        self.steps = (*steps, self._with_reference)
        self.components: dict[str, oas.Schema] = {}
        self._names: dict[bytes, str] = {}
        for name, kind in _TYPES.items():
            schema = cast("oas.Schema", type_json_schema(kind, oas.SCHEMAS + "{model}"))
            made = rewritten(schema, steps)
            text: oas.Schema = {"description": TEXTS[name]} if name in TEXTS else {}
            self.components[name] = text | made
            self._names[_key(made)] = name

    def _with_reference(self, schema: oas.Schema) -> oas.Schema:
        """Return the reference of a schema that has a name, with the member's own description."""
        name = self._names.get(_key(schema))
        if name is None:
            return schema
        reference: oas.Schema = {"$ref": oas.SCHEMAS + name}
        own = schema.get("description")
        if own and own != self.components[name].get("description"):
            reference["description"] = own
        if "default" in schema:
            reference["default"] = schema["default"]
        return reference


def _key(schema: oas.Schema) -> bytes:
    plain = {name: part for name, part in schema.items() if name not in _OF_MEMBERS}
    return json.canonical_bytes(cast("json.JsonObject", plain))
