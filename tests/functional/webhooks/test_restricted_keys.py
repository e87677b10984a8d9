"""Webhooks for keys with a template allowlist: endpoints of its templates, and nothing beyond."""

from typing import Any, Final

import pytest

from tests.builders.email_connections import made_connection, use_plan
from tests.builders.http import ApiAnswer
from tests.builders.service import Service
from tests.builders.storage_destinations import made_destination
from tests.builders.templates import make_template, render_template
from tests.builders.webhooks import DELIVERIES_PATH, ENDPOINTS_PATH, deliver, make_endpoint
from tests.fakes.webhook_receiver import WebhookReceiver

URL: Final = "https://hooks.example.com/"
NOT_FOUND: Final = (404, "not_found")
FORBIDDEN: Final = (403, "template_not_allowed_for_key")


def published(service: Service) -> str:
    return make_template(service, publish=True).rpartition("/")[2]


def outcome(answer: ApiAnswer) -> tuple[int, str | None]:
    return answer.status, answer.code


def post(service: Service, key: str, **fields: Any) -> ApiAnswer:
    return service.call("POST", ENDPOINTS_PATH, json_body={"url": URL} | fields, key=key)


def of_each_call(service: Service, key: str, path: str, body: dict[str, Any]) -> set[Any]:
    """Return the outcomes of every change of an endpoint."""
    return {
        outcome(service.call("PATCH", path, json_body=body, key=key)),
        outcome(service.call("POST", f"{path}/roll-secret", key=key)),
        outcome(
            service.call("POST", f"{path}/test", json_body={"event": "render.failed"}, key=key)
        ),
        outcome(service.call("DELETE", path, key=key)),
    }


def test_endpoints_filter_by_templates_of_the_list(service: Service) -> None:
    mine, other = published(service), published(service)
    key = service.key("live", templates=[mine])
    make_endpoint(service, URL)
    own = post(service, key, template_ids=[mine])
    assert own.status == 201, own.body
    path = f"{ENDPOINTS_PATH}/{own.json['id']}"

    for ids, pointer in (([], "/template_ids"), ([mine, other], "/template_ids/1")):
        assert post(service, key, template_ids=ids).pointers == [pointer]
        changed = service.call("PATCH", path, json_body={"template_ids": ids}, key=key)
        assert changed.pointers == [pointer]
    assert post(service, key).pointers == ["/template_ids"]
    assert service.call("PATCH", path, json_body={"description": "x"}, key=key).status == 200


def test_endpoints_beyond_the_list_are_not_there(service: Service) -> None:
    mine, other = published(service), published(service)
    key = service.key("live", templates=[mine])
    hidden = [make_endpoint(service, URL, template_ids=ids) for ids in ([], [other], [mine, other])]
    own = make_endpoint(service, URL, template_ids=[mine])

    for endpoint in hidden:
        path = f"{ENDPOINTS_PATH}/{endpoint['id']}"
        assert outcome(service.call("GET", path, key=key)) == NOT_FOUND
        assert of_each_call(service, key, path, {"description": "x"}) == {NOT_FOUND}
        service.clock.advance(seconds=1)
    listed = service.call("GET", ENDPOINTS_PATH, key=key).json["data"]
    assert [each["id"] for each in listed] == [own["id"]]


def test_default_endpoint_is_read_only(service: Service) -> None:
    mine = published(service)
    key = service.key("live", templates=[mine])
    # The first one of a restricted key is not the default, and no later one.
    first = post(service, key, template_ids=[mine]).json
    assert first["is_default"] is False
    default = make_endpoint(service, URL, template_ids=[mine])
    assert default["is_default"] is True
    path = f"{ENDPOINTS_PATH}/{default['id']}"

    assert service.call("GET", path, key=key).json["is_default"] is True
    assert of_each_call(service, key, path, {"url": f"{URL}mine"}) == {FORBIDDEN}
    taken = service.call(
        "PATCH", f"{ENDPOINTS_PATH}/{first['id']}", json_body={"is_default": True}, key=key
    )
    assert outcome(taken) == FORBIDDEN
    service.call("DELETE", path)
    listed = service.call("GET", ENDPOINTS_PATH).json["data"]
    assert [each["is_default"] for each in listed] == [False]


def test_deliveries_beyond_the_list_are_not_there(
    service: Service, receiver: WebhookReceiver
) -> None:
    mine, other = published(service), published(service)
    key = service.key("live", templates=[mine])
    service.relay_events()
    everything = make_endpoint(service, receiver.url)
    narrowed = make_endpoint(service, receiver.url)
    own = make_endpoint(service, receiver.url, template_ids=[mine])
    for template in (mine, other):
        render_template(service, f"/v1/templates/{template}", webhook={"url": receiver.url})
    deliver(service)
    path = f"{ENDPOINTS_PATH}/{narrowed['id']}"
    assert service.call("PATCH", path, json_body={"template_ids": [mine]}).status == 200

    shown = service.call("GET", DELIVERIES_PATH, key=key).json["data"]
    everywhere = service.call("GET", DELIVERIES_PATH).json["data"]
    assert sorted(each["endpoint_id"] for each in shown) == sorted([own["id"], narrowed["id"]])
    for delivery in everywhere:
        one = f"{DELIVERIES_PATH}/{delivery['id']}"
        if delivery in shown:
            body = service.call("GET", one, key=key).json["request"]["body"]
            assert body["data"]["object"]["template_id"] == mine
            continue
        assert outcome(service.call("GET", one, key=key)) == NOT_FOUND
        assert outcome(service.call("POST", f"{one}/replay", key=key)) == NOT_FOUND
    assert {each["endpoint_id"] for each in everywhere} >= {None, everything["id"]}


@pytest.mark.parametrize("resource", ["storage-destinations", "email-connections"])
def test_connections_and_destinations_are_read_only(service: Service, resource: str) -> None:
    use_plan(service, "scale")
    key = service.key("live", templates=[published(service)])
    storage = resource == "storage-destinations"
    made = made_destination(service) if storage else made_connection(service)
    path = f"/v1/{resource}/{made['id']}"
    names = (
        ("name", "provider", "config")
        if storage
        else ("name", "provider", "default_from", "config")
    )
    again = {name: made[name] for name in names}
    change = {"is_default": True} if storage else {"name": "Mine"}

    answers = [
        service.call("POST", f"/v1/{resource}", json_body=again, key=key),
        service.call("PATCH", path, json_body=change, key=key),
        service.call("POST", f"{path}/test", json_body=None if storage else {}, key=key),
        service.call("DELETE", path, key=key),
    ]

    assert {outcome(each) for each in answers} == {FORBIDDEN}
    assert service.call("GET", path, key=key).json == made
