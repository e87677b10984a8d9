"""Answers of signed links: bytes that any page may embed, made by ordinary renders."""

import datetime as dt
from typing import Any

import pytest

from chalicelib.adapters.aws.table import Write
from chalicelib.core.clock import epoch_ms
from chalicelib.core.errors import FieldError, RenderFailure
from chalicelib.engine.remote.calls import MAX_RETURNED_BYTES
from tests.builders.email_rules import made_rule
from tests.builders.service import Service
from tests.builders.signed_links import (
    LINKS_PATH,
    fetch,
    make_link,
    published,
    renders,
    shown,
    sign,
    signed_url,
)
from tests.builders.storage_uploads import make_destination
from tests.builders.templates import publish_template, put_draft, render_template


def test_url_makes_its_file_once(service: Service) -> None:
    link = make_link(service)
    url = sign(link)

    first = fetch(service, url)
    service.engine.content = b"another document"
    again = fetch(service, url)
    head = fetch(service, url, method="HEAD")

    assert (again.status, again.body) == (200, first.body)
    assert (head.status, head.body) == (200, b"")
    (render,) = renders(service)
    assert render["source"] == "signed_link"
    assert (render["status"], render["test"]) == ("succeeded", False)
    # Counted for every render of a template; rules send nothing.
    assert set(render["emails"].values()) == {0}
    assert render["output"]["format"] == "png"
    assert shown(service, link)["quota_used"] == 1


def test_answer_is_right_for_a_picture_on_any_page(service: Service) -> None:
    answer = fetch(service, sign(make_link(service)), {"Cookie": "a=b", "Origin": "https://a.test"})

    assert answer.status == 200, answer.body
    headers = {name: value for name, value in answer.headers.items() if name != "X-Request-Id"}
    assert headers == {
        "Content-Type": "image/png",
        "Cache-Control": "public, max-age=86400",
        "Content-Disposition": headers["Content-Disposition"],
        "Access-Control-Allow-Origin": "*",
        "Access-Control-Expose-Headers": "*",
        "X-Content-Type-Options": "nosniff",
    }
    assert headers["Content-Disposition"].startswith("inline; filename=")


def test_preflight_and_other_methods(service: Service) -> None:
    url = sign(make_link(service))

    preflight = fetch(service, url, {"Origin": "https://a.test"}, method="OPTIONS")
    post = fetch(service, url, method="POST")

    assert (preflight.status, preflight.headers["Access-Control-Allow-Methods"]) == (204, "GET")
    assert (post.status, post.code) == (405, "method_not_allowed")
    assert renders(service) == []


@pytest.mark.parametrize(
    ("extension", "content_type"),
    [
        ("pdf", "application/pdf"),
        ("png", "image/png"),
        ("jpeg", "image/jpeg"),
        ("jpg", "image/jpeg"),
        ("webp", "image/webp"),
    ],
)
def test_extension_chooses_the_format(service: Service, extension: str, content_type: str) -> None:
    output = {"pdf": {"pdfa": "3b", "page_size": "A5"}, "image": {"width": 90, "height": 60}}
    link = make_link(service, output=output)

    answer = fetch(service, sign(link, f"any%20name.{extension}"))

    assert (answer.status, answer.headers["Content-Type"]) == (200, content_type), answer.body
    options = service.engine.jobs[-1].output
    assert options.pdf.page_size == "A5"
    assert (options.pdf.pdfa is not None) == (extension == "pdf")


def test_head_has_the_headers_of_the_file(service: Service) -> None:
    url = sign(make_link(service))
    get = fetch(service, url)

    head = fetch(service, url, method="HEAD")

    assert (head.status, head.body) == (200, b"")
    assert head.headers["Content-Length"] == str(len(get.body))
    for name in ("Content-Type", "Content-Disposition", "Cache-Control"):
        assert head.headers[name] == get.headers[name]


def test_head_before_the_file_is_made_makes_nothing(service: Service) -> None:
    link = make_link(service, quota_total=1)

    head = fetch(service, sign(link, "a.jpg"), method="HEAD")

    assert (head.status, head.headers["Content-Type"]) == (200, "image/jpeg")
    assert head.headers["Cache-Control"] == "public, max-age=86400"
    assert "Content-Length" not in head.headers
    assert renders(service) == []
    assert fetch(service, sign(link, "a.jpg")).status == 200
    assert fetch(service, sign(link, query="n=2"), method="HEAD").status == 200
    assert fetch(service, "/l/lnk_1/a.jpg?sig=1", method="HEAD").status == 404


@pytest.mark.parametrize(
    ("name", "saved"),
    [
        ("badge.png", "filename=\"badge.png\"; filename*=UTF-8''badge.png"),
        ("a%20%C3%A9.jpg", "filename=\"a _.jpg\"; filename*=UTF-8''a%20%C3%A9.jpg"),
        ("a%0D%0Ab%22.pdf", "filename*=UTF-8''ab"),
    ],
)
def test_file_is_saved_under_its_name_in_the_url(service: Service, name: str, saved: str) -> None:
    answer = fetch(service, sign(make_link(service), name))

    assert saved in answer.headers["Content-Disposition"]


def test_answer_is_kept_until_the_url_ends_and_a_day_at_most(service: Service) -> None:
    now = service.clock.now()
    second = epoch_ms(now) // 1_000
    limited = make_link(service, expires_at=(now + dt.timedelta(seconds=90)).isoformat())
    link = make_link(service)
    ages = {
        f"exp={second + 100}": "max-age=100",
        f"exp={second + 86_401}": "max-age=86400",
        "n=1": "max-age=86400",
    }

    for query, age in ages.items():
        answer = fetch(service, sign(link, query=query))
        assert answer.headers["Cache-Control"] == f"public, {age}"
    answer = fetch(service, sign(limited, query=f"exp={second + 100}"))
    assert answer.headers["Cache-Control"] == "public, max-age=90"


def test_large_file_is_behind_an_address(service: Service) -> None:
    service.engine.content = b"x" * (MAX_RETURNED_BYTES + 1)
    url = sign(make_link(service))

    for _ in range(2):
        answer = fetch(service, url)

        assert answer.status == 303
        assert answer.json["object"] == "redirect"
        assert answer.json["location"] == answer.headers["Location"]
        assert answer.json["bytes"] == MAX_RETURNED_BYTES + 1
        assert answer.headers["Cache-Control"] == "no-store"
        assert "inline" in answer.headers["Location"]
        assert answer.headers["Access-Control-Allow-Origin"] == "*"
    service.engine.content = b"x" * MAX_RETURNED_BYTES
    whole = fetch(service, sign(make_link(service)))
    assert (whole.status, len(whole.body)) == (200, MAX_RETURNED_BYTES)


def test_link_of_a_test_key_makes_test_renders(service: Service) -> None:
    link = make_link(service, key=service.test)

    assert fetch(service, sign(link)).status == 200

    (render,) = renders(service)
    assert (render["test"], render["billed"]) == (True, False)
    assert service.engine.contexts[-1].test
    assert service.limits()["used"] == 0


def test_live_link_follows_publishing_and_made_files_stay(service: Service) -> None:
    template_id = published(service, "<p>one")
    path = f"/v1/templates/{template_id}"
    link = make_link(service, template_id=template_id)
    fixed = make_link(service, template_id=template_id, version=1)
    old = fetch(service, sign(link))
    assert put_draft(service, path, html="<p>two").status == 200
    assert publish_template(service, path).status == 201
    service.engine.content = b"two"

    again = fetch(service, sign(link))
    newer = fetch(service, sign(link, query="n=2"))
    assert fetch(service, sign(fixed)).status == 200

    assert again.body == old.body
    assert newer.body == b"two"
    assert sorted(row["template_version"] for row in renders(service)) == [1, 1, 2]


def test_change_of_options_concerns_new_files_only(service: Service) -> None:
    link = make_link(service, output={"locale": "de-AT"})
    first = fetch(service, sign(link))
    service.call("PATCH", f"{LINKS_PATH}/{link['id']}", json_body={"output": {"locale": "fr"}})
    service.engine.content = b"French"

    again = fetch(service, sign(link))
    other = fetch(service, sign(link, query="n=1"))

    assert again.body == first.body
    assert other.body == b"French"
    assert [job.output.locale for job in service.engine.jobs] == ["de-AT", "fr"]


def test_cached_answer_counts_in_nothing(service: Service) -> None:
    link = make_link(service)
    assert fetch(service, sign(link)).status == 200
    service.relay_events()
    before = service.limits()
    usage = service.call("GET", "/v1/usage").json

    for _ in range(3):
        assert fetch(service, sign(link)).status == 200

    assert service.limits() == before
    assert before["used"] == 1
    assert service.call("GET", "/v1/usage").json == usage


def test_render_of_a_link_takes_of_the_allowance(service: Service) -> None:
    workspace = service.create_workspace("free")
    key = service.key("live", workspace)
    template = {"name": "A", "html": "<p>", "publish": True}
    template_id = service.call("POST", "/v1/templates", json_body=template, key=key).json["id"]
    link = make_link(service, template_id=template_id, key=key)
    service.clock.advance(seconds=10)
    item = service.operator.limits.get(workspace)
    left = item["quota_left"]
    empty = Write(service.main_table, item=item | {"quota_left": 0})
    service.main_table.write(empty)

    refused = fetch(service, sign(link))

    assert left > 0
    assert (refused.status, refused.code) == (402, "render_limit_reached")
    assert service.call("GET", f"{LINKS_PATH}/{link['id']}", key=key).json["quota_used"] == 0


def test_rules_and_the_default_destination_get_nothing_of_a_link(service: Service) -> None:
    make_destination(service, is_default=True)
    template_id = published(service)
    made_rule(service, template_id, to="ada@example.com")

    assert fetch(service, sign(make_link(service, template_id=template_id))).status == 200

    job = service.engine.jobs[-1]
    assert (job.emails, job.storage) == (None, None)
    (render,) = renders(service)
    assert render["storage"] == []
    # The same template, rendered by a request, has both.
    assert render_template(service, f"/v1/templates/{template_id}").status == 200
    job = service.engine.jobs[-1]
    assert None not in (job.emails, job.storage)


def test_failure_of_a_render_tells_nobody_its_source(service: Service) -> None:
    secret = "the margin is 40 %"

    def fail(_job: object) -> None:
        members: dict[str, Any] = {"line": 1, "column": 7, "excerpt": secret}
        error = RenderFailure("template_runtime_error", secret, **members)
        error.errors = (FieldError("/data/margin", "invalid", secret),)
        raise error

    service.engine.before_run = fail
    link = make_link(service)

    answer = fetch(service, sign(link))

    assert (answer.status, answer.code) == (422, "template_runtime_error")
    assert answer.headers["Cache-Control"] == "no-store"
    assert answer.headers["Access-Control-Allow-Origin"] == "*"
    (render,) = renders(service)
    told = set(answer.json) - {"request_id", "doc_url"}
    assert told == {"type", "title", "status", "code", "detail", "render_id"}
    assert answer.json["render_id"] == render["id"]
    assert secret not in answer.body.decode()
    assert render["error"]["message"] == secret
    assert render["error"]["excerpt"] == secret


def test_a_refused_render_tells_nobody_its_schema(service: Service) -> None:
    rule = {"type": "object", "properties": {"who": {"type": "string", "pattern": "^secret-rule$"}}}
    link = make_link(service, template_id=published(service, schema=rule))

    answer = fetch(service, sign(link))

    assert (answer.status, answer.code) == (422, "data_schema_mismatch")
    assert "owner of the link" in answer.json["detail"]
    assert "errors" not in answer.json
    assert "secret-rule" not in answer.body.decode()


def test_template_that_is_not_published_or_is_deleted_is_a_problem(service: Service) -> None:
    path = "/v1/templates/" + published(service)
    link = make_link(service, template_id=path.split("/")[-1])
    assert fetch(service, sign(link, query="n=1")).status == 200
    assert service.call("DELETE", path).status == 200

    deleted = fetch(service, sign(link, query="n=2"))
    made = fetch(service, sign(link, query="n=1"))

    assert (deleted.status, deleted.code) == (410, "template_deleted")
    assert made.status == 200
    assert shown(service, link)["quota_used"] == 1


def test_files_are_served_by_the_same_entrance(service: Service) -> None:
    url = service.render().json["files"][0]["url"]

    found = fetch(service, url)
    altered = fetch(service, url.replace("sig=", "sig=0"))
    elsewhere = fetch(service, "/v1/renders")

    assert found.status == 302
    assert altered.code == "invalid_signature"
    assert (elsewhere.status, elsewhere.code) == (404, "not_found")


def test_signed_urls_of_the_service_work_as_they_are(service: Service) -> None:
    link = make_link(service)
    wanted = {"name": "Ä ß", "format": "webp", "params": {"who": "Ada & Eve"}}

    url = signed_url(service, link, **wanted).json["url"]

    assert fetch(service, url).headers["Content-Type"] == "image/webp"
    assert service.engine.jobs[-1].data == {"who": "Ada & Eve"}
