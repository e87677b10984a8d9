"""Conversion of a render's body into the engine's job."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from chalicelib.core.errors import RenderFailure
from chalicelib.engine.job import (
    CanvasScene,
    EInvoiceCommand,
    HtmlDocument,
    Job,
    UploadReader,
    WebPage,
)
from chalicelib.engine.options.output import OutputOptions
from chalicelib.features.renders.model import RenderBody
from chalicelib.features.templates.schemas import CheckSchemas


def engine_job(
    body: RenderBody, *, deadline: float, uploads: UploadReader, schemas: CheckSchemas, test: bool
) -> Job:
    """Return the job of a body; raises RenderFailure for an upload that is gone or not UTF-8."""
    return Job(
        source=_source(body, uploads),
        output=OutputOptions.from_json(body.output),
        deadline=deadline,
        uploads=uploads,
        data=body.data,
        data_url=body.data_url,
        check_data=partial(schemas.check_data, body.input.get("schema")),
        includes=body.includes,
        test=test,
        einvoice=requested_invoice(body),
    )


def requested_invoice(body: RenderBody) -> EInvoiceCommand | None:
    """Return the requested e-invoice, or None; `findings_root` is the prefix of finding paths."""
    if body.input["type"] == "einvoice":
        return EInvoiceCommand(
            profile=body.input["profile"],
            syntax=body.input["syntax"],
            invoice=body.input["invoice"],
            data_path=None,
            findings_root="invoice",
        )
    spec = body.output.get("einvoice")
    if spec is not None:
        return _invoice_command(spec, spec["invoice"])
    default = body.input.get("einvoice")
    return None if default is None else _invoice_command(default, None)


def _invoice_command(spec: Mapping[str, Any], invoice: Mapping[str, Any] | None) -> EInvoiceCommand:
    path, omission = spec["invoice_path"], spec.get("left_out")
    return EInvoiceCommand(
        profile=spec["profile"],
        syntax="cii",
        invoice=invoice,
        data_path=path,
        findings_root="output.einvoice.invoice" if path is None else f"data.{path}",
        is_written=omission is None,
        is_skipped_by_plan=omission == "plan",
    )


def _source(body: RenderBody, uploads: UploadReader) -> HtmlDocument | WebPage | CanvasScene | None:
    render_input = body.input
    if render_input["type"] == "einvoice":
        return None
    if "scene" in render_input:
        return CanvasScene(render_input["scene"])
    if render_input["type"] == "url":
        return WebPage(render_input["url"])
    html = render_input["html"]
    if html is None:
        html = _text(uploads(render_input["upload_id"]))
    return HtmlDocument(
        html, render_input["head"], render_input["templating"], render_input.get("css")
    )


def _text(content: bytes) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        message = (
            "/input/upload_id: the upload is not UTF-8, which HTML must be: save it so, whatever "
            "encoding it names, and upload it again."
        )
        raise RenderFailure("render_failed", message) from error
