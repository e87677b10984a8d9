"""Refusals say what to do: of addresses, sizes, types, expired URLs; conflicts all at once."""

from typing import Any
from urllib.parse import urlsplit

import pytest

from tests.builders.invoices.invoice_json import invoice_json
from tests.builders.service import Service
from tests.builders.storage_destinations import create_destination

HTML = {"type": "html", "html": "<p>"}


@pytest.mark.parametrize(
    ("url", "admitted"),
    [
        ("http://localhost:9000/hook", "PLATEN_EGRESS_ALLOW=127.0.0.1/32:9000"),
        ("https://127.1/hook", "PLATEN_EGRESS_ALLOW=127.0.0.1/32:443"),
        ("https://10.1.2.3/hook", "PLATEN_EGRESS_ALLOW=10.1.2.3/32:443"),
        ("https://[::1]:8443/hook", "PLATEN_EGRESS_ALLOW=[::1/128]:8443"),
    ],
)
def test_webhook_at_a_private_address_names_what_brings_events_there(
    service: Service, url: str, admitted: str
) -> None:
    endpoint = {"url": url, "events": ["render.succeeded"]}
    answers = [
        service.render(input=HTML, webhook={"url": url}),
        service.call("POST", "/v1/webhook-endpoints", json_body=endpoint),
    ]

    for answer in answers:
        assert (answer.status, answer.code) == (422, "url_not_allowed")
        (entry,) = answer.json["errors"]
        for text in (answer.json["detail"], entry["message"]):
            assert f"{admitted} admits it" in text
            assert "`platen webhook forward`" in text


def test_public_address_with_a_refused_port_has_no_advice(service: Service) -> None:
    answer = service.render(input=HTML, webhook={"url": "https://203.0.114.7:9000/"})

    assert answer.code == "url_not_allowed"
    assert "PLATEN_EGRESS_ALLOW" not in answer.json["detail"]


def test_private_store_names_what_admits_it(service: Service) -> None:
    config = {"bucket": "files", "region": "eu-central-1", "endpoint": "http://localhost:9000"}

    answer = create_destination(service, "s3", config=config)

    assert answer.code == "url_not_allowed"
    assert "PLATEN_EGRESS_ALLOW=127.0.0.1/32:9000" in answer.json["detail"]
    assert "webhook" not in answer.json["detail"]


def test_expired_url_says_so_only_to_who_had_a_valid_one(service: Service) -> None:
    parts = urlsplit(service.render(input=HTML).json["files"][0]["url"])
    path = f"{parts.path}?{parts.query}"
    altered = path.replace("sig=", "sig=0")
    before = service.call("GET", altered, key=None).json["detail"]

    service.clock.advance(hours=2)
    expired = service.call("GET", path, key=None)
    after = service.call("GET", altered, key=None)

    assert (expired.status, expired.code) == (403, "invalid_signature")
    assert "has expired: GET /v1/renders/{id} gives a new one" in expired.json["detail"]
    assert (after.code, after.json["detail"]) == ("invalid_signature", before)
    assert "expired" not in before


def test_unsupported_type_lists_what_is_taken(service: Service) -> None:
    answer = service.call(
        "POST", "/v1/renders", body=b"%PDF", headers={"Content-Type": "application/pdf"}
    )

    assert (answer.status, answer.code) == (415, "unsupported_media_type")
    detail = answer.json["detail"]
    assert detail.startswith("application/json is expected here, not application/pdf.")
    assert "POST /v1/uploads first, as multipart/form-data" in detail


@pytest.mark.parametrize(
    ("body", "pointers"),
    [
        (
            {"engine": "1999.1", "version": 3},
            ["/engine", "/version"],
        ),
        (
            {
                "mode": "async",
                "delivery": {"type": "binary", "retention": "none", "retention_days": 3},
            },
            ["/delivery/type", "/delivery/retention_days"],
        ),
        (
            {
                "delivery": {
                    "storage": [
                        {"destination_id": "dst_01arz3ndektsv4rrffq69g5fav"},
                        {"destination_id": "dst_01arz3ndektsv4rrffq69g5faw"},
                    ]
                }
            },
            ["/delivery/storage/0/destination_id", "/delivery/storage/1/destination_id"],
        ),
        (
            {
                "input": {
                    **HTML,
                    "assets": [{"path": path, "content": "QQ=="} for path in "aabba"],
                }
            },
            [f"/input/assets/{n}/path" for n in (1, 3, 4)],
        ),
    ],
)
def test_conflicts_are_answered_at_once(
    service: Service, body: dict[str, Any], pointers: list[str]
) -> None:
    answer = service.render(**({"input": HTML} | body))

    assert (answer.status, answer.code) == (400, "validation_error")
    assert answer.pointers == pointers
    assert answer.json["detail"].endswith(f"(and {len(pointers) - 1} more)")


def test_conflicts_of_one_object_are_in_one_message(service: Service) -> None:
    pdf = {"pdfa": "2a", "tagged": False, "width": "1cm", "protection": {"user_password": "s-1"}}

    (entry,) = service.render(input=HTML, output={"pdf": pdf}).json["errors"]

    assert entry["path"] == "/output/pdf"
    for part in ("width and height go together", "pdfa and protection", "need tagged"):
        assert part in entry["message"]


def test_invoice_that_breaks_rules_has_pointers_beside_its_report(service: Service) -> None:
    wrong = invoice_json() | {"curency": "EUR", "number": None}
    output = {"einvoice": {"profile": "EN16931", "invoice_path": "a.b"}}

    preflight = service.call(
        "POST",
        "/v1/renders/preflight",
        json_body={"input": HTML, "output": output, "data": {"a": {"b": wrong}}},
    )

    found = {entry["path"]: entry["message"] for entry in preflight.json["errors"]}
    assert "did you mean currency?" in found["/data/a/b/curency"]
    assert "/data/a/b/number" in found
