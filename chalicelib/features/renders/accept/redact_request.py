"""Redaction of a request for its render's row: no secrets, no content, nothing large."""

from collections.abc import Mapping
from copy import replace
from typing import Final

from chalicelib.contract.options.http import HttpOptions
from chalicelib.contract.options.output import OutputOptions
from chalicelib.contract.options.pdf import ContentSource, PdfOptions
from chalicelib.contract.options.pdf_tools import (
    AnyToolOptions,
    AttachOptions,
    FillFormOptions,
    MetadataOptions,
    ProtectOptions,
    SplitOptions,
    StampOptions,
    ToImagesOptions,
    ToTextOptions,
    ValidateOptions,
    WatermarkOptions,
)
from chalicelib.core.json import Json, JsonObject
from chalicelib.core.redact_url import redacted_urls
from chalicelib.engine.job import InvoiceJob, Job, PdfToolJob

# These reveal nothing about the document, so they stay with zero retention (decision 17).
_ALWAYS_IN_OUTPUT: Final = ("format", "formats")
_UNSHOWN: Final = ("content", "data_uri", "password")
_HEADERS_AND_FOOTERS: Final = ("header", "footer", "first_header", "first_footer", "last_footer")


def redacted_input(job: Job, *, zero_retention: bool = False) -> JsonObject:
    """Return the input without the document: its type and its references."""
    return redacted_urls(_references(job, zero_retention=zero_retention))


def _references(job: Job, *, zero_retention: bool) -> JsonObject:
    if isinstance(job, InvoiceJob):
        return {"type": "einvoice", "profile": job.profile, "syntax": job.syntax}
    if isinstance(job, PdfToolJob):
        return _redacted_tool(job, zero_retention=zero_retention)
    summary = job.source.summary(zero_retention=zero_retention)
    if zero_retention or not job.assets:
        return summary
    return {**summary, "assets": [_without(asset.to_json(), "content") for asset in job.assets]}


def redacted_output(job: Job, *, zero_retention: bool = False) -> JsonObject:
    """Return the output options without header and footer texts, secrets and file contents."""
    if isinstance(job, InvoiceJob):
        # The other options are about pages, and XML has none.
        output: JsonObject = {"format": "xml", "formats": None, "filename": job.filename}
    elif isinstance(job, PdfToolJob):
        output = {"format": _tool_format(job), "formats": None, "filename": job.filename}
    else:
        output = redacted_options(job.output)
    if zero_retention:
        return {name: output[name] for name in _ALWAYS_IN_OUTPUT}
    return redacted_urls(output)


def _redacted_tool(job: PdfToolJob, *, zero_retention: bool) -> JsonObject:
    """Return the tool with its options, and references to its sources."""
    summary: JsonObject = {"type": "pdf", "tool": job.options.tool}
    if zero_retention:
        return summary
    sources = [_without(source.to_json(), *_UNSHOWN) for source in job.sources]
    named: JsonObject = (
        {"sources": sources} if job.options.tool == "merge" else {"source": sources[0]}
    )
    return {**summary, **named, **_redacted_tool_options(job.options)}


def _redacted_tool_options(options: AnyToolOptions) -> JsonObject:
    """Return options without contents of files, passwords and values of fields."""
    match options:
        case FillFormOptions(fields=fields):
            return {"fields": sorted(fields)}
        case WatermarkOptions(watermark=mark):
            shown_mark = replace(mark, image=_without_content(mark.image))
            options = replace(options, watermark=shown_mark)
        case StampOptions(stamp=mark):
            shown_stamp = replace(mark, image=_without_content(mark.image), content=None)
            options = replace(options, stamp=shown_stamp)
        case AttachOptions(attachments=files):
            options = replace(
                options, attachments=tuple(replace(file, content=None) for file in files)
            )
        case ProtectOptions():
            options = replace(options, user_password=None, owner_password=None)
    return _without(options.to_json(), "tool")


def _without_content(picture: ContentSource | None) -> ContentSource | None:
    return None if picture is None else replace(picture, content=None)


def _tool_format(job: PdfToolJob) -> str | None:
    """Return the format of the files, or None if the tool makes none."""
    match job.options:
        case ToImagesOptions(format=image_format):
            return image_format
        case ToTextOptions():
            return "txt"
        case SplitOptions(zip=True):
            return "zip"
        case ValidateOptions() | MetadataOptions(set_=None):
            return None
        case _:
            return "pdf"


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
