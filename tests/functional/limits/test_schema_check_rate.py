"""Schema validation, which may take seconds, runs only within the limits."""

from typing import Any

from chalicelib.adapters.aws.table import Write
from chalicelib.core.errors import FieldError
from tests.builders.service import Service
from tests.builders.templates import make_template, render_template


class CountedSchemas:
    """Schema worker that counts its checks."""

    def __init__(self) -> None:
        self.checks = 0

    def check_schema(self, schema: Any, *, budget_s: float, prefix: str = "") -> list[FieldError]:
        del schema, budget_s, prefix
        return []

    def validate(
        self, schema: Any, data: Any, *, budget_s: float, prefix: str = ""
    ) -> list[FieldError]:
        del schema, data, budget_s, prefix
        self.checks += 1
        return []


def test_rate_limit_applies_before_schema_validation(service: Service) -> None:
    schemas = CountedSchemas()
    service.schemas = schemas
    path = make_template(service, schema={"required": ["n"]}, publish=True)
    item = service.limits() | {"leases": {f"rnd_{n}": 4_000_000_000 for n in range(50)}}
    service.main_table.write(Write(service.main_table, item=item))

    refused = {render_template(service, path, data={"n": 1}).code for _ in range(5)}
    assert (refused, schemas.checks) == ({"concurrency_limited"}, 0)

    statuses = [
        render_template(service, path, data={"n": 1}, mode="async").status for _ in range(110)
    ]
    assert set(statuses) == {202, 429}
    assert schemas.checks == statuses.count(202)


def test_invalid_data_reserve_nothing_and_count_once(service: Service) -> None:
    path = make_template(service, schema={"required": ["n"]}, publish=True)
    before = service.limits()
    first = render_template(service, path, data={})
    left = int(first.headers["RateLimit"].split(";")[1][2:])

    answer = render_template(service, path, data={})

    assert answer.code == "data_schema_mismatch"
    assert answer.headers["RateLimit"].split(";")[1] == f"r={left - 1}"
    after = service.limits()
    assert (after["holds"], after["leases"]) == ({}, {})
    assert after["quota_left"] == before["quota_left"]
    assert service.call("GET", "/v1/renders").json["data"] == []
