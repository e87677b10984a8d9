"""Time budget of publishing: 25 s in all, including the schema checks."""

import threading
import time
from typing import Any, Final

import pytest

from chalicelib.core.errors import RenderFailure
from tests.builders.service import Service
from tests.builders.templates import TEMPLATES_PATH, make_template, post_template, publish_template
from tests.builders.waiting import PATIENCE_S

SCHEMA: Final = {"type": "object"}
DATASETS: Final = [{"name": f"D{n}", "data": {}} for n in range(9)]
STEP_S: Final = 4.0


class SlowSchemas:
    """Schema worker that takes a fixed time per check, or all the time that it gets."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self.given_s: list[float] = []
        self.failure: RenderFailure | None = None

    def check_schema(self, schema: Any, *, budget_s: float, prefix: str = "") -> list[Any]:
        assert (schema, budget_s > 0, prefix) == (SCHEMA, True, "/schema")
        return []

    def validate(self, schema: Any, data: Any, *, budget_s: float, prefix: str = "") -> list[Any]:
        assert (schema, data, bool(prefix)) == (SCHEMA, {}, True)
        self.given_s.append(budget_s)
        self._service.clock.advance(seconds=STEP_S)
        if self.failure is not None:
            raise self.failure
        return []


@pytest.fixture
def schemas(service: Service) -> SlowSchemas:
    slow = SlowSchemas(service)
    service.schemas = slow
    return slow


def test_schema_checks_end_with_the_publishing_budget(
    service: Service, schemas: SlowSchemas
) -> None:
    answer = post_template(service, schema=SCHEMA, datasets=DATASETS, publish=True)

    assert (answer.status, answer.code) == (408, "render_timeout")
    assert '"D7" (/datasets/7)' in answer.json["detail"]
    # The last check gets the remaining time.
    assert len(schemas.given_s) == 7
    assert 0 < schemas.given_s[-1] < STEP_S
    assert service.engine.jobs == []
    assert service.call("GET", TEMPLATES_PATH).json["data"] == []


def test_unfinished_check_names_its_dataset(service: Service, schemas: SlowSchemas) -> None:
    path = make_template(service, schema=SCHEMA, datasets=DATASETS[:1])
    code = "template_fuel_exhausted"
    schemas.failure = RenderFailure(code, "The check took too long.")

    answer = publish_template(service, path)

    assert answer.code == code
    assert '"D0"' in answer.json["detail"]
    assert service.call("GET", path).json["live_version"] is None


@pytest.mark.parametrize(("plan", "most"), [("free", 2), ("scale", 10)])
def test_dry_runs_are_bounded_by_the_plans_concurrency(
    service: Service, plan: str, most: int
) -> None:
    key = service.key("live", service.create_workspace(plan))
    running, seen = 0, []
    lock, full = threading.Lock(), threading.Event()

    def make_slowly(_job: Any) -> None:
        nonlocal running
        with lock:
            running += 1
            seen.append(running)
            if running == most:
                full.set()
        full.wait(PATIENCE_S)
        time.sleep(0.05)
        with lock:
            running -= 1

    service.engine.before_run = make_slowly
    datasets = [{"name": f"D{n}", "data": {}} for n in range(12)]

    assert post_template(service, key=key, datasets=datasets, publish=True).status == 201
    assert (len(seen), max(seen)) == (12, most)
