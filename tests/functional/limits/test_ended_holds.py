"""Holds of async renders: held by their rows, counted by the relay, folded into the limits."""

import json
from typing import NoReturn

import pytest

from chalicelib.adapters.aws.table import Throttled, Write
from chalicelib.features.events.model import PublishEvent
from chalicelib.features.workspaces.limits.repository import WorkspaceLimits
from tests.builders.service import Service


def test_entry_of_an_async_render_goes_with_the_next_admission(service: Service) -> None:
    first = service.render(mode="async").json["id"]
    assert service.operator.limits.get(service.workspace)["holds"].keys() == {first}

    second = service.render(mode="async").json["id"]

    assert service.operator.limits.get(service.workspace)["holds"].keys() == {second}
    assert service.limits()["holds"].keys() == {first, second}
    assert service.limits()["quota_left"] == 250_000 - 2


def test_ended_renders_are_counted_once_however_often_their_message_comes(
    service: Service,
) -> None:
    render_id = service.render(mode="async").json["id"]
    failing = service.render(mode="async", output={"pdf": {"max_pages": 1}}).json["id"]
    assert service.run_queued() == []
    for _ in range(3):
        for subject in (render_id, failing):
            (event,) = service.events(subject)
            service.send("Events", json.dumps(PublishEvent(event["PK"], event["SK"]).to_json()))

    assert service.relay_events() == []

    limits = service.limits()
    assert (limits["used"], limits["quota_left"], limits["holds"]) == (1, 250_000 - 1, {})


def test_end_that_was_not_folded_is_folded_when_its_message_comes_again(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    def throttled(*_: object) -> NoReturn:
        raise Throttled

    render_id = service.render(mode="async").json["id"]
    assert service.run_queued() == []
    with monkeypatch.context() as broken:
        broken.setattr(WorkspaceLimits, "fold", throttled)
        service.relay_events()
    (event,) = service.events(render_id)
    assert "published_at" in event
    assert service.limits()["used"] == 0

    service.send("Events", json.dumps(PublishEvent(event["PK"], event["SK"]).to_json()))
    service.relay_events()

    assert service.limits()["used"] == 1


def test_returned_renders_are_folded_before_a_render_is_refused(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace = service.create_workspace("free")
    key = service.key("live", workspace)
    full = service.operator.limits.get(workspace) | {"quota_left": 1}
    service.main_table.write(Write(service.main_table, item=full))
    failing = service.render(key=key, mode="async", output={"pdf": {"max_pages": 1}})
    assert service.run_queued() == []
    with monkeypatch.context() as broken:
        broken.setattr(WorkspaceLimits, "fold", lambda *_: None)
        assert service.relay_events() == []
        service.clock.advance(seconds=1)
        assert service.render(key=key).code == "render_limit_reached"

    service.clock.advance(seconds=1)
    assert service.render(key=key).status == 200
    assert failing.status == 202


def test_many_entries_that_nobody_confirmed_stop_no_admission(service: Service) -> None:
    item = service.operator.limits.get(service.workspace)
    left = {f"rnd_{n:026d}": "" for n in range(150)}
    service.main_table.write(Write(service.main_table, item=item | {"holds": left}))

    assert [service.render(mode="async").status for _ in range(3)] == [202] * 3
