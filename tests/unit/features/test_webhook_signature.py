"""Signature of webhooks: the vectors of Standard Webhooks and of its implementers, and secrets."""

import base64
import datetime as dt

import pytest
from standardwebhooks.webhooks import Webhook

from chalicelib.features.webhooks.deliveries.schedule import MAX_ATTEMPTS, attempt_time
from chalicelib.features.webhooks.signature import new_secret, signature_header

MOMENT = dt.datetime(2026, 1, 31, tzinfo=dt.UTC)


@pytest.mark.parametrize(
    ("secret", "event_id", "timestamp", "body", "signature"),
    [
        (
            "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
            "msg_p5jXN8AQM9LWM0D4loKWxJek",
            1614265330,
            '{"test": 2432232314}',
            "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
        ),
        (
            "whsec_plJ3nmyCDGBKInavdOK15jsl",
            "msg_loFOjxBNrRLzqYUf",
            1731705121,
            '{"event_type":"ping","data":{"success":true}}',
            "v1,rAvfW3dJ/X/qxhsaXPOyyCGmRKsaKWcsNccKXlIktD0=",
        ),
        (
            "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD",
            "evt_01HZX3Q5W8J9K0ABCDEF",
            1700000000,
            (
                '{"id":"evt_01HZX3Q5W8J9K0ABCDEF","type":"render.succeeded","data":{"object":'
                '{"reference":"Rechnung Müller €"}}}'
            ),
            "v1,VtiBkxjCEa2lVFDZlLoT4du6tRbJWW9WIn+PC4gYojo=",
        ),
    ],
)
def test_signatures_are_those_of_the_vectors(
    secret: str, event_id: str, timestamp: int, body: str, signature: str
) -> None:
    assert signature_header([secret], event_id, timestamp, body.encode()) == signature


def test_each_secret_signs() -> None:
    texts = [new_secret(), new_secret()]
    now = int(dt.datetime.now(dt.UTC).timestamp())
    header = signature_header(texts, "evt_1", now, b"{}")
    headers = {"webhook-id": "evt_1", "webhook-timestamp": str(now), "webhook-signature": header}

    for secret in texts:
        assert Webhook(secret).verify("{}", headers) == {}
        assert len(base64.b64decode(secret.removeprefix("whsec_"), validate=True)) == 32


def test_times_are_drawn_once_and_stay_in_order() -> None:
    for number in range(200):
        times = [attempt_time(f"whd_{number}", n + 1, MOMENT) for n in range(MAX_ATTEMPTS)]
        assert times == sorted(times)
        assert times[0] == MOMENT
        assert times == [attempt_time(f"whd_{number}", n + 1, MOMENT) for n in range(MAX_ATTEMPTS)]
    second = {attempt_time(f"whd_{number}", 2, MOMENT) - MOMENT for number in range(200)}
    assert min(second) < dt.timedelta(seconds=4.6) < dt.timedelta(seconds=5.4) < max(second)
    assert dt.timedelta(seconds=4.5) <= min(second) < max(second) <= dt.timedelta(seconds=5.5)
