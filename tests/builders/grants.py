"""What each function asks of AWS, put as the policies of roles put it."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any, Final

from chalicelib.adapters.aws.session import Clients
from infra.package.needs import Grant, Needs

# Before each call, and before an address is signed that makes one.
_EVENT: Final = "before-parameter-build"
_SERVING: Final = ContextVar("serving", default="")


@contextmanager
def serving(function: str) -> Iterator[None]:
    """Let what is asked of AWS meanwhile be this function's; the empty name is the test itself."""
    token = _SERVING.set(function)
    try:
        yield
    finally:
        _SERVING.reset(token)


@dataclass(frozen=True, slots=True, order=True)
class Asked:
    """An action and what it acts on; of a table also the partition, where the call names one."""

    action: str
    resource: str
    partition: str = ""

    def is_covered_by(self, grant: Grant) -> bool:
        """Tell whether a grant allows this."""
        action, pattern = grant
        names = (self.resource, f"{self.resource} {self.partition}")
        return action == self.action and any(fnmatchcase(name, pattern) for name in names)


class Overheard:
    """What the functions of one stack asked for, by function."""

    def __init__(self, made: Mapping[str, Mapping[str, str]]) -> None:
        """Take the stack's resources; they are told by their logical names."""
        self._names = {parts["Ref"]: name for name, parts in made.items()}
        self._asked: defaultdict[str, set[Asked]] = defaultdict(set)

    @contextmanager
    def listening(self, clients: Clients) -> Iterator[None]:
        """Hear what is asked through these clients meanwhile."""
        used: tuple[Any, ...]
        used = (clients.dynamodb, clients.s3, clients.sqs, clients.secretsmanager)
        events = [client.meta.events for client in used]
        for each in events:
            each.register(_EVENT, self._hear)
        try:
            yield
        finally:
            for each in events:
                each.unregister(_EVENT, self._hear)

    def invoked(self, function: str) -> None:
        """Hear that a function is invoked."""
        self._note([Asked("lambda:InvokeFunction", self._names[function])])

    def refused(self, needs: Mapping[str, Needs]) -> list[tuple[str, Asked]]:
        """Return what no grant of the function that asked for it allows."""
        return sorted(
            (function, asked)
            for function, all_asked in self._asked.items()
            for asked in all_asked
            if not any(asked.is_covered_by(grant) for grant in needs[function].grants)
        )

    def unused(self, needs: Mapping[str, Needs]) -> dict[str, set[Grant]]:
        """Return the grants of each function that nothing which it asked for needs."""
        return {
            function: {
                grant
                for grant in needs[function].grants
                if not any(asked.is_covered_by(grant) for asked in self._asked[function])
            }
            for function in needs
        }

    def _hear(self, *, params: Mapping[str, Any], model: Any, **_: Any) -> None:
        service = model.service_model.service_name
        self._note(self._asked_of(service, model.name, params))

    def _note(self, asked: Iterable[Asked]) -> None:
        function = _SERVING.get()
        if function:
            self._asked[function].update(asked)

    def _asked_of(self, service: str, name: str, params: Mapping[str, Any]) -> Iterator[Asked]:
        if service == "dynamodb":
            yield from self._asked_of_tables(name, params)
        elif service == "s3":
            bucket = self._names[params["Bucket"]]
            # CreateBucket is never sent: botocore only looks up there where a form is posted to.
            # Who may get an object may ask for its head.
            if name == "CopyObject":
                source = params["CopySource"].partition("/")[2]
                yield Asked("s3:GetObject", f"${{{bucket}.Arn}}/{source}")
                yield Asked("s3:PutObject", f"${{{bucket}.Arn}}/{params['Key']}")
            elif name != "CreateBucket":
                action = "GetObject" if name == "HeadObject" else name
                yield Asked(f"s3:{action}", f"${{{bucket}.Arn}}/{params.get('Key', '')}")
        elif service == "sqs":
            yield Asked(f"sqs:{name.removesuffix('Batch')}", self._names[params["QueueUrl"]])
        else:
            yield Asked(f"{service}:{name}", self._names[params["SecretId"]])

    def _asked_of_tables(self, name: str, params: Mapping[str, Any]) -> Iterator[Asked]:
        if name == "TransactWriteItems":
            for action in params["TransactItems"]:
                ((kind, write),) = action.items()
                yield self._asked_of_item(f"{kind}Item", write)
        elif name == "BatchGetItem":
            for table, wanted in params["RequestItems"].items():
                for key in wanted["Keys"]:
                    yield self._asked_of_item(name, {"TableName": table, "Key": key})
        elif "IndexName" in params:
            table = self._names[params["TableName"]]
            yield Asked(f"dynamodb:{name}", f"${{{table}.Arn}}/index/{params['IndexName']}")
        else:
            yield self._asked_of_item(name, params)

    def _asked_of_item(self, name: str, params: Mapping[str, Any]) -> Asked:
        key = params.get("Key") or params.get("Item") or {}
        # A query names its partition as a value.
        named = key.get("PK") or params.get("ExpressionAttributeValues", {}).get(":pk", {})
        partition = named.get("S", "")
        return Asked(f"dynamodb:{name}", self._names[params["TableName"]], partition)
