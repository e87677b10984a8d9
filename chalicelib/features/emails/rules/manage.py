"""Management of email rules: create, change and delete them, and keep their order."""

import random
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Final, NamedTuple, TypedDict

import msgspec

from chalicelib.adapters.aws.table import ConditionFailed, Table, Write
from chalicelib.core.clock import Clock, format_rfc3339
from chalicelib.core.errors import Conflict, NotFound, validation_error
from chalicelib.core.ids import ConnectionId, EmailRuleId, IdGenerator, TemplateId, WorkspaceId
from chalicelib.core.json import JsonObject
from chalicelib.engine.delivery.emails import AttachMode
from chalicelib.features.emails.connections.manage import require_email
from chalicelib.features.emails.connections.model import EmailConnection
from chalicelib.features.emails.connections.repository import EmailConnections
from chalicelib.features.emails.rules.model import TEXT_FIELDS, StoredRule
from chalicelib.features.emails.rules.repository import MAX_RULES, StoredRules
from chalicelib.features.templates.model import Template
from chalicelib.features.templates.read import ReadTemplates
from chalicelib.features.templates.repository import Templates
from chalicelib.features.workspaces.model import Workspace

# Ten requests at once, and each of the rest waits for one.
_MAX_TRIES: Final = 30
_MAX_PAUSE_S: Final = 0.2


class ProviderTemplateFields(TypedDict):
    """Template at the provider."""

    id: int
    params: str


class RuleFields(TypedDict, total=False):
    """Fields of a request that makes or changes a rule."""

    attach_formats: Sequence[str]
    attachments: AttachMode
    bcc: str
    cc: str
    condition: str
    connection_id: str
    enabled: bool
    from_email: str | None
    from_name: str
    html: str
    name: str
    position: int | None
    provider_template: ProviderTemplateFields | None
    reply_to: str
    subject: str
    text: str
    to: str


# Raises `email_template_error` for texts of a rule, by field, that are no templates.
type CheckTexts = Callable[[Workspace, Mapping[str, str]], None]


class PlacedRule(NamedTuple):
    """Rule with its position among those of its template; `warnings` are those of a change."""

    rule: StoredRule
    position: int
    warnings: Sequence[JsonObject] = ()


class ManageRules(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Use cases that change rules, for workspaces whose plan has email."""

    table: Table
    templates: Templates
    read_templates: ReadTemplates
    connections: EmailConnections
    rules: StoredRules
    check_texts: CheckTexts
    clock: Clock
    ids: IdGenerator

    def create(self, workspace: Workspace, template_id: str, fields: RuleFields) -> PlacedRule:
        """Create a rule of a template; `fields` are all of the request.

        Raises `feature_not_enabled`, `template_not_found`, `template_deleted`,
        `validation_error`, `email_template_error`, `concurrency_limited`, `region_degraded`, and
        `conflict` for a sixth rule.
        """
        require_email(workspace)
        template = self.read_templates.one(workspace.id, template_id)
        _check_room(template)
        now = self.clock.now()
        at = format_rfc3339(now)
        new = new_rule(workspace.id, template.id, fields["connection_id"])._replace(
            id=EmailRuleId(self.ids.new("emr", now)), created_at=at, updated_at=at
        )
        rule = with_fields(new, fields)
        self._checked_connection(rule)
        self.check_texts(workspace, rule.texts)

        def try_creation() -> PlacedRule:
            connection = self._checked_connection(rule)
            template = self.read_templates.one(workspace.id, rule.template_id)
            _check_room(template)
            order = _order_with(template.email_rules, rule.id, fields["position"])
            self.table.transact(
                [
                    self.rules.use(workspace.id, rule.connection_id, 1),
                    self._order(template, order),
                    *self.rules.creation(rule),
                ]
            )
            return PlacedRule(rule, order.index(rule.id), _warnings(rule, connection))

        return _with_retries(try_creation)

    def change(self, workspace: Workspace, rule_id: str, fields: RuleFields) -> PlacedRule:
        """Change the given fields of a rule; raises as `create`, and `not_found`."""
        rule = self.rules.one(workspace.id, rule_id)
        if fields != {"enabled": False}:
            require_email(workspace)
        requested = with_fields(rule, fields)
        self._checked_connection(requested)
        texts = requested.texts.items()
        changed_texts = {name: text for name, text in texts if text != rule.texts[name]}
        self.check_texts(workspace, changed_texts)

        def try_change() -> PlacedRule:
            before = self.rules.one(workspace.id, rule_id)
            after = with_fields(before, fields)._replace(
                changes=before.changes + 1, updated_at=format_rfc3339(self.clock.now())
            )
            connection = self._checked_connection(after)
            template = self._template_of(before)
            order = template.email_rules
            writes = []
            if after.connection_id != before.connection_id:
                writes.append(self.rules.use(workspace.id, after.connection_id, 1))
                writes.append(self.rules.use(workspace.id, before.connection_id, -1))
            if "position" in fields:
                order = _order_with(order, before.id, fields["position"])
                writes.append(self._order(template, order))
            self.table.transact([*writes, *self.rules.replacement(before, after)])
            return PlacedRule(after, order.index(after.id), _warnings(after, connection))

        return _with_retries(try_change)

    def delete(self, workspace_id: WorkspaceId, rule_id: str) -> None:
        """Delete a rule, and close the gap; raises `not_found` and `conflict`."""

        def try_deletion() -> None:
            rule = self.rules.one(workspace_id, rule_id)
            template = self._template_of(rule)
            order = [each for each in template.email_rules if each != rule.id]
            self.table.transact(
                [
                    self.rules.use(workspace_id, rule.connection_id, -1),
                    self._order(template, order),
                    *self.rules.removal(rule),
                ]
            )

        _with_retries(try_deletion)

    def _order(self, template: Template, order: Sequence[EmailRuleId]) -> Write:
        return self.templates.change(template, {"email_rules": order}, unchanged=("email_rules",))

    def _template_of(self, rule: StoredRule) -> Template:
        """Return the template of a rule, in the trash or not; raises `not_found`."""
        template = self.templates.find(rule.workspace_id, rule.template_id)
        if template is None or rule.id not in template.email_rules:
            raise NotFound("not_found", f"There is no email rule {rule.id}.")
        return template

    def _checked_connection(self, rule: StoredRule) -> EmailConnection:
        """Return the connection of a rule; raises `validation_error` if they do not fit."""
        try:
            connection = self.connections.one(rule.workspace_id, rule.connection_id)
        except NotFound as missing:
            raise validation_error("/connection_id", missing.detail, "not_found") from missing
        _check_whole(rule, connection)
        return connection


def _with_retries[Result](attempt: Callable[[], Result]) -> Result:
    """Return the result of an attempt, which is repeated after each concurrent change."""
    for n in range(_MAX_TRIES):
        try:
            return attempt()
        except ConditionFailed:
            time.sleep(random.uniform(0, min(_MAX_PAUSE_S, 0.01 * 2**n)))  # noqa: S311 -- no secret
    raise Conflict("conflict", "Others change these email rules all the time; try again.")


def new_rule(workspace_id: WorkspaceId, template_id: str, connection_id: str) -> StoredRule:
    """Return an empty rule, which has neither id nor time yet."""
    return StoredRule(
        id=EmailRuleId(""),
        workspace_id=workspace_id,
        template_id=TemplateId(template_id),
        connection_id=ConnectionId(connection_id),
        name="",
        enabled=True,
        attachments="attach_or_link",
        attach_formats=(),
        from_email=None,
        provider_template_id=None,
        texts=dict.fromkeys(TEXT_FIELDS, ""),
        created_at="",
        updated_at="",
    )


def with_fields(rule: StoredRule, fields: RuleFields) -> StoredRule:
    """Return the rule with the given fields; its order is not its own."""
    texts = {name: str(fields.get(name, text)) for name, text in rule.texts.items()}
    template_id = rule.provider_template_id
    if "provider_template" in fields:
        given = fields["provider_template"]
        template_id = None if given is None else given["id"]
        texts["params"] = "" if given is None else given["params"]
    return rule._replace(
        name=fields.get("name", rule.name),
        connection_id=ConnectionId(fields.get("connection_id", rule.connection_id)),
        enabled=fields.get("enabled", rule.enabled),
        attachments=fields.get("attachments", rule.attachments),
        attach_formats=fields.get("attach_formats", rule.attach_formats),
        from_email=fields.get("from_email", rule.from_email) or None,
        provider_template_id=template_id,
        texts=texts,
    )


def _check_whole(rule: StoredRule, connection: EmailConnection) -> None:
    """Raise `validation_error` for fields that do not go together."""
    if rule.provider_template_id is not None and connection.provider != "brevo":
        message = f"goes with connections to brevo only, this one is to {connection.provider}"
        raise validation_error("/provider_template", message, "not_allowed")
    if rule.provider_template_id is None and not rule.texts["subject"].strip():
        message = "is required, unless a template of the provider has it"
        raise validation_error("/subject", message, "required")


def _check_room(template: Template) -> None:
    if len(template.email_rules) >= MAX_RULES:
        detail = f"The template has {MAX_RULES} email rules, and cannot have more: delete one."
        raise Conflict("conflict", detail)


def _order_with(
    order: Sequence[EmailRuleId], rule_id: EmailRuleId, position: int | None
) -> list[EmailRuleId]:
    """Return the order with a rule at a position; None, or beyond the end: at the end."""
    others = [each for each in order if each != rule_id]
    place = len(others) if position is None else position
    return [*others[:place], rule_id, *others[place:]]


def _warnings(rule: StoredRule, connection: EmailConnection) -> list[JsonObject]:
    """Return a warning for a sender that the provider lists as unverified, or not at all."""
    if rule.from_email is None or not connection.senders:
        return []
    address = rule.from_email.lower()
    domain = address.rpartition("@")[2]
    for sender in connection.senders:
        if sender["verified"] and str(sender["email"]).lower() in {address, domain}:
            return []
    message = (
        f"{connection.provider} does not list {rule.from_email} as a verified sender: verify it "
        "there, and test the connection again."
    )
    return [{"code": "email_sender_unverified", "message": message, "path": "/from_email"}]
