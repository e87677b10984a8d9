"""Meaning of each warning code, and what to do about it."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, NamedTuple


class WarningText(NamedTuple):
    """Texts of a warning code: what it tells, and what to do."""

    meaning: str
    fix: str


_NO_VERDICT: Final = "Render again later, or validate the file by itself."
# Of all codes of the contract, and the one that comes after a render has ended.
WARNING_TEXTS: Final[Mapping[str, WarningText]] = MappingProxyType(
    {
        "accessibility_validation_unavailable": WarningText(
            "The accessibility report has no verdict: the validators gave none.", _NO_VERDICT
        ),
        "asset_failed": WarningText(
            "A file of the page was not loaded, or not in time. `detail` is its address.",
            "Correct the address, or send the file in `input.assets`. `asset_policy: strict` "
            "makes it an error.",
        ),
        "content_clipped": WarningText(
            "A part of the content is outside of the page or of its box, and is not visible. "
            "`detail` is the element.",
            "Make the content narrower, or the page or box larger.",
        ),
        "data_coerced": WarningText(
            "A value of the data does not fit the layer of a canvas, and was changed or replaced.",
            "Send a value of the type that the layer needs.",
        ),
        "data_unused": WarningText(
            "No layer of the canvas uses this key of the data.",
            "Bind a layer to the key, or leave the key out.",
        ),
        "einvoice_skipped_plan": WarningText(
            "The template's e-invoice was not made: the plan has no e-invoices.",
            "Change the plan, or send `output.einvoice: null`.",
        ),
        "einvoice_validation_unavailable": WarningText(
            "The e-invoice has no verdict: the validators gave none.", _NO_VERDICT
        ),
        "einvoice_validation_warning": WarningText(
            "The e-invoice is valid, and the validator warns of a rule. `detail` is the rule.",
            "Read `result.conformance.einvoice.warnings`.",
        ),
        "email_skipped_plan": WarningText(
            "The template's email rules did not send: the plan has no emails.",
            "Change the plan, or send `delivery.email: false`.",
        ),
        "email_skipped_zero_retention": WarningText(
            "The template's email rules did not send: the render keeps nothing.",
            "Send `delivery.email: false`, or leave `retention: none` out.",
        ),
        "feature_unavailable": WarningText(
            "An option or a rule of the document has no effect here. `detail` is the option or "
            "the rule.",
            "Leave it out, or do what the message proposes.",
        ),
        "font_fallback_used": WarningText(
            "The font of a canvas layer does not exist, and a bundled font drew the text.",
            "Name a bundled font.",
        ),
        "glyph_missing": WarningText(
            "No font has this character, and a box was drawn. `detail` is the text around it.",
            "Send a font that has the character, or replace the character.",
        ),
        "header_footer_overlap": WarningText(
            "A header or footer is higher than its margin, and covers content.",
            "Make the margin larger, or the header or footer smaller.",
        ),
        "invoice_totals_unavailable": WarningText(
            "The totals of the template's e-invoice could not be computed.",
            "Correct the value that the message names.",
        ),
        "link_broken": WarningText(
            "A link of the document leads nowhere in the PDF. `detail` is its address.",
            "Correct the id, or write the whole URL.",
        ),
        "locale_unsupported": WarningText(
            "The browser does not know the locale or the time zone, and ignored it.",
            "Send a BCP 47 tag such as `de-AT`, or an IANA time zone.",
        ),
        "navigation_stopped": WarningText(
            "The document tried to leave its page. The navigation was stopped.",
            "Remove the redirect, the `meta` refresh or the script.",
        ),
        "pdfa_validation_unavailable": WarningText(
            "The PDF/A file has no verdict: the validators gave none.", _NO_VERDICT
        ),
        "pdfua_validation_unavailable": WarningText(
            "The PDF/UA file has no verdict: the validators gave none.", _NO_VERDICT
        ),
        "placeholder_left": WarningText(
            "The document shows a placeholder such as `{{ name }}`: it was not read as a template.",
            "Send `data`, or `input.templating: true`.",
        ),
        "script_failed": WarningText(
            "A script of the page threw an error. `detail` is its place.",
            "Correct the script.",
        ),
        "slow_asset": WarningText(
            "A file of the page took more than 2 seconds to load.",
            "Send the file in `input.assets`, or use a faster server.",
        ),
        "storage_skipped_plan": WarningText(
            "The workspace's default storage destination got no file: the plan has no storage "
            "destinations.",
            "Change the plan, or send `delivery.storage: []`.",
        ),
        "storage_upload_failed": WarningText(
            "A storage destination did not get a file. It comes after the render has ended.",
            "Read `storage` of the render, correct the destination, and send the upload again.",
        ),
        "text_overflow": WarningText(
            "A text has no room in its box, and its end was cut.",
            "Make the box larger or the text shorter.",
        ),
        "undefined_value": WarningText(
            "The template printed nothing for a value that the data does not have. `detail` is "
            "the place.",
            "Send the value, or give the template a default.",
        ),
    }
)
