"""`/v1/templates`: templates, their drafts and their versions."""

from typing import Any, Final

from chalicelib.api._template_request import (
    DRY_RUN_PROBLEMS,
    LOOKUP_PROBLEMS,
    allowed_template_id,
    check_response_size,
    dry_run_deadline,
    requested_source,
    requested_template,
    require_unrestricted_key,
)
from chalicelib.api.edge import paging
from chalicelib.api.edge.endpoint import Call, Reply, endpoint
from chalicelib.features.templates.create import NewTemplate
from chalicelib.features.templates.present import template_json
from chalicelib.features.templates.publish import NewDataset
from chalicelib.features.templates.read import TemplateFilter

_READ: Final = "templates:read"
_WRITE: Final = "templates:write"
_CONTRACT: Final = "chalicelib.contract.template.template"
_TEMPLATE: Final = f"{_CONTRACT}:Template"


@endpoint(
    "POST",
    "/v1/templates",
    scope=_WRITE,
    body=f"{_CONTRACT}:TemplateRequest",
    tag="Templates",
    answers={201: _TEMPLATE},
    problems=("template_not_allowed_for_key", *DRY_RUN_PROBLEMS),
)
def create(call: Call) -> Reply:
    """Make a template.

    Its source becomes the draft. With `publish` it is version 1 at once: every dataset is rendered
    first, nothing of which is stored or billed, and where one fails nothing is made. A key with a
    template allowlist makes none.
    """
    require_unrestricted_key(call)
    asked = call.body
    datasets = [NewDataset(each.name, each.data, each.is_default) for each in asked.datasets]
    for each in datasets:
        check_response_size(f'The dataset "{each.name}"', each.data)
    wanted = NewTemplate(
        workspace_id=call.caller.workspace_id,
        name=asked.name,
        description=asked.description,
        type=asked.type,
        source=requested_source(asked, asked.type),
        datasets=datasets,
        publish=asked.publish,
    )
    template = call.services.create_template(
        wanted, request_id=call.request_id, deadline=dry_run_deadline(call)
    )
    headers = {"Location": f"{call.services.settings.base_url}/templates/{template.id}"}
    return Reply(201, template_json(template), headers=headers)


@endpoint(
    "GET",
    "/v1/templates",
    scope=_READ,
    query=f"{_CONTRACT}:TemplateQuery",
    tag="Templates",
    answers={200: f"{_CONTRACT}:TemplateList"},
)
def list_templates(call: Call) -> Reply:
    """List templates, newest first.

    A key with a template allowlist sees those of its list. A page may hold fewer than `limit`
    templates while `has_more` is true.
    """
    query = call.query
    position = paging.start_position(call)
    page = call.services.read_templates.page(
        call.caller.workspace_id,
        TemplateFilter(query.type, deleted=query.deleted, ids=call.caller.key.templates),
        limit=query.limit,
        after=position["after"] if position else None,
    )
    following = {"after": page.next_after} if page.next_after else None
    shown = [template_json(template) for template in page.templates]
    return Reply(200, paging.list_envelope(call, shown, following))


@endpoint(
    "GET",
    "/v1/templates/{id}",
    scope=_READ,
    tag="Templates",
    answers={200: _TEMPLATE},
    problems=LOOKUP_PROBLEMS,
)
def retrieve(call: Call) -> Reply:
    """Retrieve a template."""
    return Reply(200, template_json(requested_template(call)))


@endpoint(
    "PATCH",
    "/v1/templates/{id}",
    scope=_WRITE,
    body=f"{_CONTRACT}:TemplateChange",
    tag="Templates",
    answers={200: _TEMPLATE},
    problems=LOOKUP_PROBLEMS,
)
def change(call: Call) -> Reply:
    """Change a template's name or description."""
    fields = {name: getattr(call.body, name) for name in call.body.model_fields_set}
    template = call.services.change_template(requested_template(call), fields)
    return Reply(200, template_json(template))


@endpoint(
    "DELETE",
    "/v1/templates/{id}",
    scope=_WRITE,
    tag="Templates",
    answers={200: _TEMPLATE},
    problems=(*LOOKUP_PROBLEMS, "template_locked", "conflict"),
)
def delete(call: Call) -> Reply:
    """Move a template into the trash.

    For 30 days it can be restored, and whoever asks for it is answered 410; then it is gone with
    its versions and datasets.
    """
    return Reply(200, template_json(call.services.trash_template.delete(requested_template(call))))


@endpoint(
    "POST",
    "/v1/templates/{id}/restore",
    scope=_WRITE,
    tag="Templates",
    answers={200: _TEMPLATE},
    problems=("template_not_allowed_for_key", "template_not_found", "conflict"),
)
def restore(call: Call) -> Reply:
    """Restore a template from the trash, as it was; one that is not there is a `conflict`."""
    template_id = allowed_template_id(call)
    template = call.services.trash_template.restore(call.caller.workspace_id, template_id)
    return Reply(200, template_json(template))


@endpoint(
    "POST",
    "/v1/templates/{id}/lock",
    scope=_WRITE,
    tag="Templates",
    answers={200: _TEMPLATE},
    problems=LOOKUP_PROBLEMS,
)
def lock(call: Call) -> Reply:
    """Lock a template.

    Its draft cannot be replaced and it cannot be deleted; publishing and rollback go on.
    """
    return _change_fields(call, {"locked": True})


@endpoint(
    "POST",
    "/v1/templates/{id}/unlock",
    scope=_WRITE,
    tag="Templates",
    answers={200: _TEMPLATE},
    problems=LOOKUP_PROBLEMS,
)
def unlock(call: Call) -> Reply:
    """Unlock a template."""
    return _change_fields(call, {"locked": False})


def _change_fields(call: Call, fields: dict[str, Any]) -> Reply:
    return Reply(
        200, template_json(call.services.change_template(requested_template(call), fields))
    )
