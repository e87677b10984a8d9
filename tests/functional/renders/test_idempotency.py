"""Idempotency-Key: at most one document per key."""

from tests.builders.service import Service
from tests.fakes.engine import FAKE_PDF

KEY = {"Idempotency-Key": "order-7"}


def test_repeat_answers_the_first_render_and_creates_no_second(service: Service) -> None:
    first = service.render(headers=KEY)

    again = service.render(headers=KEY)

    assert again.status == first.status == 200
    assert again.json["id"] == first.json["id"]
    assert again.headers["Idempotent-Replayed"] == "true"
    assert "Idempotent-Replayed" not in first.headers
    assert len(service.engine.jobs) == 1
    assert service.limits()["used"] == 1


def test_repeat_of_a_binary_answer_has_the_same_bytes(service: Service) -> None:
    service.render(headers=KEY, delivery={"type": "binary"})
    service.engine.content = b"another document"

    again = service.render(headers=KEY, delivery={"type": "binary"})

    assert again.body == FAKE_PDF
    assert again.headers["Idempotent-Replayed"] == "true"


def test_repeat_of_an_async_render_answers_as_at_first(service: Service) -> None:
    first = service.render(headers=KEY, mode="async")
    service.run_queued()

    again = service.render(headers=KEY, mode="async")

    assert again.status == 202
    assert again.json == first.json
    assert len(service.engine.jobs) == 1


def test_property_order_does_not_change_the_body(service: Service) -> None:
    body = '{"input": {"html": "x", "type": "html"}, "reference": "a"}'
    turned = '{"reference":"a","input":{"type":"html","html":"x"}}'

    first = service.call("POST", "/v1/renders", body=body.encode(), headers=KEY)
    again = service.call("POST", "/v1/renders", body=turned.encode(), headers=KEY)

    assert again.json["id"] == first.json["id"]


def test_different_body_is_refused(service: Service) -> None:
    service.render(headers=KEY)

    answer = service.render(headers=KEY, reference="another")

    assert answer.status == 422
    assert answer.code == "idempotency_key_reused"
    assert len(service.engine.jobs) == 1


def test_idempotency_key_is_in_use_while_the_first_request_runs(service: Service) -> None:
    codes = []
    service.engine.before_run = lambda _job: codes.append(service.render(headers=KEY).code)

    answer = service.render(headers=KEY)

    assert answer.status == 200
    assert codes == ["idempotency_in_progress"]
    assert service.limits()["used"] == 1


def test_idempotency_key_is_scoped_to_mode_and_workspace(
    service: Service,
) -> None:
    other = service.key("live", service.create_workspace())

    ids = {
        service.render(headers=KEY, key=key).json["id"]
        for key in (service.live, service.test, other)
    }

    assert len(ids) == 3


def test_idempotency_key_expires_after_a_day(service: Service) -> None:
    first = service.render(headers=KEY)
    service.clock.advance(hours=24)

    later = service.render(headers=KEY)

    assert later.json["id"] != first.json["id"]


def test_refused_request_does_not_use_the_idempotency_key(service: Service) -> None:
    assert service.render(headers=KEY, test=True).code == "test_key_required"

    assert service.render(headers=KEY).status == 200


def test_failed_render_is_repeated_as_the_failure_it_was(service: Service) -> None:
    service.engine.page_count = 5_000
    first = service.render(headers=KEY)

    again = service.render(headers=KEY)

    assert again.code == first.code == "page_limit_exceeded"
    assert again.json["render_id"] == first.json["render_id"]
    assert again.headers["Idempotent-Replayed"] == "true"
