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

    answer = signed_url(service, link, name="Ada's card", format="png", params=data, expires_in=60)

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


@pytest.mark.parametrize("moment", [4_000_000_000, "2096-10-02T09:06:40+02:00"])
def test_signed_url_ends_at_a_moment(service: Service, moment: int | str) -> None:
    answer = signed_url(service, make_link(service), expires_at=moment, expires_in=None)

    assert answer.status == 200, answer.body
    assert ("exp", "4000000000") in parse_qsl(urlsplit(answer.json["url"]).query)


def test_params_are_paths_into_the_data(service: Service) -> None:
    url = signed_url(service, make_link(service), params={"title.text": "Sale", "title.n": 2})

    assert fetch(service, url.json["url"]).status == 200
    assert service.engine.jobs[-1].data == {"title": {"text": "Sale", "n": "2"}}


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
        ({"expires_at": 0}, "/expires_at"),
        ({"expires_at": "soon"}, "/expires_at"),
        ({"expires_at": 1}, "/expires_at"),
        ({"expires_at": "1970-01-01T00:00:00Z"}, "/expires_at"),
        ({"expires_at": "2001-01-01T00:00:00Z"}, "/expires_at"),
        ({"expires_at": 253_402_300_800}, "/expires_at"),
        ({"expires_at": 4_000_000_000, "expires_in": 60}, "/expires_in"),
        ({"data": {"a": 1}}, "/data"),
        ({"params": []}, "/params"),
        ({"params": {"a": [1]}}, "/params/a"),
        ({"params": {"a": {}}}, "/params/a"),
        ({"params": {"": "x"}}, "/params"),
        ({"params": {"a..b": "x"}}, "/params"),
        ({"params": {"a.b": 1, "a": {"b": 2}}}, "/params"),
        ({"params": {"a": 1, "a.b": 2}}, "/params"),
        ({"params": {"a.b": 1, "a": 2}}, "/params"),
        ({"params": {"exp": 1}}, "/params/exp"),
        ({"params": {"sig": "x"}}, "/params/sig"),
        ({"params": {".".join("a" * 33): 1}}, "/params"),
        ({"params": {str(n): 1 for n in range(1_001)}}, "/params"),
        ({"params": {"a": "x" * 8_000}}, "/params"),
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
        url = signed_url(service, link, params=data)
        assert url.status == 200, url.body
        assert fetch(service, url.json["url"]).status == 200
