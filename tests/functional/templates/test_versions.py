"""Publishing and rollback: version numbers without gaps, events, and races."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any, cast

import pytest

from chalicelib.core.errors import RenderFailure
from tests.builders.http import ApiAnswer
from tests.builders.lambda_client import FunctionKilled
from tests.builders.service import Service
from tests.builders.templates import (
    LARGE_HTML,
    TEMPLATES_PATH,
    FakeDryRun,
    SerializingClient,
    make_template,
    post_template,
    publish_template,
    put_draft,
    render_template,
    template_rows,
)
from tests.fakes.engine import html_of

AT_ONCE = 20


def events(service: Service, path: str) -> list[dict[str, Any]]:
    return [row for row in template_rows(service, path) if row["SK"].startswith("EVENT#")]


def at_once(service: Service, method: str, target: str, bodies: list[Any]) -> list[ApiAnswer]:
    service.clients.dynamodb = cast("Any", SerializingClient(service.clients.dynamodb))
    with ThreadPoolExecutor(len(bodies)) as pool:
        calls = [pool.submit(service.call, method, target, json_body=body) for body in bodies]
        return [call.result() for call in calls]


def test_draft_becomes_the_next_version(service: Service) -> None:
    dry_run = FakeDryRun(service)
    path = make_template(service, options={"pdf": {"page_size": "A5"}}, schema={"type": "object"})

    first = publish_template(service, path, note="Begin", revision=1)
    assert first.status == 201, first.body
    assert first.json == {
        "object": "template_version",
        "template_id": path.rpartition("/")[2],
        "number": 1,
        "note": "Begin",
        "draft_revision": 1,
        "rollback_of": None,
        "published_at": first.json["published_at"],
    }
    assert first.headers["Location"] == f"https://api.test{path}/versions/1"
    assert put_draft(service, path, html="second").json["revision"] == 2
    assert service.call("GET", path).json["live_version"] == {
        "number": 1,
        "published_at": first.json["published_at"],
        "note": "Begin",
    }
    service.clock.advance(seconds=1)
    second = service.call("POST", f"{path}/publish").json
    assert second["number"] == 2
    live = {"number": 2, "published_at": second["published_at"], "note": None}
    assert service.call("GET", path).json["live_version"] == live
    assert service.call("GET", TEMPLATES_PATH).json["data"][0]["live_version"] == live

    shown = service.call("GET", f"{path}/versions/1").json
    assert shown["content"]["html"] == "<p>{{ n }}</p>"
    assert shown["options"] == {"pdf": {"page_size": "A5"}}
    assert shown["schema"] == {"type": "object"}
    assert service.call("GET", f"{path}/versions/2").json["content"]["html"] == "second"
    assert service.call("GET", f"{path}/versions/2").json["options"] == {}
    sources = [source.content["html"] for source, _, _ in dry_run.calls]
    assert sources == ["<p>{{ n }}</p>", "second"]


def test_versions_are_listed_newest_first(service: Service) -> None:
    path = make_template(service)
    for _ in range(5):
        publish_template(service, path)

    page = service.call("GET", f"{path}/versions?limit=2").json
    assert [row["number"] for row in page["data"]] == [5, 4]
    rest = service.call("GET", f"{path}/versions?limit=2&cursor={page['next_cursor']}").json
    assert [row["number"] for row in rest["data"]] == [3, 2]
    last = service.call("GET", f"{path}/versions?limit=2&cursor={rest['next_cursor']}").json
    assert ([row["number"] for row in last["data"]], last["has_more"]) == ([1], False)


@pytest.mark.parametrize("number", ["0", "6", "-1", "x", "\u0661", "1" * 10, "1.0"])
def test_missing_version_is_not_found(service: Service, number: str) -> None:
    path = make_template(service, publish=True)

    answer = service.call("GET", f"{path}/versions/{number}")
    assert answer.code == "version_not_found"
    back = service.call("POST", f"{path}/rollback", json_body={"version": 99})
    assert back.code == "version_not_found"


def test_rollback_creates_a_new_version_and_keeps_the_draft(service: Service) -> None:
    dry_run = FakeDryRun(service)
    path = make_template(service, publish=True)
    put_draft(service, path, html="second")
    publish_template(service, path)
    put_draft(service, path, html="third")

    answer = service.call("POST", f"{path}/rollback", json_body={"version": 1})

    assert (answer.status, answer.json["number"], answer.json["rollback_of"]) == (201, 3, 1)
    assert service.call("GET", f"{path}/versions/3").json["content"]["html"] == "<p>{{ n }}</p>"
    assert service.call("GET", f"{path}/draft").json["content"]["html"] == "third"
    assert len(dry_run.calls) == 2
    assert publish_template(service, path).json["number"] == 4


def test_each_version_publishes_one_event(service: Service) -> None:
    path = make_template(service, publish=True)
    publish_template(service, path)

    published_events = events(service, path)
    assert [event["type"] for event in published_events] == ["template.published"] * 2
    assert sorted(event["detail"]["number"] for event in published_events) == [1, 2]
    service.relay_events()
    assert all("published_at" in event for event in events(service, path))


def test_event_with_a_lost_message_is_published_by_the_tick(service: Service) -> None:
    path = make_template(service, publish=True)
    service.run_batch("Events", lambda _lost: {"batchItemFailures": []})
    assert "published_at" not in events(service, path)[0]

    service.clock.advance(minutes=2)
    service.tick()
    service.relay_events()

    assert "published_at" in events(service, path)[0]


def test_failing_dataset_stops_publishing(service: Service) -> None:
    dry_run = FakeDryRun(service)
    path = make_template(service)
    dry_run.failure = RenderFailure("template_runtime_error", "Dataset B: no", line=3, column=4)

    answer = publish_template(service, path)

    assert (answer.code, answer.json["line"], answer.json["column"]) == (
        "template_runtime_error",
        3,
        4,
    )
    assert service.call("GET", path).json["live_version"] is None
    assert {row["SK"] for row in template_rows(service, path)} == {"META", "DRAFT"}


@pytest.mark.parametrize("html", ["<p>", LARGE_HTML])
def test_template_that_cannot_be_published_is_not_created(service: Service, html: str) -> None:
    dry_run = FakeDryRun(service)
    dry_run.failure = RenderFailure("template_runtime_error", "Dataset A: no")
    before = all_template_rows(service)

    answer = post_template(service, html=html, publish=True)

    assert answer.code == "template_runtime_error"
    assert all_template_rows(service) == before
    assert service.objects() == []


@pytest.mark.parametrize("html", ["<p>", LARGE_HTML])
def test_function_killed_while_creating_a_template_leaves_nothing(
    service: Service, html: str
) -> None:
    FakeDryRun(service)
    before = all_template_rows(service)
    service.kill_before_commit = True
    with pytest.raises(FunctionKilled):
        post_template(service, html=html, publish=True)
    assert service.call("GET", TEMPLATES_PATH).json["data"] == []

    service.clock.advance(hours=2)
    service.tick()
    assert service.run_maintenance() == []

    assert all_template_rows(service) == before
    assert service.objects() == []
    assert service.dead_letters("Maintenance") == []


def test_dry_runs_have_25_seconds_on_every_plan(service: Service) -> None:
    dry_run = FakeDryRun(service)
    key = service.key("live", service.create_workspace("free"))

    made = post_template(service, key=key, publish=True)
    publish_template(service, make_template(service))

    assert made.status == 201
    begun = service.clock.now().timestamp()
    assert [deadline - begun for _, _, deadline in dry_run.calls] == [25, 25]


def test_etag_of_a_draft_is_its_revision_and_fences_changes(service: Service) -> None:
    path = make_template(service, html="1")
    draft = f"{path}/draft"

    def put(html: str, tag: str | tuple[str, ...]) -> ApiAnswer:
        return service.call("PUT", draft, json_body={"html": html}, headers={"If-Match": tag})

    def publish(tag: str) -> ApiAnswer:
        return service.call("POST", f"{path}/publish", json_body={}, headers={"If-Match": tag})

    assert service.call("GET", draft).headers["ETag"] == '"1"'
    assert put("2", '"1"').headers["ETag"] == '"2"'
    for stale in ('"1"', "1", 'W/"2"', "", '"2', '"a", "1"', "," * 5_000):
        refused = put("x", stale)
        assert (refused.status, refused.code) == (409, "draft_revision_conflict"), stale
        assert publish(stale).code == "draft_revision_conflict"
    assert publish('"2"').json["draft_revision"] == 2
    assert put("3", '"1", "2"').json["revision"] == 3
    assert put("4", "*").json["revision"] == 4
    assert publish("*").json["draft_revision"] == 4
    # Without quotes, as some clients send it.
    assert publish("4").json["draft_revision"] == 4
    assert service.call("GET", draft).json["content"]["html"] == "4"


def test_stale_draft_revision_is_refused(service: Service) -> None:
    path = make_template(service)

    assert put_draft(service, path, html="2", revision=1).json["revision"] == 2
    late = put_draft(service, path, html="x", revision=1)
    assert (late.status, late.code) == (409, "draft_revision_conflict")
    assert put_draft(service, path, html="3").json["revision"] == 3
    assert publish_template(service, path, revision=2).code == "draft_revision_conflict"
    assert publish_template(service, path, revision=3).json["draft_revision"] == 3
    emptied = put_draft(service, path).json
    assert (emptied["content"]["html"], emptied["options"], emptied["schema"]) == (None, {}, None)
    assert service.call("GET", f"{path}/draft").json == emptied


def test_draft_that_changes_while_it_is_published_is_a_conflict(service: Service) -> None:
    dry_run = FakeDryRun(service)
    for html in ("<p>", LARGE_HTML):
        path = make_template(service, html=html)
        dry_run.meanwhile = lambda path=path: put_draft(service, path, html="other")  # type: ignore[misc]

        assert publish_template(service, path).code == "draft_revision_conflict"

        dry_run.meanwhile = lambda: None
        assert publish_template(service, path).json["draft_revision"] == 2
        assert service.call("GET", f"{path}/versions/1").json["content"]["html"] == "other"


def test_concurrent_publishes_get_distinct_numbers(service: Service) -> None:
    path = make_template(service)

    answers = at_once(service, "POST", f"{path}/publish", [{} for _ in range(AT_ONCE)])

    assert {answer.status for answer in answers} == {201}, [answer.body for answer in answers]
    assert sorted(answer.json["number"] for answer in answers) == list(range(1, AT_ONCE + 1))
    assert service.call("GET", path).json["live_version"]["number"] == AT_ONCE
    assert sorted(event["detail"]["number"] for event in events(service, path)) == list(
        range(1, AT_ONCE + 1)
    )


@pytest.mark.parametrize("size", [10, 150_000])
def test_one_of_concurrent_drafts_with_the_same_revision_is_saved(
    service: Service, size: int
) -> None:
    path = make_template(service)
    texts = [str(number) * size for number in range(10, 10 + AT_ONCE)]

    answers = at_once(
        service, "PUT", f"{path}/draft", [{"html": text, "revision": 1} for text in texts]
    )

    taken = [text for text, answer in zip(texts, answers, strict=True) if answer.status == 200]
    assert len(taken) == 1
    assert {answer.code for answer in answers if answer.status != 200} == {
        "draft_revision_conflict"
    }
    draft = service.call("GET", f"{path}/draft").json
    assert (draft["revision"], draft["content"]["html"]) == (2, taken[0])
    assert len(service.objects()) == (0 if size == 10 else 1)


def test_concurrent_drafts_without_a_revision_are_all_saved(service: Service) -> None:
    path = make_template(service)

    answers = at_once(
        service, "PUT", f"{path}/draft", [{"html": str(number)} for number in range(AT_ONCE)]
    )

    assert {answer.status for answer in answers} == {200}
    assert sorted(answer.json["revision"] for answer in answers) == list(range(2, AT_ONCE + 2))
    last = max(answers, key=lambda answer: answer.json["revision"]).json
    assert service.call("GET", f"{path}/draft").json == last


def test_published_version_is_read_once(service: Service) -> None:
    path = make_template(service, html=LARGE_HTML, publish=True)
    assert render_template(service, path).status == 200
    for row in template_rows(service, path):
        if row["SK"].startswith("VER#"):
            table = service.services.settings.main_table
            key = {"PK": {"S": row["PK"]}, "SK": {"S": row["SK"]}}
            service.clients.dynamodb.delete_item(TableName=table, Key=key)

    assert render_template(service, path).status == 200
    assert html_of(service.engine.jobs[-1]) == LARGE_HTML
    put_draft(service, path, html="next")
    publish_template(service, path)
    assert render_template(service, path).json["template_version"] == 2
    assert html_of(service.engine.jobs[-1]) == "next"


def all_template_rows(service: Service) -> list[dict[str, Any]]:
    """Return all rows of templates."""
    table = service.settings.main_table
    items = service.clients.dynamodb.scan(TableName=table)["Items"]
    return [item for item in items if "#TPL" in item["PK"]["S"]]
