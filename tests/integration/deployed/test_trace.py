"""The operator tool against a deployed stage: it reads state and logs from AWS."""

from typing import Any

import pytest

from tests.builders.stack.api_client import ApiClient
from tests.builders.stack.deployment import Deployment
from tests.builders.waiting import eventually

pytestmark = pytest.mark.integration


def test_trace_reads_the_logs_of_every_function(deployment: Deployment, live: ApiClient) -> None:
    render = live.render(headers={"X-Request-Id": "traced-on-aws"}).json()

    def look() -> Any:
        found = trace(deployment, render["id"])
        return found if "relay" in sources(found) else None

    found = eventually(look, pause_s=0.5)

    assert found["request_id"] == "traced-on-aws"
    assert sources(found) >= {"row", "facts", "api", "render", "relay"}
    moments = [row["at"] for row in found["events"]]
    assert moments == sorted(moments)


def test_dlq_list_counts_the_dead_letters_of_each_queue(deployment: Deployment) -> None:
    answer = deployment.platen("--stage", "test", "dlq", "list")

    assert answer["unread"].keys() == {
        "renders",
        "events",
        "maintenance",
        "batches",
        "combine",
        "webhooks",
        "emails",
        "uploads",
    }


def trace(deployment: Deployment, render_id: str) -> dict[str, Any]:
    return deployment.platen("--stage", "test", "render", "trace", render_id)


def sources(found: dict[str, Any]) -> set[str]:
    return {row["source"] for row in found["events"]}
