"""Templates and uploads while AWS conflicts, throttles, fails and loses answers."""

import random
import sys
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from tests.builders.stack.fault_storm import FaultStorm, FunctionProcess, running_faulty_aws
from tests.builders.templates import TEMPLATES_PATH
from tests.builders.uploads import announce_upload, file_part, multipart_request, store_announced
from tests.fakes.fault_injector import FaultInjector
from tests.integration.faults.test_fault_storm import SEED, SHARES

pytestmark = pytest.mark.integration

LANES = 8
ROUNDS = 16
TRIES = 40
# Larger than a DynamoDB item may be.
LARGE = f"<p>Hi<!--{'x' * 450_000}-->"
STEPS_MIN = (2, 6, 65, 6, 6)
# Codes after which a caller repeats; a repeat may also conflict with its own first attempt.
RETRY_CODES = {"region_degraded", "conflict", "draft_revision_conflict", "concurrency_limited"}
# Three deaths in a row are rare, and reported as a fault of the document.
RETRY_CODES |= {"render_failed", "render_timeout"}


@pytest.fixture(scope="module")
def storm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[FaultStorm]:
    faults = FaultInjector(SEED, SHARES)
    with running_faulty_aws(tmp_path_factory.mktemp("cloud"), faults) as cloud:
        yield FaultStorm(cloud)


class Author:
    """Works on one template, and repeats failed requests."""

    def __init__(self, storm: FaultStorm, number: int, answers: Counter[str]) -> None:
        self._calm = storm.calm
        self._process = FunctionProcess(storm.calm)
        self._dice = random.Random(SEED + number)  # noqa: S311 -- a plan, no secrets
        self._answers = answers

    def __call__(self) -> None:
        created = self._send("POST", TEMPLATES_PATH, name="T", html=LARGE, publish=True)
        path = f"{TEMPLATES_PATH}/{created['id']}"
        for _ in range(ROUNDS):
            match self._dice.choice(["draft", "publish", "dataset", "rename", "upload"]):
                case "draft":
                    html = self._dice.choice([LARGE, "<p>small"])
                    self._send("PUT", f"{path}/draft", html=html)
                case "publish":
                    self._send("POST", f"{path}/publish")
                case "dataset":
                    data = {"text": "x" * self._dice.choice([10, 100_000])}
                    self._send("POST", f"{path}/datasets", name="D", data=data)
                case "rename":
                    self._send("PATCH", path, name=f"T{self._dice.random()}")
                case "upload":
                    self._upload()

    def _upload(self) -> None:
        self._repeated(
            lambda: self._process.call(
                "POST", "/v1/uploads", **multipart_request(file_part(b"<p>Hi"))
            )
        )
        upload = self._repeated(lambda: announce_upload(self._process, bytes=5))["id"]
        # The author sends it to the form, not to the service; the faults are those of functions.
        store_announced(self._calm, upload, b"<p>Hi")
        where = f"/v1/uploads/{upload}"
        shown = self._repeated(lambda: self._process.call("GET", where))
        assert shown["status"] == "ready", shown

    def _send(self, method: str, path: str, **body: Any) -> dict[str, Any]:
        return self._repeated(lambda: self._process.call(method, path, json_body=body))

    def _repeated(self, send: Any) -> dict[str, Any]:
        body = b""
        for _ in range(TRIES):
            answer = send()
            body = answer.body
            self._answers[str(answer.status) if answer.status < 400 else answer.code] += 1
            if answer.status < 400:
                return dict(answer.json)
            assert answer.code in RETRY_CODES, body
        raise AssertionError(body)


@pytest.mark.breadth
def test_templates_and_events_are_consistent_despite_faults(
    storm: FaultStorm, capsys: pytest.CaptureFixture[str]
) -> None:
    answers: Counter[str] = Counter()
    storm.faults.is_on = True
    with storm.workers(renders=1, relays=1), ThreadPoolExecutor(LANES) as threads:
        for author in [threads.submit(Author(storm, n, answers)) for n in range(LANES)]:
            author.result()
    storm.purge_queues()
    storm.advance_until_settled(STEPS_MIN)
    storm.faults.is_on = False
    storm.advance_until_settled((6, 65, 6, 6))

    with capsys.disabled():
        sys.stdout.write(f"\n{dict(answers)}\n{storm.faults.table()}\n")
    rows = list(template_rows(storm))
    named = {row["object_key"] for row in rows if row.get("object_key")}
    kept = {key for key in storm.calm.objects() if "/templates/" in key}
    assert kept - named <= storm.faults.late_uploads
    assert named <= kept
    metas = [row for row in rows if row["SK"] == "META"]
    assert {meta["status"] for meta in metas} == {"active"}
    assert [meta["unsettled"] for meta in metas if meta["unsettled"] or "due_at" in meta] == []
    for meta in metas:
        own = [row for row in rows if row["PK"] == meta["PK"]]
        numbers = sorted(row["number"] for row in own if row["SK"].startswith("VER#"))
        assert numbers == list(range(1, int(meta["live_version"] or 0) + 1))
        events = [row for row in own if row["SK"].startswith("EVENT#")]
        assert sorted(event["detail"]["number"] for event in events) == numbers
        assert all("published_at" in event for event in events)
    assert storm.calm.limits()["leases"] == {}
    assert [storm.calm.dead_letters(queue) for queue in ("Maintenance", "Events")] == [[], []]


def template_rows(storm: FaultStorm) -> Iterator[dict[str, Any]]:
    """Yield all rows of templates."""
    table = storm.calm.main_table
    client = storm.calm.clients.dynamodb
    for page in client.get_paginator("scan").paginate(TableName=storm.calm.settings.main_table):
        for pk in {row["PK"]["S"] for row in page["Items"] if "#TPL#" in row["PK"]["S"]}:
            yield from table.query("PK = :pk", {":pk": pk}).items
