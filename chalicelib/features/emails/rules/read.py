"""Reader of email rules: for the API with their positions, for renders as parts of a job."""

from collections.abc import Sequence

import msgspec

from chalicelib.core.errors import NotFound
from chalicelib.core.ids import EmailRuleId, WorkspaceId
from chalicelib.engine.delivery.emails import EmailRule
from chalicelib.features.emails.rules.manage import PlacedRule
from chalicelib.features.emails.rules.model import StoredRule
from chalicelib.features.emails.rules.repository import StoredRules
from chalicelib.features.templates.model import Template
from chalicelib.features.templates.repository import Templates


class ReadRules(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Reader of rules, those of templates in the trash included."""

    templates: Templates
    rules: StoredRules

    def one(self, workspace_id: WorkspaceId, rule_id: str) -> PlacedRule:
        """Return a rule; raises `not_found`."""
        rule = self.rules.one(workspace_id, rule_id)
        template = self.templates.find(workspace_id, rule.template_id)
        placed = [] if template is None else _with_positions([rule], template)
        if not placed:
            raise NotFound("not_found", f"There is no email rule {rule_id}.")
        return placed[0]

    def of_template(self, workspace_id: WorkspaceId, template_id: str) -> list[PlacedRule]:
        """Return the rules of a template in their order; raises `template_not_found`."""
        template = self.templates.find(workspace_id, template_id)
        if template is None:
            detail = f"There is no template {template_id}."
            raise NotFound("template_not_found", detail)
        rules = self.rules.many(workspace_id, template.email_rules)
        return _with_positions(rules, template)

    def for_job(self, workspace_id: WorkspaceId, ids: Sequence[EmailRuleId]) -> list[EmailRule]:
        """Return the rules among these that are on, for a job."""
        return [each.to_job() for each in self.rules.many(workspace_id, ids) if each.enabled]


def _with_positions(rules: Sequence[StoredRule], template: Template) -> list[PlacedRule]:
    """Return the rules that their template names; others were deleted meanwhile."""
    positions = {rule_id: position for position, rule_id in enumerate(template.email_rules)}
    return [PlacedRule(rule, positions[rule.id]) for rule in rules if rule.id in positions]
