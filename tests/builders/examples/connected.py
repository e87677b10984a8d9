"""Examples of storage destinations, signed links and webhooks."""

from typing import Any, Final
from urllib.parse import urlsplit

from tests.builders.examples.documents import LABEL_DATA
from tests.builders.examples.recorder import Recorder
from tests.builders.signed_links import fetch

_PATH: Final = "invoices/{{ customer.name }}/{{ filename }}"
_KEYS: Final = {
    "access_key_id": "your-access-key-id",
    "secret_access_key": "your-secret-access-key",
}
_STORES: Final[dict[str, tuple[str, dict[str, Any]]]] = {
    "azure_blob": (
        "Azure Blob Storage",
        {
            "config": {"account": "acme", "container": "invoices"},
            "credentials": {"account_key": "eW91ci1hY2NvdW50LWtleQ=="},
        },
    ),
    "gcs": (
        "Google Cloud Storage",
        {"config": {"bucket": "acme-invoices"}, "credentials": _KEYS},
    ),
    "sftp": (
        "An SFTP server",
        {
            "config": {
                "host": "sftp.acme.example",
                "username": "platen",
                "directory": "invoices",
                "host_key": "SHA256:nThbg6kXUpJWGl7E1IGOCspRomTxdCARLviKw6E5SY8",
            },
            "credentials": {"password": "your-password"},
        },
    ),
}


def play_destinations(recorder: Recorder) -> str:
    """Make destinations at all providers, and change, test and delete some; return one's id."""
    made = recorder.call(
        "POST /v1/storage-destinations",
        "Amazon S3",
        name="s3",
        body={
            "name": "Archive",
            "provider": "s3",
            "path_template": _PATH,
            "config": {"region": "eu-central-1", "bucket": "acme-invoices"},
            "credentials": _KEYS,
        },
    )
    others = [
        recorder.call(
            "POST /v1/storage-destinations",
            title,
            name=provider,
            body={"name": title, "provider": provider, **parts},
        )
        for provider, (title, parts) in _STORES.items()
    ]
    destination = {"id": made["id"]}
    recorder.call("POST /v1/storage-destinations/{id}/test", **destination)
    recorder.call("GET /v1/storage-destinations/{id}", **destination)
    recorder.call(
        "PATCH /v1/storage-destinations/{id}",
        "Files stay there alone",
        **destination,
        body={"keep_hosted_copy": False},
    )
    for other in others[1:]:
        recorder.call("DELETE /v1/storage-destinations/{id}", id=other["id"])
    recorder.call("GET /v1/storage-destinations", query={"limit": 20})
    return str(made["id"])


def play_links(recorder: Recorder, label: str) -> None:
    """Make, sign, use, change and delete links."""
    made = recorder.call(
        "POST /v1/signed-links",
        "Labels for one site",
        body={
            "name": "Labels",
            "template_id": label,
            "allowed_referrers": ["https://shop.acme.example"],
            "quota_total": 1000,
        },
    )
    link = {"id": made["id"]}
    signed = recorder.call(
        "POST /v1/signed-links/{id}/sign",
        "A PNG, for a day",
        **link,
        body={"name": "label", "format": "png", "params": LABEL_DATA, "expires_in": 86_400},
    )
    url = urlsplit(signed["url"])
    target, referrer = f"{url.path}?{url.query}", {"Referer": "https://shop.acme.example/"}
    assert fetch(recorder.service, target, referrer).status == 200
    recorder.parameters(
        "GET /l/{link_id}/{file}", {"link_id": made["id"], "file": url.path.rpartition("/")[2]}
    )
    recorder.call("GET /v1/signed-links/{id}", **link)
    recorder.call("PATCH /v1/signed-links/{id}", "More renders", **link, body={"quota_total": 5000})
    recorder.call("GET /v1/signed-links", query={"limit": 20})
    recorder.call("DELETE /v1/signed-links/{id}", **link)


def play_webhooks(recorder: Recorder) -> None:
    """Make endpoints, send samples, and read and repeat deliveries."""
    service = recorder.service
    # The first request that names a webhook makes the secret.
    service.render(webhook={"url": "https://hooks.acme.example/platen"})
    recorder.call("GET /v1/webhook-endpoints/default-secret")
    made = recorder.call(
        "POST /v1/webhook-endpoints",
        "All events of renders",
        body={
            "url": recorder.receiver.url,
            "description": "Orders",
            "events": ["render.succeeded", "render.failed"],
        },
    )
    endpoint = {"id": made["id"]}
    sample = recorder.call(
        "POST /v1/webhook-endpoints/{id}/test",
        "A sample of an event",
        **endpoint,
        body={"event": "template.published"},
    )
    service.deliver_webhooks()
    delivery = {"id": sample["id"]}
    query = {"endpoint_id": made["id"], "status": "succeeded", "limit": 20}
    recorder.call("GET /v1/webhook-deliveries", query=query)
    recorder.call("GET /v1/webhook-deliveries/{id}", **delivery)
    recorder.call("POST /v1/webhook-deliveries/{id}/replay", **delivery)
    recorder.call("GET /v1/webhook-endpoints/{id}", **endpoint)
    recorder.call(
        "PATCH /v1/webhook-endpoints/{id}",
        "One more event, and a header",
        **endpoint,
        body={
            "events": ["render.succeeded", "render.failed", "batch.completed"],
            "headers": {"X-Team": "orders"},
        },
    )
    recorder.call(
        "POST /v1/webhook-endpoints/{id}/roll-secret",
        "The old secret ends in a day",
        **endpoint,
        body={"expire_previous_in": 86_400},
    )
    recorder.call("GET /v1/webhook-endpoints", query={"limit": 20})
    recorder.call("DELETE /v1/webhook-endpoints/{id}", **endpoint)
