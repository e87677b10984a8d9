"""Signing of URLs by the service: what a query can say, and what it cannot."""

from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest

from tests.builders.service import Service
from tests.builders.signed_links import (
    fetch,
    hex_signature,
    make_link,
    published,
    shown,
    signed_url,
)

UNKNOWN = "lnk_" + "0" * 26
FOREIGN = (403, "template_not_allowed_for_key")


def test_signed_url_has_flat_data_and_ends_in_time(service: Service) -> None:
    link = make_link(service, template_id=published(service, "<p>{{ a.b.c }} {{ n }} {{ t }}"))
    data = {"a": {"b": {"c": "x y&z=ü/%"}}, "n": 1.5, "t": True, "nothing": None}

    answer = signed_url(service, link, name="Ada's card", format="png", data=data, expires_in=60)

    url = urlsplit(answer.json["url"])
    exp = str(int(service.clock.now().timestamp()) + 60)
    assert answer.json["url"].startswith(f"https://files.test/l/{link['id']}/Ada%27s%20card.png?")
    pairs = parse_qsl(url.query)
    values = [("a.b.c", "x y&z=ü/%"), ("n", "1.5"), ("t", "true")]
    assert pairs[:-1] == [*values, ("exp", exp)]
    target, _, sig = f"{url.path}?{url.query}".rpartition("&sig=")
    assert sig == hex_signature(link["secret"], target)
    assert fetch(service, answer.json["url"]).status == 200
    assert service.engine.jobs[-1].data == {
        "a": {"b": {"c": "x y&z=ü/%"}},
        "n": "1.5",
        "t": "true",
    }
    service.clock.advance(seconds=60)
    assert fetch(service, answer.json["url"]).code == "link_expired"


def test_signing_takes_defaults_and_makes_nothing(service: Service) -> None:
    link = make_link(service)

    answer = signed_url(service, link)

    assert f"/l/{link['id']}/document.pdf?exp=" in answer.json["url"]
    assert shown(service, link)["quota_used"] == 0
    assert service.call("GET", "/v1/renders").json["data"] == []


@pytest.mark.parametrize(
    ("fields", "pointer"),
    [
        ({"name": ""}, "/name"),
        ({"name": "x" * 201}, "/name"),
        ({"name": "a/b"}, "/name"),
        ({"name": "a\\b"}, "/name"),
        ({"name": "a\nb"}, "/name"),
        ({"format": "html"}, "/format"),
        ({"format": "PNG"}, "/format"),
        ({"expires_in": 59}, "/expires_in"),
        ({"expires_in": 604_801}, "/expires_in"),
        ({"data": []}, "/data"),
        ({"data": {"a": [1]}}, "/data/a"),
        ({"data": {"a": {}}}, "/data/a"),
        ({"data": {"": "x"}}, "/data"),
        ({"data": {"a..b": "x"}}, "/data"),
        ({"data": {"a.b": 1, "a": {"b": 2}}}, "/data"),
        ({"data": {"a": 1, "a.b": 2}}, "/data"),
        ({"data": {"a.b": 1, "a": 2}}, "/data"),
        ({"data": {"exp": 1}}, "/data/exp"),
        ({"data": {"sig": "x"}}, "/data/sig"),
        ({"data": {".".join("a" * 33): 1}}, "/data"),
        ({"data": {str(n): 1 for n in range(1_001)}}, "/data"),
        ({"data": {"a": "x" * 8_000}}, "/data"),
        ({"sig": "x"}, "/sig"),
    ],
)
def test_what_no_url_can_say_is_not_signed(
    service: Service, fields: dict[str, Any], pointer: str
) -> None:
    answer = signed_url(service, make_link(service), **fields)

    assert (answer.status, answer.code) == (400, "validation_error"), answer.body
    assert answer.pointers == [pointer]


def test_largest_data_are_signed_and_read(service: Service) -> None:
    link = make_link(service)
    deepest = ".".join("a" * 32)

    for data in ({str(n): "" for n in range(600)}, {deepest: "x"}, {"exp": {"a": "b"}}):
        url = signed_url(service, link, data=data)
        assert url.status == 200, url.body
        assert fetch(service, url.json["url"]).status == 200
