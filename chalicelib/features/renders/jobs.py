"""From what a document is made from to the engine's job."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from chalicelib.core.errors import RenderFailure
from chalicelib.engine.job import Address, Canvas, Html, InvoiceOrder, Job, Uploads
from chalicelib.engine.options.output import Output
from chalicelib.features.renders.model import Body
from chalicelib.features.templates.schemas import CheckSchemas


def job_of(
    body: Body, *, deadline: float, uploads: Uploads, schemas: CheckSchemas, test: bool
) -> Job:
    """Return the job of a body; raises RenderFailure where an upload is gone or is no text."""
    return Job(
        source=_source(body, uploads),
        output=Output.from_json(body.output),
        deadline=deadline,
        uploads=uploads,
        data=body.data,
        data_url=body.data_url,
        check_data=partial(schemas.data, body.input.get("schema")),
        includes=body.includes,
        test=test,
        einvoice=invoice_of(body),
    )


def invoice_of(body: Body) -> InvoiceOrder | None:
    """Return the e-invoice that is asked for; findings name its place in the request."""
    if body.input["type"] == "einvoice":
        return InvoiceOrder(
            profile=body.input["profile"],
            syntax=body.input["syntax"],
            invoice=body.input["invoice"],
            path=None,
            root="invoice",
        )
    spec = body.output.get("einvoice")
    if spec is not None:
        return _order(spec, spec["invoice"])
    default = body.input.get("einvoice")
    return None if default is None else _order(default, None)


def _order(spec: Mapping[str, Any], invoice: Mapping[str, Any] | None) -> InvoiceOrder:
    path, left_out = spec["invoice_path"], spec.get("left_out")
    return InvoiceOrder(
        profile=spec["profile"],
        syntax="cii",
        invoice=invoice,
        path=path,
        root="output.einvoice.invoice" if path is None else f"data.{path}",
        written=left_out is None,
        skipped_by_plan=left_out == "plan",
    )


def _source(body: Body, uploads: Uploads) -> Html | Address | Canvas | None:
    wanted = body.input
    if wanted["type"] == "einvoice":
        return None
    if "scene" in wanted:
        return Canvas(wanted["scene"])
    if wanted["type"] == "url":
        return Address(wanted["url"])
    html = wanted["html"]
    if html is None:
        html = _text(uploads(wanted["upload_id"]))
    return Html(html, wanted["head"], wanted["templating"], wanted.get("css"))


def _text(content: bytes) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        message = (
            "/input/upload_id: the upload is not UTF-8, which HTML must be: save it so, whatever "
            "encoding it names, and upload it again."
        )
        raise RenderFailure("render_failed", message) from error
