"""@endpoint: one row per method and path, from which routes, checks and the reference are made."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any, Final, Literal

from chalicelib.api.edge.caller import Caller

if TYPE_CHECKING:
    from pydantic import BaseModel

    from chalicelib.bootstrap.api import ApiServices
    from chalicelib.features.workspaces.limits.model import RateState

type Method = Literal["GET", "POST", "PUT", "PATCH", "DELETE"]
type ModelName = str  # "package.module:Model", imported when it is first used
type View = Callable[["Call"], "Reply"]

JSON: Final = "application/json"
# API Gateway gives up after 29 s; what is left is for the way back.
REQUEST_BUDGET_S: Final = 27.5


@dataclass(frozen=True, slots=True)
class Reply:
    """What a view answers; a mapping becomes JSON, bytes go out as they are.

    `in_base64`: the body is the base64 of what goes out, as the platform wants it anyway.
    """

    status: int = 200
    body: Mapping[str, Any] | bytes | str = b""
    content_type: str = JSON
    headers: Mapping[str, str] = field(default_factory=dict)
    is_base64: bool = False


@dataclass(slots=True)
class Call:
    """One request that passed every check of its endpoint."""

    endpoint: "Endpoint"
    services: "ApiServices"
    request_id: str
    method: str
    params: Mapping[str, str]
    headers: Mapping[str, str]
    source_ip: str
    started_at: float
    known_caller: Caller | None = None
    raw_body: bytes = b""
    json: Any = None
    body: Any = None
    query: Any = None
    raw_query: Mapping[str, str] = field(default_factory=dict)
    idempotency_key: str | None = None
    rate: "RateState | None" = None

    @property
    def caller(self) -> Caller:
        """Return who calls; a public endpoint has nobody."""
        assert self.known_caller is not None, "a public endpoint has no caller"
        return self.known_caller

    def record_rate(self, rate: "RateState") -> None:
        """Remember what the request, which is counted now, has left of the rate."""
        self.rate = rate

    @property
    def deadline(self) -> float:
        """Return the Unix second by which the answer must be on its way."""
        allowed = REQUEST_BUDGET_S
        if self.known_caller is not None:
            allowed = min(allowed, self.known_caller.workspace.plan.sync_timeout_s)
        return self.started_at + allowed


@dataclass(frozen=True)
class Endpoint:
    """One method of one path: what it asks for, what it answers, and the function that does it.

    One that `judges_body` gets any JSON and tells itself what is wrong with it.
    """

    view: View
    method: Method
    path: str
    scope: str | None
    summary: str
    description: str = ""
    tag: str = ""
    body: ModelName | None = None
    body_required: bool = True
    validates_body_itself: bool = False
    query: ModelName | None = None
    query_error_code: str = "validation_error"
    answers: Mapping[int, ModelName | None] = field(default_factory=lambda: {200: None})
    answer_types: tuple[str, ...] = (JSON,)
    media_types: tuple[str, ...] = (JSON,)
    problems: tuple[str, ...] = ()
    idempotent: bool = False
    counts_rate_itself: bool = False

    def __call__(self, call: Call) -> Reply:
        """Run the view."""
        return self.view(call)

    @property
    def operation_id(self) -> str:
        """Return the name that the reference and the log know this endpoint by."""
        return f"{self.view.__module__.rpartition('.')[2]}.{self.view.__name__}"

    def build_models(self) -> None:
        """Build the models of what is sent."""
        for sent in (self.body_model, self.query_model):
            if sent is not None:
                sent.model_rebuild()

    @cached_property
    def body_model(self) -> "type[BaseModel] | None":
        """Return the model of the body, imported and built on first use."""
        return import_model(self.body) if self.body else None

    @cached_property
    def query_model(self) -> "type[BaseModel] | None":
        """Return the model of the query parameters, imported and built on first use."""
        return import_model(self.query) if self.query else None


def endpoint(
    method: Method, path: str, *, scope: str | None, **row: Any
) -> Callable[[View], Endpoint]:
    """Declare an endpoint; `scope` None makes it public. `row`: the other fields of Endpoint.

    The first line of the function's docstring is the summary, the rest its description.
    """

    def declare(view: View) -> Endpoint:
        summary, _, rest = (view.__doc__ or "").partition("\n")
        texts = {"summary": summary.rstrip("."), "description": _strip_lines(rest)}
        return Endpoint(view, method, path, scope, **(texts | row))

    return declare


def endpoints_of(module: ModuleType) -> list[Endpoint]:
    """Return the endpoints that a module declares, in its order."""
    return [value for value in vars(module).values() if isinstance(value, Endpoint)]


def import_model(name: ModelName) -> "type[BaseModel]":
    """Import the model that `package.module:Model` names."""
    module, _, attribute = name.partition(":")
    found: type[BaseModel] = getattr(import_module(module), attribute)
    return found


def _strip_lines(text: str) -> str:
    lines = [line.strip() for line in text.strip().splitlines()]
    return "\n".join(lines)
