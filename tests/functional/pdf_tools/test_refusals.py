"""Refusals of PDF tools: options and documents that do not fit, with nothing billed."""

from typing import Any

import pytest

from tests.builders.pdfs.plain import as_source, pdf
from tests.builders.pdfs.requests import TOOL_OPTIONS, tool_request
from tests.builders.service import Service


def run(service: Service, tool: str, **more: Any) -> Any:
    body = tool_request(tool, **more)
    return service.call("POST", f"/v1/pdf-tools/{tool}", json_body=body)


@pytest.mark.parametrize(
    ("tool", "more", "pointer"),
    [
        ("extract-pages", {"pages": "4"}, "/pages"),
        ("delete-pages", {"pages": "1-3"}, "/pages"),
        ("rotate", {"pages": "2-9"}, "/pages"),
        ("watermark", {"pages": "7"}, "/pages"),
        ("stamp", {"pages": "7"}, "/pages"),
        ("to-images", {"pages": "7"}, "/pages"),
        ("split", {"ranges": ["1-2", "3-4"]}, "/ranges"),
        ("reorder", {"order": [1, 2]}, "/order"),
        ("reorder", {"order": [1, 2, 2]}, "/order"),
        ("fill-form", {"fields": {"names": "Ada"}}, "/fields/names"),
        ("fill-form", {"fields": {"name": True}}, "/fields/name"),
    ],
)
def test_what_the_document_lacks_is_a_validation_error(
    service: Service, tool: str, more: Any, pointer: str
) -> None:
    refused = run(service, tool, **more)

    assert (refused.status, refused.json["code"]) == (400, "validation_error")
    assert refused.json["detail"].startswith(pointer)
    assert refused.json["errors"][0]["path"].startswith(pointer)
    assert service.limits()["used"] == 0


@pytest.mark.parametrize(
    ("tool", "more", "pointer"),
    [
        ("rotate", {"degrees": 45}, "/degrees"),
        ("rotate", {"degrees": "90"}, "/degrees"),
        ("rotate", {"degrees": 90.5}, "/degrees"),
        ("rotate", {"degrees": -36_090}, "/degrees"),
        ("extract-pages", {"pages": "0"}, "/pages"),
        ("extract-pages", {"pages": "3-1"}, "/pages"),
        ("extract-pages", {"pages": "one"}, "/pages"),
        ("reorder", {"order": [0, 1]}, "/order/0"),
        ("split", {"ranges": []}, "/ranges"),
        ("split", {"every": 0}, "/every"),
        ("split", {"every": 100_001}, "/every"),
        ("split", {"every": 10**30}, "/every"),
        ("split", {"every": 1, "ranges": ["1"]}, "/every"),
        ("split", {"zip": "yes"}, "/zip"),
        ("merge", {"bookmarks": "names"}, "/bookmarks"),
        ("to-images", {"dpi": 35}, "/dpi"),
        ("to-images", {"dpi": 301}, "/dpi"),
        ("to-images", {"format": "gif"}, "/format"),
        ("pdfa", {"level": "1b"}, "/level"),
        ("metadata", {"set": {}}, "/set"),
        ("metadata", {"set": {"title": 3}}, "/set/title"),
        ("attach", {"attachments": []}, "/attachments"),
        ("stamp", {"stamp": {"text": "a", "file_id": "file_1"}}, "/stamp"),
        ("watermark", {"watermark": {}}, "/watermark"),
        ("protect", {"user_password": None}, ""),
        ("protect", {"owner_password": "secret"}, ""),
        ("protect", {"permissions": {"fly": True}}, "/permissions/fly"),
        ("unlock", {"password": ""}, "/password"),
        ("fill-form", {"fields": {}}, "/fields"),
    ],
)
def test_options_out_of_bounds_are_refused_before_a_render_exists(
    service: Service, tool: str, more: Any, pointer: str
) -> None:
    refused = run(service, tool, **more)

    assert refused.status == 400
    assert [error["path"] for error in refused.json["errors"]] == [pointer]
    assert service.call("GET", "/v1/renders").json["data"] == []


@pytest.mark.parametrize(
    ("content", "password", "code"),
    [
        (b"<p>no PDF</p>", None, "invalid_pdf_source"),
        (pdf()[:200], None, "invalid_pdf_source"),
        (b"%PDF-1.7 and nothing else", None, "invalid_pdf_source"),
        (pdf(password="right"), None, "pdf_password_required"),
        (pdf(password="right"), "wrong", "pdf_password_required"),
    ],
)
@pytest.mark.parametrize("tool", TOOL_OPTIONS)
def test_each_tool_refuses_what_it_cannot_open(
    service: Service, tool: str, content: bytes, password: str | None, code: str
) -> None:
    more = {} if password is None else {"password": password}
    source = as_source(content, **more)
    sources = {"sources": [as_source(pdf()), source]} if tool == "merge" else {"source": source}
    refused = run(service, tool, **sources)

    assert (refused.status, refused.json["code"]) == (422, code)
    assert refused.json["detail"].startswith("/sources/1" if tool == "merge" else "/source")
    if password is not None:
        assert "leave it out if the PDF opens without one" in refused.json["detail"]
    assert service.limits()["used"] == 0


@pytest.mark.parametrize("kept", [{"file_id": "file_1"}, {"upload_id": "upl_1"}])
def test_zero_retention_refuses_what_is_kept_elsewhere(
    service: Service, kept: dict[str, str]
) -> None:
    refused = run(service, "rotate", source=kept, delivery={"type": "binary", "retention": "none"})

    assert refused.status == 400
    assert [error["path"] for error in refused.json["errors"]] == [f"/source/{next(iter(kept))}"]
