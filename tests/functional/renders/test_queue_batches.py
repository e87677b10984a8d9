"""Batches of queued renders: all run at once, and none waits for a slow neighbor."""

from typing import Final

from chalicelib.adapters.aws.queues import Queue
from chalicelib.engine.job import EngineJob
from tests.builders.lambda_client import FunctionKilled
from tests.builders.service import Service
from tests.builders.waiting import eventually
from tests.fakes.engine import html_of

SLOW: Final = "<p>slow"
QUICK: Final = "<p>quick"


def queue_renders(service: Service, *texts: str) -> dict[str, str]:
    """Queue one render of each text; return their ids."""
    return {
        text: service.render(mode="async", input={"type": "html", "html": text}).json["id"]
        for text in texts
    }


def status_of(service: Service, render_id: str) -> str:
    status: str = service.call("GET", f"/v1/renders/{render_id}").json["status"]
    return status


def test_message_is_deleted_when_its_render_ends(service: Service) -> None:
    renders = queue_renders(service, SLOW, QUICK)
    queue = Queue(service.clients, service.settings.renders_queue_url)
    left: list[int] = []

    def wait_for_neighbor(job: EngineJob) -> None:
        if html_of(job) == SLOW:
            eventually(lambda: queue.approximate_message_count() == 1)
            left.append(1)

    service.engine.before_run = wait_for_neighbor
    assert service.run_queued() == []

    assert left == [1]
    assert [status_of(service, each) for each in renders.values()] == ["succeeded", "succeeded"]


def test_failed_neighbor_comes_again_alone(service: Service) -> None:
    renders = queue_renders(service, SLOW, QUICK)
    service.engine_failures = iter([FunctionKilled()])

    (failed,) = service.run_queued()

    statuses = [status_of(service, each) for each in renders.values()]
    assert sorted(statuses) == ["processing", "succeeded"]
    assert failed
    queue = Queue(service.clients, service.settings.renders_queue_url)
    assert queue.approximate_message_count() == 1
