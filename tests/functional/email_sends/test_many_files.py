"""Emails of renders with hundreds of files: the first are attached, all others are links."""

import json

from chalicelib.engine.context import RenderedFile
from tests.builders.email_connections import SMTP, use_plan
from tests.builders.email_sends import connect, deliver_emails, render_with_emails, sends
from tests.builders.service import Service
from tests.fakes.email_provider import FakeProvider

_BYTES = 9


def test_files_beyond_the_budget_are_links(service: Service) -> None:
    use_plan(service, "growth")
    service.engine.files = tuple(
        RenderedFile("pdf", b"%%PDF-%04d" % n, "application/pdf", part=n) for n in range(1, 501)
    )
    connection = connect(service, config=SMTP | {"attachment_budget_bytes": 100 * _BYTES})
    name = "界" * 66
    render_with_emails(service, connection, output={"filename": name})
    provider = FakeProvider()

    deliver_emails(service, provider)

    (email,) = provider.accepted
    assert [file.filename[-8:] for file in email.files][-2:] == ["界-99.pdf", "-100.pdf"]
    assert email.html is not None
    assert email.html.count("<a href=") == 400
    assert len(email.html) < 500_000
    (send,) = sends(service)
    shown = service.call("GET", f"/v1/email-sends/{send['id']}").json["attachments"]
    assert [each["mode"] for each in shown] == ["attached"] * 100 + ["linked"] * 400
    row = service.main_table.get(f"WS#{service.workspace}#EMS#{send['id']}")
    size = len(json.dumps(row, ensure_ascii=False, default=str).encode())
    assert size < 200_000, size
