"""Signed URLs that were altered, and queries with more than one meaning."""

from collections.abc import Callable
from typing import Any, Final

import pytest

from tests.builders.service import Service
from tests.builders.signed_links import (
    LINKS_PATH,
    fetch,
    hex_signature,
    make_link,
    renders,
    sign,
)

QUERY = "who=Ada%20L&list.a=1&exp=4102444800"
OTHER_ID = "lnk_" + "0" * 26


def swap(url: str) -> str:
    path, _, query = url.partition("?")
    first, second, *rest = query.split("&")
    return f"{path}?{'&'.join([second, first, *rest])}"


def move_sig_first(url: str) -> str:
    rest, _, sig = url.rpartition("&sig=")
    return rest.replace("?", f"?sig={sig}&")


ALTERATIONS: Final[tuple[Callable[[str], str], ...]] = (
    lambda url: url.replace("Ada", "Eve"),
    lambda url: url.replace("who=", "Who="),
    lambda url: url.replace("%20", "+"),
    lambda url: url.replace("%20", "%2520"),
    lambda url: url.replace("Ada", "%41da"),
    lambda url: url.replace("list.a", "list%2Ea"),
    lambda url: url.replace("list.a=1", "list.a=1&list.a=1"),
    lambda url: url.replace("list.a=1&", ""),
    lambda url: url.replace("exp=4102444800", "exp=4102444801"),
    lambda url: url.replace("exp=4102444800", "exp=04102444800"),
    lambda url: url.replace("&exp=4102444800", ""),
    lambda url: url.replace("&exp", "&&exp"),
    lambda url: url.replace("?", "?&"),
    lambda url: url.replace("?", "??"),
    lambda url: url.replace("/a.png", "/b.png"),
    lambda url: url.replace("/a.png", "/%61.png"),
    lambda url: url.replace("/a.png", "/a.pdf"),
    lambda url: url.replace("/a.png", "/a.jpg"),
    lambda url: url.replace("/a.png", "/a.b.png"),
    swap,
    move_sig_first,
    lambda url: url.partition("&sig=")[0],
    lambda url: url.partition("?")[0],
    lambda url: url.partition("?")[0] + "?sig=" + url.rpartition("=")[2],
    lambda url: url[:-1],
    lambda url: url + "0",
    lambda url: url + "&",
    lambda url: url + "#",
    lambda url: url + "%20",
    lambda url: url + "&utm_source=mail",
    lambda url: url.rpartition("=")[0] + "=" + url.rpartition("=")[2].upper(),
    lambda url: url.replace("&sig=", "&SIG="),
    lambda url: url.replace("&sig=", "&Sig="),
    lambda url: url.replace("&sig=", "&s%69g="),
    lambda url: url.replace("&sig=", "&sig=0"),
    lambda url: url.replace("&sig=", "&sig=%"),
    lambda url: url.replace("&sig=", "&sig=="),
    lambda url: url + "&sig=" + "0" * 64,
    lambda url: url + "&" + url.rpartition("&")[2],
    lambda url: url.rpartition("=")[0] + "=" + "0" * 64,
    lambda url: url.rpartition("=")[0] + "=" + "é" * 64,
    lambda url: url.rpartition("=")[0] + "=",
)
OTHER_PATHS: Final[tuple[Callable[[str], str], ...]] = (
    lambda url: url.replace("/a.png", "/a.html"),
    lambda url: url.replace("/a.png", "/a.PNG"),
    lambda url: url.replace("/a.png", "/a%2Epng"),
    lambda url: url.replace("/a.png", "/a"),
    lambda url: url.replace("/a.png", "/png"),
    lambda url: url.replace("/a.png", "/a.png."),
    lambda url: url.replace("/a.png", "/a.png/"),
    lambda url: url.replace("/a.png", "//a.png"),
    lambda url: url.replace("/a.png", "/b/a.png"),
    lambda url: url.replace("/a.png", ""),
    lambda url: url.replace("/l/", "/L/"),
    lambda url: url.replace("/l/", "//l/"),
    lambda url: url.replace("/l/", "/%6c/"),
    lambda url: url.replace("lnk_", "LNK_"),
    lambda url: url.replace("lnk_", "lnk%5F"),
    lambda url: url.replace("lnk_", "lnk_0"),
)
AMBIGUOUS_QUERIES: Final = (
    ("who=a&who=b", "/query/who"),
    ("who=a&%77ho=b", "/query/who"),
    ("exp=4102444800&exp=4102444800", "/query/exp"),
    ("exp=4102444800&who=a&exp=1", "/query/exp"),
    ("sig=0", "/query/sig"),
    ("a=1&a.b=2", "/query/a.b"),
    ("a.b=2&a=1", "/query/a"),
    ("=x", "/query/"),
    ("a.=x", "/query/a."),
    (".a=x", "/query/.a"),
    (".".join("a" * 33) + "=x", "/query/" + ".".join("a" * 33)),
    ("a=%FF", "/query"),
    ("%ED%A0%80=1", "/query"),
    ("&".join(f"n{n}=1" for n in range(1_002)), "/query"),
    ("exp=", "/query/exp"),
    ("exp=soon", "/query/exp"),
    ("exp=-1", "/query/exp"),
    ("exp=+9999999999", "/query/exp"),
    ("exp=1e9", "/query/exp"),
    ("exp=4102444800.5", "/query/exp"),
    ("exp=%D9%A1%D9%A2", "/query/exp"),
    ("exp=" + "9" * 13, "/query/exp"),
    ("exp=" + "9" * 9_000, "/query/exp"),
)


@pytest.fixture
def link(service: Service) -> dict[str, Any]:
    return make_link(service)


def test_altered_url_has_no_valid_signature(service: Service, link: dict[str, Any]) -> None:
    url = sign(link, query=QUERY)

    for alter in ALTERATIONS:
        altered = alter(url)
        answer = fetch(service, altered)

        assert altered != url
        assert (answer.status, answer.code) == (403, "invalid_signature"), altered
        assert answer.headers["Cache-Control"] == "no-store"
        assert answer.headers["Access-Control-Allow-Origin"] == "*"
    assert renders(service) == []
    assert fetch(service, url).status == 200


def test_path_without_a_link_is_not_found(service: Service, link: dict[str, Any]) -> None:
    for alter in OTHER_PATHS:
        answer = fetch(service, alter(sign(link)))

        assert (answer.status, answer.code) == (404, "not_found"), alter(sign(link))


def test_link_that_is_off_or_unknown_is_not_found_whatever_the_signature(
    service: Service, link: dict[str, Any]
) -> None:
    url = sign(link)
    assert fetch(service, url).status == 200
    path = f"{LINKS_PATH}/{link['id']}"

    assert service.call("PATCH", path, json_body={"enabled": False}).status == 200

    assert fetch(service, url).code == "not_found"
    assert fetch(service, url[:-1]).code == "not_found"
    assert fetch(service, sign(link | {"id": OTHER_ID})).code == "not_found"
    assert service.call("PATCH", path, json_body={"enabled": True}).status == 200
    assert fetch(service, url).status == 200


def test_secret_of_another_link_signs_nothing(service: Service, link: dict[str, Any]) -> None:
    other = make_link(service)

    assert fetch(service, sign(link | {"secret": other["secret"]})).code == "invalid_signature"


def test_rest_entrance_has_no_links(service: Service, link: dict[str, Any]) -> None:
    """A REST API would hand the query over decoded and in another order."""
    answer = service.call("GET", sign(link), key=None)

    assert (answer.status, answer.code) == (404, "not_found")


def test_url_without_a_query_is_signed_by_its_path(service: Service, link: dict[str, Any]) -> None:
    url = sign(link, query="")
    assert "?sig=" in url

    assert fetch(service, url).status == 200
    assert fetch(service, url.replace("?sig=", "?&sig=")).code == "invalid_signature"


def test_query_with_more_than_one_meaning_is_refused_although_it_is_signed(
    service: Service, link: dict[str, Any]
) -> None:
    for query, pointer in AMBIGUOUS_QUERIES:
        answer = fetch(service, sign(link, query=query))

        assert (answer.status, answer.code) == (400, "validation_error"), query
        assert answer.pointers == [pointer]
    assert renders(service) == []


def test_same_name_is_a_value_once_however_it_is_written(
    service: Service, link: dict[str, Any]
) -> None:
    query = "wh%6F=%c3%84+%2B%20b&flag&empty=&a.b.c=1&a.b.d=%26"

    assert fetch(service, sign(link, query=query)).status == 200

    assert service.engine.jobs[-1].data == {
        "who": "Ä + b",
        "flag": "",
        "empty": "",
        "a": {"b": {"c": "1", "d": "&"}},
    }


def test_signature_is_of_the_characters_of_the_secret(link: dict[str, Any]) -> None:
    assert link["secret"].isascii()
    assert len(link["secret"]) >= 32
    assert sign(link).endswith(hex_signature(link["secret"], sign(link).rpartition("&sig=")[0]))
