"""`/v1/email-rules/…/preview`: the email of a rule, saved or not, for some data."""

from copy import replace
from typing import TYPE_CHECKING, Final, cast

from chalice.app import Blueprint

from chalicelib.api._restricted_key import check_template
from chalicelib.api.edge.auth import KeyAuth
from chalicelib.api.edge.endpoint import Call, Reply, endpoint
from chalicelib.api.emails.email_rules import named_rule
from chalicelib.api.render._submit import submit_command
from chalicelib.features.emails.rules.manage import RuleFields, new_rule, with_fields
from chalicelib.features.emails.rules.model import StoredRule
from chalicelib.features.emails.rules.preview import PreviewData
from chalicelib.features.templates.allowed_includes import check_includes

if TYPE_CHECKING:
    from chalicelib.core.json import JsonObject

blueprint: Final = Blueprint(__name__)

_READ: Final = "email:read"
_CONTRACT: Final = "chalicelib.contract.emails.preview"
_PREVIEW: Final = f"{_CONTRACT}:EmailPreview"
_PROBLEMS: Final = (
    *("not_found", "template_not_found", "template_deleted"),
    *("template_not_allowed_for_key", "concurrency_limited", "region_degraded"),
)


@blueprint.route("/v1/email-rules/preview", methods=["POST"])
@endpoint(
    auth=KeyAuth(_READ),
    body=f"{_CONTRACT}:EmailRuleDraftPreviewRequest",
    tag="Emails",
    answers={200: _PREVIEW},
    problems=_PROBLEMS,
)
def preview_email_rule_draft(call: Call) -> Reply:
    """Show the email of a rule that is not saved; nothing is sent.

    What its texts do wrong is the `error` of the preview.
    """
    check_template(call, call.body.template_id)
    fields = _sent_fields(call)
    draft = new_rule(call.caller.workspace_id, call.body.template_id, fields["connection_id"])
    return _preview(call, with_fields(draft, fields))


@blueprint.route("/v1/email-rules/{id}/preview", methods=["POST"])
@endpoint(
    auth=KeyAuth(_READ),
    body=f"{_CONTRACT}:EmailRulePreviewRequest",
    tag="Emails",
    answers={200: _PREVIEW},
    problems=_PROBLEMS,
)
def preview_email_rule(call: Call) -> Reply:
    """Show the email of a rule, or of the `rule` in its place; nothing is sent."""
    return _preview(call, _chosen_rule(call))


@blueprint.route("/v1/email-rules/{id}/test", methods=["POST"])
@endpoint(
    auth=KeyAuth("email:write"),
    body=f"{_CONTRACT}:EmailRuleTestRequest",
    tag="Emails",
    answers={202: "chalicelib.contract.render.render:Render"},
    problems=(*_PROBLEMS, "feature_not_enabled", "maintenance"),
    counts_rate_itself=True,
)
def test_email_rule(call: Call) -> Reply:
    """Send the email of a rule, or of the `rule` in its place, to one member of the workspace.

    A test render of the template is made, whose `source` is `email_test`. `GET /v1/email-sends`
    with its id says what became of the email.
    """
    data = PreviewData(call.body.data, call.body.dataset_id)
    workspace, rule = call.caller.workspace, _chosen_rule(call)
    command = call.services.emails.rule_test(workspace, rule, data, call.body.to, call.request_id)
    return submit_command(call, replace(command, key_allowlist=call.caller.templates))


def _chosen_rule(call: Call) -> StoredRule:
    rule = named_rule(call).rule
    if call.body.rule is None:
        return rule
    # A spec without a connection uses that of the saved rule.
    draft = new_rule(rule.workspace_id, rule.template_id, rule.connection_id)._replace(id=rule.id)
    return with_fields(draft, _sent_fields(call))


def _sent_fields(call: Call) -> RuleFields:
    """Return the `rule` of a request; raises `template_not_allowed_for_key` for an include."""
    fields: RuleFields = call.body.rule.model_dump(exclude_none=True)
    check_includes(cast("JsonObject", fields), "/rule", call.caller.templates)
    return fields


def _preview(call: Call, rule: StoredRule) -> Reply:
    data = PreviewData(call.body.data, call.body.dataset_id)
    preview = call.services.emails.preview
    return Reply(200, preview(call.caller.workspace, rule, data, test=call.caller.mode == "test"))
