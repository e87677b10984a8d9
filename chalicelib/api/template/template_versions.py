"""`/v1/templates/{id}/…`: drafts, publishing, rollback, versions and their schema."""

from typing import Final

from chalice.app import Blueprint

from chalicelib.api.edge import paging
from chalicelib.api.edge.auth import KeyAuth
from chalicelib.api.edge.endpoint import Call, Creation, Reply, endpoint
from chalicelib.api.template._template_request import (
    DRY_RUN_PROBLEMS,
    LOOKUP_PROBLEMS,
    draft_etag,
    dry_run_deadline,
    requested_revision,
    requested_source,
    requested_template,
)
from chalicelib.core.clock import format_rfc3339
from chalicelib.core.errors import NotFound
from chalicelib.core.ids import IdSeed
from chalicelib.features.templates.allowed_includes import check_includes
from chalicelib.features.templates.model import Draft, SourceBundle, Template
from chalicelib.features.templates.present import (
    draft_json,
    schema_json,
    version_json,
    version_source_json,
)
from chalicelib.features.templates.publish import PublishResult

blueprint: Final = Blueprint(__name__)

_READ: Final = "templates:read"
_WRITE: Final = "templates:write"
_CONTRACT: Final = "chalicelib.contract.template.template"
_DRAFT: Final = f"{_CONTRACT}:TemplateDraft"
_VERSION: Final = f"{_CONTRACT}:TemplateVersion"
# Limit of a version number in a path.
_MAX_DIGITS: Final = 9
_VERSIONS_LOOKED_AT: Final = 20


def _made_before(call: Call, seed: IdSeed) -> Reply | None:
    """Return the answer of a version that an earlier attempt of this request has published.

    One that another request has published of the same draft or version meanwhile is as good.
    """
    template = requested_template(call)
    body = call.body.model_dump()
    versions, _ = call.services.templates.read.versions(
        template, limit=_VERSIONS_LOOKED_AT, below=None
    )
    for version in versions:
        is_same = version.rollback_of == body.get("version") and version.note == body.get("note")
        is_of_draft = body.get("revision") in {None, version.draft_revision}
        if version.published_at >= format_rfc3339(seed.moment) and is_same and is_of_draft:
            return _version_reply(call, PublishResult(template, version))
    return None


@blueprint.route("/v1/templates/{id}/draft", methods=["GET"])
@endpoint(
    auth=KeyAuth(_READ),
    tag="Templates",
    answers={200: _DRAFT},
    has_etag=True,
    problems=LOOKUP_PROBLEMS,
)
def retrieve_template_draft(call: Call) -> Reply:
    """Retrieve a template's draft."""
    template = requested_template(call)
    draft, source = call.services.templates.read.draft(template)
    return _draft_reply(template, draft, source)


@blueprint.route("/v1/templates/{id}/draft", methods=["PUT"])
@endpoint(
    auth=KeyAuth(_WRITE),
    body=f"{_CONTRACT}:DraftRequest",
    tag="Templates",
    answers={200: _DRAFT},
    takes_if_match=True,
    has_etag=True,
    problems=(
        *LOOKUP_PROBLEMS,
        "template_locked",
        "draft_revision_conflict",
        "conflict",
        "scene_invalid",
    ),
)
def replace_template_draft(call: Call) -> Reply:
    """Replace a template's draft, the whole of it.

    With the `revision` that was read before, or its `ETag` in `If-Match`, a draft that has changed
    since is not replaced: `draft_revision_conflict`. Without them it is always replaced. For a key
    with a template allowlist, the draft may include templates of the list only.
    """
    template = requested_template(call)
    source = requested_source(call.body, template.type)
    allowed = call.caller.templates
    check_includes(source.content, "" if call.body.content is None else "/content", allowed)
    check_includes(source.options, "/options", allowed)
    revision = requested_revision(call, template)
    replaced = call.services.templates.replace_draft(template, source, revision=revision)
    return _draft_reply(replaced.template, replaced.draft, source)


@blueprint.route("/v1/templates/{id}/publish", methods=["POST"])
@endpoint(
    auth=KeyAuth(_WRITE),
    body=f"{_CONTRACT}:PublishRequest",
    body_required=False,
    takes_if_match=True,
    creates=Creation(_made_before),
    tag="Templates",
    answers={201: _VERSION},
    problems=(*LOOKUP_PROBLEMS, "draft_revision_conflict", "conflict", *DRY_RUN_PROBLEMS),
)
def publish_template_version(call: Call) -> Reply:
    """Publish a template's draft as its next version.

    All datasets are rendered first, in parallel; if one fails, nothing is published. Nor is a draft
    that no data can render, by a syntax error or an included template that is not there.
    A draft that changes meanwhile is a `draft_revision_conflict`.
    """
    template = requested_template(call)
    published = call.services.templates.publish.publish_draft(
        template,
        note=call.body.note,
        revision=requested_revision(call, template),
        request_id=call.request_id,
        deadline=dry_run_deadline(call),
    )
    return _version_reply(call, published)


@blueprint.route("/v1/templates/{id}/rollback", methods=["POST"])
@endpoint(
    auth=KeyAuth(_WRITE),
    body=f"{_CONTRACT}:RollbackRequest",
    creates=Creation(_made_before),
    tag="Templates",
    answers={201: _VERSION},
    problems=(*LOOKUP_PROBLEMS, "version_not_found", "conflict"),
)
def roll_back_template(call: Call) -> Reply:
    """Publish an older version's content again, as the next version.

    No dataset is rendered: they were when the older version was published. The draft stays as it
    is.
    """
    published = call.services.templates.publish.rollback(
        requested_template(call), call.body.version, call.request_id
    )
    return _version_reply(call, published)


@blueprint.route("/v1/templates/{id}/versions", methods=["GET"])
@endpoint(
    auth=KeyAuth(_READ),
    query=f"{_CONTRACT}:VersionQuery",
    tag="Templates",
    answers={200: f"{_CONTRACT}:TemplateVersionList"},
    problems=LOOKUP_PROBLEMS,
)
def list_template_versions(call: Call) -> Reply:
    """List a template's versions, newest first, without their content."""
    template = requested_template(call)
    position = paging.start_position(call)
    versions, below = call.services.templates.read.versions(
        template, limit=call.query.limit, below=position["below"] if position else None
    )
    next_position = {"below": below} if below else None
    rows = [version_json(template, version) for version in versions]
    return Reply(200, paging.list_envelope(call, rows, next_position))


@blueprint.route("/v1/templates/{id}/versions/{number}", methods=["GET"])
@endpoint(
    auth=KeyAuth(_READ),
    tag="Templates",
    answers={200: f"{_CONTRACT}:TemplateVersionSource"},
    problems=(*LOOKUP_PROBLEMS, "version_not_found"),
)
def retrieve_template_version(call: Call) -> Reply:
    """Retrieve a version with its content."""
    template = requested_template(call)
    number = call.params["number"]
    is_valid = number.isascii() and number.isdigit() and len(number) <= _MAX_DIGITS
    if not is_valid:
        raise NotFound("version_not_found", f"The template {template.id} has no such version.")
    version_and_source = call.services.templates.read.version(template, int(number))
    return Reply(200, version_source_json(template, *version_and_source))


@blueprint.route("/v1/templates/{id}/schema", methods=["GET"])
@endpoint(
    auth=KeyAuth(_READ),
    tag="Templates",
    answers={200: f"{_CONTRACT}:TemplateSchema"},
    problems=LOOKUP_PROBLEMS,
)
def retrieve_template_schema(call: Call) -> Reply:
    """Retrieve the data that a template takes: its JSON Schema, and the values of a canvas.

    They are those of the live version, or of the draft until a version is published.
    """
    template = requested_template(call)
    return Reply(200, schema_json(template, *call.services.templates.read.current(template)))


def _draft_reply(template: Template, draft: Draft, source: SourceBundle) -> Reply:
    headers = {"ETag": draft_etag(draft.revision)}
    return Reply(200, draft_json(template, draft, source), headers=headers)


def _version_reply(call: Call, result: PublishResult) -> Reply:
    template, version = result.template, result.version
    url = f"{call.services.settings.base_url}/templates/{template.id}/versions/{version.number}"
    return Reply(201, version_json(template, version), headers={"Location": url})
