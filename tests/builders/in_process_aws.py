"""AWS of many tests in this process: moto, dynoxide for tables, and stacks used in turn."""

import itertools
from collections import deque
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from typing import Any, Final

import boto3
import pytest
from moto import mock_aws

from chalicelib.adapters.aws.session import AwsClients
from infra.local.resources import create_resources
from infra.template import load_template
from tests.fakes.moto_patches import DirectQueues, PartChecksums, patch_moto
from tests.fakes.moto_stack import MotoStack
from tests.fakes.table_server import TableServer, running_tables

REGION: Final = "us-east-1"
# A thread that a test leaves behind may still write: its stack rests while others are used.
_RESTING_STACKS: Final = 4

type Stack = Mapping[str, Mapping[str, str]]


class MotoAws:
    """AWS of many tests: clients are shared, each test has its own resources."""

    def __init__(self, tables: TableServer) -> None:
        self._numbers = itertools.count()
        self.client = cache(lambda name: boto3.client(name, region_name=REGION))
        self.shared = AwsClients()
        for client in (self.client("dynamodb"), self.shared.dynamodb):
            tables.connect(client)
        self._tables = tables
        self._queues = DirectQueues(REGION)
        self._in_moto: dict[str, MotoStack] = {}
        self._given_back: deque[Stack] = deque()
        PartChecksums(self.shared.s3)

    def take_stack(self) -> Stack:
        """Return the resources of a new stack, or of one in which nothing is left of its test."""
        if len(self._given_back) <= _RESTING_STACKS:
            return self._create_stack()
        stack = self._given_back.popleft()
        for table in ("MainTable", "TransientTable"):
            self._tables.empty(stack[table]["Ref"], self.client("dynamodb"))
        self._in_moto[stack["MainTable"]["Ref"]].renew()
        return stack

    def give_back(self, stack: Stack) -> None:
        """Take a stack whose test has ended: to create one takes longer than most tests."""
        self._given_back.append(stack)

    def count_messages(self, url: str) -> int:
        """Return the number of messages in a queue that may be received now."""
        return self._queues.count_messages(url)

    def _create_stack(self) -> Stack:
        name = f"stack{next(self._numbers)}"

        def clients(service: str) -> Any:
            return self._queues if service == "sqs" else self.client(service)

        stack = create_resources(
            load_template(),
            clients,
            name,
            parameters={"ApiHost": "https://api.test"},
            region=REGION,
            max_workers=1,
        )
        self._in_moto[stack["MainTable"]["Ref"]] = MotoStack(stack, REGION)
        return stack


@contextmanager
def in_process_aws() -> Iterator[MotoAws]:
    """Yield AWS in this process for the block."""
    with running_tables() as tables, pytest.MonkeyPatch.context() as environment, mock_aws():
        variables = {
            "AWS_DEFAULT_REGION": REGION,
            "AWS_ACCESS_KEY_ID": "test",
            "AWS_SECRET_ACCESS_KEY": "test",
            "AWS_ENDPOINT_URL_DYNAMODB": tables.url,
        }
        for name, value in variables.items():
            environment.setenv(name, value)
        patch_moto(environment)
        yield MotoAws(tables)
