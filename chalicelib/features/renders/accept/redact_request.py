"""Redaction of a request for its render's row: no secrets, no content, nothing large."""

from collections.abc import Mapping
from typing import Final

from chalicelib.contract.options.http import HttpOptions
from chalicelib.contract.options.output import OutputOptions
from chalicelib.contract.options.pdf import PdfOptions
from chalicelib.core.json import Json, JsonObject
from chalicelib.engine.job import InvoiceJob, Job

# These reveal nothing about the document, so they stay with zero retention (decision 17).
_ALWAYS_IN_OUTPUT: Final = ("format", "formats")
_HEADERS_AND_FOOTERS: Final = ("header", "footer", "first_header", "first_footer", "last_footer")


def redacted_input(job: Job, *, zero_retention: bool = False) -> JsonObject:
    """Return the input without the document: its type and its references."""
    if isinstance(job, InvoiceJob):
        return {"type": "einvoice", "profile": job.profile, "syntax": job.syntax}
    return job.source.summary(zero_retention=zero_retention)


def redacted_output(job: Job, *, zero_retention: bool = False) -> JsonObject:
    """Return the output options without header and footer texts, secrets and file contents."""
    if isinstance(job, InvoiceJob):
        # The other options are about pages, and XML has none.
        output: JsonObject = {"format": "xml", "formats": None, "filename": job.filename}
    else:
        output = redacted_options(job.output)
    if zero_retention:
        return {name: output[name] for name in _ALWAYS_IN_OUTPUT}
    return output


def redacted_options(output: OutputOptions) -> JsonObject:
    """Return the JSON of options as it is kept with the render."""
    has_format = output.format is not None or output.requested_formats
    return {
        **output.to_json(),
        "format": output.format if has_format else "pdf",
        "pdf": _redacted_pdf(output.pdf),
        "http": _redacted_http(output.http),
        "einvoice": None
        if output.einvoice is None
        else _without(output.einvoice.to_json(), "invoice"),
    }


def _redacted_pdf(pdf: PdfOptions) -> JsonObject:
    redacted = pdf.to_json()
    for name in _HEADERS_AND_FOOTERS:
        part = getattr(pdf, name)
        redacted[name] = None if part is None else {"enabled": part.enabled}
    redacted["attachments"] = [_without(file.to_json(), "content") for file in pdf.attachments]
    if pdf.protection is not None:
        redacted["protection"] = _without(
            pdf.protection.to_json(), "user_password", "owner_password"
        )
    if pdf.watermark is not None and pdf.watermark.image is not None:
        image = _without(pdf.watermark.image.to_json(), "content")
        redacted["watermark"] = pdf.watermark.to_json() | {"image": image}
    return redacted


def _redacted_http(http: HttpOptions) -> JsonObject:
    """Return the names of headers and cookies; their values are often secrets."""
    return {
        "headers": sorted(http.headers or ()),
        "cookies": [cookie.name for cookie in http.cookies or ()],
        "basic_auth": http.basic_auth is not None,
        "user_agent": http.user_agent,
    }


def _without(value: Mapping[str, Json], *names: str) -> JsonObject:
    return {name: member for name, member in value.items() if name not in names}
