"""What each function asks of AWS, put as the policies of roles put it."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any, Final

from chalicelib.adapters.aws.session import AwsClients
from infra.package.needs import FunctionNeeds, Grant

# Before each call, and before an address is signed that makes one.
_BOTOCORE_EVENT: Final = "before-parameter-build"
_CURRENT_FUNCTION: Final = ContextVar("serving", default="")


@contextmanager
def acting_as(function: str) -> Iterator[None]:
    """Let what is asked of AWS meanwhile be this function's; the empty name is the test itself."""
    token = _CURRENT_FUNCTION.set(function)
    try:
        yield
    finally:
        _CURRENT_FUNCTION.reset(token)


@dataclass(frozen=True, slots=True, order=True)
class AwsAction:
    """An action and what it acts on; of a table also the partition, where the call names one."""

    action: str
    resource: str
    partition: str = ""

    def is_covered_by(self, grant: Grant) -> bool:
        """Tell whether a grant allows this."""
        action, pattern = grant
        names = (self.resource, f"{self.resource} {self.partition}")
        return action == self.action and any(fnmatchcase(name, pattern) for name in names)


class AwsActionRecorder:
    """What the functions of one stack asked for, by function."""

    def __init__(self, resources: Mapping[str, Mapping[str, str]]) -> None:
        """Take the stack's resources; they are told by their logical names."""
        self._names = {parts["Ref"]: name for name, parts in resources.items()}
        self._actions: defaultdict[str, set[AwsAction]] = defaultdict(set)

    @contextmanager
    def recording(self, clients: AwsClients) -> Iterator[None]:
        """Hear what is asked through these clients meanwhile."""
        used: tuple[Any, ...]
        used = (clients.dynamodb, clients.s3, clients.sqs, clients.secretsmanager)
        events = [client.meta.events for client in used]
        for each in events:
            each.register(_BOTOCORE_EVENT, self._on_call)
        try:
            yield
        finally:
            for each in events:
                each.unregister(_BOTOCORE_EVENT, self._on_call)

    def record_invocation(self, function: str) -> None:
        """Hear that a function is invoked."""
        self._record([AwsAction("lambda:InvokeFunction", self._names[function])])

    def actions_without_grant(
        self, needs: Mapping[str, FunctionNeeds]
    ) -> list[tuple[str, AwsAction]]:
        """Return what no grant of the function that asked for it allows."""
        return sorted(
            (function, asked)
            for function, all_asked in self._actions.items()
            for asked in all_asked
            if not any(asked.is_covered_by(grant) for grant in needs[function].grants)
        )

    def unused_grants(self, needs: Mapping[str, FunctionNeeds]) -> dict[str, set[Grant]]:
        """Return the grants of each function that nothing which it asked for needs."""
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
            bucket = self._names[params["Bucket"]]
            # CreateBucket is never sent: botocore only looks up there where a form is posted to.
            # Who may get an object may ask for its head.
            if name == "CopyObject":
                source = params["CopySource"].partition("/")[2]
                yield AwsAction("s3:GetObject", f"${{{bucket}.Arn}}/{source}")
                yield AwsAction("s3:PutObject", f"${{{bucket}.Arn}}/{params['Key']}")
            elif name != "CreateBucket":
                action = "GetObject" if name == "HeadObject" else name
                yield AwsAction(f"s3:{action}", f"${{{bucket}.Arn}}/{params.get('Key', '')}")
        elif service == "sqs":
            yield AwsAction(f"sqs:{name.removesuffix('Batch')}", self._names[params["QueueUrl"]])
        else:
            yield AwsAction(f"{service}:{name}", self._names[params["SecretId"]])

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
        # A query names its partition as a value.
        named = key.get("PK") or params.get("ExpressionAttributeValues", {}).get(":pk", {})
        partition = named.get("S", "")
        return AwsAction(f"dynamodb:{name}", self._names[params["TableName"]], partition)
