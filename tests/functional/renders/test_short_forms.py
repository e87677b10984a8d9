"""Short forms: the fields of input, output and delivery stand at the top level."""

from typing import Any

import pytest

from chalicelib.core.clock import parse_rfc3339
from tests.builders.invoices.invoice_json import invoice_json
from tests.builders.service import Service

PDF = "/v1/pdf/from-html"
IMAGE = "/v1/images/from-html"


def make(service: Service, path: str = PDF, **fields: Any) -> Any:
    """Send a short form of some HTML."""
    return service.call("POST", path, json_body={"html": "<p>x", **fields})


@pytest.mark.parametrize("kind", ["pdf", "images"])
@pytest.mark.parametrize("source", ["html", "url", "template"])
def test_earlier_names_are_gone(service: Service, kind: str, source: str) -> None:
    assert service.call("POST", f"/v1/{kind}/{source}", json_body={"html": "x"}).status == 404


@pytest.mark.parametrize(("path", "end"), [(PDF, "pdf"), (IMAGE, "png")])
def test_filename_and_http_are_options_of_the_output(service: Service, path: str, end: str) -> None:
    http = {"user_agent": "Printer"}

    render = make(service, path, filename="Offer", http=http, delivery="none").json

    (file,) = render["files"]
    assert file["filename"] == f"Offer.{end}"
    assert "url" not in file
    assert render["output"]["http"]["user_agent"] == "Printer"


def test_delivery_is_its_type(service: Service) -> None:
    answer = make(service, delivery="binary")

    assert answer.headers["Content-Type"] == "application/pdf"


def test_fields_of_the_delivery_stand_beside_it(service: Service) -> None:
    render = make(service, expires_in=60, retention_days=3, hosted=True, storage=[]).json

    seconds = int(service.clock.now().timestamp())
    assert f"exp={seconds + 60}&" in render["files"][0]["url"]
    days = parse_rfc3339(render["expires_at"]) - parse_rfc3339(render["created_at"])
    assert days.days == 3


@pytest.mark.parametrize(
    ("fields", "pointer"),
    [
        ({"delivery": "binary", "mode": "async"}, "/delivery"),
        ({"delivery": "url", "hosted": False}, "/delivery"),
        ({"delivery": "parcel"}, "/delivery"),
        ({"expires_in": 1}, "/expires_in"),
        ({"retention": "none", "delivery": "binary", "retention_days": 1}, "/retention_days"),
        ({"email": [{"rule_id": "emr_1"}]}, "/email"),
        ({"webhook_url": "ftp://example.com/"}, "/webhook_url"),
        ({"webhook_url": "https://a.com", "webhook": {"url": "https://a.com"}}, "/webhook_url"),
        ({"type": "binary"}, "/type"),
    ],
)
def test_refusals_name_the_fields_of_the_short_form(
    service: Service, fields: dict[str, Any], pointer: str
) -> None:
    answer = make(service, **fields)

    assert answer.pointers == [pointer]
    assert answer.json["detail"].startswith(f"{pointer}:")


def test_invoice_goes_into_the_pdf(service: Service) -> None:
    invoice = {"profile": "EN16931", "invoice": invoice_json()}

    render = make(service, einvoice=invoice).json

    assert render["output"]["einvoice"]["profile"] == "EN16931"
    refused = make(service, einvoice=invoice, pdf={"forms": True})
    assert (refused.code, refused.status) == ("validation_error", 400)
    assert make(service, IMAGE, einvoice=invoice).pointers == ["/einvoice"]
