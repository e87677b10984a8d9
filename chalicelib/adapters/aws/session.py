"""One boto3 session a process, its clients made on first use."""

import threading
from functools import cached_property
from typing import TYPE_CHECKING, Any, override

from chalicelib.adapters.aws.whole_answers import ask_again

if TYPE_CHECKING:
    from boto3.session import Session
    from botocore.config import Config
    from mypy_boto3_dynamodb import DynamoDBClient
    from mypy_boto3_lambda import LambdaClient
    from mypy_boto3_s3 import S3Client
    from mypy_boto3_secretsmanager import SecretsManagerClient
    from mypy_boto3_sqs import SQSClient


class _MadeOnce[Made](cached_property[Made]):
    """Who needs a client that another thread is making ahead waits for that one."""

    @override
    def __get__(  # type: ignore[override]  # nobody asks the class for a client
        self, instance: "Clients", owner: type["Clients"] | None = None
    ) -> Made:
        with instance.making:
            return super().__get__(instance, owner)


class Clients:
    """The clients of this process; creating one takes milliseconds, so each is made once."""

    def __init__(self) -> None:
        """Make nothing yet."""
        self.making = threading.RLock()

    def make(self, *services: str) -> None:
        """Make the clients of these services before they are needed."""
        for service in services:
            getattr(self, service)

    @_MadeOnce
    def dynamodb(self) -> "DynamoDBClient":
        """Return the DynamoDB client; all that is written through it may be repeated."""
        return self._session.client("dynamodb", config=_config(read_timeout_s=3, attempts=4))

    @_MadeOnce
    def s3(self) -> "S3Client":
        """Return the S3 client."""
        return self._session.client(
            "s3",
            config=_config(
                read_timeout_s=10,
                attempts=3,
                signature_version="s3v4",
                s3={"addressing_style": "path"},
                # A checksum of our own (SHA-256) travels with every object.
                request_checksum_calculation="when_required",
                response_checksum_validation="when_required",
            ),
        )

    @_MadeOnce
    def sqs(self) -> "SQSClient":
        """Return the SQS client."""
        return self._session.client("sqs", config=_config(read_timeout_s=5, attempts=3))

    @_MadeOnce
    def secretsmanager(self) -> "SecretsManagerClient":
        """Return the Secrets Manager client."""
        return self._session.client("secretsmanager", config=_config(read_timeout_s=3, attempts=3))

    @cached_property
    def logs(self) -> Any:
        """Return the CloudWatch Logs client, which only the operator uses."""
        return self._session.client("logs", config=_config(read_timeout_s=30, attempts=4))

    def function(self, read_timeout_s: float) -> "LambdaClient":
        """Return a Lambda client that waits no longer than this and never calls twice."""
        return self._session.client(
            "lambda", config=_config(read_timeout_s=read_timeout_s, attempts=1)
        )

    @_MadeOnce
    def _session(self) -> "Session":
        # boto3 is heavy: whoever never talks to AWS does not pay for it.
        import boto3  # noqa: PLC0415

        session = boto3.session.Session()
        ask_again(session.events)
        return session


def _config(*, read_timeout_s: float, attempts: int, **more: Any) -> "Config":
    from botocore.config import Config  # noqa: PLC0415

    return Config(
        connect_timeout=2,
        read_timeout=read_timeout_s,
        retries={"mode": "standard", "total_max_attempts": attempts},
        max_pool_connections=16,
        tcp_keepalive=True,
        # What botocore would say of itself is put together anew for each call, in a quarter of a
        # millisecond.
        user_agent="platen",
        **more,
    )
