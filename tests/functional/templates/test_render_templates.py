"""Renders of stored templates: version and options."""

from typing import Any

import pytest

from chalicelib.engine.sources import HtmlSource
from chalicelib.features.workspaces.change import WorkspaceChanges
from tests.builders.service import Service
from tests.builders.templates import (
    TEMPLATES_PATH,
    make_template,
    publish_template,
    put_draft,
    render_template,
)
from tests.fakes.engine import content_of

OPTIONS: dict[str, Any] = {
    "output_format": "png",
    "filename": "Invoice {{ n }}",
    "strict_undefined": True,
    "pdf": {"page_size": "A5", "margin": {"top": "20mm"}, "max_pages": 1},
    "image": {"width": 300},
    "einvoice": {"profile": "BASIC", "invoice_path": "invoice"},
    "email": False,
}


def test_versions_and_drafts_are_rendered_from_their_source(service: Service) -> None:
    path = make_template(service, html="one", head="<title>1</title>", css="p {}")
    assert render_template(service, path).code == "version_not_found"
    publish_template(service, path)
    put_draft(service, path, html="two")
    publish_template(service, path)
    put_draft(service, path, html="three")

    for version, key, number, html in (
        ("live", service.live, 2, "two"),
        (1, service.live, 1, "one"),
        (2, service.test, 2, "two"),
        ("draft", service.test, None, "three"),
    ):
        answer = render_template(service, path, version=version, key=key, data={"n": 1})
        assert (answer.status, answer.json["template_version"]) == (200, number)
        assert answer.json["template_id"] == path.rpartition("/")[2]
        assert answer.json["input"] == {
            "type": "template",
            "template_id": path[len(TEMPLATES_PATH) + 1 :],
        }
        source = content_of(service.engine.jobs[-1])
        assert isinstance(source, HtmlSource)
        assert (source.html, source.templating) == (html, True)
        more = ("<title>1</title>", "p {}") if html == "one" else (None, None)
        assert (source.head, source.css) == more
    assert render_template(service, path, version=3).code == "version_not_found"
    assert render_template(service, path, version="draft").code == "test_key_required"


def test_workspace_setting_allows_drafts_with_a_live_key(service: Service) -> None:
    path = make_template(service)
    assert render_template(service, path, version="draft").code == "test_key_required"

    service.operator.change_workspace(
        service.workspace, WorkspaceChanges(allow_draft_rendering=True)
    )
    assert render_template(service, path, version="draft").status == 200


def test_template_options_are_the_output_defaults(service: Service) -> None:
    path = make_template(service, options=OPTIONS, header="<b>h</b>", publish=True)

    answer = render_template(service, path)

    assert answer.status == 200, answer.body
    output = service.engine.jobs[-1].output
    assert output.formats == ("png",)
    assert (output.filename, output.strict_undefined) == ("Invoice {{ n }}", True)
    assert output.image.width == 300
    assert answer.json["output"]["format"] == "png"
    # Defaults for a PDF are not those of a picture.
    assert answer.json["output"]["pdf"]["page_size"] == "A4"
    said = {"format": "pdf", "pdf": {"max_pages": 9}}
    shown = render_template(service, path, output=said).json["output"]
    assert (shown["format"], shown["pdf"]["page_size"]) == ("pdf", "A5")
    assert shown["pdf"]["margin"] == {
        "top": "20mm",
        "right": "10mm",
        "bottom": "10mm",
        "left": "10mm",
    }
    assert shown["pdf"]["header"] == {"enabled": True}


def test_request_overrides_template_options(service: Service) -> None:
    path = make_template(service, options=OPTIONS, publish=True)
    service.engine.page_count = 2
    said: dict[str, Any] = {"format": "pdf", "filename": "Mine", "pdf": {"margin": {"top": "1mm"}}}

    assert render_template(service, path, output=said).code == "page_limit_exceeded"
    said["pdf"] |= {"max_pages": 2}
    answer = render_template(service, path, output=said)

    assert answer.status == 200, answer.body
    shown = answer.json["output"]
    assert (shown["format"], shown["filename"], shown["strict_undefined"]) == ("pdf", "Mine", True)
    assert (shown["pdf"]["page_size"], shown["pdf"]["margin"]["top"]) == ("A5", "1mm")


def test_shorter_endpoints_keep_their_format(service: Service) -> None:
    path = make_template(service, options=OPTIONS | {"pdf": {}}, publish=True)
    body = {"template_id": path.rpartition("/")[2]}

    pdf = service.call("POST", "/v1/pdf/from-template", json_body=body)
    assert pdf.json["output"]["format"] == "pdf"
    image = service.call("POST", "/v1/images/from-template", json_body=body | {"format": "webp"})
    assert image.json["output"]["format"] == "webp"


def test_preflight_applies_template_options(service: Service) -> None:
    header = {"height": "30mm", "left": "x"}
    path = make_template(service, html="<p>", header=header, publish=True)
    body = {"input": {"type": "template", "template_id": path.rpartition("/")[2]}}

    report = service.call("POST", "/v1/renders/preflight", json_body=body).json

    assert report["ok"] is True
    (job,) = service.engine.lint_jobs
    assert job.output.pdf.header.height == "30mm"
    gone = service.call("DELETE", path)
    assert gone.status == 200
    report = service.call("POST", "/v1/renders/preflight", json_body=body).json
    assert [error["code"] for error in report["errors"]] == ["template_deleted"]


@pytest.mark.parametrize("mode", ["sync", "async"])
def test_repeat_after_publishing_answers_the_first_render(service: Service, mode: str) -> None:
    path = make_template(service, publish=True)
    headers = {"Idempotency-Key": "k"}
    first = render_template(service, path, mode=mode, headers=headers)
    put_draft(service, path, html="two")
    publish_template(service, path)

    again = render_template(service, path, mode=mode, headers=headers)

    assert again.json["id"] == first.json["id"]
    assert again.json["template_version"] == 1
