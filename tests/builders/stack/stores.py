"""Tables, bucket and queues of a running stack, read directly, with their time brought forward."""

import datetime as dt
import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any, Final, override

from boto3.dynamodb.types import TypeDeserializer

from chalicelib.adapters.aws.session import AwsClients
from chalicelib.adapters.aws.table import ConditionFailed, Row, Table, Write
from chalicelib.core.clock import format_rfc3339
from chalicelib.core.json import JsonObject
from infra.local.emulators import client_factory
from infra.local.running_stack import RunningStack
from tests.builders.limits_view import limits_with_rows

PAST: Final = "2020-01-01T00:00:00.000Z"
_LONG_AGO: Final = format_rfc3339(dt.datetime.now(dt.UTC) - dt.timedelta(minutes=1))


class StackClients(AwsClients):
    """The clients of a running stack."""

    def __init__(self, stack: RunningStack) -> None:
        clients = client_factory(stack.endpoints)
        for name in ("dynamodb", "s3", "sqs"):
            setattr(self, name, clients(name))
        self._lambda = clients("lambda")

    @override
    def lambda_client(self, read_timeout_s: float) -> Any:
        return self._lambda


class Stores:
    """Tables, bucket and queues of one stack."""

    def __init__(self, clients: AwsClients, resources: Mapping[str, Mapping[str, str]]) -> None:
        """Read the resources through clients."""
        self._resources = resources
        self.clients = clients
        self.main_table = Table(clients, resources["MainTable"]["Ref"])
        self.transient_table = Table(clients, resources["TransientTable"]["Ref"])

    def partition(self, pk: str) -> list[Row]:
        """Return all rows of a partition."""
        return self.main_table.query("PK = :pk", {":pk": pk}).items

    def scan(self, table: Table, naming: str = "") -> Iterator[Row]:
        """Yield all rows of a table, or those that name a text anywhere."""
        read = TypeDeserializer().deserialize
        pages = self.clients.dynamodb.get_paginator("scan")
        for page in pages.paginate(TableName=table.name, ConsistentRead=True):
            for row in page["Items"]:
                # Most rows are of other tests: to look for a text is cheaper than to read the row.
                if naming in str(row):
                    yield {name: read(value) for name, value in row.items()}

    def renders(self, workspace: str) -> list[str]:
        """Return the ids of a workspace's renders."""
        lists = {":list": f"WS#{workspace}#RND"}
        rows = self.main_table.query("LPK = :list", lists, index="lists").items
        return [row["LSK"] for row in rows]

    def limits(self, workspace: str) -> Row:
        """Return the limits item of a workspace."""
        (item,) = [row for row in self.partition(f"WS#{workspace}#LIM") if row["SK"] == "META"]
        return item

    def limits_with_rows(self, workspace: str) -> Row:
        """Return the limits item, with the holds that the rows of renders have."""
        rows = [
            row
            for render in self.renders(workspace)
            for row in self.partition(f"WS#{workspace}#RND#{render}")
            if row["SK"] == "META"
        ]
        return limits_with_rows(self.limits(workspace), rows)

    def keys(self, prefix: str = "") -> list[str]:
        """Return the keys of the objects below a prefix."""
        pages = self.clients.s3.get_paginator("list_objects_v2")
        answers = pages.paginate(Bucket=self._bucket, Prefix=prefix)
        return [row["Key"] for page in answers for row in page.get("Contents", [])]

    def multipart_uploads(self, prefix: str) -> list[str]:
        """Return the keys below a prefix to which an upload in parts is open."""
        answer = self.clients.s3.list_multipart_uploads(Bucket=self._bucket, Prefix=prefix)
        return [row["Key"] for row in answer.get("Uploads", [])]

    def put(self, key: str, content: bytes) -> None:
        """Store an object."""
        self.clients.s3.put_object(Bucket=self._bucket, Key=key, Body=content)

    def content(self, key: str) -> bytes:
        """Return the bytes of an object."""
        return self.clients.s3.get_object(Bucket=self._bucket, Key=key)["Body"].read()

    def send_dead_letter(self, queue: str, message: JsonObject) -> None:
        """Put a message into the dead letters of a queue, as the platform does."""
        self.send(f"{queue}DeadLetters", message)

    def send(self, queue: str, message: JsonObject) -> None:
        """Put a message into a queue."""
        url = self._resources[queue]["Ref"]
        self.clients.sqs.send_message(QueueUrl=url, MessageBody=json.dumps(message))

    def message_counts(self) -> dict[str, int]:
        """Return the queues that hold messages, with how many."""
        queues = {name: of["Ref"] for name, of in self._resources.items() if "QueueName" in of}
        counts = {name: self._count(url) for name, url in queues.items()}
        return {name: count for name, count in counts.items() if count}

    def expire_files(self, workspace: str, render: str) -> None:
        """End the retention of a render's files, of which the first record is due then."""
        for row in self.partition(f"WS#{workspace}#RND#{render}"):
            if row["SK"] == "META":
                for file in json.loads(row["outcome"])["files"]:
                    (record,) = self.partition(f"FILE#{file['id']}")
                    due = {"due_at": PAST} if "due_at" in record else {}
                    self.replace(record, {"expires_at": PAST} | due)
                self.replace(row, {"expires_at": PAST})

    def replace(self, row: Row, values: Row) -> None:
        """Replace attributes of a row, unless they have changed since it was read."""
        write = Write(
            self.main_table,
            key={name: row[name] for name in ("PK", "SK")},
            update="SET " + ", ".join(f"{name} = :{name}" for name in values),
            condition=" AND ".join(f"{name} = :was_{name}" for name in values),
            values={f":{name}": value for name, value in values.items()}
            | {f":was_{name}": row[name] for name in values},
        )
        with suppress(ConditionFailed):
            self.main_table.write(write)

    def _count(self, url: str) -> int:
        answer = self.clients.sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["All"])
        counts = answer["Attributes"]
        waiting = int(counts["ApproximateNumberOfMessages"])
        return waiting + int(counts["ApproximateNumberOfMessagesNotVisible"])

    @property
    def _bucket(self) -> str:
        return self._resources["FilesBucket"]["Ref"]


class StackStores(Stores):
    """Stores of a running stack, whose time the tests bring forward."""

    def __init__(self, stack: RunningStack) -> None:
        """Connect to the backends of a stack."""
        super().__init__(StackClients(stack), stack.resources)

    def tick(self) -> None:
        """Run the tick function, even if it dies."""
        function = self._resources["TickFunction"]["Ref"]
        self.clients.lambda_client(30).invoke(FunctionName=function, Payload=b"{}")

    def backdate_renders(self, workspace: str) -> None:
        """Set `created_at` of a workspace's renders to before any caller's timeout."""
        for render in self.renders(workspace):
            for row in self.partition(f"WS#{workspace}#RND#{render}"):
                self.replace(row, {"created_at": _LONG_AGO})
