"""`/v1/templates`: create, list, read, change, delete, restore and lock templates."""

from typing import Final

from chalice.app import Blueprint

from chalicelib.api._restricted_key import require_unrestricted_key
from chalicelib.api.edge import paging
from chalicelib.api.edge.auth import KeyAuth
from chalicelib.api.edge.endpoint import Call, Creation, Reply, endpoint
from chalicelib.api.edge.idempotency import shown_again
from chalicelib.api.template._template_request import (
    DRY_RUN_PROBLEMS,
    LOOKUP_PROBLEMS,
    allowed_template_id,
    check_response_size,
    dry_run_deadline,
    requested_source,
    requested_template,
)
from chalicelib.core.ids import IdSeed
from chalicelib.features.templates.create import NewTemplate
from chalicelib.features.templates.publish import NewDataset
from chalicelib.features.templates.read import TemplateFilter

blueprint: Final = Blueprint(__name__)

_READ: Final = "templates:read"
_WRITE: Final = "templates:write"
_CONTRACT: Final = "chalicelib.contract.template.template"
_TEMPLATE: Final = f"{_CONTRACT}:Template"


def _made_before(call: Call, seed: IdSeed) -> Reply | None:
    return shown_again(call, seed.id("tpl"), retrieve_template)


@blueprint.route("/v1/templates", methods=["POST"])
@endpoint(
    auth=KeyAuth(_WRITE),
    body=f"{_CONTRACT}:TemplateRequest",
    creates=Creation(_made_before),
    tag="Templates",
    answers={201: _TEMPLATE},
    problems=("template_not_allowed_for_key", *DRY_RUN_PROBLEMS),
)
def create_template(call: Call) -> Reply:
    """Make a template.

    Its source becomes the draft. With `publish` it also becomes version 1: all datasets are
    rendered first, without being stored or billed. If one fails, or no data
    can render the source, no template is made. A key with a template allowlist cannot make
    templates.
    """
    require_unrestricted_key(call, "make a template that is not on it")
    request = call.body
    datasets = [NewDataset(each.name, each.data, each.is_default) for each in request.datasets]
    for dataset in datasets:
        check_response_size(f'The dataset "{dataset.name}"', dataset.data)
    new_template = NewTemplate(
        workspace_id=call.caller.workspace_id,
        name=request.name,
        description=request.description,
        type=request.type,
        source=requested_source(request, request.type),
        datasets=datasets,
        publish=request.publish,
    )
    template = call.services.templates.create(
        new_template, request_id=call.request_id, deadline=dry_run_deadline(call)
    )
    headers = {"Location": f"{call.services.settings.base_url}/templates/{template.id}"}
    return Reply(201, call.services.templates.present(template), headers=headers)


@blueprint.route("/v1/templates", methods=["GET"])
@endpoint(
    auth=KeyAuth(_READ),
    query=f"{_CONTRACT}:TemplateQuery",
    tag="Templates",
    answers={200: f"{_CONTRACT}:TemplateList"},
)
def list_templates(call: Call) -> Reply:
    """List templates, newest first.

    A key with a template allowlist sees the templates of its list only. A page may hold fewer than
    `limit` templates while `has_more` is true.
    """
    query = call.query
    position = paging.start_position(call)
    page = call.services.templates.read.page(
        call.caller.workspace_id,
        TemplateFilter(query.type, query.q or "", deleted=query.deleted, ids=call.caller.templates),
        limit=query.limit,
        after=position["after"] if position else None,
    )
    next_position = {"after": page.next_after} if page.next_after else None
    rows = [call.services.templates.present(template) for template in page.templates]
    return Reply(200, paging.list_envelope(call, rows, next_position))


@blueprint.route("/v1/templates/{id}", methods=["GET"])
@endpoint(
    auth=KeyAuth(_READ),
    tag="Templates",
    answers={200: _TEMPLATE},
    problems=LOOKUP_PROBLEMS,
)
def retrieve_template(call: Call) -> Reply:
    """Retrieve a template."""
    return Reply(200, call.services.templates.present(requested_template(call)))


@blueprint.route("/v1/templates/{id}", methods=["PATCH"])
@endpoint(
    auth=KeyAuth(_WRITE),
    body=f"{_CONTRACT}:TemplateChange",
    tag="Templates",
    answers={200: _TEMPLATE},
    problems=LOOKUP_PROBLEMS,
)
def update_template(call: Call) -> Reply:
    """Change a template's name or description."""
    fields = {name: getattr(call.body, name) for name in call.body.model_fields_set}
    template = call.services.templates.change(requested_template(call), fields)
    return Reply(200, call.services.templates.present(template))


@blueprint.route("/v1/templates/{id}", methods=["DELETE"])
@endpoint(
    auth=KeyAuth(_WRITE),
    tag="Templates",
    answers={200: f"{_CONTRACT}:DeletedTemplate"},
    problems=(*LOOKUP_PROBLEMS, "template_locked", "conflict"),
)
def delete_template(call: Call) -> Reply:
    """Move a template into the trash.

    It can be restored for 30 days, during which requests for it get 410. Then it is deleted with
    its versions and datasets.
    """
    templates = call.services.templates
    return Reply(
        200, templates.present.as_deleted(templates.trash.delete(requested_template(call)))
    )


@blueprint.route("/v1/templates/{id}/restore", methods=["POST"])
@endpoint(
    auth=KeyAuth(_WRITE),
    tag="Templates",
    answers={200: _TEMPLATE},
    problems=("template_not_allowed_for_key", "template_not_found", "conflict"),
)
def restore_template(call: Call) -> Reply:
    """Restore a template from the trash, as it was; if it is not in the trash: `conflict`."""
    template_id = allowed_template_id(call)
    template = call.services.templates.trash.restore(call.caller.workspace_id, template_id)
    return Reply(200, call.services.templates.present(template))


@blueprint.route("/v1/templates/{id}/lock", methods=["POST"])
@endpoint(
    auth=KeyAuth(_WRITE),
    tag="Templates",
    answers={200: _TEMPLATE},
    problems=LOOKUP_PROBLEMS,
)
def lock_template(call: Call) -> Reply:
    """Lock a template.

    Its draft cannot be replaced and it cannot be deleted. Publishing and rollback still work.
    """
    return _change_fields(call, {"locked": True})


@blueprint.route("/v1/templates/{id}/unlock", methods=["POST"])
@endpoint(
    auth=KeyAuth(_WRITE),
    tag="Templates",
    answers={200: _TEMPLATE},
    problems=LOOKUP_PROBLEMS,
)
def unlock_template(call: Call) -> Reply:
    """Unlock a template."""
    return _change_fields(call, {"locked": False})


def _change_fields(call: Call, fields: dict[str, bool]) -> Reply:
    templates = call.services.templates
    return Reply(200, templates.present(templates.change(requested_template(call), fields)))
