"""Queues of the local stack: visibility, delay, redrive and batches, as the product needs."""

import json
import time
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from infra.local.access.keys import AccessKey
from infra.local.emulators import client_factory, start_ministack
from infra.local.paths import StackFolder
from infra.local.processes import Spawner

pytestmark = pytest.mark.integration


@pytest.fixture(scope="module")
def sqs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    with ExitStack() as cleanup:
        spawner = Spawner()
        cleanup.callback(spawner.close)
        key = AccessKey.random()
        emulator = start_ministack(StackFolder(tmp_path_factory.mktemp("queues")), spawner, key)
        cleanup.callback(emulator.stop)
        emulator.wait()
        yield client_factory({"AWS_ENDPOINT_URL": emulator.url, **key.variables()})("sqs")


@pytest.fixture
def queue(sqs: Any, request: pytest.FixtureRequest) -> str:
    return str(sqs.create_queue(QueueName=request.node.name[:70])["QueueUrl"])


def receive(sqs: Any, queue: str, wait_s: int = 0) -> list[dict[str, Any]]:
    answer = sqs.receive_message(
        QueueUrl=queue, WaitTimeSeconds=wait_s, MessageSystemAttributeNames=["All"]
    )
    return list(answer.get("Messages", []))


def test_a_received_message_is_hidden_until_its_visibility_time_ends(sqs: Any, queue: str) -> None:
    sqs.send_message(QueueUrl=queue, MessageBody="one")
    (first,) = receive(sqs, queue)
    hidden = receive(sqs, queue)

    sqs.change_message_visibility(
        QueueUrl=queue, ReceiptHandle=first["ReceiptHandle"], VisibilityTimeout=1
    )
    (again,) = receive(sqs, queue, wait_s=20)

    assert hidden == []
    assert again["Attributes"]["ApproximateReceiveCount"] == "2"


def test_a_delayed_message_comes_later(sqs: Any, queue: str) -> None:
    started = time.monotonic()
    sqs.send_message(QueueUrl=queue, MessageBody="one", DelaySeconds=1)

    (message,) = receive(sqs, queue) or receive(sqs, queue, wait_s=20)

    assert message["Body"] == "one"
    assert time.monotonic() - started >= 1


def test_a_message_that_is_received_too_often_is_a_dead_letter(sqs: Any, queue: str) -> None:
    dead = sqs.create_queue(QueueName="dead")["QueueUrl"]
    arn = sqs.get_queue_attributes(QueueUrl=dead, AttributeNames=["QueueArn"])["Attributes"]
    policy = {"deadLetterTargetArn": arn["QueueArn"], "maxReceiveCount": 2}
    attributes = {"RedrivePolicy": json.dumps(policy), "VisibilityTimeout": "0"}
    sqs.set_queue_attributes(QueueUrl=queue, Attributes=attributes)
    sqs.send_message(QueueUrl=queue, MessageBody="one")

    counts = [len(receive(sqs, queue)) for _ in range(3)]

    assert counts == [1, 1, 0]
    assert [message["Body"] for message in receive(sqs, dead)] == ["one"]


def test_messages_of_a_batch_are_counted_and_deleted(sqs: Any, queue: str) -> None:
    def count() -> str:
        name = "ApproximateNumberOfMessages"
        answer = sqs.get_queue_attributes(QueueUrl=queue, AttributeNames=[name])
        return str(answer["Attributes"][name])

    entries = [{"Id": str(n), "MessageBody": str(n)} for n in range(3)]
    sqs.send_message_batch(QueueUrl=queue, Entries=entries)
    sent = count()
    received = sqs.receive_message(QueueUrl=queue, MaxNumberOfMessages=10)["Messages"]
    sqs.delete_message_batch(
        QueueUrl=queue,
        Entries=[
            {"Id": str(n), "ReceiptHandle": message["ReceiptHandle"]}
            for n, message in enumerate(received)
        ],
    )

    assert (sent, len(received), count()) == ("3", 3, "0")
