"""AWS clients of one boto3 session, created on first use, and signatures with other keys."""

from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Final, NamedTuple, TypedDict, override
from urllib.parse import quote, urlencode

from chalicelib.core.locked_property import LockedCachedProperty, creation_lock

if TYPE_CHECKING:
    from boto3.session import Session
    from botocore.auth import S3SigV4Auth, SigV4Auth
    from botocore.awsrequest import AWSRequest, AWSResponse
    from botocore.client import BaseClient
    from botocore.config import Config
    from botocore.hooks import BaseEventHooks
    from botocore.model import OperationModel
    from mypy_boto3_dynamodb import DynamoDBClient
    from mypy_boto3_kms import KMSClient
    from mypy_boto3_lambda import LambdaClient
    from mypy_boto3_s3 import S3Client
    from mypy_boto3_secretsmanager import SecretsManagerClient
    from mypy_boto3_sqs import SQSClient

    from chalicelib.adapters.aws.logs import LogsClient

    class _Retries(TypedDict):
        max: int

    class _RequestContext(TypedDict):
        retries: _Retries

    class _RequestDict(TypedDict):
        context: _RequestContext


_TRUNCATION_PAUSE_S: Final = 0.05
# Of a signed URL that is requested at once; the clocks of two machines differ.
_SIGNED_URL_S: Final = 900


class AwsClients:
    """Clients of this process; creating one takes milliseconds, so each is created once."""

    def create(self, *services: str) -> None:
        """Create the clients of these services before they are needed."""
        for service in services:
            getattr(self, service)

    @LockedCachedProperty
    def dynamodb(self) -> "DynamoDBClient":
        """Return the DynamoDB client; it retries, so every write through it is repeatable."""
        return _with_exceptions(
            self._session.client("dynamodb", config=_client_config(read_timeout_s=3, attempts=4))
        )

    @LockedCachedProperty
    def s3(self) -> "S3Client":
        """Return the S3 client."""
        return self.s3_at(None)

    def s3_at(self, url: str | None) -> "S3Client":
        """Return a new S3 client of an endpoint, or of that of the environment."""
        from botocore.config import Config  # noqa: PLC0415

        objects = Config(
            signature_version="s3v4",
            s3={"addressing_style": "path"},
            # Every object already carries the SHA-256 that the service computes.
            request_checksum_calculation="when_required",
            response_checksum_validation="when_required",
        )
        config = _client_config(read_timeout_s=10, attempts=3).merge(objects)
        with creation_lock(self):
            return _with_exceptions(self._session.client("s3", endpoint_url=url, config=config))

    @LockedCachedProperty
    def sqs(self) -> "SQSClient":
        """Return the SQS client."""
        return _with_exceptions(
            self._session.client("sqs", config=_client_config(read_timeout_s=5, attempts=3))
        )

    @LockedCachedProperty
    def secretsmanager(self) -> "SecretsManagerClient":
        """Return the Secrets Manager client."""
        return _with_exceptions(
            self._session.client(
                "secretsmanager", config=_client_config(read_timeout_s=3, attempts=3)
            )
        )

    @LockedCachedProperty
    def kms(self) -> "KMSClient":
        """Return the KMS client."""
        return _with_exceptions(
            self._session.client("kms", config=_client_config(read_timeout_s=3, attempts=3))
        )

    @LockedCachedProperty
    def logs(self) -> "LogsClient":
        """Return the CloudWatch Logs client; only the operator tool uses it."""
        # The stubs of this service are not installed, so the client comes untyped.
        client: LogsClient = self._session.client(
            "logs", config=_client_config(read_timeout_s=30, attempts=4)
        )
        return client

    def lambda_client(self, read_timeout_s: float) -> "LambdaClient":
        """Return a new Lambda client with this read timeout that never retries a call."""
        # The callers repeat by their own rules: a function whose answer was lost may still run.
        config = _client_config(read_timeout_s=read_timeout_s, attempts=1)
        with creation_lock(self):
            return _with_exceptions(self._session.client("lambda", config=config))

    @LockedCachedProperty
    def _session(self) -> "Session":
        # boto3 is slow to import; a process that never talks to AWS does not load it.
        import boto3  # noqa: PLC0415

        session = boto3.session.Session()
        retry_truncated_responses(session.events)
        return session


def _with_exceptions[Client: "BaseClient"](client: Client) -> Client:
    """Return a client after it has made its exception classes, which takes about a millisecond.

    botocore makes them with the first failure, without a lock. Two threads would make them twice,
    and an `except` of one set lets errors of the other pass. The lock of the clients is held here.
    """
    _ = client.exceptions
    return client


def retry_truncated_responses(events: "BaseEventHooks") -> None:
    """Make the clients of a session retry calls whose response is shorter than announced.

    These retries count against the client's attempts; after the last one IncompleteReadError is
    raised. botocore itself compares the length of streamed responses only.
    """
    # In the stubs a handler returns nothing.
    events.register_first("needs-retry", _retry_delay_s)  # type: ignore[arg-type]


def _client_config(*, read_timeout_s: float, attempts: int) -> "Config":
    from botocore.config import Config  # noqa: PLC0415

    return Config(
        connect_timeout=2,
        read_timeout=read_timeout_s,
        retries={"mode": "standard", "total_max_attempts": attempts},
        max_pool_connections=64,
        tcp_keepalive=True,
        # botocore builds its default user agent anew for each call, which takes 0.25 ms.
        user_agent="platen",
    )


def _retry_delay_s(
    *,
    response: "tuple[AWSResponse, object] | None",
    operation: "OperationModel",
    attempts: int,
    request_dict: "_RequestDict",
    **_: object,
) -> float | None:
    """Return the pause before a retry, or None for no retry (event `needs-retry` of botocore)."""
    if response is None or operation.has_streaming_output:
        return None
    received, _parsed = response
    announced = int(received.headers.get("Content-Length") or 0)
    # A HEAD announces the length of a body that it does not send.
    if operation.http.get("method") == "HEAD" or len(received.content) >= announced:
        return None
    if attempts < request_dict["context"]["retries"]["max"]:
        return _TRUNCATION_PAUSE_S * attempts
    from botocore.exceptions import IncompleteReadError  # noqa: PLC0415 -- heavy

    raise IncompleteReadError(actual_bytes=len(received.content), expected_bytes=announced)


class SignatureDialect(NamedTuple):
    """Names in signatures of version 4: of the scheme (`AWS4`), and before fields (`X-Amz`)."""

    scheme: str
    fields: str


GOOGLE_DIALECT: Final = SignatureDialect("GOOG4", "X-Goog")


class RequestSignature:
    """Signer with the keys of one account, for a service of one region.

    botocore is imported with the first call, not with this module (decision 7).
    """

    def __init__(self, key_id: str, secret: str, service: str, region: str) -> None:
        """Sign with the key `key_id`."""
        self._key_id = key_id
        self._secret = secret
        self._scope = service, region

    def headers(self, method: str, url: str, content: bytes) -> Mapping[str, str]:
        """Return the headers that sign a request, which is valid for some minutes."""
        from botocore.auth import SigV4Auth  # noqa: PLC0415
        from botocore.awsrequest import AWSRequest  # noqa: PLC0415

        request = AWSRequest(method, url, data=content)
        return _headers(self._add_signature(SigV4Auth, request))

    def object_headers(
        self, method: str, url: str, headers: Mapping[str, str], sha256: str
    ) -> Mapping[str, str]:
        """Return headers with S3's signature of a request whose content has this SHA-256."""
        from botocore.awsrequest import AWSRequest  # noqa: PLC0415

        request = AWSRequest(method, url, headers=headers)
        request.context["content_sha256"] = sha256
        return _headers(self._add_signature(_object_auth(), request))

    def object_url(
        self, dialect: SignatureDialect, method: str, url: str, headers: Mapping[str, str]
    ) -> str:
        """Return a URL, which has no query, with the signature of a request with these headers.

        The header `<fields>-Content-Sha256`, if there is one, signs the content, too.
        """
        from botocore.awsrequest import AWSRequest  # noqa: PLC0415

        request = AWSRequest(method, url, headers=headers)
        sha256 = headers.get(f"{dialect.fields}-Content-Sha256", "UNSIGNED-PAYLOAD")
        request.context["content_sha256"] = sha256
        return str(self._add_signature(_query_auth(dialect), request).url)

    def _add_signature(self, auth: "type[SigV4Auth]", request: "AWSRequest") -> "AWSRequest":
        from botocore.credentials import Credentials  # noqa: PLC0415

        auth(Credentials(self._key_id, self._secret), *self._scope).add_auth(request)
        return request


def _headers(request: "AWSRequest") -> Mapping[str, str]:
    return {name: str(value) for name, value in request.headers.items()}


@cache
def _object_auth() -> "type[S3SigV4Auth]":
    """Return botocore's signer, which itself would read the content once more to hash it."""
    from botocore.auth import S3SigV4Auth  # noqa: PLC0415

    class ObjectAuth(S3SigV4Auth):
        @override
        def payload(self, request: "AWSRequest") -> str:
            return str(request.context["content_sha256"])

    return ObjectAuth


@cache
def _query_auth(dialect: SignatureDialect) -> "type[S3SigV4Auth]":
    """Return a signer in the query; botocore's own knows S3's names only."""
    scheme, fields = dialect
    algorithm, scope_end = f"{scheme}-HMAC-SHA256", f"{scheme.lower()}_request"

    class QueryAuth(_object_auth()):  # type: ignore[misc]  # its base is imported when needed
        def _modify_request_before_signing(self, request: "AWSRequest") -> None:
            query = {
                f"{fields}-Algorithm": algorithm,
                f"{fields}-Credential": self.scope(request),
                f"{fields}-Date": request.context["timestamp"],
                f"{fields}-Expires": str(_SIGNED_URL_S),
                f"{fields}-SignedHeaders": self.signed_headers(self.headers_to_sign(request)),
            }
            request.url = f"{request.url}?{urlencode(query, quote_via=quote, safe='')}"

        def _inject_signature_to_request(self, request: "AWSRequest", signature: str) -> None:
            request.url = f"{request.url}&{fields}-Signature={signature}"

        @override
        def scope(self, request: "AWSRequest") -> str:
            return f"{self.credentials.access_key}/{self.credential_scope(request)}"

        @override
        def credential_scope(self, request: "AWSRequest") -> str:
            day = request.context["timestamp"][:8]
            return f"{day}/{self._region_name}/{self._service_name}/{scope_end}"

        @override
        def string_to_sign(self, request: "AWSRequest", canonical_request: str) -> str:
            _, rest = super().string_to_sign(request, canonical_request).split("\n", 1)
            return f"{algorithm}\n{rest}"

        @override
        def signature(self, string_to_sign: str, request: "AWSRequest") -> str:
            key = f"{scheme}{self.credentials.secret_key}".encode()
            for part in self.credential_scope(request).split("/"):
                key = self._sign(key, part)
            return str(self._sign(key, string_to_sign, hex=True))

    return QueryAuth
