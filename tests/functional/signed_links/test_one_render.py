"""One render for each URL: callers at once, failures, quota and purges."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace
from typing import Any

import pytest

from chalicelib.core.errors import RenderFailure
from chalicelib.features.signed_links import make_once
from tests.builders.service import Service
from tests.builders.signed_links import LINKS_PATH, fetch, make_link, renders, shown, sign
from tests.builders.waiting import PATIENCE_S, eventually

CALLERS = 20


@pytest.fixture
def link(service: Service) -> dict[str, Any]:
    return make_link(service, quota_total=3)


def fail(_job: object) -> None:
    raise RenderFailure("render_failed", "it is bad")


def succeed(_job: object) -> None:
    """Let the engine make the file."""


def test_twenty_callers_of_a_new_url_make_one_render(
    service: Service, link: dict[str, Any]
) -> None:
    url = sign(link)
    started = threading.Barrier(CALLERS)

    def call(_number: int) -> tuple[int, bytes]:
        started.wait()
        answer = fetch(service, url)
        return answer.status, answer.body

    with ThreadPoolExecutor(CALLERS) as threads:
        answers = list(threads.map(call, range(CALLERS)))

    assert set(answers) == {(200, service.engine.content)}
    assert len(service.engine.jobs) == len(renders(service)) == 1
    assert shown(service, link)["quota_used"] == 1
    service.process_queues()
    limits = service.limits()
    assert (limits["used"], limits["holds"], limits["leases"]) == (1, {}, {})


def test_waiting_for_a_render_takes_nothing_of_the_limits(service: Service) -> None:
    """A free workspace has two requests a second, and two renders at once."""
    key = service.key("live", service.create_workspace("free"))
    template = {"name": "A", "html": "<p>", "publish": True}
    template_id = service.call("POST", "/v1/templates", json_body=template, key=key).json["id"]
    service.clock.advance(seconds=5)
    url = sign(make_link(service, template_id=template_id, key=key))
    service.clock.advance(seconds=5)

    with ThreadPoolExecutor(CALLERS) as threads:
        answers = list(threads.map(lambda _: fetch(service, url).status, range(CALLERS)))

    assert answers == [200] * CALLERS
    assert len(service.engine.jobs) == 1


def test_callers_of_a_failing_url_share_one_failure(
    service: Service, link: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    url = sign(link)
    runs, waiting = threading.Event(), set[int]()

    def fail_late(job: object) -> None:
        runs.set()
        eventually(lambda: len(waiting) == 3)
        fail(job)

    def pause(seconds: float) -> None:
        waiting.add(threading.get_ident())
        time.sleep(seconds)

    monkeypatch.setattr(make_once, "time", SimpleNamespace(sleep=pause))
    service.engine.before_run = fail_late
    with ThreadPoolExecutor(4) as threads:
        first = threads.submit(fetch, service, url)
        assert runs.wait(PATIENCE_S)
        others = [threads.submit(fetch, service, url) for _ in range(3)]
        answers = [each.result() for each in (first, *others)]

    assert [answer.code for answer in answers] == ["render_failed"] * 4
    assert len(renders(service)) == 1


def test_failed_render_uses_no_quota_and_is_made_anew(
    service: Service, link: dict[str, Any]
) -> None:
    url = sign(link)
    service.engine.before_run = fail
    for _ in range(2):
        assert fetch(service, url).code == "render_failed"
    assert shown(service, link)["quota_used"] == 2

    service.process_queues()
    service.engine.before_run = succeed
    answer = fetch(service, url)

    assert answer.status == 200
    statuses = sorted(row["status"] for row in renders(service))
    assert statuses == ["failed", "failed", "succeeded"]
    service.process_queues()
    assert shown(service, link)["quota_used"] == 1


def test_failures_of_a_deleted_link_are_published(service: Service, link: dict[str, Any]) -> None:
    service.engine.before_run = fail
    assert fetch(service, sign(link)).code == "render_failed"
    assert service.call("DELETE", f"{LINKS_PATH}/{link['id']}").status == 204

    service.process_due()

    (render,) = renders(service)
    assert all("published_at" in event for event in service.events(render["id"]))
    rows = service.clients.dynamodb.scan(TableName=service.settings.main_table)["Items"]
    assert [row for row in rows if row["PK"]["S"].startswith("LNK#")] == []


def test_used_up_link_serves_what_it_has_made(service: Service, link: dict[str, Any]) -> None:
    for n in range(3):
        assert fetch(service, sign(link, query=f"n={n}")).status == 200

    refused = fetch(service, sign(link, query="n=3"))
    made = fetch(service, sign(link, query="n=0"))

    assert (refused.status, refused.code) == (429, "quota_exceeded")
    assert refused.headers["Cache-Control"] == "no-store"
    assert int(refused.headers["Retry-After"]) >= 1
    assert made.status == 200
    raised = {"quota_total": 4}
    assert service.call("PATCH", f"{LINKS_PATH}/{link['id']}", json_body=raised).status == 200
    assert fetch(service, sign(link, query="n=3")).status == 200
    service.process_queues()
    assert shown(service, link)["quota_used"] == 4


def test_callers_at_once_use_no_more_than_the_quota(service: Service, link: dict[str, Any]) -> None:
    with ThreadPoolExecutor(8) as threads:
        urls = [sign(link, query=f"n={n}") for n in range(8)]
        answers = list(threads.map(lambda url: fetch(service, url).status, urls))

    assert sorted(answers) == [200] * 3 + [429] * 5
    assert shown(service, link)["quota_used"] == len(renders(service)) == 3
    service.process_queues()
    assert service.limits()["holds"] == {}


def test_purged_file_is_made_anew_and_uses_quota_again(
    service: Service, link: dict[str, Any]
) -> None:
    url = sign(link)
    assert fetch(service, url).status == 200
    (render,) = renders(service)
    assert service.call("DELETE", f"/v1/renders/{render['id']}/files").status == 200
    service.engine.content = b"made anew"

    answer = fetch(service, url)

    assert (answer.status, answer.body) == (200, b"made anew")
    assert len(renders(service)) == 2
    assert shown(service, link)["quota_used"] == 2


@pytest.mark.parametrize(("key", "days"), [("live", 30), ("test", 1)])
def test_file_is_served_as_long_as_it_is_kept(service: Service, key: str, days: int) -> None:
    link = make_link(service, key=getattr(service, key))
    url = sign(link)
    assert fetch(service, url).status == 200
    service.clock.advance(days=days, seconds=-1)
    assert fetch(service, url).status == 200
    assert len(renders(service)) == 1

    service.clock.advance(seconds=2)
    assert fetch(service, url).status == 200

    assert shown(service, link)["quota_used"] == 2


def test_canceled_render_is_made_anew(service: Service, link: dict[str, Any]) -> None:
    url = sign(link)

    def cancel(_job: object) -> None:
        (render,) = renders(service)
        assert service.call("POST", f"/v1/renders/{render['id']}/cancel").status == 200

    service.engine.before_run = cancel
    canceled = fetch(service, url)
    service.process_queues()
    service.engine.before_run = succeed

    again = fetch(service, url)

    assert (canceled.status, canceled.code) == (409, "conflict")
    assert again.status == 200
    assert shown(service, link)["quota_used"] == 1
