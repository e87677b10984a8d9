"""Batches of a service, made through its API."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from tests.builders.http import ApiAnswer
from tests.builders.service import Service
from tests.builders.templates import make_template

BATCHES_PATH: Final = "/v1/batches"


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
