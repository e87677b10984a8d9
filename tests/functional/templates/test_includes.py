"""Includes of other templates of the workspace: live versions are sent with the render."""

from collections.abc import Callable
from typing import Any, Final

import pytest

from tests.builders import templates
from tests.builders.http import ApiAnswer
from tests.builders.service import Service
from tests.builders.uploads import post_upload

FORBIDDEN: Final = "template_not_allowed_for_key"


def _published(service: Service, html: str) -> str:
    """Create and publish a template; return its id."""
    return templates.make_template(service, html=html, publish=True).rpartition("/")[2]


@pytest.mark.parametrize("mode", ["sync", "async"])
def test_included_templates_are_sent_in_their_live_version(service: Service, mode: str) -> None:
    inner = _published(service, "inner {{ n }}")
    templates.put_draft(
        service, f"{templates.TEMPLATES_PATH}/{inner}", html="a draft that nobody has published"
    )
    outer = _published(service, f"outer {{% include '{inner}' %}}")
    unpublished = templates.make_template(service).rpartition("/")[2]
    html = f"{{% include '{outer}' %}}"
    footer = {"html": f"{{% include '{unpublished}' ignore missing %}}"}

    made = service.render(
        input={"type": "html", "html": html},
        data={"n": 1},
        output={"pdf": {"footer": footer}},
        mode=mode,
    )
    service.run_queued()

    assert made.status < 300, made.body
    (job,) = service.engine.jobs
    assert job.includes.sources == {
        outer: f"outer {{% include '{inner}' %}}",
        inner: "inner {{ n }}",
    }
    assert list(job.includes.problems) == [unpublished]
    assert "not published" in job.includes.problems[unpublished]


def test_stored_template_includes_templates(service: Service) -> None:
    inner = _published(service, "inner")
    outer = _published(service, f"{{% include '{inner}' %}}")

    templates.render_template(service, f"{templates.TEMPLATES_PATH}/{outer}")

    assert service.engine.jobs[-1].includes.sources == {inner: "inner"}


@pytest.mark.parametrize(
    "tag", ["{{% extends '{}' %}}", "{{% import '{}' as m %}}", "{{% from '{}' import m %}}"]
)
def test_layouts_and_macros_are_sent_as_includes_are(service: Service, tag: str) -> None:
    inner = _published(service, "inner")
    layout = _published(service, tag.format(inner))
    outer = _published(service, tag.format(layout))
    key = service.key("live", templates=[outer])
    html = {"type": "html", "html": tag.format(layout), "templating": True}

    templates.render_template(service, f"{templates.TEMPLATES_PATH}/{outer}", key=key)
    by_itself = service.render(key=key, input=html)

    (job,) = service.engine.jobs
    assert job.includes.sources == {layout: tag.format(inner), inner: "inner"}
    assert (by_itself.status, by_itself.code) == (403, FORBIDDEN)


def test_deleted_include_is_reported_to_the_template(service: Service) -> None:
    gone = _published(service, "gone")
    assert service.call("DELETE", f"{templates.TEMPLATES_PATH}/{gone}").status < 300

    service.render(input={"type": "html", "html": f"{{% include '{gone}' %}}", "templating": True})

    includes = service.engine.jobs[-1].includes
    assert includes.sources == {}
    assert "deleted" in includes.problems[gone]


def test_template_of_another_workspace_cannot_be_included(service: Service) -> None:
    theirs = "tpl_01ARZ3NDEKTSV4RRFFQ69G5FAV"

    service.render(
        input={"type": "html", "html": f"{{% include '{theirs}' %}}", "templating": True}
    )

    assert "no template" in service.engine.jobs[-1].includes.problems[theirs]


def test_plain_html_includes_nothing(service: Service) -> None:
    inner = _published(service, "inner")

    service.render(input={"type": "html", "html": f"{{% include '{inner}' %}}"})

    assert service.engine.jobs[-1].includes.sources == {}


def test_key_with_an_allowlist_cannot_include_other_templates(service: Service) -> None:
    inner = _published(service, "inner")
    outer = _published(service, f"{{% include '{inner}' %}}")
    key = service.key("live", templates=[outer])
    html = f"{{% include '{outer}' %}}{{% if false %}}{{% include '{inner}' ignore missing %}}"

    refused = service.render(key=key, input={"type": "html", "html": html, "templating": True})
    templates.render_template(service, f"{templates.TEMPLATES_PATH}/{outer}", key=key)

    assert (refused.status, refused.code) == (403, FORBIDDEN)
    assert [each["path"] for each in refused.json["errors"]] == ["/input/html"]
    (job,) = service.engine.jobs
    assert job.includes.sources == {inner: "inner"}


@pytest.mark.parametrize(
    "slip_in",
    [
        lambda text: {"output": {"filename": text}},
        lambda text: {"output": {"pdf": {"header": {"html": text}}}},
        lambda text: {"output": {"pdf": {"footer": {"html": text}}}},
        lambda text: {"delivery": {"storage": [{"destination_id": "dst_x", "path": text}]}},
    ],
)
def test_partials_of_a_template_are_not_for_the_fields_of_a_restricted_key(
    service: Service, slip_in: Callable[[str], dict[str, Any]]
) -> None:
    partial = _published(service, "partial")
    allowed = _published(service, f"{{% include '{partial}' %}}")
    path = f"{templates.TEMPLATES_PATH}/{allowed}"
    key = service.key("live", templates=[allowed])
    fields = slip_in(f"{{% include '{partial}' ignore missing %}}")

    refused = templates.render_template(service, path, key=key, **fields)
    checked = service.call(
        "POST",
        "/v1/renders/preflight",
        json_body={"input": {"type": "template", "template_id": allowed}} | fields,
        key=key,
    )

    assert (refused.status, refused.code) == (403, FORBIDDEN)
    assert refused.json["errors"][0]["path"] in str(checked.json["errors"])
    assert service.engine.jobs == []


def test_uploaded_html_of_a_restricted_key_includes_templates_of_its_list_only(
    service: Service,
) -> None:
    mine, other = _published(service, "mine"), _published(service, "other")
    key = service.key("live", templates=[mine])

    def rendered(included: str) -> ApiAnswer:
        html = f"{{% include '{included}' %}}".encode()
        upload = post_upload(service, html).json["id"]
        source = {"type": "html", "upload_id": upload, "templating": True}
        return service.render(key=key, input=source)

    refused = rendered(other)
    assert (refused.status, refused.code) == (403, FORBIDDEN)
    assert refused.json["errors"][0]["path"] == "/input/upload_id"
    assert rendered(mine).status == 200


def test_batch_of_a_restricted_key_includes_templates_of_its_list_only(service: Service) -> None:
    mine, other = _published(service, "mine"), _published(service, "other")
    output = {"filename": f"{{% include '{other}' %}}"}
    body = {"template_id": mine, "items": [{"data": {}}], "output": output}

    answer = service.call(
        "POST", "/v1/batches", json_body=body, key=service.key("live", templates=[mine])
    )

    assert (answer.status, answer.code) == (403, FORBIDDEN)


def test_link_of_a_restricted_key_includes_templates_of_its_list_only(service: Service) -> None:
    mine, other = _published(service, "mine"), _published(service, "other")
    key = service.key("live", templates=[mine])

    def output(included: str) -> dict[str, Any]:
        return {"output": {"pdf": {"header": {"html": f"{{% include '{included}' %}}"}}}}

    def post(included: str) -> ApiAnswer:
        body = {"name": "A link", "template_id": mine} | output(included)
        return service.call("POST", "/v1/signed-links", json_body=body, key=key)

    made = post(mine)
    assert made.status == 201, made.body
    path = f"/v1/signed-links/{made.json['id']}"
    changed = service.call("PATCH", path, json_body=output(other), key=key)
    for refused in (post(other), changed):
        assert (refused.status, refused.code) == (403, FORBIDDEN)
        assert refused.json["errors"][0]["path"] == "/output/pdf/header/html"


def test_uploaded_html_includes_templates(service: Service) -> None:
    inner = _published(service, "inner")
    html = f"{{% include '{inner}' %}}".encode()
    uploaded = post_upload(service, html).json["id"]
    wanted = {"type": "html", "upload_id": uploaded, "templating": True}

    service.render(input=wanted)
    service.render(input=wanted | {"templating": False})

    with_language, without = service.engine.jobs
    assert with_language.includes.sources == {inner: "inner"}
    assert without.includes.sources == {}


def test_key_with_an_allowlist_cannot_write_a_draft_that_includes_others(service: Service) -> None:
    secret, partial, allowed = (_published(service, f"<p>{n}") for n in range(3))
    path = templates.make_template(service, html=f"{{% include '{partial}' %}}")
    key = service.key("live", templates=[path.rpartition("/")[2], allowed])

    def put(*ids: str, field: str = "html") -> int:
        text = "".join(f"{{% include '{each}' %}}" for each in ids)
        body = {field: text} if field == "html" else {"options": {field: text}}
        answer = service.call("PUT", f"{path}/draft", json_body=body, key=key)
        assert answer.status == 200 or answer.code == "template_not_allowed_for_key"
        return answer.status

    assert put(allowed) == 200
    assert put(allowed, partial) == 403
    assert put(allowed, secret) == 403
    assert put(secret, field="filename") == 403
    assert service.call("GET", f"{path}/draft").json["revision"] == 2
    assert templates.put_draft(service, path, html=f"{{% include '{secret}' %}}").status == 200
