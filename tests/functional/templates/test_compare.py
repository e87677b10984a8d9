"""Comparison of versions: what is compared, who may, and what becomes of the pictures."""

import io
from typing import Any

import pikepdf
import pytest
from pikepdf import Dictionary, Stream
from PIL import Image

from chalicelib.core.errors import RenderFailure
from chalicelib.engine.context import RenderedFile
from chalicelib.features.workspaces.keys.model import SCOPES
from tests.builders.http import ApiAnswer
from tests.builders.pdfs.unarchived import base_font, saved
from tests.builders.service import Service
from tests.builders.templates import make_template, publish_template, put_draft
from tests.fakes.engine import html_of

NO_DATASET = "ds_01J8Z6Y3K4M5N6P7Q8R9S0T1V2"


def pdf_of(*pages: str) -> bytes:
    with pikepdf.new() as document:
        for text in pages:
            document.add_blank_page(page_size=(200, 100))
            page = document.pages[-1].obj
            page.Resources = Dictionary(Font=Dictionary(F=base_font()))
            page.Contents = Stream(document, f"BT /F 12 Tf 20 50 Td ({text}) Tj ET".encode())
        return saved(document)


@pytest.fixture
def path(service: Service) -> str:
    """Give a template with the versions 1 and 2 and another draft, whose PDFs have their texts."""

    def print_html(job: Any) -> None:
        pages = str(html_of(job)).split("<hr>")
        content = pdf_of(*pages)
        service.engine.files = (RenderedFile("pdf", content, "application/pdf", len(pages)),)

    service.engine.before_run = print_html
    path = make_template(service, html="Sum 100", publish=True)
    put_draft(service, path, html="Sum 120")
    assert publish_template(service, path).status == 201
    put_draft(service, path, html="Sum 120<hr>More")
    service.engine.all_jobs.clear()
    return path


def compare(service: Service, path: str, **body: Any) -> ApiAnswer:
    key = body.pop("key", service.test)
    return service.call("POST", f"{path}/compare", json_body=body, key=key)


def code_of(service: Service, path: str, **body: Any) -> str:
    return str(compare(service, path, **body).code)


def test_changed_pixels_and_texts_are_told(service: Service, path: str) -> None:
    answer = compare(service, path, **{"from": 1, "to": 2})

    assert answer.status == 200, answer.body
    (page,) = answer.json["pages"]
    assert 0 < page["changed"] < 0.1
    assert answer.json["text_changes"] == [
        {"page": 1, "kind": "changed", "from": "Sum 100", "to": "Sum 120"}
    ]
    assert len({page["from_url"], page["to_url"], page["diff_url"]}) == 3


def test_page_of_one_version_only_has_null_on_the_other(service: Service, path: str) -> None:
    answer = compare(service, path, **{"from": "live", "to": "draft"})

    first, second = answer.json["pages"]
    assert (first["changed"], first["from_url"]) == (0, first["to_url"])
    assert second["to_url"].startswith("https://files.test/files/file_")
    assert second | {"to_url": ""} == {
        "page": 2,
        "changed": 1,
        "from_url": None,
        "to_url": "",
        "diff_url": None,
    }
    assert answer.json["text_changes"] == [{"page": 2, "kind": "added", "from": None, "to": "More"}]


def test_two_names_of_one_version_are_one_document(service: Service, path: str) -> None:
    answer = compare(service, path, **{"from": 2, "to": "live"})

    (page,) = answer.json["pages"]
    assert (page["changed"], page["from_url"]) == (0, page["to_url"])
    assert page["diff_url"]
    assert len(service.engine.jobs) == 1


@pytest.mark.parametrize("dataset", ["named", "default"])
def test_both_are_made_of_the_data_of_a_dataset(service: Service, path: str, dataset: str) -> None:
    bodies = [{"name": f"D{n}", "data": {"n": n}} for n in (1, 2)]
    _, added = (service.call("POST", f"{path}/datasets", json_body=body) for body in bodies)

    named = {"dataset_id": added.json["id"]} if dataset == "named" else {}
    assert compare(service, path, **{"from": 1, "to": 2}, **named).status == 200

    expected = {"n": 2 if dataset == "named" else 1}
    assert [job.data for job in service.engine.jobs] == [expected] * 2


def test_only_the_pdf_is_made_without_protection(service: Service, path: str) -> None:
    options = {"formats": ["png", "pdf"], "pdf": {"protection": {"user_password": "secret-1"}}}
    put_draft(service, path, html="Sum 120", options=options | {"fail_on": ["asset_failed"]})

    assert compare(service, path, **{"from": 1, "to": "draft"}).status == 200

    output = service.engine.jobs[-1].output
    assert (output.formats, output.pdf.protection, output.fail_on) == (("pdf",), None, ())


def test_nothing_is_billed_and_no_render_is_made(service: Service, path: str) -> None:
    compare(service, path, **{"from": 1, "to": 2}, key=service.live)

    assert service.call("GET", "/v1/renders").json["data"] == []
    assert service.limits()["leases"] == {}
    assert service.call("GET", "/v1/account").json["renders"]["used"] == 0


def test_pictures_can_be_fetched_for_an_hour_and_then_go(service: Service, path: str) -> None:
    (page,) = compare(service, path, **{"from": 1, "to": 2}).json["pages"]
    address = page["diff_url"].removeprefix("https://files.test")

    found = service.call("GET", address, key=None)
    assert found.status == 302
    assert "inline" in found.headers["Location"]
    pictures = [key for key in service.objects() if key.endswith(".png")]
    assert len(pictures) == 3
    content = service.clients.s3.get_object(Bucket=service.settings.bucket, Key=pictures[0])
    assert Image.open(io.BytesIO(content["Body"].read())).size == (267, 133)

    service.clock.advance(minutes=61)
    assert service.call("GET", address, key=None).code == "invalid_signature"
    service.tick()
    assert service.run_maintenance() == []
    assert [key for key in service.objects() if key.endswith(".png")] == []
    assert service.tick() == 0


def test_picture_is_no_source_of_a_tool(service: Service, path: str) -> None:
    (page,) = compare(service, path, **{"from": 1, "to": 2}).json["pages"]
    file_id = page["diff_url"].split("/")[-2]

    body = {"source": {"file_id": file_id}, "degrees": 90}
    answer = service.call("POST", "/v1/pdf-tools/rotate", json_body=body)

    assert answer.code == "not_found"


@pytest.mark.parametrize("missing", ["renders:read", "templates:read"])
def test_key_needs_both_scopes(service: Service, path: str, missing: str) -> None:
    key = service.key("test", scopes=[each for each in SCOPES if each != missing])

    answer = compare(service, path, **{"from": 1, "to": 2}, key=key)

    assert (answer.code, missing in answer.json["detail"]) == ("insufficient_scope", True)


@pytest.mark.parametrize("side", ["from", "to"])
def test_live_key_compares_drafts_where_it_renders_them(
    service: Service, path: str, side: str
) -> None:
    sides = {"from": 1, "to": 2, side: "draft"}

    assert code_of(service, path, **sides, key=service.live) == "test_key_required"
    assert service.engine.jobs == []


@pytest.mark.parametrize("mode", ["live", "test"])
def test_pages_that_nobody_pays_for_have_the_test_mark_once(
    service: Service, path: str, mode: str
) -> None:
    compare(service, path, **{"from": 1, "to": 2}, key=getattr(service, mode))

    assert [context.test for context in service.engine.contexts[-2:]] == [True, True]
    assert service.tool_worker.requests[-1]["test"] is False


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({"from": 1, "to": 9}, "version_not_found"),
        ({"from": 9, "to": 1}, "version_not_found"),
        ({"from": 1, "to": 2, "dataset_id": NO_DATASET}, "not_found"),
        ({"from": 0, "to": 1}, "validation_error"),
        ({"from": "newest", "to": 1}, "validation_error"),
        ({"from": 1}, "validation_error"),
        ({"from": 1, "to": 2, "dpi": 35}, "validation_error"),
        ({"from": 1, "to": 2, "dpi": 301}, "validation_error"),
    ],
)
def test_wrong_requests_are_refused_before_anything_is_made(
    service: Service, path: str, body: dict[str, Any], code: str
) -> None:
    assert code_of(service, path, **body) == code
    assert service.engine.jobs == []


def test_live_of_an_unpublished_template_is_not_found(service: Service) -> None:
    path = make_template(service)

    assert code_of(service, path, **{"from": "live", "to": "draft"}) == "version_not_found"


def test_deleted_template_is_gone(service: Service, path: str) -> None:
    service.call("DELETE", path)

    assert code_of(service, path, **{"from": 1, "to": 2}) == "template_deleted"


def test_restricted_key_compares_the_templates_of_its_list(service: Service, path: str) -> None:
    other = make_template(service, publish=True)
    key = service.key("test", templates=[path.rpartition("/")[2]])

    assert compare(service, path, **{"from": 1, "to": 2}, key=key).status == 200
    refused = code_of(service, other, **{"from": 1, "to": 1}, key=key)
    assert refused == "template_not_allowed_for_key"


def test_failure_names_its_side(service: Service, path: str) -> None:
    def fail(job: Any) -> None:
        if html_of(job) == "Sum 120":
            raise RenderFailure("template_runtime_error", "html: n is no number.", line=3)
        service.engine.files = (RenderedFile("pdf", pdf_of("x"), "application/pdf", 1),)

    service.engine.before_run = fail
    answer = compare(service, path, **{"from": 1, "to": 2})

    assert answer.code == "template_runtime_error"
    assert answer.json["detail"] == "to (version 2): html: n is no number."
    assert answer.json["line"] == 3


def test_data_that_do_not_fit_the_schema_of_a_side_are_refused(service: Service, path: str) -> None:
    put_draft(service, path, html="Sum", schema={"type": "object", "required": ["n"]})

    answer = compare(service, path, **{"from": 1, "to": "draft"})

    assert answer.code == "data_schema_mismatch"
    assert answer.json["detail"].startswith("to (the draft): ")


def test_late_comparison_says_what_to_change(service: Service, path: str) -> None:
    service.tool_worker.failure = RenderFailure("render_timeout", "late")

    answer = compare(service, path, **{"from": 1, "to": 2})

    assert (answer.code, "send a lower dpi" in answer.json["detail"]) == ("render_timeout", True)
    assert "trace" not in answer.json


@pytest.mark.parametrize(
    ("pages", "size", "code"),
    [(51, 1_000, "page_limit_exceeded"), (1, 20_000_001, "output_too_large")],
)
def test_large_documents_are_refused(
    service: Service, path: str, pages: int, size: int, code: str
) -> None:
    def print_large(_job: Any) -> None:
        file = RenderedFile("pdf", b"%PDF-1.7" + b" " * size, "application/pdf", pages)
        service.engine.files = (file,)

    service.engine.before_run = print_large
    answer = compare(service, path, **{"from": 1, "to": 2})

    assert answer.code == code
    assert answer.json["detail"].startswith("from (version 1): ")


def test_place_of_the_workspace_is_held(service: Service, path: str) -> None:
    def look(_job: Any) -> None:
        assert len(service.operator.limits.get(service.workspace)["leases"]) == 1
        service.engine.files = (RenderedFile("pdf", pdf_of("x"), "application/pdf", 1),)

    service.engine.before_run = look
    assert compare(service, path, **{"from": 1, "to": 2}).status == 200


def test_answer_of_another_shape_is_no_comparison(
    service: Service, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    call = service.tool_worker.call
    monkeypatch.setattr(
        service.tool_worker, "call", lambda *given: {**call(*given), "comparison": None}
    )

    assert code_of(service, path, **{"from": 1, "to": 2}) == "region_degraded"
