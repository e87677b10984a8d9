"""Examples of the reference that need no object of the caller: a real stack makes their files."""

import re
from collections.abc import Iterator
from typing import Any, Final

import pytest

from tests.builders.openapi import api_document
from tests.builders.stack.api_client import ApiClient

pytestmark = pytest.mark.integration

JSON: Final = "application/json"
_TAGS: Final = {"Renders", "E-invoices", "PDF tools"}
# An id of a workspace, or an address that these tests must not call.
_FOREIGN: Final = re.compile(r"[a-z]{2,5}_[0-9A-HJKMNP-TV-Z]{26}|https://(?:example\.com|hooks)")
# The first validation waits for the start of Java.
TIMEOUT_S: Final = 120


def examples() -> Iterator[tuple[str, str, Any]]:
    """Yield path, media type and body of each example that works for everyone."""
    for path, methods in api_document()["paths"].items():
        operation = methods.get("post", {})
        if "{" in path or not _TAGS & {*operation.get("tags", ())}:
            continue
        for kind, media_type in operation["requestBody"]["content"].items():
            for example in media_type.get("examples", {}).values():
                if _FOREIGN.search(str(example["value"])) is None:
                    yield path, kind, example["value"]


def test_requests_make_their_files(live: ApiClient) -> None:
    sent = list(examples())

    failed = [(path, fault) for path, *body in sent if (fault := fault_of(live, path, *body))]

    assert failed == []
    assert len(sent) > 40


def fault_of(client: ApiClient, path: str, kind: str, body: Any) -> Any:
    """Send an example and return what went wrong, or None."""
    parts = {"json": body} if kind == JSON else {"content": body, "headers": {"Content-Type": kind}}
    answer = client.http.post(path.removeprefix("/v1"), **parts)
    if answer.status_code not in {200, 202}:
        return answer.text
    made = answer.json() if answer.headers["Content-Type"] == JSON else {}
    if made.get("object") != "render" or body.get("delivery"):
        return None
    final = client.wait_until_final(made["id"], TIMEOUT_S)
    return None if final["status"] == "succeeded" else final["error"]
