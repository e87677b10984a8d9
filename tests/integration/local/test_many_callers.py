"""Local stack under many callers: a hundred at once, gone ones, and little memory."""

import json
import socket
import ssl
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final
from urllib.parse import urlsplit

import httpx
import psutil
import pytest

from infra.local.running_stack import RunningStack
from tests.builders.stack.memory_group import limited_memory

pytestmark = pytest.mark.integration

BODY = {
    "input": {"type": "html", "html": "<h1>Invoice 4711</h1>"},
    "delivery": {"type": "binary"},
}


# A client loads the authorities of the machine, which takes longer than its request.
AUTHORITIES: Final = ssl.create_default_context()


def render(stack: RunningStack, **more: Any) -> httpx.Response:
    """Render one document and return the response with its file.

    Like a client, wait for `Retry-After` while all places of the plan are taken.
    """
    deadline = time.monotonic() + 60
    while True:
        answer = httpx.post(
            f"{stack.base_url}/renders",
            headers={"Authorization": f"Bearer {stack.live_key}"},
            json={**BODY, **more},
            timeout=60,
            follow_redirects=True,
            verify=AUTHORITIES,
        )
        if answer.status_code != httpx.codes.TOO_MANY_REQUESTS or time.monotonic() > deadline:
            return answer
        time.sleep(float(answer.headers["Retry-After"]))


def outcome(answer: httpx.Response) -> str:
    if answer.status_code == httpx.codes.OK:
        return "file" if answer.content.startswith(b"%PDF-") else "no file"
    return f"{answer.status_code} {answer.json()['code']}"


def worker_count(stack: RunningStack) -> Counter[str]:
    """Return the number of worker processes by handler."""
    processes = psutil.Process(stack.pid).children(recursive=True)
    lines = [process.cmdline() for process in processes]
    return Counter(line[-1] for line in lines if "infra.local.runner.worker" in line)


def test_hundred_callers_at_once_get_their_documents_from_few_processes(
    stack: RunningStack,
) -> None:
    with ThreadPoolExecutor(100) as threads:
        answers = list(threads.map(lambda _: render(stack), range(100)))

    assert Counter(map(outcome, answers)) == {"file": 100}
    workers = worker_count(stack)
    assert workers["app.app"] == workers["functions.render.handler.handler"] == 1


def test_callers_that_go_away_leave_their_threads_to_others(stack: RunningStack) -> None:
    url = urlsplit(stack.base_url)
    content = json.dumps(BODY).encode()
    head = (
        f"POST {url.path}/renders HTTP/1.1\r\nHost: {url.netloc}\r\n"
        f"Authorization: Bearer {stack.live_key}\r\nContent-Type: application/json\r\n"
        f"Content-Length: {len(content)}\r\n\r\n"
    ).encode()
    for number in range(60):
        with socket.create_connection((str(url.hostname), int(url.port or 0))) as caller:
            # Every third one goes away within its body.
            caller.sendall(head + (content if number % 3 else content[:20]))

    with ThreadPoolExecutor(20) as threads:
        answers = list(threads.map(lambda _: render(stack), range(20)))

    assert Counter(map(outcome, answers)) == {"file": 20}


def test_two_stacks_on_one_machine_do_not_meet(
    stack: RunningStack, isolating: RunningStack
) -> None:
    with ThreadPoolExecutor(20) as threads:
        pairs = list(threads.map(lambda _: (render(stack), render(isolating)), range(10)))
    foreign = httpx.get(
        f"{isolating.base_url}/renders", headers={"Authorization": f"Bearer {stack.live_key}"}
    )

    assert {outcome(answer) for pair in pairs for answer in pair} == {"file"}
    assert foreign.status_code == httpx.codes.UNAUTHORIZED


@pytest.mark.breadth
def test_used_up_memory_ends_browsers_and_loses_no_document(stack: RunningStack) -> None:
    later = {"mode": "async", "delivery": {"type": "url"}}
    assert outcome(render(stack)) == "file"
    with limited_memory(stack.pid, 400_000_000), ThreadPoolExecutor(20) as threads:
        answers = list(threads.map(lambda _: render(stack, **later), range(60)))
        ids = [answer.json()["id"] for answer in answers]
        states = wait_until_final(stack, ids)

    assert outcome(render(stack)) == "file"
    assert Counter(states) == {"succeeded": 60}


def wait_until_final(stack: RunningStack, ids: list[str]) -> list[str]:
    """Return the states of renders, once each is final or after a minute."""
    headers = {"Authorization": f"Bearer {stack.live_key}"}
    deadline = time.monotonic() + 60
    states: dict[str, str] = {}
    while len(states) < len(ids) and time.monotonic() < deadline:
        for each in set(ids) - states.keys():
            render = httpx.get(
                f"{stack.base_url}/renders/{each}", headers=headers, verify=AUTHORITIES
            ).json()
            if render["status"] not in {"queued", "processing"}:
                states[each] = f"{render['status']}"
        time.sleep(0.2)
    return [states.get(each, "open") for each in ids]
