"""Values of each tolerated name, and the table of the page that lists them."""

import json
from typing import Final

from chalicelib.contract.aliases import ABSENT, ALIASES, Alias, Values

_TEXT: Final = "data:text/plain;base64,aGFsbG8="

# What is given, and what is read; None, if nothing is.
VALUES: Final[dict[str, tuple[object, object]]] = {
    "RenderRequest.input.version-version": (3, 3),
    "RenderRequest.input.http-output.http": ({"user_agent": "A"}, {"user_agent": "A"}),
    "Convenience.delivery.type-delivery": ("binary", "binary"),
    "Convenience.delivery.expires_in-expires_in": (60, 60),
    "Convenience.delivery.hosted-hosted": (False, False),
    "Convenience.delivery.retention-retention": ("none", "none"),
    "Convenience.delivery.retention_days-retention_days": (1, 1),
    "Convenience.delivery.storage-storage": ([], []),
    "Convenience.delivery.email-email": (False, False),
    "RenderQuery.created[gte]-created_after": ("2026-09-01", "2026-08-31T23:59:59.999000Z"),
    "RenderQuery.created[lte]-created_before": ("2026-09-01", "2026-09-02T00:00:00Z"),
    "RenderFileQuery.download-disposition": ("true", "attachment"),
    "RenderFileQuery.inline-disposition": ("true", "inline"),
    "OutputSpec.pdf.emulate_media-media": ("screen", "screen"),
    "OutputSpec.pdf.javascript-javascript": (False, False),
    "OutputSpec.pdf.locale-locale": ("de-AT", "de-AT"),
    "OutputSpec.pdf.timezone-timezone": ("Europe/Vienna", "Europe/Vienna"),
    "OutputSpec.pdf.wait-wait": ({"delay_ms": 1}, {"delay_ms": 1}),
    "PdfOptions.paper.size-page_size": ("A5", "A5"),
    "PdfOptions.paper.width-width": ("10cm", "10cm"),
    "PdfOptions.paper.height-height": ("20cm", "20cm"),
    "PdfOptions.orientation-landscape": ("landscape", True),
    "PdfOptions.single_page-height": (True, "auto"),
    "PdfOptions.protect-protection": ({"user_password": "p"}, {"user_password": "p"}),
    "PdfMetadata.lang-language": ("de", "de"),
    "Attachment.name-filename": ("a.txt", "a.txt"),
    "Attachment.mime_type-content_type": ("text/csv", "text/csv"),
    "Attachment.data_uri-content": (_TEXT, "aGFsbG8="),
    "Attachment.data_uri-content_type": (_TEXT, "text/plain"),
    "Wait.until-until": ("selector", "load"),
    "MergeRequest.bookmarks-bookmarks": ("filenames", True),
    "InvoiceBuyer.identifiers-identifier": ([{"id": "1"}], {"id": "1"}),
    "InvoiceLine.tax-vat": ({"category": "S"}, {"category": "S"}),
    "InvoiceDocumentAdjustment.tax_category-vat.category": ("S", "S"),
    "InvoiceDocumentAdjustment.tax_rate-vat.rate": ("19", "19"),
    "InvoiceCard.account_number-primary_account_number": ("1234", "1234"),
    "InvoiceCard.holder-holder_name": ("Ada", "Ada"),
    "TemplateRequest.type-type": ("pdf_code", "html"),
    "TemplateQuery.type-type": ("pdf_code", "html"),
    "TemplateContent.header_footer.header-header": ("<p>", "<p>"),
    "TemplateContent.header_footer.footer-footer": ("<p>", "<p>"),
    "EmailConnectionRequest.provider-provider": ("graph", "microsoft365"),
    "EmailConnectionChange.provider-provider": ("graph", "microsoft365"),
}


def table() -> str:
    """Return the table of the page, in Markdown."""
    return "\n".join(
        ["| Object | Tolerated | Ours | Values |", "|---|---|---|---|", *map(_row, ALIASES)]
    )


def _row(alias: Alias) -> str:
    return f"| `{alias.model}` | `{alias.other}` | `{alias.ours}` | {_values(alias)} |"


def _values(alias: Alias) -> str:
    if isinstance(alias.reads, Values):
        return ", ".join(
            f"{_shown(each)}: {_shown(ours)}" for each, ours in alias.reads.ours.items()
        )
    given, ours = VALUES[f"{alias.model}.{alias.other}-{alias.ours}"]
    return "" if given == ours else f"{_shown(given)}: {_shown(ours)}"


def _shown(value: object) -> str:
    return "no value" if value is ABSENT else f"`{json.dumps(value)}`"
