"""Signing secrets: rolled with overlap, and bound to their row."""

from standardwebhooks.webhooks import WebhookVerificationError

from tests.builders.service import Service
from tests.builders.webhooks import ENDPOINTS_PATH, deliver, deliveries, make_endpoint
from tests.fakes.webhook_receiver import WebhookReceiver


def signed_by(receiver: WebhookReceiver, secret: str) -> bool:
    try:
        receiver.received[-1].verified([secret])
    except WebhookVerificationError:
        return False
    return True


def test_rolled_secret_signs_beside_the_new_one_for_a_while(
    service: Service, receiver: WebhookReceiver
) -> None:
    endpoint = make_endpoint(service, receiver.url)
    path = f"{ENDPOINTS_PATH}/{endpoint['id']}/roll-secret"
    secrets = [endpoint["secret"]]

    def roll(seconds: int) -> None:
        answer = service.call("POST", path, json_body={"expire_previous_in": seconds})
        assert answer.status == 200
        assert (answer.json["previous_secret_expires_at"] is None) == (seconds == 0)
        secrets.append(answer.json["secret"])

    def signers() -> list[bool]:
        service.render()
        deliver(service)
        return [signed_by(receiver, secret) for secret in secrets]

    assert signers() == [True]
    roll(60)
    assert signers() == [True, True]
    roll(60)
    assert signers() == [False, True, True]
    service.clock.advance(seconds=60)
    assert signers() == [False, False, True]
    roll(0)
    assert signers() == [False, False, False, True]
    assert service.call("POST", path).status == 200
    roll(604_800)
    for bad in (-1, 604_801, "1"):
        refused = service.call("POST", path, json_body={"expire_previous_in": bad})
        assert refused.pointers == ["/expire_previous_in"]


def test_secret_of_another_row_does_not_open(service: Service, receiver: WebhookReceiver) -> None:
    first, second = (make_endpoint(service, receiver.url) for _ in range(2))
    table = service.settings.main_table
    keys = [
        {"PK": {"S": f"WS#{service.workspace}#WHE"}, "SK": {"S": endpoint["id"]}}
        for endpoint in (first, second)
    ]
    row = service.clients.dynamodb.get_item(TableName=table, Key=keys[0])["Item"]
    service.clients.dynamodb.update_item(
        TableName=table,
        Key=keys[1],
        UpdateExpression="SET sealed_secret = :moved",
        ExpressionAttributeValues={":moved": row["sealed_secret"]},
    )
    service.render()
    service.relay_events()

    assert service.deliver_webhooks() == []
    assert len(receiver.received) == 1
    (moved,) = deliveries(service, f"?endpoint_id={second['id']}")
    assert moved["status"] == "retrying"
    assert moved["attempts"][0]["status_code"] is None
    assert "roll-secret" in moved["attempts"][0]["error"]
    path = f"{ENDPOINTS_PATH}/{second['id']}/roll-secret"
    rolled = service.call("POST", path).json["secret"]
    service.clock.advance(seconds=6)
    service.tick()
    service.deliver_webhooks()
    assert len(receiver.received) == 2
    assert rolled != first["secret"]
