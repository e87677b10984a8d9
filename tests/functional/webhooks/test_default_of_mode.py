"""Default endpoint and request secret of each mode: a test key never has what signs live events."""

from typing import Any

import pytest
from standardwebhooks.webhooks import WebhookVerificationError

from chalicelib.core.ids import EndpointId
from tests.builders.http import ApiAnswer
from tests.builders.service import Service
from tests.builders.webhooks import ENDPOINTS_PATH, deliver, make_endpoint
from tests.fakes.webhook_receiver import WebhookReceiver

URL = "https://hooks.example.com/"
SECRET_PATH = f"{ENDPOINTS_PATH}/default-secret"


def made_with_test_key(service: Service, url: str = URL) -> dict[str, Any]:
    answer = service.call("POST", ENDPOINTS_PATH, json_body={"url": url}, key=service.test)
    assert answer.status == 201, answer.body
    made: dict[str, Any] = answer.json
    return made


def secret_of(service: Service, key: str) -> ApiAnswer:
    return service.call("GET", SECRET_PATH, key=key)


def signers(
    service: Service, receiver: WebhookReceiver, key: str, secrets: dict[str, str]
) -> set[str]:
    """Return the names of the secrets that sign the webhook of a request with a key."""
    service.render(key=key, webhook={"url": f"{receiver.url}/request"})
    deliver(service)
    (sent,) = [each for each in receiver.received if each.path == "/hook/request"]
    receiver.received.clear()
    return {name for name, secret in secrets.items() if is_signed(sent, secret)}


def is_signed(sent: Any, secret: str) -> bool:
    try:
        sent.verified([secret])
    except WebhookVerificationError:
        return False
    return True


def defaults(service: Service) -> set[str]:
    listed = service.call("GET", ENDPOINTS_PATH).json["data"]
    return {each["id"] for each in listed if each["is_default"]}


def as_of_earlier_release(service: Service, default_id: str | None, count: int) -> None:
    """Store the one default of both modes, as earlier releases did."""
    service.clients.dynamodb.put_item(
        TableName=service.settings.main_table,
        Item={
            "PK": {"S": f"WS#{service.workspace}#WHE"},
            "SK": {"S": "META"},
            "endpoint_count": {"N": str(count)},
            "default_id": {"NULL": True} if default_id is None else {"S": default_id},
            "changes": {"N": "7"},
        },
    )


def test_each_mode_has_a_secret_for_its_requests(
    service: Service, receiver: WebhookReceiver
) -> None:
    for key in (service.live, service.test):
        assert secret_of(service, key).code == "not_found"
        service.render(key=key, webhook={"url": receiver.url})
    secrets = {
        mode: secret_of(service, key).json["secret"]
        for mode, key in (("live", service.live), ("test", service.test))
    }
    deliver(service)
    receiver.received.clear()

    assert secrets["live"] != secrets["test"]
    assert signers(service, receiver, service.live, secrets) == {"live"}
    assert signers(service, receiver, service.test, secrets) == {"test"}


def test_first_endpoint_of_each_mode_is_its_default(
    service: Service, receiver: WebhookReceiver
) -> None:
    of_test = made_with_test_key(service)
    of_live, other_live = make_endpoint(service, URL), make_endpoint(service, URL)
    other_test = made_with_test_key(service)
    secrets = {"live": of_live["secret"], "test": of_test["secret"]}

    assert defaults(service) == {of_live["id"], of_test["id"]}
    assert secret_of(service, service.live).code == "conflict"
    assert of_test["id"] in secret_of(service, service.test).json["detail"]
    assert signers(service, receiver, service.live, secrets) == {"live"}
    assert signers(service, receiver, service.test, secrets) == {"test"}

    moved = service.call(
        "PATCH",
        f"{ENDPOINTS_PATH}/{other_test['id']}",
        json_body={"is_default": True},
        key=service.test,
    )
    assert moved.status == 200
    assert defaults(service) == {of_live["id"], other_test["id"]}
    for gone in (of_live, other_test):
        assert service.call("DELETE", f"{ENDPOINTS_PATH}/{gone['id']}").status == 204
    assert defaults(service) == {other_live["id"], of_test["id"]}
    # The last one of a mode is followed by none of the other.
    service.call("DELETE", f"{ENDPOINTS_PATH}/{other_live['id']}")
    assert defaults(service) == {of_test["id"]}


@pytest.mark.parametrize("mode", ["live", "test"])
def test_default_of_an_earlier_release_is_that_of_its_mode(
    service: Service, receiver: WebhookReceiver, mode: str
) -> None:
    endpoint = make_endpoint(service, URL) if mode == "live" else made_with_test_key(service)
    as_of_earlier_release(service, endpoint["id"], 1)

    assert defaults(service) == {endpoint["id"]}
    other = {"live": service.test, "test": service.live}[mode]
    service.render(key=other, webhook={"url": URL})
    secrets = {mode: endpoint["secret"], "own": secret_of(service, other).json["secret"]}
    service.relay_events()
    receiver.received.clear()
    if mode == "live":
        assert signers(service, receiver, service.live, secrets) == {"live"}
        assert signers(service, receiver, service.test, secrets) == {"own"}
    else:
        # Receivers of live events that know the endpoint's secret only go on.
        assert signers(service, receiver, service.live, secrets) == {"own", "test"}
        assert signers(service, receiver, service.test, secrets) == {"test"}

    # The first change writes both down.
    fresh = make_endpoint(service, URL) if mode == "test" else made_with_test_key(service)
    assert defaults(service) == {endpoint["id"], fresh["id"]}
    if mode == "test":
        assert signers(service, receiver, service.live, secrets) == set()


def test_request_of_an_earlier_release_is_signed_as_it_would_have_been(
    service: Service, receiver: WebhookReceiver
) -> None:
    service.render(webhook={"url": URL})
    service.relay_events()
    live = secret_of(service, service.live).json["secret"]
    service.render(key=service.test, webhook={"url": f"{receiver.url}/request"})
    service.clients.dynamodb.delete_item(
        TableName=service.settings.main_table,
        Key={"PK": {"S": f"WS#{service.workspace}#WHE"}, "SK": {"S": "SECRET#test"}},
    )
    deliver(service)

    (sent,) = [each for each in receiver.received if each.path == "/hook/request"]
    assert is_signed(sent, live)


def test_earlier_default_among_many(service: Service) -> None:
    made = [make_endpoint(service, URL), made_with_test_key(service), make_endpoint(service, URL)]
    as_of_earlier_release(service, EndpointId(made[2]["id"]), 3)

    assert defaults(service) == {made[2]["id"], made[1]["id"]}
    assert service.call("DELETE", f"{ENDPOINTS_PATH}/{made[2]['id']}").status == 204
    assert defaults(service) == {made[0]["id"], made[1]["id"]}
