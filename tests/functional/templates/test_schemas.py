"""JSON Schemas of templates: invalid schemas are refused, and invalid data reported."""

import contextlib
from collections.abc import Iterator
from typing import Any, override

import pytest

from chalicelib.core.errors import FieldError, RenderFailure
from chalicelib.core.json import Json
from chalicelib.engine.job import EngineJob
from chalicelib.engine.schemas.worker import SchemaWorker
from tests.builders.service import Service
from tests.builders.templates import (
    make_template,
    post_template,
    publish_template,
    put_draft,
    render_template,
    template_rows,
)

SCHEMA = {
    "type": "object",
    "properties": {
        "lines": {"type": "array", "items": {"type": "object", "required": ["price"]}},
        "on": {"type": "string", "format": "date"},
    },
    "required": ["lines"],
}
# How long five seconds of processor time may take on a machine with other load.
WALL_S = 120.0
# Catastrophic backtracking: matching a's and another letter never ends.
BOMB = {"properties": {"a": {"pattern": "^(a+)+$"}}}


@pytest.mark.parametrize(
    ("schema", "pointer"),
    [
        ({"type": "word"}, "/schema/type"),
        ({"items": {"$ref": "https://example.com/x"}}, "/schema/items/$ref"),
        ({"pattern": "("}, "/schema/pattern"),
        ({"$ref": "#"}, "/schema"),
        ({"description": "x" * 256_000}, "/schema"),
        ([], "/schema"),
    ],
)
def test_invalid_schema_is_refused_with_its_pointer(
    service: Service, schema: Any, pointer: str
) -> None:
    for answer in (
        post_template(service, schema=schema),
        put_draft(service, make_template(service), schema=schema),
    ):
        assert (answer.status, answer.code) == (400, "validation_error")
        assert answer.pointers == [pointer]


def test_data_that_violate_the_schema_create_no_render(service: Service) -> None:
    path = make_template(service, schema=SCHEMA, publish=True)

    answer = render_template(service, path, data={"lines": [{"price": 1}, {}], "on": "1 May"})

    assert (answer.status, answer.code) == (422, "data_schema_mismatch")
    assert answer.json["errors"] == [
        {"path": "/data/lines/1", "code": "required", "message": '"price" is required'},
        {
            "path": "/data/on",
            "code": "wrong_format",
            "message": "must be a date such as 2026-01-31",
        },
    ]
    assert "/data/lines/1" in answer.json["detail"]
    assert service.call("GET", "/v1/renders").json["data"] == []
    assert service.limits()["holds"] == {}
    assert render_template(service, path).pointers == ["/data"]
    assert render_template(service, path, mode="async", data={}).code == "data_schema_mismatch"
    assert render_template(service, path, data={"lines": []}).status == 200


def test_data_are_checked_against_the_schema_of_the_version(service: Service) -> None:
    path = make_template(service, schema=SCHEMA, publish=True)
    put_draft(service, path, html="<p>")
    publish_template(service, path)

    assert render_template(service, path, data={}).status == 200
    assert render_template(service, path, data={}, version=1).code == "data_schema_mismatch"


def test_schema_is_passed_to_the_engine_that_fetches_the_data(service: Service) -> None:
    path = make_template(service, schema=SCHEMA, publish=True)
    url = "https://example.com/data.json"

    def arrive(_job: EngineJob) -> None:
        service.engine.contexts[-1].check_data({"lines": [{}]}, "/data")

    service.engine.before_run = arrive
    answer = render_template(service, path, data_url=url)

    assert (answer.status, answer.code) == (422, "data_schema_mismatch")
    assert answer.pointers == ["/data/lines/0"]
    render = service.call("GET", f"/v1/renders/{answer.json['render_id']}").json
    assert (render["status"], render["billed"]) == ("failed", False)
    assert render["error"]["errors"] == answer.json["errors"]
    assert "schema" not in render["input"]


class PatientSchemas(SchemaWorker):
    """Schema worker whose checks end by their processor time only, on a loaded machine as well."""

    @override
    def validate(
        self, schema: Json, data: Json, *, budget_s: float, prefix: str = "/data"
    ) -> list[FieldError]:
        assert 0 < budget_s < 16
        return super().validate(schema, data, budget_s=WALL_S, prefix=prefix)


@pytest.fixture
def patient_schemas(service: Service) -> Iterator[None]:
    with contextlib.closing(PatientSchemas()) as schemas:
        service.schemas = schemas
        yield


@pytest.mark.usefixtures("patient_schemas")
def test_exploding_schema_is_stopped_and_the_next_data_are_checked(service: Service) -> None:
    bomb = make_template(service, schema=BOMB, publish=True)
    plain = make_template(service, schema=SCHEMA, publish=True)

    answer = render_template(service, bomb, data={"a": "a" * 40 + "!"})

    assert (answer.status, answer.code) == (422, "template_fuel_exhausted")
    assert "JSON Schema" in answer.json["detail"]
    assert render_template(service, plain, data={"lines": []}).status == 200


def test_schema_that_takes_too_long_to_check_is_refused(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    def exhausted(*_: Any, **__: Any) -> None:
        raise RenderFailure("template_fuel_exhausted", "It used more than 5 s.")

    monkeypatch.setattr(service.schemas, "check_schema", exhausted)

    answer = post_template(service, schema={})

    assert (answer.code, answer.pointers) == ("validation_error", ["/schema"])
    assert "too complex" in answer.json["detail"]


def test_refused_schema_leaves_the_draft_as_it_was(service: Service) -> None:
    path = make_template(service, schema=SCHEMA)
    before = template_rows(service, path)

    assert put_draft(service, path, schema={"type": 1}).status == 400

    assert template_rows(service, path) == before
