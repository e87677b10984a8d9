"""Batches of a service, made through its API."""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, Final, Protocol

from chalicelib.adapters.aws.table import Row, Write
from chalicelib.core.errors import RenderFailure
from chalicelib.core.ids import BatchId
from chalicelib.engine.job import EngineJob, PageJob
from chalicelib.features.batches.cancel import CancelBatch
from chalicelib.features.batches.model import Batch
from tests.builders.aws_actions import acting_as
from tests.builders.http import ApiAnswer
from tests.builders.service import Service
from tests.builders.templates import make_template

BATCHES_PATH: Final = "/v1/batches"


class ChangePlan(Protocol):
    """Change of a plan for a test."""

    def __call__(self, plan: str = "scale", **fields: int) -> None:
        """Give fields of a plan other values."""


def published_template(service: Service, **fields: Any) -> str:
    """Make a template with a live version and return its id."""
    return make_template(service, publish=True, **fields).rpartition("/")[2]


def post_batch(
    service: Service,
    items: int | Sequence[Mapping[str, Any]] = 1,
    *,
    key: str | None = None,
    headers: Mapping[str, str] | None = None,
    **fields: Any,
) -> ApiAnswer:
    """Send POST /v1/batches with so many items, of a new template unless one is named."""
    rows = [{"data": {"n": n}} for n in range(items)] if isinstance(items, int) else items
    template = {} if "template_id" in fields else {"template_id": published_template(service)}
    body = {"items": rows} | template | fields
    return service.call(
        "POST", BATCHES_PATH, json_body=body, key=key or service.live, headers=headers
    )


def make_batch(service: Service, items: Any = 1, **fields: Any) -> str:
    """Create a batch and return its path."""
    answer = post_batch(service, items, **fields)
    assert answer.status == 202, answer.body
    return f"{BATCHES_PATH}/{answer.json['id']}"


def batch_at(service: Service, path: str, **more: Any) -> dict[str, Any]:
    """Return a batch as the API shows it."""
    shown: dict[str, Any] = service.call("GET", path, **more).json
    return shown


def items_at(service: Service, path: str, query: str = "limit=100") -> list[dict[str, Any]]:
    """Return a page of the items of a batch."""
    answer = service.call("GET", f"{path}/items?{query}")
    assert answer.status == 200, answer.body
    items: list[dict[str, Any]] = answer.json["data"]
    return items


def statuses_at(service: Service, path: str) -> list[str]:
    """Return the statuses of the first 100 items of a batch."""
    return [item["status"] for item in items_at(service, path)]


def counts_of(batch: Mapping[str, Any]) -> tuple[int, int, int, int]:
    """Return the items of a batch that succeeded, failed, were canceled or are pending."""
    succeeded, failed, canceled, pending = (
        int(batch[name]) for name in ("succeeded", "failed", "canceled", "pending")
    )
    return succeeded, failed, canceled, pending


def stored_batch(service: Service, path: str) -> Batch:
    """Return a batch as it is stored."""
    batch_id = BatchId(path.rpartition("/")[2])
    batch = service.services.state.batch_stores.batches.get((service.workspace, batch_id))
    assert batch is not None, path
    return batch


def batch_subject(service: Service, path: str) -> str:
    """Return the partition of a batch and of its events."""
    return f"WS#{service.workspace}#BAT#{path.rpartition('/')[2]}"


def batch_events(service: Service, path: str) -> list[Row]:
    """Return the rows of a batch's events, in the order of time."""
    rows = service.services.state.outbox.all_of_subject(batch_subject(service, path))
    return sorted(rows, key=lambda row: (row["created_at"], row["type"] == "batch.completed"))


def use_new_workspace(service: Service, plan: str = "scale") -> None:
    """Go on in a new workspace of a plan."""
    service.workspace = service.create_workspace(plan)
    service.live, service.test = service.key("live"), service.key("test")


def keep_limits(service: Service, **fields: Any) -> None:
    """Write fields of the limits item of the workspace."""
    item = service.operator.limits.get(service.workspace) | fields
    service.main_table.write(Write(service.main_table, item=item))


def fail_items(service: Service, numbers: Collection[int], code: str = "render_failed") -> None:
    """Let the items whose data have these numbers as `n` fail, and no other."""

    def fail(job: EngineJob) -> None:
        assert isinstance(job, PageJob)
        if job.data is not None and job.data.get("n") in numbers:
            raise RenderFailure(code, f"item {job.data['n']} is bad")

    service.engine.before_run = fail


def cancel_batch(
    service: Service, path: str, meanwhile: Callable[[], object] = lambda: None
) -> ApiAnswer:
    """Cancel a batch; `meanwhile` is called while the request waits for it to end."""

    def wait(seconds: float) -> None:
        service.clock.advance(seconds=seconds)
        with acting_as(""):
            meanwhile()

    batches = service.services.batches
    batches.__dict__["cancel"] = CancelBatch(
        batches=service.services.state.batch_stores.batches,
        wake=batches.wake,
        sleep=wait,
        clock=service.clock,
    )
    return service.call("POST", f"{path}/cancel")


def _retry_without_files(service: Service) -> ApiAnswer:
    fail_items(service, {1})
    path = make_batch(service, 2, combine={"zip": True})
    service.run_batches()
    render_id = items_at(service, path)[0]["render_id"]
    assert service.call("DELETE", f"/v1/renders/{render_id}/files").status == 200
    return service.call("POST", f"{path}/retry-failed")


# By code of the catalogue: a request that is answered with it.
PROVOKED_BATCH_ERRORS: Final[dict[str, Callable[[Service], ApiAnswer]]] = {
    "item_files_expired": _retry_without_files,
}
