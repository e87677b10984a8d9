"""Examples of templates, their versions and datasets."""

from typing import Any

from tests.builders.examples.documents import (
    DATA,
    INVOICE_CSS,
    INVOICE_HTML,
    LABEL_DATA,
    LABEL_SCENE,
    OTHER_DATA,
    text_pdf,
)
from tests.builders.examples.recorder import Recorder

_SCHEMA = {
    "type": "object",
    "required": ["number", "customer", "lines", "total"],
    "properties": {"number": {"type": "string"}, "total": {"type": "number"}},
}


def play_templates(recorder: Recorder) -> tuple[str, str]:
    """Make, change and publish templates; return the ids of an invoice and of a label."""
    made = recorder.call(
        "POST /v1/templates",
        "An invoice, with sample data",
        name="html",
        body={
            "name": "Invoice",
            "html": INVOICE_HTML,
            "css": INVOICE_CSS,
            "schema": _SCHEMA,
            "datasets": [{"name": "Two lines", "data": DATA}],
        },
    )
    label = recorder.call(
        "POST /v1/templates",
        "A label as a canvas, published at once",
        name="image_canvas",
        body={
            "name": "Parcel label",
            "type": "image_canvas",
            "scene": LABEL_SCENE,
            "datasets": [{"name": "A parcel", "data": LABEL_DATA}],
            "publish": True,
        },
    )
    template = made["id"]
    draft = recorder.call("GET /v1/templates/{id}/draft", id=template)
    recorder.call(
        "PUT /v1/templates/{id}/draft",
        "A footer with page numbers",
        id=template,
        body={
            "html": INVOICE_HTML,
            "css": INVOICE_CSS,
            "footer": '<span class="pageNumber"></span> / <span class="totalPages"></span>',
            "options": {"filename": "invoice-{{ number }}", "locale": "de-DE"},
            "schema": _SCHEMA,
            "revision": draft["revision"],
        },
    )
    recorder.call(
        "POST /v1/templates/{id}/publish",
        "Publish with a note",
        id=template,
        body={"note": "With page numbers"},
    )
    recorder.service.clock.advance(minutes=10)
    recorder.call(
        "PATCH /v1/templates/{id}",
        "Another name",
        id=template,
        body={"name": "Invoice (DE)", "description": "Invoices to customers in Germany"},
    )
    recorder.service.call("POST", f"/v1/templates/{template}/publish", json_body={})
    recorder.call(
        "POST /v1/templates/{id}/rollback",
        "Publish an earlier version again",
        id=template,
        body={"version": 1},
    )
    _read_templates(recorder, template)
    return template, label["id"]


def _read_templates(recorder: Recorder, template: str) -> None:
    recorder.call("GET /v1/templates/{id}", id=template)
    recorder.call(
        "GET /v1/templates",
        query={"q": "invoice", "type": "html", "deleted": False, "limit": 20},
    )
    recorder.call("GET /v1/templates/{id}/versions", id=template, query={"limit": 20})
    recorder.call("GET /v1/templates/{id}/versions/{number}", id=template, number=1)
    # Of HTML: linters take a value of a canvas, which has type and default, for a schema.
    recorder.call("GET /v1/templates/{id}/schema", id=template)
    recorder.call("POST /v1/templates/{id}/lock", id=template)
    recorder.call("POST /v1/templates/{id}/unlock", id=template)
    recorder.call("DELETE /v1/templates/{id}", id=template)
    recorder.call("POST /v1/templates/{id}/restore", id=template)


def play_datasets(recorder: Recorder, template: str) -> None:
    """Make, read, replace and delete datasets."""
    body = {"name": "Gasthof Krone", "data": OTHER_DATA}
    made = recorder.call(
        "POST /v1/templates/{id}/datasets", "Another customer", id=template, body=body
    )
    one = {"id": template, "ds": made["id"]}
    recorder.call("GET /v1/templates/{id}/datasets", id=template, query={"limit": 20})
    recorder.call("GET /v1/templates/{id}/datasets/{ds}", **one)
    recorder.call(
        "PUT /v1/templates/{id}/datasets/{ds}",
        "Make it the default",
        **one,
        body=body | {"is_default": True},
    )
    recorder.call("POST /v1/templates/{id}/infer-schema", id=template)
    recorder.call("DELETE /v1/templates/{id}/datasets/{ds}", **one)


def play_comparison(recorder: Recorder, template: str) -> None:
    """Publish a total with a currency, and compare the version with the first one."""
    totals = iter(("Total: 229.00", "Total: 229.00 EUR"))
    service = recorder.service
    path = f"/v1/templates/{template}"
    service.call("PUT", f"{path}/draft", json_body={"html": INVOICE_HTML, "css": INVOICE_CSS})
    service.call("POST", f"{path}/publish", json_body={})

    def print_total(_job: Any) -> None:
        service.engine.content = text_pdf(next(totals))

    service.engine.before_run, service.engine.page_count = print_total, 1
    recorder.call(
        "POST /v1/templates/{id}/compare",
        "The first version and the live one",
        id=template,
        body={"from": 1, "to": "live"},
    )
