"""Thumbnails of templates: when they are made, who gets them, and that nothing is left of them."""

import io
import json
from typing import Any
from urllib.parse import urlsplit

import pikepdf
import pytest
from PIL import Image

from chalicelib.engine.context import RenderedFile
from tests.builders.lambda_client import FunctionKilled
from tests.builders.service import Service
from tests.builders.templates import (
    TEMPLATES_PATH,
    make_template,
    post_template,
    publish_template,
    put_draft,
    template_rows,
)
from tests.functional.templates.test_trash import process_queues

DATASET = {"name": "Sample", "data": {"n": 1}}


@pytest.fixture
def drawn(service: Service) -> Service:
    """Give a service whose engine makes real pages."""
    service.engine.content = pages(3)
    return service


def pages(count: int, size: tuple[int, int] = (300, 400), **options: Any) -> bytes:
    document, target = pikepdf.new(), io.BytesIO()
    for _ in range(count):
        document.add_blank_page(page_size=size)
    document.pages[0].Contents = document.make_stream(b"0 0 150 400 re f")
    document.save(target, **options)
    return target.getvalue()


def thumbnail_of(service: Service, path: str) -> Image.Image | None:
    url = service.call("GET", path).json["thumbnail_url"]
    if url is None:
        return None
    target = urlsplit(url)
    answer = service.call("GET", f"{target.path}?{target.query}", key="")
    assert answer.status == 302, answer.body
    location = urlsplit(answer.headers["Location"])
    key = location.path.partition(f"{service.settings.bucket}/")[2] or location.path[1:]
    bucket = service.settings.bucket
    stored = service.clients.s3.get_object(Bucket=bucket, Key=key)
    return Image.open(io.BytesIO(stored["Body"].read()))


def test_publishing_draws_the_first_page_of_the_default_dataset(drawn: Service) -> None:
    path = make_template(drawn, datasets=[DATASET, {"name": "Other", "data": {}}])
    assert thumbnail_of(drawn, path) is None

    assert publish_template(drawn, path).status == 201

    picture = thumbnail_of(drawn, path)
    assert picture is not None
    assert (picture.format, picture.size) == ("WEBP", (479, 639))
    row = picture.convert("L").tobytes()[300 * 479 :]
    assert (row[100] < 10, row[400] > 245) == (True, True)
    (call,) = drawn.tool_calls
    assert len(json.dumps(call.event)) < 10_000
    assert drawn.call("GET", "/v1/account").json["renders"]["used"] == 0
    (listed,) = drawn.call("GET", TEMPLATES_PATH).json["data"]
    assert listed == drawn.call("GET", path).json


def test_template_that_is_published_at_once_has_one(drawn: Service) -> None:
    marked = {"name": "Second", "data": {}, "is_default": True}
    answer = post_template(drawn, datasets=[DATASET, marked], publish=True)

    assert answer.status == 201, answer.body
    assert answer.json["thumbnail_url"] is not None
    assert thumbnail_of(drawn, f"{TEMPLATES_PATH}/{answer.json['id']}") is not None
    (row,) = [row for row in template_rows_of(drawn, answer.json["id"]) if row["SK"] == "META"]
    assert row["unsettled"] == {}


def template_rows_of(service: Service, template_id: str) -> list[dict[str, Any]]:
    return template_rows(service, f"{TEMPLATES_PATH}/{template_id}")


def test_without_datasets_there_is_none_and_nothing_is_drawn(drawn: Service) -> None:
    path = make_template(drawn, html="<p>Static</p>")

    assert publish_template(drawn, path).status == 201

    assert thumbnail_of(drawn, path) is None
    assert drawn.tool_calls == []


def test_picture_of_a_canvas_is_made_small_by_the_engine(service: Service) -> None:
    target = io.BytesIO()
    Image.new("RGBA", (1200, 600), (255, 0, 0, 0)).save(target, "png")
    service.engine.files = (RenderedFile("png", target.getvalue(), "image/png"),)
    path = make_template(service, datasets=[DATASET], options={"output_format": "png"})

    assert publish_template(service, path).status == 201

    picture = thumbnail_of(service, path)
    assert picture is not None
    assert picture.size == (480, 240)
    # Transparency is white paper.
    assert picture.convert("RGB").getpixel((10, 10)) == (255, 255, 255)
    assert service.tool_calls == []


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(b"%PDF-1.7 broken", id="unreadable"),
        pytest.param(
            pages(1, encryption=pikepdf.Encryption(owner="o", user="u", aes=True)), id="protected"
        ),
        pytest.param(pages(1, size=(14_400, 14_400)), id="larger than a tool draws well"),
    ],
)
def test_document_that_cannot_be_shown_is_published_without(
    service: Service, content: bytes
) -> None:
    service.engine.content = content
    path = make_template(service, datasets=[DATASET])

    assert publish_template(service, path).status == 201

    picture = thumbnail_of(service, path)
    assert picture is None or max(picture.size) <= 16_383


def test_lost_tool_stops_nothing(drawn: Service) -> None:
    drawn.tool_failures = iter([FunctionKilled()])
    path = make_template(drawn, datasets=[DATASET])

    assert publish_template(drawn, path).status == 201

    assert thumbnail_of(drawn, path) is None
    assert drawn.objects() == []


def test_rollback_shows_the_picture_of_the_older_version(drawn: Service) -> None:
    path = make_template(drawn, datasets=[DATASET], publish=True)
    first = drawn.call("GET", path).json["thumbnail_url"]
    drawn.engine.content = pages(1, (400, 300))
    put_draft(drawn, path, html="<p>2</p>")
    publish_template(drawn, path)
    second = drawn.call("GET", path).json["thumbnail_url"]

    answer = drawn.call("POST", f"{path}/rollback", json_body={"version": 1})

    assert answer.status == 201, answer.body
    assert drawn.call("GET", path).json["thumbnail_url"] == first != second
    assert len(drawn.tool_calls) == 2


def test_url_is_the_same_for_an_hour_and_ends(drawn: Service) -> None:
    path = make_template(drawn, datasets=[DATASET], publish=True)
    url = drawn.call("GET", path).json["thumbnail_url"]
    assert drawn.call("GET", path).json["thumbnail_url"] == url

    drawn.clock.advance(hours=2)

    target = urlsplit(url)
    assert drawn.call("GET", f"{target.path}?{target.query}", key="").code == "invalid_signature"
    assert drawn.call("GET", path).json["thumbnail_url"] != url
    assert thumbnail_of(drawn, path) is not None


def test_picture_of_a_version_that_was_not_published_is_removed(drawn: Service) -> None:
    path = make_template(drawn, datasets=[DATASET])

    def change_draft(_job: object) -> None:
        """Change the draft while the datasets are rendered."""
        put_draft(drawn, path, html="<p>changed</p>")

    drawn.engine.before_run = change_draft

    refused = publish_template(drawn, path)

    assert refused.code == "draft_revision_conflict"
    assert len(drawn.objects()) == 1
    drawn.clock.advance(hours=1, seconds=1)
    process_queues(drawn)
    assert drawn.objects() == []


def test_nothing_is_left_of_a_purged_template(drawn: Service) -> None:
    path = make_template(drawn, datasets=[DATASET], publish=True)
    drawn.call("POST", f"{path}/rollback", json_body={"version": 1})
    url = urlsplit(drawn.call("GET", path).json["thumbnail_url"])
    process_queues(drawn)
    deleted = drawn.call("DELETE", path).json
    assert deleted["thumbnail_url"] is not None

    drawn.clock.advance(days=30, seconds=1)
    process_queues(drawn)

    assert template_rows(drawn, path) == []
    assert drawn.objects() == []
    file_id = url.path.split("/")[2]
    assert drawn.main_table.get(f"FILE#{file_id}") is None
