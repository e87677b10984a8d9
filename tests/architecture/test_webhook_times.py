"""Times of webhooks in code and infrastructure, which depend on each other."""

from chalicelib.features.webhooks.deliveries.deliver import CLAIM_TIME
from infra.template import load_template


def test_claim_of_a_webhook_outlives_its_function_and_ends_before_its_message_returns() -> None:
    resources = load_template()["Resources"]
    timeout_s = resources["DeliverWebhookFunction"]["Properties"]["Timeout"]
    queues = [resources[name]["Properties"] for name in ("WebhooksQueue", "WebhooksSlowQueue")]

    assert timeout_s < CLAIM_TIME.total_seconds()
    assert {queue["VisibilityTimeout"] for queue in queues} == {120}
    assert CLAIM_TIME.total_seconds() < 120
