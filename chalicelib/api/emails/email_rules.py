"""`/v1/templates/{id}/email-rules` and `/v1/email-rules`: emails that a template's renders send."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from chalice.app import Blueprint

from chalicelib.api._restricted_key import TEMPLATE_NOT_ALLOWED
from chalicelib.api.edge import paging
from chalicelib.api.edge.auth import KeyAuth
from chalicelib.api.edge.endpoint import Call, Creation, Reply, endpoint
from chalicelib.api.edge.idempotency import shown_again
from chalicelib.api.template._template_request import allowed_template_id
from chalicelib.core.errors import NotFound
from chalicelib.core.ids import IdSeed
from chalicelib.features.emails.rules.manage import PlacedRule
from chalicelib.features.emails.rules.present import rule_json
from chalicelib.features.templates.allowed_includes import check_includes

blueprint: Final = Blueprint(__name__)

_READ: Final = "email:read"
_WRITE: Final = "email:write"
_CONTRACT: Final = "chalicelib.contract.emails.rule"
_RULE: Final = f"{_CONTRACT}:EmailRule"
_SAVED: Final = f"{_CONTRACT}:SavedEmailRule"
_WRITE_PROBLEMS: Final = (
    *(TEMPLATE_NOT_ALLOWED, "feature_not_enabled"),
    *("email_template_error", "conflict", "concurrency_limited", "region_degraded"),
)


def _made_before(call: Call, seed: IdSeed) -> Reply | None:
    """Return the answer of a rule that an earlier attempt of this request has made."""
    rule_id = seed.id("emr")
    reply = shown_again(call, rule_id, retrieve_email_rule)
    if reply is None:
        return None
    assert isinstance(reply.body, Mapping)
    return replace(reply, body={**reply.body, "warnings": []}, headers=_location(call, rule_id))


@blueprint.route("/v1/templates/{id}/email-rules", methods=["POST"])
@endpoint(
    auth=KeyAuth(_WRITE),
    body=f"{_CONTRACT}:EmailRuleRequest",
    creates=Creation(_made_before),
    tag="Emails",
    answers={201: _SAVED},
    problems=("template_not_found", "template_deleted", *_WRITE_PROBLEMS),
)
def create_email_rule(call: Call) -> Reply:
    """Make an email rule of a template, which has five at most; a sixth is a `conflict`."""
    template_id = allowed_template_id(call)
    fields = call.body.model_dump()
    check_includes(fields, "", call.caller.templates)
    manage = call.services.emails.manage_rules
    created = manage.create(call.caller.workspace, template_id, fields)
    return Reply(201, _saved_json(created), headers=_location(call, created.rule.id))


@blueprint.route("/v1/templates/{id}/email-rules", methods=["GET"])
@endpoint(
    auth=KeyAuth(_READ),
    query=f"{_CONTRACT}:EmailRuleQuery",
    tag="Emails",
    answers={200: f"{_CONTRACT}:EmailRuleList"},
    problems=("template_not_found", TEMPLATE_NOT_ALLOWED),
)
def list_email_rules(call: Call) -> Reply:
    """List the email rules of a template, in the order of sending.

    All are on one page, unless they are too large for one answer. A template in the trash still
    has its rules.
    """
    template_id, position = allowed_template_id(call), paging.start_position(call)
    first = position["position"] if position else 0
    placed = call.services.emails.read_rules.of_template(call.caller.workspace_id, template_id)
    rules = [each for each in placed if each.position >= first]
    shown = paging.fitting_prefix([rule_json(each) for each in rules])
    rest = rules[len(shown) :]
    next_position = {"position": rest[0].position} if rest else None
    return Reply(200, paging.list_envelope(call, shown, next_position))


@blueprint.route("/v1/email-rules/{id}", methods=["GET"])
@endpoint(auth=KeyAuth(_READ), tag="Emails", answers={200: _RULE}, problems=("not_found",))
def retrieve_email_rule(call: Call) -> Reply:
    """Retrieve an email rule."""
    return Reply(200, rule_json(named_rule(call)))


@blueprint.route("/v1/email-rules/{id}", methods=["PATCH"])
@endpoint(
    auth=KeyAuth(_WRITE),
    body=f"{_CONTRACT}:EmailRuleChange",
    tag="Emails",
    answers={200: _SAVED},
    problems=("not_found", *_WRITE_PROBLEMS),
)
def update_email_rule(call: Call) -> Reply:
    """Change an email rule; with a `position` the template's other rules move.

    `enabled` false alone can be set on every plan.
    """
    rule = named_rule(call).rule
    fields = call.body.model_dump(include=call.body.model_fields_set)
    check_includes(fields, "", call.caller.templates)
    manage = call.services.emails.manage_rules
    return Reply(200, _saved_json(manage.change(call.caller.workspace, rule.id, fields)))


@blueprint.route("/v1/email-rules/{id}", methods=["DELETE"])
@endpoint(
    auth=KeyAuth(_WRITE),
    tag="Emails",
    answers={204: None},
    problems=("not_found", "conflict"),
)
def delete_email_rule(call: Call) -> Reply:
    """Delete an email rule; those after it move up."""
    rule = named_rule(call).rule
    call.services.emails.manage_rules.delete(call.caller.workspace_id, rule.id)
    return Reply(204)


def named_rule(call: Call) -> PlacedRule:
    """Return the rule of the path; raises `not_found`, also for one of another template."""
    placed = call.services.emails.read_rules.one(call.caller.workspace_id, call.params["id"])
    if not _is_allowed(call, placed):
        raise NotFound("not_found", f"There is no email rule {placed.rule.id}.")
    return placed


def _is_allowed(call: Call, placed: PlacedRule) -> bool:
    allowed = call.caller.templates
    return not allowed or placed.rule.template_id in allowed


def _location(call: Call, rule_id: str) -> dict[str, str]:
    return {"Location": f"{call.services.settings.base_url}/email-rules/{rule_id}"}


def _saved_json(placed: PlacedRule) -> dict[str, object]:
    return rule_json(placed) | {"warnings": list(placed.warnings)}
