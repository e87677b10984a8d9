"""`input.assets`: files beside the document, in requests of every kind."""

import base64
from typing import Any

import pytest

from chalicelib.engine.assets import AssetFiles, load_assets
from chalicelib.engine.job import EngineJob, PageJob
from tests.builders.http import ApiAnswer
from tests.builders.service import Service
from tests.builders.uploads import post_upload
from tests.functional.renders.test_uploaded_inputs import upload_of_stated_size


def inline(path: str, content: bytes = b"x", **more: str) -> dict[str, Any]:
    return {"path": path, "content": base64.b64encode(content).decode(), **more}


def html_with(*assets: dict[str, Any]) -> dict[str, Any]:
    return {"type": "html", "html": "<p>", "assets": list(assets)}


def preflight(service: Service, **body: Any) -> ApiAnswer:
    return service.call("POST", "/v1/renders/preflight", json_body=body)


def watch_assets(service: Service) -> list[AssetFiles]:
    """Return a list that gets the assets of each job that the engine runs."""
    read: list[AssetFiles] = []

    def read_assets(job: EngineJob) -> None:
        assert isinstance(job, PageJob)
        read.append(load_assets(job.assets, service.engine.contexts[-1]))

    service.engine.before_run = read_assets
    return read


@pytest.mark.parametrize("mode", ["sync", "async"])
def test_engine_gets_assets_by_content_and_upload(service: Service, mode: str) -> None:
    read = watch_assets(service)
    upload_id = post_upload(service, b"a font").json["id"]
    style = inline("./css/a%20b.css", b"p{}")
    font = {"path": "f.woff2", "upload_id": upload_id}
    other = inline("f.bin", b"y" * 1_500_000, content_type="image/png")

    answer = service.render(mode=mode, input=html_with(style, font, other))
    service.run_queued()

    assert answer.status in {200, 202}, answer.body
    (files,) = read
    assert {path: tuple(file) for path, file in files.items()} == {
        "css/a b.css": (b"p{}", "text/css; charset=utf-8"),
        "f.woff2": (b"a font", "font/woff2"),
        "f.bin": (b"y" * 1_500_000, "image/png"),
    }
    assert answer.json["input"]["assets"] == [
        {"path": "./css/a%20b.css", "upload_id": None, "content_type": None},
        {"path": "f.woff2", "upload_id": upload_id, "content_type": None},
        {"path": "f.bin", "upload_id": None, "content_type": "image/png"},
    ]


def test_short_forms_take_assets(service: Service) -> None:
    read = watch_assets(service)
    body = {"html": "<p>", "assets": [inline("a.svg")]}

    for path in ("pdf/from-html", "images/from-html"):
        assert service.call("POST", f"/v1/{path}", json_body=body).status == 200

    assert [files["a.svg"].content_type for files in read] == ["image/svg+xml"] * 2


def test_pointers_of_short_forms_are_those_of_their_request(service: Service) -> None:
    body = {"html": "<p>", "assets": [{"path": "a", "upload_id": "upl_nothing"}]}

    answer = service.call("POST", "/v1/pdf/from-html", json_body=body)

    assert (answer.status, answer.code) == (404, "upload_not_found")
    assert answer.pointers == ["/assets/0/upload_id"]


def test_template_input_takes_assets(service: Service) -> None:
    read = watch_assets(service)
    content = {"content": {"html": "<img src=logo.png>"}, "name": "T", "type": "html"}
    template = service.call("POST", "/v1/templates", json_body=content).json
    published = service.call("POST", f"/v1/templates/{template['id']}/publish", json_body={})
    assert published.status in {200, 201}, published.body
    source = {"type": "template", "template_id": template["id"], "assets": [inline("logo.png")]}

    answer = service.render(input=source)

    assert answer.status == 200, answer.body
    assert read[-1].keys() == {"logo.png"}


def test_url_input_takes_no_assets(service: Service) -> None:
    source = {"type": "url", "url": "https://example.com/", "assets": [inline("a.png")]}

    assert service.render(input=source).pointers == ["/input/assets"]


@pytest.mark.parametrize("twin", ["a b.png", "./a%20b.png", "a%20b.png"])
def test_doubled_path_is_refused_at_its_entry(service: Service, twin: str) -> None:
    body: dict[str, Any] = {"input": html_with(inline("a b.png"), inline("c.png"), inline(twin))}

    answer, report = service.render(**body), preflight(service, **body)

    assert (answer.code, answer.pointers) == ("validation_error", ["/input/assets/2/path"])
    assert [error["path"] for error in report.json["errors"]] == ["/input/assets/2/path"]


@pytest.mark.parametrize(("size", "status"), [(19_999_997, 200), (19_999_998, 400)])
def test_assets_have_a_total_size_limit(service: Service, size: int, status: int) -> None:
    large = {"path": "b", "upload_id": upload_of_stated_size(service, size)}

    answer = service.render(input=html_with(inline("a", b"abc"), large))

    assert answer.status == status, answer.body
    if status != 200:
        assert answer.pointers == ["/input/assets/1/upload_id"]


def test_assets_do_not_count_as_attachments(service: Service) -> None:
    large = {"path": "a", "upload_id": upload_of_stated_size(service, 20_000_000)}
    attached = {"upload_id": upload_of_stated_size(service, 100_000_000), "filename": "a"}

    answer = service.render(input=html_with(large), output={"pdf": {"attachments": [attached]}})

    assert answer.status == 200, answer.body


def test_unknown_upload_is_not_found_at_its_entry(service: Service) -> None:
    body: dict[str, Any] = {
        "input": html_with(inline("a"), {"path": "b", "upload_id": "upl_nothing"})
    }

    answer = service.render(**body)

    assert (answer.status, answer.code) == (404, "upload_not_found")
    assert answer.pointers == ["/input/assets/1/upload_id"]
    assert preflight(service, **body).json["errors"][0]["path"] == "/input/assets/1/upload_id"


def test_zero_retention_takes_contents_but_no_uploads(service: Service) -> None:
    delivery = {"type": "binary", "retention": "none"}
    upload_id = post_upload(service, b"x").json["id"]
    refused = service.render(
        input=html_with({"path": "a", "upload_id": upload_id}), delivery=delivery
    )
    made = service.render(input=html_with(inline("secret-name.png")), delivery=delivery)

    assert refused.pointers == ["/input/assets/0/upload_id"]
    assert made.status == 200, made.body
    (render,) = service.call("GET", "/v1/renders").json["data"]
    assert render["input"] == {"type": "html"}
