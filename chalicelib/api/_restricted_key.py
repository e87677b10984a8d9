"""Refusals of keys with a template allowlist: other templates, and objects common to all."""

from typing import Final

from chalicelib.api.edge.endpoint import Call
from chalicelib.core.errors import Forbidden

TEMPLATE_NOT_ALLOWED: Final = "template_not_allowed_for_key"


def check_template(call: Call, template_id: str) -> None:
    """Raise `template_not_allowed_for_key` for a template that the key may not use.

    It is called before any lookup, so a restricted key cannot find out which other templates exist.
    """
    allowed = call.caller.templates
    if allowed and template_id not in allowed:
        raise Forbidden(
            TEMPLATE_NOT_ALLOWED,
            "This key may use the templates of its allowlist only, and this is none of them.",
        )


def protect_default_endpoint(call: Call, endpoint_id: str | None) -> None:
    """Refuse a restricted key a webhook endpoint that is a default one of the workspace."""
    if call.caller.templates:
        defaults = call.services.webhooks.endpoints.default_ids(call.caller.workspace_id)
        if endpoint_id in defaults.values():
            require_unrestricted_key(call, "use the default endpoint of the workspace")


def require_unrestricted_key(call: Call, effect: str) -> None:
    """Refuse a key with a template allowlist; `effect` says what the request would do beyond it."""
    if call.caller.templates:
        raise Forbidden(
            TEMPLATE_NOT_ALLOWED,
            f"This key may use the templates of its allowlist only, and this would {effect}: send "
            "it with a key that has no allowlist.",
        )
