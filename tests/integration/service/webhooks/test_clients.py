"""The code of docs/clients.md, on deliveries of the service and on forged ones."""

from pathlib import Path

import pytest

from tests.builders.stack.api_client import ApiClient
from tests.builders.waiting import eventually
from tests.builders.webhook_clients import Delivery, accepted, blocks_with_names
from tests.builders.webhook_clients.forgeries import forged, still_genuine
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
