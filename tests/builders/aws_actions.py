"""Recorder of the AWS actions that each function uses, in the terms of IAM policies."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any, Final

from chalicelib.adapters.aws.session import AwsClients
from infra.package.needs import FunctionNeeds, Grant

# Fires before each call and before a URL for a call is signed.
_BOTOCORE_EVENT: Final = "before-parameter-build"
_CURRENT_FUNCTION: Final = ContextVar("serving", default="")

# Calls that the action of another name allows.
_S3_ACTIONS: Final = {
    "HeadObject": "GetObject",
    "CreateMultipartUpload": "PutObject",
    "UploadPart": "PutObject",
    "CompleteMultipartUpload": "PutObject",
    "ListParts": "ListMultipartUploadParts",
}

# Used by the platform with the function's role: it writes the log and polls the queues.
OF_THE_PLATFORM: Final = {
    "logs:CreateLogGroup",
    "logs:CreateLogStream",
    "logs:PutLogEvents",
    "sqs:ReceiveMessage",
    "sqs:DeleteMessage",
    "sqs:GetQueueAttributes",
}


@contextmanager
def acting_as(function: str) -> Iterator[None]:
    """Attribute AWS calls in this block to a function; the empty name is the test itself."""
    token = _CURRENT_FUNCTION.set(function)
    try:
        yield
    finally:
        _CURRENT_FUNCTION.reset(token)


def current_function() -> str:
    """Return the function to which AWS calls are attributed now."""
    return _CURRENT_FUNCTION.get()


@dataclass(frozen=True, slots=True, order=True)
class AwsAction:
    """AWS action, its resource, and the partition of a table or the field of a sealed secret."""

    action: str
    resource: str
    partition: str = ""

    def is_covered_by(self, grant: Grant) -> bool:
        """Return whether a grant allows this action."""
        action, pattern = grant
        names = (self.resource, f"{self.resource} {self.partition}")
        return action == self.action and any(fnmatchcase(name, pattern) for name in names)


class AwsActionRecorder:
    """AWS actions of the functions of one stack, by function."""

    def __init__(self, resources: Mapping[str, Mapping[str, str]]) -> None:
        """Take the stack's resources; actions are recorded with their logical names."""
        self._names = {parts["Ref"]: name for name, parts in resources.items()}
        self._actions: defaultdict[str, set[AwsAction]] = defaultdict(set)

    @contextmanager
    def recording(self, clients: AwsClients) -> Iterator[None]:
        """Record the calls through these clients in this block."""
        used: tuple[Any, ...]
        used = (
            clients.dynamodb,
            clients.s3,
            clients.sqs,
            clients.secretsmanager,
            clients.kms,
        )
        events = [client.meta.events for client in used]
        for each in events:
            each.register(_BOTOCORE_EVENT, self._on_call)
        try:
            yield
        finally:
            for each in events:
                each.unregister(_BOTOCORE_EVENT, self._on_call)

    def record_invocation(self, function: str) -> None:
        """Record the invocation of a function."""
        self._record([AwsAction("lambda:InvokeFunction", self._names[function])])

    def actions_without_grant(
        self, needs: Mapping[str, FunctionNeeds]
    ) -> list[tuple[str, AwsAction]]:
        """Return the recorded actions that no grant of their function allows."""
        return sorted(
            (function, asked)
            for function, actions in self._actions.items()
            for asked in actions
            if not any(asked.is_covered_by(grant) for grant in needs[function].grants)
        )

    def unused_grants(self, needs: Mapping[str, FunctionNeeds]) -> dict[str, set[Grant]]:
        """Return the grants of each function that none of its actions needed."""
        return {
            function: {
                grant
                for grant in needs[function].grants
                if not any(asked.is_covered_by(grant) for asked in self._actions[function])
            }
            for function in needs
        }

    def _on_call(self, *, params: Mapping[str, Any], model: Any, **_: Any) -> None:
        service = model.service_model.service_name
        self._record(self._actions_of(service, model.name, params))

    def _record(self, asked: Iterable[AwsAction]) -> None:
        function = _CURRENT_FUNCTION.get()
        if function:
            self._actions[function].update(asked)

    def _actions_of(
        self, service: str, name: str, params: Mapping[str, Any]
    ) -> Iterator[AwsAction]:
        if service == "dynamodb":
            yield from self._table_actions(name, params)
        elif service == "s3":
            yield from self._bucket_actions(name, params)
        elif service == "sqs":
            yield AwsAction(f"sqs:{name.removesuffix('Batch')}", self._names[params["QueueUrl"]])
        else:
            # A ciphertext names its key itself.
            name_of_it = params.get("SecretId", params.get("KeyId"))
            resource = self._names[name_of_it] if name_of_it else "DataKey"
            field = params.get("EncryptionContext", {}).get("field", "")
            yield AwsAction(f"{service}:{name}", resource, field)

    def _bucket_actions(self, name: str, params: Mapping[str, Any]) -> Iterator[AwsAction]:
        bucket = self._names[params["Bucket"]]
        # CreateBucket is never sent: botocore only looks up its URL to sign a form post.
        if name == "CopyObject":
            source = params["CopySource"].partition("/")[2]
            yield AwsAction("s3:GetObject", f"${{{bucket}.Arn}}/{source}")
            yield AwsAction("s3:PutObject", f"${{{bucket}.Arn}}/{params['Key']}")
        elif name == "DeleteObjects":
            for entry in params["Delete"]["Objects"]:
                yield AwsAction("s3:DeleteObject", f"${{{bucket}.Arn}}/{entry['Key']}")
        elif name == "ListMultipartUploads":
            yield AwsAction("s3:ListBucketMultipartUploads", bucket)
        elif name != "CreateBucket":
            action = _S3_ACTIONS.get(name, name)
            yield AwsAction(f"s3:{action}", f"${{{bucket}.Arn}}/{params.get('Key', '')}")

    def _table_actions(self, name: str, params: Mapping[str, Any]) -> Iterator[AwsAction]:
        if name == "TransactWriteItems":
            for action in params["TransactItems"]:
                ((kind, write),) = action.items()
                yield self._item_action(f"{kind}Item", write)
        elif name == "BatchGetItem":
            for table, wanted in params["RequestItems"].items():
                for key in wanted["Keys"]:
                    yield self._item_action(name, {"TableName": table, "Key": key})
        elif "IndexName" in params:
            table = self._names[params["TableName"]]
            yield AwsAction(f"dynamodb:{name}", f"${{{table}.Arn}}/index/{params['IndexName']}")
        else:
            yield self._item_action(name, params)

    def _item_action(self, name: str, params: Mapping[str, Any]) -> AwsAction:
        key = params.get("Key") or params.get("Item") or {}
        # A query passes its partition as an expression value.
        named = key.get("PK") or params.get("ExpressionAttributeValues", {}).get(":pk", {})
        partition = named.get("S", "")
        return AwsAction(f"dynamodb:{name}", self._names[params["TableName"]], partition)
