"""Signed link as the API shows it."""

from chalicelib.core.json import Json
from chalicelib.features.signed_links.model import SignedLink


def link_json(link: SignedLink) -> dict[str, Json]:
    """Return a link as the API shows it."""
    return {
        "id": link.id,
        "object": "signed_link",
        "name": link.name,
        "template_id": link.template_id,
        "version": link.version,
        "output": link.output,
        "allowed_referrers": list(link.allowed_referrers),
        "expires_at": link.expires_at,
        "quota_total": link.quota_total,
        "quota_used": link.quota_used,
        "enabled": link.enabled,
        "created_at": link.created_at,
        "updated_at": link.updated_at,
    }
