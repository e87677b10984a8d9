"""Email rules of a render: those that the request names, or else the template's own."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple, Self, cast

import msgspec

from chalicelib.core.errors import ServiceError, raise_all, validation_error
from chalicelib.core.ids import EmailRuleId, WorkspaceId
from chalicelib.core.json import Json, JsonObject
from chalicelib.engine.delivery.emails import EmailOmission, EmailRule, EmailRules
from chalicelib.features.templates.sources import ResolvedSource
from chalicelib.features.workspaces.model import Workspace

# Returns the rules among these that are on.
type ReadEnabledRules = Callable[[WorkspaceId, Sequence[EmailRuleId]], Sequence[EmailRule]]

# The render exists only later; `job_with_context` fills it in.
_NO_CONTEXT: Final[JsonObject] = {}


class EmailTarget(NamedTuple):
    """Rule that a request names; literal recipients, where given, replace the rule's own."""

    rule_id: str
    to: tuple[str, ...] | None
    cc: tuple[str, ...] | None
    bcc: tuple[str, ...] | None

    @classmethod
    def from_json(cls, value: JsonObject) -> Self:
        """Read a target of a request, or of a template's options."""
        to, cc, bcc = (value.get(name) for name in ("to", "cc", "bcc"))
        return cls(str(value["rule_id"]), _texts(to), _texts(cc), _texts(bcc))


def resolved_emails(
    workspace: Workspace,
    template: ResolvedSource,
    requested: Sequence[EmailTarget] | None,
    read: ReadEnabledRules,
    *,
    zero_retention: bool,
) -> EmailRules | None:
    """Return the email rules of a template's render, or None for none.

    Without `requested` the template chooses them. Raises `validation_error` if a requested rule is
    not among the template's enabled rules.
    """
    targets = _default_targets(template) if requested is None else requested
    if targets == () or not (template.email_rules or requested):
        return None
    if requested and "email" not in workspace.plan.features:
        # The check of the plan refuses it.
        return None
    known = {rule.id: rule for rule in read(workspace.id, template.email_rules)}
    if requested is not None:
        raise_all(_target_errors(requested, known))
    rules = tuple(known.values() if targets is None else _choose(targets, known))
    if not rules:
        return None
    omission: EmailOmission | None = None
    if zero_retention:
        omission = "zero_retention"
    elif "email" not in workspace.plan.features:
        omission = "plan"
    return EmailRules(_NO_CONTEXT, () if omission else rules, omission, template.name)


def email_texts(emails: EmailRules | None) -> Iterator[str]:
    """Yield the texts of rules that may include templates."""
    for rule in emails.rules if emails is not None else ():
        yield from (rule.condition, rule.from_name, rule.reply_to, rule.to, rule.cc, rule.bcc)
        yield from (rule.subject, rule.html, rule.text, rule.provider_template_params)


def _default_targets(template: ResolvedSource) -> Sequence[EmailTarget] | None:
    """Return the targets that the template's options choose, or None for all of its rules."""
    chosen = template.source.options.get("email")
    if chosen is None:
        return None
    if chosen is False:
        return ()
    return [EmailTarget.from_json(each) for each in cast("Sequence[JsonObject]", chosen)]


def _target_errors(
    targets: Sequence[EmailTarget], known: Mapping[str, EmailRule]
) -> Iterator[ServiceError]:
    named = set[str]()
    for n, target in enumerate(targets):
        if target.rule_id not in known:
            message = "is none of the template's email rules that are enabled"
            yield validation_error(f"/delivery/email/{n}/rule_id", message, "not_found")
        elif target.rule_id in named:
            message = "is named twice, and a rule sends one email"
            yield validation_error(f"/delivery/email/{n}/rule_id", message, "not_allowed")
        named.add(target.rule_id)


def _choose(targets: Sequence[EmailTarget], known: Mapping[str, EmailRule]) -> Iterator[EmailRule]:
    """Yield the rules that targets name, in the template's order."""
    by_rule = {target.rule_id: target for target in reversed(targets)}
    for rule in known.values():
        target = by_rule.get(rule.id)
        if target is not None:
            yield msgspec.structs.replace(
                rule, to_instead=target.to, cc_instead=target.cc, bcc_instead=target.bcc
            )


def _texts(value: Json) -> tuple[str, ...] | None:
    return None if value is None else tuple(map(str, cast("Sequence[str]", value)))
