"""`platen webhook`: the group of commands for webhooks, and its name of before."""

from typing import Final

from infra.operator.lazy_group import LazyGroup

_FORWARD: Final = ("infra.operator.forward_webhooks:forward", "Post new events to an address.")

webhook: Final = LazyGroup(
    "webhook",
    {
        "deliveries": ("infra.operator.webhook_log:deliveries", "List deliveries, newest first."),
        "redrive": ("infra.operator.webhook_log:redrive", "Send a delivery again."),
        "forward": _FORWARD,
    },
    help="Inspect webhook deliveries, send them again, and forward events during development.",
)
webhooks: Final = LazyGroup(
    "webhooks", {"forward": _FORWARD}, help="Receive webhooks during development."
)
