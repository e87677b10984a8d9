"""Email rule as the API shows it."""

from chalicelib.features.emails.rules.manage import PlacedRule


def rule_json(placed: PlacedRule) -> dict[str, object]:
    """Return a rule."""
    rule = placed.rule
    texts = dict(rule.texts)
    params, template_id = texts.pop("params"), rule.provider_template_id
    return {
        "id": rule.id,
        "object": "email_rule",
        "name": rule.name,
        "template_id": rule.template_id,
        "connection_id": rule.connection_id,
        "enabled": rule.enabled,
        "position": placed.position,
        "attachments": rule.attachments,
        "attach_formats": list(rule.attach_formats),
        "from_email": rule.from_email,
        **texts,
        "provider_template": None if template_id is None else {"id": template_id, "params": params},
        "created_at": rule.created_at,
        "updated_at": rule.updated_at,
    }
