"""Reader of email rules: for the API with their positions, for renders as parts of a job."""

from collections.abc import Sequence
from itertools import batched

import msgspec

from chalicelib.adapters.aws.table import BATCH_GET_LIMIT
from chalicelib.core.errors import NotFound
from chalicelib.core.ids import EmailRuleId, TemplateId, WorkspaceId
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
        placed = self._find_places(workspace_id, [rule])
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
        return _with_positions(rules, [template])

    def all(self, workspace_id: WorkspaceId) -> list[PlacedRule]:
        """Return the rules of a workspace, by template, and those of one in their order."""
        placed = self._find_places(workspace_id, self.rules.all(workspace_id))
        return sorted(placed, key=lambda each: (each.rule.template_id, each.position))

    def for_job(self, workspace_id: WorkspaceId, ids: Sequence[EmailRuleId]) -> list[EmailRule]:
        """Return the rules among these that are on, for a job."""
        return [each.to_job() for each in self.rules.many(workspace_id, ids) if each.enabled]

    def _find_places(
        self, workspace_id: WorkspaceId, rules: Sequence[StoredRule]
    ) -> list[PlacedRule]:
        ids = sorted({TemplateId(rule.template_id) for rule in rules})
        templates = [
            template
            for some in batched(ids, BATCH_GET_LIMIT, strict=False)
            for template in self.templates.get_many(workspace_id, some)
        ]
        return _with_positions(rules, templates)


def _with_positions(rules: Sequence[StoredRule], templates: Sequence[Template]) -> list[PlacedRule]:
    """Return the rules that their templates name; others were deleted meanwhile."""
    positions = {
        rule_id: position
        for template in templates
        for position, rule_id in enumerate(template.email_rules)
    }
    return [PlacedRule(rule, positions[rule.id]) for rule in rules if rule.id in positions]
