"""Creation of batches: the answer, and repeated requests."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.builders.batches import (
    BATCHES_PATH,
    batch_at,
    make_batch,
    post_batch,
    published_template,
)
from tests.builders.openapi import api_document, validator
from tests.builders.service import Service

KEY = {"Idempotency-Key": "run-7"}


def batch_rows(service: Service) -> set[str]:
    """Return the batches that have rows or objects."""
    table = service.clients.dynamodb.scan(TableName=service.settings.main_table)["Items"]
    keys = [row["PK"]["S"].replace("#", "/") for row in table] + service.objects()
    return {part for key in keys for part in key.split("/") if part.startswith("bat_")}


def test_created_batch_is_queued_and_has_every_field(service: Service) -> None:
    template_id = published_template(service)

    answer = post_batch(
        service,
        [{"data": {"n": 1}, "filename": "a", "reference": "r", "metadata": {"k": 1}}, {}],
        template_id=template_id,
        reference="2026-01",
        metadata={"run": "january", "part": 1, "last": None},
    )

    assert answer.status == 202
    batch = answer.json
    assert answer.headers["Location"] == f"https://api.test/v1/batches/{batch['id']}"
    assert "Idempotent-Replayed" not in answer.headers
    assert batch == {
        "id": batch["id"],
        "object": "batch",
        "status": "queued",
        "test": False,
        "total": 2,
        "succeeded": 0,
        "failed": 0,
        "canceled": 0,
        "pending": 2,
        "progress": 0,
        "template_id": template_id,
        "template_version": 1,
        "reference": "2026-01",
        "metadata": {"run": "january", "part": 1, "last": None},
        "created_at": "2026-11-21T12:00:00.000Z",
        "completed_at": None,
        "combine": {"merged_pdf": False, "zip": False, "zip_filename": None},
        "files": [],
        "emails": dict.fromkeys(("sent", "failed", "unknown", "pending", "skipped", "canceled"), 0),
        "paused": None,
        "error": None,
    }
    schema = api_document()["components"]["schemas"]["Batch"]
    validator(schema).validate(batch)
    assert set(schema["properties"]) == set(batch)
    assert batch_at(service, f"{BATCHES_PATH}/{batch['id']}") == batch


def test_combine_is_shown_as_it_was_asked_for(service: Service) -> None:
    combine = {"zip": True, "zip_filename": "all"}

    batch = post_batch(service, combine=combine).json

    assert batch["combine"] == {"merged_pdf": False, "zip": True, "zip_filename": "all"}


def test_batch_of_a_test_key_is_a_test_batch(service: Service) -> None:
    assert post_batch(service, key=service.test).json["test"] is True
    assert post_batch(service, key=service.test, test=True).json["test"] is True


def test_version_is_fixed_at_creation(service: Service) -> None:
    template_id = published_template(service)
    path = make_batch(service, 2, template_id=template_id)
    older = make_batch(service, template_id=template_id, version=1)
    published = service.call(
        "PUT", f"/v1/templates/{template_id}/draft", json_body={"html": "<p>new {{ n }}</p>"}
    )
    assert published.status == 200, published.body
    assert service.call("POST", f"/v1/templates/{template_id}/publish").status == 201
    service.run_batches()

    newer = make_batch(service, template_id=template_id)
    service.run_batches()

    versions = [batch_at(service, each)["template_version"] for each in (path, older, newer)]
    assert versions == [1, 1, 2]
    assert [text for text in service.engine.html_texts if "new" in text] == ["<p>new {{ n }}</p>"]


def test_repeat_answers_the_first_batch_as_at_first(service: Service) -> None:
    template_id = published_template(service)
    first = post_batch(service, 2, template_id=template_id, headers=KEY)
    service.run_batches()

    again = post_batch(service, 2, template_id=template_id, headers=KEY)

    assert (again.status, again.json) == (202, first.json)
    assert again.headers["Idempotent-Replayed"] == "true"
    assert again.headers["Location"] == first.headers["Location"]
    assert len(service.engine.jobs) == 2
    assert service.waiting("Batches") == 0


def test_other_body_is_refused(service: Service) -> None:
    template_id = published_template(service)
    post_batch(service, template_id=template_id, headers=KEY)

    answer = post_batch(service, 2, template_id=template_id, headers=KEY)

    assert (answer.status, answer.code) == (422, "idempotency_key_reused")
    assert len(batch_rows(service)) == 1


def test_keys_of_renders_and_of_batches_are_apart(service: Service) -> None:
    assert service.render(headers=KEY).status == 200

    assert post_batch(service, headers=KEY).status == 202


def test_refused_request_does_not_use_the_key(service: Service) -> None:
    template_id = published_template(service)
    refused = post_batch(service, template_id=template_id, headers=KEY, engine="2001.1")
    assert refused.pointers == ["/engine"]

    assert post_batch(service, template_id=template_id, headers=KEY).status == 202


def test_ten_equal_requests_at_once_make_one_batch(service: Service) -> None:
    template_id = published_template(service)
    post_batch(service, template_id=template_id)

    def post(_number: int) -> tuple[int, str]:
        answer = post_batch(service, 3, template_id=template_id, headers=KEY)
        return answer.status, answer.json["id"]

    with ThreadPoolExecutor(10) as pool:
        answers = set(pool.map(post, range(10)))

    ((status, batch_id),) = answers
    assert status == 202
    service.run_batches()
    assert batch_at(service, f"{BATCHES_PATH}/{batch_id}")["succeeded"] == 3
    # What the others have stored goes when they cannot be accepted any more.
    service.clock.advance(minutes=11)
    for _ in range(2):
        service.process_due()
    listed = service.call("GET", BATCHES_PATH).json["data"]
    assert len(listed) == 2
    assert batch_rows(service) == {each["id"] for each in listed}


@pytest.mark.parametrize("items", [1, 40])
def test_batch_counts_one_request_of_the_rate(service: Service, items: int) -> None:
    template_id = published_template(service)
    service.clock.advance(seconds=5)

    answer = post_batch(service, items, template_id=template_id)

    assert "q=100;" in answer.headers["RateLimit-Policy"]
    assert ";r=99;" in answer.headers["RateLimit"]


def test_rate_refuses_batches_too(service: Service) -> None:
    workspace = service.create_workspace("free")
    key = service.key("live", workspace)
    template_id = service.call(
        "POST",
        "/v1/templates",
        json_body={"name": "A", "html": "<p>", "publish": True},
        key=key,
    ).json["id"]

    answers = [post_batch(service, template_id=template_id, key=key) for _ in range(3)]

    assert [each.status for each in answers] == [202, 202, 429]
    assert answers[2].code == "rate_limited"
