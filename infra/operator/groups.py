"""Groups of commands that stand in several modules."""

from typing import Final

from infra.operator.lazy_group import LazyGroup

_FORWARD: Final = ("infra.operator.forward_webhooks:forward", "Post new events to an address.")

render: Final = LazyGroup(
    "render",
    {
        "create": (
            "infra.operator.api.create_render:create",
            "Make a document, and write its files.",
        ),
        "trace": ("infra.operator.renders:trace", "Tell everything that is known of a render."),
    },
    help="Make documents, and tell what became of renders.",
)
template: Final = LazyGroup(
    "template",
    {
        "push": ("infra.operator.api.template_files:push", "Make the draft what a folder holds."),
        "pull": ("infra.operator.api.template_files:pull", "Write a draft into a folder."),
        "watch": ("infra.operator.api.template_files:watch", "Push and preview at each save."),
        "lock": ("infra.operator.templates:lock", "Lock a template."),
        "unlock": ("infra.operator.templates:unlock", "Unlock a template."),
        "restore": ("infra.operator.templates:restore", "Restore a template from the trash."),
    },
    help="Keep templates as files in a folder; lock and restore them.",
)
webhook: Final = LazyGroup(
    "webhook",
    {
        "deliveries": ("infra.operator.webhook_log:deliveries", "List deliveries, newest first."),
        "redrive": ("infra.operator.webhook_log:redrive", "Send a delivery again."),
        "forward": _FORWARD,
    },
    help="Inspect webhook deliveries, send them again, and forward events during development.",
)
# The name of before.
webhooks: Final = LazyGroup(
    "webhooks", {"forward": _FORWARD}, help="Receive webhooks during development."
)
