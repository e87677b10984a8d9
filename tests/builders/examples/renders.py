"""Examples of renders, uploads and the short forms."""

from typing import Any

from tests.builders.examples.documents import DATA, HELLO_HTML, INVOICE, INVOICE_HTML, LABEL_DATA
from tests.builders.examples.recorder import Recorder

_STYLE = "h1 { color: #0b5fff; font-family: sans-serif }"
_RENDERS = "POST /v1/renders"


def play_uploads(recorder: Recorder) -> None:
    """Send, announce, read and delete uploads."""
    style = recorder.upload("A file in a form", "style.css", _STYLE, "text/css")
    recorder.call(
        "POST /v1/uploads",
        "Announce a large file",
        name="announced",
        body={"filename": "report.html", "content_type": "text/html", "bytes": 48_213_000},
    )
    recorder.call("GET /v1/uploads/{id}", id=style["id"])
    recorder.call("DELETE /v1/uploads/{id}", id=style["id"])


def play_renders(recorder: Recorder, template: str, rule: str, destination: str) -> None:
    """Make renders in all ways, and read, list, cancel and purge them."""
    html: dict[str, Any] = {"type": "html", "html": HELLO_HTML}
    stored: dict[str, Any] = {"type": "template", "template_id": template}
    first = recorder.call(
        _RENDERS, "HTML to a PDF with a signed URL", name="html", body={"input": html}
    )
    recorder.call(
        _RENDERS,
        "HTML to a PDF that is the answer itself",
        name="binary",
        body={
            "input": html,
            "output": {"pdf": {"page_size": "A4", "margin": {"top": "20mm", "bottom": "20mm"}}},
            "delivery": {"type": "binary"},
        },
    )
    recorder.call(
        _RENDERS,
        "A stored template with data",
        name="template",
        shows_answer=False,
        body={
            "input": stored,
            "data": DATA,
            "output": {"filename": "invoice-{{ number }}"},
            "reference": "order-4711",
            "metadata": {"customer": "4711"},
        },
    )
    recorder.call(
        _RENDERS,
        "HTML as a template with data",
        name="inline_template",
        shows_answer=False,
        body={
            "input": {"type": "html", "html": "<h1>Hello {{ name }}</h1>"},
            "data": {"name": "Ada"},
        },
    )
    recorder.call(
        _RENDERS,
        "A web page to a picture",
        name="url",
        shows_answer=False,
        body={
            "input": {"type": "url", "url": "https://example.com/"},
            "output": {"format": "png", "image": {"width": 1280, "height": 800}},
        },
    )
    recorder.call(
        _RENDERS,
        "A PDF that carries an e-invoice (Factur-X)",
        name="einvoice",
        body={
            "input": {"type": "html", "html": "<h1>Invoice {{ invoice.number }}</h1>"},
            "data": {},
            "output": {"einvoice": {"profile": "EN16931", "invoice": INVOICE}},
        },
    )
    recorder.call(
        _RENDERS,
        "Zero retention: nothing is kept",
        name="zero_retention",
        shows_answer=False,
        body={"input": html, "delivery": {"type": "base64", "retention": "none"}},
    )
    recorder.call(
        _RENDERS,
        "To a storage destination and by email",
        name="delivery",
        shows_answer=False,
        body={
            "input": stored,
            "data": DATA,
            "delivery": {
                "storage": [{"destination_id": destination}],
                "email": [{"rule_id": rule, "to": ["buchhaltung@lindner.example"]}],
            },
        },
    )
    queued = recorder.call(
        _RENDERS,
        "In the background, with a webhook",
        name="async",
        body={
            "input": html,
            "mode": "async",
            "priority": "low",
            "webhook": {"url": "https://hooks.acme.example/platen"},
        },
    )
    recorder.call("POST /v1/renders/{id}/cancel", id=queued["id"])
    _read_renders(recorder, first, template)
    recorder.call(
        "POST /v1/renders/preflight",
        "A version that the template has not",
        name="faulty",
        body={"input": stored, "data": DATA, "version": 9},
    )
    recorder.call(
        "POST /v1/renders/preflight",
        "A request without faults",
        name="good",
        body={"input": html, "output": {"format": "pdf"}},
    )
    recorder.call("DELETE /v1/renders/{id}/files", id=first["id"])


def _read_renders(recorder: Recorder, render: dict[str, Any], template: str) -> None:
    render_id, (file, *_) = render["id"], render["files"]
    recorder.call("GET /v1/renders/{id}", id=render_id)
    recorder.call("GET /v1/renders/{id}/logs", id=render_id)
    recorder.parameters("GET /v1/webhook-deliveries", {"render_id": render_id})
    recorder.call(
        "GET /v1/renders/{id}/files/{file_id}",
        id=render_id,
        file_id=file["id"],
        query={"disposition": "inline"},
    )
    recorder.call(
        "GET /v1/renders",
        query={
            "status": ["succeeded"],
            "input_type": "template",
            "output_format": "pdf",
            "source": "api",
            "template_id": template,
            "reference": "order-4711",
            "metadata": {"customer": "4711"},
            "created_after": "2026-11-21T00:00:00Z",
            "created_before": "2026-11-22T00:00:00Z",
            "test": False,
            "limit": 20,
        },
    )


def play_short_forms(recorder: Recorder, template: str, label: str) -> None:
    """Make files with the short forms of a render request."""
    recorder.call(
        "POST /v1/pdf/from-html",
        "HTML with data",
        body={"html": INVOICE_HTML, "data": DATA, "pdf": {"page_size": "A4"}},
    )
    recorder.call(
        "POST /v1/pdf/from-url",
        "A web page on landscape paper",
        body={"url": "https://example.com/", "pdf": {"landscape": True}},
    )
    recorder.call(
        "POST /v1/pdf/from-template",
        "A stored template with data",
        body={"template_id": template, "data": DATA, "filename": "invoice-{{ number }}"},
    )
    recorder.call(
        "POST /v1/images/from-html",
        "HTML to a PNG",
        body={"html": HELLO_HTML, "image": {"width": 600, "height": 315}},
    )
    recorder.call(
        "POST /v1/images/from-url",
        "A web page to a JPEG",
        body={
            "url": "https://example.com/",
            "format": "jpeg",
            "image": {"width": 1280, "full_page": True, "format_options": {"quality": 80}},
        },
    )
    recorder.call(
        "POST /v1/images/from-template",
        "A label for a parcel",
        body={"template_id": label, "data": LABEL_DATA},
    )
