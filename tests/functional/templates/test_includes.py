"""Includes of other templates of the workspace: live versions are sent with the render."""

import pytest

from tests.builders import templates
from tests.builders.service import Service
from tests.builders.uploads import post_upload


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
    by_the_template = service.engine.jobs[-1].includes
    service.render(key=key, input=html)
    by_itself = service.engine.jobs[-1].includes

    assert by_the_template.sources == {layout: tag.format(inner), inner: "inner"}
    assert by_itself.sources == {}
    assert "may not use" in by_itself.problems[layout]


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
    html = f"{{% include '{inner}' %}}"

    service.render(key=key, input={"type": "html", "html": html, "templating": True})
    by_itself = service.engine.jobs[-1].includes
    templates.render_template(service, f"{templates.TEMPLATES_PATH}/{outer}", key=key)
    by_the_template = service.engine.jobs[-1].includes

    assert "may not use" in by_itself.problems[inner]
    assert by_the_template.sources == {inner: "inner"}


def test_key_with_an_allowlist_cannot_include_other_templates_through_output(
    service: Service,
) -> None:
    secret = _published(service, "secret")
    allowed = _published(service, "<p>")
    slipped_in = {"filename": f"{{% include '{secret}' %}}"}
    path = f"{templates.TEMPLATES_PATH}/{allowed}"

    key = service.key("live", templates=[allowed])
    templates.render_template(service, path, key=key, output=slipped_in)
    refused = service.engine.jobs[-1].includes
    templates.render_template(service, path, output=slipped_in)

    assert refused.sources == {}
    assert "may not use" in refused.problems[secret]
    assert service.engine.jobs[-1].includes.sources == {secret: "secret"}


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
    secret, kept, allowed = (_published(service, f"<p>{n}") for n in range(3))
    path = templates.make_template(service, html=f"{{% include '{kept}' %}}")
    key = service.key("live", templates=[path.rpartition("/")[2], allowed])

    def put(*ids: str, field: str = "html") -> int:
        text = "".join(f"{{% include '{each}' %}}" for each in ids)
        body = {field: text} if field == "html" else {"options": {field: text}}
        answer = service.call("PUT", f"{path}/draft", json_body=body, key=key)
        assert answer.status == 200 or answer.code == "template_not_allowed_for_key"
        return answer.status

    assert put(kept, allowed) == 200
    assert put(kept, secret) == 403
    assert put(secret, field="filename") == 403
    assert service.call("GET", f"{path}/draft").json["revision"] == 2
    assert templates.put_draft(service, path, html=f"{{% include '{secret}' %}}").status == 200
