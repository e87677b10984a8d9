"""Reading renders: one, lists with filters and cursors, and files."""

from copy import replace
from typing import Any
from urllib.parse import quote, urlsplit

import pytest

from chalicelib.engine.context import RenderTrace
from tests.builders.service import Service


def test_render_of_another_workspace_is_not_found(service: Service) -> None:
    render = service.render().json
    stranger = service.key("live", service.create_workspace())

    answer = service.call("GET", f"/v1/renders/{render['id']}", key=stranger)

    assert answer.status == 404
    assert answer.code == "render_not_found"


@pytest.mark.parametrize("render_id", ["rnd_01J", "x", "rnd_" + "0" * 26, "ws_" + "0" * 26])
def test_unknown_render_is_not_found(service: Service, render_id: str) -> None:
    assert service.call("GET", f"/v1/renders/{render_id}").code == "render_not_found"


def test_test_key_sees_test_renders_only(service: Service) -> None:
    live = service.render().json["id"]
    test = service.render(key=service.test).json["id"]

    listed = service.call("GET", "/v1/renders", key=service.test).json["data"]

    assert [render["id"] for render in listed] == [test]
    assert service.call("GET", f"/v1/renders/{live}", key=service.test).status == 404
    assert service.call("GET", "/v1/renders?test=false", key=service.test).json["data"] == []


def test_list_is_newest_first_in_pages(service: Service) -> None:
    made = []
    for n in range(5):
        service.clock.advance(seconds=1)
        made.append(service.render(reference=str(n)).json["id"])

    first = service.call("GET", "/v1/renders?limit=2").json
    second = service.call("GET", f"/v1/renders?limit=2&cursor={first['next_cursor']}").json
    third = service.call("GET", f"/v1/renders?limit=2&cursor={second['next_cursor']}").json

    pages = [[render["id"] for render in page["data"]] for page in (first, second, third)]
    assert pages == [[made[4], made[3]], [made[2], made[1]], [made[0]]]
    assert [page["has_more"] for page in (first, second, third)] == [True, True, False]
    assert third["next_cursor"] is None


def test_list_is_filtered(service: Service) -> None:
    service.render(reference="a")
    service.render(reference="b", mode="async")
    service.render(reference="b", key=service.test)

    def references(query: str) -> list[str]:
        listed = service.call("GET", f"/v1/renders?{query}").json["data"]
        return [render["reference"] for render in listed]

    assert references("reference=a") == ["a"]
    assert references("status=queued") == ["b"]
    assert references("test=true") == ["b"]
    assert references("test=false&reference=b") == ["b"]
    assert references("template_id=tpl_1") == []


def test_list_is_filtered_by_time(service: Service) -> None:
    before = service.render().json
    service.clock.advance(seconds=10)
    after = service.render().json

    def ids(query: str) -> list[str]:
        listed = service.call("GET", f"/v1/renders?{query}").json["data"]
        return [render["id"] for render in listed]

    assert ids("created_after=2026-11-21T12:00:05Z") == [after["id"]]
    assert ids("created_before=2026-11-21T12:00:05Z") == [before["id"]]
    assert ids("created_after=2026-11-21T12:00:00Z") == [after["id"]]
    assert ids("created_before=2026-11-21T12:00:10Z") == [before["id"]]


@pytest.mark.parametrize(
    "text",
    [
        "2020",
        "1577836800",
        "2020-01-01",
        "2020-01-01T00:00:00",
        "2020-01-01T00:00Z",
        "2020-01-01T00:00:00+0100",
        "2020-W01-1T00:00:00Z",
        "2020-02-30T00:00:00Z",
    ],
)
def test_time_outside_rfc_3339_is_refused(service: Service, text: str) -> None:
    answer = service.call("GET", f"/v1/renders?created_after={quote(text)}")

    assert answer.pointers == ["/query/created_after"]
    assert answer.json["errors"][0] | {"path": ""} == {
        "path": "",
        "code": "wrong_format",
        "message": "must be an RFC 3339 time with its offset",
    }


def test_plus_of_a_query_is_told_to_be_a_blank(service: Service) -> None:
    answer = service.call("GET", "/v1/renders?created_after=2020-01-01T00:00:00+02:00")

    assert answer.json["errors"][0]["message"].endswith("in a query + is a blank, so write it %2B")
    other = service.call("GET", "/v1/renders?created_after=2020-01-01%2010:00")
    assert "%2B" not in other.json["errors"][0]["message"]


@pytest.mark.parametrize("text", ["test=1", "test=yes", "test=TRUE", "limit=1_0", "limit=+1"])
def test_flag_or_number_has_one_spelling(service: Service, text: str) -> None:
    answer = service.call("GET", f"/v1/renders?{quote(text, safe='=')}")

    assert answer.pointers == [f"/query/{text.partition('=')[0]}"]


def test_cursor_of_other_filters_or_workspaces_is_refused(
    service: Service,
) -> None:
    for _ in range(2):
        service.render()
    cursor = service.call("GET", "/v1/renders?limit=1").json["next_cursor"]
    stranger = service.key("live", service.create_workspace())

    filtered = service.call("GET", f"/v1/renders?status=queued&cursor={cursor}")
    foreign = service.call("GET", f"/v1/renders?cursor={cursor}", key=stranger)

    assert filtered.pointers == foreign.pointers == ["/query/cursor"]


def _path(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.path}?{parts.query}"


def test_file_url_redirects_to_the_store(service: Service) -> None:
    url = service.render(output={"filename": "Ä & b?"}).json["files"][0]["url"]
    assert url.startswith("https://files.test/files/file_")

    answer = service.call("GET", _path(url), key=None)

    assert answer.status == 302
    assert "/1-0.pdf" in answer.headers["Location"]
    assert answer.headers["Cache-Control"] == "no-store"


@pytest.mark.parametrize(
    "change", [("sig=", "sig=0"), ("exp=", "exp=9"), ("sig=", "s="), (".pdf?", ".exe?")]
)
def test_altered_file_url_is_refused(service: Service, change: tuple[str, str]) -> None:
    path = _path(service.render().json["files"][0]["url"])

    answer = service.call("GET", path.replace(*change), key=None)

    assert answer.status == 403
    assert answer.code == "invalid_signature"


def test_file_url_expires(service: Service) -> None:
    path = _path(service.render(delivery={"expires_in": 60}).json["files"][0]["url"])
    service.clock.advance(seconds=59)
    assert service.call("GET", path, key=None).status == 302

    service.clock.advance(seconds=1)

    assert service.call("GET", path, key=None).code == "invalid_signature"


def test_file_past_its_retention_is_gone(service: Service) -> None:
    delivery = {"expires_in": 604_800}
    url = service.render(key=service.test, delivery=delivery).json["files"][0]["url"]
    service.clock.advance(hours=24)

    answer = service.call("GET", _path(url), key=None)

    assert answer.status == 410
    assert answer.code == "file_expired"


def test_explain_lists_page_bytes_by_type(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = service.engine.run
    explain: dict[str, Any] = {
        "fonts": [],
        "bytes": {"html": 12, "css": 3},
        "requests": 1,
        "wait": "load",
    }
    trace = RenderTrace(explain=explain)
    monkeypatch.setattr(service.engine, "run", lambda *task: replace(run(*task), trace=trace))

    render = service.render().json

    none = dict.fromkeys(("script", "font", "image", "data", "other"), 0)
    assert render["explain"] == explain | {"bytes": {"html": 12, "css": 3, **none}}
    assert service.call("GET", f"/v1/renders/{render['id']}").json["explain"] == render["explain"]


def test_render_is_absent_400_days_after_its_end(service: Service) -> None:
    render_id = service.render().json["id"]
    canceled = service.render(mode="async").json["id"]
    service.call("POST", f"/v1/renders/{canceled}/cancel")
    kept = service.render(delivery={"retention_days": 3_650}).json
    service.relay_events()
    month = "/v1/usage?from=2026-11-01&to=2026-11-30"
    usage = service.call("GET", month).json

    service.clock.advance(days=400)
    assert service.call("GET", "/v1/renders").json["data"][0]["id"] == kept["id"]
    for absent in (render_id, canceled):
        assert service.call("GET", f"/v1/renders/{absent}").code == "render_not_found"
        assert service.call("POST", f"/v1/renders/{absent}/cancel").code == "render_not_found"
        assert service.call("DELETE", f"/v1/renders/{absent}/files").code == "render_not_found"
    assert len(service.call("GET", "/v1/renders").json["data"]) == 1
    assert service.call("GET", month).json["days"] == usage["days"]


def test_list_is_filtered_by_what_renders_say(service: Service) -> None:
    html = service.render(metadata={"customer": "4711", "n": 5, "vip": True}).json["id"]
    url = {"type": "url", "url": "https://example.com/"}
    page = service.render(input=url, output={"format": "png"}, metadata={"customer": "1"})
    queued = service.render(mode="async", output={"formats": ["html", "pdf"]}).json["id"]

    def ids(query: str) -> list[str]:
        answer = service.call("GET", f"/v1/renders?{query}")
        assert answer.status == 200, answer.body
        return [render["id"] for render in answer.json["data"]]

    assert ids("input_type=url") == [page.json["id"]]
    assert ids("input_type=pdf_tool") == []
    assert ids("output_format=png") == [page.json["id"]]
    assert ids("output_format=html") == [queued]
    assert ids("output_format=pdf") == [html]
    assert set(ids("source=api")) == {queued, page.json["id"], html}
    assert ids("source=batch") == []
    assert ids("metadata[customer]=4711") == [html]
    assert ids("metadata[customer]=4711&metadata[n]=5&metadata[vip]=true") == [html]
    assert ids("metadata[customer]=4711&metadata[n]=6") == []
    assert ids("status=queued&status=failed") == [queued]
    assert set(ids("status=queued&status=succeeded")) == {queued, page.json["id"], html}
    assert ids("status=succeeded&input_type=html&metadata[n]=5&limit=1") == [html]


def test_cursor_is_bound_to_repeated_and_keyed_filters(service: Service) -> None:
    for _ in range(2):
        service.render(metadata={"a": "b"})
    query = "status=succeeded&status=failed&metadata[a]=b&limit=1"

    first = service.call("GET", f"/v1/renders?{query}").json
    second = service.call("GET", f"/v1/renders?{query}&cursor={first['next_cursor']}").json

    assert first["data"][0]["id"] != second["data"][0]["id"]
    other = query.replace("=b", "=c")
    refused = service.call("GET", f"/v1/renders?{other}&cursor={first['next_cursor']}")
    assert refused.pointers == ["/query/cursor"]


@pytest.mark.parametrize(
    ("query", "pointer"),
    [
        ("status=lost", "/query/status"),
        ("status=queued&status=lost", "/query/status"),
        ("input_type=pdf", "/query/input_type"),
        ("output_format=gif", "/query/output_format"),
        ("source=web", "/query/source"),
        ("source=api&source=batch", "/query/source"),
        ("metadata=x", "/query/metadata"),
        ("metadata[]=x", "/query/metadata/"),
        (f"metadata[{'k' * 41}]=x", f"/query/metadata/{'k' * 41}"),
        ("&".join(f"metadata[{n}]=x" for n in range(6)), "/query/metadata"),
        ("test[x]=true", "/query/test[x]"),
    ],
)
def test_filters_that_cannot_be_are_refused(service: Service, query: str, pointer: str) -> None:
    answer = service.call("GET", f"/v1/renders?{query}")

    assert (answer.code, answer.pointers) == ("validation_error", [pointer])
