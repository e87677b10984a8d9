"""The code of docs/clients.md, on deliveries of the service and on forged ones."""

import time
from pathlib import Path

import pytest

from chalicelib.features.webhooks.signature import new_secret, signature_header
from tests.builders.stack.api_client import ApiClient
from tests.builders.waiting import eventually
from tests.builders.webhook_clients import Delivery, accepted, blocks_with_names
from tests.fakes.webhook_receiver import WebhookReceiver

pytestmark = pytest.mark.integration

NAMES = (
    "verify_with_library.py",
    "verify_webhook.py",
    "verify_with_library.mjs",
    "verify_webhook.mjs",
    "VerifyWebhook.java",
    "verify_webhook.go",
    "verify_webhook.php",
)
TOLERANCE_S = 300


@pytest.fixture(scope="module")
def genuine(live: ApiClient, receiver: WebhookReceiver) -> list[Delivery]:
    """Give a delivery that two secrets have signed, once for each of them."""
    receiver.statuses, receiver.answer = [], b""
    endpoint = live.http.post("/webhook-endpoints", json={"url": receiver.url}).json()
    path = f"/webhook-endpoints/{endpoint['id']}"
    rolled = live.http.post(f"{path}/roll-secret", json={"expire_previous_in": 600}).json()
    known = len(receiver.received)
    live.render(input={"type": "html", "html": "<p>"}, reference="Rechnung Müller €")
    eventually(lambda: len(receiver.received) > known)
    assert live.http.delete(path).status_code == 204
    received = receiver.received[known]
    assert "Müller €" in received.body.decode()
    assert received.headers["webhook-signature"].count("v1,") == 2
    secrets = (rolled["secret"], endpoint["secret"])
    return [Delivery(secret, received.headers, received.body) for secret in secrets]


def test_the_page_has_these_clients() -> None:
    assert tuple(blocks_with_names()) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_client_accepts_genuine_and_refuses_forged_deliveries(
    name: str, tmp_path: Path, genuine: list[Delivery]
) -> None:
    good = [*genuine, *still_genuine(genuine[0])]
    bad = forged(genuine[0])

    verdicts = accepted(name, tmp_path, [*good, *bad.values()])

    assert verdicts[: len(good)] == [True] * len(good)
    found = dict(zip(bad, verdicts[len(good) :], strict=True))
    assert found == dict.fromkeys(bad, False)


def with_headers(delivery: Delivery, **headers: str) -> Delivery:
    """Return a delivery with other headers `webhook-…`; an empty one is absent."""
    changed = {f"webhook-{name}": value for name, value in headers.items()}
    return delivery._replace(headers=delivery.headers | changed)


def signed_at(delivery: Delivery, moment: float) -> Delivery:
    """Return a delivery that its secret has signed at another time."""
    timestamp = int(moment)
    event_id = delivery.headers["webhook-id"]
    signature = signature_header([delivery.secret], event_id, timestamp, delivery.body)
    return with_headers(delivery, timestamp=str(timestamp), signature=signature)


def still_genuine(delivery: Delivery) -> list[Delivery]:
    """Return deliveries with other forms of a good signature."""
    signature = delivery.headers["webhook-signature"].split(" ")[0]
    others = f"v2,AAAA v1a,{signature[3:]} v1,AAAA"
    return [
        with_headers(delivery, signature=signature),
        with_headers(delivery, signature=f"{others} {signature}"),
        signed_at(delivery, time.time() - TOLERANCE_S + 60),
        signed_at(delivery, time.time() + TOLERANCE_S - 60),
    ]


def forged(delivery: Delivery) -> dict[str, Delivery]:
    """Return forged and old deliveries by what is wrong with them."""
    headers = delivery.headers
    signature = headers["webhook-signature"].split(" ")[0]
    later = str(int(headers["webhook-timestamp"]) + 1)
    return {
        "body": delivery._replace(body=delivery.body.replace(b"succeeded", b"Succeeded", 1)),
        "shorter body": delivery._replace(body=delivery.body[:-1]),
        "secret": delivery._replace(secret=new_secret()),
        "id": with_headers(delivery, id="evt_1"),
        "timestamp": with_headers(delivery, timestamp=later),
        "no id": with_headers(delivery, id=""),
        "no timestamp": with_headers(delivery, timestamp=""),
        "no signature": with_headers(delivery, signature=""),
        "timestamp of words": with_headers(delivery, timestamp="now"),
        "old": signed_at(delivery, time.time() - TOLERANCE_S - 60),
        "of the future": signed_at(delivery, time.time() + TOLERANCE_S + 60),
        "other version": with_headers(delivery, signature=f"v2,{signature[3:]}"),
        "no version": with_headers(delivery, signature=signature[3:]),
        "cut": with_headers(delivery, signature=signature[:-5]),
        "empty signature": with_headers(delivery, signature="v1,"),
    }
