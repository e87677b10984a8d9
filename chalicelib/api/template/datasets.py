"""`/v1/templates/{id}/datasets`: sample data of a template, and the schema inferred from it."""

from collections.abc import Mapping
from typing import Final

from chalice.app import Blueprint

from chalicelib.api.edge import paging
from chalicelib.api.edge.auth import KeyAuth
from chalicelib.api.edge.endpoint import Call, Creation, Reply, endpoint
from chalicelib.api.edge.idempotency import shown_again
from chalicelib.api.template._template_request import (
    LOOKUP_PROBLEMS,
    check_response_size,
    requested_template,
)
from chalicelib.core.errors import Conflict
from chalicelib.core.ids import IdSeed
from chalicelib.features.templates.datasets import DatasetInput
from chalicelib.features.templates.infer import inferred_schema, samples_within_budget
from chalicelib.features.templates.model import Dataset, Template
from chalicelib.features.templates.present import dataset_json

blueprint: Final = Blueprint(__name__)

_READ: Final = "templates:read"
_WRITE: Final = "templates:write"
_CONTRACT: Final = "chalicelib.contract.template.datasets"
_DATASET: Final = f"{_CONTRACT}:Dataset"
_REQUEST: Final = f"{_CONTRACT}:DatasetRequest"


def _made_before(call: Call, seed: IdSeed) -> Reply | None:
    return shown_again(call, seed.id("ds"), retrieve_dataset, "ds")


@blueprint.route("/v1/templates/{id}/datasets", methods=["POST"])
@endpoint(
    auth=KeyAuth(_WRITE),
    body=_REQUEST,
    creates=Creation(_made_before),
    tag="Templates",
    answers={201: _DATASET},
    problems=(*LOOKUP_PROBLEMS, "conflict"),
)
def create_dataset(call: Call) -> Reply:
    """Make a dataset.

    The first one is the default. A template has 50 at most; one more is a `conflict`. Its data need
    not fit the template's schema until the template is published.
    """
    template, dataset = call.services.templates.change_datasets.create(
        requested_template(call), _dataset_input(call)
    )
    url = f"{call.services.settings.base_url}/templates/{template.id}/datasets/{dataset.id}"
    return _dataset_reply(201, template, dataset, call.body.data, {"Location": url})


@blueprint.route("/v1/templates/{id}/datasets", methods=["GET"])
@endpoint(
    auth=KeyAuth(_READ),
    query=f"{_CONTRACT}:DatasetQuery",
    tag="Templates",
    answers={200: f"{_CONTRACT}:DatasetList"},
    problems=LOOKUP_PROBLEMS,
)
def list_datasets(call: Call) -> Reply:
    """List a template's datasets, in the order in which they were made.

    The list is without their data; retrieve a single dataset for its data.
    """
    template = requested_template(call)
    datasets = call.services.templates.read_datasets.all(template)
    rows = [dataset_json(template, dataset) for dataset in datasets]
    return Reply(200, paging.page_of_all(call, rows, oldest_first=True))


@blueprint.route("/v1/templates/{id}/datasets/{ds}", methods=["GET"])
@endpoint(
    auth=KeyAuth(_READ),
    tag="Templates",
    answers={200: _DATASET},
    problems=(*LOOKUP_PROBLEMS, "not_found", "conflict"),
)
def retrieve_dataset(call: Call) -> Reply:
    """Retrieve a dataset with its data."""
    template = requested_template(call)
    dataset = call.services.templates.read_datasets.one(template, call.params["ds"])
    return _dataset_reply(
        200, template, dataset, call.services.templates.read_datasets.data(template, dataset)
    )


@blueprint.route("/v1/templates/{id}/datasets/{ds}", methods=["PUT"])
@endpoint(
    auth=KeyAuth(_WRITE),
    body=_REQUEST,
    tag="Templates",
    answers={200: _DATASET},
    problems=(*LOOKUP_PROBLEMS, "not_found", "conflict"),
)
def replace_dataset(call: Call) -> Reply:
    """Replace a dataset, the whole of it.

    The default dataset stays the default until another one is made the default.
    """
    template, dataset = call.services.templates.change_datasets.replace(
        requested_template(call), call.params["ds"], _dataset_input(call)
    )
    return _dataset_reply(200, template, dataset, call.body.data)


@blueprint.route("/v1/templates/{id}/datasets/{ds}", methods=["DELETE"])
@endpoint(
    auth=KeyAuth(_WRITE),
    tag="Templates",
    answers={204: None},
    problems=(*LOOKUP_PROBLEMS, "not_found", "conflict"),
)
def delete_dataset(call: Call) -> Reply:
    """Delete a dataset at once.

    If it was the default, the oldest of the others becomes the default.
    """
    call.services.templates.change_datasets.delete(requested_template(call), call.params["ds"])
    return Reply(204)


@blueprint.route("/v1/templates/{id}/infer-schema", methods=["POST"])
@endpoint(
    auth=KeyAuth(_READ),
    tag="Templates",
    answers={200: f"{_CONTRACT}:InferredSchema"},
    problems=(*LOOKUP_PROBLEMS, "conflict", "concurrency_limited"),
)
def infer_template_schema(call: Call) -> Reply:
    """Infer a JSON Schema from a template's datasets.

    All datasets are valid against it: types are united, a field that all of them have is required,
    and a text has a format (`date`, `date-time`, `email`) where it has one in all of them. At most
    2 000 names are listed. Nothing is changed. It is a `conflict` without datasets, or if they
    hold so much that 20 seconds are not enough.
    """
    template = requested_template(call)
    if not template.datasets:
        detail = "There is nothing to infer a schema from: make a dataset first."
        raise Conflict("conflict", detail)
    services = call.services
    # Inferring takes seconds of processor time, so it takes a concurrency lease (decision 2).
    with services.state.leases(call.caller.workspace):
        datasets = services.templates.read_datasets.each(template)
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
    data: Mapping[str, object],
    headers: dict[str, str] | None = None,
) -> Reply:
    return Reply(status, dataset_json(template, dataset) | {"data": data}, headers=headers or {})
