"""The validators are started before the first test: a person would wait, or check again."""

import pytest

from infra.local.running_stack import RunningStack
from tests.builders.invoices.hybrids import hybrid_pdf
from tests.builders.stack.api_client import ApiClient
from tests.builders.waiting import eventually


@pytest.fixture(scope="session", autouse=True)
def _validators(stack: RunningStack) -> None:
    """Wait until the validators of the stack have given verdicts."""
    headers = {"Content-Type": "application/pdf"}
    with ApiClient(stack, stack.test_key) as client:

        def has_verdict() -> bool:
            answer = client.http.post(
                "/einvoices/validate", content=hybrid_pdf(), headers=headers, timeout=60
            )
            report = answer.json()["conformance"]
            return all(part["status"] == "passed" for part in report.values())

        eventually(has_verdict, pause_s=1)
