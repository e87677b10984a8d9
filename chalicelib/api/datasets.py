"""`/v1/templates/{id}/datasets`: data that a template is tried with."""

from typing import Any, Final

from chalicelib.api import _paging
from chalicelib.api._endpoint import Call, Reply, endpoint
from chalicelib.api._shown import check_shown
from chalicelib.api._template import FINDING, template_of
from chalicelib.core.errors import Conflict
from chalicelib.features.templates.datasets import WantedDataset
from chalicelib.features.templates.infer import in_time, inferred
from chalicelib.features.templates.model import Dataset, Template
from chalicelib.features.templates.present import shown_dataset

_READ: Final = "templates:read"
_WRITE: Final = "templates:write"
_CONTRACT: Final = "chalicelib.contract.datasets"
_DATASET: Final = f"{_CONTRACT}:Dataset"
_REQUEST: Final = f"{_CONTRACT}:DatasetRequest"


@endpoint(
    "POST",
    "/v1/templates/{id}/datasets",
    scope=_WRITE,
    body=_REQUEST,
    tag="Templates",
    answers={201: _DATASET},
    problems=(*FINDING, "conflict"),
)
def create(call: Call) -> Reply:
    """Make a dataset.

    The first one is the default. A template has 50 at most; one more is a `conflict`. Its data need
    not fit the template's schema until the template is published.
    """
    template, dataset = call.services.change_datasets.create(template_of(call), _wanted(call))
    place = f"{call.services.settings.base_url}/templates/{template.id}/datasets/{dataset.id}"
    return _answer(201, template, dataset, call.body.data, {"Location": place})


@endpoint(
    "GET",
    "/v1/templates/{id}/datasets",
    scope=_READ,
    tag="Templates",
    answers={200: f"{_CONTRACT}:DatasetList"},
    problems=FINDING,
)
def list_datasets(call: Call) -> Reply:
    """List a template's datasets, all of them in the order in which they were made.

    Their data are with each single one.
    """
    template = template_of(call)
    found = call.services.read_datasets.all(template)
    shown = [shown_dataset(template, dataset) for dataset in found]
    return Reply(200, _paging.envelope(call, shown, None))


@endpoint(
    "GET",
    "/v1/templates/{id}/datasets/{ds}",
    scope=_READ,
    tag="Templates",
    answers={200: _DATASET},
    problems=(*FINDING, "not_found", "conflict"),
)
def retrieve(call: Call) -> Reply:
    """Retrieve a dataset with its data."""
    template = template_of(call)
    dataset = call.services.read_datasets.one(template, call.params["ds"])
    return _answer(200, template, dataset, call.services.read_datasets.data(template, dataset))


@endpoint(
    "PUT",
    "/v1/templates/{id}/datasets/{ds}",
    scope=_WRITE,
    body=_REQUEST,
    tag="Templates",
    answers={200: _DATASET},
    problems=(*FINDING, "not_found", "conflict"),
)
def replace(call: Call) -> Reply:
    """Replace a dataset, the whole of it.

    The default one stays it until another one is made it.
    """
    template, dataset = call.services.change_datasets.replace(
        template_of(call), call.params["ds"], _wanted(call)
    )
    return _answer(200, template, dataset, call.body.data)


@endpoint(
    "DELETE",
    "/v1/templates/{id}/datasets/{ds}",
    scope=_WRITE,
    tag="Templates",
    answers={204: None},
    problems=(*FINDING, "not_found", "conflict"),
)
def delete(call: Call) -> Reply:
    """Delete a dataset at once; of those left, the oldest is the default where this one was."""
    call.services.change_datasets.delete(template_of(call), call.params["ds"])
    return Reply(204)


@endpoint(
    "POST",
    "/v1/templates/{id}/infer-schema",
    scope=_READ,
    tag="Templates",
    answers={200: f"{_CONTRACT}:InferredSchema"},
    problems=(*FINDING, "conflict", "concurrency_limited"),
)
def infer_schema(call: Call) -> Reply:
    """Infer a JSON Schema from a template's datasets.

    All of them fit it: types are united, what all have is required, and texts have a format
    (`date`, `date-time`, `email`) where all of them do. Of very many names the first 2 000 are
    told. Nothing is changed; without datasets it is a `conflict`, also with so much in them that
    20 seconds are not enough.
    """
    template = template_of(call)
    if not template.datasets:
        detail = "There is nothing to infer a schema from: make a dataset first."
        raise Conflict("conflict", detail)
    services = call.services
    with services.places(call.caller.workspace):
        datasets = services.read_datasets.each(template)
        schema = inferred(in_time(datasets, services.clock, call.started))
    return Reply(
        200,
        {
            "object": "inferred_schema",
            "template_id": template.id,
            "datasets": len(template.datasets),
            "schema": schema,
        },
    )


def _wanted(call: Call) -> WantedDataset:
    check_shown("The dataset", call.body.data)
    return WantedDataset(call.body.name, call.body.data, call.body.is_default)


def _answer(
    status: int,
    template: Template,
    dataset: Dataset,
    data: dict[str, Any],
    headers: dict[str, str] | None = None,
) -> Reply:
    return Reply(status, shown_dataset(template, dataset) | {"data": data}, headers=headers or {})
