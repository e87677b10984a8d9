"""Refused batches: each reason, with its pointer; nothing is stored."""

from collections.abc import Callable
from typing import Any, Final

import pytest

from tests.builders.batches import BATCHES_PATH, post_batch, published_template
from tests.builders.http import ApiAnswer
from tests.builders.service import Service
from tests.builders.templates import make_template
from tests.builders.uploads import announce_upload, post_upload

UNKNOWN: Final = "tpl_" + "0" * 26
CSV: Final = b"n,_filename\n1,a\n2,b\n"
HTTP_URL: Final = {"url": "http://example.com/hook"}


def uploaded_csv(service: Service, content: bytes = CSV) -> str:
    """Upload a CSV and return its id."""
    answer = post_upload(service, content, name="a.csv", kind="text/csv")
    assert answer.status == 201, answer.body
    return str(answer.json["id"])


def post_csv(service: Service, upload_id: str, **fields: Any) -> ApiAnswer:
    body = {"template_id": published_template(service), "csv_upload_id": upload_id} | fields
    return service.call("POST", BATCHES_PATH, json_body=body)


def assert_nothing_is_stored(service: Service) -> None:
    table = service.clients.dynamodb.scan(TableName=service.settings.main_table)["Items"]
    assert [row["PK"]["S"] for row in table if "#BAT" in row["PK"]["S"]] == []
    assert [key for key in service.objects() if "/batches/" in key] == []


@pytest.mark.parametrize(
    ("fields", "pointer", "code"),
    [
        ({"engine": "2001.1"}, "/engine", "not_allowed"),
        ({"version": "draft"}, "/version", None),
        ({"version": 0}, "/version", None),
        ({"delivery": {"type": "binary"}}, "/delivery/type", None),
        ({"delivery": {"type": "base64"}}, "/delivery/type", None),
        ({"delivery": {"retention": "none"}}, "/delivery/retention", "not_allowed"),
        (
            {"delivery": {"retention": "none"}, "combine": {"zip": True}},
            "/combine",
            "not_allowed",
        ),
        (
            {"output": {"formats": ["png"]}, "combine": {"merged_pdf": True}},
            "/combine/merged_pdf",
            "not_allowed",
        ),
        (
            {"output": {"formats": ["pdf"], "format": "zip"}, "combine": {"merged_pdf": True}},
            "/combine/merged_pdf",
            "not_allowed",
        ),
        (
            {
                "output": {"pdf": {"protection": {"user_password": "secret"}}},
                "combine": {"merged_pdf": True},
            },
            "/combine/merged_pdf",
            "not_allowed",
        ),
        ({"output": {"formats": ["xml"]}}, "/output/formats", "not_allowed"),
        ({"webhook": {"url": "https://u:p@example.com/"}}, "/webhook/url", None),
        ({"webhook": HTTP_URL}, "/webhook/url", "invalid"),
        (
            {"webhook": {"url": "https://example.com/", "events": ["render.failed"]}},
            "/webhook/events/0",
            None,
        ),
        ({"webhook": {"url": "https://example.com/", "format": "x"}}, "/webhook/format", None),
        ({"items": []}, "/items", None),
        ({"items": None}, "", None),
        ({"csv_upload_id": "upl_1"}, "", None),
        ({"csv_mapping": {"n": "N"}}, "/csv_mapping", None),
        ({"items": [{}, {"datas": {}}]}, "/items/1/datas", None),
        ({"items": [{}, {"filename": "x" * 256}]}, "/items/1/filename", None),
        ({"items": [{"metadata": {"k": []}}]}, None, None),
        ({"item": []}, "/item", None),
        ({"combine": {"zips": True}}, "/combine/zips", None),
        ({"priority": "low"}, "/priority", None),
        ({"mode": "async"}, "/mode", None),
    ],
)
def test_invalid_field_is_refused_with_its_pointer(
    service: Service, fields: dict[str, Any], pointer: str | None, code: str | None
) -> None:
    answer = post_batch(service, **({"items": 1} | fields))

    assert (answer.status, answer.code) == (400, "validation_error"), answer.body
    if pointer is not None:
        assert answer.pointers == [pointer]
    if code is not None:
        assert answer.json["errors"][0]["code"] == code
    assert_nothing_is_stored(service)


def _of_another_template(service: Service) -> ApiAnswer:
    key = service.key("live", templates=[published_template(service)])
    return post_batch(service, key=key)


def _deleted_template(service: Service) -> ApiAnswer:
    template_id = published_template(service)
    service.call("DELETE", f"/v1/templates/{template_id}")
    return post_batch(service, template_id=template_id)


def _draft_only(service: Service) -> ApiAnswer:
    path = make_template(service)
    return post_batch(service, template_id=path.rpartition("/")[2])


def _in_workspace(service: Service, *, plan: str = "scale", region: str = "eu") -> ApiAnswer:
    workspace = service.operator.create_workspace("B", plan=plan, regions=[region]).id
    key = service.key("live", workspace)
    template = {"name": "A", "html": "<p>", "publish": True}
    made = service.call("POST", "/v1/templates", json_body=template, key=key).json
    template_id = made.get("id", UNKNOWN)
    output = {"pdf": {"pdfa": "3b"}} if region == "eu" else None
    return post_batch(service, key=key, template_id=template_id, output=output)


REFUSALS: Final[dict[str, tuple[int, Callable[[Service], ApiAnswer]]]] = {
    "template_not_found": (404, lambda service: post_batch(service, template_id=UNKNOWN)),
    "template_deleted": (410, _deleted_template),
    "template_not_allowed_for_key": (403, _of_another_template),
    "test_key_required": (403, lambda service: post_batch(service, test=True)),
    "version_not_found": (404, lambda service: post_batch(service, version=2)),
    "region_not_enabled": (403, lambda service: _in_workspace(service, region="us")),
    "plan_feature_unavailable": (402, lambda service: _in_workspace(service, plan="starter")),
    "url_not_allowed": (
        422,
        lambda service: post_batch(service, webhook={"url": "https://api.test/"}),
    ),
    "insufficient_scope": (
        403,
        lambda service: post_batch(service, key=service.key("live", scopes={"renders:read"})),
    ),
}


@pytest.mark.parametrize("code", REFUSALS)
def test_refusal_has_its_code(service: Service, code: str) -> None:
    status, send = REFUSALS[code]

    answer = send(service)

    assert (answer.status, answer.code) == (status, code), answer.body
    assert_nothing_is_stored(service)


def test_template_without_a_version_is_refused(service: Service) -> None:
    assert _draft_only(service).code == "version_not_found"


def test_http_webhook_goes_with_a_test_key(service: Service) -> None:
    assert post_batch(service, webhook=HTTP_URL, key=service.test).status == 202


def test_body_beyond_the_plan_is_refused(service: Service) -> None:
    key = service.key("live", service.create_workspace("free"))

    answer = post_batch(service, [{"data": {"t": "x" * 1_000_001}}], key=key, template_id=UNKNOWN)

    assert (answer.status, answer.code) == (413, "payload_too_large")


def test_csv_upload_must_be_the_own_one_and_there(service: Service) -> None:
    deleted = uploaded_csv(service)
    service.call("DELETE", f"/v1/uploads/{deleted}")
    stranger = service.key("live", service.create_workspace())
    foreign = service.call(
        "POST",
        "/v1/uploads",
        json_body={"filename": "a.csv", "content_type": "text/csv", "bytes": 4},
        key=stranger,
    ).json["id"]
    expired = uploaded_csv(service)
    service.clock.advance(days=2)

    for upload_id in (deleted, foreign, expired, "upl_" + "0" * 26, "x"):
        answer = post_csv(service, upload_id)
        assert (answer.status, answer.code) == (404, "upload_not_found")
        assert answer.pointers == ["/csv_upload_id"]
    assert_nothing_is_stored(service)


def test_csv_upload_that_has_not_arrived_is_a_conflict(service: Service) -> None:
    pending = announce_upload(service, filename="a.csv", content_type="text/csv").json["id"]

    answer = post_csv(service, pending)

    assert (answer.status, answer.code) == (409, "conflict")
    assert_nothing_is_stored(service)


@pytest.mark.parametrize(
    "content",
    [
        b"n,n\n1,2\n",
        b"n\n",
        "n\nä\n".encode("utf-16"),
        b"\x89PNG\r\n\x1a\n" + b"\x00" * 50,
        b"PK\x03\x04" + b"\x00\xff" * 50,
    ],
)
def test_upload_that_is_no_csv_is_refused(service: Service, content: bytes) -> None:
    answer = post_csv(service, uploaded_csv(service, content))

    assert (answer.status, answer.code) == (400, "validation_error")
    assert answer.pointers == ["/csv_upload_id"]
    assert_nothing_is_stored(service)


def test_mapping_names_columns_of_the_file(service: Service) -> None:
    answer = post_csv(service, uploaded_csv(service), csv_mapping={"a.b": "n", "c": "N"})

    assert (answer.code, answer.pointers) == ("validation_error", ["/csv_mapping/c"])


def test_csv_batch_is_accepted_with_its_items_uncounted(service: Service) -> None:
    answer = post_csv(service, uploaded_csv(service))

    assert answer.status == 202
    assert (answer.json["status"], answer.json["total"], answer.json["pending"]) == ("queued", 0, 0)
