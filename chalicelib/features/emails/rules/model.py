"""Email rule of a template as it is stored."""

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from chalicelib.core.ids import ConnectionId, EmailRuleId, TemplateId, WorkspaceId
from chalicelib.engine.delivery.emails import AttachMode, EmailRule

# The fields of a rule that are template sources; `params` are those of a provider's template.
TEXT_FIELDS: Final = (
    *("condition", "from_name", "reply_to", "to", "cc", "bcc"),
    *("subject", "html", "text", "params"),
)


class StoredRule(NamedTuple):
    """Email rule of a template; `changes` counts its changes.

    `texts` has all TEXT_FIELDS; an empty text is absent. Without `from_email` the connection's
    sender is used.
    """

    id: EmailRuleId
    workspace_id: WorkspaceId
    template_id: TemplateId
    connection_id: ConnectionId
    name: str
    enabled: bool
    attachments: AttachMode
    attach_formats: Sequence[str]
    from_email: str | None
    provider_template_id: int | None
    texts: Mapping[str, str]
    created_at: str
    updated_at: str
    changes: int = 0

    def to_job(self, *, redirect_to: str | None = None) -> EmailRule:
        """Return the rule as the engine gets it; its email goes to `redirect_to` if given."""
        texts = self.texts
        return EmailRule(
            id=self.id,
            connection_id=self.connection_id,
            attachments=self.attachments,
            attach_formats=tuple(self.attach_formats),
            from_email=self.from_email,
            condition=texts["condition"],
            from_name=texts["from_name"],
            reply_to=texts["reply_to"],
            to=texts["to"],
            cc=texts["cc"],
            bcc=texts["bcc"],
            subject=texts["subject"],
            html=texts["html"],
            text=texts["text"],
            provider_template_id=self.provider_template_id,
            provider_template_params=texts["params"],
            redirect_to=redirect_to,
        )
