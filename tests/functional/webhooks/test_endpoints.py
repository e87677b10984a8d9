"""Webhook endpoints: create, read, change, delete, roll, and what is refused."""

import json
from typing import Any

import pytest

from tests.builders.http import ApiAnswer
from tests.builders.service import Service
from tests.builders.webhooks import DELIVERIES_PATH, ENDPOINTS_PATH, make_endpoint

URL = "https://hooks.example.com/platen"
EVENTS = [
    "render.succeeded",
    "render.failed",
    "render.expired",
    "template.published",
    "usage.threshold_reached",
    "batch.progress",
    "batch.completed",
    "email.sent",
    "email.send_failed",
    "email.delivered",
    "email.bounced",
    "email.complained",
    "storage.upload_failed",
]
LONGEST_URL = "https://e.c/" + "x" * 2_036


def create(service: Service, **fields: Any) -> ApiAnswer:
    return service.call("POST", ENDPOINTS_PATH, json_body={"url": URL} | fields)


def made(service: Service, **fields: Any) -> dict[str, Any]:
    return make_endpoint(service, **{"url": URL} | fields)


def test_secret_is_shown_once(service: Service) -> None:
    answer = create(service, description="Orders")
    endpoint = answer.json
    path = f"{ENDPOINTS_PATH}/{endpoint['id']}"

    assert answer.headers["Location"] == f"https://api.test{path}"
    secret = endpoint.pop("secret")
    assert secret.startswith("whsec_")
    assert endpoint == {
        "id": endpoint["id"],
        "object": "webhook_endpoint",
        "url": URL,
        "description": "Orders",
        "events": EVENTS,
        "template_ids": [],
        "headers": {},
        "enabled": True,
        "is_default": True,
        "disabled_reason": None,
        "previous_secret_expires_at": None,
        "created_at": endpoint["created_at"],
        "updated_at": endpoint["created_at"],
    }
    assert service.call("GET", path).json == endpoint
    assert service.call("GET", ENDPOINTS_PATH).json["data"] == [endpoint]
    table = service.settings.main_table
    rows = json.dumps(service.clients.dynamodb.scan(TableName=table)["Items"], default=str)
    assert secret not in rows
    assert secret.removeprefix("whsec_") not in rows


def test_fields_are_changed_one_by_one(service: Service) -> None:
    endpoint = made(service, description="A", headers={"X-A": "1"})
    path = f"{ENDPOINTS_PATH}/{endpoint['id']}"
    service.clock.advance(seconds=1)

    answer = service.call("GET", path)
    for change in (
        {"url": "https://b.example.com/"},
        {"description": None},
        {"events": ["render.failed"]},
        {"template_ids": ["tpl_1"]},
        {"headers": {"X-B": ""}},
        {"enabled": False},
    ):
        answer = service.call("PATCH", path, json_body=change)
        assert answer.status == 200, answer.body
        assert {name: answer.json[name] for name in change} == change
        assert answer.json["updated_at"] > answer.json["created_at"]
    assert service.call("GET", path).json == answer.json
    assert service.call("PATCH", path, json_body={}).status == 200


def test_oldest_endpoint_is_the_default(service: Service) -> None:
    def made_later() -> str:
        # Ids of one millisecond have no order.
        service.clock.advance(seconds=1)
        return str(made(service)["id"])

    first, second, third = (made_later() for _ in range(3))

    def default() -> list[str]:
        listed = service.call("GET", ENDPOINTS_PATH).json["data"]
        return [row["id"] for row in listed if row["is_default"]]

    assert default() == [first]
    for gone, expected in ((first, [second]), (third, [second]), (second, [])):
        assert service.call("DELETE", f"{ENDPOINTS_PATH}/{gone}").status == 204
        assert service.call("DELETE", f"{ENDPOINTS_PATH}/{gone}").code == "not_found"
        assert default() == expected
    assert made(service)["is_default"] is True


def test_pages_are_newest_first(service: Service) -> None:
    ids = []
    for _ in range(5):
        service.clock.advance(seconds=1)
        ids.append(made(service)["id"])
    seen, cursor = [], ""

    while True:
        page = service.call("GET", f"{ENDPOINTS_PATH}?limit=2{cursor}").json
        seen += [row["id"] for row in page["data"]]
        if not page["has_more"]:
            break
        cursor = f"&cursor={page['next_cursor']}"

    assert seen == ids[::-1]


def test_a_workspace_has_a_hundred_endpoints_at_most(service: Service) -> None:
    first = made(service)["id"]
    for _ in range(99):
        service.clock.advance(seconds=1)
        made(service)
    service.clock.advance(seconds=1)

    assert (create(service).status, create(service).code) == (409, "conflict")
    assert service.call("DELETE", f"{ENDPOINTS_PATH}/{first}").status == 204
    assert create(service).status == 201


@pytest.mark.parametrize(
    ("fields", "pointer"),
    [
        ({"url": "ftp://example.com/"}, "/url"),
        ({"url": "https://user@example.com/"}, "/url"),
        ({"url": "https://:pw@example.com/"}, "/url"),
        ({"url": "https://"}, "/url"),
        ({"url": "https:///path"}, "/url"),
        ({"url": "https://example.com:0/"}, "/url"),
        ({"url": "https://example.com:99999/"}, "/url"),
        ({"url": "https://exa mple.com/"}, "/url"),
        ({"url": "https://example.com/\n"}, "/url"),
        ({"url": "https:\\\\example.com"}, "/url"),
        ({"url": "https://exämple..com/"}, "/url"),
        ({"url": "http://"}, "/url"),
        ({"url": LONGEST_URL + "x"}, "/url"),
        ({"url": None}, "/url"),
        ({"url": 1}, "/url"),
        ({"description": "x" * 501}, "/description"),
        ({"events": []}, "/events"),
        ({"events": [*EVENTS, "render.failed"]}, "/events"),
        ({"events": "render.failed"}, "/events"),
        ({"events": ["api_key.expiring"]}, "/events/0"),
        ({"events": ["render.canceled"]}, "/events/0"),
        ({"events": ["render.failed", 1]}, "/events/1"),
        ({"template_ids": ["t"] * 101}, "/template_ids"),
        ({"template_ids": ["t", ""]}, "/template_ids/1"),
        ({"template_ids": ["t" * 65]}, "/template_ids/0"),
        ({"headers": {f"X-{n}": "" for n in range(11)}}, "/headers"),
        ({"headers": {"X-A": "a", "x-a": "b"}}, "/headers"),
        ({"headers": {"Host": "a"}}, "/headers/Host"),
        ({"headers": {"WEBHOOK-id": "a"}}, "/headers/WEBHOOK-id"),
        ({"headers": {"Content-Type": "a"}}, "/headers/Content-Type"),
        ({"headers": {"proxy-authorization": "a"}}, "/headers/proxy-authorization"),
        ({"headers": {"Trailer": "a"}}, "/headers/Trailer"),
        ({"headers": {"X-A\r\n": "a"}}, "/headers/X-A\r\n"),
        ({"headers": {"X A": "a"}}, "/headers/X A"),
        ({"headers": {"X~/A": "a"}}, "/headers/X~0~1A"),
        ({"headers": {"": "a"}}, "/headers/"),
        ({"headers": {"a" * 129: "a"}}, "/headers/" + "a" * 129),
        ({"headers": {"X-A": "a\r\nX-B: b"}}, "/headers/X-A"),
        ({"headers": {"X-A": "é"}}, "/headers/X-A"),
        ({"headers": {"X-A": " a"}}, "/headers/X-A"),
        ({"headers": {"X-A": "a\n"}}, "/headers/X-A"),
        ({"headers": {"X-A": "a" * 4_097}}, "/headers/X-A"),
        ({"headers": {"X-A": 1}}, "/headers/X-A"),
        ({"headers": {"X-A~": None}}, "/headers/X-A~0"),
        ({"secret": "whsec_AAAA"}, "/secret"),
    ],
)
def test_bad_fields_are_refused_with_their_pointer(
    service: Service, fields: dict[str, Any], pointer: str
) -> None:
    path = f"{ENDPOINTS_PATH}/{made(service)['id']}"
    before = service.call("GET", path).json

    for answer in (create(service, **fields), service.call("PATCH", path, json_body=fields)):
        assert (answer.status, answer.code) == (400, "validation_error"), answer.body
        assert answer.pointers == [pointer]
    assert service.call("GET", path).json == before


@pytest.mark.parametrize(
    "fields",
    [
        {"url": "http://e"},
        {"url": LONGEST_URL},
        {"description": ""},
        {"description": "x" * 500},
        {"events": EVENTS},
        *({"events": [event]} for event in EVENTS),
        {"template_ids": []},
        {"template_ids": ["t" * 64] * 100},
        {"headers": {f"X-{n}": "" for n in range(10)}},
        {"headers": {"a" * 128: "a" * 4_096}},
        {"headers": {"!#$%&'*+.^_`|~": "a b"}},
    ],
)
def test_fields_at_their_bounds_are_taken(service: Service, fields: dict[str, Any]) -> None:
    path = f"{ENDPOINTS_PATH}/{made(service)['id']}"

    for answer in (create(service, **fields), service.call("PATCH", path, json_body=fields)):
        assert answer.status in (200, 201), answer.body
        assert {name: answer.json[name] for name in fields} == fields


@pytest.mark.parametrize("events", [None, EVENTS])
def test_without_events_an_endpoint_hears_all(service: Service, events: list[str] | None) -> None:
    assert made(service, events=events)["events"] == EVENTS


@pytest.mark.parametrize("path", [ENDPOINTS_PATH, DELIVERIES_PATH])
def test_lists_have_one_to_a_hundred_entries(service: Service, path: str) -> None:
    for limit in (1, 100):
        assert service.call("GET", f"{path}?limit={limit}").status == 200
    for bad in ("0", "101", "x"):
        answer = service.call("GET", f"{path}?limit={bad}")
        assert (answer.code, answer.pointers) == ("validation_error", ["/query/limit"])
    assert service.call("GET", f"{path}?page=1").pointers == ["/query/page"]


@pytest.mark.parametrize(
    "url",
    [
        "https://127.0.0.1/",
        "https://127.1/",
        "https://2130706433/",
        "https://0x7f000001/",
        "https://[::1]/",
        "https://localhost/",
        "https://LOCALHOST.:8443/",
        "https://a.localhost/",
        "https://[::ffff:10.0.0.1]/",
        "https://10.1.2.3/",
        "https://169.254.169.254/latest",
        "https://api.test/",
        "https://FILES.test./",
        "https://gateway.test/",
        "https://example.com:22/",
        "https://example.com:6379/",
    ],
)
def test_forbidden_addresses_are_refused(service: Service, url: str) -> None:
    path = f"{ENDPOINTS_PATH}/{made(service)['id']}"

    for answer in (create(service, url=url), service.call("PATCH", path, json_body={"url": url})):
        assert (answer.status, answer.code) == (422, "url_not_allowed")
        assert answer.pointers == ["/url"]


def test_others_do_not_see_an_endpoint(service: Service) -> None:
    endpoint = made(service)
    other = service.key("live", service.create_workspace())
    path = f"{ENDPOINTS_PATH}/{endpoint['id']}"

    for method, target, body in (
        ("GET", path, None),
        ("PATCH", path, {"enabled": False}),
        ("DELETE", path, None),
        ("POST", f"{path}/roll-secret", {}),
    ):
        assert service.call(method, target, json_body=body, key=other).code == "not_found"
    assert service.call("GET", ENDPOINTS_PATH, key=other).json["data"] == []
    assert service.call("GET", f"{ENDPOINTS_PATH}/whe_1").code == "not_found"
    reader = service.key("live", scopes=["webhooks:read"])
    assert service.call("GET", path, key=reader).status == 200
    assert service.call("DELETE", path, key=reader).code == "insufficient_scope"
