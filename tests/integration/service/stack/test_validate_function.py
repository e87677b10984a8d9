"""The validators' function in a whole stack, invoked as the render function does."""

import os
from typing import Any

import psutil
import pytest

from chalicelib.adapters.aws.functions import LambdaFunction
from chalicelib.adapters.aws.objects import Objects
from chalicelib.adapters.aws.remote_validator import MAX_INLINE_BYTES, RemoteValidator
from chalicelib.core.ids import WorkspaceId
from chalicelib.engine.conformance.checks import ConformanceCheck
from chalicelib.engine.deadline import Deadline
from infra.local.running_stack import RunningStack
from tests.builders.stack.function_processes import (
    end_processes,
    validate_nothing,
    validate_pids,
)
from tests.integration.validators.conftest import proof

TENANT = WorkspaceId("ws_01J00000000000000000000000")
PDF = [ConformanceCheck.pdfa("3a"), ConformanceCheck.pdfua()]


class StackClients:
    """The clients that adapters use, over the endpoints of a stack."""

    def __init__(self, stack: RunningStack) -> None:
        self._stack = stack
        self.s3 = stack.client("s3")

    def lambda_client(self, _timeout_s: float) -> Any:
        return self._stack.client("lambda")


@pytest.fixture
def remote(stack: RunningStack) -> RemoteValidator:
    clients: Any = StackClients(stack)
    made = stack.resources
    function = LambdaFunction(clients, made["ValidateFunction"]["Ref"])
    return RemoteValidator(function, Objects(clients, made["FilesBucket"]["Ref"]), TENANT)


def java_of(stack: RunningStack) -> list[psutil.Process]:
    processes = psutil.Process(stack.pid).children(recursive=True)
    return [process for process in processes if process.name() == "java"]


def test_validators_start_with_the_first_request(
    stack: RunningStack, remote: RemoteValidator
) -> None:
    # Other tests may have used the function; its validators end with it.
    end_processes(validate_pids(stack))
    assert validate_nothing(stack) == ({"verdicts": []}, None)
    assert java_of(stack) == []

    verdicts = remote.validate(proof("pdf-3a"), PDF, Deadline.after(120))

    assert [verdict.findings for verdict in verdicts] == [(), ()]
    (java,) = java_of(stack)
    environment = java.environ()
    assert not any(name.startswith(("AWS_", "PLATEN_")) for name in environment)


def test_large_document_is_validated_and_not_kept(
    stack: RunningStack, remote: RemoteValidator
) -> None:
    # Bytes after the end of a PDF/A are a finding, so the verdict must not be asserted clean.
    large = proof("pdf-3a") + b"%" + os.urandom(MAX_INLINE_BYTES).hex().encode()

    verdicts = remote.validate(large, PDF, Deadline.after(240))

    assert all(verdict.findings is not None for verdict in verdicts)
    bucket = stack.resources["FilesBucket"]["Ref"]
    left = stack.client("s3").list_objects_v2(Bucket=bucket, Prefix="tmp/validate/")
    assert left.get("Contents", []) == []
