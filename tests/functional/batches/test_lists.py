"""Lists of batches, and who sees which."""

from typing import Any

import pytest

from tests.builders.batches import (
    BATCHES_PATH,
    make_batch,
    post_batch,
    published_template,
)
from tests.builders.service import Service


def ids(service: Service, query: str = "", key: str | None = None) -> list[str]:
    answer = service.call("GET", f"{BATCHES_PATH}?{query}", key=key or service.live)
    assert answer.status == 200, answer.body
    return [f"{BATCHES_PATH}/{each['id']}" for each in answer.json["data"]]


def later_batch(service: Service, **fields: object) -> str:
    service.clock.advance(seconds=1)
    return make_batch(service, **fields)


def test_list_is_newest_first_in_pages(service: Service) -> None:
    template_id = published_template(service)
    made = [later_batch(service, template_id=template_id) for _ in range(5)]

    first = service.call("GET", f"{BATCHES_PATH}?limit=2").json
    second = service.call("GET", f"{BATCHES_PATH}?limit=2&cursor={first['next_cursor']}").json
    third = service.call("GET", f"{BATCHES_PATH}?limit=2&cursor={second['next_cursor']}").json

    shown = [each["id"] for page in (first, second, third) for each in page["data"]]
    assert [f"{BATCHES_PATH}/{each}" for each in shown] == made[::-1]
    assert [page["has_more"] for page in (first, second, third)] == [True, True, False]
    assert (third["next_cursor"], first["object"]) == (None, "list")


def test_list_shows_each_batch_as_it_is_retrieved(service: Service) -> None:
    path = make_batch(service, 3)
    service.release_batches()
    service.run_queued("BatchItems")
    service.relay_events()

    (listed,) = service.call("GET", BATCHES_PATH).json["data"]

    assert listed == service.call("GET", path).json
    assert (listed["status"], listed["succeeded"], listed["progress"]) == ("processing", 3, 1)


def test_list_is_filtered(service: Service) -> None:
    template_id, other_id = published_template(service), published_template(service)
    done = later_batch(service, template_id=template_id, reference="a")
    service.run_batches()
    waits = later_batch(service, template_id=other_id, reference="b")
    test = later_batch(service, template_id=template_id, reference="b", key=service.test)

    assert ids(service, "status=completed") == [done]
    assert ids(service, "status=queued") == [test, waits]
    assert ids(service, "status=failed") == []
    assert ids(service, f"template_id={template_id}") == [test, done]
    assert ids(service, "reference=b") == [test, waits]
    assert ids(service, "test=true") == [test]
    assert ids(service, "test=false") == [waits, done]
    assert ids(service, f"test=false&reference=b&template_id={template_id}") == []


@pytest.mark.parametrize("query", ["status=done", "test=1", "limit=0", "limit=101", "x=1"])
def test_unknown_filter_is_refused(service: Service, query: str) -> None:
    answer = service.call("GET", f"{BATCHES_PATH}?{query}")

    assert answer.pointers == [f"/query/{query.partition('=')[0]}"]


def test_test_key_sees_test_batches_only(service: Service) -> None:
    template_id = published_template(service)
    live = later_batch(service, template_id=template_id)
    test = later_batch(service, template_id=template_id, key=service.test)

    assert ids(service, key=service.test) == [test]
    assert ids(service, "test=false", key=service.test) == []
    for method, rest in (
        ("GET", ""),
        ("GET", "/items"),
        ("POST", "/cancel"),
        ("POST", "/retry-failed"),
    ):
        answer = service.call(method, f"{live}{rest}", key=service.test)
        assert (answer.status, answer.code) == (404, "not_found")
    assert service.call("GET", test).status == 200


def test_allowlisted_key_sees_batches_of_its_templates(service: Service) -> None:
    mine, other = published_template(service), published_template(service)
    key = service.key("live", templates=[mine])
    visible = later_batch(service, template_id=mine)
    hidden = later_batch(service, template_id=other)

    assert ids(service, key=key) == [visible]
    assert service.call("GET", visible, key=key).status == 200
    assert service.call("GET", hidden, key=key).code == "not_found"
    assert service.call("POST", f"{hidden}/cancel", key=key).code == "not_found"
    assert post_batch(service, template_id=mine, key=key).status == 202


def test_batch_of_another_workspace_is_not_found(service: Service) -> None:
    path = make_batch(service)
    stranger = service.key("live", service.create_workspace())

    requests: tuple[tuple[str, str, Any], ...] = (
        ("GET", "", None),
        ("GET", "/items", None),
        ("POST", "/cancel", None),
        ("POST", "/retry-failed", None),
        ("POST", "/resend-emails", {"statuses": ["failed"]}),
    )
    for method, rest, body in requests:
        answer = service.call(method, f"{path}{rest}", key=stranger, json_body=body)
        assert (answer.status, answer.code) == (404, "not_found"), rest
    assert ids(service, key=stranger) == []


@pytest.mark.parametrize("name", ["bat_01J", "x", "bat_" + "0" * 26, "rnd_" + "0" * 26])
def test_unknown_batch_is_not_found(service: Service, name: str) -> None:
    answer = service.call("GET", f"{BATCHES_PATH}/{name}")

    assert (answer.status, answer.code) == (404, "not_found")


def test_cursor_of_another_list_is_refused(service: Service) -> None:
    template_id = published_template(service)
    one, other = (later_batch(service, items=2, template_id=template_id) for _ in range(2))
    of_batches = service.call("GET", f"{BATCHES_PATH}?limit=1").json["next_cursor"]
    of_items = service.call("GET", f"{one}/items?limit=1").json["next_cursor"]
    stranger = service.key("live", service.create_workspace())
    altered = of_batches[:-1] + ("A" if of_batches[-1] != "A" else "B")

    for target, key in (
        (f"{BATCHES_PATH}?cursor={altered}", service.live),
        (f"{BATCHES_PATH}?cursor={of_batches}&status=queued", service.live),
        (f"{BATCHES_PATH}?cursor={of_batches}", stranger),
        (f"{BATCHES_PATH}?cursor={of_items}", service.live),
        (f"{one}/items?cursor={of_batches}", service.live),
        (f"{other}/items?cursor={of_items}", service.live),
        (f"{one}/items?cursor={of_items}&status=pending", service.live),
    ):
        answer = service.call("GET", target, key=key)
        assert (answer.code, answer.pointers) == ("validation_error", ["/query/cursor"]), target
    assert service.call("GET", f"{one}/items?cursor={of_items}").status == 200


def test_there_are_no_emails_to_send_again(service: Service) -> None:
    path = make_batch(service)

    answer = service.call("POST", f"{path}/resend-emails", json_body={"statuses": ["failed"]})

    assert (answer.status, answer.json) == (200, {"resent": 0, "skipped": []})
    bodies: tuple[Any, ...] = ({}, {"statuses": []}, {"statuses": ["sent"]})
    for body in bodies:
        refused = service.call("POST", f"{path}/resend-emails", json_body=body)
        assert refused.code == "validation_error"
