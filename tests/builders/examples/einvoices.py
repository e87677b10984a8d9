"""Examples of e-invoices."""

from tests.builders.examples.documents import INVOICE
from tests.builders.examples.recorder import Recorder
from tests.builders.uploads import post_upload


def play_einvoices(recorder: Recorder) -> None:
    """Write and validate e-invoices."""
    recorder.call(
        "POST /v1/einvoices",
        "Factur-X in XML",
        name="en16931",
        body={"profile": "EN16931", "invoice": INVOICE},
    )
    recorder.call(
        "POST /v1/einvoices",
        "XRechnung in UBL",
        name="xrechnung",
        shows_answer=False,
        body={"profile": "XRECHNUNG", "syntax": "ubl", "invoice": INVOICE},
    )
    recorder.call(
        "POST /v1/einvoices/preflight",
        "Factur-X in XML",
        body={"profile": "EN16931", "invoice": INVOICE},
    )
    body = {"profile": "BASIC", "invoice": INVOICE, "delivery": {"type": "binary"}}
    xml = recorder.service.call("POST", "/v1/einvoices", json_body=body).body
    upload = post_upload(recorder.service, xml, name="invoice.xml", kind="application/xml")
    recorder.call(
        "POST /v1/einvoices/validate",
        "An uploaded invoice",
        name="upload",
        body={"upload_id": upload.json["id"]},
    )
    for media_type in ("application/xml", "text/xml"):
        recorder.raw(
            "POST /v1/einvoices/validate",
            "The XML of an invoice",
            name="xml",
            media_type=media_type,
            content=xml.decode(),
        )
