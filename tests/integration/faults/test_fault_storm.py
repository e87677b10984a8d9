"""Many renders while AWS conflicts, throttles, fails and loses answers: every result is right."""

import random
import sys
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import pytest

from chalicelib.core.errors import RenderFailure
from chalicelib.engine.job import EngineJob, PageJob
from tests.builders.http import ApiAnswer
from tests.builders.stack.fault_storm import FaultStorm, FunctionProcess, running_faulty_aws
from tests.builders.store_audit import StoreAudit
from tests.builders.waiting import PATIENCE_S
from tests.fakes.fault_injector import FaultInjector, FaultKind

pytestmark = pytest.mark.integration

SEED = 20261121
RENDERS = (50, pytest.param(300, marks=pytest.mark.breadth))
# A repeated request takes over an abandoned render after half a minute.
CALLER_TIMEOUT_S = 3 * PATIENCE_S
CALLERS = 6
DAYS_31 = 31 * 24 * 60
TICKS_MIN = (2, 4, 6)
QUEUES = ("Renders", "Events", "Maintenance")
BAD = "<p>{{ bad }}</p>"
DOCUMENTED = {
    (200, "ok"),
    (202, "ok"),
    (409, "idempotency_in_progress"),
    (422, "template_runtime_error"),
    (429, "concurrency_limited"),
    (503, "region_degraded"),
}
SHARES: dict[FaultKind, float] = {
    "conflict": 0.20,
    "throttled": 0.03,
    "unprocessed": 0.10,
    "reset": 0.02,
    "error before": 0.02,
    "error after": 0.02,
    "lost": 0.03,
    "cut": 0.01,
    "late": 0.003,
    "late after": 0.004,
    "late before": 0.003,
    "died before": 0.03,
    "died after": 0.03,
}


@dataclass(frozen=True)
class RenderRequest:
    """Render that a caller wants, and how often it is requested at once."""

    number: int
    mode: str
    test: bool
    bad: bool
    binary: bool
    key: str | None
    times: int

    @property
    def reference(self) -> str:
        return f"request-{self.number}"

    @property
    def expected(self) -> set[int]:
        return {202} if self.mode == "async" else {422} if self.bad else {200}


def render_requests(count: int) -> list[RenderRequest]:
    dice = random.Random(SEED)  # noqa: S311 -- a plan, no secrets
    made = []
    for number in range(count):
        mode = dice.choice(["sync", "async"])
        key = f"key-{number}" if dice.random() < 0.7 else None
        made.append(
            RenderRequest(
                number,
                mode,
                test=dice.random() < 0.3,
                bad=dice.random() < 0.15,
                binary=mode == "sync" and dice.random() < 0.3,
                key=key,
                times=dice.choice([1, 1, 2]) if key else 1,
            )
        )
    return made


def fail_bad(job: EngineJob) -> None:
    if isinstance(job, PageJob) and BAD in job.source.texts():
        raise RenderFailure("template_runtime_error", "line 1: bad", line=1)


@pytest.fixture(scope="module", params=RENDERS)
def renders(request: pytest.FixtureRequest) -> int:
    count: int = request.param
    return count


@pytest.fixture(scope="module")
def storm(
    renders: int,  # noqa: ARG001 -- one for each number
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[FaultStorm]:
    faults = FaultInjector(SEED, SHARES)
    with running_faulty_aws(tmp_path_factory.mktemp("cloud"), faults) as cloud:
        made = FaultStorm(cloud)
        made.calm.engine.before_run = fail_bad
        yield made


class Callers:
    """Sends requests as the contract says: repeatable ones again, with the same key."""

    def __init__(self, storm: FaultStorm) -> None:
        self.answers: Counter[tuple[int, str]] = Counter()
        self.wrong: list[RenderRequest] = []
        self._storm = storm

    def send_until_done(self, process: FunctionProcess, request: RenderRequest) -> None:
        until = time.monotonic() + CALLER_TIMEOUT_S
        while time.monotonic() < until:
            answer = self._send(process, request)
            if answer.status in request.expected or (answer.status == 503 and request.key is None):
                return
            if answer.status not in {409, 429, 503}:
                break
            time.sleep(0.2)
        self.wrong.append(request)

    def _send(self, process: FunctionProcess, request: RenderRequest) -> ApiAnswer:
        answer = process.render(
            input={
                "type": "html",
                "html": BAD if request.bad else "<p>good</p>",
                "templating": False,
            },
            mode=request.mode,
            key=process.test if request.test else process.live,
            headers={"Idempotency-Key": request.key} if request.key else {},
            delivery={"type": "binary" if request.binary else "url"},
            reference=request.reference,
        )
        problem = answer.headers["Content-Type"] == "application/problem+json"
        self.answers[answer.status, answer.code if problem else "ok"] += 1
        return answer


def run_storm(storm: FaultStorm, callers: Callers, asked: list[RenderRequest]) -> None:
    """Send all requests from several processes while others process the queues."""

    def lane(number: int) -> None:
        process = FunctionProcess(storm.calm)
        for request in asked[number::CALLERS]:
            callers.send_until_done(process, request)

    storm.faults.is_on = True
    with storm.workers(renders=3, relays=2), ThreadPoolExecutor(CALLERS) as threads:
        list(threads.map(lane, range(CALLERS)))
    # Everything unfinished must now be resumed from the due items, through the same faults.
    storm.purge_queues()
    storm.advance_until_settled(TICKS_MIN)
    storm.faults.is_on = False


def test_every_render_has_its_result_despite_faults(
    storm: FaultStorm, renders: int, capsys: pytest.CaptureFixture[str]
) -> None:
    callers = Callers(storm)
    wanted = render_requests(renders)
    asked = [request for request in wanted for _ in range(request.times)]
    begun = time.monotonic()

    run_storm(storm, callers, asked)
    stormed_s = time.monotonic() - begun
    storm.advance_until_settled()

    with capsys.disabled():
        sys.stdout.write(f"\n{len(asked)} requests, {stormed_s:.0f} s: {dict(callers.answers)}\n")
    assert callers.wrong == []
    assert callers.answers.keys() <= DOCUMENTED
    audit = StoreAudit.read(storm.calm)
    audit.check(late_uploads=storm.faults.late_uploads)
    check_requests(audit, wanted)
    assert [storm.calm.dead_letters(queue) for queue in QUEUES] == [[], [], []]


def check_requests(audit: StoreAudit, wanted: list[RenderRequest]) -> None:
    """Assert one render per request with a key, and at most one per other request."""
    made = Counter(render.reference for render in audit.renders.values())
    for request in wanted:
        assert made[request.reference] == 1 or (
            request.key is None and made[request.reference] == 0
        ), request
    by_reference = {render.reference: render for render in audit.renders.values()}
    lost = [r.id for r in by_reference.values() if (r.error or {}).get("code") == "render_lost"]
    for request in wanted:
        render = by_reference.get(request.reference)
        if render is not None and render.id not in lost:
            assert render.status == ("failed" if request.bad else "succeeded"), render
    abandoned = {
        request.reference for request in wanted if request.key is None and request.mode == "sync"
    }
    assert {audit.renders[render_id].reference for render_id in lost} <= abandoned
    assert len(audit.idempotency_records) == sum(request.key is not None for request in wanted)


def test_files_expire_with_their_retention_despite_faults(
    storm: FaultStorm, capsys: pytest.CaptureFixture[str]
) -> None:
    storm.faults.is_on = True
    storm.advance_until_settled([DAYS_31, 6, 6, 6])
    storm.faults.is_on = False
    storm.advance_until_settled([6, 6])

    with capsys.disabled():
        sys.stdout.write("\n" + storm.faults.table() + "\n")
    audit = StoreAudit.read(storm.calm)
    audit.check(late_uploads=storm.faults.late_uploads)
    assert set(audit.objects) <= storm.faults.late_uploads
    assert audit.due_items == []
