"""Dry runs before publishing render every dataset; nothing is stored or billed."""

from typing import Any

import pytest
from botocore.exceptions import ReadTimeoutError

from chalicelib.core.errors import RenderFailure
from tests.builders.lambda_client import FunctionKilled, LambdaClient
from tests.builders.service import Service
from tests.builders.templates import (
    TEMPLATES_PATH,
    make_template,
    post_template,
    publish_template,
    put_draft,
    template_rows,
)
from tests.fakes.engine import html_of

GOOD = {"name": "Good", "data": {"n": 1}}
MISSING = "tpl_01J8Z6Y3K4M5N6P7Q8R9S0T1V2"
BAD = {"name": "Bad", "data": {"n": "fails"}}


def fail_for_bad(job: Any) -> None:
    if (job.data or {}).get("n") == "fails":
        raise RenderFailure(
            "template_runtime_error", "n is no number.", line=3, column=7, excerpt="{{ n }}"
        )


def add(service: Service, path: str, dataset: dict[str, Any]) -> str:
    answer = service.call("POST", f"{path}/datasets", json_body=dataset)
    assert answer.status == 201
    return str(answer.json["id"])


def nothing_was_stored(service: Service) -> None:
    assert service.call("GET", "/v1/renders").json["data"] == []
    assert service.limits()["holds"] == {}
    assert service.call("GET", "/v1/account").json["renders"]["used"] == 0
    assert service.objects() == []


def test_every_dataset_is_rendered_and_nothing_is_stored(service: Service) -> None:
    path = make_template(service, html="<p>{{ n }}</p>", options={"pdf": {"page_size": "A5"}})
    for n in range(3):
        add(service, path, {"name": f"D{n}", "data": {"n": n}})

    answer = publish_template(service, path)

    assert answer.status == 201, answer.body
    jobs = service.engine.jobs
    assert sorted(int(str((job.data or {})["n"])) for job in jobs) == [0, 1, 2]
    assert {html_of(job) for job in jobs} == {"<p>{{ n }}</p>"}
    assert not any(context.test for context in service.engine.contexts)
    nothing_was_stored(service)


def test_failing_dataset_stops_publishing_and_is_named(service: Service) -> None:
    service.engine.before_run = fail_for_bad
    path = make_template(service)
    add(service, path, GOOD)
    bad = add(service, path, BAD)

    answer = publish_template(service, path)

    assert (answer.status, answer.code) == (422, "template_runtime_error")
    assert f'"Bad" ({bad})' in answer.json["detail"]
    place = {name: answer.json[name] for name in ("line", "column", "excerpt")}
    assert place == {"line": 3, "column": 7, "excerpt": "{{ n }}"}
    assert service.call("GET", path).json["live_version"] is None
    assert not [
        row for row in template_rows(service, path) if row["SK"].startswith(("VER#", "EVENT#"))
    ]
    nothing_was_stored(service)


def test_template_that_fails_its_dry_run_is_not_created(service: Service) -> None:
    service.engine.before_run = fail_for_bad

    answer = post_template(service, datasets=[GOOD, BAD], publish=True)

    assert (answer.status, answer.code) == (422, "template_runtime_error")
    assert '"Bad" (/datasets/1)' in answer.json["detail"]
    assert service.call("GET", TEMPLATES_PATH).json["data"] == []
    # A template that is not published needs no successful dry run.
    assert post_template(service, datasets=[GOOD, BAD]).status == 201


def test_dataset_that_violates_the_schema_is_named(service: Service) -> None:
    schema = {"properties": {"n": {"type": "number"}}}

    answer = post_template(service, datasets=[GOOD, BAD], schema=schema, publish=True)
    assert (answer.code, answer.pointers) == ("data_schema_mismatch", ["/datasets/1/data/n"])
    assert '"Bad"' in answer.json["detail"]

    path = make_template(service, schema=schema)
    add(service, path, BAD)
    kept = publish_template(service, path)
    assert (kept.status, kept.code, kept.pointers) == (422, "data_schema_mismatch", ["/data/n"])
    assert service.engine.jobs == []


def test_document_with_too_many_pages_is_not_published(service: Service) -> None:
    service.engine.page_count = 5_000

    assert post_template(service, datasets=[GOOD], publish=True).code == "page_limit_exceeded"


def test_dataset_that_exceeds_the_time_limit_is_named(service: Service) -> None:
    path = make_template(service)
    add(service, path, GOOD)
    service.invoke_failures = iter([ReadTimeoutError(endpoint_url="https://lambda.test")])

    answer = publish_template(service, path)

    assert (answer.status, answer.code) == (408, "render_timeout")
    assert '"Good"' in answer.json["detail"]
    assert service.call("GET", path).json["live_version"] is None


def test_busy_or_killed_functions_are_invoked_again(service: Service) -> None:
    path = make_template(service)
    add(service, path, GOOD)
    busy = LambdaClient.exceptions.TooManyRequestsException()
    service.invoke_failures = iter([busy, FunctionKilled()])

    assert publish_template(service, path).status == 201

    def die(_job: Any) -> None:
        raise FunctionKilled

    service.engine.before_run = die
    refused = publish_template(service, path)
    assert (refused.status, refused.code) == (422, "render_failed")


@pytest.mark.parametrize("times", [1, 2])
def test_document_too_large_for_an_invocation_goes_through_the_bucket(
    service: Service, times: int
) -> None:
    # Each is within the bounds of a request; with the template they exceed 6 MB.
    path = make_template(service, html="x" * 3_300_000)
    for n in range(times):
        add(service, path, {"name": f"Large {n}", "data": {"text": "y" * 3_300_000}})
    before = service.objects()

    assert publish_template(service, path).status == 201

    assert len(service.engine.jobs) == times
    assert len(str((service.engine.jobs[0].data or {})["text"])) == 3_300_000
    assert service.objects() == before


@pytest.mark.parametrize("datasets", [[], [GOOD]])
@pytest.mark.parametrize(
    ("fields", "code", "told"),
    [
        ({"html": "<p>{{ name"}, "template_syntax_error", "html: "),
        ({"html": "{{ name|shout }}"}, "template_runtime_error", "No filter named 'shout'"),
        ({"html": '{% include "header.html" %}'}, "template_runtime_error", "by its id"),
        ({"html": f'{{% extends "{MISSING}" %}}'}, "template_runtime_error", MISSING),
        ({"html": "x", "css": f'{{% include "{MISSING}" %}}'}, "template_runtime_error", "css: "),
        (
            {"html": "x", "header": {"html": "{% if %}"}},
            "template_syntax_error",
            "header.html: ",
        ),
        ({"html": "x", "footer": "{{ n|shout }}"}, "template_runtime_error", "footer: "),
        (
            {"html": "x", "options": {"filename": "{{ n|shout }}"}},
            "template_runtime_error",
            "options.filename: ",
        ),
        (
            {
                "type": "image_canvas",
                "html": None,
                "scene": {
                    "width": 9,
                    "height": 9,
                    "layers": [
                        {
                            "type": "text",
                            "x": 0,
                            "y": 0,
                            "width": 9,
                            "height": 9,
                            "bind": "{{ n|shout }}",
                        }
                    ],
                },
            },
            "template_runtime_error",
            "No filter named 'shout'",
        ),
    ],
)
def test_template_that_no_data_can_render_is_not_published(
    service: Service, fields: dict[str, Any], code: str, told: str, datasets: list[dict[str, Any]]
) -> None:
    created = post_template(service, **fields, datasets=datasets, publish=True)
    assert (created.status, created.code) == (422, code)
    assert told in created.json["detail"]
    assert "output." not in created.json["detail"]
    assert service.call("GET", TEMPLATES_PATH).json["data"] == []

    answer = publish_template(service, make_template(service, **fields, datasets=datasets))

    assert (answer.status, answer.code) == (422, code)
    assert {"line", "column", "excerpt"} <= answer.json.keys()


def test_template_that_names_itself_or_one_without_a_version_is_not_published(
    service: Service,
) -> None:
    layout = make_template(service, html="{% block body %}{% endblock %}")
    layout_id = layout.rpartition("/")[2]
    page = make_template(service, html=f'{{% extends "{layout_id}" %}}')
    assert "is not published" in publish_template(service, page).json["detail"]
    assert publish_template(service, layout).status == 201
    assert publish_template(service, page).status == 201

    put_draft(service, page, html=f'{{% include "{page.rpartition("/")[2]}" %}}')
    refused = publish_template(service, page)
    assert (refused.status, refused.code) == (422, "template_runtime_error")
    assert "cannot be part of itself" in refused.json["detail"]

    for html in (
        f'{{% include "{MISSING}" ignore missing %}}',
        f'{{# {{% include "{MISSING}" %}} #}}',
        "{{ nothing.at.all }}",
    ):
        put_draft(service, page, html=html)
        assert publish_template(service, page).status == 201
