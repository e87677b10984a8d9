"""One boto3 session a process, its clients made on first use."""

import threading
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, override

if TYPE_CHECKING:
    from boto3.session import Session
    from botocore.awsrequest import AWSResponse
    from botocore.config import Config
    from botocore.hooks import BaseEventHooks
    from mypy_boto3_dynamodb import DynamoDBClient
    from mypy_boto3_lambda import LambdaClient
    from mypy_boto3_s3 import S3Client
    from mypy_boto3_secretsmanager import SecretsManagerClient
    from mypy_boto3_sqs import SQSClient


class _LockedCachedProperty[Made](cached_property[Made]):
    """Who needs a client that another thread is making ahead waits for that one."""

    @override
    def __get__(  # type: ignore[override]  # nobody asks the class for a client
        self, instance: "AwsClients", owner: type["AwsClients"] | None = None
    ) -> Made:
        with instance.creation_lock:
            return super().__get__(instance, owner)


class AwsClients:
    """The clients of this process; creating one takes milliseconds, so each is made once."""

    def __init__(self) -> None:
        """Make nothing yet."""
        self.creation_lock = threading.RLock()

    def create(self, *services: str) -> None:
        """Make the clients of these services before they are needed."""
        for service in services:
            getattr(self, service)

    @_LockedCachedProperty
    def dynamodb(self) -> "DynamoDBClient":
        """Return the DynamoDB client; all that is written through it may be repeated."""
        return self._session.client("dynamodb", config=_client_config(read_timeout_s=3, attempts=4))

    @_LockedCachedProperty
    def s3(self) -> "S3Client":
        """Return the S3 client."""
        return self._session.client(
            "s3",
            config=_client_config(
                read_timeout_s=10,
                attempts=3,
                signature_version="s3v4",
                s3={"addressing_style": "path"},
                # A checksum of our own (SHA-256) travels with every object.
                request_checksum_calculation="when_required",
                response_checksum_validation="when_required",
            ),
        )

    @_LockedCachedProperty
    def sqs(self) -> "SQSClient":
        """Return the SQS client."""
        return self._session.client("sqs", config=_client_config(read_timeout_s=5, attempts=3))

    @_LockedCachedProperty
    def secretsmanager(self) -> "SecretsManagerClient":
        """Return the Secrets Manager client."""
        return self._session.client(
            "secretsmanager", config=_client_config(read_timeout_s=3, attempts=3)
        )

    @cached_property
    def logs(self) -> Any:
        """Return the CloudWatch Logs client, which only the operator uses."""
        return self._session.client("logs", config=_client_config(read_timeout_s=30, attempts=4))

    def lambda_client(self, read_timeout_s: float) -> "LambdaClient":
        """Return a Lambda client that waits no longer than this and never calls twice."""
        return self._session.client(
            "lambda", config=_client_config(read_timeout_s=read_timeout_s, attempts=1)
        )

    @_LockedCachedProperty
    def _session(self) -> "Session":
        # boto3 is heavy: whoever never talks to AWS does not pay for it.
        import boto3  # noqa: PLC0415

        session = boto3.session.Session()
        retry_truncated_responses(session.events)
        return session


def _client_config(*, read_timeout_s: float, attempts: int, **more: Any) -> "Config":
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


_TRUNCATION_PAUSE_S: Final = 0.05


def retry_truncated_responses(events: "BaseEventHooks") -> None:
    """Have the clients of a session repeat calls whose answer was cut.

    As often in all as they repeat calls that failed otherwise; then they raise IncompleteReadError.
    """
    # The stubs know no handler that returns something.
    events.register_first("needs-retry", _retry_delay_s)  # type: ignore[arg-type]


def _retry_delay_s(**call: Any) -> float | None:
    if call["response"] is None or call["operation"].has_streaming_output:
        return None
    answer: AWSResponse = call["response"][0]
    announced = int(answer.headers.get("Content-Length") or 0)
    if call["operation"].http.get("method") == "HEAD" or len(answer.content) >= announced:
        return None
    if call["attempts"] < call["request_dict"]["context"]["retries"]["max"]:
        return float(_TRUNCATION_PAUSE_S * call["attempts"])
    from botocore.exceptions import IncompleteReadError  # noqa: PLC0415 -- heavy

    raise IncompleteReadError(actual_bytes=len(answer.content), expected_bytes=announced)
