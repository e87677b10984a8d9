"""`platen mail set`: the URL of the mail server goes into the secret that maintenance reads."""

import datetime as dt
import json

import pytest
from click.testing import CliRunner, Result

from chalicelib.adapters.aws.due_items import DueItem
from chalicelib.adapters.aws.secrets import REFRESH_AFTER
from chalicelib.adapters.net.smtp import SmtpMailer
from functions.maintenance.handler import due_handlers
from infra.operator.cli import main
from tests.builders.aws_actions import acting_as
from tests.builders.operator import OperatorTool
from tests.builders.service import Service

URL = "smtps://me:p%40ss@mail.test?from=a@b.test"


def set_server(text: str) -> Result:
    return CliRunner().invoke(main, ["mail", "set", "--json"], input=text)


@pytest.mark.usefixtures("tool")
def test_mail_goes_through_the_server_that_was_set_last(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    servers: list[str] = []
    monkeypatch.setattr(SmtpMailer, "__call__", lambda mailer, *_: servers.append(mailer._host))
    workspace = service.operator.create_workspace(
        "A", owner="ada@example.com", plan="pro", regions=["eu"]
    ).id
    handle = due_handlers(service.work_parts("maintenance"))["key"]

    def warn() -> None:
        ends = service.clock.now() + dt.timedelta(days=20)
        service.key("live", workspace, expires_at=ends)
        (key, *_) = service.operator.keys.of_workspace(workspace)
        service.clock.advance(days=6, seconds=1)
        with acting_as("MaintenanceFunction"):
            handle(DueItem("key", f"KEY#{key.id}"))

    warn()
    assert servers == []
    set_ = set_server(f"{URL}\n")
    assert json.loads(set_.stdout) == {"server": "mail.test"}
    warn()
    assert servers == ["mail.test"]
    assert json.loads(set_server("none").stdout) == {"server": None}
    service.clock.advance(seconds=REFRESH_AFTER.total_seconds())
    warn()
    assert servers == ["mail.test"]


@pytest.mark.usefixtures("tool", "service")
def test_invalid_url_is_refused_without_repeating_it() -> None:
    refused = set_server("http://me:secret@mail.test\n")

    assert refused.exit_code == 1
    assert "smtp://[user:password@]host" in refused.output
    assert "secret" not in refused.output


def test_missing_secret_is_reported(tool: OperatorTool) -> None:
    tool.use_service("table")

    code, reason = tool.refusal("mail", "set")

    assert code == "setting_missing"
    assert "PLATEN_SMTP_SECRET" in reason
