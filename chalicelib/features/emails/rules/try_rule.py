"""Test of a rule: a test render whose one email goes to a member of the workspace."""

from typing import Final

import msgspec

from chalicelib.core.errors import validation_error
from chalicelib.core.json import JsonObject
from chalicelib.engine.delivery.emails import EmailRules
from chalicelib.engine.job import PageJob
from chalicelib.engine.sources import TemplateSource
from chalicelib.features.emails.connections.manage import require_email
from chalicelib.features.emails.rules.model import StoredRule
from chalicelib.features.emails.rules.preview import PreviewData, PreviewEmail
from chalicelib.features.renders.accept.command import RenderCommand
from chalicelib.features.renders.accept.delivery import DeliveryRequest, delivery_policy
from chalicelib.features.workspaces.model import Workspace
from chalicelib.features.workspaces.people.repository import Members

_DELIVERY: Final = DeliveryRequest(
    type=None,
    hosted=None,
    retention=None,
    retention_days=None,
    expires_in_s=3_600,
    timeout_behavior=None,
)
_NO_CONTEXT: Final[JsonObject] = {}


class RuleTestCommand(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Maker of the command of a test; the render is async, and its source is `email_test`."""

    preview: PreviewEmail
    members: Members

    def __call__(
        self, workspace: Workspace, rule: StoredRule, data: PreviewData, to: str, request_id: str
    ) -> RenderCommand:
        """Return the command of a render whose one email goes to `to`.

        Raises `feature_not_enabled`, `validation_error` unless `to` is the verified address of a
        member, and as a preview does.
        """
        require_email(workspace)
        if not self.members.is_verified(workspace, to):
            message = "must be the verified address of a member of the workspace"
            raise validation_error("/to", message, "not_allowed")
        self.preview.connection_of(rule)
        template, values = self.preview.template_and_data(rule, data)
        job = PageJob(source=TemplateSource(template.id), data=values)
        rule_of_job = rule.to_job(redirect_to=to)
        return RenderCommand(
            workspace=workspace,
            key_mode="test",
            mode="async",
            job=job,
            delivery_policy=delivery_policy(_DELIVERY, "async", job),
            request_id=request_id,
            version="draft" if template.live_version is None else "live",
            source="email_test",
            emails=EmailRules(_NO_CONTEXT, (rule_of_job,), template_name=template.name),
        )
