"""AWS error responses in the form that botocore reads."""

import json
from typing import Any, Final

from tests.fakes.fault_injector import FaultKind

type Refusal = tuple[int, dict[str, str], bytes]

_XML: Final = "<Error><Code>{code}</Code><Message>{code}</Message></Error>"
_THROTTLING_ERRORS: Final = {
    "dynamodb": (400, "com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException"),
    "sqs": (403, "com.amazonaws.sqs#RequestThrottled"),
    "secretsmanager": (400, "ThrottlingException"),
    "lambda": (429, "TooManyRequestsException"),
    "s3": (503, "SlowDown"),
}
_SERVER_ERRORS: Final = {
    "dynamodb": (500, "com.amazonaws.dynamodb.v20120810#InternalServerError"),
    "sqs": (503, "ServiceUnavailable"),
    "secretsmanager": (500, "InternalServiceError"),
    "lambda": (500, "ServiceException"),
    "s3": (500, "InternalError"),
}


def refusal(kind: FaultKind, operation: str, body: bytes) -> Refusal:
    """Return the answer to a call that fails with this kind of fault."""
    service, _, name = operation.partition(".")
    if kind in {"died before", "died after"}:
        return 200, {"X-Amz-Function-Error": "Unhandled"}, b'{"errorType": "Runtime.ExitError"}'
    if name == "TransactWriteItems" and kind in {"conflict", "throttled"}:
        return _canceled("TransactionConflict" if kind == "conflict" else "ThrottlingError", body)
    if kind == "conflict":
        return _json_response(400, "com.amazonaws.dynamodb.v20120810#TransactionConflictException")
    status, code = (_THROTTLING_ERRORS if kind == "throttled" else _SERVER_ERRORS)[service]
    if service == "s3":
        return status, {"Content-Type": "application/xml"}, _XML.format(code=code).encode()
    return _json_response(status, code)


def unprocessed(body: bytes) -> Refusal:
    """Return the answer to a batch of which nothing was processed."""
    request = json.loads(body)
    if "RequestItems" in request:
        answer = {"Responses": {}, "UnprocessedKeys": request["RequestItems"]}
        return _json_response(200, None, **answer)
    failed = [
        {"Id": entry["Id"], "SenderFault": False, "Code": "InternalError"}
        for entry in request["Entries"]
    ]
    return _json_response(200, None, Successful=[], Failed=failed)


def _canceled(code: str, body: bytes) -> Refusal:
    writes = json.loads(body)["TransactItems"]
    reasons = [{"Code": "None"} for _ in writes]
    reasons[-1] = {"Code": code, "Message": "refused by the test"}
    kind = "com.amazonaws.dynamodb.v20120810#TransactionCanceledException"
    return _json_response(400, kind, CancellationReasons=reasons)


def _json_response(status: int, code: str | None, **members: Any) -> Refusal:
    headers = {"Content-Type": "application/x-amz-json-1.0"}
    if code is not None:
        members |= {"__type": code, "message": "refused by the test"}
        headers["x-amzn-errortype"] = code
    return status, headers, json.dumps(members).encode()
