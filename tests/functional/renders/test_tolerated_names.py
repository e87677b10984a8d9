"""Tolerated names over HTTP: read as ours, refused beside ours, unknown elsewhere."""

import time
from typing import Any

import pytest

from tests.builders.invoices.invoice_json import invoice_json
from tests.builders.service import Service

HTML = {"type": "html", "html": "<p>"}


def test_other_names_are_the_same_render(service: Service) -> None:
    ours = {"page_size": "A5", "landscape": True, "protection": {"user_password": "secret-1"}}
    theirs = {"paper": {"size": "A5"}, "orientation": "landscape", "protect": ours["protection"]}

    first = service.render(input=HTML, output={"pdf": ours, "locale": "de-AT"})
    second = service.render(input=HTML, output={"pdf": {**theirs, "locale": "de-AT"}})

    assert (first.status, second.status) == (200, 200)
    one, other = service.engine.jobs
    assert one.output == other.output


@pytest.mark.parametrize(
    ("output", "pointer"),
    [
        ({"pdf": {"landscape": True, "orientation": "portrait"}}, "/output/pdf/orientation"),
        ({"pdf": {"orientation": "portrait", "landscape": True}}, "/output/pdf/landscape"),
        ({"pdf": {"wait": {"delay_ms": 1}}, "wait": {"delay_ms": 1}}, "/output/wait"),
        ({"orientation": "portrait"}, "/output/orientation"),
        ({"pdf": {"paper": "A4"}}, "/output/pdf/paper"),
        ({"pdf": {"paper": {"size": "A4", "kind": 1}}}, "/output/pdf/paper"),
        ({"pdf": {"paper": {"size": "Z9"}}}, "/output/pdf/paper/size"),
        ({"pdf": {"attachments": [{"name": "a", "data_uri": "a"}]}}, "/data_uri"),
    ],
)
def test_refusals_name_what_was_sent(
    service: Service, output: dict[str, Any], pointer: str
) -> None:
    answer = service.render(input=HTML, output=output)

    assert answer.code == "validation_error"
    assert [each for each in answer.pointers if each.endswith(pointer)]


def test_invoice_is_made_of_other_names(service: Service) -> None:
    ours = invoice_json()
    lines = [{"tax" if n == "vat" else n: v for n, v in each.items()} for each in ours["lines"]]
    body = {"profile": "EN16931", "invoice": {**ours, "lines": lines}}

    made = service.call("POST", "/v1/einvoices", json_body=body)

    assert (made.status, made.json["status"]) == (200, "succeeded")


def test_list_takes_the_bounds_of_a_time(service: Service) -> None:
    made = service.render(input=HTML).json
    path = "/v1/renders?created[gte]={0}&created[lte]={0}".format(made["created_at"])

    assert [each["id"] for each in service.call("GET", path).json["data"]] == [made["id"]]
    late = service.call("GET", "/v1/renders?created[gte]=2999-01-01")
    assert late.json["data"] == []
    both = "/v1/renders?created[gte]=2026-01-01&created_after=2026-01-01T00:00:00Z"
    assert service.call("GET", both).pointers == ["/query/created_after"]


@pytest.mark.parametrize(
    ("name", "bound"),
    [
        ("created[gte]", "0001-01-01"),
        ("created[lte]", "9999-12-31"),
        ("created[gte]", "0001-01-01T00:00:00%2B05:00"),
    ],
)
def test_times_beyond_the_calendar_are_refused(service: Service, name: str, bound: str) -> None:
    refused = service.call("GET", f"/v1/renders?{name}={bound}")

    assert (refused.status, refused.code) == (400, "validation_error")


def test_thousands_of_unknown_members_take_little_time(service: Service) -> None:
    many = {f"a{number}": 0 for number in range(60_000)}
    attachment = {"content": "aGk=", "filename": "x", **many}
    began = time.process_time()

    refused = service.render(output={"pdf": {"attachments": [attachment]}})

    assert refused.code == "validation_error"
    assert time.process_time() - began < 2


def test_two_forms_of_a_filter_are_refused(service: Service) -> None:
    refused = service.call("GET", "/v1/renders?metadata=x&metadata[a]=b")

    assert (refused.code, refused.pointers) == ("validation_error", ["/query/metadata"])
