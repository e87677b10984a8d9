"""Creation of renders: sources, options and refusals."""

from copy import replace
from typing import Any

import pytest

from chalicelib.adapters.aws.table import Write
from chalicelib.core.clock import format_rfc3339
from chalicelib.core.ids import TemplateId, lowest_id
from chalicelib.engine.sources import HtmlSource, UrlSource
from chalicelib.engine.versions import NEWEST_ENGINE
from chalicelib.features.templates.model import Draft, PublishedVersion, SourceBundle, Template
from chalicelib.features.templates.repository import draft_row, template_row, version_row
from chalicelib.features.templates.source_texts import serialize_source, stored_text
from tests.builders.service import Service
from tests.fakes.engine import content_of

TEMPLATE = lowest_id("tpl", 1_700_000_000_000)
OTHER = lowest_id("tpl", 1_700_000_000_001)


def keep_template(service: Service, *, live: int | None = 2, deleted: bool = False) -> None:
    """Store a template: its META row, a draft and version 2."""
    now = format_rfc3339(service.clock.now())
    template = Template(
        TemplateId(TEMPLATE), service.workspace, "T", None, "html", "active", now, now
    )
    if deleted:
        template = replace(template, status="deleted", deleted_at=now)
    draft = SourceBundle({"html": "<p>draft {{ n }}</p>", "head": "<style></style>"})
    published = stored_text(serialize_source(SourceBundle({"html": "<p>live {{ n }}</p>"})), None)
    for item in (
        template_row(replace(template, live_version=live)),
        draft_row(template, Draft(1, stored_text(serialize_source(draft), None), now)),
        version_row(template, PublishedVersion(2, published, now)),
    ):
        service.main_table.write(Write(service.main_table, item=item))


def of_template(template_id: str = TEMPLATE) -> dict[str, str]:
    return {"type": "template", "template_id": template_id}


@pytest.mark.parametrize("mode", ["sync", "async"])
def test_template_is_rendered_in_its_live_version(service: Service, mode: str) -> None:
    keep_template(service)

    made = service.render(input=of_template(), data={"n": 1}, mode=mode).json
    service.run_queued()

    render = service.call("GET", f"/v1/renders/{made['id']}").json
    assert render["status"] == "succeeded"
    assert render["input"] == of_template()
    assert (render["template_id"], render["template_version"]) == (TEMPLATE, 2)
    (job,) = service.engine.jobs
    assert content_of(job) == HtmlSource(html="<p>live {{ n }}</p>", templating=True)
    assert job.data == {"n": 1}


def test_live_key_renders_a_draft_only_where_the_workspace_allows_it(
    service: Service,
) -> None:
    keep_template(service, live=None)
    draft: dict[str, Any] = {"input": of_template(), "version": "draft"}

    assert service.render(key=service.test, **draft).json["template_version"] is None
    assert content_of(service.engine.jobs[-1]) == HtmlSource(
        html="<p>draft {{ n }}</p>", head="<style></style>", templating=True
    )
    assert service.render(**draft).code == "test_key_required"
    workspace = service.services.workspaces.get(service.workspace)
    assert workspace is not None
    change = service.services.workspaces.change(workspace, {"allow_draft_rendering": True})
    service.main_table.write(change)
    assert service.render(**draft).status == 200


@pytest.mark.parametrize(
    ("kept", "fields", "code"),
    [
        ({}, {"input": of_template(OTHER)}, "template_not_found"),
        ({}, {"input": of_template("tpl_x#META")}, "template_not_found"),
        ({}, {"version": 7}, "version_not_found"),
        ({"live": None}, {}, "version_not_found"),
        ({"deleted": True}, {}, "template_deleted"),
    ],
)
def test_missing_template_costs_nothing(
    service: Service, kept: dict[str, Any], fields: dict[str, Any], code: str
) -> None:
    keep_template(service, **kept)

    answer = service.render(**({"input": of_template()} | fields))

    assert answer.code == code
    assert service.limits()["holds"] == {}
    assert service.call("GET", "/v1/renders").json["data"] == []


def test_key_with_an_allowlist_cannot_probe_other_templates(service: Service) -> None:
    keep_template(service)
    key = service.key("live", templates=[TEMPLATE])

    assert service.render(key=key, input=of_template()).status == 200
    there = service.render(key=service.key("live", templates=[OTHER]), input=of_template())
    absent = service.render(key=key, input=of_template(OTHER))
    assert there.code == absent.code == "template_not_allowed_for_key"
    assert there.json["detail"] == absent.json["detail"]
    assert service.render(key=key).status == 200


def test_unknown_engine_is_refused(service: Service) -> None:
    listed = service.call("GET", "/v1/engines").json

    assert [engine["id"] for engine in listed["data"]] == [NEWEST_ENGINE]
    assert listed["data"][0]["state"] == "current"
    assert (listed["has_more"], listed["next_cursor"]) == (False, None)
    assert service.render(engine=NEWEST_ENGINE).json["engine"] == NEWEST_ENGINE
    assert service.render().json["engine"] == NEWEST_ENGINE
    refused = service.render(engine="1999.1")
    assert (refused.status, refused.json["errors"][0]["path"]) == (400, "/engine")


@pytest.mark.parametrize(
    ("fields", "path"),
    [
        ({"version": "draft"}, "/version"),
        ({"version": 1}, "/version"),
        ({"data": {}, "data_url": "https://example.com/"}, ""),
        ({"input": {"type": "html"}}, "/input"),
        ({"input": {"html": "<p>"}}, "/input/type"),
        ({"input": {}}, "/input/type"),
        ({"input": {"type": "template"}}, "/input/template_id"),
        ({"input": {"type": "pdf", "url": "https://example.com/"}}, "/input/type"),
        ({"priority": "high"}, "/priority"),
    ],
)
def test_conflicting_fields_are_named(service: Service, fields: dict[str, Any], path: str) -> None:
    answer = service.render(key=service.test, **fields)

    assert answer.code == "validation_error"
    assert answer.json["errors"][0]["path"] == path


def test_url_source_is_a_web_page_and_html_with_data_is_a_template(service: Service) -> None:
    page = {"type": "url", "url": "https://example.com/a"}

    assert service.render(input=page).json["input"] == page
    service.render(data_url="https://example.com/data")
    assert service.engine.jobs[0].source == UrlSource(page["url"])
    assert service.engine.jobs[1].source == HtmlSource(html="<p>Hello</p>", templating=True)
    assert service.engine.jobs[-1].data_url == "https://example.com/data"


@pytest.mark.parametrize(
    ("requested_pages", "pages", "code"),
    [(3, 3, None), (3, 4, "page_limit_exceeded"), (100_000, 2_001, "page_limit_exceeded")],
)
def test_request_lowers_the_page_limit_and_never_raises_it(
    service: Service, requested_pages: int, pages: int, code: str | None
) -> None:
    service.engine.page_count = pages

    answer = service.render(output={"pdf": {"max_pages": requested_pages}})

    assert answer.json.get("code") == code
    assert service.limits()["used"] == (1 if code is None else 0)


def test_repeat_is_answered_after_the_template_is_deleted(service: Service) -> None:
    keep_template(service)
    first = service.render(input=of_template(), headers={"Idempotency-Key": "k"})
    keep_template(service, deleted=True)

    again = service.render(input=of_template(), headers={"Idempotency-Key": "k"})

    assert (again.status, again.json["id"]) == (200, first.json["id"])
    assert again.headers["Idempotent-Replayed"] == "true"


def test_render_that_is_taken_over_keeps_its_version(service: Service) -> None:
    class ApiKilled(BaseException):
        """Death of the API function's process."""

    keep_template(service)
    service.invoke_failures = iter([ApiKilled()])
    with pytest.raises(ApiKilled):
        service.render(input=of_template(), headers={"Idempotency-Key": "k"})
    keep_template(service, live=3)
    service.clock.advance(seconds=31)

    render = service.render(input=of_template(), headers={"Idempotency-Key": "k"}).json

    assert (render["status"], render["template_version"]) == ("succeeded", 2)
    assert content_of(service.engine.jobs[-1]) == HtmlSource(
        html="<p>live {{ n }}</p>", templating=True
    )


def test_null_equals_an_absent_field(service: Service) -> None:
    answer = service.render(output=None, delivery=None)

    assert answer.status == 200
    assert [file["format"] for file in answer.json["files"]] == ["pdf"]
    assert answer.json["files"][0]["url"]
    flat = {"html": "<p>x", "delivery": None}
    assert service.call("POST", "/v1/images/from-html", json_body=flat).status == 200


def test_default_format_is_shown(service: Service) -> None:
    shown = service.render(delivery={"type": "none"}).json["output"]

    assert (shown["format"], shown["formats"]) == ("pdf", None)


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("https://ada:secret@example.com/a@b?c=d@e", "https://example.com/a@b?c=***"),
        ("https:ada:secret@example.com/", "https:example.com/"),
        ("https:\\\\ada:s@cret@example.com\\", "https:\\\\example.com\\"),
        ("https://example.com/?q=@", "https://example.com/?q=***"),
    ],
)
def test_url_credentials_are_redacted(service: Service, url: str, shown: str) -> None:
    answer = service.render(input={"type": "url", "url": url})

    assert answer.json["input"]["url"] == shown
    source = service.engine.jobs[-1].source
    assert isinstance(source, UrlSource)
    assert source.url == url
    (row, *_) = (row for row in service.rows(answer.json["id"]) if row["SK"] == "META")
    assert "cret" not in str(row)
