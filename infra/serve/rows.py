"""Maintenance of rows, in a process of its own: `python -m infra.serve.rows recover | expire`.

The stack itself does not import the product. The answer is a number on standard output.
"""

import datetime as dt
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from chalicelib.adapters.aws.session import AwsClients
from chalicelib.core.clock import SystemClock, format_rfc3339
from chalicelib.features.renders.rows import DUE_RENDER

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

# A queued render is looked at again after an hour at most (`handle_due_render`).
_HORIZON: Final = dt.timedelta(minutes=65)
_PAUSE_S: Final = 0.05
_MAIN: Final = "PLATEN_MAIN_TABLE"
_TRANSIENT: Final = "PLATEN_TRANSIENT_TABLE"


def recover(dynamodb: "DynamoDBClient") -> int:
    """Make all unfinished renders due now; return how many.

    Their messages ended with the server before, and so did the functions that had claimed them:
    one server holds a folder. A render is free at once, not minutes later.
    """
    moment = SystemClock().now()
    now, until = format_rfc3339(moment), format_rfc3339(moment + _HORIZON)
    count = 0
    for partition in DUE_RENDER.partitions:
        pages = dynamodb.get_paginator("query").paginate(
            TableName=os.environ[_MAIN],
            IndexName="due",
            KeyConditionExpression="DPK = :partition AND due_at BETWEEN :now AND :until",
            ExpressionAttributeValues={
                ":partition": {"S": partition},
                ":now": {"S": now},
                ":until": {"S": until},
            },
        )
        for row in [row for page in pages for row in page["Items"]]:
            count += _free(dynamodb, row, now)
    return count


def expire(dynamodb: "DynamoDBClient") -> int:
    """Delete the rows whose time to live has ended, as DynamoDB does by itself; return how many."""
    return sum(_expire(dynamodb, os.environ[name]) for name in (_MAIN, _TRANSIENT))


def _expire(dynamodb: "DynamoDBClient", table: str) -> int:
    return sum(_delete(dynamodb, table, row) for row in _expired_rows(dynamodb, table))


def _expired_rows(dynamodb: "DynamoDBClient", table: str) -> Iterator[Any]:
    pages = dynamodb.get_paginator("scan").paginate(
        TableName=table,
        FilterExpression="#ttl < :now",
        ProjectionExpression="PK, SK, #ttl",
        ExpressionAttributeNames={"#ttl": "ttl"},
        ExpressionAttributeValues={":now": {"N": str(int(time.time()))}},
    )
    for page in pages:
        yield from page["Items"]
        # Requests go before: a sweep has hours.
        time.sleep(_PAUSE_S)


def _free(dynamodb: "DynamoDBClient", row: Any, now: str) -> bool:
    """Make a render due and unclaimed; return whether it was as it was found."""
    with _unless_changed(dynamodb) as outcome:
        dynamodb.update_item(
            TableName=os.environ[_MAIN],
            Key={"PK": row["PK"], "SK": row["SK"]},
            UpdateExpression="SET due_at = :now, claimed_until = :now",
            ConditionExpression="due_at = :found AND attribute_exists(claimed_until)",
            ExpressionAttributeValues={":now": {"S": now}, ":found": row["due_at"]},
        )
        outcome.is_done = True
    return outcome.is_done


def _delete(dynamodb: "DynamoDBClient", table: str, row: Any) -> bool:
    """Delete a row, unless it has got more time since."""
    with _unless_changed(dynamodb) as outcome:
        dynamodb.delete_item(
            TableName=table,
            Key={"PK": row["PK"], "SK": row["SK"]},
            ConditionExpression="#ttl = :seen",
            ExpressionAttributeNames={"#ttl": "ttl"},
            ExpressionAttributeValues={":seen": row["ttl"]},
        )
        outcome.is_done = True
    return outcome.is_done


@dataclass(slots=True)
class _Outcome:
    is_done: bool = False


@contextmanager
def _unless_changed(dynamodb: "DynamoDBClient") -> Iterator[_Outcome]:
    with suppress(dynamodb.exceptions.ConditionalCheckFailedException):
        yield _Outcome()


def main() -> None:
    """Run the task of the first argument; print its number."""
    tasks = {"recover": recover, "expire": expire}
    print(tasks[sys.argv[1]](AwsClients().dynamodb))  # noqa: T201 -- the output of this program


if __name__ == "__main__":
    main()
