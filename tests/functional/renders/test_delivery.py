"""Delivery of files to the caller, and their retention."""

import base64
import json
from typing import Any

import pytest

from chalicelib.adapters.aws.objects import Objects
from chalicelib.core.ids import sha256_hex
from tests.builders.service import Service
from tests.fakes.engine import FAKE_PDF

KEY = {"Idempotency-Key": "k"}
# The largest file that fits one answer of the platform.
FITS = 4_300_000


def stored(service: Service, key: str) -> bytes:
    """Return the content of an object."""
    return service.clients.s3.get_object(Bucket=service.settings.bucket, Key=key)["Body"].read()


def test_several_formats_are_several_files_with_one_name(service: Service) -> None:
    formats = ["pdf", "png", "jpeg", "webp", "html"]

    render = service.render(output={"formats": formats, "filename": "Offer.pdf"}).json

    assert [file["format"] for file in render["files"]] == formats
    assert [file["filename"] for file in render["files"]] == [
        "Offer.pdf",
        "Offer.png",
        "Offer.jpeg",
        "Offer.webp",
        "Offer.html",
    ]
    assert len({file["id"] for file in render["files"]}) == len(formats)
    assert [file["pages"] for file in render["files"]] == [2, None, None, None, None]
    assert len(service.objects()) == len(formats)
    for file in render["files"]:
        address = file["url"].removeprefix("https://files.test")
        assert service.call("GET", address, key=None).status == 302


def test_purge_removes_all_files_of_a_render(service: Service) -> None:
    render = service.render(output={"formats": ["pdf", "png"]}).json

    purged = service.call("DELETE", f"/v1/renders/{render['id']}/files").json

    assert purged["files"] == []
    assert service.objects() == []
    for file in render["files"]:
        address = file["url"].removeprefix("https://files.test")
        assert service.call("GET", address, key=None).code == "file_expired"


def test_zip_delivery_puts_several_formats_into_one_file(service: Service) -> None:
    output = {"format": "zip", "formats": ["pdf", "png"], "filename": "All"}

    answer = service.render(output=output, delivery={"type": "binary"})

    assert answer.headers["Content-Type"] == "application/zip"
    assert "All.zip" in answer.headers["Content-Disposition"]


@pytest.mark.parametrize(
    ("kind", "fields"),
    [
        ("binary", {"mode": "async"}),
        ("base64", {"mode": "async"}),
        ("binary", {"output": {"formats": ["pdf", "png"]}}),
    ],
)
def test_files_in_the_answer_need_sync_mode_and_binary_one_file(
    service: Service, kind: str, fields: dict[str, Any]
) -> None:
    answer = service.render(delivery={"type": kind}, **fields)

    assert (answer.code, answer.pointers) == ("validation_error", ["/delivery/type"])


def test_base64_delivery_answers_the_render_with_its_file(service: Service) -> None:
    answer = service.render(delivery={"type": "base64"}, headers=KEY)
    again = service.render(delivery={"type": "base64"}, headers=KEY)

    assert answer.status == 200
    assert answer.headers["Content-Type"] == "application/json"
    (file,) = answer.json["files"]
    assert base64.b64decode(file.pop("content_base64"), validate=True) == FAKE_PDF
    assert "url" not in file
    assert answer.headers["X-Render-Id"] == answer.json["id"]
    assert again.body == answer.body
    assert again.headers["Idempotent-Replayed"] == "true"
    (read,) = service.call("GET", f"/v1/renders/{answer.json['id']}").json["files"]
    assert "content_base64" not in read


def test_base64_delivery_answers_files_of_several_formats(service: Service) -> None:
    delivery = {"type": "base64", "hosted": False}

    answer = service.render(delivery=delivery, output={"formats": ["pdf", "html"]})

    files = {file["format"]: file for file in answer.json["files"]}
    assert list(files) == ["pdf", "html"]
    for file in files.values():
        content = base64.b64decode(file["content_base64"], validate=True)
        assert (len(content), sha256_hex(content)) == (file["bytes"], file["sha256"])
    assert service.objects() == []


def test_binary_answers_say_pages_and_price(service: Service) -> None:
    pdf = service.render(delivery={"type": "binary"})
    png = service.render(delivery={"type": "binary"}, output={"format": "png"}, key=service.test)

    assert (pdf.headers["X-Pages"], pdf.headers["X-Billed-Renders"]) == ("2", "1")
    assert "X-Pages" not in png.headers
    assert png.headers["X-Billed-Renders"] == "0"


def test_file_over_the_response_limit_is_redirected(service: Service) -> None:
    service.engine.content = b"x" * FITS
    assert service.render(delivery={"type": "binary"}).status == 200
    service.engine.content = b"x" * (FITS + 1)

    answer = service.render(delivery={"type": "binary"}, headers=KEY)

    assert answer.status == 303
    assert ".pdf?" in answer.headers["Location"]
    render_id = answer.headers["X-Render-Id"]
    (key,) = [key for key in service.objects() if key.endswith(f"{render_id}/1-0.pdf")]
    assert stored(service, key) == service.engine.content
    told = answer.json
    assert answer.headers["Content-Type"] == "application/json"
    assert (told["object"], told["location"]) == ("redirect", answer.headers["Location"])
    assert (told["bytes"], told["content_type"]) == (FITS + 1, "application/pdf")
    assert "4300000" in told["detail"]
    assert service.render(delivery={"type": "binary"}, headers=KEY).status == 303
    service.relay_events()
    assert key in service.objects()
    service.call("DELETE", f"/v1/renders/{render_id}/files")
    assert [key for key in service.objects() if render_id in key] == []


@pytest.mark.parametrize("hosted", [True, False])
def test_base64_over_the_response_limit_is_the_same_json_elsewhere(
    service: Service, *, hosted: bool
) -> None:
    delivery = {"type": "base64", "hosted": hosted}
    output = {"formats": ["pdf", "html"]}
    service.engine.content = b"x" * (FITS // 2)
    assert service.render(delivery=delivery, output=output).status == 200
    service.engine.content = b"x" * (FITS // 2 + 1)

    answer = service.render(delivery=delivery, output=output, headers=KEY)

    assert answer.status == 303
    render_id = answer.headers["X-Render-Id"]
    (key,) = [key for key in service.objects() if key.endswith(f"/{render_id}")]
    assert f"{key}?" in answer.headers["Location"]
    body = stored(service, key)
    assert answer.json["content_type"] == "application/json"
    assert answer.json["bytes"] == len(body)
    render = json.loads(body)
    assert render["id"] == render_id
    for file in render["files"]:
        assert base64.b64decode(file["content_base64"]) == service.engine.content
    service.relay_events()
    assert key in service.objects()
    service.call("DELETE", f"/v1/renders/{render_id}/files")
    assert [key for key in service.objects() if render_id in key] == []


def test_long_console_output_gives_way_to_files_in_base64(service: Service) -> None:
    service.engine.content = b"x" * FITS
    service.engine.logs = ("\u2028" * 100,) * 1000

    answer = service.render(delivery={"type": "base64"})

    assert answer.status == 200
    assert len(json.dumps(answer.body.decode())) < 6_000_000
    assert len(answer.json["logs"]) == 1


@pytest.mark.parametrize(
    ("kind", "most"), [("binary", 20_000_000), ("base64", 10_000_000), ("url", 100_000_000)]
)
def test_delivery_limits_the_file_size(service: Service, kind: str, most: int) -> None:
    service.engine.content = b"x" * most
    assert service.render(delivery={"type": kind}).status in {200, 303}
    service.engine.content = b"x" * (most + 1)

    answer = service.render(delivery={"type": kind})

    assert (answer.code, answer.status) == ("output_too_large", 413)
    assert str(most) in answer.json["detail"]
    failed = service.call("GET", f"/v1/renders/{answer.json['render_id']}").json
    assert (failed["status"], failed["billed"]) == ("failed", False)


@pytest.mark.parametrize(("pages", "status"), [(7, 200), (8, 422)])
def test_request_limits_the_pages(service: Service, pages: int, status: int) -> None:
    service.engine.page_count = pages

    answer = service.render(output={"pdf": {"max_pages": 7}})

    assert answer.status == status
    if status != 200:
        assert answer.code == "page_limit_exceeded"
        assert service.objects() == []
        assert service.limits()["used"] == 0


def test_delivery_none_lists_files_without_urls(service: Service) -> None:
    render = service.render(delivery={"type": "none"}).json

    (file,) = render["files"]
    assert "url" not in file
    assert "url_expires_at" not in file
    (read,) = service.call("GET", f"/v1/renders/{render['id']}").json["files"]
    assert read["url"].startswith("https://files.test/files/file_")


@pytest.mark.parametrize("seconds", [60, 604_800])
def test_file_urls_expire_as_requested(service: Service, seconds: int) -> None:
    render = service.render(delivery={"expires_in": seconds}).json
    address = render["files"][0]["url"].removeprefix("https://files.test")

    service.clock.advance(seconds=seconds - 1)
    assert service.call("GET", address, key=None).status == 302
    service.clock.advance(seconds=1)
    assert service.call("GET", address, key=None).code == "invalid_signature"


@pytest.mark.parametrize(
    ("fields", "pointer"),
    [
        ({"expires_in": 59}, "/delivery/expires_in"),
        ({"expires_in": 604_801}, "/delivery/expires_in"),
        ({"retention_days": 0}, "/delivery/retention_days"),
        ({"retention_days": 36_501}, "/delivery/retention_days"),
        ({"retention": "none", "retention_days": 3}, "/delivery/retention_days"),
        ({"hosted": False, "type": "url"}, "/delivery/type"),
        ({"retention": "none", "type": "url"}, "/delivery/type"),
    ],
)
def test_invalid_deliveries_are_refused(
    service: Service, fields: dict[str, Any], pointer: str
) -> None:
    answer = service.render(delivery=fields)

    assert (answer.code, answer.pointers) == ("validation_error", [pointer])


@pytest.mark.parametrize("days", [1, 90, 36_500])
def test_live_files_are_retained_as_requested(service: Service, days: int) -> None:
    render = service.render(delivery={"retention_days": days}).json

    service.clock.advance(days=days, seconds=-1)
    address = service.call("GET", f"/v1/renders/{render['id']}").json["files"][0]["url"]
    address = address.removeprefix("https://files.test")
    assert service.call("GET", address, key=None).status == 302
    service.clock.advance(seconds=2)
    assert service.call("GET", address, key=None).code == "file_expired"
    service.tick()
    service.run_maintenance()
    assert service.objects() == []


def test_test_files_are_retained_for_at_most_a_day(service: Service) -> None:
    render = service.render(delivery={"retention_days": 90}, key=service.test).json

    service.clock.advance(hours=24)
    service.tick()
    service.run_maintenance()

    assert service.call("GET", f"/v1/renders/{render['id']}").json["files_purged_at"]
    assert service.objects() == []


@pytest.mark.parametrize("kind", ["binary", "base64"])
def test_unhosted_file_is_only_in_the_answer(service: Service, kind: str) -> None:
    delivery_fields = {"type": kind, "hosted": False}
    answer = service.render(delivery=delivery_fields, headers=KEY)

    assert answer.status == 200
    body = answer.body
    if kind == "base64":
        body = base64.b64decode(answer.json["files"][0]["content_base64"])
    assert body == FAKE_PDF
    assert service.objects() == []
    assert service.render(delivery=delivery_fields, headers=KEY).code == "file_expired"
    read = service.call("GET", f"/v1/renders/{answer.headers['X-Render-Id']}").json
    assert (read["status"], read["billed"], read["files"]) == ("succeeded", True, [])
    assert read["files_purged_at"]
    assert read["expires_at"] is None


def test_large_unhosted_file_is_kept_until_it_can_be_fetched(service: Service) -> None:
    service.engine.content = b"x" * (FITS + 1)

    answer = service.render(delivery={"type": "binary", "hosted": False})

    assert answer.status == 303
    assert len(service.objects()) == 1
    service.clock.advance(hours=1)
    service.tick()
    service.run_maintenance()
    assert service.objects() == []


def test_unhosted_file_refuses_timeout_behavior_continue(service: Service) -> None:
    for delivery_fields in ({"hosted": False}, {"retention": "none"}):
        answer = service.render(
            delivery={"type": "binary"} | delivery_fields, timeout_behavior="continue"
        )

        assert (answer.code, answer.pointers) == ("validation_error", ["/timeout_behavior"])


@pytest.mark.parametrize("mode", ["sync", "async"])
def test_unhosted_render_without_delivery_stores_nothing(service: Service, mode: str) -> None:
    render = service.render(delivery={"hosted": False}, mode=mode).json
    service.run_queued()
    service.relay_events()

    read = service.call("GET", f"/v1/renders/{render['id']}").json
    assert (read["status"], read["files"]) == ("succeeded", [])
    assert service.objects() == []


def test_answer_of_files_that_are_deleted_meanwhile_leaves_nothing(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    service.engine.content = b"x" * (FITS + 1)
    first = service.render(delivery={"type": "base64"}, headers=KEY)
    render_id = first.headers["X-Render-Id"]
    put = Objects.put

    def delete_before(objects: Objects, key: str, body: bytes, **details: Any) -> None:
        monkeypatch.setattr(Objects, "put", put)
        assert service.call("DELETE", f"/v1/renders/{render_id}/files").status == 200
        put(objects, key, body, **details)

    monkeypatch.setattr(Objects, "put", delete_before)
    again = service.render(delivery={"type": "base64"}, headers=KEY)

    assert (again.status, again.code) == (410, "file_expired")
    assert [key for key in service.objects() if render_id in key] == []
