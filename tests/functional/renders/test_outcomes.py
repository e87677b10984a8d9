"""Jobs that give none, one or hundreds of files: everything follows from what came out."""

from typing import Any, NoReturn

import pytest

from chalicelib.engine.context import RenderedFile, RenderWarning
from tests.builders.lambda_client import FunctionKilled
from tests.builders.service import Service

MANY = tuple(RenderedFile("pdf", b"%PDF page", "application/pdf", pages=1) for _ in range(300))
HASHES = (RenderedFile("txt", b"text", "text/plain; charset=utf-8"),)


def made(service: Service, **request: Any) -> dict[str, Any]:
    answer = service.render(**request)
    service.run_queued()
    assert answer.status in {200, 202}, answer.body[:300]
    return dict(service.call("GET", f"/v1/renders/{answer.json['id']}").json)


@pytest.mark.parametrize("mode", ["sync", "async"])
def test_job_without_files_succeeds_and_stores_nothing(service: Service, mode: str) -> None:
    service.engine.files = ()

    render = made(service, mode=mode, delivery={"type": "none"})
    service.relay_events()

    assert (render["status"], render["files"], render["billed"]) == ("succeeded", [], True)
    assert service.objects() == []
    assert service.limits()["used"] == 1
    assert service.call("DELETE", f"/v1/renders/{render['id']}/files").status == 200


def test_response_without_a_file_is_the_render(service: Service) -> None:
    service.engine.files = ()

    answer = service.render(delivery={"type": "binary"})

    assert (answer.status, answer.json["files"]) == (200, [])


def test_several_files_do_not_fit_into_one_response(service: Service) -> None:
    service.engine.files = MANY[:2]

    answer = service.render(delivery={"type": "binary"})

    assert (answer.status, answer.code) == (400, "validation_error")
    assert answer.pointers == ["/delivery/type"]
    assert service.limits()["used"] == 0
    assert service.objects() == []


def test_hundreds_of_files_are_stored_shown_and_purged(service: Service) -> None:
    service.engine.files = MANY

    render = made(service)

    assert len(render["files"]) == len(service.objects()) == len(MANY)
    addresses = [file["url"].removeprefix("https://files.test") for file in render["files"]]
    assert {service.call("GET", each, key=None).status for each in addresses} == {302}
    purged = service.call("DELETE", f"/v1/renders/{render['id']}/files").json
    assert purged["files"] == []
    assert service.objects() == []
    assert {service.call("GET", each, key=None).code for each in addresses} == {"file_expired"}


def test_hundreds_of_files_expire_together(service: Service) -> None:
    service.engine.files = MANY
    made(service)
    service.relay_events()

    service.clock.advance(days=31)
    service.tick()
    service.run_maintenance()

    assert service.objects() == []


def test_purge_is_completed_after_a_crash(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    service.engine.files = MANY
    render = made(service)
    last = render["files"][-1]["url"].removeprefix("https://files.test")
    purge = service.services.renders.purge

    def die(*_: object) -> NoReturn:
        raise FunctionKilled

    with monkeypatch.context() as dying:
        dying.setattr(type(purge), "remove_objects", die)
        with pytest.raises(FunctionKilled):
            service.call("DELETE", f"/v1/renders/{render['id']}/files")
    service.clock.advance(minutes=2)
    service.tick()
    service.run_maintenance()

    assert service.objects() == []
    assert service.call("GET", last, key=None).code == "file_expired"


@pytest.mark.parametrize("mode", ["sync", "async"])
@pytest.mark.parametrize(("first", "then"), [(MANY, HASHES), (HASHES, MANY), (MANY, ())])
def test_files_of_a_dead_attempt_are_removed(
    service: Service,
    mode: str,
    first: tuple[RenderedFile, ...],
    then: tuple[RenderedFile, ...],
) -> None:
    def run(_job: object) -> None:
        is_first = len(service.engine.all_jobs) == 1
        service.engine.files = first if is_first else then
        service.kill_before_commit = is_first

    service.engine.before_run = run
    answer = service.render(mode=mode)
    if mode == "async":
        with pytest.raises(FunctionKilled):
            service.run_queued()
        assert len(service.objects()) == len(first) + 1, "the body is still there"
        service.clock.advance(minutes=10)
        service.tick()
        service.run_maintenance()
        service.run_queued()
    service.relay_events()

    render = service.call("GET", f"/v1/renders/{answer.json['id']}").json
    assert (render["status"], len(render["files"])) == ("succeeded", len(then))
    assert len(service.objects()) == len(then)


def test_formats_that_came_out_are_counted(service: Service) -> None:
    service.engine.files = HASHES
    made(service)
    service.relay_events()

    state, month = service.services.state, f"{service.clock.now():%Y-%m}"
    usage = {":pk": f"WS#{service.workspace}#USE#{month}"}
    rows = state.main_table.query("PK = :pk", usage).items
    assert [name for row in rows for name in row if name.startswith("f#")] == ["f#txt#live"]


@pytest.mark.parametrize("mode", ["sync", "async"])
def test_warning_that_the_request_names_fails_the_render_unbilled(
    service: Service, mode: str
) -> None:
    missing = RenderWarning("asset_failed", "It did not come.", "https://example.com/a.png")
    service.engine.warnings = (RenderWarning("slow_asset", "3 s"), missing)

    answer = service.render(mode=mode, output={"fail_on": ["asset_failed", "content_clipped"]})
    service.run_queued()

    (render,) = service.call("GET", "/v1/renders").json["data"]
    assert (render["status"], render["error"]["code"]) == ("failed", "render_failed")
    assert render["error"]["message"].startswith("asset_failed, which fail_on names: It did not")
    assert [each["code"] for each in render["warnings"]] == ["slow_asset", "asset_failed"]
    assert (render["billed"], render["files"], service.limits()["used"]) == (False, [], 0)
    assert [each for each in service.objects() if "/bodies/" not in each] == []
    assert answer.status == (202 if mode == "async" else 422)


def test_warnings_that_the_request_does_not_name_fail_nothing(service: Service) -> None:
    service.engine.warnings = (RenderWarning("slow_asset", "3 s"),)

    assert service.render(output={"fail_on": ["asset_failed"]}).status == 200
    refused = service.render(output={"fail_on": ["no_such_code"]})
    assert (refused.status, refused.pointers) == (400, ["/output/fail_on/0"])
