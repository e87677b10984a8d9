"""Descriptions of the named schemas of `named.py`, most of which are enumerations."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

TEXTS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "AssetPolicy": "What becomes of a render whose page cannot load a resource: a warning "
        "(`lenient`), or a failure (`strict`).",
        "AttachmentMode": "How a file goes with an email: in it, or as a link.",
        "AttachmentRelationship": "What an attachment is to the document (ISO 32000-2, 7.11.3).",
        "ConformanceStatus": "A verdict. `unavailable`: the validators gave none.",
        "ConnectionStatus": "Whether the last test or use succeeded.",
        "DeliveryType": "How files come: as URLs, as the answer itself, in the answer in base64, "
        "or not at all.",
        "DocumentVersion": "The newest published version of a template, or its draft.",
        "EInvoiceProfile": "A profile of an e-invoice that a PDF can carry.",
        "EInvoiceSyntax": "UN/CEFACT Cross Industry Invoice, or UBL 2.1.",
        "EmailAttachments": "Which files are attached to an email, and which are linked.",
        "EmailProvider": "A provider that sends emails.",
        "EmailSendStatus": "State of an email. `sandboxed`: the provider has checked it and "
        "delivers nothing. `unknown`: the provider may have taken it.",
        "EmailTestMode": "What becomes of emails of test renders.",
        "EventName": "Type of an event.",
        "ImageFormat": "Format of a picture.",
        "InputType": "Type of a render's input.",
        "Layer": "A layer of a canvas.",
        "MarkLayer": "Over or under what the page shows.",
        "MarkPosition": "Place on a page.",
        "MediaKind": "The CSS media type.",
        "Metadata": "Values of your own: at most 50, keys of 1 to 40 characters, texts of at most "
        "500.",
        "Mode": "Whether the answer waits for the files.",
        "OutputFormat": "Format of a file that a render makes.",
        "PdfALevel": "Part and level of PDF/A (ISO 19005).",
        "PictureFit": "How a picture of another shape is brought to a size: with bars, cut, or "
        "stretched.",
        "Priority": "Queue in which a render waits.",
        "RenderInput": "The input of a render; `type` says which.",
        "RenderSource": "What requested a render.",
        "RenderStatus": "State of a render; the last three are final.",
        "ResultFormat": "Format of a file of a render or a PDF tool.",
        "Retention": "`none`: zero retention.",
        "StorageErrorCode": "Why an upload to a store failed.",
        "StorageProvider": "Kind of a store.",
        "TemplateType": "A document in HTML, or a canvas with layers.",
        "TestOutcome": "How a test ended.",
        "TimeoutBehavior": "What becomes of a sync render that is not ready within the plan's "
        "time.",
        "UploadStatus": "`pending`: announced, and not stored yet.",
        "VatCategory": "Code of a VAT category (UNTDID 5305).",
        "WarningCode": "Code of a warning that is known before a render has ended.",
        "WebhookDeliveryStatus": "State of a delivery. `retrying`: an attempt has failed, and "
        "another one is to come.",
    }
)
