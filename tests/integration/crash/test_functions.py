"""Processes killed over what is no render: one kill of each function, and what follows it.

tests/functional/crash kills at every point.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest

from chalicelib.core.crash_points import CrashPoint as P
from infra.local.running_stack import RunningStack
from tests.builders.crash.batch_invariants import BatchEnd
from tests.builders.crash.batches import CrashBatches
from tests.builders.crash.emails import CrashEmails
from tests.builders.crash.links import CrashLinks
from tests.builders.crash.running_crash_stack import RunningCrashStack
from tests.builders.crash.storage_uploads import CrashUploads
from tests.builders.crash.webhooks import CrashWebhooks
from tests.builders.crash.workspace import CrashWorkspace
from tests.builders.pages.certificates import Certificates
from tests.builders.stack.stores import PAST
from tests.builders.storage.recording_store import RecordingStore
from tests.fakes.submission_server import SubmissionServer, submission_server
from tests.fakes.webhook_receiver import WebhookReceiver

pytestmark = [
    pytest.mark.integration,
    # aiosmtpd warns about its own defaults.
    pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::UserWarning"),
]


@pytest.fixture
def crash_stack(stack: RunningStack, points: Path) -> RunningCrashStack:
    return RunningCrashStack(stack, points)


@pytest.fixture
def mail_server(authority: Certificates) -> Iterator[SubmissionServer]:
    with submission_server(authority.server) as running:
        yield running


def test_releaser(crash_stack: RunningCrashStack) -> None:
    crash = CrashBatches(crash_stack)
    armed = crash.arm(P.BATCH_RELEASED)

    crash.make(6, bad=[1])

    crash.end(BatchEnd((5, 1, 0)), armed=armed)


def test_combiner(crash_stack: RunningCrashStack) -> None:
    crash = CrashBatches(crash_stack)
    armed = crash.arm(P.COMBINE_PART_SAVED)

    batch = crash.make(3, combine={"zip": True})

    crash.end(BatchEnd((3, 0, 0)), armed=armed)
    assert len(crash.names_in_zip(batch)) == 3


def test_sender_of_webhooks(crash_stack: RunningCrashStack, receiver: WebhookReceiver) -> None:
    crash = CrashWebhooks(crash_stack, receiver)
    crash.make_endpoint()
    crash.render()

    crash.die(P.WEBHOOK_SENT)

    assert [row["status"] for row in crash.deliveries()] == ["succeeded"]
    assert sum(crash.received().values()) == 2


def test_sender_of_emails(crash_stack: RunningCrashStack, mail_server: SubmissionServer) -> None:
    crash = CrashEmails(crash_stack, mail_server)
    crash.render()

    crash.die(P.EMAIL_HANDED_OVER)

    assert [send.status for send in crash.sends()] == ["unknown"]
    assert sum(crash.received().values()) == 1


def test_uploader(crash_stack: RunningCrashStack, store: RecordingStore) -> None:
    crash = CrashUploads(crash_stack, store)
    armed = crash.arm(P.STORAGE_STORED)
    crash.render()
    crash.await_kill(armed)

    crash.settle_uploads()

    assert (crash.statuses(), crash.puts()) == (["succeeded"], [2])


def test_renderer_under_the_caller_of_a_link(crash_stack: RunningCrashStack) -> None:
    crash = CrashLinks(crash_stack)
    armed = crash.arm(P.RENDER_STORED)

    answer = crash.fetch()

    assert answer.status_code == 200, answer.text
    crash.await_kill(armed)
    crash.settle(lambda: list(crash.faults(["succeeded"])))


def test_api_that_publishes_a_template(crash_stack: RunningCrashStack) -> None:
    crash = CrashWorkspace(crash_stack)
    made = crash.call("POST", "/templates", json={"name": "T", "html": "<p>Hi", "publish": True})
    path = f"/templates/{made['id']}/publish"
    crash.call_killed(P.TEMPLATE_WRITTEN, "POST", path, json={"note": "again"})

    crash.call("POST", path, json={"note": "again"})

    crash.settle(lambda: list(crash.template_faults()))


def test_api_that_takes_an_upload(crash_stack: RunningCrashStack) -> None:
    crash, content = CrashWorkspace(crash_stack), b"<p>Hi"
    announced = {"filename": "a.html", "content_type": "text/html", "bytes": len(content)}
    upload = crash.call("POST", "/uploads", json=announced)["id"]
    crash.stores.put(f"tmp/uploads/{crash.workspace}/{upload}.arriving", content)
    crash.call_killed(P.UPLOAD_COPIED, "GET", f"/uploads/{upload}")

    assert crash.call("GET", f"/uploads/{upload}")["status"] == "ready"


def test_maintenance_that_deletes_a_workspace(crash_stack: RunningCrashStack) -> None:
    crash = CrashWorkspace(crash_stack)
    crash.call("POST", "/templates", json={"name": "T", "html": "<p>Hi", "publish": True})
    crash.stack.operator.change_status.delete(crash.workspace)
    (row,) = (row for row in crash.rows() if row.get("delete_at"))
    crash.stores.replace(row, {"delete_at": PAST, "due_at": PAST})

    crash.settle(lambda: [row["PK"] for row in crash.rows()], P.WORKSPACE_ERASED)
