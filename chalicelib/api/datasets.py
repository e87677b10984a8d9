"""`/v1/templates/{id}/datasets`: data that a template is tried with."""

from typing import Any, Final

from chalicelib.api._template_request import (
    LOOKUP_PROBLEMS,
    check_response_size,
    requested_template,
)
from chalicelib.api.edge import paging
from chalicelib.api.edge.endpoint import Call, Reply, endpoint
from chalicelib.core.errors import Conflict
from chalicelib.features.templates.datasets import DatasetInput
from chalicelib.features.templates.infer import inferred_schema, samples_within_budget
from chalicelib.features.templates.model import Dataset, Template
from chalicelib.features.templates.present import dataset_json

_READ: Final = "templates:read"
_WRITE: Final = "templates:write"
_CONTRACT: Final = "chalicelib.contract.template.datasets"
_DATASET: Final = f"{_CONTRACT}:Dataset"
_REQUEST: Final = f"{_CONTRACT}:DatasetRequest"


@endpoint(
    "POST",
    "/v1/templates/{id}/datasets",
    scope=_WRITE,
    body=_REQUEST,
    tag="Templates",
    answers={201: _DATASET},
    problems=(*LOOKUP_PROBLEMS, "conflict"),
)
def create(call: Call) -> Reply:
    """Make a dataset.

    The first one is the default. A template has 50 at most; one more is a `conflict`. Its data need
    not fit the template's schema until the template is published.
    """
    template, dataset = call.services.change_datasets.create(
        requested_template(call), _dataset_input(call)
    )
    place = f"{call.services.settings.base_url}/templates/{template.id}/datasets/{dataset.id}"
    return _dataset_reply(201, template, dataset, call.body.data, {"Location": place})


@endpoint(
    "GET",
    "/v1/templates/{id}/datasets",
    scope=_READ,
    tag="Templates",
    answers={200: f"{_CONTRACT}:DatasetList"},
    problems=LOOKUP_PROBLEMS,
)
def list_datasets(call: Call) -> Reply:
    """List a template's datasets, all of them in the order in which they were made.

    Their data are with each single one.
    """
    template = requested_template(call)
    found = call.services.read_datasets.all(template)
    shown = [dataset_json(template, dataset) for dataset in found]
    return Reply(200, paging.list_envelope(call, shown, None))


@endpoint(
    "GET",
    "/v1/templates/{id}/datasets/{ds}",
    scope=_READ,
    tag="Templates",
    answers={200: _DATASET},
    problems=(*LOOKUP_PROBLEMS, "not_found", "conflict"),
)
def retrieve(call: Call) -> Reply:
    """Retrieve a dataset with its data."""
    template = requested_template(call)
    dataset = call.services.read_datasets.one(template, call.params["ds"])
    return _dataset_reply(
        200, template, dataset, call.services.read_datasets.data(template, dataset)
    )


@endpoint(
    "PUT",
    "/v1/templates/{id}/datasets/{ds}",
    scope=_WRITE,
    body=_REQUEST,
    tag="Templates",
    answers={200: _DATASET},
    problems=(*LOOKUP_PROBLEMS, "not_found", "conflict"),
)
def replace(call: Call) -> Reply:
    """Replace a dataset, the whole of it.

    The default one stays it until another one is made it.
    """
    template, dataset = call.services.change_datasets.replace(
        requested_template(call), call.params["ds"], _dataset_input(call)
    )
    return _dataset_reply(200, template, dataset, call.body.data)


@endpoint(
    "DELETE",
    "/v1/templates/{id}/datasets/{ds}",
    scope=_WRITE,
    tag="Templates",
    answers={204: None},
    problems=(*LOOKUP_PROBLEMS, "not_found", "conflict"),
)
def delete(call: Call) -> Reply:
    """Delete a dataset at once; of those left, the oldest is the default where this one was."""
    call.services.change_datasets.delete(requested_template(call), call.params["ds"])
    return Reply(204)


@endpoint(
    "POST",
    "/v1/templates/{id}/infer-schema",
    scope=_READ,
    tag="Templates",
    answers={200: f"{_CONTRACT}:InferredSchema"},
    problems=(*LOOKUP_PROBLEMS, "conflict", "concurrency_limited"),
)
def infer_schema(call: Call) -> Reply:
    """Infer a JSON Schema from a template's datasets.

    All of them fit it: types are united, what all have is required, and texts have a format
    (`date`, `date-time`, `email`) where all of them do. Of very many names the first 2 000 are
    told. Nothing is changed; without datasets it is a `conflict`, also with so much in them that
    20 seconds are not enough.
    """
    template = requested_template(call)
    if not template.datasets:
        detail = "There is nothing to infer a schema from: make a dataset first."
        raise Conflict("conflict", detail)
    services = call.services
    with services.leases(call.caller.workspace):
        datasets = services.read_datasets.each(template)
        schema = inferred_schema(samples_within_budget(datasets, services.clock, call.started_at))
    return Reply(
        200,
        {
            "object": "inferred_schema",
            "template_id": template.id,
            "datasets": len(template.datasets),
            "schema": schema,
        },
    )


def _dataset_input(call: Call) -> DatasetInput:
    check_response_size("The dataset", call.body.data)
    return DatasetInput(call.body.name, call.body.data, call.body.is_default)


def _dataset_reply(
    status: int,
    template: Template,
    dataset: Dataset,
    data: dict[str, Any],
    headers: dict[str, str] | None = None,
) -> Reply:
    return Reply(status, dataset_json(template, dataset) | {"data": data}, headers=headers or {})
