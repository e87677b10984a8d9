"""Emails: connections and their tests, rules with their mail, hostile mails, sends."""

from typing import Any

import pytest

from chalicelib.core.ids import WorkspaceId
from infra.local.running_stack import RunningStack
from tests.builders.stack.api_client import ApiClient
from tests.builders.stack.tenants import Tenants
from tests.builders.waiting import eventually
from tests.fakes.submission_server import HOST, PORT, SubmissionServer
from tests.integration.console.deliveries.conftest import listed, made
from tests.integration.console.deliveries.forms import (
    choose,
    confirm,
    fill,
    kept_texts,
    markup,
    submit_twice,
)
from tests.integration.console.person import Person

pytestmark = pytest.mark.integration

PASSWORD = "wrong-password-of-somebody"
ELSEWHERE = "https://tracker.example/"
HOSTILE = f"""<title>x</title><base href="{ELSEWHERE}">
<script>parent.parent.attacked = top.attacked = 1</script>
<img src=x onerror="top.attacked = 1"><svg onload="top.attacked = 1"></svg>
<img src="{ELSEWHERE}pixel.gif" alt="a picture"><img src="//tracker.example/two.gif" alt="">
<link rel="stylesheet" href="{ELSEWHERE}style.css"><LINK rel="preconnect"
 href="{ELSEWHERE}"><style>@import "{ELSEWHERE}more.css";
p {{{{ color: rgb(1, 2, 3); background: url({ELSEWHERE}back.png) }}}}</style>
<iframe src="{ELSEWHERE}frame"></iframe><object data="{ELSEWHERE}object"></object>
<iframe srcdoc="<script>top.attacked = 1</script>"></iframe>
<meta http-equiv="refresh" content="0;url={ELSEWHERE}refresh">
<form action="{ELSEWHERE}form"><input name="a" autofocus onfocus="top.attacked = 1"></form>
<a href="javascript:top.attacked = 1">click</a><p style="font-weight: 700">Dear customer</p>
""".replace("{{", "{").replace("}}", "}")
FRAME = "document.querySelector('.mail-frame')?.contentDocument?.querySelector('iframe')"


@pytest.fixture
def rule(client: ApiClient, template: str, connection: dict[str, Any]) -> dict[str, Any]:
    path = f"/templates/{template}/email-rules"
    for each in client.http.get(path).json()["data"]:
        client.http.delete(f"/email-rules/{each['id']}").raise_for_status()
    fields = {
        "name": "To the customer",
        "connection_id": connection["id"],
        "to": "{{ email }}",
        "subject": "Invoice {{ n }}",
        "html": "<p>Hello {{ email }}</p>",
    }
    return made(client, path, fields)


def test_double_click_creates_one_connection_whose_test_names_its_step(
    person: Person, client: ApiClient
) -> None:
    person.enter("/deliveries/emails/connections")
    person.press("New connection")
    fill(person, "Name", "Second office")
    fill(person, "Sender address", "office@example.com")
    fill(person, "Host", HOST)
    fill(person, "Port", str(PORT))
    fill(person, "Username", "mailer")
    fill(person, "Password", PASSWORD)

    submit_twice(person)

    person.reads("Second office", within=".thing-head")
    assert PASSWORD not in markup(person) + kept_texts(person)
    names = [each["name"] for each in listed(client, "/email-connections")]
    assert names.count("Second office") == 1
    person.press("Test")
    submit_twice(person)
    person.reads("The test failed", within="dialog[open]")
    person.reads("Agree on TLS", within="dialog[open] .steps")
    person.press("Cancel")
    person.press("Edit")
    fill(person, "Password", "p")
    submit_twice(person)
    person.browser.wait_for("document.querySelector('dialog[open]') === null")
    person.press("Test")
    submit_twice(person)
    person.reads("The test passed", within="dialog[open]")


@pytest.mark.parametrize(
    ("provider", "fields"),
    [
        ("brevo", {"Api key": "k"}),
        ("postmark", {"Server token": "k", "Message stream": "broadcast"}),
        ("ses", {"Region": "eu-central-1", "Access key ID": "k", "Secret access key": "s"}),
        (
            "microsoft365",
            {"Tenant ID": "t", "Client ID": "c", "Sender": "a@b.example", "Client secret": "s"},
        ),
    ],
)
def test_each_provider_has_its_fields(
    person: Person, client: ApiClient, provider: str, fields: dict[str, str]
) -> None:
    person.enter("/deliveries/emails/connections")
    person.press("New connection")
    choose(person, "Provider", provider)
    fill(person, "Name", f"By {provider}")
    fill(person, "Sender address", "office@example.com")
    for name, text in fields.items():
        fill(person, name.replace("Api", "API"), text)

    submit_twice(person)

    person.reads(f"By {provider}", within=".thing-head")
    found = listed(client, "/email-connections")
    (created,) = [each for each in found if each["name"] == f"By {provider}"]
    assert created["provider"] == provider
    assert created["credentials"] == {"configured": True}


def test_double_click_creates_one_rule_and_its_mail_is_shown(
    person: Person, client: ApiClient, template: str, rule: dict[str, Any]
) -> None:
    person.enter(f"/deliveries/emails/rules?template_id={template}")
    person.reads(rule["name"], within=".cards")
    person.press("New rule")
    fill(person, "Name", "Reminder")
    fill(person, "To", "{{ email }}")
    fill(person, "Subject", "Pay {{ n }}")
    person.type_first("<h1>Number {{ n }}</h1>")
    person.reads("Pay 7", within=".mail-head")
    person.reads("ada@example.com", within=".mail-head")
    person.browser.wait_for(f"{FRAME}?.srcdoc.includes('<h1>Number 7</h1>')")

    submit_twice(person)

    person.browser.wait_for("location.pathname.includes('/emr_')")
    rules = listed(client, f"/templates/{template}/email-rules")
    assert [each["name"] for each in rules] == [rule["name"], "Reminder"]


def test_error_of_a_text_leads_to_its_field(person: Person, rule: dict[str, Any]) -> None:
    person.enter(f"/deliveries/emails/rules/{rule['id']}")
    fill(person, "Subject", "{{ n")

    person.press("subject, line 1")

    person.browser.wait_for("document.activeElement.value === '{{ n'")


def test_hostile_mail_runs_nothing_and_loads_nothing(
    person: Person, client: ApiClient, rule: dict[str, Any]
) -> None:
    changed = client.http.patch(f"/email-rules/{rule['id']}", json={"html": HOSTILE})
    changed.raise_for_status()

    person.enter(f"/deliveries/emails/rules/{rule['id']}")

    person.reads("2 pictures of other hosts are not loaded here.", within=".mail-notes")
    eventually(lambda: f"{ELSEWHERE}pixel.gif" in person.browser.refused_urls)
    # The policy does not refuse the connection that a link opens.
    assert not person.browser.value(f"{FRAME}.srcdoc.toLowerCase().includes('<link')")
    # Neither the script of the console nor that of the mail reaches the other.
    assert person.browser.value(f"{FRAME}.getAttribute('sandbox')") == ""
    assert person.browser.value(f"{FRAME}.contentDocument") is None
    assert person.browser.value("window.attacked === undefined")
    assert set(person.browser.foreign_urls) <= set(person.browser.refused_urls)
    person.press("HTML")
    person.reads("top.attacked = 1", within=".mail-source")
    # What the policy has refused is no fault of the console.
    person.browser.requests.clear()
    person.browser.errors.clear()


def test_mail_is_shown_in_dark_and_in_its_width(
    person: Person, client: ApiClient, rule: dict[str, Any]
) -> None:
    styles = "<meta name=color-scheme content='light dark'><p>Hello"
    client.http.patch(f"/email-rules/{rule['id']}", json={"html": styles}).raise_for_status()

    person.enter(f"/deliveries/emails/rules/{rule['id']}")
    person.press("360 px")
    person.press("Dark")

    person.browser.wait_for("document.querySelector('.mail-frame')?.clientWidth === 360")
    assert person.browser.value("location.search") == "?width=360&scheme=dark"
    # What is emulated counts in all frames.
    person.browser.call("Emulation.setEmulatedMedia", features=[])
    is_dark = "matchMedia('(prefers-color-scheme: dark)').matches"
    frame = "document.querySelector('.mail-frame').contentWindow"
    person.browser.wait_for(f"{frame}.{is_dark} && !{is_dark}")


def test_reader_sees_the_mail_and_changes_nothing(
    person: Person, stack: RunningStack, tenants: Tenants, rule: dict[str, Any]
) -> None:
    scopes = ["email:read", "account:read"]
    keys = tenants.operator.manage_keys
    new = keys.create(WorkspaceId(stack.workspace), mode="test", scopes=scopes)

    person.enter(f"/deliveries/emails/rules/{rule['id']}", key=new.text)

    person.reads("Invoice 7", within=".mail-head")
    person.browser.wait_for("document.querySelector('.actions button') !== null")
    assert person.browser.value("document.querySelector('form [type=submit]')") is None
    assert person.browser.value("document.querySelector('form input:not(:disabled)')") is None


def test_email_that_was_sent_is_sent_again(
    person: Person,
    stack: RunningStack,
    template: str,
    rule: dict[str, Any],
    mail_server: SubmissionServer,
) -> None:
    source = {"type": "template", "template_id": template}
    with ApiClient(stack, stack.live_key) as live:
        body = {"input": source, "data": {"n": 1, "email": "ada@example.com"}}
        render = made(live, "/renders", body)
        query = f"/email-sends?render_id={render['id']}&status=sent"
        (send,) = eventually(lambda: live.http.get(query).json()["data"], pause_s=0.1)
        before = len(mail_server.mails)

        person.enter(f"/deliveries/emails?rule_id={rule['id']}", key=stack.live_key)
        person.press("Invoice 1")
        person.reads(send["id"], within=".facts")
        person.press("Send again")
        confirm(person, "Send again")

        person.reads(send["id"], within=".facts a[href*='ems_']")
        person.reads("Sent", within=".thing-head")
        eventually(lambda: len(mail_server.mails) == before + 1)
