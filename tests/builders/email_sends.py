"""Emails of renders, as they are when the files of a render exist, and their delivery."""

from collections.abc import Callable, Sequence
from typing import Any, Final

import msgspec

from chalicelib.adapters.aws.table import Row, Write
from chalicelib.core.mailbox import Mailbox
from chalicelib.engine.delivery.emails import EmailContents, EmailRule, RenderedEmail, contents_key
from functions.send_email import handler
from tests.builders.email_connections import made_connection, use_plan
from tests.builders.http import ApiAnswer
from tests.builders.service import Service
from tests.builders.templates import make_template, render_template
from tests.fakes.email_provider import FakeProvider

SENDS_PATH: Final = "/v1/email-sends"
RULE_ID: Final = "emr_01J8Z6Y3K4M5N6P7Q8R9S0T1V2"
ADA: Final = Mailbox("ada@example.com", "Ada")
EMAIL: Final = RenderedEmail(
    is_wanted=True,
    to=(ADA,),
    cc=(Mailbox("cc@example.com"),),
    subject="Your invoice",
    html="<p>Hello</p>",
    text="Hello",
)


def connect(service: Service, **fields: Any) -> dict[str, Any]:
    """Make a connection with credentials."""
    return made_connection(service, **{"credentials": {"password": "secret"}} | fields)


def switch_rule(service: Service, *, enabled: bool, rule_id: str = RULE_ID) -> None:
    """Write the row of a rule, as far as sending reads it."""
    row: Row = {"PK": f"WS#{service.workspace}#EMC", "SK": rule_id, "enabled": enabled}
    service.main_table.write(Write(service.main_table, item=row))


def render_with_emails(
    service: Service,
    connection: dict[str, Any],
    emails: Sequence[RenderedEmail] = (EMAIL,),
    *,
    rule: dict[str, Any] | None = None,
    **fields: Any,
) -> dict[str, Any]:
    """Render a template whose rules gave these emails."""
    path = make_template(service, publish=True)
    render: dict[str, Any] = render_template(service, path, **fields).json
    assert render["status"] == "succeeded", render
    add_emails(service, render["id"], connection, emails, rule)
    return render


def add_emails(
    service: Service,
    render_id: str,
    connection: dict[str, Any],
    emails: Sequence[RenderedEmail] = (EMAIL,),
    rule: dict[str, Any] | None = None,
) -> None:
    """Give a render emails before its final event is published."""
    ids = [RULE_ID[:-1] + str(number) for number in range(len(emails))]
    for rule_id in ids:
        switch_rule(service, enabled=True, rule_id=rule_id)
    rules = tuple(
        EmailRule(id=rule_id, connection_id=connection["id"], **(rule or {})) for rule_id in ids
    )
    key = contents_key(service.workspace, render_id)
    stored = msgspec.json.encode(EmailContents(rules, tuple(emails)))
    service.services.state.objects.put_data(key, stored)
    count = Write(
        service.main_table,
        key={"PK": f"WS#{service.workspace}#RND#{render_id}", "SK": "META"},
        update="SET email_count = :count",
        values={":count": len(emails)},
    )
    service.main_table.write(count)


def send_emails(service: Service, provider: FakeProvider) -> list[str]:
    """Run the function that sends on the messages of its queue, with a provider of the test."""
    serve = handler.build_with(service.work_parts("send_email"), {"smtp": provider.open})
    return service.run_batch("Emails", serve)


def deliver_emails(service: Service, provider: FakeProvider) -> None:
    """Publish the events that wait, and send the emails that are made of them."""
    assert service.relay_events() == []
    assert send_emails(service, provider) == []


def sends(service: Service, **query: str) -> list[dict[str, Any]]:
    """Return the email sends of the workspace."""
    text = "&".join(f"{name}={value}" for name, value in query.items())
    listed: list[dict[str, Any]] = service.call("GET", f"{SENDS_PATH}?{text}").json["data"]
    return listed


def event_types(service: Service, send: dict[str, Any]) -> list[str]:
    """Return the types of the events of a send."""
    rows = service.main_table.query(
        "PK = :pk AND begins_with(SK, :event)",
        {":pk": f"WS#{service.workspace}#EMS#{send['id']}", ":event": "EVENT#"},
    ).items
    return [row["type"] for row in rows]


def email_counts(service: Service, render: dict[str, Any]) -> dict[str, int]:
    """Return the counts of a render's emails that are not 0."""
    row = next(row for row in service.rows(render["id"]) if row["SK"] == "META")
    return {name: count for name, count in row["emails"].items() if count}


def hand_out_later(service: Service, **time: float) -> None:
    """Let time pass, and hand out the items that are due by then."""
    service.clock.advance(**time)
    service.tick()


def _repeat_a_waiting_email(service: Service) -> ApiAnswer:
    use_plan(service, "growth")
    render_with_emails(service, connect(service))
    service.relay_events()
    return _repeat(service)


def _repeat_after_the_retention(service: Service) -> ApiAnswer:
    use_plan(service, "growth")
    render_with_emails(service, connect(service))
    deliver_emails(service, FakeProvider())
    service.clock.advance(days=31)
    return _repeat(service)


def _repeat(service: Service) -> ApiAnswer:
    (send,) = sends(service)
    return service.call("POST", f"{SENDS_PATH}/{send['id']}/resend", json_body={})


# By code of the catalogue: a request that is answered with it.
PROVOKED_EMAIL_ERRORS: Final[dict[str, Callable[[Service], ApiAnswer]]] = {
    "email_not_resendable": _repeat_a_waiting_email,
    "email_file_expired": _repeat_after_the_retention,
}
