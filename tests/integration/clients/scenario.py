"""Every method of the published client, once, with what its types take."""

import json
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import httpx
from dynamic_document_api import DynamicDocumentApiError

from chalicelib.features.webhooks.signature import new_secret
from tests.builders.invoices.invoice_json import invoice_json
from tests.integration.clients.driver import Driver

MISSING = "none_0000000000000000000000"
HOOK = "https://example.com/hook"
EVENT = {
    "id": "evt_1",
    "type": "render.succeeded",
    "created_at": "2026-09-01T00:00:00Z",
    "workspace_id": "ws_1",
    "region": "eu",
    "data": {"object": {"id": "rnd_1"}},
}
RULE = {"name": "Send it", "to": "a@example.com", "subject": "Invoice {{ number }}"}


@dataclass(frozen=True)
class World:
    """What stands outside of the service: a page, and the address of a member."""

    page: str
    member: str


def id_of(answer: Any) -> str:
    """Return the id of an answer; one of nothing where there is no answer."""
    return str(answer["id"]) if answer else MISSING


def drive(driver: Driver, world: World) -> None:
    """Call everything."""
    call = driver.call
    call("account.retrieve")
    call("usage.retrieve")
    call("request", "GET", "/account")
    template = _templates(driver)
    render = _renders(driver, world, template)
    _tools(driver, render)
    _batches(driver, template)
    _webhooks(driver)
    _stores(driver)
    _emails(driver, world, template)
    _links(driver, template)


def _templates(driver: Driver) -> str:
    call = driver.call
    sample = {"name": "Sample", "data": {"number": "1"}, "is_default": True}
    html = "<h1>Invoice {{ number }}</h1>"
    of = {"type": "pdf_code", "html": html, "datasets": [sample]}
    template = id_of(call("templates.create", name="Invoice", **of))
    call("templates.update_draft", template, html=f"{html}<p>", if_match=1)
    call("templates.publish", template, note="First version")
    call("templates.update_draft", template, html=f"{html}<p>2")
    call("templates.publish", template)
    call("templates.list", q="Invoice")
    call("templates.retrieve", template)
    call("templates.schema", template)
    call("templates.list_versions", template)
    call("templates.retrieve_version", template, 1)
    call("templates.rollback", template, version=1)
    call("templates.delete", id_of(call("templates.create", name="Other", **of)))
    return template


def _renders(driver: Driver, world: World, template: str) -> Any:
    call = driver.call
    of_template = {"type": "template", "template_id": template, "version": 1}
    data = {"number": "1"}
    render = call(
        "renders.create",
        input=of_template,
        data=data,
        output={"format": "pdf", "filename": "a.pdf", "pdf": {"paper": {"size": "A5"}}},
        metadata={"customer": "c_1"},
        delivery={"type": "url"},
    )
    name = id_of(render)
    call("renders.create_binary", input={"type": "html", "html": "<h1>Hi</h1>"})
    later = call("renders.create", input={"type": "html", "html": "<p>"}, mode="async")
    call("renders.wait_for_render", id_of(later))
    call("renders.retrieve", name)
    call("renders.list", created={"gte": "2026-01-01T00:00:00Z"}, metadata={"customer": "c_1"})
    call("renders.list", status=["succeeded", "failed"], input_type="template", limit=2)
    call("renders.logs", name)
    file = render["files"][0] if render else {}
    file_id = str(file.get("file_id", file.get("id", MISSING)))
    call("renders.file_url", name, file_id, download=True)
    call("renders.download_file", name, file_id)
    if file:
        call("files.download", file)
        call("files.stream", file)
    waiting = call("renders.create", input={"type": "html", "html": "<p>"}, mode="async")
    _if_in_time(driver, "renders.cancel", id_of(waiting), refusal="conflict")
    _short_forms(driver, world, template)
    gone = call("pdf.from_html", html="<p>")
    call("renders.delete_files", id_of(gone))
    return render


def _short_forms(driver: Driver, world: World, template: str) -> None:
    call, data = driver.call, {"number": "1"}
    call("pdf.from_html", html="<h1>Hi</h1>", pdf={"orientation": "landscape"}, hosted=True)
    call("pdf.from_html", html="<p>", webhook_url=HOOK, delivery="url", filename="b.pdf")
    call("pdf.from_url", url=world.page, http={"user_agent": "Own"})
    call("pdf.from_template", template_id=template, data=data, version="live", expires_in=60)
    call("pdf.from_markdown", markdown="# Hi")
    call("images.from_html", html="<p>", format="png", image={"width": 100, "height": 50})
    call("images.from_url", url=world.page)
    call("images.from_template", template_id=template, data=data, format="webp")


def _if_in_time(driver: Driver, name: str, *given: Any, refusal: str) -> None:
    """Call what may come too late, which the service says with a code of its own."""
    before = dict(driver.refused)
    driver.call(name, *given)
    if f"[{refusal}]" in driver.refused.get(name, ""):
        driver.refused.clear()
        driver.refused.update(before)


def _tools(driver: Driver, render: Any) -> None:
    call, source = driver.call, {"render_id": id_of(render)}
    call("pdf_tools.merge", sources=[source, source], bookmarks="filenames")
    call("pdf_tools.split", source=source, every=1, zip=True)
    call("pdf_tools.rotate", source=source, degrees=-90)
    closed = call("pdf_tools.protect", source=source, user_password="secret-1")
    call("pdf_tools.unlock", source={"render_id": id_of(closed)}, password="secret-1")
    call("pdf_tools.metadata", source=source, set={"title": "A title"})
    call("pdf_tools.metadata", source=source)
    call("pdf_tools.pdfa", source=source, level="2b")
    call("einvoices.create", profile="EN16931", invoice=invoice_json())
    call("einvoices.create_binary", profile="EN16931", invoice=invoice_json())
    call("uploads.create", b"number\n1\n", filename="items.csv")


def _batches(driver: Driver, template: str) -> None:
    call = driver.call
    batch = id_of(
        call(
            "batches.create",
            template_id=template,
            items=[{"data": {"number": "1"}, "reference": "1"}],
            combine={"zip": True},
        )
    )
    call("batches.wait_for_batch", batch)
    call("batches.retrieve", batch)
    call("batches.list", status="completed")
    call("batches.list_items", batch)
    _if_in_time(driver, "batches.cancel", batch, refusal="conflict")
    _if_in_time(driver, "batches.retry_failed", batch, refusal="conflict")
    call("batches.resend_emails", batch, statuses=["failed"])


def _webhooks(driver: Driver) -> None:
    call = driver.call
    events = ["render.succeeded", "batch.completed"]
    endpoint = id_of(call("webhook_endpoints.create", url=HOOK, events=events))
    call("webhook_endpoints.list")
    call("webhook_endpoints.retrieve", endpoint)
    call("webhook_endpoints.update", endpoint, description="Ours")
    call("webhook_endpoints.roll_secret", endpoint, expire_previous_in=60)
    call("webhook_endpoints.test", endpoint, event="render.succeeded")
    deliveries = call("webhook_deliveries.list", endpoint_id=endpoint)
    delivery = id_of(next(iter(deliveries or ()), None))
    call("webhook_deliveries.retrieve", delivery)
    call("webhook_deliveries.replay", delivery)
    call("webhook_endpoints.delete", endpoint)
    secret, body = new_secret(), json.dumps(EVENT)
    signed = call("webhooks.sign", body, secret, webhook_id="evt_1")
    call("webhooks.verify", body, signed, secret)


def _stores(driver: Driver) -> None:
    call = driver.call
    store = call(
        "storage_destinations.create",
        name="Archive",
        provider="s3",
        config={"bucket": "acme-invoices", "region": "eu-central-1"},
        credentials={"access_key_id": "AKIAEXAMPLE", "secret_access_key": "a secret key"},
        path_template="{{ filename }}",
    )
    name = id_of(store)
    call("storage_destinations.list")
    call("storage_destinations.retrieve", name)
    call("storage_destinations.update", name, name="Archive 2")
    call("storage_destinations.test", name)
    call("storage_destinations.delete", name)


def _emails(driver: Driver, world: World, template: str) -> None:
    call = driver.call
    smtp = {
        "name": "Billing",
        "provider": "smtp",
        "default_from": {"email": "billing@example.com", "name": "Example"},
        "config": {"host": "mail.example.com", "port": 587, "username": "u"},
        "credentials": {"password": "a password"},
    }
    connection = id_of(call("email_connections.create", **smtp))
    call("email_connections.list")
    call("email_connections.retrieve", connection)
    call("email_connections.update", connection, name="Billing 2")
    call("email_connections.test", connection)
    call("email_connections.delete", id_of(call("email_connections.create", **smtp)))
    rule = id_of(call("email_rules.create", template, connection_id=connection, **RULE))
    call("email_rules.list", template)
    call("email_rules.retrieve", rule)
    call("email_rules.update", rule, subject="Your invoice {{ number }}")
    call("email_rules.preview", rule, data={"number": "1"})
    texts = {name: text for name, text in RULE.items() if name != "name"}
    unsaved = {**texts, "connection_id": connection}
    call("email_rules.preview_unsaved", template_id=template, rule=unsaved)
    tested = call("email_rules.test", rule, to=world.member)
    call("renders.wait_for_render", id_of(tested), raise_on_failure=False)
    sends = call("email_sends.list")
    send = id_of(next(iter(sends or ()), None))
    call("email_sends.retrieve", send)
    call("email_sends.events", send)
    _if_in_time(driver, "email_sends.resend", send, refusal="email_not_resendable")
    call("email_sends.stats")
    call("email_rules.delete", rule)


def _links(driver: Driver, template: str) -> None:
    call, of = driver.call, {"template_id": template, "name": "Card"}
    link = call("signed_links.create", formats=["png"], allowed_params=["number"], **of)
    if link is None:
        with suppress(DynamicDocumentApiError):
            link = driver.client.request("POST", "/signed-links", body=of)
    name = id_of(link)
    call("signed_links.list")
    call("signed_links.retrieve", name)
    call("signed_links.update", name, name="Card 2")
    call("signed_links.sign_remotely", name, format="png", params={"number": "1"})
    secret, host = str((link or {}).get("secret", "")), driver.client.base_url.rpartition("/v1")[0]
    with suppress(ValueError):
        url = call("signed_links.sign", name, secret, params={"number": "1"}, base_url=host)
    status = httpx.get(url or host).status_code
    if status != 200:
        driver.refuse("signed_links.sign", f"the URL answers {status}")
    call("signed_links.delete", name)


def lists_of(driver: Driver) -> Iterator[str]:
    """Yield the numbers that the test prints."""
    count = len(set(driver.called))
    yield f"accepted {len(driver.accepted)} of {count}"
    yield f"answered as typed {len(driver.typed)} of {count}"
